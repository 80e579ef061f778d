#ifndef TENSOR_LAYOUT_Memory_D_HPP
#define TENSOR_LAYOUT_Memory_D_HPP

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
namespace capi { struct Level; }
class Level;
} // namespace tensor_layout

namespace tensor_layout {
namespace capi {
    struct Memory;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * A kind of memory of a machine.
 */
class Memory {
public:

  /**
   * The name. Cost: no allocation.
   */
  inline std::string_view name() const DIPLOMAT_LIFETIME_BOUND;

  /**
   * The level whose units own it.
   */
  inline const tensor_layout::Level& owner() const DIPLOMAT_LIFETIME_BOUND;

  /**
   * The number of neighbouring units that share one.
   */
  inline uint64_t group() const;

  /**
   * The capacity in long words, if it is known.
   */
  inline std::optional<uint64_t> capacity() const;

    inline const tensor_layout::capi::Memory* AsFFI() const;
    inline tensor_layout::capi::Memory* AsFFI();
    inline static const tensor_layout::Memory* FromFFI(const tensor_layout::capi::Memory* ptr);
    inline static tensor_layout::Memory* FromFFI(tensor_layout::capi::Memory* ptr);
    inline static void operator delete(void* ptr);
private:
    Memory() = delete;
    Memory(const tensor_layout::Memory&) = delete;
    Memory(tensor_layout::Memory&&) noexcept = delete;
    Memory operator=(const tensor_layout::Memory&) = delete;
    Memory operator=(tensor_layout::Memory&&) noexcept = delete;
    static void operator delete[](void*, size_t) = delete;
};

} // namespace
#endif // TENSOR_LAYOUT_Memory_D_HPP
