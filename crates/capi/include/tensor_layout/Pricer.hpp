#ifndef TENSOR_LAYOUT_Pricer_HPP
#define TENSOR_LAYOUT_Pricer_HPP

#include "Pricer.d.hpp"

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "Cost.hpp"
#include "CostModel.hpp"
#include "Error.hpp"
#include "Placement.hpp"
#include "PricerStatistics.hpp"
#include "diplomat_runtime.hpp"

namespace tensor_layout {
namespace capi {
    extern "C" {

    tensor_layout::capi::Pricer* tl0_Pricer_new(const tensor_layout::capi::CostModel* model);

    tensor_layout::capi::Pricer* tl0_Pricer_with_prices(const tensor_layout::capi::CostModel* model, tensor_layout::diplomat::capi::OptionU64 most_answers, tensor_layout::diplomat::capi::OptionU64 price_of_lanes, tensor_layout::diplomat::capi::OptionU64 price_of_addresses);

    typedef struct tl0_Pricer_part_result {union {uint64_t ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Pricer_part_result;
    tl0_Pricer_part_result tl0_Pricer_part(const tensor_layout::capi::Pricer* self, const tensor_layout::capi::Placement* placement);

    typedef struct tl0_Pricer_cost_result {union {tensor_layout::capi::Cost ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Pricer_cost_result;
    tl0_Pricer_cost_result tl0_Pricer_cost(const tensor_layout::capi::Pricer* self, uint64_t source, uint64_t target);

    typedef struct tl0_Pricer_busiest_cost_result {union {tensor_layout::capi::Cost ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Pricer_busiest_cost_result;
    tl0_Pricer_busiest_cost_result tl0_Pricer_busiest_cost(const tensor_layout::capi::Pricer* self, uint64_t source, uint64_t target);

    tensor_layout::capi::PricerStatistics tl0_Pricer_statistics(const tensor_layout::capi::Pricer* self);

    void tl0_Pricer_destroy(Pricer* self);

    } // extern "C"
} // namespace capi
} // namespace

inline std::unique_ptr<tensor_layout::Pricer> tensor_layout::Pricer::of(const tensor_layout::CostModel& model) {
    auto result = tensor_layout::capi::tl0_Pricer_new(model.AsFFI());
    return std::unique_ptr<tensor_layout::Pricer>(tensor_layout::Pricer::FromFFI(result));
}

inline std::unique_ptr<tensor_layout::Pricer> tensor_layout::Pricer::with_prices(const tensor_layout::CostModel& model, std::optional<uint64_t> most_answers, std::optional<uint64_t> price_of_lanes, std::optional<uint64_t> price_of_addresses) {
    auto result = tensor_layout::capi::tl0_Pricer_with_prices(model.AsFFI(),
        most_answers.has_value() ? (tensor_layout::diplomat::capi::OptionU64{ { most_answers.value() }, true }) : (tensor_layout::diplomat::capi::OptionU64{ {}, false }),
        price_of_lanes.has_value() ? (tensor_layout::diplomat::capi::OptionU64{ { price_of_lanes.value() }, true }) : (tensor_layout::diplomat::capi::OptionU64{ {}, false }),
        price_of_addresses.has_value() ? (tensor_layout::diplomat::capi::OptionU64{ { price_of_addresses.value() }, true }) : (tensor_layout::diplomat::capi::OptionU64{ {}, false }));
    return std::unique_ptr<tensor_layout::Pricer>(tensor_layout::Pricer::FromFFI(result));
}

inline tensor_layout::diplomat::result<uint64_t, std::unique_ptr<tensor_layout::Error>> tensor_layout::Pricer::part(const tensor_layout::Placement& placement) const {
    auto result = tensor_layout::capi::tl0_Pricer_part(this->AsFFI(),
        placement.AsFFI());
    return result.is_ok ? tensor_layout::diplomat::result<uint64_t, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<uint64_t>(result.ok)) : tensor_layout::diplomat::result<uint64_t, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<tensor_layout::Cost, std::unique_ptr<tensor_layout::Error>> tensor_layout::Pricer::cost(uint64_t source, uint64_t target) const {
    auto result = tensor_layout::capi::tl0_Pricer_cost(this->AsFFI(),
        source,
        target);
    return result.is_ok ? tensor_layout::diplomat::result<tensor_layout::Cost, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<tensor_layout::Cost>(tensor_layout::Cost::FromFFI(result.ok))) : tensor_layout::diplomat::result<tensor_layout::Cost, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<tensor_layout::Cost, std::unique_ptr<tensor_layout::Error>> tensor_layout::Pricer::busiest_cost(uint64_t source, uint64_t target) const {
    auto result = tensor_layout::capi::tl0_Pricer_busiest_cost(this->AsFFI(),
        source,
        target);
    return result.is_ok ? tensor_layout::diplomat::result<tensor_layout::Cost, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<tensor_layout::Cost>(tensor_layout::Cost::FromFFI(result.ok))) : tensor_layout::diplomat::result<tensor_layout::Cost, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::PricerStatistics tensor_layout::Pricer::statistics() const {
    auto result = tensor_layout::capi::tl0_Pricer_statistics(this->AsFFI());
    return tensor_layout::PricerStatistics::FromFFI(result);
}

inline const tensor_layout::capi::Pricer* tensor_layout::Pricer::AsFFI() const {
    return reinterpret_cast<const tensor_layout::capi::Pricer*>(this);
}

inline tensor_layout::capi::Pricer* tensor_layout::Pricer::AsFFI() {
    return reinterpret_cast<tensor_layout::capi::Pricer*>(this);
}

inline const tensor_layout::Pricer* tensor_layout::Pricer::FromFFI(const tensor_layout::capi::Pricer* ptr) {
    return reinterpret_cast<const tensor_layout::Pricer*>(ptr);
}

inline tensor_layout::Pricer* tensor_layout::Pricer::FromFFI(tensor_layout::capi::Pricer* ptr) {
    return reinterpret_cast<tensor_layout::Pricer*>(ptr);
}

inline void tensor_layout::Pricer::operator delete(void* ptr) {
    tensor_layout::capi::tl0_Pricer_destroy(reinterpret_cast<tensor_layout::capi::Pricer*>(ptr));
}

#endif // TENSOR_LAYOUT_Pricer_HPP
