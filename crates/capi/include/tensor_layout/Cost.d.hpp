#ifndef TENSOR_LAYOUT_Cost_D_HPP
#define TENSOR_LAYOUT_Cost_D_HPP

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "CostUnit.d.hpp"
#include "diplomat_runtime.hpp"
namespace tensor_layout {
class CostUnit;
} // namespace tensor_layout

namespace tensor_layout {
namespace capi {
    struct Cost {
      uint64_t steps;
      tensor_layout::capi::CostUnit unit;
    };

    typedef struct Cost_option {union { Cost ok; }; bool is_ok; } Cost_option;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * A number of steps or cycles.
 */
struct Cost {
    uint64_t steps;
    tensor_layout::CostUnit unit;

    inline tensor_layout::capi::Cost AsFFI() const;
    inline static tensor_layout::Cost FromFFI(tensor_layout::capi::Cost c_struct);
};

} // namespace
#endif // TENSOR_LAYOUT_Cost_D_HPP
