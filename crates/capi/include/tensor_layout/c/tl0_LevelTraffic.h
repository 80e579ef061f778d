#ifndef tl0_LevelTraffic_H
#define tl0_LevelTraffic_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_LevelTraffic.d.h"

// No Content

#endif // tl0_LevelTraffic_H
