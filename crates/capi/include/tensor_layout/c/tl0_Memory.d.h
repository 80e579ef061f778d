#ifndef tl0_Memory_D_H
#define tl0_Memory_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_Memory tl0_Memory;

#endif // tl0_Memory_D_H
