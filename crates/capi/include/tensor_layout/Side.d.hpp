#ifndef TENSOR_LAYOUT_Side_D_HPP
#define TENSOR_LAYOUT_Side_D_HPP

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
    enum Side {
      Side_Both = 0,
      Side_Major = 1,
      Side_Minor = 2,
    };

    typedef struct Side_option {union { Side ok; }; bool is_ok; } Side_option;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * The positions of the digits of units in an axis.
 */
class Side {
public:
    enum Value {
        /**
         * Neighbours share a unit, or are in different units.
         */
        Both = 0,
        /**
         * Neighbours share a unit.
         */
        Major = 1,
        /**
         * Neighbours are in different units.
         */
        Minor = 2,
    };

    Side(): value(Value::Both) {}

    // Implicit conversions between enum and ::Value
    constexpr Side(Value v) : value(v) {}
    constexpr operator Value() const { return value; }
    // Prevent usage as boolean value
    explicit operator bool() const = delete;

    inline tensor_layout::capi::Side AsFFI() const;
    inline static tensor_layout::Side FromFFI(tensor_layout::capi::Side c_enum);
private:
    Value value;
};

} // namespace
#endif // TENSOR_LAYOUT_Side_D_HPP
