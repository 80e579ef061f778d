#ifndef tl0_HopCost_H
#define tl0_HopCost_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_HopCost.d.h"

// No Content

#endif // tl0_HopCost_H
