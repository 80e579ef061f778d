#ifndef TENSOR_LAYOUT_Placement_HPP
#define TENSOR_LAYOUT_Placement_HPP

#include "Placement.d.hpp"

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "Content.hpp"
#include "Error.hpp"
#include "Layout.hpp"
#include "Level.hpp"
#include "Machine.hpp"
#include "Memory.hpp"
#include "diplomat_runtime.hpp"

namespace tensor_layout {
namespace capi {
    extern "C" {

    typedef struct tl0_Placement_of_result {union {tensor_layout::capi::Placement* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Placement_of_result;
    tl0_Placement_of_result tl0_Placement_of(const tensor_layout::capi::Layout* layout);

    typedef struct tl0_Placement_on_result {union {tensor_layout::capi::Placement* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Placement_on_result;
    tl0_Placement_on_result tl0_Placement_on(const tensor_layout::capi::Layout* layout, const tensor_layout::capi::Machine* machine, const tensor_layout::capi::Memory* memory, uint64_t element_bits, uint64_t base);

    tensor_layout::capi::Placement* tl0_Placement_clone(const tensor_layout::capi::Placement* self);

    tensor_layout::capi::Layout* tl0_Placement_layout(const tensor_layout::capi::Placement* self);

    bool tl0_Placement_equals(const tensor_layout::capi::Placement* self, const tensor_layout::capi::Placement* other);

    size_t tl0_Placement_rank(const tensor_layout::capi::Placement* self);

    size_t tl0_Placement_column_count(const tensor_layout::capi::Placement* self);

    const tensor_layout::capi::Level* tl0_Placement_column(const tensor_layout::capi::Placement* self, size_t at);

    typedef struct tl0_Placement_size_result {union {uint64_t ok; }; bool is_ok;} tl0_Placement_size_result;
    tl0_Placement_size_result tl0_Placement_size(const tensor_layout::capi::Placement* self, const tensor_layout::capi::Level* level);

    uint64_t tl0_Placement_copies(const tensor_layout::capi::Placement* self);

    uint64_t tl0_Placement_footprint_words(const tensor_layout::capi::Placement* self);

    uint64_t tl0_Placement_word_bits(const tensor_layout::capi::Placement* self);

    typedef struct tl0_Placement_locate_result {union { tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Placement_locate_result;
    tl0_Placement_locate_result tl0_Placement_locate(const tensor_layout::capi::Placement* self, tensor_layout::diplomat::capi::DiplomatU64View index, tensor_layout::diplomat::capi::DiplomatU64ViewMut place);

    typedef struct tl0_Placement_locate_all_result {union { tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Placement_locate_all_result;
    tl0_Placement_locate_all_result tl0_Placement_locate_all(const tensor_layout::capi::Placement* self, tensor_layout::diplomat::capi::DiplomatU64View index, tensor_layout::diplomat::capi::DiplomatU64ViewMut places);

    typedef struct tl0_Placement_element_result {union {tensor_layout::capi::Content ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Placement_element_result;
    tl0_Placement_element_result tl0_Placement_element(const tensor_layout::capi::Placement* self, tensor_layout::diplomat::capi::DiplomatU64View place, tensor_layout::diplomat::capi::DiplomatU64ViewMut index);

    void tl0_Placement_destroy(Placement* self);

    } // extern "C"
} // namespace capi
} // namespace

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Placement>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Placement::of(const tensor_layout::Layout& layout) {
    auto result = tensor_layout::capi::tl0_Placement_of(layout.AsFFI());
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Placement>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Placement>>(std::unique_ptr<tensor_layout::Placement>(tensor_layout::Placement::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Placement>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Placement>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Placement::on(const tensor_layout::Layout& layout, const tensor_layout::Machine& machine, tensor_layout::diplomat::maybe_null<const tensor_layout::Memory*> memory, uint64_t element_bits, uint64_t base) {
    auto result = tensor_layout::capi::tl0_Placement_on(layout.AsFFI(),
        machine.AsFFI(),
        memory ? memory->AsFFI() : nullptr,
        element_bits,
        base);
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Placement>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Placement>>(std::unique_ptr<tensor_layout::Placement>(tensor_layout::Placement::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Placement>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline std::unique_ptr<tensor_layout::Placement> tensor_layout::Placement::clone() const {
    auto result = tensor_layout::capi::tl0_Placement_clone(this->AsFFI());
    return std::unique_ptr<tensor_layout::Placement>(tensor_layout::Placement::FromFFI(result));
}

inline std::unique_ptr<tensor_layout::Layout> tensor_layout::Placement::layout() const {
    auto result = tensor_layout::capi::tl0_Placement_layout(this->AsFFI());
    return std::unique_ptr<tensor_layout::Layout>(tensor_layout::Layout::FromFFI(result));
}

inline bool tensor_layout::Placement::equals(const tensor_layout::Placement& other) const {
    auto result = tensor_layout::capi::tl0_Placement_equals(this->AsFFI(),
        other.AsFFI());
    return result;
}

inline size_t tensor_layout::Placement::rank() const {
    auto result = tensor_layout::capi::tl0_Placement_rank(this->AsFFI());
    return result;
}

inline size_t tensor_layout::Placement::column_count() const {
    auto result = tensor_layout::capi::tl0_Placement_column_count(this->AsFFI());
    return result;
}

inline tensor_layout::diplomat::maybe_null<const tensor_layout::Level*> tensor_layout::Placement::column(size_t at) const DIPLOMAT_LIFETIME_BOUND {
    auto result = tensor_layout::capi::tl0_Placement_column(this->AsFFI(),
        at);
    return tensor_layout::Level::FromFFI(result);
}

inline std::optional<uint64_t> tensor_layout::Placement::size(const tensor_layout::Level& level) const {
    auto result = tensor_layout::capi::tl0_Placement_size(this->AsFFI(),
        level.AsFFI());
    return result.is_ok ? std::optional<uint64_t>(result.ok) : std::nullopt;
}

inline uint64_t tensor_layout::Placement::copies() const {
    auto result = tensor_layout::capi::tl0_Placement_copies(this->AsFFI());
    return result;
}

inline uint64_t tensor_layout::Placement::footprint_words() const {
    auto result = tensor_layout::capi::tl0_Placement_footprint_words(this->AsFFI());
    return result;
}

inline uint64_t tensor_layout::Placement::word_bits() const {
    auto result = tensor_layout::capi::tl0_Placement_word_bits(this->AsFFI());
    return result;
}

inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> tensor_layout::Placement::locate(tensor_layout::diplomat::span<const uint64_t> index, tensor_layout::diplomat::span<uint64_t> place) const {
    auto result = tensor_layout::capi::tl0_Placement_locate(this->AsFFI(),
        {index.data(), index.size()},
        {place.data(), place.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::monostate>()) : tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> tensor_layout::Placement::locate_all(tensor_layout::diplomat::span<const uint64_t> index, tensor_layout::diplomat::span<uint64_t> places) const {
    auto result = tensor_layout::capi::tl0_Placement_locate_all(this->AsFFI(),
        {index.data(), index.size()},
        {places.data(), places.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::monostate>()) : tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<tensor_layout::Content, std::unique_ptr<tensor_layout::Error>> tensor_layout::Placement::element(tensor_layout::diplomat::span<const uint64_t> place, tensor_layout::diplomat::span<uint64_t> index) const {
    auto result = tensor_layout::capi::tl0_Placement_element(this->AsFFI(),
        {place.data(), place.size()},
        {index.data(), index.size()});
    return result.is_ok ? tensor_layout::diplomat::result<tensor_layout::Content, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<tensor_layout::Content>(tensor_layout::Content::FromFFI(result.ok))) : tensor_layout::diplomat::result<tensor_layout::Content, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline const tensor_layout::capi::Placement* tensor_layout::Placement::AsFFI() const {
    return reinterpret_cast<const tensor_layout::capi::Placement*>(this);
}

inline tensor_layout::capi::Placement* tensor_layout::Placement::AsFFI() {
    return reinterpret_cast<tensor_layout::capi::Placement*>(this);
}

inline const tensor_layout::Placement* tensor_layout::Placement::FromFFI(const tensor_layout::capi::Placement* ptr) {
    return reinterpret_cast<const tensor_layout::Placement*>(ptr);
}

inline tensor_layout::Placement* tensor_layout::Placement::FromFFI(tensor_layout::capi::Placement* ptr) {
    return reinterpret_cast<tensor_layout::Placement*>(ptr);
}

inline void tensor_layout::Placement::operator delete(void* ptr) {
    tensor_layout::capi::tl0_Placement_destroy(reinterpret_cast<tensor_layout::capi::Placement*>(ptr));
}

#endif // TENSOR_LAYOUT_Placement_HPP
