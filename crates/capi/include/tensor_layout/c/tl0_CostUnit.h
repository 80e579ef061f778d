#ifndef tl0_CostUnit_H
#define tl0_CostUnit_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_CostUnit.d.h"

// No Content

#endif // tl0_CostUnit_H
