#ifndef TENSOR_LAYOUT_Notation_D_HPP
#define TENSOR_LAYOUT_Notation_D_HPP

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
    enum Notation {
      Notation_PadLayout = 0,
      Notation_Xla = 1,
      Notation_Cute = 2,
      Notation_Strided = 3,
      Notation_Triton = 4,
    };

    typedef struct Notation_option {union { Notation ok; }; bool is_ok; } Notation_option;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * A notation that layouts are written in.
 */
class Notation {
public:
    enum Value {
        /**
         * `((4_PE, 3:8), (8:1))`, of MN-Core.
         */
        PadLayout = 0,
        /**
         * `f32[12,8]{1,0:T(8,128)}`, of XLA.
         */
        Xla = 1,
        /**
         * `(4,8):(1,4)`, of CuTe.
         */
        Cute = 2,
        /**
         * `shape=(2, 3), strides=(3, 1)`, of NumPy and PyTorch.
         */
        Strided = 3,
        /**
         * Linear layouts of Triton.
         */
        Triton = 4,
    };

    Notation(): value(Value::PadLayout) {}

    // Implicit conversions between enum and ::Value
    constexpr Notation(Value v) : value(v) {}
    constexpr operator Value() const { return value; }
    // Prevent usage as boolean value
    explicit operator bool() const = delete;

    inline tensor_layout::capi::Notation AsFFI() const;
    inline static tensor_layout::Notation FromFFI(tensor_layout::capi::Notation c_enum);
private:
    Value value;
};

} // namespace
#endif // TENSOR_LAYOUT_Notation_D_HPP
