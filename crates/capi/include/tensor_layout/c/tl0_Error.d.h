#ifndef tl0_Error_D_H
#define tl0_Error_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_Error tl0_Error;

#endif // tl0_Error_D_H
