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
tl0_Machine_parse_result tl0_Machine_parse(DiplomatStringView text);

typedef struct tl0_Machine_from_toml_result {union {tl0_Machine* ok; tl0_Error* err;}; bool is_ok;} tl0_Machine_from_toml_result;
tl0_Machine_from_toml_result tl0_Machine_from_toml(DiplomatStringView toml);

tl0_Machine* tl0_Machine_clone(const tl0_Machine* self);

typedef struct tl0_Machine_with_bandwidth_result {union {tl0_Machine* ok; tl0_Error* err;}; bool is_ok;} tl0_Machine_with_bandwidth_result;
tl0_Machine_with_bandwidth_result tl0_Machine_with_bandwidth(const tl0_Machine* self, const tl0_Level* level, uint64_t words);

DiplomatStringView tl0_Machine_name(const tl0_Machine* self);

bool tl0_Machine_equals(const tl0_Machine* self, const tl0_Machine* other);

uint64_t tl0_Machine_units(const tl0_Machine* self);

uint64_t tl0_Machine_word_bits(const tl0_Machine* self);

size_t tl0_Machine_level_count(const tl0_Machine* self);

const tl0_Level* tl0_Machine_level(const tl0_Machine* self, size_t at);

typedef struct tl0_Machine_level_size_result {union {uint64_t ok; }; bool is_ok;} tl0_Machine_level_size_result;
tl0_Machine_level_size_result tl0_Machine_level_size(const tl0_Machine* self, const tl0_Level* level);

size_t tl0_Machine_memory_count(const tl0_Machine* self);

const tl0_Memory* tl0_Machine_memory(const tl0_Machine* self, size_t at);

const tl0_Memory* tl0_Machine_memory_named(const tl0_Machine* self, DiplomatStringView name);

void tl0_Machine_destroy(tl0_Machine* self);

#endif // tl0_Machine_H
