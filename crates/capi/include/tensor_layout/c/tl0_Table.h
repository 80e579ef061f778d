#ifndef tl0_Table_H
#define tl0_Table_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Error.d.h"
#include "tl0_Found.d.h"
#include "tl0_Level.d.h"
#include "tl0_Placement.d.h"

#include "tl0_Table.d.h"

typedef struct tl0_Table_compile_result {union {tl0_Table* ok; tl0_Error* err;}; bool is_ok;} tl0_Table_compile_result;
tl0_Table_compile_result tl0_Table_compile(const tl0_Placement* placement);

tl0_Table* tl0_Table_clone(const tl0_Table* self);

typedef struct tl0_Table_window_result {union {tl0_Table* ok; tl0_Error* err;}; bool is_ok;} tl0_Table_window_result;
tl0_Table_window_result tl0_Table_window(const tl0_Table* self, DiplomatU64View starts, DiplomatU64View stops);

uint64_t tl0_Table_elements(const tl0_Table* self);

uint64_t tl0_Table_places(const tl0_Table* self);

size_t tl0_Table_column_count(const tl0_Table* self);

const tl0_Level* tl0_Table_column(const tl0_Table* self, size_t at);

typedef struct tl0_Table_column_size_result {union {uint64_t ok; }; bool is_ok;} tl0_Table_column_size_result;
tl0_Table_column_size_result tl0_Table_column_size(const tl0_Table* self, size_t at);

typedef struct tl0_Table_coordinates_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_coordinates_result;
tl0_Table_coordinates_result tl0_Table_coordinates(const tl0_Table* self, uint64_t place, DiplomatU64ViewMut buffer);

typedef struct tl0_Table_place_result {union {uint64_t ok; tl0_Error* err;}; bool is_ok;} tl0_Table_place_result;
tl0_Table_place_result tl0_Table_place(const tl0_Table* self, DiplomatU64View index);

typedef struct tl0_Table_places_of_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_places_of_result;
tl0_Table_places_of_result tl0_Table_places_of(const tl0_Table* self, DiplomatU64View indexes, DiplomatU64ViewMut places);

typedef struct tl0_Table_element_result {union {tl0_Found ok; tl0_Error* err;}; bool is_ok;} tl0_Table_element_result;
tl0_Table_element_result tl0_Table_element(const tl0_Table* self, uint64_t place);

typedef struct tl0_Table_elements_at_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_elements_at_result;
tl0_Table_elements_at_result tl0_Table_elements_at(const tl0_Table* self, DiplomatU64View places, DiplomatU64ViewMut elements);

typedef struct tl0_Table_fill_packed_u32_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_fill_packed_u32_result;
tl0_Table_fill_packed_u32_result tl0_Table_fill_packed_u32(const tl0_Table* self, DiplomatU32ViewMut table);

typedef struct tl0_Table_fill_packed_u64_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_fill_packed_u64_result;
tl0_Table_fill_packed_u64_result tl0_Table_fill_packed_u64(const tl0_Table* self, DiplomatU64ViewMut table);

typedef struct tl0_Table_fill_column_u32_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_fill_column_u32_result;
tl0_Table_fill_column_u32_result tl0_Table_fill_column_u32(const tl0_Table* self, const tl0_Level* level, DiplomatU32ViewMut table);

typedef struct tl0_Table_fill_inverse_u32_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_fill_inverse_u32_result;
tl0_Table_fill_inverse_u32_result tl0_Table_fill_inverse_u32(const tl0_Table* self, DiplomatU32ViewMut table);

typedef struct tl0_Table_fill_inverse_u64_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_fill_inverse_u64_result;
tl0_Table_fill_inverse_u64_result tl0_Table_fill_inverse_u64(const tl0_Table* self, DiplomatU64ViewMut table);

typedef struct tl0_Table_pack_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_pack_result;
tl0_Table_pack_result tl0_Table_pack(const tl0_Table* self, DiplomatU8View tensor, DiplomatU8View fill, DiplomatU8ViewMut image);

typedef struct tl0_Table_unpack_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_unpack_result;
tl0_Table_unpack_result tl0_Table_unpack(const tl0_Table* self, size_t element_bytes, DiplomatU8View image, DiplomatU8ViewMut tensor);

void tl0_Table_destroy(tl0_Table* self);

#endif // tl0_Table_H
