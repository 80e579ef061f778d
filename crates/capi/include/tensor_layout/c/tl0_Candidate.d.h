#ifndef tl0_Candidate_D_H
#define tl0_Candidate_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_Candidate tl0_Candidate;

#endif // tl0_Candidate_D_H
