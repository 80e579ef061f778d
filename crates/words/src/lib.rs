//! What the packages of `tensor-layout` share and that knows nothing of layouts: words of messages, conversions of
//! numbers, brackets and cursors.
//!
//! The interface may change with every version, so the packages depend on it with `=`.

#![forbid(unsafe_code)]

mod cursor;
pub mod mlir;
pub mod number;
mod walk;
pub mod words;

pub use cursor::{Cursor, Unexpected};
pub use number::{gcd, product, to_index, to_u64, xor_factors};
pub use walk::{Walk, behind_angled};
pub use words::{counted, cut, in_one_line, percent, printable, quoted, readable_bytes};
