#ifndef TENSOR_LAYOUT_CostUnit_HPP
#define TENSOR_LAYOUT_CostUnit_HPP

#include "CostUnit.d.hpp"

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
namespace capi {

} // namespace capi
} // namespace

inline tensor_layout::capi::CostUnit tensor_layout::CostUnit::AsFFI() const {
    return static_cast<tensor_layout::capi::CostUnit>(value);
}

inline tensor_layout::CostUnit tensor_layout::CostUnit::FromFFI(tensor_layout::capi::CostUnit c_enum) {
    switch (c_enum) {
        case tensor_layout::capi::CostUnit_Steps:
        case tensor_layout::capi::CostUnit_Cycles:
            return static_cast<tensor_layout::CostUnit::Value>(c_enum);
        default:
            std::abort();
    }
}
#endif // TENSOR_LAYOUT_CostUnit_HPP
