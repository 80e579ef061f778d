#ifndef tl0_Placement_H
#define tl0_Placement_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Content.d.h"
#include "tl0_Error.d.h"
#include "tl0_Layout.d.h"
#include "tl0_Level.d.h"
#include "tl0_Machine.d.h"
#include "tl0_Memory.d.h"

#include "tl0_Placement.d.h"

typedef struct tl0_Placement_of_result {union {tl0_Placement* ok; tl0_Error* err;}; bool is_ok;} tl0_Placement_of_result;
tl0_Placement_of_result tl0_Placement_of(const tl0_Layout* layout);

typedef struct tl0_Placement_on_result {union {tl0_Placement* ok; tl0_Error* err;}; bool is_ok;} tl0_Placement_on_result;
tl0_Placement_on_result tl0_Placement_on(const tl0_Layout* layout, const tl0_Machine* machine, const tl0_Memory* memory, uint64_t element_bits, uint64_t base);

tl0_Placement* tl0_Placement_clone(const tl0_Placement* self);

tl0_Layout* tl0_Placement_layout(const tl0_Placement* self);

bool tl0_Placement_equals(const tl0_Placement* self, const tl0_Placement* other);

size_t tl0_Placement_rank(const tl0_Placement* self);

size_t tl0_Placement_column_count(const tl0_Placement* self);

const tl0_Level* tl0_Placement_column(const tl0_Placement* self, size_t at);

typedef struct tl0_Placement_size_result {union {uint64_t ok; }; bool is_ok;} tl0_Placement_size_result;
tl0_Placement_size_result tl0_Placement_size(const tl0_Placement* self, const tl0_Level* level);

uint64_t tl0_Placement_copies(const tl0_Placement* self);

uint64_t tl0_Placement_footprint_words(const tl0_Placement* self);

uint64_t tl0_Placement_word_bits(const tl0_Placement* self);

typedef struct tl0_Placement_locate_result {union { tl0_Error* err;}; bool is_ok;} tl0_Placement_locate_result;
tl0_Placement_locate_result tl0_Placement_locate(const tl0_Placement* self, DiplomatU64View index, DiplomatU64ViewMut place);

typedef struct tl0_Placement_locate_all_result {union { tl0_Error* err;}; bool is_ok;} tl0_Placement_locate_all_result;
tl0_Placement_locate_all_result tl0_Placement_locate_all(const tl0_Placement* self, DiplomatU64View index, DiplomatU64ViewMut places);

typedef struct tl0_Placement_element_result {union {tl0_Content ok; tl0_Error* err;}; bool is_ok;} tl0_Placement_element_result;
tl0_Placement_element_result tl0_Placement_element(const tl0_Placement* self, DiplomatU64View place, DiplomatU64ViewMut index);

void tl0_Placement_destroy(tl0_Placement* self);

#endif // tl0_Placement_H
