#ifndef tl0_Placement_D_H
#define tl0_Placement_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_Placement tl0_Placement;

#endif // tl0_Placement_D_H
