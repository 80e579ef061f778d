#ifndef tl0_Pricer_H
#define tl0_Pricer_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Cost.d.h"
#include "tl0_CostModel.d.h"
#include "tl0_Error.d.h"
#include "tl0_Placement.d.h"
#include "tl0_PricerStatistics.d.h"

#include "tl0_Pricer.d.h"

/* An empty pricer that keeps every answer. Cost: a few allocations. */
tl0_Pricer* tl0_Pricer_new(const tl0_CostModel* model);

/* An empty pricer that keeps about so many answers, with what a change of lanes costs, and one of nothing but
 * addresses, where they have a price. Cost: a few allocations. */
tl0_Pricer* tl0_Pricer_with_prices(const tl0_CostModel* model, OptionU64 most_answers, OptionU64 price_of_lanes, OptionU64 price_of_addresses);

typedef struct tl0_Pricer_part_result {union {uint64_t ok; tl0_Error* err;}; bool is_ok;} tl0_Pricer_part_result;
/* The part of a placement, for this pricer alone: another one gives an error for it. Cost: 1 to 5 us. */
tl0_Pricer_part_result tl0_Pricer_part(const tl0_Pricer* self, const tl0_Placement* placement);

typedef struct tl0_Pricer_cost_result {union {tl0_Cost ok; tl0_Error* err;}; bool is_ok;} tl0_Pricer_cost_result;
/* A lower bound on the steps of a relayout, as if all units had the same share. Cost: no allocation, 20 to 60 ns,
 * for a pair that is known; 5 to 50 us for another. */
tl0_Pricer_cost_result tl0_Pricer_cost(const tl0_Pricer* self, uint64_t source, uint64_t target);

typedef struct tl0_Pricer_busiest_cost_result {union {tl0_Cost ok; tl0_Error* err;}; bool is_ok;} tl0_Pricer_busiest_cost_result;
/* A lower bound on the steps until the busiest unit has received and sent everything. Cost: as `cost`. */
tl0_Pricer_busiest_cost_result tl0_Pricer_busiest_cost(const tl0_Pricer* self, uint64_t source, uint64_t target);

/* The work so far. */
tl0_PricerStatistics tl0_Pricer_statistics(const tl0_Pricer* self);

void tl0_Pricer_destroy(tl0_Pricer* self);

#endif // tl0_Pricer_H
