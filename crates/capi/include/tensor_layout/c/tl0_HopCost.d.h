#ifndef tl0_HopCost_D_H
#define tl0_HopCost_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_HopCost {
  uint64_t upper_words;
  uint64_t lower_words;
  uint64_t cycles;
  bool cycles_are_known;
} tl0_HopCost;

typedef struct tl0_HopCost_option {union { tl0_HopCost ok; }; bool is_ok; } tl0_HopCost_option;

#endif // tl0_HopCost_D_H
