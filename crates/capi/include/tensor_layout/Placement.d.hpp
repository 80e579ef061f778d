#ifndef TENSOR_LAYOUT_Placement_D_HPP
#define TENSOR_LAYOUT_Placement_D_HPP

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
namespace capi { struct Layout; }
class Layout;
namespace capi { struct Level; }
class Level;
namespace capi { struct Machine; }
class Machine;
namespace capi { struct Memory; }
class Memory;
namespace capi { struct Placement; }
class Placement;
class Content;
} // namespace tensor_layout

namespace tensor_layout {
namespace capi {
    struct Placement;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * A layout on a machine, or on none.
 */
class Placement {
public:

  /**
   * Places a layout without a machine: only the levels that it names have a coordinate. Cost: 1 to 5 us.
   */
  inline static tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Placement>, std::unique_ptr<tensor_layout::Error>> of(const tensor_layout::Layout& layout);

  /**
   * Places a layout on a machine, in a memory or in none, with elements of a width (0 where it does not matter)
   * and from an address on. The memory and the width that a text names need not be given again. Cost: 2 to 10 us.
   */
  inline static tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Placement>, std::unique_ptr<tensor_layout::Error>> on(const tensor_layout::Layout& layout, const tensor_layout::Machine& machine, tensor_layout::diplomat::maybe_null<const tensor_layout::Memory*> memory, uint64_t element_bits, uint64_t base);

  /**
   * A copy that lives on its own. Cost: a few allocations.
   */
  inline std::unique_ptr<tensor_layout::Placement> clone() const;

  /**
   * The layout, moved by the base. Cost: as `clone`.
   */
  inline std::unique_ptr<tensor_layout::Layout> layout() const;

  /**
   * Returns whether two placements are equal: layout, machine, memory and lanes. Cost: no allocation.
   */
  inline bool equals(const tensor_layout::Placement& other) const;

  /**
   * The number of axes.
   */
  inline size_t rank() const;

  /**
   * The number of coordinates of a place.
   */
  inline size_t column_count() const;

  /**
   * The level of a coordinate; null beyond the last. It lives as long as the placement.
   */
  inline tensor_layout::diplomat::maybe_null<const tensor_layout::Level*> column(size_t at) const DIPLOMAT_LIFETIME_BOUND;

  /**
   * The number of coordinates that the machine has in a level, if it is known.
   */
  inline std::optional<uint64_t> size(const tensor_layout::Level& level) const;

  /**
   * The number of places that each element has.
   */
  inline uint64_t copies() const;

  /**
   * The long words that each unit needs: 1 + the greatest address.
   */
  inline uint64_t footprint_words() const;

  /**
   * The bits of a long word.
   */
  inline uint64_t word_bits() const;

  /**
   * Writes the place of an element, one coordinate per column: its first copy. Cost: one allocation, 0.1 to 0.5 us;
   * for many elements a table is quicker.
   */
  inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> locate(tensor_layout::diplomat::span<const uint64_t> index, tensor_layout::diplomat::span<uint64_t> place) const;

  /**
   * Writes every place of an element, one after the other, `copies` times the columns. Cost: one allocation per
   * copy.
   */
  inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> locate_all(tensor_layout::diplomat::span<const uint64_t> index, tensor_layout::diplomat::span<uint64_t> places) const;

  /**
   * Finds what a place holds, and writes the index of an element; of anything else, nothing is written. Cost: a few
   * allocations, 1 to 3 us; for many places a table is quicker.
   */
  inline tensor_layout::diplomat::result<tensor_layout::Content, std::unique_ptr<tensor_layout::Error>> element(tensor_layout::diplomat::span<const uint64_t> place, tensor_layout::diplomat::span<uint64_t> index) const;

    inline const tensor_layout::capi::Placement* AsFFI() const;
    inline tensor_layout::capi::Placement* AsFFI();
    inline static const tensor_layout::Placement* FromFFI(const tensor_layout::capi::Placement* ptr);
    inline static tensor_layout::Placement* FromFFI(tensor_layout::capi::Placement* ptr);
    inline static void operator delete(void* ptr);
private:
    Placement() = delete;
    Placement(const tensor_layout::Placement&) = delete;
    Placement(tensor_layout::Placement&&) noexcept = delete;
    Placement operator=(const tensor_layout::Placement&) = delete;
    Placement operator=(tensor_layout::Placement&&) noexcept = delete;
    static void operator delete[](void*, size_t) = delete;
};

} // namespace
#endif // TENSOR_LAYOUT_Placement_D_HPP
