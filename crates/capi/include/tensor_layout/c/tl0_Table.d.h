#ifndef tl0_Table_D_H
#define tl0_Table_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_Table tl0_Table;

#endif // tl0_Table_D_H
