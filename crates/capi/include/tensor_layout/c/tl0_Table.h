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
/* Compiles a placement. Cost: 1 to 10 us, and up to 64 KiB at the first call that needs it. */
tl0_Table_compile_result tl0_Table_compile(const tl0_Placement* placement);

/* A copy that lives on its own; both share the compiled parts. Cost: a few allocations. */
tl0_Table* tl0_Table_clone(const tl0_Table* self);

typedef struct tl0_Table_window_result {union {tl0_Table* ok; tl0_Error* err;}; bool is_ok;} tl0_Table_window_result;
/* The table of a box of the tensor: axis `i` from `starts[i]` to `stops[i]`, exclusive. Its elements are numbered
 * within the box; places keep their numbers. Cost: as `clone`. */
tl0_Table_window_result tl0_Table_window(const tl0_Table* self, DiplomatU64View starts, DiplomatU64View stops);

/* The number of elements: the length of a table. */
uint64_t tl0_Table_elements(const tl0_Table* self);

/* The number of places, holes included: the length of an inverse table and of an image. */
uint64_t tl0_Table_places(const tl0_Table* self);

/* The number of coordinates that make up the number of a place. */
size_t tl0_Table_column_count(const tl0_Table* self);

/* The level of a coordinate; null beyond the last. It lives as long as the table. */
const tl0_Level* tl0_Table_column(const tl0_Table* self, size_t at);

typedef struct tl0_Table_column_size_result {union {uint64_t ok; }; bool is_ok;} tl0_Table_column_size_result;
/* The number of values of a coordinate. */
tl0_Table_column_size_result tl0_Table_column_size(const tl0_Table* self, size_t at);

typedef struct tl0_Table_coordinates_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_coordinates_result;
/* Writes the coordinates of the place with a number, one per column. Cost: two allocations. */
tl0_Table_coordinates_result tl0_Table_coordinates(const tl0_Table* self, uint64_t place, DiplomatU64ViewMut buffer);

typedef struct tl0_Table_place_result {union {uint64_t ok; tl0_Error* err;}; bool is_ok;} tl0_Table_place_result;
/* The number of the place of one element: its first copy. Cost: no allocation, 5 to 50 ns. */
tl0_Table_place_result tl0_Table_place(const tl0_Table* self, DiplomatU64View index);

typedef struct tl0_Table_places_of_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_places_of_result;
/* Writes the numbers of the places of many elements, whose indexes are one after the other. Cost: as `place`,
 * without a call for each. */
tl0_Table_places_of_result tl0_Table_places_of(const tl0_Table* self, DiplomatU64View indexes, DiplomatU64ViewMut places);

typedef struct tl0_Table_element_result {union {tl0_Found ok; tl0_Error* err;}; bool is_ok;} tl0_Table_element_result;
/* The content of the place with a number. Cost: no allocation, 5 to 50 ns, after the first call. */
tl0_Table_element_result tl0_Table_element(const tl0_Table* self, uint64_t place);

typedef struct tl0_Table_elements_at_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_elements_at_result;
/* Writes what many places hold: the number of an element, 2^64 - 2 for padding, 2^64 - 1 for a hole and for what
 * is outside. Cost: as `element`, without a call for each. */
tl0_Table_elements_at_result tl0_Table_elements_at(const tl0_Table* self, DiplomatU64View places, DiplomatU64ViewMut elements);

typedef struct tl0_Table_fill_packed_u32_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_fill_packed_u32_result;
/* Writes the number of the place of every element. Cost: at the speed of memory, 0.1 to 1 ns each. */
tl0_Table_fill_packed_u32_result tl0_Table_fill_packed_u32(const tl0_Table* self, DiplomatU32ViewMut table);

typedef struct tl0_Table_fill_packed_u64_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_fill_packed_u64_result;
/* Writes the number of the place of every element. Cost: as `fill_packed_u32`. */
tl0_Table_fill_packed_u64_result tl0_Table_fill_packed_u64(const tl0_Table* self, DiplomatU64ViewMut table);

typedef struct tl0_Table_fill_column_u32_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_fill_column_u32_result;
/* Writes the coordinate in a level of every element; 0 for a level that is not a column. Cost: as
 * `fill_packed_u32`. */
tl0_Table_fill_column_u32_result tl0_Table_fill_column_u32(const tl0_Table* self, const tl0_Level* level, DiplomatU32ViewMut table);

typedef struct tl0_Table_fill_inverse_u32_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_fill_inverse_u32_result;
/* Writes what every place holds: the number of an element, 2^32 - 2 for padding, 2^32 - 1 for a hole. Cost: as
 * `fill_packed_u32`. */
tl0_Table_fill_inverse_u32_result tl0_Table_fill_inverse_u32(const tl0_Table* self, DiplomatU32ViewMut table);

typedef struct tl0_Table_fill_inverse_u64_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_fill_inverse_u64_result;
/* Writes what every place holds: the number of an element, 2^64 - 2 for padding, 2^64 - 1 for a hole. Cost: as
 * `fill_packed_u32`. */
tl0_Table_fill_inverse_u64_result tl0_Table_fill_inverse_u64(const tl0_Table* self, DiplomatU64ViewMut table);

typedef struct tl0_Table_pack_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_pack_result;
/* Moves a row-major tensor into the memory of every unit, all copies; every other cell is set to `fill`, which
 * has the bytes of one element: 1, 2, 4, 8 or 16. An image has a cell per place. Cost: at the speed of memory. */
tl0_Table_pack_result tl0_Table_pack(const tl0_Table* self, DiplomatU8View tensor, DiplomatU8View fill, DiplomatU8ViewMut image);

typedef struct tl0_Table_unpack_result {union { tl0_Error* err;}; bool is_ok;} tl0_Table_unpack_result;
/* Moves the first copy of every element back into a row-major tensor of elements of 1, 2, 4, 8 or 16 bytes. Cost:
 * at the speed of memory. */
tl0_Table_unpack_result tl0_Table_unpack(const tl0_Table* self, size_t element_bytes, DiplomatU8View image, DiplomatU8ViewMut tensor);

void tl0_Table_destroy(tl0_Table* self);

#endif // tl0_Table_H
