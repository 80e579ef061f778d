//! Texts of layouts: one notation per folder, with its grammar, its tree, its reader, its meaning and the way back.
//!
//! ```text
//! (10,7)/((3:7, 4_PE), (7:1); B@[L1B])
//!  shape    axis 0      axis 1  broadcast
//!           3:7 | 4_PE  7:1             subaxes: size, level, stride
//! ```
//!
//! A syntax tree (`tree`, `read`) keeps the text as written, including elided strides, and its spans; it does no
//! arithmetic. `lower` turns it into a layout, and `raise` a layout into a tree, or into the reason that the
//! notation cannot express it.

mod any;
mod atom;
mod cute;
mod grammar;
mod kind;
mod mlir;
mod pad_layout;
mod pairs;
mod refusal;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "serde")]
pub(crate) use self::serde::as_text;
pub(crate) mod sharding;
mod strided;
mod triton;
mod written;
pub mod xla;

pub use any::LayoutText;
pub use atom::Atom;
pub use cute::{CuteLayout, CuteMap, CuteMode, CuteStride, CuteTiler};
pub use kind::Notation;
pub use pad_layout::{AxisText, Dtype, MemoryText, PadLayout, ReplicaText, SubaxisText};
pub use strided::Strided;
pub(crate) use tensor_layout_words::Walk;
pub use triton::{LinearLayout, TritonLayout};
