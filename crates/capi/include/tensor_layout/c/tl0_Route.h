#ifndef tl0_Route_H
#define tl0_Route_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Error.d.h"
#include "tl0_HopCost.d.h"
#include "tl0_Placement.d.h"

#include "tl0_Route.d.h"

typedef struct tl0_Route_between_result {union {tl0_Route* ok; tl0_Error* err;}; bool is_ok;} tl0_Route_between_result;
/* Finds the route with the fewest cycles; among those, with the fewest movements. Cost: 20 us to seconds: at most
 * 4096 trials. */
tl0_Route_between_result tl0_Route_between(const tl0_Placement* source, const tl0_Placement* target);

typedef struct tl0_Route_within_result {union {tl0_Route* ok; tl0_Error* err;}; bool is_ok;} tl0_Route_within_result;
/* As `between`, with another number of trials. Cost: up to a millisecond each. */
tl0_Route_within_result tl0_Route_within(const tl0_Placement* source, const tl0_Placement* target, size_t trials);

/* The number of movements; 0 if the source serves as it is. */
size_t tl0_Route_hop_count(const tl0_Route* self);

/* The least cycles of all movements together. */
uint64_t tl0_Route_cycles(const tl0_Route* self);

/* Returns whether every movement has a rate; if not, `cycles` is a lower bound. */
bool tl0_Route_cycles_are_known(const tl0_Route* self);

typedef struct tl0_Route_movement_result {union {DiplomatStringView ok; }; bool is_ok;} tl0_Route_movement_result;
/* The name of a movement, as long as the route lives; none beyond the last, and on a machine without movements. */
tl0_Route_movement_result tl0_Route_movement(const tl0_Route* self, size_t at);

/* The placement after a movement; null beyond the last. Cost: a few allocations. */
tl0_Placement* tl0_Route_target(const tl0_Route* self, size_t at);

typedef struct tl0_Route_hop_cost_result {union {tl0_HopCost ok; }; bool is_ok;} tl0_Route_hop_cost_result;
/* The cost of a movement. */
tl0_Route_hop_cost_result tl0_Route_hop_cost(const tl0_Route* self, size_t at);

void tl0_Route_destroy(tl0_Route* self);

#endif // tl0_Route_H
