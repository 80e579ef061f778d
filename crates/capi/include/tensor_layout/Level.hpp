#ifndef TENSOR_LAYOUT_Level_HPP
#define TENSOR_LAYOUT_Level_HPP

#include "Level.d.hpp"

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "Error.hpp"
#include "diplomat_runtime.hpp"

namespace tensor_layout {
namespace capi {
    extern "C" {

    typedef struct tl0_Level_parse_result {union {tensor_layout::capi::Level* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Level_parse_result;
    tl0_Level_parse_result tl0_Level_parse(tensor_layout::diplomat::capi::DiplomatStringView name);

    tensor_layout::diplomat::capi::DiplomatStringView tl0_Level_name(const tensor_layout::capi::Level* self);

    bool tl0_Level_equals(const tensor_layout::capi::Level* self, const tensor_layout::capi::Level* other);

    void tl0_Level_destroy(Level* self);

    } // extern "C"
} // namespace capi
} // namespace

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Level>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Level::parse(std::string_view name) {
    auto result = tensor_layout::capi::tl0_Level_parse({name.data(), name.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Level>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Level>>(std::unique_ptr<tensor_layout::Level>(tensor_layout::Level::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Level>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline std::string_view tensor_layout::Level::name() const DIPLOMAT_LIFETIME_BOUND {
    auto result = tensor_layout::capi::tl0_Level_name(this->AsFFI());
    return std::string_view(result.data, result.len);
}

inline bool tensor_layout::Level::equals(const tensor_layout::Level& other) const {
    auto result = tensor_layout::capi::tl0_Level_equals(this->AsFFI(),
        other.AsFFI());
    return result;
}

inline const tensor_layout::capi::Level* tensor_layout::Level::AsFFI() const {
    return reinterpret_cast<const tensor_layout::capi::Level*>(this);
}

inline tensor_layout::capi::Level* tensor_layout::Level::AsFFI() {
    return reinterpret_cast<tensor_layout::capi::Level*>(this);
}

inline const tensor_layout::Level* tensor_layout::Level::FromFFI(const tensor_layout::capi::Level* ptr) {
    return reinterpret_cast<const tensor_layout::Level*>(ptr);
}

inline tensor_layout::Level* tensor_layout::Level::FromFFI(tensor_layout::capi::Level* ptr) {
    return reinterpret_cast<tensor_layout::Level*>(ptr);
}

inline void tensor_layout::Level::operator delete(void* ptr) {
    tensor_layout::capi::tl0_Level_destroy(reinterpret_cast<tensor_layout::capi::Level*>(ptr));
}

#endif // TENSOR_LAYOUT_Level_HPP
