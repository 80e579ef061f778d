#ifndef tl0_Found_D_H
#define tl0_Found_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Content.d.h"

typedef struct tl0_Found {
  tl0_Content content;
  uint64_t element;
} tl0_Found;

typedef struct tl0_Found_option {union { tl0_Found ok; }; bool is_ok; } tl0_Found_option;

#endif // tl0_Found_D_H
