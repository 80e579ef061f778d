#ifndef tl0_PricerStatistics_D_H
#define tl0_PricerStatistics_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_PricerStatistics {
  uint64_t parts;
  uint64_t kept;
  uint64_t counted;
} tl0_PricerStatistics;

typedef struct tl0_PricerStatistics_option {union { tl0_PricerStatistics ok; }; bool is_ok; } tl0_PricerStatistics_option;

#endif // tl0_PricerStatistics_D_H
