#ifndef TENSOR_LAYOUT_Span_HPP
#define TENSOR_LAYOUT_Span_HPP

#include "Span.d.hpp"

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

inline tensor_layout::capi::Span tensor_layout::Span::AsFFI() const {
    return tensor_layout::capi::Span {
        /* .start = */ start,
        /* .end = */ end,
    };
}

inline tensor_layout::Span tensor_layout::Span::FromFFI(tensor_layout::capi::Span c_struct) {
    return tensor_layout::Span {
        /* .start = */ c_struct.start,
        /* .end = */ c_struct.end,
    };
}

#endif // TENSOR_LAYOUT_Span_HPP
