#ifndef TENSOR_LAYOUT_Traffic_HPP
#define TENSOR_LAYOUT_Traffic_HPP

#include "Traffic.d.hpp"

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
#include "LevelTraffic.hpp"
#include "Placement.hpp"
#include "diplomat_runtime.hpp"

namespace tensor_layout {
namespace capi {
    extern "C" {

    typedef struct tl0_Traffic_between_result {union {tensor_layout::capi::Traffic* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Traffic_between_result;
    tl0_Traffic_between_result tl0_Traffic_between(const tensor_layout::capi::Placement* source, const tensor_layout::capi::Placement* target);

    uint64_t tl0_Traffic_elements(const tensor_layout::capi::Traffic* self);

    uint64_t tl0_Traffic_copies(const tensor_layout::capi::Traffic* self);

    uint64_t tl0_Traffic_in_place(const tensor_layout::capi::Traffic* self);

    uint64_t tl0_Traffic_within_memories(const tensor_layout::capi::Traffic* self);

    uint64_t tl0_Traffic_between_memories(const tensor_layout::capi::Traffic* self);

    uint64_t tl0_Traffic_across(const tensor_layout::capi::Traffic* self, const tensor_layout::capi::Level* level);

    typedef struct tl0_Traffic_moved_result {union {uint64_t ok; }; bool is_ok;} tl0_Traffic_moved_result;
    tl0_Traffic_moved_result tl0_Traffic_moved(const tensor_layout::capi::Traffic* self);

    size_t tl0_Traffic_level_count(const tensor_layout::capi::Traffic* self);

    const tensor_layout::capi::Level* tl0_Traffic_level(const tensor_layout::capi::Traffic* self, size_t at);

    typedef struct tl0_Traffic_level_traffic_result {union {tensor_layout::capi::LevelTraffic ok; }; bool is_ok;} tl0_Traffic_level_traffic_result;
    tl0_Traffic_level_traffic_result tl0_Traffic_level_traffic(const tensor_layout::capi::Traffic* self, size_t at);

    void tl0_Traffic_destroy(Traffic* self);

    } // extern "C"
} // namespace capi
} // namespace

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Traffic>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Traffic::between(const tensor_layout::Placement& source, const tensor_layout::Placement& target) {
    auto result = tensor_layout::capi::tl0_Traffic_between(source.AsFFI(),
        target.AsFFI());
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Traffic>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Traffic>>(std::unique_ptr<tensor_layout::Traffic>(tensor_layout::Traffic::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Traffic>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline uint64_t tensor_layout::Traffic::elements() const {
    auto result = tensor_layout::capi::tl0_Traffic_elements(this->AsFFI());
    return result;
}

inline uint64_t tensor_layout::Traffic::copies() const {
    auto result = tensor_layout::capi::tl0_Traffic_copies(this->AsFFI());
    return result;
}

inline uint64_t tensor_layout::Traffic::in_place() const {
    auto result = tensor_layout::capi::tl0_Traffic_in_place(this->AsFFI());
    return result;
}

inline uint64_t tensor_layout::Traffic::within_memories() const {
    auto result = tensor_layout::capi::tl0_Traffic_within_memories(this->AsFFI());
    return result;
}

inline uint64_t tensor_layout::Traffic::between_memories() const {
    auto result = tensor_layout::capi::tl0_Traffic_between_memories(this->AsFFI());
    return result;
}

inline uint64_t tensor_layout::Traffic::across(const tensor_layout::Level& level) const {
    auto result = tensor_layout::capi::tl0_Traffic_across(this->AsFFI(),
        level.AsFFI());
    return result;
}

inline std::optional<uint64_t> tensor_layout::Traffic::moved() const {
    auto result = tensor_layout::capi::tl0_Traffic_moved(this->AsFFI());
    return result.is_ok ? std::optional<uint64_t>(result.ok) : std::nullopt;
}

inline size_t tensor_layout::Traffic::level_count() const {
    auto result = tensor_layout::capi::tl0_Traffic_level_count(this->AsFFI());
    return result;
}

inline tensor_layout::diplomat::maybe_null<const tensor_layout::Level*> tensor_layout::Traffic::level(size_t at) const DIPLOMAT_LIFETIME_BOUND {
    auto result = tensor_layout::capi::tl0_Traffic_level(this->AsFFI(),
        at);
    return tensor_layout::Level::FromFFI(result);
}

inline std::optional<tensor_layout::LevelTraffic> tensor_layout::Traffic::level_traffic(size_t at) const {
    auto result = tensor_layout::capi::tl0_Traffic_level_traffic(this->AsFFI(),
        at);
    return result.is_ok ? std::optional<tensor_layout::LevelTraffic>(tensor_layout::LevelTraffic::FromFFI(result.ok)) : std::nullopt;
}

inline const tensor_layout::capi::Traffic* tensor_layout::Traffic::AsFFI() const {
    return reinterpret_cast<const tensor_layout::capi::Traffic*>(this);
}

inline tensor_layout::capi::Traffic* tensor_layout::Traffic::AsFFI() {
    return reinterpret_cast<tensor_layout::capi::Traffic*>(this);
}

inline const tensor_layout::Traffic* tensor_layout::Traffic::FromFFI(const tensor_layout::capi::Traffic* ptr) {
    return reinterpret_cast<const tensor_layout::Traffic*>(ptr);
}

inline tensor_layout::Traffic* tensor_layout::Traffic::FromFFI(tensor_layout::capi::Traffic* ptr) {
    return reinterpret_cast<tensor_layout::Traffic*>(ptr);
}

inline void tensor_layout::Traffic::operator delete(void* ptr) {
    tensor_layout::capi::tl0_Traffic_destroy(reinterpret_cast<tensor_layout::capi::Traffic*>(ptr));
}

#endif // TENSOR_LAYOUT_Traffic_HPP
