#ifndef TENSOR_LAYOUT_CostUnit_D_HPP
#define TENSOR_LAYOUT_CostUnit_D_HPP

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
    enum CostUnit {
      CostUnit_Steps = 0,
      CostUnit_Cycles = 1,
    };

    typedef struct CostUnit_option {union { CostUnit ok; }; bool is_ok; } CostUnit_option;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * The unit of a cost.
 */
class CostUnit {
public:
    enum Value {
        /**
         * Steps, as the bandwidth of a machine counts them.
         */
        Steps = 0,
        /**
         * Cycles, as the rates of movements count them.
         */
        Cycles = 1,
    };

    CostUnit(): value(Value::Steps) {}

    // Implicit conversions between enum and ::Value
    constexpr CostUnit(Value v) : value(v) {}
    constexpr operator Value() const { return value; }
    // Prevent usage as boolean value
    explicit operator bool() const = delete;

    inline tensor_layout::capi::CostUnit AsFFI() const;
    inline static tensor_layout::CostUnit FromFFI(tensor_layout::capi::CostUnit c_enum);
private:
    Value value;
};

} // namespace
#endif // TENSOR_LAYOUT_CostUnit_D_HPP
