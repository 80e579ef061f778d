#ifndef tl0_Traffic_D_H
#define tl0_Traffic_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_Traffic tl0_Traffic;

#endif // tl0_Traffic_D_H
