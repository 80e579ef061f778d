#ifndef tl0_Traffic_H
#define tl0_Traffic_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Error.d.h"
#include "tl0_Level.d.h"
#include "tl0_LevelTraffic.d.h"
#include "tl0_Placement.d.h"

#include "tl0_Traffic.d.h"

typedef struct tl0_Traffic_between_result {union {tl0_Traffic* ok; tl0_Error* err;}; bool is_ok;} tl0_Traffic_between_result;
/* Counts what moves from one placement to another on the same machine, regardless of the number of elements.
 * Cost: 5 to 50 us. */
tl0_Traffic_between_result tl0_Traffic_between(const tl0_Placement* source, const tl0_Placement* target);

/* The number of elements. */
uint64_t tl0_Traffic_elements(const tl0_Traffic* self);

/* The number of places that each element has in the target. */
uint64_t tl0_Traffic_copies(const tl0_Traffic* self);

/* The copies in the target that are in place already. */
uint64_t tl0_Traffic_in_place(const tl0_Traffic* self);

/* The copies that change only their address or lane. */
uint64_t tl0_Traffic_within_memories(const tl0_Traffic* self);

/* The copies that change their memory in one unit. */
uint64_t tl0_Traffic_between_memories(const tl0_Traffic* self);

/* The copies whose way crosses the border of a unit of this level, and of none outside it. */
uint64_t tl0_Traffic_across(const tl0_Traffic* self, const tl0_Level* level);

typedef struct tl0_Traffic_moved_result {union {uint64_t ok; }; bool is_ok;} tl0_Traffic_moved_result;
/* The copies that are not in place; none if they do not fit in 64 bits. */
tl0_Traffic_moved_result tl0_Traffic_moved(const tl0_Traffic* self);

/* The number of levels. */
size_t tl0_Traffic_level_count(const tl0_Traffic* self);

/* The level of this number, innermost first; null beyond the last. It lives as long as the traffic. */
const tl0_Level* tl0_Traffic_level(const tl0_Traffic* self, size_t at);

typedef struct tl0_Traffic_level_traffic_result {union {tl0_LevelTraffic ok; }; bool is_ok;} tl0_Traffic_level_traffic_result;
/* The traffic of the level of this number. */
tl0_Traffic_level_traffic_result tl0_Traffic_level_traffic(const tl0_Traffic* self, size_t at);

void tl0_Traffic_destroy(tl0_Traffic* self);

#endif // tl0_Traffic_H
