#ifndef tl0_Side_D_H
#define tl0_Side_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef enum tl0_Side {
  tl0_Side_Both = 0,
  tl0_Side_Major = 1,
  tl0_Side_Minor = 2,
} tl0_Side;

typedef struct tl0_Side_option {union { tl0_Side ok; }; bool is_ok; } tl0_Side_option;

#endif // tl0_Side_D_H
