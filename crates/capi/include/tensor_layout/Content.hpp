#ifndef TENSOR_LAYOUT_Content_HPP
#define TENSOR_LAYOUT_Content_HPP

#include "Content.d.hpp"

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

inline tensor_layout::capi::Content tensor_layout::Content::AsFFI() const {
    return static_cast<tensor_layout::capi::Content>(value);
}

inline tensor_layout::Content tensor_layout::Content::FromFFI(tensor_layout::capi::Content c_enum) {
    switch (c_enum) {
        case tensor_layout::capi::Content_Element:
        case tensor_layout::capi::Content_Padding:
        case tensor_layout::capi::Content_Hole:
        case tensor_layout::capi::Content_Outside:
            return static_cast<tensor_layout::Content::Value>(c_enum);
        default:
            std::abort();
    }
}
#endif // TENSOR_LAYOUT_Content_HPP
