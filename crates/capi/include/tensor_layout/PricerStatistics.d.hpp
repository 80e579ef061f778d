#ifndef TENSOR_LAYOUT_PricerStatistics_D_HPP
#define TENSOR_LAYOUT_PricerStatistics_D_HPP

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
    struct PricerStatistics {
      uint64_t parts;
      uint64_t kept;
      uint64_t counted;
    };

    typedef struct PricerStatistics_option {union { PricerStatistics ok; }; bool is_ok; } PricerStatistics_option;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * The work of a pricer so far.
 */
struct PricerStatistics {
    uint64_t parts;
    uint64_t kept;
    uint64_t counted;

    inline tensor_layout::capi::PricerStatistics AsFFI() const;
    inline static tensor_layout::PricerStatistics FromFFI(tensor_layout::capi::PricerStatistics c_struct);
};

} // namespace
#endif // TENSOR_LAYOUT_PricerStatistics_D_HPP
