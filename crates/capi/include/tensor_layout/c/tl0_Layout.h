#ifndef tl0_Layout_H
#define tl0_Layout_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Error.d.h"
#include "tl0_LayoutText.d.h"
#include "tl0_Machine.d.h"
#include "tl0_Notation.d.h"

#include "tl0_Layout.d.h"

typedef struct tl0_Layout_parse_result {union {tl0_Layout* ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_parse_result;
tl0_Layout_parse_result tl0_Layout_parse(DiplomatStringView text);

typedef struct tl0_Layout_parse_on_result {union {tl0_Layout* ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_parse_on_result;
tl0_Layout_parse_on_result tl0_Layout_parse_on(DiplomatStringView text, const tl0_Machine* machine);

tl0_Layout* tl0_Layout_clone(const tl0_Layout* self);

size_t tl0_Layout_rank(const tl0_Layout* self);

uint64_t tl0_Layout_elements(const tl0_Layout* self);

typedef struct tl0_Layout_shape_result {union { tl0_Error* err;}; bool is_ok;} tl0_Layout_shape_result;
tl0_Layout_shape_result tl0_Layout_shape(const tl0_Layout* self, DiplomatU64ViewMut extents);

typedef struct tl0_Layout_element_bits_result {union {uint64_t ok; }; bool is_ok;} tl0_Layout_element_bits_result;
tl0_Layout_element_bits_result tl0_Layout_element_bits(const tl0_Layout* self);

typedef struct tl0_Layout_write_result {union {tl0_LayoutText* ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_write_result;
tl0_Layout_write_result tl0_Layout_write(const tl0_Layout* self, tl0_Notation notation, DiplomatStringView dtype);

bool tl0_Layout_equals(const tl0_Layout* self, const tl0_Layout* other);

typedef struct tl0_Layout_same_map_result {union {bool ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_same_map_result;
tl0_Layout_same_map_result tl0_Layout_same_map(const tl0_Layout* self, const tl0_Layout* other);

typedef struct tl0_Layout_compose_result {union {tl0_Layout* ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_compose_result;
tl0_Layout_compose_result tl0_Layout_compose(const tl0_Layout* self, const tl0_Layout* map);

typedef struct tl0_Layout_left_inverse_result {union {tl0_Layout* ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_left_inverse_result;
tl0_Layout_left_inverse_result tl0_Layout_left_inverse(const tl0_Layout* self);

typedef struct tl0_Layout_right_inverse_result {union {tl0_Layout* ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_right_inverse_result;
tl0_Layout_right_inverse_result tl0_Layout_right_inverse(const tl0_Layout* self);

typedef struct tl0_Layout_reshape_result {union {tl0_Layout* ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_reshape_result;
tl0_Layout_reshape_result tl0_Layout_reshape(const tl0_Layout* self, DiplomatU64View shape);

typedef struct tl0_Layout_permute_result {union {tl0_Layout* ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_permute_result;
tl0_Layout_permute_result tl0_Layout_permute(const tl0_Layout* self, DiplomatUsizeView order);

typedef struct tl0_Layout_slice_result {union {tl0_Layout* ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_slice_result;
tl0_Layout_slice_result tl0_Layout_slice(const tl0_Layout* self, size_t axis, uint64_t start, uint64_t stop, uint64_t step);

void tl0_Layout_destroy(tl0_Layout* self);

#endif // tl0_Layout_H
