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
/* The rates of a machine: its bandwidth or, if it has none, its movements. Cost: linear in the movements. */
tl0_CostModel_new_result tl0_CostModel_new(const tl0_Machine* machine, uint64_t element_bits);

typedef struct tl0_CostModel_with_rates_result {union {tl0_CostModel* ok; tl0_Error* err;}; bool is_ok;} tl0_CostModel_with_rates_result;
/* The model with the rates of a level: long words that enter and leave one unit, per number of steps. Cost: a
 * copy of the model. */
tl0_CostModel_with_rates_result tl0_CostModel_with_rates(const tl0_CostModel* self, const tl0_Level* level, uint64_t words_in, uint64_t steps_in, uint64_t words_out, uint64_t steps_out);

typedef struct tl0_CostModel_with_latency_result {union {tl0_CostModel* ok; tl0_Error* err;}; bool is_ok;} tl0_CostModel_with_latency_result;
/* The model with the steps that a long word takes across the border of a unit of a level, whatever the rate.
 * Cost: a copy of the model. */
tl0_CostModel_with_latency_result tl0_CostModel_with_latency(const tl0_CostModel* self, const tl0_Level* level, uint64_t steps);

/* The model in which levels work one after the other. Cost: a copy of the model. */
tl0_CostModel* tl0_CostModel_in_sequence(const tl0_CostModel* self);

typedef struct tl0_CostModel_cost_result {union {tl0_Cost ok; tl0_Error* err;}; bool is_ok;} tl0_CostModel_cost_result;
/* A lower bound on the steps that the traffic takes. Cost: linear in the levels. */
tl0_CostModel_cost_result tl0_CostModel_cost(const tl0_CostModel* self, const tl0_Traffic* traffic);

void tl0_CostModel_destroy(tl0_CostModel* self);

#endif // tl0_CostModel_H
