//! CuTe layouts: `(4,8):(1,4)`, swizzles, compositions, tilers.

mod coordinate;
mod lower;
mod modes;
mod named;
mod read;
mod tiler;
mod tree;

pub(crate) use lower::starts_from;
pub(crate) use named::bits_of_type;
pub use tiler::CuteTiler;
pub use tree::{CuteLayout, CuteMap, CuteMode, CuteStride};
