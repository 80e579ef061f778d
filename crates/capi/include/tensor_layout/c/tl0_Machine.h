#ifndef tl0_Machine_H
#define tl0_Machine_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Error.d.h"
#include "tl0_Level.d.h"
#include "tl0_Memory.d.h"

#include "tl0_Machine.d.h"

typedef struct tl0_Machine_parse_result {union {tl0_Machine* ok; tl0_Error* err;}; bool is_ok;} tl0_Machine_parse_result;
/* Reads the name of a preset, `mn-core` or `mn-core-2`, or levels with their sizes from the root down, such as
 * `L2B=4,PE=4`. Cost: a few microseconds. */
tl0_Machine_parse_result tl0_Machine_parse(DiplomatStringView text);

typedef struct tl0_Machine_from_toml_result {union {tl0_Machine* ok; tl0_Error* err;}; bool is_ok;} tl0_Machine_from_toml_result;
/* Reads the text of a TOML file. Cost: linear in the text. */
tl0_Machine_from_toml_result tl0_Machine_from_toml(DiplomatStringView toml);

/* A copy that lives on its own. Cost: an allocation per level and per memory. */
tl0_Machine* tl0_Machine_clone(const tl0_Machine* self);

typedef struct tl0_Machine_with_bandwidth_result {union {tl0_Machine* ok; tl0_Error* err;}; bool is_ok;} tl0_Machine_with_bandwidth_result;
/* The machine with another bandwidth: the long words that enter or leave one unit of `level` per step. Cost: as
 * `clone`. */
tl0_Machine_with_bandwidth_result tl0_Machine_with_bandwidth(const tl0_Machine* self, const tl0_Level* level, uint64_t words);

/* The name of the preset, that of the TOML file, or the text. Cost: no allocation. */
DiplomatStringView tl0_Machine_name(const tl0_Machine* self);

/* Returns whether two machines are equal. Cost: linear in the levels and memories. */
bool tl0_Machine_equals(const tl0_Machine* self, const tl0_Machine* other);

/* The number of leaves. */
uint64_t tl0_Machine_units(const tl0_Machine* self);

/* The bits of a long word. */
uint64_t tl0_Machine_word_bits(const tl0_Machine* self);

/* The number of levels. */
size_t tl0_Machine_level_count(const tl0_Machine* self);

/* The level of this number, from the root down; null beyond the last. It lives as long as the machine. */
const tl0_Level* tl0_Machine_level(const tl0_Machine* self, size_t at);

typedef struct tl0_Machine_level_size_result {union {uint64_t ok; }; bool is_ok;} tl0_Machine_level_size_result;
/* The number of units of a level in one unit of the next higher level. */
tl0_Machine_level_size_result tl0_Machine_level_size(const tl0_Machine* self, const tl0_Level* level);

/* The number of memories. */
size_t tl0_Machine_memory_count(const tl0_Machine* self);

/* The memory of this number; null beyond the last. It lives as long as the machine. */
const tl0_Memory* tl0_Machine_memory(const tl0_Machine* self, size_t at);

/* The memory of this name; null if there is none. It lives as long as the machine. */
const tl0_Memory* tl0_Machine_memory_named(const tl0_Machine* self, DiplomatStringView name);

void tl0_Machine_destroy(tl0_Machine* self);

#endif // tl0_Machine_H
