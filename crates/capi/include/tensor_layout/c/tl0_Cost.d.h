#ifndef tl0_Cost_D_H
#define tl0_Cost_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_CostUnit.d.h"

typedef struct tl0_Cost {
  uint64_t steps;
  tl0_CostUnit unit;
} tl0_Cost;

typedef struct tl0_Cost_option {union { tl0_Cost ok; }; bool is_ok; } tl0_Cost_option;

#endif // tl0_Cost_D_H
