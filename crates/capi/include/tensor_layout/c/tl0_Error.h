#ifndef tl0_Error_H
#define tl0_Error_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_ErrorKind.d.h"
#include "tl0_Span.d.h"

#include "tl0_Error.d.h"

/* The kind. Cost: no allocation. */
tl0_ErrorKind tl0_Error_kind(const tl0_Error* self);

/* The problem, in one line without a final stop, as long as the error lives. Cost: written at the first call
 * for any of the texts. */
DiplomatStringView tl0_Error_message(const tl0_Error* self);

typedef struct tl0_Error_help_result {union {DiplomatStringView ok; }; bool is_ok;} tl0_Error_help_result;
/* The remedy, if one is known. */
tl0_Error_help_result tl0_Error_help(const tl0_Error* self);

/* All that is known, for people: the message, the text with a caret below the fault, the help. */
DiplomatStringView tl0_Error_report(const tl0_Error* self);

typedef struct tl0_Error_span_result {union {tl0_Span ok; }; bool is_ok;} tl0_Error_span_result;
/* The bytes of the text at fault, if the error is about a text. */
tl0_Error_span_result tl0_Error_span(const tl0_Error* self);

void tl0_Error_destroy(tl0_Error* self);

#endif // tl0_Error_H
