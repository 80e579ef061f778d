#ifndef TENSOR_LAYOUT_Traffic_D_HPP
#define TENSOR_LAYOUT_Traffic_D_HPP

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
namespace capi { struct Placement; }
class Placement;
namespace capi { struct Traffic; }
class Traffic;
struct LevelTraffic;
} // namespace tensor_layout

namespace tensor_layout {
namespace capi {
    struct Traffic;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * The exact counts of what has to move from one placement to another.
 */
class Traffic {
public:

  /**
   * Counts what moves from one placement to another on the same machine, regardless of the number of elements.
   * Cost: 5 to 50 us.
   */
  inline static tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Traffic>, std::unique_ptr<tensor_layout::Error>> between(const tensor_layout::Placement& source, const tensor_layout::Placement& target);

  /**
   * The number of elements.
   */
  inline uint64_t elements() const;

  /**
   * The number of places that each element has in the target.
   */
  inline uint64_t copies() const;

  /**
   * The copies in the target that are in place already.
   */
  inline uint64_t in_place() const;

  /**
   * The copies that change only their address or lane.
   */
  inline uint64_t within_memories() const;

  /**
   * The copies that change their memory in one unit.
   */
  inline uint64_t between_memories() const;

  /**
   * The copies whose way crosses the border of a unit of this level, and of none outside it.
   */
  inline uint64_t across(const tensor_layout::Level& level) const;

  /**
   * The copies that are not in place; none if they do not fit in 64 bits.
   */
  inline std::optional<uint64_t> moved() const;

  /**
   * The number of levels.
   */
  inline size_t level_count() const;

  /**
   * The level of this number, innermost first; null beyond the last. It lives as long as the traffic.
   */
  inline tensor_layout::diplomat::maybe_null<const tensor_layout::Level*> level(size_t at) const DIPLOMAT_LIFETIME_BOUND;

  /**
   * The traffic of the level of this number.
   */
  inline std::optional<tensor_layout::LevelTraffic> level_traffic(size_t at) const;

    inline const tensor_layout::capi::Traffic* AsFFI() const;
    inline tensor_layout::capi::Traffic* AsFFI();
    inline static const tensor_layout::Traffic* FromFFI(const tensor_layout::capi::Traffic* ptr);
    inline static tensor_layout::Traffic* FromFFI(tensor_layout::capi::Traffic* ptr);
    inline static void operator delete(void* ptr);
private:
    Traffic() = delete;
    Traffic(const tensor_layout::Traffic&) = delete;
    Traffic(tensor_layout::Traffic&&) noexcept = delete;
    Traffic operator=(const tensor_layout::Traffic&) = delete;
    Traffic operator=(tensor_layout::Traffic&&) noexcept = delete;
    static void operator delete[](void*, size_t) = delete;
};

} // namespace
#endif // TENSOR_LAYOUT_Traffic_D_HPP
