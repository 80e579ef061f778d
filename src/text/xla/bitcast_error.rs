//! The errors of bitcasts.

use itertools::Itertools;

use crate::error::{Diagnostic, LayoutError};
use crate::location::Found;

/// The reason the bytes of one array cannot be read as another.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum BitcastError {
    /// An error of one of the layouts.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A byte that holds an element of only one array.
    #[error("this is not a bitcast: byte {byte} holds {} in the first array and {} in the second", held(.first), held(.second))]
    Byte {
        /// The byte.
        byte: u64,
        /// The content of the first array at the byte.
        first: Found,
        /// The content of the second array at the byte.
        second: Found,
    },
    /// Data that begins at a different byte in each array.
    #[error(
        "this is not a bitcast: the data begins {first} bytes into the first and {second} bytes into the second"
    )]
    Prefix {
        /// `M` of the first array.
        first: u64,
        /// `M` of the second array.
        second: u64,
    },
    /// An array that is cut into pieces.
    #[error(
        "this is not a bitcast: an array with `SC` is cut into pieces, so its bytes do not follow each other"
    )]
    Split,
}

/// The content of a byte in words.
fn held(found: &Found) -> String {
    match found {
        Found::Element(index) => format!("element ({})", index.iter().join(", ")),
        Found::Padding | Found::Hole => "padding".into(),
        Found::Outside => "nothing (it is beyond the end)".into(),
    }
}

impl Diagnostic for BitcastError {
    fn help(&self) -> Option<String> {
        match self {
            BitcastError::Layout(error) => error.help(),
            _ => None,
        }
    }
}
