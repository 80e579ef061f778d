//! Why an operation between tensors, a layout of a test vector, or an option of a search, is refused.

use crate::level::Level;

/// Why an operation between tensors cannot be carried out so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OperationFault {
    /// A layout of another rank than the result of the `einsum`.
    #[error("the result of the einsum has {labels} axes, but its layout has {rank}")]
    ResultRank {
        /// The axes that the `einsum` names.
        labels: usize,
        /// The axes of the layout.
        rank: usize,
    },
    /// A label that is not summed over, but is given a place to run.
    #[error("`{0}` is not summed over")]
    NotSummed(char),
    /// A label that is given two places to run.
    #[error("`{0}` is given two places to run")]
    RepeatedRun(char),
    /// A label that is summed over, but is not given a place to run.
    #[error("`{0}` is summed over; say where it runs")]
    MissingRun(char),
    /// An axis that the result lacks.
    #[error("axis {axis} does not exist: the result has rank {rank}")]
    UnknownAxis {
        /// The axis.
        axis: usize,
        /// How many axes there are.
        rank: usize,
    },
    /// Parts that are not the whole axis.
    #[error("the extents of the parts do not add up to the {extent} of axis {axis}")]
    Parts {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u64,
    },
    /// Shapes that differ in more than the axis along which is gathered.
    #[error("{operand:?} and {result:?} differ in more than axis {axis}")]
    GatherShapes {
        /// The shape of the operand.
        operand: Vec<u64>,
        /// The shape of the result.
        result: Vec<u64>,
        /// The axis.
        axis: usize,
    },
    /// A table of indexes of another length than the axis of the result.
    #[error("the table has {entries} entries for {extent} indexes")]
    TableLength {
        /// The entries of the table.
        entries: usize,
        /// The extent of the axis.
        extent: u64,
    },
    /// Padding of another rank.
    #[error("the padding needs one entry per axis of the result, whose rank is {rank}")]
    PaddingRank {
        /// The rank of the result.
        rank: usize,
    },
    /// An operand that does not fit behind its padding.
    #[error(
        "{low} of padding and {operand} of the operand exceed the extent {extent} of axis {axis}"
    )]
    PaddingBeyond {
        /// The axis.
        axis: usize,
        /// The padding in front.
        low: u64,
        /// The extent of the operand.
        operand: u64,
        /// The extent of the result.
        extent: u64,
    },
    /// A layout with derived axes, where only plain ones are taken.
    #[error("a layout has derived axes, and this operation takes plain axes only")]
    DerivedAxes,
    /// An axis that is summed over and feeds a derived axis.
    #[error("an axis that is summed over feeds a derived axis")]
    SumFeeds,
}

/// Why a layout cannot stand in a file of test vectors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VectorsFault {
    /// A layout that does not say in which memory it lies.
    #[error("it does not name its memory, as in `@LM0 / Float`")]
    NoMemory,
    /// A layout in a memory that lines of test vectors do not name.
    #[error("it is in `{name}`, but test vectors set and read LM0, LM1 and DRAM")]
    OtherMemory {
        /// The memory.
        name: String,
    },
    /// A layout that names its memory, but not the type of its elements.
    #[error("it does not name its dtype, as in `@LM0 / Float`")]
    NoDtype,
    /// A layout over several steps of `Time`.
    #[error("it takes {steps} steps of `Time`, but a memory is set once")]
    Time {
        /// How many.
        steps: u64,
    },
}

/// What is wrong with an option of a search.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionFault {
    /// A list without entries.
    #[error("the list is empty; it needs at least one entry")]
    Empty,
    /// A number that must be at least 1.
    #[error("0 is given; it must be at least 1")]
    Zero,
    /// A number outside its range.
    #[error("{given} is given; it must be from {least} to {most}")]
    Beyond {
        /// The number.
        given: u64,
        /// The least that is allowed.
        least: u64,
        /// The greatest that is allowed.
        most: u64,
    },
    /// A base beyond the end of the memory.
    #[error("it leaves the memory without addresses")]
    NoAddressLeft,
    /// Two axes of which each is to be the innermost.
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
        /// How many axes there are.
        rank: usize,
    },
    /// An axis that is fixed twice.
    #[error("axis {0} is fixed twice")]
    RepeatedAxis(usize),
    /// `W` without the bits of an element.
    #[error("give it before you name `W`: it says how many lanes a word has")]
    NeededForLanes,
    /// A level without units: an address or a time step.
    #[error("`{0}` does not consist of units, so no axis can be split over it")]
    NotUnits(Level),
    /// A level of too many units to be cut into parts.
    #[error("`{level}` has {units} units, too many to be cut into parts; the limit is {most}")]
    TooManyUnits {
        /// The level.
        level: Level,
        /// Its units.
        units: u64,
        /// The most that are cut.
        most: u64,
    },
    /// A level below the one whose units own the memory.
    #[error("`{0}` lies below the memory")]
    BelowMemory(Level),
}
