#ifndef tl0_Notation_D_H
#define tl0_Notation_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef enum tl0_Notation {
  tl0_Notation_PadLayout = 0,
  tl0_Notation_Xla = 1,
  tl0_Notation_Cute = 2,
  tl0_Notation_Strided = 3,
  tl0_Notation_Triton = 4,
} tl0_Notation;

typedef struct tl0_Notation_option {union { tl0_Notation ok; }; bool is_ok; } tl0_Notation_option;

#endif // tl0_Notation_D_H
