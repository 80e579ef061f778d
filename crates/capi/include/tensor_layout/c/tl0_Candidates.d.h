#ifndef tl0_Candidates_D_H
#define tl0_Candidates_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_Candidates tl0_Candidates;

#endif // tl0_Candidates_D_H
