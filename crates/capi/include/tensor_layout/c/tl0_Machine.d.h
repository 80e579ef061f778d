#ifndef tl0_Machine_D_H
#define tl0_Machine_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_Machine tl0_Machine;

#endif // tl0_Machine_D_H
