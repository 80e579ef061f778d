//! A program of JAX or XLA as operations on whole tensors, each with the loops that its axes share.
//!
//! ```text
//! text        module @jit_f { func.func public @main(%arg0: tensor<8x4xf32>) -> .. }     `statement`: what is written
//! program     calls written out, loops with their numbers of trips                       `program`, `read`
//! rule        dot_general [8, 4] x [4, 2]: loops 8, 2 | 4; operands (0, 2), (2, 1)        `rule`, `rules`
//! ```
//!
//! A rule says which axes of operands and results are one loop, so that devices may share its work; an axis without a
//! loop has to be whole on every device.

mod program;
mod read;
mod rule;
mod rules;
mod statement;

pub use program::{Body, Dims, Loop, Operation, Program, Step, Tensor, TensorId};
pub use read::read_stablehlo;
pub use rule::{Axes, Fold, Rule};
