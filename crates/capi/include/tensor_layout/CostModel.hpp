#ifndef TENSOR_LAYOUT_CostModel_HPP
#define TENSOR_LAYOUT_CostModel_HPP

#include "CostModel.d.hpp"

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "Cost.hpp"
#include "Error.hpp"
#include "Level.hpp"
#include "Machine.hpp"
#include "Traffic.hpp"
#include "diplomat_runtime.hpp"

namespace tensor_layout {
namespace capi {
    extern "C" {

    typedef struct tl0_CostModel_new_result {union {tensor_layout::capi::CostModel* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_CostModel_new_result;
    tl0_CostModel_new_result tl0_CostModel_new(const tensor_layout::capi::Machine* machine, uint64_t element_bits);

    typedef struct tl0_CostModel_with_rates_result {union {tensor_layout::capi::CostModel* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_CostModel_with_rates_result;
    tl0_CostModel_with_rates_result tl0_CostModel_with_rates(const tensor_layout::capi::CostModel* self, const tensor_layout::capi::Level* level, uint64_t words_in, uint64_t steps_in, uint64_t words_out, uint64_t steps_out);

    typedef struct tl0_CostModel_with_latency_result {union {tensor_layout::capi::CostModel* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_CostModel_with_latency_result;
    tl0_CostModel_with_latency_result tl0_CostModel_with_latency(const tensor_layout::capi::CostModel* self, const tensor_layout::capi::Level* level, uint64_t steps);

    tensor_layout::capi::CostModel* tl0_CostModel_in_sequence(const tensor_layout::capi::CostModel* self);

    typedef struct tl0_CostModel_cost_result {union {tensor_layout::capi::Cost ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_CostModel_cost_result;
    tl0_CostModel_cost_result tl0_CostModel_cost(const tensor_layout::capi::CostModel* self, const tensor_layout::capi::Traffic* traffic);

    void tl0_CostModel_destroy(CostModel* self);

    } // extern "C"
} // namespace capi
} // namespace

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::CostModel>, std::unique_ptr<tensor_layout::Error>> tensor_layout::CostModel::of(const tensor_layout::Machine& machine, uint64_t element_bits) {
    auto result = tensor_layout::capi::tl0_CostModel_new(machine.AsFFI(),
        element_bits);
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::CostModel>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::CostModel>>(std::unique_ptr<tensor_layout::CostModel>(tensor_layout::CostModel::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::CostModel>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::CostModel>, std::unique_ptr<tensor_layout::Error>> tensor_layout::CostModel::with_rates(const tensor_layout::Level& level, uint64_t words_in, uint64_t steps_in, uint64_t words_out, uint64_t steps_out) const {
    auto result = tensor_layout::capi::tl0_CostModel_with_rates(this->AsFFI(),
        level.AsFFI(),
        words_in,
        steps_in,
        words_out,
        steps_out);
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::CostModel>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::CostModel>>(std::unique_ptr<tensor_layout::CostModel>(tensor_layout::CostModel::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::CostModel>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::CostModel>, std::unique_ptr<tensor_layout::Error>> tensor_layout::CostModel::with_latency(const tensor_layout::Level& level, uint64_t steps) const {
    auto result = tensor_layout::capi::tl0_CostModel_with_latency(this->AsFFI(),
        level.AsFFI(),
        steps);
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::CostModel>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::CostModel>>(std::unique_ptr<tensor_layout::CostModel>(tensor_layout::CostModel::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::CostModel>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline std::unique_ptr<tensor_layout::CostModel> tensor_layout::CostModel::in_sequence() const {
    auto result = tensor_layout::capi::tl0_CostModel_in_sequence(this->AsFFI());
    return std::unique_ptr<tensor_layout::CostModel>(tensor_layout::CostModel::FromFFI(result));
}

inline tensor_layout::diplomat::result<tensor_layout::Cost, std::unique_ptr<tensor_layout::Error>> tensor_layout::CostModel::cost(const tensor_layout::Traffic& traffic) const {
    auto result = tensor_layout::capi::tl0_CostModel_cost(this->AsFFI(),
        traffic.AsFFI());
    return result.is_ok ? tensor_layout::diplomat::result<tensor_layout::Cost, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<tensor_layout::Cost>(tensor_layout::Cost::FromFFI(result.ok))) : tensor_layout::diplomat::result<tensor_layout::Cost, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline const tensor_layout::capi::CostModel* tensor_layout::CostModel::AsFFI() const {
    return reinterpret_cast<const tensor_layout::capi::CostModel*>(this);
}

inline tensor_layout::capi::CostModel* tensor_layout::CostModel::AsFFI() {
    return reinterpret_cast<tensor_layout::capi::CostModel*>(this);
}

inline const tensor_layout::CostModel* tensor_layout::CostModel::FromFFI(const tensor_layout::capi::CostModel* ptr) {
    return reinterpret_cast<const tensor_layout::CostModel*>(ptr);
}

inline tensor_layout::CostModel* tensor_layout::CostModel::FromFFI(tensor_layout::capi::CostModel* ptr) {
    return reinterpret_cast<tensor_layout::CostModel*>(ptr);
}

inline void tensor_layout::CostModel::operator delete(void* ptr) {
    tensor_layout::capi::tl0_CostModel_destroy(reinterpret_cast<tensor_layout::capi::CostModel*>(ptr));
}

#endif // TENSOR_LAYOUT_CostModel_HPP
