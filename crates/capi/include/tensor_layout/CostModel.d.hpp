#ifndef TENSOR_LAYOUT_CostModel_D_HPP
#define TENSOR_LAYOUT_CostModel_D_HPP

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
namespace capi { struct Level; }
class Level;
namespace capi { struct Machine; }
class Machine;
namespace capi { struct Traffic; }
class Traffic;
struct Cost;
} // namespace tensor_layout

namespace tensor_layout {
namespace capi {
    struct CostModel;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * The rates at which a machine moves elements of one width.
 */
class CostModel {
public:

  /**
   * The rates of a machine: its bandwidth or, if it has none, its movements. Cost: linear in the movements.
   */
  inline static tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::CostModel>, std::unique_ptr<tensor_layout::Error>> of(const tensor_layout::Machine& machine, uint64_t element_bits);

  /**
   * The model with the rates of a level: long words that enter and leave one unit, per number of steps. Cost: a
   * copy of the model.
   */
  inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::CostModel>, std::unique_ptr<tensor_layout::Error>> with_rates(const tensor_layout::Level& level, uint64_t words_in, uint64_t steps_in, uint64_t words_out, uint64_t steps_out) const;

  /**
   * The model with the steps that a long word takes across the border of a unit of a level, whatever the rate.
   * Cost: a copy of the model.
   */
  inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::CostModel>, std::unique_ptr<tensor_layout::Error>> with_latency(const tensor_layout::Level& level, uint64_t steps) const;

  /**
   * The model in which levels work one after the other. Cost: a copy of the model.
   */
  inline std::unique_ptr<tensor_layout::CostModel> in_sequence() const;

  /**
   * A lower bound on the steps that the traffic takes. Cost: linear in the levels.
   */
  inline tensor_layout::diplomat::result<tensor_layout::Cost, std::unique_ptr<tensor_layout::Error>> cost(const tensor_layout::Traffic& traffic) const;

    inline const tensor_layout::capi::CostModel* AsFFI() const;
    inline tensor_layout::capi::CostModel* AsFFI();
    inline static const tensor_layout::CostModel* FromFFI(const tensor_layout::capi::CostModel* ptr);
    inline static tensor_layout::CostModel* FromFFI(tensor_layout::capi::CostModel* ptr);
    inline static void operator delete(void* ptr);
private:
    CostModel() = delete;
    CostModel(const tensor_layout::CostModel&) = delete;
    CostModel(tensor_layout::CostModel&&) noexcept = delete;
    CostModel operator=(const tensor_layout::CostModel&) = delete;
    CostModel operator=(tensor_layout::CostModel&&) noexcept = delete;
    static void operator delete[](void*, size_t) = delete;
};

} // namespace
#endif // TENSOR_LAYOUT_CostModel_D_HPP
