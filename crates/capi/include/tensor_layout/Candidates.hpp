#ifndef TENSOR_LAYOUT_Candidates_HPP
#define TENSOR_LAYOUT_Candidates_HPP

#include "Candidates.d.hpp"

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "CandidateWalk.hpp"
#include "Error.hpp"
#include "Level.hpp"
#include "Machine.hpp"
#include "Memory.hpp"
#include "Side.hpp"
#include "diplomat_runtime.hpp"

namespace tensor_layout {
namespace capi {
    extern "C" {

    tensor_layout::capi::Candidates* tl0_Candidates_new(const tensor_layout::capi::Machine* machine, tensor_layout::diplomat::capi::DiplomatU64View shape);

    void tl0_Candidates_memory(tensor_layout::capi::Candidates* self, const tensor_layout::capi::Memory* memory);

    void tl0_Candidates_element_bits(tensor_layout::capi::Candidates* self, uint64_t bits);

    void tl0_Candidates_base(tensor_layout::capi::Candidates* self, uint64_t base);

    void tl0_Candidates_level_parts(tensor_layout::capi::Candidates* self, size_t most);

    void tl0_Candidates_side(tensor_layout::capi::Candidates* self, tensor_layout::capi::Side side);

    void tl0_Candidates_replicate(tensor_layout::capi::Candidates* self, bool replicate);

    void tl0_Candidates_alignment(tensor_layout::capi::Candidates* self, uint64_t words);

    void tl0_Candidates_capacity_words(tensor_layout::capi::Candidates* self, uint64_t words);

    void tl0_Candidates_padding_percent(tensor_layout::capi::Candidates* self, uint64_t percent);

    void tl0_Candidates_row_major(tensor_layout::capi::Candidates* self, bool only);

    void tl0_Candidates_tree_order(tensor_layout::capi::Candidates* self, bool only);

    void tl0_Candidates_never(tensor_layout::capi::Candidates* self, size_t axis, const tensor_layout::capi::Level* level);

    void tl0_Candidates_fixed(tensor_layout::capi::Candidates* self, size_t axis, tensor_layout::capi::DiplomatLevelView levels);

    void tl0_Candidates_levels(tensor_layout::capi::Candidates* self, tensor_layout::capi::DiplomatLevelView levels);

    void tl0_Candidates_without_copies_in(tensor_layout::capi::Candidates* self, tensor_layout::capi::DiplomatLevelView levels);

    void tl0_Candidates_time(tensor_layout::capi::Candidates* self, tensor_layout::diplomat::capi::DiplomatU64View slices);

    void tl0_Candidates_time_axes(tensor_layout::capi::Candidates* self, size_t most);

    void tl0_Candidates_contiguous(tensor_layout::capi::Candidates* self, size_t axis, uint64_t run);

    typedef struct tl0_Candidates_count_result {union {uint64_t ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Candidates_count_result;
    tl0_Candidates_count_result tl0_Candidates_count(const tensor_layout::capi::Candidates* self);

    typedef struct tl0_Candidates_walk_result {union {tensor_layout::capi::CandidateWalk* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Candidates_walk_result;
    tl0_Candidates_walk_result tl0_Candidates_walk(const tensor_layout::capi::Candidates* self);

    void tl0_Candidates_destroy(Candidates* self);

    } // extern "C"
} // namespace capi
} // namespace

inline std::unique_ptr<tensor_layout::Candidates> tensor_layout::Candidates::of(const tensor_layout::Machine& machine, tensor_layout::diplomat::span<const uint64_t> shape) {
    auto result = tensor_layout::capi::tl0_Candidates_new(machine.AsFFI(),
        {shape.data(), shape.size()});
    return std::unique_ptr<tensor_layout::Candidates>(tensor_layout::Candidates::FromFFI(result));
}

inline void tensor_layout::Candidates::memory(const tensor_layout::Memory& memory) {
    tensor_layout::capi::tl0_Candidates_memory(this->AsFFI(),
        memory.AsFFI());
}

inline void tensor_layout::Candidates::element_bits(uint64_t bits) {
    tensor_layout::capi::tl0_Candidates_element_bits(this->AsFFI(),
        bits);
}

inline void tensor_layout::Candidates::base(uint64_t base) {
    tensor_layout::capi::tl0_Candidates_base(this->AsFFI(),
        base);
}

inline void tensor_layout::Candidates::level_parts(size_t most) {
    tensor_layout::capi::tl0_Candidates_level_parts(this->AsFFI(),
        most);
}

inline void tensor_layout::Candidates::side(tensor_layout::Side side) {
    tensor_layout::capi::tl0_Candidates_side(this->AsFFI(),
        side.AsFFI());
}

inline void tensor_layout::Candidates::replicate(bool replicate) {
    tensor_layout::capi::tl0_Candidates_replicate(this->AsFFI(),
        replicate);
}

inline void tensor_layout::Candidates::alignment(uint64_t words) {
    tensor_layout::capi::tl0_Candidates_alignment(this->AsFFI(),
        words);
}

inline void tensor_layout::Candidates::capacity_words(uint64_t words) {
    tensor_layout::capi::tl0_Candidates_capacity_words(this->AsFFI(),
        words);
}

inline void tensor_layout::Candidates::padding_percent(uint64_t percent) {
    tensor_layout::capi::tl0_Candidates_padding_percent(this->AsFFI(),
        percent);
}

inline void tensor_layout::Candidates::row_major(bool only) {
    tensor_layout::capi::tl0_Candidates_row_major(this->AsFFI(),
        only);
}

inline void tensor_layout::Candidates::tree_order(bool only) {
    tensor_layout::capi::tl0_Candidates_tree_order(this->AsFFI(),
        only);
}

inline void tensor_layout::Candidates::never(size_t axis, const tensor_layout::Level& level) {
    tensor_layout::capi::tl0_Candidates_never(this->AsFFI(),
        axis,
        level.AsFFI());
}

inline void tensor_layout::Candidates::fixed(size_t axis, tensor_layout::diplomat::span<const tensor_layout::Level*> levels) {
    tensor_layout::capi::tl0_Candidates_fixed(this->AsFFI(),
        axis,
        {reinterpret_cast<const tensor_layout::capi::Level**>(levels.data()), levels.size()});
}

inline void tensor_layout::Candidates::levels(tensor_layout::diplomat::span<const tensor_layout::Level*> levels) {
    tensor_layout::capi::tl0_Candidates_levels(this->AsFFI(),
        {reinterpret_cast<const tensor_layout::capi::Level**>(levels.data()), levels.size()});
}

inline void tensor_layout::Candidates::without_copies_in(tensor_layout::diplomat::span<const tensor_layout::Level*> levels) {
    tensor_layout::capi::tl0_Candidates_without_copies_in(this->AsFFI(),
        {reinterpret_cast<const tensor_layout::capi::Level**>(levels.data()), levels.size()});
}

inline void tensor_layout::Candidates::time(tensor_layout::diplomat::span<const uint64_t> slices) {
    tensor_layout::capi::tl0_Candidates_time(this->AsFFI(),
        {slices.data(), slices.size()});
}

inline void tensor_layout::Candidates::time_axes(size_t most) {
    tensor_layout::capi::tl0_Candidates_time_axes(this->AsFFI(),
        most);
}

inline void tensor_layout::Candidates::contiguous(size_t axis, uint64_t run) {
    tensor_layout::capi::tl0_Candidates_contiguous(this->AsFFI(),
        axis,
        run);
}

inline tensor_layout::diplomat::result<uint64_t, std::unique_ptr<tensor_layout::Error>> tensor_layout::Candidates::count() const {
    auto result = tensor_layout::capi::tl0_Candidates_count(this->AsFFI());
    return result.is_ok ? tensor_layout::diplomat::result<uint64_t, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<uint64_t>(result.ok)) : tensor_layout::diplomat::result<uint64_t, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::CandidateWalk>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Candidates::walk() const {
    auto result = tensor_layout::capi::tl0_Candidates_walk(this->AsFFI());
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::CandidateWalk>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::CandidateWalk>>(std::unique_ptr<tensor_layout::CandidateWalk>(tensor_layout::CandidateWalk::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::CandidateWalk>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline const tensor_layout::capi::Candidates* tensor_layout::Candidates::AsFFI() const {
    return reinterpret_cast<const tensor_layout::capi::Candidates*>(this);
}

inline tensor_layout::capi::Candidates* tensor_layout::Candidates::AsFFI() {
    return reinterpret_cast<tensor_layout::capi::Candidates*>(this);
}

inline const tensor_layout::Candidates* tensor_layout::Candidates::FromFFI(const tensor_layout::capi::Candidates* ptr) {
    return reinterpret_cast<const tensor_layout::Candidates*>(ptr);
}

inline tensor_layout::Candidates* tensor_layout::Candidates::FromFFI(tensor_layout::capi::Candidates* ptr) {
    return reinterpret_cast<tensor_layout::Candidates*>(ptr);
}

inline void tensor_layout::Candidates::operator delete(void* ptr) {
    tensor_layout::capi::tl0_Candidates_destroy(reinterpret_cast<tensor_layout::capi::Candidates*>(ptr));
}

#endif // TENSOR_LAYOUT_Candidates_HPP
