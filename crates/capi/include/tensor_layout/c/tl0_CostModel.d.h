#ifndef tl0_CostModel_D_H
#define tl0_CostModel_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_CostModel tl0_CostModel;

#endif // tl0_CostModel_D_H
