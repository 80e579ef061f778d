//! The errors of accesses.

use crate::error::{Diagnostic, LayoutError};
use crate::level::Level;

/// The reason the cost of an access cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum AccessError {
    /// A memory that has units.
    #[error(
        "the memory layout names level `{level}`; an access reads one memory, whose only level is `Addr`"
    )]
    MemoryLevel {
        /// The level.
        level: Level,
    },
    /// Holders whose tensor has another shape.
    #[error("the memory layout has the shape {memory:?}, but the holders have {holders:?}")]
    Shapes {
        /// The shape of the memory.
        memory: Vec<u64>,
        /// The shape of the holders.
        holders: Vec<u64>,
    },
    /// More lanes than a warp has.
    #[error("level `LANE` has {lanes} lanes, but a warp has 32")]
    Lanes {
        /// The number.
        lanes: u64,
    },
    /// Elements that are not whole bytes.
    #[error("an element must have 8, 16, 32, 64 or 128 bits, not {bits}")]
    ElementBits {
        /// The number.
        bits: u64,
    },
    /// More elements than can be counted one by one.
    #[error(
        "the holders have {elements} elements, copies and padding included, of which at most {most} are counted; take a slice"
    )]
    TooMany {
        /// The number.
        elements: u64,
        /// The greatest number allowed.
        most: u64,
    },
    /// An error of one of the two layouts.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

impl Diagnostic for AccessError {
    fn help(&self) -> Option<String> {
        match self {
            AccessError::Layout(error) => Diagnostic::help(error),
            AccessError::Lanes { .. } => {
                Some("name the other levels of the holders WARP and BLOCK".into())
            }
            _ => None,
        }
    }
}
