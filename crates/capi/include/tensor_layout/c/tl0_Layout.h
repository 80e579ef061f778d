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
/* Reads a text in the notation that it looks like: a PadLayout, a shape of XLA, with its sharding or without,
 * CuTe, shape and strides, Triton, an instruction. Cost: 2 to 20 us. */
tl0_Layout_parse_result tl0_Layout_parse(DiplomatStringView text);

typedef struct tl0_Layout_parse_on_result {union {tl0_Layout* ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_parse_on_result;
/* Reads a text for a machine: the devices of a sharding are its units, and the bare replicas of a PadLayout its
 * levels. Cost: as `parse`. */
tl0_Layout_parse_on_result tl0_Layout_parse_on(DiplomatStringView text, const tl0_Machine* machine);

/* A copy that lives on its own. Cost: a few allocations. */
tl0_Layout* tl0_Layout_clone(const tl0_Layout* self);

/* The number of axes. */
size_t tl0_Layout_rank(const tl0_Layout* self);

/* The number of elements. */
uint64_t tl0_Layout_elements(const tl0_Layout* self);

typedef struct tl0_Layout_shape_result {union { tl0_Error* err;}; bool is_ok;} tl0_Layout_shape_result;
/* Writes the extents, one per axis. Cost: no allocation. */
tl0_Layout_shape_result tl0_Layout_shape(const tl0_Layout* self, DiplomatU64ViewMut extents);

typedef struct tl0_Layout_element_bits_result {union {uint64_t ok; }; bool is_ok;} tl0_Layout_element_bits_result;
/* The bits of an element, if the text gives them. */
tl0_Layout_element_bits_result tl0_Layout_element_bits(const tl0_Layout* self);

typedef struct tl0_Layout_write_result {union {tl0_LayoutText* ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_write_result;
/* Writes the layout in a notation; `dtype` is the element type of a shape of XLA, `f32` if it is empty. Cost: a
 * few microseconds. */
tl0_Layout_write_result tl0_Layout_write(const tl0_Layout* self, tl0_Notation notation, DiplomatStringView dtype);

/* Returns whether two layouts are written alike, subaxis by subaxis. Cost: no allocation. */
bool tl0_Layout_equals(const tl0_Layout* self, const tl0_Layout* other);

typedef struct tl0_Layout_same_map_result {union {bool ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_same_map_result;
/* Returns whether two layouts are one map: every place has the same element, padding or nothing. Cost: that of two
 * canonical forms, regardless of the extents, where there are no derived axes. */
tl0_Layout_same_map_result tl0_Layout_same_map(const tl0_Layout* self, const tl0_Layout* other);

typedef struct tl0_Layout_compose_result {union {tl0_Layout* ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_compose_result;
/* The layout of a tensor that is read through `map`, from its indexes to those of this layout: the map lands in
 * the axes `i0`, `i1`, .. or, as row-major numbers, in `Addr`. Cost: subaxes of both. */
tl0_Layout_compose_result tl0_Layout_compose(const tl0_Layout* self, const tl0_Layout* map);

typedef struct tl0_Layout_left_inverse_result {union {tl0_Layout* ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_left_inverse_result;
/* The map from places to indexes, where elements have places of their own. Cost: subaxes, sorted. */
tl0_Layout_left_inverse_result tl0_Layout_left_inverse(const tl0_Layout* self);

typedef struct tl0_Layout_right_inverse_result {union {tl0_Layout* ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_right_inverse_result;
/* The map from places to indexes, also where elements share places. Cost: subaxes, sorted. */
tl0_Layout_right_inverse_result tl0_Layout_right_inverse(const tl0_Layout* self);

typedef struct tl0_Layout_reshape_result {union {tl0_Layout* ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_reshape_result;
/* The layout of the tensor in another shape, row-major. Cost: subaxes. */
tl0_Layout_reshape_result tl0_Layout_reshape(const tl0_Layout* self, DiplomatU64View shape);

typedef struct tl0_Layout_permute_result {union {tl0_Layout* ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_permute_result;
/* The layout with its axes in another order: axis `i` of the result is axis `order[i]`. Cost: subaxes. */
tl0_Layout_permute_result tl0_Layout_permute(const tl0_Layout* self, DiplomatUsizeView order);

typedef struct tl0_Layout_slice_result {union {tl0_Layout* ok; tl0_Error* err;}; bool is_ok;} tl0_Layout_slice_result;
/* Every `step`-th index of an axis from `start` up to `stop`, exclusive; bounds beyond the extent are clamped to
 * it. Indexes that are not kept become padding. Cost: subaxes. */
tl0_Layout_slice_result tl0_Layout_slice(const tl0_Layout* self, size_t axis, uint64_t start, uint64_t stop, uint64_t step);

void tl0_Layout_destroy(tl0_Layout* self);

#endif // tl0_Layout_H
