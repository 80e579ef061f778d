#ifndef tl0_Layout_D_H
#define tl0_Layout_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_Layout tl0_Layout;

#endif // tl0_Layout_D_H
