#ifndef tl0_Candidates_H
#define tl0_Candidates_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_CandidateWalk.d.h"
#include "tl0_Error.d.h"
#include "tl0_Level.d.h"
#include "tl0_Machine.d.h"
#include "tl0_Memory.d.h"
#include "tl0_Side.d.h"

#include "tl0_Candidates.d.h"

/* All layouts of a shape on a machine: without time slices, with uncut levels and up to half of the slots as
 * padding. Cost: a few allocations. */
tl0_Candidates* tl0_Candidates_new(const tl0_Machine* machine, DiplomatU64View shape);

/* Sets the memory: no axis is split over levels below its owner, and its capacity is respected. */
void tl0_Candidates_memory(tl0_Candidates* self, const tl0_Memory* memory);

/* Sets the width of an element: lanes of a long word are then a level. */
void tl0_Candidates_element_bits(tl0_Candidates* self, uint64_t bits);

/* Sets the address of the first long word. */
void tl0_Candidates_base(tl0_Candidates* self, uint64_t base);

/* Sets the most pieces of a level, to split different axes or hold copies. */
void tl0_Candidates_level_parts(tl0_Candidates* self, size_t most);

/* Sets where the digits of units may be in an axis. */
void tl0_Candidates_side(tl0_Candidates* self, tl0_Side side);

/* With false, all units hold different elements. */
void tl0_Candidates_replicate(tl0_Candidates* self, bool replicate);

/* Pads the words of the innermost axis that has any to a multiple of `words`. */
void tl0_Candidates_alignment(tl0_Candidates* self, uint64_t words);

/* Sets the most long words per unit. */
void tl0_Candidates_capacity_words(tl0_Candidates* self, uint64_t words);

/* Sets the most slots that may be padding, in percent. */
void tl0_Candidates_padding_percent(tl0_Candidates* self, uint64_t percent);

/* With true, the last axis is innermost in the address. */
void tl0_Candidates_row_major(tl0_Candidates* self, bool only);

/* With true, units are in the order of the machine. */
void tl0_Candidates_tree_order(tl0_Candidates* self, bool only);

/* Forbids splitting an axis over a level. */
void tl0_Candidates_never(tl0_Candidates* self, size_t axis, const tl0_Level* level);

/* Requires an axis to be split over exactly these levels. */
void tl0_Candidates_fixed(tl0_Candidates* self, size_t axis, Diplomattl0_LevelView levels);

/* Allows axes to be split over these levels only; the others hold copies. */
void tl0_Candidates_levels(tl0_Candidates* self, Diplomattl0_LevelView levels);

/* Requires axes to be split over these levels, which then hold no copies. */
void tl0_Candidates_without_copies_in(tl0_Candidates* self, Diplomattl0_LevelView levels);

/* Sets the allowed numbers of time slices; 1 means no slices. */
void tl0_Candidates_time(tl0_Candidates* self, DiplomatU64View slices);

/* Sets the most axes that are cut into time slices together. */
void tl0_Candidates_time_axes(tl0_Candidates* self, size_t most);

/* Keeps runs of `run` elements along an axis at successive addresses of a unit. */
void tl0_Candidates_contiguous(tl0_Candidates* self, size_t axis, uint64_t run);

typedef struct tl0_Candidates_count_result {union {uint64_t ok; tl0_Error* err;}; bool is_ok;} tl0_Candidates_count_result;
/* The number of candidates. Cost: up to seconds; `NotDecided` beyond. */
tl0_Candidates_count_result tl0_Candidates_count(const tl0_Candidates* self);

typedef struct tl0_Candidates_walk_result {union {tl0_CandidateWalk* ok; tl0_Error* err;}; bool is_ok;} tl0_Candidates_walk_result;
/* Begins a walk through the candidates. Cost: a few microseconds. */
tl0_Candidates_walk_result tl0_Candidates_walk(const tl0_Candidates* self);

void tl0_Candidates_destroy(tl0_Candidates* self);

#endif // tl0_Candidates_H
