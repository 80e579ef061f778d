#ifndef TENSOR_LAYOUT_Table_HPP
#define TENSOR_LAYOUT_Table_HPP

#include "Table.d.hpp"

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include <memory>
#include <functional>
#include <optional>
#include <cstdlib>
#include "Error.hpp"
#include "Found.hpp"
#include "Level.hpp"
#include "Placement.hpp"
#include "diplomat_runtime.hpp"

namespace tensor_layout {
namespace capi {
    extern "C" {

    typedef struct tl0_Table_compile_result {union {tensor_layout::capi::Table* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Table_compile_result;
    tl0_Table_compile_result tl0_Table_compile(const tensor_layout::capi::Placement* placement);

    tensor_layout::capi::Table* tl0_Table_clone(const tensor_layout::capi::Table* self);

    typedef struct tl0_Table_window_result {union {tensor_layout::capi::Table* ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Table_window_result;
    tl0_Table_window_result tl0_Table_window(const tensor_layout::capi::Table* self, tensor_layout::diplomat::capi::DiplomatU64View starts, tensor_layout::diplomat::capi::DiplomatU64View stops);

    uint64_t tl0_Table_elements(const tensor_layout::capi::Table* self);

    uint64_t tl0_Table_places(const tensor_layout::capi::Table* self);

    size_t tl0_Table_column_count(const tensor_layout::capi::Table* self);

    const tensor_layout::capi::Level* tl0_Table_column(const tensor_layout::capi::Table* self, size_t at);

    typedef struct tl0_Table_column_size_result {union {uint64_t ok; }; bool is_ok;} tl0_Table_column_size_result;
    tl0_Table_column_size_result tl0_Table_column_size(const tensor_layout::capi::Table* self, size_t at);

    typedef struct tl0_Table_coordinates_result {union { tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Table_coordinates_result;
    tl0_Table_coordinates_result tl0_Table_coordinates(const tensor_layout::capi::Table* self, uint64_t place, tensor_layout::diplomat::capi::DiplomatU64ViewMut buffer);

    typedef struct tl0_Table_place_result {union {uint64_t ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Table_place_result;
    tl0_Table_place_result tl0_Table_place(const tensor_layout::capi::Table* self, tensor_layout::diplomat::capi::DiplomatU64View index);

    typedef struct tl0_Table_places_of_result {union { tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Table_places_of_result;
    tl0_Table_places_of_result tl0_Table_places_of(const tensor_layout::capi::Table* self, tensor_layout::diplomat::capi::DiplomatU64View indexes, tensor_layout::diplomat::capi::DiplomatU64ViewMut places);

    typedef struct tl0_Table_element_result {union {tensor_layout::capi::Found ok; tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Table_element_result;
    tl0_Table_element_result tl0_Table_element(const tensor_layout::capi::Table* self, uint64_t place);

    typedef struct tl0_Table_elements_at_result {union { tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Table_elements_at_result;
    tl0_Table_elements_at_result tl0_Table_elements_at(const tensor_layout::capi::Table* self, tensor_layout::diplomat::capi::DiplomatU64View places, tensor_layout::diplomat::capi::DiplomatU64ViewMut elements);

    typedef struct tl0_Table_fill_packed_u32_result {union { tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Table_fill_packed_u32_result;
    tl0_Table_fill_packed_u32_result tl0_Table_fill_packed_u32(const tensor_layout::capi::Table* self, tensor_layout::diplomat::capi::DiplomatU32ViewMut table);

    typedef struct tl0_Table_fill_packed_u64_result {union { tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Table_fill_packed_u64_result;
    tl0_Table_fill_packed_u64_result tl0_Table_fill_packed_u64(const tensor_layout::capi::Table* self, tensor_layout::diplomat::capi::DiplomatU64ViewMut table);

    typedef struct tl0_Table_fill_column_u32_result {union { tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Table_fill_column_u32_result;
    tl0_Table_fill_column_u32_result tl0_Table_fill_column_u32(const tensor_layout::capi::Table* self, const tensor_layout::capi::Level* level, tensor_layout::diplomat::capi::DiplomatU32ViewMut table);

    typedef struct tl0_Table_fill_inverse_u32_result {union { tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Table_fill_inverse_u32_result;
    tl0_Table_fill_inverse_u32_result tl0_Table_fill_inverse_u32(const tensor_layout::capi::Table* self, tensor_layout::diplomat::capi::DiplomatU32ViewMut table);

    typedef struct tl0_Table_fill_inverse_u64_result {union { tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Table_fill_inverse_u64_result;
    tl0_Table_fill_inverse_u64_result tl0_Table_fill_inverse_u64(const tensor_layout::capi::Table* self, tensor_layout::diplomat::capi::DiplomatU64ViewMut table);

    typedef struct tl0_Table_pack_result {union { tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Table_pack_result;
    tl0_Table_pack_result tl0_Table_pack(const tensor_layout::capi::Table* self, tensor_layout::diplomat::capi::DiplomatU8View tensor, tensor_layout::diplomat::capi::DiplomatU8View fill, tensor_layout::diplomat::capi::DiplomatU8ViewMut image);

    typedef struct tl0_Table_unpack_result {union { tensor_layout::capi::Error* err;}; bool is_ok;} tl0_Table_unpack_result;
    tl0_Table_unpack_result tl0_Table_unpack(const tensor_layout::capi::Table* self, size_t element_bytes, tensor_layout::diplomat::capi::DiplomatU8View image, tensor_layout::diplomat::capi::DiplomatU8ViewMut tensor);

    void tl0_Table_destroy(Table* self);

    } // extern "C"
} // namespace capi
} // namespace

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Table>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Table::compile(const tensor_layout::Placement& placement) {
    auto result = tensor_layout::capi::tl0_Table_compile(placement.AsFFI());
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Table>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Table>>(std::unique_ptr<tensor_layout::Table>(tensor_layout::Table::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Table>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline std::unique_ptr<tensor_layout::Table> tensor_layout::Table::clone() const {
    auto result = tensor_layout::capi::tl0_Table_clone(this->AsFFI());
    return std::unique_ptr<tensor_layout::Table>(tensor_layout::Table::FromFFI(result));
}

inline tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Table>, std::unique_ptr<tensor_layout::Error>> tensor_layout::Table::window(tensor_layout::diplomat::span<const uint64_t> starts, tensor_layout::diplomat::span<const uint64_t> stops) const {
    auto result = tensor_layout::capi::tl0_Table_window(this->AsFFI(),
        {starts.data(), starts.size()},
        {stops.data(), stops.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Table>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::unique_ptr<tensor_layout::Table>>(std::unique_ptr<tensor_layout::Table>(tensor_layout::Table::FromFFI(result.ok)))) : tensor_layout::diplomat::result<std::unique_ptr<tensor_layout::Table>, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline uint64_t tensor_layout::Table::elements() const {
    auto result = tensor_layout::capi::tl0_Table_elements(this->AsFFI());
    return result;
}

inline uint64_t tensor_layout::Table::places() const {
    auto result = tensor_layout::capi::tl0_Table_places(this->AsFFI());
    return result;
}

inline size_t tensor_layout::Table::column_count() const {
    auto result = tensor_layout::capi::tl0_Table_column_count(this->AsFFI());
    return result;
}

inline tensor_layout::diplomat::maybe_null<const tensor_layout::Level*> tensor_layout::Table::column(size_t at) const DIPLOMAT_LIFETIME_BOUND {
    auto result = tensor_layout::capi::tl0_Table_column(this->AsFFI(),
        at);
    return tensor_layout::Level::FromFFI(result);
}

inline std::optional<uint64_t> tensor_layout::Table::column_size(size_t at) const {
    auto result = tensor_layout::capi::tl0_Table_column_size(this->AsFFI(),
        at);
    return result.is_ok ? std::optional<uint64_t>(result.ok) : std::nullopt;
}

inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> tensor_layout::Table::coordinates(uint64_t place, tensor_layout::diplomat::span<uint64_t> buffer) const {
    auto result = tensor_layout::capi::tl0_Table_coordinates(this->AsFFI(),
        place,
        {buffer.data(), buffer.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::monostate>()) : tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<uint64_t, std::unique_ptr<tensor_layout::Error>> tensor_layout::Table::place(tensor_layout::diplomat::span<const uint64_t> index) const {
    auto result = tensor_layout::capi::tl0_Table_place(this->AsFFI(),
        {index.data(), index.size()});
    return result.is_ok ? tensor_layout::diplomat::result<uint64_t, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<uint64_t>(result.ok)) : tensor_layout::diplomat::result<uint64_t, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> tensor_layout::Table::places_of(tensor_layout::diplomat::span<const uint64_t> indexes, tensor_layout::diplomat::span<uint64_t> places) const {
    auto result = tensor_layout::capi::tl0_Table_places_of(this->AsFFI(),
        {indexes.data(), indexes.size()},
        {places.data(), places.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::monostate>()) : tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<tensor_layout::Found, std::unique_ptr<tensor_layout::Error>> tensor_layout::Table::element(uint64_t place) const {
    auto result = tensor_layout::capi::tl0_Table_element(this->AsFFI(),
        place);
    return result.is_ok ? tensor_layout::diplomat::result<tensor_layout::Found, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<tensor_layout::Found>(tensor_layout::Found::FromFFI(result.ok))) : tensor_layout::diplomat::result<tensor_layout::Found, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> tensor_layout::Table::elements_at(tensor_layout::diplomat::span<const uint64_t> places, tensor_layout::diplomat::span<uint64_t> elements) const {
    auto result = tensor_layout::capi::tl0_Table_elements_at(this->AsFFI(),
        {places.data(), places.size()},
        {elements.data(), elements.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::monostate>()) : tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> tensor_layout::Table::fill_packed_u32(tensor_layout::diplomat::span<uint32_t> table) const {
    auto result = tensor_layout::capi::tl0_Table_fill_packed_u32(this->AsFFI(),
        {table.data(), table.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::monostate>()) : tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> tensor_layout::Table::fill_packed_u64(tensor_layout::diplomat::span<uint64_t> table) const {
    auto result = tensor_layout::capi::tl0_Table_fill_packed_u64(this->AsFFI(),
        {table.data(), table.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::monostate>()) : tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> tensor_layout::Table::fill_column_u32(const tensor_layout::Level& level, tensor_layout::diplomat::span<uint32_t> table) const {
    auto result = tensor_layout::capi::tl0_Table_fill_column_u32(this->AsFFI(),
        level.AsFFI(),
        {table.data(), table.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::monostate>()) : tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> tensor_layout::Table::fill_inverse_u32(tensor_layout::diplomat::span<uint32_t> table) const {
    auto result = tensor_layout::capi::tl0_Table_fill_inverse_u32(this->AsFFI(),
        {table.data(), table.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::monostate>()) : tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> tensor_layout::Table::fill_inverse_u64(tensor_layout::diplomat::span<uint64_t> table) const {
    auto result = tensor_layout::capi::tl0_Table_fill_inverse_u64(this->AsFFI(),
        {table.data(), table.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::monostate>()) : tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> tensor_layout::Table::pack(tensor_layout::diplomat::span<const uint8_t> tensor, tensor_layout::diplomat::span<const uint8_t> fill, tensor_layout::diplomat::span<uint8_t> image) const {
    auto result = tensor_layout::capi::tl0_Table_pack(this->AsFFI(),
        {tensor.data(), tensor.size()},
        {fill.data(), fill.size()},
        {image.data(), image.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::monostate>()) : tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>> tensor_layout::Table::unpack(size_t element_bytes, tensor_layout::diplomat::span<const uint8_t> image, tensor_layout::diplomat::span<uint8_t> tensor) const {
    auto result = tensor_layout::capi::tl0_Table_unpack(this->AsFFI(),
        element_bytes,
        {image.data(), image.size()},
        {tensor.data(), tensor.size()});
    return result.is_ok ? tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Ok<std::monostate>()) : tensor_layout::diplomat::result<std::monostate, std::unique_ptr<tensor_layout::Error>>(tensor_layout::diplomat::Err<std::unique_ptr<tensor_layout::Error>>(std::unique_ptr<tensor_layout::Error>(tensor_layout::Error::FromFFI(result.err))));
}

inline const tensor_layout::capi::Table* tensor_layout::Table::AsFFI() const {
    return reinterpret_cast<const tensor_layout::capi::Table*>(this);
}

inline tensor_layout::capi::Table* tensor_layout::Table::AsFFI() {
    return reinterpret_cast<tensor_layout::capi::Table*>(this);
}

inline const tensor_layout::Table* tensor_layout::Table::FromFFI(const tensor_layout::capi::Table* ptr) {
    return reinterpret_cast<const tensor_layout::Table*>(ptr);
}

inline tensor_layout::Table* tensor_layout::Table::FromFFI(tensor_layout::capi::Table* ptr) {
    return reinterpret_cast<tensor_layout::Table*>(ptr);
}

inline void tensor_layout::Table::operator delete(void* ptr) {
    tensor_layout::capi::tl0_Table_destroy(reinterpret_cast<tensor_layout::capi::Table*>(ptr));
}

#endif // TENSOR_LAYOUT_Table_HPP
