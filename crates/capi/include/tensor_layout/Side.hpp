#ifndef TENSOR_LAYOUT_Side_HPP
#define TENSOR_LAYOUT_Side_HPP

#include "Side.d.hpp"

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

inline tensor_layout::capi::Side tensor_layout::Side::AsFFI() const {
    return static_cast<tensor_layout::capi::Side>(value);
}

inline tensor_layout::Side tensor_layout::Side::FromFFI(tensor_layout::capi::Side c_enum) {
    switch (c_enum) {
        case tensor_layout::capi::Side_Both:
        case tensor_layout::capi::Side_Major:
        case tensor_layout::capi::Side_Minor:
            return static_cast<tensor_layout::Side::Value>(c_enum);
        default:
            std::abort();
    }
}
#endif // TENSOR_LAYOUT_Side_HPP
