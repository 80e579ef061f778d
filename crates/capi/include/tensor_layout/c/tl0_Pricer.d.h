#ifndef tl0_Pricer_D_H
#define tl0_Pricer_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_Pricer tl0_Pricer;

#endif // tl0_Pricer_D_H
