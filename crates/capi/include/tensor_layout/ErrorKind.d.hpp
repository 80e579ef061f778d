#ifndef TENSOR_LAYOUT_ErrorKind_D_HPP
#define TENSOR_LAYOUT_ErrorKind_D_HPP

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
    enum ErrorKind {
      ErrorKind_Other = 0,
      ErrorKind_Syntax = 1,
      ErrorKind_Invalid = 2,
      ErrorKind_Argument = 3,
      ErrorKind_Shape = 4,
      ErrorKind_OutOfRange = 5,
      ErrorKind_OutsideDomain = 6,
      ErrorKind_Unknown = 7,
      ErrorKind_Missing = 8,
      ErrorKind_TooLarge = 9,
      ErrorKind_Limit = 10,
      ErrorKind_NotDecided = 11,
      ErrorKind_Collision = 12,
      ErrorKind_NotComparable = 13,
      ErrorKind_Uneven = 14,
      ErrorKind_NoDigits = 15,
      ErrorKind_Inexpressible = 16,
      ErrorKind_CannotInvert = 17,
      ErrorKind_CannotComplement = 18,
      ErrorKind_CannotRestrict = 19,
      ErrorKind_NoRoute = 20,
      ErrorKind_Unsupported = 21,
    };

    typedef struct ErrorKind_option {union { ErrorKind ok; }; bool is_ok; } ErrorKind_option;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * The kind of an error: the cases that a caller treats differently.
 */
class ErrorKind {
public:
    enum Value {
        /**
         * A kind that this version of the header does not know.
         */
        Other = 0,
        /**
         * A text that cannot be read.
         */
        Syntax = 1,
        /**
         * A description that contradicts itself or leaves a part out.
         */
        Invalid = 2,
        /**
         * An argument that does not fit the layout or the operation.
         */
        Argument = 3,
        /**
         * Shapes, ranks or lengths, those of buffers included, that differ and must not.
         */
        Shape = 4,
        /**
         * An index, a coordinate or a part beyond the last.
         */
        OutOfRange = 5,
        /**
         * A map beyond the extents that it indexes.
         */
        OutsideDomain = 6,
        /**
         * A name that is not known here.
         */
        Unknown = 7,
        /**
         * Information that the question needs and was not given.
         */
        Missing = 8,
        /**
         * A number beyond 64 bits.
         */
        TooLarge = 9,
        /**
         * More than the machine, its memory or the operation has room for.
         */
        Limit = 10,
        /**
         * A question whose exact answer would take more steps than documented.
         */
        NotDecided = 11,
        /**
         * Two elements, or two copies, in one place.
         */
        Collision = 12,
        /**
         * Two placements that have nothing in common to compare, or between which nothing can move.
         */
        NotComparable = 13,
        /**
         * Digits or copies that do not line up with the groups of units.
         */
        Uneven = 14,
        /**
         * A sharding that is not sums of digits.
         */
        NoDigits = 15,
        /**
         * A layout that a notation cannot express.
         */
        Inexpressible = 16,
        /**
         * A layout whose inverse is not a layout.
         */
        CannotInvert = 17,
        /**
         * A layout without a complement.
         */
        CannotComplement = 18,
        /**
         * A part of a layout that is not a layout of its own.
         */
        CannotRestrict = 19,
        /**
         * A move between memories that no movements make.
         */
        NoRoute = 20,
        /**
         * A valid input for which the operation has no rule.
         */
        Unsupported = 21,
    };

    ErrorKind(): value(Value::Other) {}

    // Implicit conversions between enum and ::Value
    constexpr ErrorKind(Value v) : value(v) {}
    constexpr operator Value() const { return value; }
    // Prevent usage as boolean value
    explicit operator bool() const = delete;

    inline tensor_layout::capi::ErrorKind AsFFI() const;
    inline static tensor_layout::ErrorKind FromFFI(tensor_layout::capi::ErrorKind c_enum);
private:
    Value value;
};

} // namespace
#endif // TENSOR_LAYOUT_ErrorKind_D_HPP
