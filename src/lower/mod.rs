//! Conversions between notations and the algebra: `lower` (syntax tree to layout) and `raise` (layout
//! to syntax tree, or the reason that the notation cannot express it). One notation per file.

mod atom;
mod code;
mod cute;
mod cute_modes;
mod in_full;
mod origin;
mod pad_layout;
#[cfg(feature = "serde")]
mod serde;
pub(crate) mod sharding;
mod strided;
mod text;
mod triton;
pub(crate) mod xla_shape;

pub use text::LayoutText;
pub use xla_shape::{Bitcast, BitcastName, Moved, XlaAdvice, XlaSizes, bitcast_map};

pub(crate) use xla_shape::total_sizes;
