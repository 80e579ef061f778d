#ifndef tl0_LevelTraffic_D_H
#define tl0_LevelTraffic_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_LevelTraffic {
  uint64_t entering;
  uint64_t leaving;
  bool leaving_is_known;
  uint64_t receivers;
  uint64_t senders;
} tl0_LevelTraffic;

typedef struct tl0_LevelTraffic_option {union { tl0_LevelTraffic ok; }; bool is_ok; } tl0_LevelTraffic_option;

#endif // tl0_LevelTraffic_D_H
