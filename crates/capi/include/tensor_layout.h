#ifndef TENSOR_LAYOUT_H
#define TENSOR_LAYOUT_H

#include "tensor_layout/c/diplomat_runtime.h"
#include "tensor_layout/c/tl0_Content.h"
#include "tensor_layout/c/tl0_Error.h"
#include "tensor_layout/c/tl0_ErrorKind.h"
#include "tensor_layout/c/tl0_Layout.h"
#include "tensor_layout/c/tl0_LayoutText.h"
#include "tensor_layout/c/tl0_Level.h"
#include "tensor_layout/c/tl0_Machine.h"
#include "tensor_layout/c/tl0_Memory.h"
#include "tensor_layout/c/tl0_Notation.h"
#include "tensor_layout/c/tl0_Placement.h"
#include "tensor_layout/c/tl0_Span.h"

#endif // TENSOR_LAYOUT_H
