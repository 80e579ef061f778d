#ifndef tl0_Cost_H
#define tl0_Cost_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Cost.d.h"

// No Content

#endif // tl0_Cost_H
