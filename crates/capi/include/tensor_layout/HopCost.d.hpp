#ifndef TENSOR_LAYOUT_HopCost_D_HPP
#define TENSOR_LAYOUT_HopCost_D_HPP

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
    struct HopCost {
      uint64_t upper_words;
      uint64_t lower_words;
      uint64_t cycles;
      bool cycles_are_known;
    };

    typedef struct HopCost_option {union { HopCost ok; }; bool is_ok; } HopCost_option;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * The cost of one movement of a route.
 */
struct HopCost {
    uint64_t upper_words;
    uint64_t lower_words;
    uint64_t cycles;
    bool cycles_are_known;

    inline tensor_layout::capi::HopCost AsFFI() const;
    inline static tensor_layout::HopCost FromFFI(tensor_layout::capi::HopCost c_struct);
};

} // namespace
#endif // TENSOR_LAYOUT_HopCost_D_HPP
