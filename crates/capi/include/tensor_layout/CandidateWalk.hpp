#ifndef TENSOR_LAYOUT_CandidateWalk_HPP
#define TENSOR_LAYOUT_CandidateWalk_HPP

#include "CandidateWalk.d.hpp"

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "Candidate.hpp"
#include "Error.hpp"
#include "diplomat_runtime.hpp"

namespace tensor_layout {
namespace capi {
    extern "C" {

    typedef struct tl0_CandidateWalk_next_result {union {tensor_layout::capi::Candidate* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_CandidateWalk_next_result;
    tl0_CandidateWalk_next_result tl0_CandidateWalk_next(tensor_layout::capi::CandidateWalk* self);

    void tl0_CandidateWalk_destroy(CandidateWalk* self);

    } // extern "C"
} // namespace capi
} // namespace

inline tensor_layout::diplomat::result<tensor_layout::diplomat::maybe_null<std::unique_ptr<tensor_layout::Candidate>>, std::unique_ptr<tensor_layout::Error>> tensor_layout::CandidateWalk::next() {
    auto result = tensor_layout::capi::tl0_CandidateWalk_next(this->AsFFI());
    return result.is_ok ? tensor_layout::diplomat::result<tensor_layout::diplomat::maybe_null<std::unique_ptr<tensor_layout::Candidate>>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<tensor_layout::diplomat::maybe_null<std::unique_ptr<tensor_layout::Candidate>>>(std::unique_ptr<tensor_layout::Candidate>(tensor_layout::Candidate::FromFFI(result.ok)))) : tensor_layout::diplomat::result<tensor_layout::diplomat::maybe_null<std::unique_ptr<tensor_layout::Candidate>>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline const tensor_layout::capi::CandidateWalk* tensor_layout::CandidateWalk::AsFFI() const {
    return reinterpret_cast<const tensor_layout::capi::CandidateWalk*>(this);
}

inline tensor_layout::capi::CandidateWalk* tensor_layout::CandidateWalk::AsFFI() {
    return reinterpret_cast<tensor_layout::capi::CandidateWalk*>(this);
}

inline const tensor_layout::CandidateWalk* tensor_layout::CandidateWalk::FromFFI(const tensor_layout::capi::CandidateWalk* ptr) {
    return reinterpret_cast<const tensor_layout::CandidateWalk*>(ptr);
}

inline tensor_layout::CandidateWalk* tensor_layout::CandidateWalk::FromFFI(tensor_layout::capi::CandidateWalk* ptr) {
    return reinterpret_cast<tensor_layout::CandidateWalk*>(ptr);
}

inline void tensor_layout::CandidateWalk::operator delete(void* ptr) {
    tensor_layout::capi::tl0_CandidateWalk_destroy(reinterpret_cast<tensor_layout::capi::CandidateWalk*>(ptr));
}

#endif // TENSOR_LAYOUT_CandidateWalk_HPP
