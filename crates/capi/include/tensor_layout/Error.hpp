#ifndef TENSOR_LAYOUT_Error_HPP
#define TENSOR_LAYOUT_Error_HPP

#include "Error.d.hpp"

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "ErrorKind.hpp"
#include "Span.hpp"
#include "diplomat_runtime.hpp"

namespace tensor_layout {
namespace capi {
    extern "C" {

    tensor_layout::capi::ErrorKind tl0_Error_kind(const tensor_layout::capi::Error* self);

    tensor_layout::diplomat::capi::DiplomatStringView tl0_Error_message(const tensor_layout::capi::Error* self);

    typedef struct tl0_Error_help_result {union {tensor_layout::diplomat::capi::DiplomatStringView ok; }; bool is_ok;} tl0_Error_help_result;
    tl0_Error_help_result tl0_Error_help(const tensor_layout::capi::Error* self);

    tensor_layout::diplomat::capi::DiplomatStringView tl0_Error_report(const tensor_layout::capi::Error* self);

    typedef struct tl0_Error_span_result {union {tensor_layout::capi::Span ok; }; bool is_ok;} tl0_Error_span_result;
    tl0_Error_span_result tl0_Error_span(const tensor_layout::capi::Error* self);

    void tl0_Error_destroy(Error* self);

    } // extern "C"
} // namespace capi
} // namespace

inline tensor_layout::ErrorKind tensor_layout::Error::kind() const {
    auto result = tensor_layout::capi::tl0_Error_kind(this->AsFFI());
    return tensor_layout::ErrorKind::FromFFI(result);
}

inline std::string_view tensor_layout::Error::message() const DIPLOMAT_LIFETIME_BOUND {
    auto result = tensor_layout::capi::tl0_Error_message(this->AsFFI());
    return std::string_view(result.data, result.len);
}

inline std::optional<std::string_view> tensor_layout::Error::help() const DIPLOMAT_LIFETIME_BOUND {
    auto result = tensor_layout::capi::tl0_Error_help(this->AsFFI());
    return result.is_ok ? std::optional<std::string_view>(std::string_view(result.ok.data, result.ok.len)) : std::nullopt;
}

inline std::string_view tensor_layout::Error::report() const DIPLOMAT_LIFETIME_BOUND {
    auto result = tensor_layout::capi::tl0_Error_report(this->AsFFI());
    return std::string_view(result.data, result.len);
}

inline std::optional<tensor_layout::Span> tensor_layout::Error::span() const {
    auto result = tensor_layout::capi::tl0_Error_span(this->AsFFI());
    return result.is_ok ? std::optional<tensor_layout::Span>(tensor_layout::Span::FromFFI(result.ok)) : std::nullopt;
}

inline const tensor_layout::capi::Error* tensor_layout::Error::AsFFI() const {
    return reinterpret_cast<const tensor_layout::capi::Error*>(this);
}

inline tensor_layout::capi::Error* tensor_layout::Error::AsFFI() {
    return reinterpret_cast<tensor_layout::capi::Error*>(this);
}

inline const tensor_layout::Error* tensor_layout::Error::FromFFI(const tensor_layout::capi::Error* ptr) {
    return reinterpret_cast<const tensor_layout::Error*>(ptr);
}

inline tensor_layout::Error* tensor_layout::Error::FromFFI(tensor_layout::capi::Error* ptr) {
    return reinterpret_cast<tensor_layout::Error*>(ptr);
}

inline void tensor_layout::Error::operator delete(void* ptr) {
    tensor_layout::capi::tl0_Error_destroy(reinterpret_cast<tensor_layout::capi::Error*>(ptr));
}

#endif // TENSOR_LAYOUT_Error_HPP
