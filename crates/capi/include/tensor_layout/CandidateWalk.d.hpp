#ifndef TENSOR_LAYOUT_CandidateWalk_D_HPP
#define TENSOR_LAYOUT_CandidateWalk_D_HPP

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "diplomat_runtime.hpp"
namespace tensor_layout {
namespace capi { struct Candidate; }
class Candidate;
namespace capi { struct Error; }
class Error;
} // namespace tensor_layout

namespace tensor_layout {
namespace capi {
    struct CandidateWalk;
} // namespace capi
} // namespace

namespace tensor_layout {
/**
 * A walk through the candidates, for one thread at a time.
 */
class CandidateWalk {
public:

  /**
   * The next candidate; null after the last. Cost: under 2 us where few choices are dead ends.
   */
  inline tensor_layout::diplomat::result<tensor_layout::diplomat::maybe_null<std::unique_ptr<tensor_layout::Candidate>>, std::unique_ptr<tensor_layout::Error>> next();

    inline const tensor_layout::capi::CandidateWalk* AsFFI() const;
    inline tensor_layout::capi::CandidateWalk* AsFFI();
    inline static const tensor_layout::CandidateWalk* FromFFI(const tensor_layout::capi::CandidateWalk* ptr);
    inline static tensor_layout::CandidateWalk* FromFFI(tensor_layout::capi::CandidateWalk* ptr);
    inline static void operator delete(void* ptr);
private:
    CandidateWalk() = delete;
    CandidateWalk(const tensor_layout::CandidateWalk&) = delete;
    CandidateWalk(tensor_layout::CandidateWalk&&) noexcept = delete;
    CandidateWalk operator=(const tensor_layout::CandidateWalk&) = delete;
    CandidateWalk operator=(tensor_layout::CandidateWalk&&) noexcept = delete;
    static void operator delete[](void*, size_t) = delete;
};

} // namespace
#endif // TENSOR_LAYOUT_CandidateWalk_D_HPP
