#ifndef TENSOR_LAYOUT_Found_D_HPP
#define TENSOR_LAYOUT_Found_D_HPP

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "Content.d.hpp"
#include "diplomat_runtime.hpp"
namespace tensor_layout {
class Content;
} // namespace tensor_layout

namespace tensor_layout {
namespace capi {
    struct Found {
      tensor_layout::capi::Content content;
      uint64_t element;
    };

    typedef struct Found_option {union { Found ok; }; bool is_ok; } Found_option;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * The content of a place, with the row-major number of an element; 0 where there is none.
 */
struct Found {
    tensor_layout::Content content;
    uint64_t element;

    inline tensor_layout::capi::Found AsFFI() const;
    inline static tensor_layout::Found FromFFI(tensor_layout::capi::Found c_struct);
};

} // namespace
#endif // TENSOR_LAYOUT_Found_D_HPP
