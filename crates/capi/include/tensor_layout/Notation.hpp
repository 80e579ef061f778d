#ifndef TENSOR_LAYOUT_Notation_HPP
#define TENSOR_LAYOUT_Notation_HPP

#include "Notation.d.hpp"

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

inline tensor_layout::capi::Notation tensor_layout::Notation::AsFFI() const {
    return static_cast<tensor_layout::capi::Notation>(value);
}

inline tensor_layout::Notation tensor_layout::Notation::FromFFI(tensor_layout::capi::Notation c_enum) {
    switch (c_enum) {
        case tensor_layout::capi::Notation_PadLayout:
        case tensor_layout::capi::Notation_Xla:
        case tensor_layout::capi::Notation_Cute:
        case tensor_layout::capi::Notation_Strided:
        case tensor_layout::capi::Notation_Triton:
            return static_cast<tensor_layout::Notation::Value>(c_enum);
        default:
            std::abort();
    }
}
#endif // TENSOR_LAYOUT_Notation_HPP
