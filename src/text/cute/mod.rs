//! CuTe layouts: `(4,8):(1,4)`, swizzles, compositions, tilers.

mod coordinate;
mod lower;
mod modes;
mod read;
mod swizzle;
mod tiler;
mod tree;

pub use swizzle::{CuteSwizzle, CuteSwizzleError};
pub use tiler::CuteTiler;
pub use tree::{CuteLayout, CuteMap, CuteMode, CuteOuter, CuteStride};
