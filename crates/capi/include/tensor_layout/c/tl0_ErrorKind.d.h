#ifndef tl0_ErrorKind_D_H
#define tl0_ErrorKind_D_H

#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>
#include "diplomat_runtime.h"

typedef enum tl0_ErrorKind {
  tl0_ErrorKind_Other = 0,
  tl0_ErrorKind_Syntax = 1,
  tl0_ErrorKind_Invalid = 2,
  tl0_ErrorKind_Argument = 3,
  tl0_ErrorKind_Shape = 4,
  tl0_ErrorKind_OutOfRange = 5,
  tl0_ErrorKind_OutsideDomain = 6,
  tl0_ErrorKind_Unknown = 7,
  tl0_ErrorKind_Missing = 8,
  tl0_ErrorKind_TooLarge = 9,
  tl0_ErrorKind_Limit = 10,
  tl0_ErrorKind_NotDecided = 11,
  tl0_ErrorKind_Collision = 12,
  tl0_ErrorKind_NotComparable = 13,
  tl0_ErrorKind_Uneven = 14,
  tl0_ErrorKind_NoDigits = 15,
  tl0_ErrorKind_Inexpressible = 16,
  tl0_ErrorKind_CannotInvert = 17,
  tl0_ErrorKind_CannotComplement = 18,
  tl0_ErrorKind_CannotRestrict = 19,
  tl0_ErrorKind_NoRoute = 20,
  tl0_ErrorKind_Unsupported = 21,
} tl0_ErrorKind;

typedef struct tl0_ErrorKind_option {union { tl0_ErrorKind ok; }; bool is_ok; } tl0_ErrorKind_option;

#endif // tl0_ErrorKind_D_H
