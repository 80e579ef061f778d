#ifndef TENSOR_LAYOUT_Candidates_D_HPP
#define TENSOR_LAYOUT_Candidates_D_HPP

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
namespace capi { struct CandidateWalk; }
class CandidateWalk;
namespace capi { struct Candidates; }
class Candidates;
namespace capi { struct Error; }
class Error;
namespace capi { struct Level; }
class Level;
namespace capi { struct Machine; }
class Machine;
namespace capi { struct Memory; }
class Memory;
class Side;
} // namespace tensor_layout

namespace tensor_layout {
namespace capi {
    struct Candidates;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * The layouts of a shape on a machine that satisfy constraints. The constraints are checked when the walk begins.
 */
class Candidates {
public:

  /**
   * All layouts of a shape on a machine: without time slices, with uncut levels and up to half of the slots as
   * padding. Cost: a few allocations.
   */
  inline static std::unique_ptr<tensor_layout::Candidates> of(const tensor_layout::Machine& machine, tensor_layout::diplomat::span<const uint64_t> shape);

  /**
   * Sets the memory: no axis is split over levels below its owner, and its capacity is respected.
   */
  inline void memory(const tensor_layout::Memory& memory);

  /**
   * Sets the width of an element: lanes of a long word are then a level.
   */
  inline void element_bits(uint64_t bits);

  /**
   * Sets the address of the first long word.
   */
  inline void base(uint64_t base);

  /**
   * Sets the most pieces of a level, to split different axes or hold copies.
   */
  inline void level_parts(size_t most);

  /**
   * Sets where the digits of units may be in an axis.
   */
  inline void side(tensor_layout::Side side);

  /**
   * With false, all units hold different elements.
   */
  inline void replicate(bool replicate);

  /**
   * Pads the words of the innermost axis that has any to a multiple of `words`.
   */
  inline void alignment(uint64_t words);

  /**
   * Sets the most long words per unit.
   */
  inline void capacity_words(uint64_t words);

  /**
   * Sets the most slots that may be padding, in percent.
   */
  inline void padding_percent(uint64_t percent);

  /**
   * With true, the last axis is innermost in the address.
   */
  inline void row_major(bool only);

  /**
   * With true, units are in the order of the machine.
   */
  inline void tree_order(bool only);

  /**
   * Forbids splitting an axis over a level.
   */
  inline void never(size_t axis, const tensor_layout::Level& level);

  /**
   * Requires an axis to be split over exactly these levels.
   */
  inline void fixed(size_t axis, tensor_layout::diplomat::span<const tensor_layout::Level*> levels);

  /**
   * Allows axes to be split over these levels only; the others hold copies.
   */
  inline void levels(tensor_layout::diplomat::span<const tensor_layout::Level*> levels);

  /**
   * Requires axes to be split over these levels, which then hold no copies.
   */
  inline void without_copies_in(tensor_layout::diplomat::span<const tensor_layout::Level*> levels);

  /**
   * Sets the allowed numbers of time slices; 1 means no slices.
   */
  inline void time(tensor_layout::diplomat::span<const uint64_t> slices);

  /**
   * Sets the most axes that are cut into time slices together.
   */
  inline void time_axes(size_t most);

  /**
   * Keeps runs of `run` elements along an axis at successive addresses of a unit.
   */
  inline void contiguous(size_t axis, uint64_t run);

  /**
   * The number of candidates. Cost: up to seconds; `NotDecided` beyond.
   */
  inline tensor_layout::diplomat::result<uint64_t, std::unique_ptr<tensor_layout::Error>> count() const;

  /**
   * Begins a walk through the candidates. Cost: a few microseconds.
   */
  inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::CandidateWalk>, std::unique_ptr<tensor_layout::Error>> walk() const;

    inline const tensor_layout::capi::Candidates* AsFFI() const;
    inline tensor_layout::capi::Candidates* AsFFI();
    inline static const tensor_layout::Candidates* FromFFI(const tensor_layout::capi::Candidates* ptr);
    inline static tensor_layout::Candidates* FromFFI(tensor_layout::capi::Candidates* ptr);
    inline static void operator delete(void* ptr);
private:
    Candidates() = delete;
    Candidates(const tensor_layout::Candidates&) = delete;
    Candidates(tensor_layout::Candidates&&) noexcept = delete;
    Candidates operator=(const tensor_layout::Candidates&) = delete;
    Candidates operator=(tensor_layout::Candidates&&) noexcept = delete;
    static void operator delete[](void*, size_t) = delete;
};

} // namespace
#endif // TENSOR_LAYOUT_Candidates_D_HPP
