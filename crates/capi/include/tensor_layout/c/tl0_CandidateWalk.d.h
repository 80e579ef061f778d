#ifndef tl0_CandidateWalk_D_H
#define tl0_CandidateWalk_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_CandidateWalk tl0_CandidateWalk;

#endif // tl0_CandidateWalk_D_H
