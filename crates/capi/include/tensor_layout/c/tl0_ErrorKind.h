#ifndef tl0_ErrorKind_H
#define tl0_ErrorKind_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_ErrorKind.d.h"

// No Content

#endif // tl0_ErrorKind_H
