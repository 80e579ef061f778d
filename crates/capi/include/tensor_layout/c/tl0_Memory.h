#ifndef tl0_Memory_H
#define tl0_Memory_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Level.d.h"

#include "tl0_Memory.d.h"

/* The name. Cost: no allocation. */
DiplomatStringView tl0_Memory_name(const tl0_Memory* self);

/* The level whose units own it. */
const tl0_Level* tl0_Memory_owner(const tl0_Memory* self);

/* The number of neighbouring units that share one. */
uint64_t tl0_Memory_group(const tl0_Memory* self);

typedef struct tl0_Memory_capacity_result {union {uint64_t ok; }; bool is_ok;} tl0_Memory_capacity_result;
/* The capacity in long words, if it is known. */
tl0_Memory_capacity_result tl0_Memory_capacity(const tl0_Memory* self);

void tl0_Memory_destroy(tl0_Memory* self);

#endif // tl0_Memory_H
