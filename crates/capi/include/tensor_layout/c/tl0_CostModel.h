#ifndef tl0_CostModel_H
#define tl0_CostModel_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Cost.d.h"
#include "tl0_Error.d.h"
#include "tl0_Level.d.h"
#include "tl0_Machine.d.h"
#include "tl0_Traffic.d.h"

#include "tl0_CostModel.d.h"

typedef struct tl0_CostModel_new_result {union {tl0_CostModel* ok; tl0_Error* err;}; bool is_ok;} tl0_CostModel_new_result;
tl0_CostModel_new_result tl0_CostModel_new(const tl0_Machine* machine, uint64_t element_bits);

typedef struct tl0_CostModel_with_rates_result {union {tl0_CostModel* ok; tl0_Error* err;}; bool is_ok;} tl0_CostModel_with_rates_result;
tl0_CostModel_with_rates_result tl0_CostModel_with_rates(const tl0_CostModel* self, const tl0_Level* level, uint64_t words_in, uint64_t steps_in, uint64_t words_out, uint64_t steps_out);

typedef struct tl0_CostModel_with_latency_result {union {tl0_CostModel* ok; tl0_Error* err;}; bool is_ok;} tl0_CostModel_with_latency_result;
tl0_CostModel_with_latency_result tl0_CostModel_with_latency(const tl0_CostModel* self, const tl0_Level* level, uint64_t steps);

tl0_CostModel* tl0_CostModel_in_sequence(const tl0_CostModel* self);

typedef struct tl0_CostModel_cost_result {union {tl0_Cost ok; tl0_Error* err;}; bool is_ok;} tl0_CostModel_cost_result;
tl0_CostModel_cost_result tl0_CostModel_cost(const tl0_CostModel* self, const tl0_Traffic* traffic);

void tl0_CostModel_destroy(tl0_CostModel* self);

#endif // tl0_CostModel_H
