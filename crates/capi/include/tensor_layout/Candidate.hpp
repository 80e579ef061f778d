#ifndef TENSOR_LAYOUT_Candidate_HPP
#define TENSOR_LAYOUT_Candidate_HPP

#include "Candidate.d.hpp"

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "Error.hpp"
#include "Layout.hpp"
#include "Placement.hpp"
#include "diplomat_runtime.hpp"

namespace tensor_layout {
namespace capi {
    extern "C" {

    tensor_layout::capi::Layout* tl0_Candidate_layout(const tensor_layout::capi::Candidate* self);

    typedef struct tl0_Candidate_placement_result {union {tensor_layout::capi::Placement* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Candidate_placement_result;
    tl0_Candidate_placement_result tl0_Candidate_placement(const tensor_layout::capi::Candidate* self);

    uint64_t tl0_Candidate_footprint_words(const tensor_layout::capi::Candidate* self);

    uint64_t tl0_Candidate_slots(const tensor_layout::capi::Candidate* self);

    uint64_t tl0_Candidate_pads(const tensor_layout::capi::Candidate* self);

    uint64_t tl0_Candidate_units_used(const tensor_layout::capi::Candidate* self);

    void tl0_Candidate_destroy(Candidate* self);

    } // extern "C"
} // namespace capi
} // namespace

inline std::unique_ptr<tensor_layout::Layout> tensor_layout::Candidate::layout() const {
    auto result = tensor_layout::capi::tl0_Candidate_layout(this->AsFFI());
    return std::unique_ptr<tensor_layout::Layout>(tensor_layout::Layout::FromFFI(result));
}

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Placement>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Candidate::placement() const {
    auto result = tensor_layout::capi::tl0_Candidate_placement(this->AsFFI());
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Placement>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Placement>>(std::unique_ptr<tensor_layout::Placement>(tensor_layout::Placement::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Placement>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline uint64_t tensor_layout::Candidate::footprint_words() const {
    auto result = tensor_layout::capi::tl0_Candidate_footprint_words(this->AsFFI());
    return result;
}

inline uint64_t tensor_layout::Candidate::slots() const {
    auto result = tensor_layout::capi::tl0_Candidate_slots(this->AsFFI());
    return result;
}

inline uint64_t tensor_layout::Candidate::pads() const {
    auto result = tensor_layout::capi::tl0_Candidate_pads(this->AsFFI());
    return result;
}

inline uint64_t tensor_layout::Candidate::units_used() const {
    auto result = tensor_layout::capi::tl0_Candidate_units_used(this->AsFFI());
    return result;
}

inline const tensor_layout::capi::Candidate* tensor_layout::Candidate::AsFFI() const {
    return reinterpret_cast<const tensor_layout::capi::Candidate*>(this);
}

inline tensor_layout::capi::Candidate* tensor_layout::Candidate::AsFFI() {
    return reinterpret_cast<tensor_layout::capi::Candidate*>(this);
}

inline const tensor_layout::Candidate* tensor_layout::Candidate::FromFFI(const tensor_layout::capi::Candidate* ptr) {
    return reinterpret_cast<const tensor_layout::Candidate*>(ptr);
}

inline tensor_layout::Candidate* tensor_layout::Candidate::FromFFI(tensor_layout::capi::Candidate* ptr) {
    return reinterpret_cast<tensor_layout::Candidate*>(ptr);
}

inline void tensor_layout::Candidate::operator delete(void* ptr) {
    tensor_layout::capi::tl0_Candidate_destroy(reinterpret_cast<tensor_layout::capi::Candidate*>(ptr));
}

#endif // TENSOR_LAYOUT_Candidate_HPP
