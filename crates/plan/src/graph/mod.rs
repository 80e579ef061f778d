//! A computation: values, and operations that are loop nests.
//!
//! ```text
//! values      x [1, 64, 56, 56]    weight [64, 64, 3, 3]    y [1, 64, 56, 56]    flat = y seen as [1, 200704]
//! operation   y[n, f, i, j] = sum over c, r, s of x[n, c, i + r - 1, j + s - 1] * weight[f, c, r, s]
//! ```
//!
//! Every family of operators has this one form: the axes of the result and those that are folded, an index map for
//! each operand, and an expression. So products, elementwise operations, reductions, windows, lookups, joins and
//! resizes share everything that comes after. What only renames indexes is a [`View`] of another value.

mod data;
mod dtype;
mod nest;
mod operations;
mod run;
mod scalar;
mod simplify;
mod value;

pub use data::Data;
pub(crate) use data::{length, number};
pub use dtype::Dtype;
pub use nest::{Fold, Index, Nest, Read};
pub use operations::{Body, Graph, Operation};
pub use run::run;
pub(crate) use run::{check, check_held, each, evaluate, flat, index, no_elements, uncovered};
pub use scalar::{Binary, Scalar, Unary};
pub use value::{Origin, Value, ValueId, View};
