#ifndef tl0_Level_D_H
#define tl0_Level_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef struct tl0_Level tl0_Level;

typedef struct Diplomattl0_LevelView {
  const tl0_Level** data;
  size_t len;
} Diplomattl0_LevelView;

#endif // tl0_Level_D_H
