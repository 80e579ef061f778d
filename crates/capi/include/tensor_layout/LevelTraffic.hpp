#ifndef TENSOR_LAYOUT_LevelTraffic_HPP
#define TENSOR_LAYOUT_LevelTraffic_HPP

#include "LevelTraffic.d.hpp"

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

} // namespace capi
} // namespace

inline tensor_layout::capi::LevelTraffic tensor_layout::LevelTraffic::AsFFI() const {
    return tensor_layout::capi::LevelTraffic {
        /* .entering = */ entering,
        /* .leaving = */ leaving,
        /* .leaving_is_known = */ leaving_is_known,
        /* .receivers = */ receivers,
        /* .senders = */ senders,
    };
}

inline tensor_layout::LevelTraffic tensor_layout::LevelTraffic::FromFFI(tensor_layout::capi::LevelTraffic c_struct) {
    return tensor_layout::LevelTraffic {
        /* .entering = */ c_struct.entering,
        /* .leaving = */ c_struct.leaving,
        /* .leaving_is_known = */ c_struct.leaving_is_known,
        /* .receivers = */ c_struct.receivers,
        /* .senders = */ c_struct.senders,
    };
}

#endif // TENSOR_LAYOUT_LevelTraffic_HPP
