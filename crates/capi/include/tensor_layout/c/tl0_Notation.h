#ifndef tl0_Notation_H
#define tl0_Notation_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Notation.d.h"

// No Content

#endif // tl0_Notation_H
