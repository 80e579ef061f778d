#ifndef tl0_LayoutText_D_H
#define tl0_LayoutText_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_LayoutText tl0_LayoutText;

#endif // tl0_LayoutText_D_H
