//! The reason layouts cannot be enumerated.

use crate::error::{Diagnostic, LayoutError};
use crate::level::Level;

/// The reason layouts cannot be enumerated.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum CandidatesError {
    /// A level or memory is unknown, or the walk takes too long.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// An option that is empty, 0 or contradicts another.
    #[error("invalid value for `{option}`: {fault}")]
    Option {
        /// The option.
        option: &'static str,
        /// The reason.
        fault: OptionError,
    },
    /// More candidates than can be counted.
    #[error("the number of candidates does not fit in 128 bits")]
    TooMany,
}

impl Diagnostic for CandidatesError {
    fn help(&self) -> Option<String> {
        match self {
            CandidatesError::Layout(error) => error.help(),
            CandidatesError::Option { .. } | CandidatesError::TooMany => None,
        }
    }
}

/// The reason an option of a search is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// A list without entries.
    #[error("the list is empty; it needs at least one entry")]
    Empty,
    /// A number that must be at least 1.
    #[error("0 (it must be at least 1)")]
    Zero,
    /// A number outside its range.
    #[error("got {given}, expected {least} to {most}")]
    OutOfRange {
        /// The number.
        given: u64,
        /// The minimum allowed.
        least: u64,
        /// The maximum allowed.
        most: u64,
    },
    /// A base beyond the end of the memory.
    #[error("it leaves the memory without addresses")]
    NoAddressLeft,
    /// Two axes that both have to be the innermost.
    #[error("axis {} and axis {} cannot both be innermost", .axes[0], .axes[1])]
    TwoInnermost {
        /// The axes.
        axes: [usize; 2],
    },
    /// An axis that the tensor lacks.
    #[error("axis {axis} does not exist: the tensor has rank {rank}")]
    UnknownAxis {
        /// The axis.
        axis: usize,
        /// The number of axes.
        rank: usize,
    },
    /// An axis that is fixed twice.
    #[error("axis {0} is fixed twice")]
    DuplicateAxis(usize),
    /// `W` without an element width.
    #[error("give it before you name `W`: it says how many lanes a word has")]
    NeededForLanes,
    /// A level without units: an address or a time step.
    #[error("`{0}` does not consist of units, so no axis can be split over it")]
    NotUnits(Level),
    /// A level with too many units to be cut into parts.
    #[error("`{level}` has {units} units, too many to be cut into parts; the limit is {most}")]
    TooManyUnits {
        /// The level.
        level: Level,
        /// The units of the level.
        units: u64,
        /// The maximum number of units that can be cut.
        most: u64,
    },
    /// A level below the one whose units own the memory.
    #[error("`{0}` is below the memory")]
    BelowMemory(Level),
}
