#ifndef tl0_LayoutText_H
#define tl0_LayoutText_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_LayoutText.d.h"

/* The text, as long as the handle lives. */
DiplomatStringView tl0_LayoutText_text(const tl0_LayoutText* self);

typedef struct tl0_LayoutText_left_out_result {union {DiplomatStringView ok; }; bool is_ok;} tl0_LayoutText_left_out_result;
/* The parts that the notation cannot express and the text leaves out, such as padding; without any, the text describes the
 * same map. */
tl0_LayoutText_left_out_result tl0_LayoutText_left_out(const tl0_LayoutText* self);

void tl0_LayoutText_destroy(tl0_LayoutText* self);

#endif // tl0_LayoutText_H
