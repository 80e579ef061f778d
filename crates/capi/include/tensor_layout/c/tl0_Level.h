#ifndef tl0_Level_H
#define tl0_Level_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Error.d.h"

#include "tl0_Level.d.h"

typedef struct tl0_Level_parse_result {union {tl0_Level* ok; tl0_Error* err;}; bool is_ok;} tl0_Level_parse_result;
/* Reads a name, such as `PE`, or the node of a memory that units share, such as `L2B/2`. Cost: one allocation. */
tl0_Level_parse_result tl0_Level_parse(DiplomatStringView name);

/* The name, as long as the level lives. Cost: no allocation. */
DiplomatStringView tl0_Level_name(const tl0_Level* self);

/* Returns whether two levels have one name. Cost: no allocation. */
bool tl0_Level_equals(const tl0_Level* self, const tl0_Level* other);

void tl0_Level_destroy(tl0_Level* self);

#endif // tl0_Level_H
