#ifndef tl0_Side_H
#define tl0_Side_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Side.d.h"

// No Content

#endif // tl0_Side_H
