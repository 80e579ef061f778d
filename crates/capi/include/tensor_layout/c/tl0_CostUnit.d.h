#ifndef tl0_CostUnit_D_H
#define tl0_CostUnit_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef enum tl0_CostUnit {
  tl0_CostUnit_Steps = 0,
  tl0_CostUnit_Cycles = 1,
} tl0_CostUnit;

typedef struct tl0_CostUnit_option {union { tl0_CostUnit ok; }; bool is_ok; } tl0_CostUnit_option;

#endif // tl0_CostUnit_D_H
