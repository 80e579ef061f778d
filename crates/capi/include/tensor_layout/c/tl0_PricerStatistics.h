#ifndef tl0_PricerStatistics_H
#define tl0_PricerStatistics_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

#include "tl0_PricerStatistics.d.h"

// No Content

#endif // tl0_PricerStatistics_H
