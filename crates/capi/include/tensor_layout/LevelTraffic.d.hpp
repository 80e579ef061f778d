#ifndef TENSOR_LAYOUT_LevelTraffic_D_HPP
#define TENSOR_LAYOUT_LevelTraffic_D_HPP

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
    struct LevelTraffic {
      uint64_t entering;
      uint64_t leaving;
      bool leaving_is_known;
      uint64_t receivers;
      uint64_t senders;
    };

    typedef struct LevelTraffic_option {union { LevelTraffic ok; }; bool is_ok; } LevelTraffic_option;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * The traffic across the borders of the units of a level.
 */
struct LevelTraffic {
    uint64_t entering;
    uint64_t leaving;
    bool leaving_is_known;
    uint64_t receivers;
    uint64_t senders;

    inline tensor_layout::capi::LevelTraffic AsFFI() const;
    inline static tensor_layout::LevelTraffic FromFFI(tensor_layout::capi::LevelTraffic c_struct);
};

} // namespace
#endif // TENSOR_LAYOUT_LevelTraffic_D_HPP
