#ifndef TENSOR_LAYOUT_Span_D_HPP
#define TENSOR_LAYOUT_Span_D_HPP

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
    struct Span {
      size_t start;
      size_t end;
    };

    typedef struct Span_option {union { Span ok; }; bool is_ok; } Span_option;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * Bytes of a text, from the first to one past the last.
 */
struct Span {
    size_t start;
    size_t end;

    inline tensor_layout::capi::Span AsFFI() const;
    inline static tensor_layout::Span FromFFI(tensor_layout::capi::Span c_struct);
};

} // namespace
#endif // TENSOR_LAYOUT_Span_D_HPP
