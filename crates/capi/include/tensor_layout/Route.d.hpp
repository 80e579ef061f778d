#ifndef TENSOR_LAYOUT_Route_D_HPP
#define TENSOR_LAYOUT_Route_D_HPP

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
namespace capi { struct Placement; }
class Placement;
namespace capi { struct Route; }
class Route;
struct HopCost;
} // namespace tensor_layout

namespace tensor_layout {
namespace capi {
    struct Route;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * The movements that bring a tensor from one memory into another, in order.
 */
class Route {
public:

  /**
   * Finds the route with the fewest cycles; among those, with the fewest movements. Cost: 20 us to seconds: at most
   * 4096 trials.
   */
  inline static tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Route>, std::unique_ptr<tensor_layout::Error>> between(const tensor_layout::Placement& source, const tensor_layout::Placement& target);

  /**
   * As `between`, with another number of trials. Cost: up to a millisecond each.
   */
  inline static tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Route>, std::unique_ptr<tensor_layout::Error>> within(const tensor_layout::Placement& source, const tensor_layout::Placement& target, size_t trials);

  /**
   * The number of movements; 0 if the source serves as it is.
   */
  inline size_t hop_count() const;

  /**
   * The least cycles of all movements together.
   */
  inline uint64_t cycles() const;

  /**
   * Returns whether every movement has a rate; if not, `cycles` is a lower bound.
   */
  inline bool cycles_are_known() const;

  /**
   * The name of a movement, as long as the route lives; none beyond the last, and on a machine without movements.
   */
  inline std::optional<std::string_view> movement(size_t at) const DIPLOMAT_LIFETIME_BOUND;

  /**
   * The placement after a movement; null beyond the last. Cost: a few allocations.
   */
  inline tensor_layout::diplomat::maybe_null<std::unique_ptr<tensor_layout::Placement>> target(size_t at) const;

  /**
   * The cost of a movement.
   */
  inline std::optional<tensor_layout::HopCost> hop_cost(size_t at) const;

    inline const tensor_layout::capi::Route* AsFFI() const;
    inline tensor_layout::capi::Route* AsFFI();
    inline static const tensor_layout::Route* FromFFI(const tensor_layout::capi::Route* ptr);
    inline static tensor_layout::Route* FromFFI(tensor_layout::capi::Route* ptr);
    inline static void operator delete(void* ptr);
private:
    Route() = delete;
    Route(const tensor_layout::Route&) = delete;
    Route(tensor_layout::Route&&) noexcept = delete;
    Route operator=(const tensor_layout::Route&) = delete;
    Route operator=(tensor_layout::Route&&) noexcept = delete;
    static void operator delete[](void*, size_t) = delete;
};

} // namespace
#endif // TENSOR_LAYOUT_Route_D_HPP
