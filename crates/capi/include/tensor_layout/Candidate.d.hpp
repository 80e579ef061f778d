#ifndef TENSOR_LAYOUT_Candidate_D_HPP
#define TENSOR_LAYOUT_Candidate_D_HPP

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
namespace capi { struct Placement; }
class Placement;
} // namespace tensor_layout

namespace tensor_layout {
namespace capi {
    struct Candidate;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * A layout that satisfies the constraints.
 */
class Candidate {
public:

  /**
   * The layout, without the base. Cost: a few allocations.
   */
  inline std::unique_ptr<tensor_layout::Layout> layout() const;

  /**
   * The layout on the machine, in the memory of the search. Cost: 2 to 10 us.
   */
  inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Placement>, std::unique_ptr<tensor_layout::Error>> placement() const;

  /**
   * The long words per unit, without the base.
   */
  inline uint64_t footprint_words() const;

  /**
   * The slots of one copy.
   */
  inline uint64_t slots() const;

  /**
   * The slots of one copy that hold no element.
   */
  inline uint64_t pads() const;

  /**
   * The units that hold a slot, copies included.
   */
  inline uint64_t units_used() const;

    inline const tensor_layout::capi::Candidate* AsFFI() const;
    inline tensor_layout::capi::Candidate* AsFFI();
    inline static const tensor_layout::Candidate* FromFFI(const tensor_layout::capi::Candidate* ptr);
    inline static tensor_layout::Candidate* FromFFI(tensor_layout::capi::Candidate* ptr);
    inline static void operator delete(void* ptr);
private:
    Candidate() = delete;
    Candidate(const tensor_layout::Candidate&) = delete;
    Candidate(tensor_layout::Candidate&&) noexcept = delete;
    Candidate operator=(const tensor_layout::Candidate&) = delete;
    Candidate operator=(tensor_layout::Candidate&&) noexcept = delete;
    static void operator delete[](void*, size_t) = delete;
};

} // namespace
#endif // TENSOR_LAYOUT_Candidate_D_HPP
