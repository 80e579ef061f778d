#ifndef TENSOR_LAYOUT_Found_HPP
#define TENSOR_LAYOUT_Found_HPP

#include "Found.d.hpp"

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "Content.hpp"
#include "diplomat_runtime.hpp"

namespace tensor_layout {
namespace capi {

} // namespace capi
} // namespace

inline tensor_layout::capi::Found tensor_layout::Found::AsFFI() const {
    return tensor_layout::capi::Found {
        /* .content = */ content.AsFFI(),
        /* .element = */ element,
    };
}

inline tensor_layout::Found tensor_layout::Found::FromFFI(tensor_layout::capi::Found c_struct) {
    return tensor_layout::Found {
        /* .content = */ tensor_layout::Content::FromFFI(c_struct.content),
        /* .element = */ c_struct.element,
    };
}

#endif // TENSOR_LAYOUT_Found_HPP
