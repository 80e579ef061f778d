//! The errors of linear layouts of Triton.

use crate::error::{Diagnostic, LayoutError};
use crate::level::Level;

/// The reason a linear layout of Triton is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum TritonError {
    /// An extent that is not a power of two.
    #[error("dimension {dim} has extent {size}, but extents in Triton are powers of two")]
    Size {
        /// The dimension.
        dim: usize,
        /// Its size.
        size: u64,
    },
    /// An index beyond the tensor.
    #[error("a basis of `{input}` is {value} in dimension {dim}, whose size is {size}")]
    Beyond {
        /// The name of the input.
        input: String,
        /// The dimension.
        dim: usize,
        /// The index in it.
        value: u64,
        /// Its size.
        size: u64,
    },
    /// An element that no place holds.
    #[error("no place holds index {value} of dimension {dim}")]
    Missing {
        /// The dimension.
        dim: usize,
        /// The index in it.
        value: u64,
    },
    /// Linearly dependent bases: some are the XOR of others.
    #[error(
        "some bases are XORs of others, so that several bits hold a part of the tensor together"
    )]
    Together,
    /// Two inputs that map to the same level.
    #[error("two inputs are level `{level}`")]
    Level {
        /// The level.
        level: Level,
    },
    /// A tensor or an address beyond 64 bits.
    #[error("the layout does not fit in 64 bits")]
    TooLarge,
    /// An error of the layout that the bases give.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

impl Diagnostic for TritonError {
    fn help(&self) -> Option<String> {
        match self {
            TritonError::Layout(error) => Diagnostic::help(error),
            TritonError::Together => Some("copies are bases that are all 0".into()),
            TritonError::Missing { .. } => {
                Some("a basis is missing, or the shape is too large".into())
            }
            _ => None,
        }
    }
}
