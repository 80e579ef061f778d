#ifndef TENSOR_LAYOUT_HPP
#define TENSOR_LAYOUT_HPP

#include "tensor_layout/Content.hpp"
#include "tensor_layout/Error.hpp"
#include "tensor_layout/ErrorKind.hpp"
#include "tensor_layout/Layout.hpp"
#include "tensor_layout/LayoutText.hpp"
#include "tensor_layout/Level.hpp"
#include "tensor_layout/Machine.hpp"
#include "tensor_layout/Memory.hpp"
#include "tensor_layout/Notation.hpp"
#include "tensor_layout/Placement.hpp"
#include "tensor_layout/Span.hpp"
#include "tensor_layout/diplomat_runtime.hpp"

#endif // TENSOR_LAYOUT_HPP
