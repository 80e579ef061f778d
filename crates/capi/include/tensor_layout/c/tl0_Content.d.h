#ifndef tl0_Content_D_H
#define tl0_Content_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef enum tl0_Content {
  tl0_Content_Element = 0,
  tl0_Content_Padding = 1,
  tl0_Content_Hole = 2,
  tl0_Content_Outside = 3,
} tl0_Content;

typedef struct tl0_Content_option {union { tl0_Content ok; }; bool is_ok; } tl0_Content_option;

#endif // tl0_Content_D_H
