#ifndef TENSOR_LAYOUT_Table_D_HPP
#define TENSOR_LAYOUT_Table_D_HPP

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
namespace capi { struct Table; }
class Table;
struct Found;
} // namespace tensor_layout

namespace tensor_layout {
namespace capi {
    struct Table;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * A placement compiled for whole tables. Elements are numbered row-major, and so are places, over the columns:
 * unit x words + address, holes included.
 */
class Table {
public:

  /**
   * Compiles a placement. Cost: 1 to 10 us, and up to 64 KiB at the first call that needs it.
   */
  inline static tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Table>, std::unique_ptr<tensor_layout::Error>> compile(const tensor_layout::Placement& placement);

  /**
   * A copy that lives on its own; both share the compiled parts. Cost: a few allocations.
   */
  inline std::unique_ptr<tensor_layout::Table> clone() const;

  /**
   * The table of a box of the tensor: axis `i` from `starts[i]` to `stops[i]`, exclusive. Its elements are numbered
   * within the box; places keep their numbers. Cost: as `clone`.
   */
  inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Table>, std::unique_ptr<tensor_layout::Error>> window(tensor_layout::diplomat::span<const uint64_t> starts, tensor_layout::diplomat::span<const uint64_t> stops) const;

  /**
   * The number of elements: the length of a table.
   */
  inline uint64_t elements() const;

  /**
   * The number of places, holes included: the length of an inverse table and of an image.
   */
  inline uint64_t places() const;

  /**
   * The number of coordinates that make up the number of a place.
   */
  inline size_t column_count() const;

  /**
   * The level of a coordinate; null beyond the last. It lives as long as the table.
   */
  inline tensor_layout::diplomat::maybe_null<const tensor_layout::Level*> column(size_t at) const DIPLOMAT_LIFETIME_BOUND;

  /**
   * The number of values of a coordinate.
   */
  inline std::optional<uint64_t> column_size(size_t at) const;

  /**
   * Writes the coordinates of the place with a number, one per column. Cost: two allocations.
   */
  inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> coordinates(uint64_t place, tensor_layout::diplomat::span<uint64_t> buffer) const;

  /**
   * The number of the place of one element: its first copy. Cost: no allocation, 5 to 50 ns.
   */
  inline tensor_layout::diplomat::result<uint64_t, std::unique_ptr<tensor_layout::Error>> place(tensor_layout::diplomat::span<const uint64_t> index) const;

  /**
   * Writes the numbers of the places of many elements, whose indexes are one after the other. Cost: as `place`,
   * without a call for each.
   */
  inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> places_of(tensor_layout::diplomat::span<const uint64_t> indexes, tensor_layout::diplomat::span<uint64_t> places) const;

  /**
   * The content of the place with a number. Cost: no allocation, 5 to 50 ns, after the first call.
   */
  inline tensor_layout::diplomat::result<tensor_layout::Found, std::unique_ptr<tensor_layout::Error>> element(uint64_t place) const;

  /**
   * Writes what many places hold: the number of an element, 2^64 - 2 for padding, 2^64 - 1 for a hole and for what
   * is outside. Cost: as `element`, without a call for each.
   */
  inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> elements_at(tensor_layout::diplomat::span<const uint64_t> places, tensor_layout::diplomat::span<uint64_t> elements) const;

  /**
   * Writes the number of the place of every element. Cost: at the speed of memory, 0.1 to 1 ns each.
   */
  inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> fill_packed_u32(tensor_layout::diplomat::span<uint32_t> table) const;

  /**
   * Writes the number of the place of every element. Cost: as `fill_packed_u32`.
   */
  inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> fill_packed_u64(tensor_layout::diplomat::span<uint64_t> table) const;

  /**
   * Writes the coordinate in a level of every element; 0 for a level that is not a column. Cost: as
   * `fill_packed_u32`.
   */
  inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> fill_column_u32(const tensor_layout::Level& level, tensor_layout::diplomat::span<uint32_t> table) const;

  /**
   * Writes what every place holds: the number of an element, 2^32 - 2 for padding, 2^32 - 1 for a hole. Cost: as
   * `fill_packed_u32`.
   */
  inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> fill_inverse_u32(tensor_layout::diplomat::span<uint32_t> table) const;

  /**
   * Writes what every place holds: the number of an element, 2^64 - 2 for padding, 2^64 - 1 for a hole. Cost: as
   * `fill_packed_u32`.
   */
  inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> fill_inverse_u64(tensor_layout::diplomat::span<uint64_t> table) const;

  /**
   * Moves a row-major tensor into the memory of every unit, all copies; every other cell is set to `fill`, which
   * has the bytes of one element: 1, 2, 4, 8 or 16. An image has a cell per place. Cost: at the speed of memory.
   */
  inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> pack(tensor_layout::diplomat::span<const uint8_t> tensor, tensor_layout::diplomat::span<const uint8_t> fill, tensor_layout::diplomat::span<uint8_t> image) const;

  /**
   * Moves the first copy of every element back into a row-major tensor of elements of 1, 2, 4, 8 or 16 bytes. Cost:
   * at the speed of memory.
   */
  inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> unpack(size_t element_bytes, tensor_layout::diplomat::span<const uint8_t> image, tensor_layout::diplomat::span<uint8_t> tensor) const;

    inline const tensor_layout::capi::Table* AsFFI() const;
    inline tensor_layout::capi::Table* AsFFI();
    inline static const tensor_layout::Table* FromFFI(const tensor_layout::capi::Table* ptr);
    inline static tensor_layout::Table* FromFFI(tensor_layout::capi::Table* ptr);
    inline static void operator delete(void* ptr);
private:
    Table() = delete;
    Table(const tensor_layout::Table&) = delete;
    Table(tensor_layout::Table&&) noexcept = delete;
    Table operator=(const tensor_layout::Table&) = delete;
    Table operator=(tensor_layout::Table&&) noexcept = delete;
    static void operator delete[](void*, size_t) = delete;
};

} // namespace
#endif // TENSOR_LAYOUT_Table_D_HPP
