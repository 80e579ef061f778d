#ifndef TENSOR_LAYOUT_Machine_HPP
#define TENSOR_LAYOUT_Machine_HPP

#include "Machine.d.hpp"

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "Error.hpp"
#include "Level.hpp"
#include "Memory.hpp"
#include "diplomat_runtime.hpp"

namespace tensor_layout {
namespace capi {
    extern "C" {

    typedef struct tl0_Machine_parse_result {union {tensor_layout::capi::Machine* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Machine_parse_result;
    tl0_Machine_parse_result tl0_Machine_parse(tensor_layout::diplomat::capi::DiplomatStringView text);

    typedef struct tl0_Machine_from_toml_result {union {tensor_layout::capi::Machine* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Machine_from_toml_result;
    tl0_Machine_from_toml_result tl0_Machine_from_toml(tensor_layout::diplomat::capi::DiplomatStringView toml);

    tensor_layout::capi::Machine* tl0_Machine_clone(const tensor_layout::capi::Machine* self);

    typedef struct tl0_Machine_with_bandwidth_result {union {tensor_layout::capi::Machine* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Machine_with_bandwidth_result;
    tl0_Machine_with_bandwidth_result tl0_Machine_with_bandwidth(const tensor_layout::capi::Machine* self, const tensor_layout::capi::Level* level, uint64_t words);

    tensor_layout::diplomat::capi::DiplomatStringView tl0_Machine_name(const tensor_layout::capi::Machine* self);

    bool tl0_Machine_equals(const tensor_layout::capi::Machine* self, const tensor_layout::capi::Machine* other);

    uint64_t tl0_Machine_units(const tensor_layout::capi::Machine* self);

    uint64_t tl0_Machine_word_bits(const tensor_layout::capi::Machine* self);

    size_t tl0_Machine_level_count(const tensor_layout::capi::Machine* self);

    const tensor_layout::capi::Level* tl0_Machine_level(const tensor_layout::capi::Machine* self, size_t at);

    typedef struct tl0_Machine_level_size_result {union {uint64_t ok; }; bool is_ok;} tl0_Machine_level_size_result;
    tl0_Machine_level_size_result tl0_Machine_level_size(const tensor_layout::capi::Machine* self, const tensor_layout::capi::Level* level);

    size_t tl0_Machine_memory_count(const tensor_layout::capi::Machine* self);

    const tensor_layout::capi::Memory* tl0_Machine_memory(const tensor_layout::capi::Machine* self, size_t at);

    const tensor_layout::capi::Memory* tl0_Machine_memory_named(const tensor_layout::capi::Machine* self, tensor_layout::diplomat::capi::DiplomatStringView name);

    void tl0_Machine_destroy(Machine* self);

    } // extern "C"
} // namespace capi
} // namespace

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Machine>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Machine::parse(std::string_view text) {
    auto result = tensor_layout::capi::tl0_Machine_parse({text.data(), text.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Machine>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Machine>>(std::unique_ptr<tensor_layout::Machine>(tensor_layout::Machine::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Machine>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Machine>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Machine::from_toml(std::string_view toml) {
    auto result = tensor_layout::capi::tl0_Machine_from_toml({toml.data(), toml.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Machine>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Machine>>(std::unique_ptr<tensor_layout::Machine>(tensor_layout::Machine::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Machine>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline std::unique_ptr<tensor_layout::Machine> tensor_layout::Machine::clone() const {
    auto result = tensor_layout::capi::tl0_Machine_clone(this->AsFFI());
    return std::unique_ptr<tensor_layout::Machine>(tensor_layout::Machine::FromFFI(result));
}

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Machine>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Machine::with_bandwidth(const tensor_layout::Level& level, uint64_t words) const {
    auto result = tensor_layout::capi::tl0_Machine_with_bandwidth(this->AsFFI(),
        level.AsFFI(),
        words);
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Machine>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Machine>>(std::unique_ptr<tensor_layout::Machine>(tensor_layout::Machine::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Machine>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline std::string_view tensor_layout::Machine::name() const DIPLOMAT_LIFETIME_BOUND {
    auto result = tensor_layout::capi::tl0_Machine_name(this->AsFFI());
    return std::string_view(result.data, result.len);
}

inline bool tensor_layout::Machine::equals(const tensor_layout::Machine& other) const {
    auto result = tensor_layout::capi::tl0_Machine_equals(this->AsFFI(),
        other.AsFFI());
    return result;
}

inline uint64_t tensor_layout::Machine::units() const {
    auto result = tensor_layout::capi::tl0_Machine_units(this->AsFFI());
    return result;
}

inline uint64_t tensor_layout::Machine::word_bits() const {
    auto result = tensor_layout::capi::tl0_Machine_word_bits(this->AsFFI());
    return result;
}

inline size_t tensor_layout::Machine::level_count() const {
    auto result = tensor_layout::capi::tl0_Machine_level_count(this->AsFFI());
    return result;
}

inline tensor_layout::diplomat::maybe_null<const tensor_layout::Level*> tensor_layout::Machine::level(size_t at) const DIPLOMAT_LIFETIME_BOUND {
    auto result = tensor_layout::capi::tl0_Machine_level(this->AsFFI(),
        at);
    return tensor_layout::Level::FromFFI(result);
}

inline std::optional<uint64_t> tensor_layout::Machine::level_size(const tensor_layout::Level& level) const {
    auto result = tensor_layout::capi::tl0_Machine_level_size(this->AsFFI(),
        level.AsFFI());
    return result.is_ok ? std::optional<uint64_t>(result.ok) : std::nullopt;
}

inline size_t tensor_layout::Machine::memory_count() const {
    auto result = tensor_layout::capi::tl0_Machine_memory_count(this->AsFFI());
    return result;
}

inline tensor_layout::diplomat::maybe_null<const tensor_layout::Memory*> tensor_layout::Machine::memory(size_t at) const DIPLOMAT_LIFETIME_BOUND {
    auto result = tensor_layout::capi::tl0_Machine_memory(this->AsFFI(),
        at);
    return tensor_layout::Memory::FromFFI(result);
}

inline tensor_layout::diplomat::maybe_null<const tensor_layout::Memory*> tensor_layout::Machine::memory_named(std::string_view name) const DIPLOMAT_LIFETIME_BOUND {
    auto result = tensor_layout::capi::tl0_Machine_memory_named(this->AsFFI(),
        {name.data(), name.size()});
    return tensor_layout::Memory::FromFFI(result);
}

inline const tensor_layout::capi::Machine* tensor_layout::Machine::AsFFI() const {
    return reinterpret_cast<const tensor_layout::capi::Machine*>(this);
}

inline tensor_layout::capi::Machine* tensor_layout::Machine::AsFFI() {
    return reinterpret_cast<tensor_layout::capi::Machine*>(this);
}

inline const tensor_layout::Machine* tensor_layout::Machine::FromFFI(const tensor_layout::capi::Machine* ptr) {
    return reinterpret_cast<const tensor_layout::Machine*>(ptr);
}

inline tensor_layout::Machine* tensor_layout::Machine::FromFFI(tensor_layout::capi::Machine* ptr) {
    return reinterpret_cast<tensor_layout::Machine*>(ptr);
}

inline void tensor_layout::Machine::operator delete(void* ptr) {
    tensor_layout::capi::tl0_Machine_destroy(reinterpret_cast<tensor_layout::capi::Machine*>(ptr));
}

#endif // TENSOR_LAYOUT_Machine_HPP
