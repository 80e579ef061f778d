#ifndef tl0_Candidate_H
#define tl0_Candidate_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Error.d.h"
#include "tl0_Layout.d.h"
#include "tl0_Placement.d.h"

#include "tl0_Candidate.d.h"

/* The layout, without the base. Cost: a few allocations. */
tl0_Layout* tl0_Candidate_layout(const tl0_Candidate* self);

typedef struct tl0_Candidate_placement_result {union {tl0_Placement* ok; tl0_Error* err;}; bool is_ok;} tl0_Candidate_placement_result;
/* The layout on the machine, in the memory of the search. Cost: 2 to 10 us. */
tl0_Candidate_placement_result tl0_Candidate_placement(const tl0_Candidate* self);

/* The long words per unit, without the base. */
uint64_t tl0_Candidate_footprint_words(const tl0_Candidate* self);

/* The slots of one copy. */
uint64_t tl0_Candidate_slots(const tl0_Candidate* self);

/* The slots of one copy that hold no element. */
uint64_t tl0_Candidate_pads(const tl0_Candidate* self);

/* The units that hold a slot, copies included. */
uint64_t tl0_Candidate_units_used(const tl0_Candidate* self);

void tl0_Candidate_destroy(tl0_Candidate* self);

#endif // tl0_Candidate_H
