#ifndef tl0_Content_H
#define tl0_Content_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_Content.d.h"

// No Content

#endif // tl0_Content_H
