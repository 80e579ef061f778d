#ifndef tl0_Span_D_H
#define tl0_Span_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_Span {
  size_t start;
  size_t end;
} tl0_Span;

typedef struct tl0_Span_option {union { tl0_Span ok; }; bool is_ok; } tl0_Span_option;

#endif // tl0_Span_D_H
