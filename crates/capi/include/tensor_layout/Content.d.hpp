#ifndef TENSOR_LAYOUT_Content_D_HPP
#define TENSOR_LAYOUT_Content_D_HPP

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
    enum Content {
      Content_Element = 0,
      Content_Padding = 1,
      Content_Hole = 2,
      Content_Outside = 3,
    };

    typedef struct Content_option {union { Content ok; }; bool is_ok; } Content_option;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * The content of a place.
 */
class Content {
public:
    enum Value {
        /**
         * An element.
         */
        Element = 0,
        /**
         * A slot of the layout without an element.
         */
        Padding = 1,
        /**
         * Nothing: the layout skips the place.
         */
        Hole = 2,
        /**
         * Nothing: the place is beyond the machine or, where it gives no size, beyond the layout.
         */
        Outside = 3,
    };

    Content(): value(Value::Element) {}

    // Implicit conversions between enum and ::Value
    constexpr Content(Value v) : value(v) {}
    constexpr operator Value() const { return value; }
    // Prevent usage as boolean value
    explicit operator bool() const = delete;

    inline tensor_layout::capi::Content AsFFI() const;
    inline static tensor_layout::Content FromFFI(tensor_layout::capi::Content c_enum);
private:
    Value value;
};

} // namespace
#endif // TENSOR_LAYOUT_Content_D_HPP
