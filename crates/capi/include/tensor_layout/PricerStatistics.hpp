#ifndef TENSOR_LAYOUT_PricerStatistics_HPP
#define TENSOR_LAYOUT_PricerStatistics_HPP

#include "PricerStatistics.d.hpp"

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

inline tensor_layout::capi::PricerStatistics tensor_layout::PricerStatistics::AsFFI() const {
    return tensor_layout::capi::PricerStatistics {
        /* .parts = */ parts,
        /* .kept = */ kept,
        /* .counted = */ counted,
    };
}

inline tensor_layout::PricerStatistics tensor_layout::PricerStatistics::FromFFI(tensor_layout::capi::PricerStatistics c_struct) {
    return tensor_layout::PricerStatistics {
        /* .parts = */ c_struct.parts,
        /* .kept = */ c_struct.kept,
        /* .counted = */ c_struct.counted,
    };
}

#endif // TENSOR_LAYOUT_PricerStatistics_HPP
