#ifndef TENSOR_LAYOUT_Pricer_D_HPP
#define TENSOR_LAYOUT_Pricer_D_HPP

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
namespace capi { struct CostModel; }
class CostModel;
namespace capi { struct Error; }
class Error;
namespace capi { struct Placement; }
class Placement;
namespace capi { struct Pricer; }
class Pricer;
struct Cost;
struct PricerStatistics;
} // namespace tensor_layout

namespace tensor_layout {
namespace capi {
    struct Pricer;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * Prices of relayouts for a planner, shared by threads. Placements that hold the same elements in every unit are one
 * part, and each pair of parts is counted once.
 */
class Pricer {
public:

  /**
   * An empty pricer that keeps every answer. Cost: a few allocations.
   */
  inline static std::unique_ptr<tensor_layout::Pricer> of(const tensor_layout::CostModel& model);

  /**
   * An empty pricer that keeps about so many answers, with what a change of lanes costs, and one of nothing but
   * addresses, where they have a price. Cost: a few allocations.
   */
  inline static std::unique_ptr<tensor_layout::Pricer> with_prices(const tensor_layout::CostModel& model, std::optional<uint64_t> most_answers, std::optional<uint64_t> price_of_lanes, std::optional<uint64_t> price_of_addresses);

  /**
   * The part of a placement, for this pricer alone: another one gives an error for it. Cost: 1 to 5 us.
   */
  inline tensor_layout::diplomat::result<uint64_t, std::unique_ptr<tensor_layout::Error>> part(const tensor_layout::Placement& placement) const;

  /**
   * A lower bound on the steps of a relayout, as if all units had the same share. Cost: no allocation, 20 to 60 ns,
   * for a pair that is known; 5 to 50 us for another.
   */
  inline tensor_layout::diplomat::result<tensor_layout::Cost, std::unique_ptr<tensor_layout::Error>> cost(uint64_t source, uint64_t target) const;

  /**
   * A lower bound on the steps until the busiest unit has received and sent everything. Cost: as `cost`.
   */
  inline tensor_layout::diplomat::result<tensor_layout::Cost, std::unique_ptr<tensor_layout::Error>> busiest_cost(uint64_t source, uint64_t target) const;

  /**
   * The work so far.
   */
  inline tensor_layout::PricerStatistics statistics() const;

    inline const tensor_layout::capi::Pricer* AsFFI() const;
    inline tensor_layout::capi::Pricer* AsFFI();
    inline static const tensor_layout::Pricer* FromFFI(const tensor_layout::capi::Pricer* ptr);
    inline static tensor_layout::Pricer* FromFFI(tensor_layout::capi::Pricer* ptr);
    inline static void operator delete(void* ptr);
private:
    Pricer() = delete;
    Pricer(const tensor_layout::Pricer&) = delete;
    Pricer(tensor_layout::Pricer&&) noexcept = delete;
    Pricer operator=(const tensor_layout::Pricer&) = delete;
    Pricer operator=(tensor_layout::Pricer&&) noexcept = delete;
    static void operator delete[](void*, size_t) = delete;
};

} // namespace
#endif // TENSOR_LAYOUT_Pricer_D_HPP
