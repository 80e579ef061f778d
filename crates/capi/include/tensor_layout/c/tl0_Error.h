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

tl0_ErrorKind tl0_Error_kind(const tl0_Error* self);

DiplomatStringView tl0_Error_message(const tl0_Error* self);

typedef struct tl0_Error_help_result {union {DiplomatStringView ok; }; bool is_ok;} tl0_Error_help_result;
tl0_Error_help_result tl0_Error_help(const tl0_Error* self);

DiplomatStringView tl0_Error_report(const tl0_Error* self);

typedef struct tl0_Error_span_result {union {tl0_Span ok; }; bool is_ok;} tl0_Error_span_result;
tl0_Error_span_result tl0_Error_span(const tl0_Error* self);

void tl0_Error_destroy(tl0_Error* self);

#endif // tl0_Error_H
