#ifndef TENSOR_LAYOUT_Layout_D_HPP
#define TENSOR_LAYOUT_Layout_D_HPP

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
namespace capi { struct LayoutText; }
class LayoutText;
namespace capi { struct Machine; }
class Machine;
class Notation;
} // namespace tensor_layout

namespace tensor_layout {
namespace capi {
    struct Layout;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * A map from the index of an element to the places where it lives.
 */
class Layout {
public:

  /**
   * Reads a text in the notation that it looks like: a PadLayout, a shape of XLA, with its sharding or without,
   * CuTe, shape and strides, Triton, an instruction. Cost: 2 to 20 us.
   */
  inline static tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>> parse(std::string_view text);

  /**
   * Reads a text for a machine: the devices of a sharding are its units, and the bare replicas of a PadLayout its
   * levels. Cost: as `parse`.
   */
  inline static tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>> parse_on(std::string_view text, const tensor_layout::Machine& machine);

  /**
   * A copy that lives on its own. Cost: a few allocations.
   */
  inline std::unique_ptr<tensor_layout::Layout> clone() const;

  /**
   * The number of axes.
   */
  inline size_t rank() const;

  /**
   * The number of elements.
   */
  inline uint64_t elements() const;

  /**
   * Writes the extents, one per axis. Cost: no allocation.
   */
  inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> shape(tensor_layout::diplomat::span<uint64_t> extents) const;

  /**
   * The bits of an element, if the text gives them.
   */
  inline std::optional<uint64_t> element_bits() const;

  /**
   * Writes the layout in a notation; `dtype` is the element type of a shape of XLA, `f32` if it is empty. Cost: a
   * few microseconds.
   */
  inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::LayoutText>, std::unique_ptr<tensor_layout::Error>> write(tensor_layout::Notation notation, std::string_view dtype) const;

  /**
   * Returns whether two layouts are written alike, subaxis by subaxis. Cost: no allocation.
   */
  inline bool equals(const tensor_layout::Layout& other) const;

  /**
   * Returns whether two layouts are one map: every place has the same element, padding or nothing. Cost: that of two
   * canonical forms, regardless of the extents, where there are no derived axes.
   */
  inline tensor_layout::diplomat::result<bool, std::unique_ptr<tensor_layout::Error>> same_map(const tensor_layout::Layout& other) const;

  /**
   * The layout of a tensor that is read through `map`, from its indexes to those of this layout: the map lands in
   * the axes `i0`, `i1`, .. or, as row-major numbers, in `Addr`. Cost: subaxes of both.
   */
  inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>> compose(const tensor_layout::Layout& map) const;

  /**
   * The map from places to indexes, where elements have places of their own. Cost: subaxes, sorted.
   */
  inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>> left_inverse() const;

  /**
   * The map from places to indexes, also where elements share places. Cost: subaxes, sorted.
   */
  inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>> right_inverse() const;

  /**
   * The layout of the tensor in another shape, row-major. Cost: subaxes.
   */
  inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>> reshape(tensor_layout::diplomat::span<const uint64_t> shape) const;

  /**
   * The layout with its axes in another order: axis `i` of the result is axis `order[i]`. Cost: subaxes.
   */
  inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>> permute(tensor_layout::diplomat::span<const size_t> order) const;

  /**
   * Every `step`-th index of an axis from `start` up to `stop`, exclusive; bounds beyond the extent are clamped to
   * it. Indexes that are not kept become padding. Cost: subaxes.
   */
  inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>> slice(size_t axis, uint64_t start, uint64_t stop, uint64_t step) const;

    inline const tensor_layout::capi::Layout* AsFFI() const;
    inline tensor_layout::capi::Layout* AsFFI();
    inline static const tensor_layout::Layout* FromFFI(const tensor_layout::capi::Layout* ptr);
    inline static tensor_layout::Layout* FromFFI(tensor_layout::capi::Layout* ptr);
    inline static void operator delete(void* ptr);
private:
    Layout() = delete;
    Layout(const tensor_layout::Layout&) = delete;
    Layout(tensor_layout::Layout&&) noexcept = delete;
    Layout operator=(const tensor_layout::Layout&) = delete;
    Layout operator=(tensor_layout::Layout&&) noexcept = delete;
    static void operator delete[](void*, size_t) = delete;
};

} // namespace
#endif // TENSOR_LAYOUT_Layout_D_HPP
