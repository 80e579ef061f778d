#ifndef TENSOR_LAYOUT_Route_HPP
#define TENSOR_LAYOUT_Route_HPP

#include "Route.d.hpp"

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "Error.hpp"
#include "HopCost.hpp"
#include "Placement.hpp"
#include "diplomat_runtime.hpp"

namespace tensor_layout {
namespace capi {
    extern "C" {

    typedef struct tl0_Route_between_result {union {tensor_layout::capi::Route* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Route_between_result;
    tl0_Route_between_result tl0_Route_between(const tensor_layout::capi::Placement* source, const tensor_layout::capi::Placement* target);

    typedef struct tl0_Route_within_result {union {tensor_layout::capi::Route* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Route_within_result;
    tl0_Route_within_result tl0_Route_within(const tensor_layout::capi::Placement* source, const tensor_layout::capi::Placement* target, size_t trials);

    size_t tl0_Route_hop_count(const tensor_layout::capi::Route* self);

    uint64_t tl0_Route_cycles(const tensor_layout::capi::Route* self);

    bool tl0_Route_cycles_are_known(const tensor_layout::capi::Route* self);

    typedef struct tl0_Route_movement_result {union {tensor_layout::diplomat::capi::DiplomatStringView ok; }; bool is_ok;} tl0_Route_movement_result;
    tl0_Route_movement_result tl0_Route_movement(const tensor_layout::capi::Route* self, size_t at);

    tensor_layout::capi::Placement* tl0_Route_target(const tensor_layout::capi::Route* self, size_t at);

    typedef struct tl0_Route_hop_cost_result {union {tensor_layout::capi::HopCost ok; }; bool is_ok;} tl0_Route_hop_cost_result;
    tl0_Route_hop_cost_result tl0_Route_hop_cost(const tensor_layout::capi::Route* self, size_t at);

    void tl0_Route_destroy(Route* self);

    } // extern "C"
} // namespace capi
} // namespace

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Route>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Route::between(const tensor_layout::Placement& source, const tensor_layout::Placement& target) {
    auto result = tensor_layout::capi::tl0_Route_between(source.AsFFI(),
        target.AsFFI());
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Route>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Route>>(std::unique_ptr<tensor_layout::Route>(tensor_layout::Route::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Route>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Route>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Route::within(const tensor_layout::Placement& source, const tensor_layout::Placement& target, size_t trials) {
    auto result = tensor_layout::capi::tl0_Route_within(source.AsFFI(),
        target.AsFFI(),
        trials);
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Route>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Route>>(std::unique_ptr<tensor_layout::Route>(tensor_layout::Route::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Route>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline size_t tensor_layout::Route::hop_count() const {
    auto result = tensor_layout::capi::tl0_Route_hop_count(this->AsFFI());
    return result;
}

inline uint64_t tensor_layout::Route::cycles() const {
    auto result = tensor_layout::capi::tl0_Route_cycles(this->AsFFI());
    return result;
}

inline bool tensor_layout::Route::cycles_are_known() const {
    auto result = tensor_layout::capi::tl0_Route_cycles_are_known(this->AsFFI());
    return result;
}

inline std::optional<std::string_view> tensor_layout::Route::movement(size_t at) const DIPLOMAT_LIFETIME_BOUND {
    auto result = tensor_layout::capi::tl0_Route_movement(this->AsFFI(),
        at);
    return result.is_ok ? std::optional<std::string_view>(std::string_view(result.ok.data, result.ok.len)) : std::nullopt;
}

inline tensor_layout::diplomat::maybe_null<std::unique_ptr<tensor_layout::Placement>> tensor_layout::Route::target(size_t at) const {
    auto result = tensor_layout::capi::tl0_Route_target(this->AsFFI(),
        at);
    return std::unique_ptr<tensor_layout::Placement>(tensor_layout::Placement::FromFFI(result));
}

inline std::optional<tensor_layout::HopCost> tensor_layout::Route::hop_cost(size_t at) const {
    auto result = tensor_layout::capi::tl0_Route_hop_cost(this->AsFFI(),
        at);
    return result.is_ok ? std::optional<tensor_layout::HopCost>(tensor_layout::HopCost::FromFFI(result.ok)) : std::nullopt;
}

inline const tensor_layout::capi::Route* tensor_layout::Route::AsFFI() const {
    return reinterpret_cast<const tensor_layout::capi::Route*>(this);
}

inline tensor_layout::capi::Route* tensor_layout::Route::AsFFI() {
    return reinterpret_cast<tensor_layout::capi::Route*>(this);
}

inline const tensor_layout::Route* tensor_layout::Route::FromFFI(const tensor_layout::capi::Route* ptr) {
    return reinterpret_cast<const tensor_layout::Route*>(ptr);
}

inline tensor_layout::Route* tensor_layout::Route::FromFFI(tensor_layout::capi::Route* ptr) {
    return reinterpret_cast<tensor_layout::Route*>(ptr);
}

inline void tensor_layout::Route::operator delete(void* ptr) {
    tensor_layout::capi::tl0_Route_destroy(reinterpret_cast<tensor_layout::capi::Route*>(ptr));
}

#endif // TENSOR_LAYOUT_Route_HPP
