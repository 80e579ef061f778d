#ifndef TENSOR_LAYOUT_Cost_HPP
#define TENSOR_LAYOUT_Cost_HPP

#include "Cost.d.hpp"

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "CostUnit.hpp"
#include "diplomat_runtime.hpp"

namespace tensor_layout {
namespace capi {

} // namespace capi
} // namespace

inline tensor_layout::capi::Cost tensor_layout::Cost::AsFFI() const {
    return tensor_layout::capi::Cost {
        /* .steps = */ steps,
        /* .unit = */ unit.AsFFI(),
    };
}

inline tensor_layout::Cost tensor_layout::Cost::FromFFI(tensor_layout::capi::Cost c_struct) {
    return tensor_layout::Cost {
        /* .steps = */ c_struct.steps,
        /* .unit = */ tensor_layout::CostUnit::FromFFI(c_struct.unit),
    };
}

#endif // TENSOR_LAYOUT_Cost_HPP
