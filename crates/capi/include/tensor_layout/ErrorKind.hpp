#ifndef TENSOR_LAYOUT_ErrorKind_HPP
#define TENSOR_LAYOUT_ErrorKind_HPP

#include "ErrorKind.d.hpp"

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

inline tensor_layout::capi::ErrorKind tensor_layout::ErrorKind::AsFFI() const {
    return static_cast<tensor_layout::capi::ErrorKind>(value);
}

inline tensor_layout::ErrorKind tensor_layout::ErrorKind::FromFFI(tensor_layout::capi::ErrorKind c_enum) {
    switch (c_enum) {
        case tensor_layout::capi::ErrorKind_Other:
        case tensor_layout::capi::ErrorKind_Syntax:
        case tensor_layout::capi::ErrorKind_Invalid:
        case tensor_layout::capi::ErrorKind_Argument:
        case tensor_layout::capi::ErrorKind_Shape:
        case tensor_layout::capi::ErrorKind_OutOfRange:
        case tensor_layout::capi::ErrorKind_OutsideDomain:
        case tensor_layout::capi::ErrorKind_Unknown:
        case tensor_layout::capi::ErrorKind_Missing:
        case tensor_layout::capi::ErrorKind_TooLarge:
        case tensor_layout::capi::ErrorKind_Limit:
        case tensor_layout::capi::ErrorKind_NotDecided:
        case tensor_layout::capi::ErrorKind_Collision:
        case tensor_layout::capi::ErrorKind_NotComparable:
        case tensor_layout::capi::ErrorKind_Uneven:
        case tensor_layout::capi::ErrorKind_NoDigits:
        case tensor_layout::capi::ErrorKind_Inexpressible:
        case tensor_layout::capi::ErrorKind_CannotInvert:
        case tensor_layout::capi::ErrorKind_CannotComplement:
        case tensor_layout::capi::ErrorKind_CannotRestrict:
        case tensor_layout::capi::ErrorKind_NoRoute:
        case tensor_layout::capi::ErrorKind_Unsupported:
            return static_cast<tensor_layout::ErrorKind::Value>(c_enum);
        default:
            std::abort();
    }
}
#endif // TENSOR_LAYOUT_ErrorKind_HPP
