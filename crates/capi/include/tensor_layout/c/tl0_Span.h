#ifndef tl0_Span_H
#define tl0_Span_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Span.d.h"

// No Content

#endif // tl0_Span_H
