#ifndef tl0_Placement_H
#define tl0_Placement_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Content.d.h"
#include "tl0_Error.d.h"
#include "tl0_Layout.d.h"
#include "tl0_Level.d.h"
#include "tl0_Machine.d.h"
#include "tl0_Memory.d.h"

#include "tl0_Placement.d.h"

typedef struct tl0_Placement_of_result {union {tl0_Placement* ok; tl0_Error* err;}; bool is_ok;} tl0_Placement_of_result;
/* Places a layout without a machine: only the levels that it names have a coordinate. Cost: 1 to 5 us. */
tl0_Placement_of_result tl0_Placement_of(const tl0_Layout* layout);

typedef struct tl0_Placement_on_result {union {tl0_Placement* ok; tl0_Error* err;}; bool is_ok;} tl0_Placement_on_result;
/* Places a layout on a machine, in a memory or in none, with elements of a width (0 where it does not matter)
 * and from an address on. The memory and the width that a text names need not be given again. Cost: 2 to 10 us. */
tl0_Placement_on_result tl0_Placement_on(const tl0_Layout* layout, const tl0_Machine* machine, const tl0_Memory* memory, uint64_t element_bits, uint64_t base);

/* A copy that lives on its own. Cost: a few allocations. */
tl0_Placement* tl0_Placement_clone(const tl0_Placement* self);

/* The layout, moved by the base. Cost: as `clone`. */
tl0_Layout* tl0_Placement_layout(const tl0_Placement* self);

/* Returns whether two placements are equal: layout, machine, memory and lanes. Cost: no allocation. */
bool tl0_Placement_equals(const tl0_Placement* self, const tl0_Placement* other);

/* The number of axes. */
size_t tl0_Placement_rank(const tl0_Placement* self);

/* The number of coordinates of a place. */
size_t tl0_Placement_column_count(const tl0_Placement* self);

/* The level of a coordinate; null beyond the last. It lives as long as the placement. */
const tl0_Level* tl0_Placement_column(const tl0_Placement* self, size_t at);

typedef struct tl0_Placement_size_result {union {uint64_t ok; }; bool is_ok;} tl0_Placement_size_result;
/* The number of coordinates that the machine has in a level, if it is known. */
tl0_Placement_size_result tl0_Placement_size(const tl0_Placement* self, const tl0_Level* level);

/* The number of places that each element has. */
uint64_t tl0_Placement_copies(const tl0_Placement* self);

/* The long words that each unit needs: 1 + the greatest address. */
uint64_t tl0_Placement_footprint_words(const tl0_Placement* self);

/* The bits of a long word. */
uint64_t tl0_Placement_word_bits(const tl0_Placement* self);

typedef struct tl0_Placement_locate_result {union { tl0_Error* err;}; bool is_ok;} tl0_Placement_locate_result;
/* Writes the place of an element, one coordinate per column: its first copy. Cost: one allocation, 0.1 to 0.5 us;
 * for many elements a table is quicker. */
tl0_Placement_locate_result tl0_Placement_locate(const tl0_Placement* self, DiplomatU64View index, DiplomatU64ViewMut place);

typedef struct tl0_Placement_locate_all_result {union { tl0_Error* err;}; bool is_ok;} tl0_Placement_locate_all_result;
/* Writes every place of an element, one after the other, `copies` times the columns. Cost: one allocation per
 * copy. */
tl0_Placement_locate_all_result tl0_Placement_locate_all(const tl0_Placement* self, DiplomatU64View index, DiplomatU64ViewMut places);

typedef struct tl0_Placement_element_result {union {tl0_Content ok; tl0_Error* err;}; bool is_ok;} tl0_Placement_element_result;
/* Finds what a place holds, and writes the index of an element; of anything else, nothing is written. Cost: a few
 * allocations, 1 to 3 us; for many places a table is quicker. */
tl0_Placement_element_result tl0_Placement_element(const tl0_Placement* self, DiplomatU64View place, DiplomatU64ViewMut index);

void tl0_Placement_destroy(tl0_Placement* self);

#endif // tl0_Placement_H
