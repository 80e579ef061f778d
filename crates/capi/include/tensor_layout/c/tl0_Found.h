#ifndef tl0_Found_H
#define tl0_Found_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Found.d.h"

// No Content

#endif // tl0_Found_H
