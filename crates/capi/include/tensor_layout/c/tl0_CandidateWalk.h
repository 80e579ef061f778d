#ifndef tl0_CandidateWalk_H
#define tl0_CandidateWalk_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Candidate.d.h"
#include "tl0_Error.d.h"

#include "tl0_CandidateWalk.d.h"

typedef struct tl0_CandidateWalk_next_result {union {tl0_Candidate* ok; tl0_Error* err;}; bool is_ok;} tl0_CandidateWalk_next_result;
/* The next candidate; null after the last. Cost: under 2 us where few choices are dead ends. */
tl0_CandidateWalk_next_result tl0_CandidateWalk_next(tl0_CandidateWalk* self);

void tl0_CandidateWalk_destroy(tl0_CandidateWalk* self);

#endif // tl0_CandidateWalk_H
