#ifndef TENSOR_LAYOUT_Level_D_HPP
#define TENSOR_LAYOUT_Level_D_HPP

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "diplomat_runtime.hpp"
namespace tensor_layout {
namespace capi { struct Error; }
class Error;
namespace capi { struct Level; }
class Level;
} // namespace tensor_layout

namespace tensor_layout {
namespace capi {
    struct Level;

    typedef struct DiplomatLevelView {
      const Level** data;
      size_t len;
    } DiplomatLevelView;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * The name of a coordinate: a level of a machine, `Addr`, the lane `W` or the step `Time`.
 */
class Level {
public:

  /**
   * Reads a name, such as `PE`, or the node of a memory that units share, such as `L2B/2`. Cost: one allocation.
   */
  inline static tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Level>, std::unique_ptr<tensor_layout::Error>> parse(std::string_view name);

  /**
   * The name, as long as the level lives. Cost: no allocation.
   */
  inline std::string_view name() const DIPLOMAT_LIFETIME_BOUND;

  /**
   * Returns whether two levels have one name. Cost: no allocation.
   */
  inline bool equals(const tensor_layout::Level& other) const;

    inline const tensor_layout::capi::Level* AsFFI() const;
    inline tensor_layout::capi::Level* AsFFI();
    inline static const tensor_layout::Level* FromFFI(const tensor_layout::capi::Level* ptr);
    inline static tensor_layout::Level* FromFFI(tensor_layout::capi::Level* ptr);
    inline static void operator delete(void* ptr);
private:
    Level() = delete;
    Level(const tensor_layout::Level&) = delete;
    Level(tensor_layout::Level&&) noexcept = delete;
    Level operator=(const tensor_layout::Level&) = delete;
    Level operator=(tensor_layout::Level&&) noexcept = delete;
    static void operator delete[](void*, size_t) = delete;
};

} // namespace
#endif // TENSOR_LAYOUT_Level_D_HPP
