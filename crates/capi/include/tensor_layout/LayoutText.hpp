#ifndef TENSOR_LAYOUT_LayoutText_HPP
#define TENSOR_LAYOUT_LayoutText_HPP

#include "LayoutText.d.hpp"

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
    extern "C" {

    tensor_layout::diplomat::capi::DiplomatStringView tl0_LayoutText_text(const tensor_layout::capi::LayoutText* self);

    typedef struct tl0_LayoutText_left_out_result {union {tensor_layout::diplomat::capi::DiplomatStringView ok; }; bool is_ok;} tl0_LayoutText_left_out_result;
    tl0_LayoutText_left_out_result tl0_LayoutText_left_out(const tensor_layout::capi::LayoutText* self);

    void tl0_LayoutText_destroy(LayoutText* self);

    } // extern "C"
} // namespace capi
} // namespace

inline std::string_view tensor_layout::LayoutText::text() const DIPLOMAT_LIFETIME_BOUND {
    auto result = tensor_layout::capi::tl0_LayoutText_text(this->AsFFI());
    return std::string_view(result.data, result.len);
}

inline std::optional<std::string_view> tensor_layout::LayoutText::left_out() const DIPLOMAT_LIFETIME_BOUND {
    auto result = tensor_layout::capi::tl0_LayoutText_left_out(this->AsFFI());
    return result.is_ok ? std::optional<std::string_view>(std::string_view(result.ok.data, result.ok.len)) : std::nullopt;
}

inline const tensor_layout::capi::LayoutText* tensor_layout::LayoutText::AsFFI() const {
    return reinterpret_cast<const tensor_layout::capi::LayoutText*>(this);
}

inline tensor_layout::capi::LayoutText* tensor_layout::LayoutText::AsFFI() {
    return reinterpret_cast<tensor_layout::capi::LayoutText*>(this);
}

inline const tensor_layout::LayoutText* tensor_layout::LayoutText::FromFFI(const tensor_layout::capi::LayoutText* ptr) {
    return reinterpret_cast<const tensor_layout::LayoutText*>(ptr);
}

inline tensor_layout::LayoutText* tensor_layout::LayoutText::FromFFI(tensor_layout::capi::LayoutText* ptr) {
    return reinterpret_cast<tensor_layout::LayoutText*>(ptr);
}

inline void tensor_layout::LayoutText::operator delete(void* ptr) {
    tensor_layout::capi::tl0_LayoutText_destroy(reinterpret_cast<tensor_layout::capi::LayoutText*>(ptr));
}

#endif // TENSOR_LAYOUT_LayoutText_HPP
