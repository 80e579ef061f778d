#ifndef TENSOR_LAYOUT_Memory_HPP
#define TENSOR_LAYOUT_Memory_HPP

#include "Memory.d.hpp"

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "Level.hpp"
#include "diplomat_runtime.hpp"

namespace tensor_layout {
namespace capi {
    extern "C" {

    tensor_layout::diplomat::capi::DiplomatStringView tl0_Memory_name(const tensor_layout::capi::Memory* self);

    const tensor_layout::capi::Level* tl0_Memory_owner(const tensor_layout::capi::Memory* self);

    uint64_t tl0_Memory_group(const tensor_layout::capi::Memory* self);

    typedef struct tl0_Memory_capacity_result {union {uint64_t ok; }; bool is_ok;} tl0_Memory_capacity_result;
    tl0_Memory_capacity_result tl0_Memory_capacity(const tensor_layout::capi::Memory* self);

    void tl0_Memory_destroy(Memory* self);

    } // extern "C"
} // namespace capi
} // namespace

inline std::string_view tensor_layout::Memory::name() const DIPLOMAT_LIFETIME_BOUND {
    auto result = tensor_layout::capi::tl0_Memory_name(this->AsFFI());
    return std::string_view(result.data, result.len);
}

inline const tensor_layout::Level& tensor_layout::Memory::owner() const DIPLOMAT_LIFETIME_BOUND {
    auto result = tensor_layout::capi::tl0_Memory_owner(this->AsFFI());
    return *tensor_layout::Level::FromFFI(result);
}

inline uint64_t tensor_layout::Memory::group() const {
    auto result = tensor_layout::capi::tl0_Memory_group(this->AsFFI());
    return result;
}

inline std::optional<uint64_t> tensor_layout::Memory::capacity() const {
    auto result = tensor_layout::capi::tl0_Memory_capacity(this->AsFFI());
    return result.is_ok ? std::optional<uint64_t>(result.ok) : std::nullopt;
}

inline const tensor_layout::capi::Memory* tensor_layout::Memory::AsFFI() const {
    return reinterpret_cast<const tensor_layout::capi::Memory*>(this);
}

inline tensor_layout::capi::Memory* tensor_layout::Memory::AsFFI() {
    return reinterpret_cast<tensor_layout::capi::Memory*>(this);
}

inline const tensor_layout::Memory* tensor_layout::Memory::FromFFI(const tensor_layout::capi::Memory* ptr) {
    return reinterpret_cast<const tensor_layout::Memory*>(ptr);
}

inline tensor_layout::Memory* tensor_layout::Memory::FromFFI(tensor_layout::capi::Memory* ptr) {
    return reinterpret_cast<tensor_layout::Memory*>(ptr);
}

inline void tensor_layout::Memory::operator delete(void* ptr) {
    tensor_layout::capi::tl0_Memory_destroy(reinterpret_cast<tensor_layout::capi::Memory*>(ptr));
}

#endif // TENSOR_LAYOUT_Memory_HPP
