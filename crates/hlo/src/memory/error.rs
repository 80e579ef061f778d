//! Reasons for which a peak is not known.

use tensor_layout::LayoutError;

/// The reason the live bytes of a module are not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HloMemoryError {
    /// The text is not in the order of execution.
    #[error("this module is not scheduled: which values are live together is not decided")]
    NotScheduled,
    /// The text ends before its entry, or the module has none.
    #[error("this module has no ENTRY: the dump is cut off, or is not a whole module")]
    NoEntry,
    /// A computation is inside a fusion and is also called directly.
    #[error(
        "computation `{name}` is called by a fusion and by another instruction: its values are in memory in one case and not in the other"
    )]
    CalledTwice {
        /// The computation.
        name: String,
    },
    /// Several instructions call a computation, and all of its runs are too long to be followed.
    #[error(
        "computation `{name}` is called so often that its runs have more than {most} instructions and arrays: \
         the peak is not computed"
    )]
    CalledOften {
        /// The computation.
        name: String,
        /// The greatest number of instructions and arrays that are followed.
        most: usize,
    },
    /// A sum is too large.
    #[error(transparent)]
    TooLarge(#[from] LayoutError),
}
