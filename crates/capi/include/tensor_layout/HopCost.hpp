#ifndef TENSOR_LAYOUT_HopCost_HPP
#define TENSOR_LAYOUT_HopCost_HPP

#include "HopCost.d.hpp"

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

inline tensor_layout::capi::HopCost tensor_layout::HopCost::AsFFI() const {
    return tensor_layout::capi::HopCost {
        /* .upper_words = */ upper_words,
        /* .lower_words = */ lower_words,
        /* .cycles = */ cycles,
        /* .cycles_are_known = */ cycles_are_known,
    };
}

inline tensor_layout::HopCost tensor_layout::HopCost::FromFFI(tensor_layout::capi::HopCost c_struct) {
    return tensor_layout::HopCost {
        /* .upper_words = */ c_struct.upper_words,
        /* .lower_words = */ c_struct.lower_words,
        /* .cycles = */ c_struct.cycles,
        /* .cycles_are_known = */ c_struct.cycles_are_known,
    };
}

#endif // TENSOR_LAYOUT_HopCost_HPP
