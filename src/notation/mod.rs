//! Text to syntax tree and back, one notation per file with its grammar beside it.
//!
//! ```text
//! (10,7)/((3:7, 4_PE), (7:1); B@[L1B])
//!  shape    axis 0      axis 1  broadcast
//!           3:7 | 4_PE  7:1             subaxes: size, level, stride
//! ```
//!
//! A syntax tree keeps the text as written, including elided strides, and its spans; it does no arithmetic.
//! `lower` gives it its meaning.

mod assignments;
mod atom;
pub(crate) mod cursor;
mod cute;
mod cute_coordinate;
mod cute_read;
mod cute_swizzle;
mod cute_tiler;
mod dtype;
mod einsum;
mod kind;
mod pad_layout;
mod pairs;
mod refusal;
pub(crate) mod sharding;
mod strided;
pub(crate) mod triton;
mod triton_linear;
mod triton_read;
pub(crate) mod walk;
mod written;
mod xla_dtype;
pub(crate) mod xla_shape;

pub use atom::{Atom, Operand};
pub(crate) use cute::MAX_COORDINATES;
pub use cute::{CuteLayout, CuteMap, CuteMode, CuteOuter, CuteStride};
pub use cute_swizzle::CuteSwizzle;
pub use cute_tiler::CuteTiler;
pub use dtype::Dtype;
pub use einsum::Einsum;
pub use kind::Notation;
pub use pad_layout::{AxisText, MemoryText, PadLayout, ReplicaText, SubaxisText};
pub use strided::Strided;
pub use triton::TritonLayout;
pub use triton_linear::LinearLayout;

#[doc(hidden)]
pub use xla_dtype::XlaDtype;
#[doc(hidden)]
pub use xla_shape::{TileDim, XlaArray, XlaDim, XlaLayout, XlaParser, XlaShape, XlaSplit};

pub(crate) use assignments::{Assignment, assignments};
pub(crate) use cursor::Cursor;
pub(crate) use walk::Walk;
