#ifndef TENSOR_LAYOUT_Layout_HPP
#define TENSOR_LAYOUT_Layout_HPP

#include "Layout.d.hpp"

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "Error.hpp"
#include "LayoutText.hpp"
#include "Machine.hpp"
#include "Notation.hpp"
#include "diplomat_runtime.hpp"

namespace tensor_layout {
namespace capi {
    extern "C" {

    typedef struct tl0_Layout_parse_result {union {tensor_layout::capi::Layout* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Layout_parse_result;
    tl0_Layout_parse_result tl0_Layout_parse(tensor_layout::diplomat::capi::DiplomatStringView text);

    typedef struct tl0_Layout_parse_on_result {union {tensor_layout::capi::Layout* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Layout_parse_on_result;
    tl0_Layout_parse_on_result tl0_Layout_parse_on(tensor_layout::diplomat::capi::DiplomatStringView text, const tensor_layout::capi::Machine* machine);

    tensor_layout::capi::Layout* tl0_Layout_clone(const tensor_layout::capi::Layout* self);

    size_t tl0_Layout_rank(const tensor_layout::capi::Layout* self);

    uint64_t tl0_Layout_elements(const tensor_layout::capi::Layout* self);

    typedef struct tl0_Layout_shape_result {union { tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Layout_shape_result;
    tl0_Layout_shape_result tl0_Layout_shape(const tensor_layout::capi::Layout* self, tensor_layout::diplomat::capi::DiplomatU64ViewMut extents);

    typedef struct tl0_Layout_element_bits_result {union {uint64_t ok; }; bool is_ok;} tl0_Layout_element_bits_result;
    tl0_Layout_element_bits_result tl0_Layout_element_bits(const tensor_layout::capi::Layout* self);

    typedef struct tl0_Layout_write_result {union {tensor_layout::capi::LayoutText* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Layout_write_result;
    tl0_Layout_write_result tl0_Layout_write(const tensor_layout::capi::Layout* self, tensor_layout::capi::Notation notation, tensor_layout::diplomat::capi::DiplomatStringView dtype);

    bool tl0_Layout_equals(const tensor_layout::capi::Layout* self, const tensor_layout::capi::Layout* other);

    typedef struct tl0_Layout_same_map_result {union {bool ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Layout_same_map_result;
    tl0_Layout_same_map_result tl0_Layout_same_map(const tensor_layout::capi::Layout* self, const tensor_layout::capi::Layout* other);

    typedef struct tl0_Layout_compose_result {union {tensor_layout::capi::Layout* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Layout_compose_result;
    tl0_Layout_compose_result tl0_Layout_compose(const tensor_layout::capi::Layout* self, const tensor_layout::capi::Layout* map);

    typedef struct tl0_Layout_left_inverse_result {union {tensor_layout::capi::Layout* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Layout_left_inverse_result;
    tl0_Layout_left_inverse_result tl0_Layout_left_inverse(const tensor_layout::capi::Layout* self);

    typedef struct tl0_Layout_right_inverse_result {union {tensor_layout::capi::Layout* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Layout_right_inverse_result;
    tl0_Layout_right_inverse_result tl0_Layout_right_inverse(const tensor_layout::capi::Layout* self);

    typedef struct tl0_Layout_reshape_result {union {tensor_layout::capi::Layout* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Layout_reshape_result;
    tl0_Layout_reshape_result tl0_Layout_reshape(const tensor_layout::capi::Layout* self, tensor_layout::diplomat::capi::DiplomatU64View shape);

    typedef struct tl0_Layout_permute_result {union {tensor_layout::capi::Layout* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Layout_permute_result;
    tl0_Layout_permute_result tl0_Layout_permute(const tensor_layout::capi::Layout* self, tensor_layout::diplomat::capi::DiplomatUsizeView order);

    typedef struct tl0_Layout_slice_result {union {tensor_layout::capi::Layout* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Layout_slice_result;
    tl0_Layout_slice_result tl0_Layout_slice(const tensor_layout::capi::Layout* self, size_t axis, uint64_t start, uint64_t stop, uint64_t step);

    void tl0_Layout_destroy(Layout* self);

    } // extern "C"
} // namespace capi
} // namespace

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Layout::parse(std::string_view text) {
    auto result = tensor_layout::capi::tl0_Layout_parse({text.data(), text.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Layout>>(std::unique_ptr<tensor_layout::Layout>(tensor_layout::Layout::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Layout::parse_on(std::string_view text, const tensor_layout::Machine& machine) {
    auto result = tensor_layout::capi::tl0_Layout_parse_on({text.data(), text.size()},
        machine.AsFFI());
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Layout>>(std::unique_ptr<tensor_layout::Layout>(tensor_layout::Layout::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline std::unique_ptr<tensor_layout::Layout> tensor_layout::Layout::clone() const {
    auto result = tensor_layout::capi::tl0_Layout_clone(this->AsFFI());
    return std::unique_ptr<tensor_layout::Layout>(tensor_layout::Layout::FromFFI(result));
}

inline size_t tensor_layout::Layout::rank() const {
    auto result = tensor_layout::capi::tl0_Layout_rank(this->AsFFI());
    return result;
}

inline uint64_t tensor_layout::Layout::elements() const {
    auto result = tensor_layout::capi::tl0_Layout_elements(this->AsFFI());
    return result;
}

inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> tensor_layout::Layout::shape(tensor_layout::diplomat::span<uint64_t> extents) const {
    auto result = tensor_layout::capi::tl0_Layout_shape(this->AsFFI(),
        {extents.data(), extents.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::monostate>()) : tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline std::optional<uint64_t> tensor_layout::Layout::element_bits() const {
    auto result = tensor_layout::capi::tl0_Layout_element_bits(this->AsFFI());
    return result.is_ok ? std::optional<uint64_t>(result.ok) : std::nullopt;
}

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::LayoutText>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Layout::write(tensor_layout::Notation notation, std::string_view dtype) const {
    auto result = tensor_layout::capi::tl0_Layout_write(this->AsFFI(),
        notation.AsFFI(),
        {dtype.data(), dtype.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::LayoutText>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::LayoutText>>(std::unique_ptr<tensor_layout::LayoutText>(tensor_layout::LayoutText::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::LayoutText>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline bool tensor_layout::Layout::equals(const tensor_layout::Layout& other) const {
    auto result = tensor_layout::capi::tl0_Layout_equals(this->AsFFI(),
        other.AsFFI());
    return result;
}

inline tensor_layout::diplomat::result<bool, std::unique_ptr<tensor_layout::Error>> tensor_layout::Layout::same_map(const tensor_layout::Layout& other) const {
    auto result = tensor_layout::capi::tl0_Layout_same_map(this->AsFFI(),
        other.AsFFI());
    return result.is_ok ? tensor_layout::diplomat::result<bool, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<bool>(result.ok)) : tensor_layout::diplomat::result<bool, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Layout::compose(const tensor_layout::Layout& map) const {
    auto result = tensor_layout::capi::tl0_Layout_compose(this->AsFFI(),
        map.AsFFI());
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Layout>>(std::unique_ptr<tensor_layout::Layout>(tensor_layout::Layout::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Layout::left_inverse() const {
    auto result = tensor_layout::capi::tl0_Layout_left_inverse(this->AsFFI());
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Layout>>(std::unique_ptr<tensor_layout::Layout>(tensor_layout::Layout::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Layout::right_inverse() const {
    auto result = tensor_layout::capi::tl0_Layout_right_inverse(this->AsFFI());
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Layout>>(std::unique_ptr<tensor_layout::Layout>(tensor_layout::Layout::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Layout::reshape(tensor_layout::diplomat::span<const uint64_t> shape) const {
    auto result = tensor_layout::capi::tl0_Layout_reshape(this->AsFFI(),
        {shape.data(), shape.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Layout>>(std::unique_ptr<tensor_layout::Layout>(tensor_layout::Layout::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Layout::permute(tensor_layout::diplomat::span<const size_t> order) const {
    auto result = tensor_layout::capi::tl0_Layout_permute(this->AsFFI(),
        {order.data(), order.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Layout>>(std::unique_ptr<tensor_layout::Layout>(tensor_layout::Layout::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Layout::slice(size_t axis, uint64_t start, uint64_t stop, uint64_t step) const {
    auto result = tensor_layout::capi::tl0_Layout_slice(this->AsFFI(),
        axis,
        start,
        stop,
        step);
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Layout>>(std::unique_ptr<tensor_layout::Layout>(tensor_layout::Layout::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Layout>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline const tensor_layout::capi::Layout* tensor_layout::Layout::AsFFI() const {
    return reinterpret_cast<const tensor_layout::capi::Layout*>(this);
}

inline tensor_layout::capi::Layout* tensor_layout::Layout::AsFFI() {
    return reinterpret_cast<tensor_layout::capi::Layout*>(this);
}

inline const tensor_layout::Layout* tensor_layout::Layout::FromFFI(const tensor_layout::capi::Layout* ptr) {
    return reinterpret_cast<const tensor_layout::Layout*>(ptr);
}

inline tensor_layout::Layout* tensor_layout::Layout::FromFFI(tensor_layout::capi::Layout* ptr) {
    return reinterpret_cast<tensor_layout::Layout*>(ptr);
}

inline void tensor_layout::Layout::operator delete(void* ptr) {
    tensor_layout::capi::tl0_Layout_destroy(reinterpret_cast<tensor_layout::capi::Layout*>(ptr));
}

#endif // TENSOR_LAYOUT_Layout_HPP
