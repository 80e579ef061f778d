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

tl0_Candidates* tl0_Candidates_new(const tl0_Machine* machine, DiplomatU64View shape);

void tl0_Candidates_memory(tl0_Candidates* self, const tl0_Memory* memory);

void tl0_Candidates_element_bits(tl0_Candidates* self, uint64_t bits);

void tl0_Candidates_base(tl0_Candidates* self, uint64_t base);

void tl0_Candidates_level_parts(tl0_Candidates* self, size_t most);

void tl0_Candidates_side(tl0_Candidates* self, tl0_Side side);

void tl0_Candidates_replicate(tl0_Candidates* self, bool replicate);

void tl0_Candidates_alignment(tl0_Candidates* self, uint64_t words);

void tl0_Candidates_capacity_words(tl0_Candidates* self, uint64_t words);

void tl0_Candidates_padding_percent(tl0_Candidates* self, uint64_t percent);

void tl0_Candidates_row_major(tl0_Candidates* self, bool only);

void tl0_Candidates_tree_order(tl0_Candidates* self, bool only);

void tl0_Candidates_never(tl0_Candidates* self, size_t axis, const tl0_Level* level);

void tl0_Candidates_fixed(tl0_Candidates* self, size_t axis, const tl0_Level* level);

void tl0_Candidates_contiguous(tl0_Candidates* self, size_t axis, uint64_t run);

typedef struct tl0_Candidates_count_result {union {uint64_t ok; tl0_Error* err;}; bool is_ok;} tl0_Candidates_count_result;
tl0_Candidates_count_result tl0_Candidates_count(const tl0_Candidates* self);

typedef struct tl0_Candidates_walk_result {union {tl0_CandidateWalk* ok; tl0_Error* err;}; bool is_ok;} tl0_Candidates_walk_result;
tl0_Candidates_walk_result tl0_Candidates_walk(const tl0_Candidates* self);

void tl0_Candidates_destroy(tl0_Candidates* self);

#endif // tl0_Candidates_H
