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
tl0_Level_parse_result tl0_Level_parse(DiplomatStringView name);

DiplomatStringView tl0_Level_name(const tl0_Level* self);

bool tl0_Level_equals(const tl0_Level* self, const tl0_Level* other);

void tl0_Level_destroy(tl0_Level* self);

#endif // tl0_Level_H
