//! Shape and strides: `shape=(10, 7), strides=(8, 1)`.

mod calls;
mod lower;
mod tree;

pub use tree::Strided;
pub(super) use tree::contiguous;
