#ifndef tl0_Route_D_H
#define tl0_Route_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_Route tl0_Route;

#endif // tl0_Route_D_H
