//! The errors of operations between tensors.

use crate::error::{Diagnostic, LayoutError, Site};

/// The reason an operation between tensors fails for some layouts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum EinsumError {
    /// An error of a layout of an operand or of the result.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A layout whose rank differs from that of the result of the `einsum`.
    #[error("the result of the einsum has {labels} axes, but its layout has {rank}")]
    ResultRank {
        /// The number of axes that the `einsum` names.
        labels: usize,
        /// The number of axes of the layout.
        rank: usize,
    },
    /// A label that is not summed over, but is given a layout.
    #[error("`{0}` is not summed over")]
    NotSummed(char),
    /// A label that is specified twice.
    #[error("`{0}` is specified twice")]
    DuplicateRun(char),
    /// A layout of the loops that does not have an axis for each label.
    #[error("the einsum has {labels} labels, but the layout of its loops has {rank} axes")]
    LoopRank {
        /// The number of labels, including those that are summed over.
        labels: usize,
        /// The number of axes of the layout.
        rank: usize,
    },
    /// A number of operands that differs from that of the operation.
    #[error("the operation has {expected} operands, but {given} layouts are given")]
    OperandCount {
        /// The number of operands of the operation.
        expected: usize,
        /// The number of layouts.
        given: usize,
    },
    /// An operand layout whose shape does not fit the operation.
    #[error("operand {operand} has the shape {given:?}, but the operation reads {expected:?}")]
    OperandShape {
        /// The number of the operand, from 0.
        operand: usize,
        /// The shape that the operation requires.
        expected: Vec<u64>,
        /// The shape of the layout.
        given: Vec<u64>,
    },
    /// A label that is summed over, but is not given a layout.
    #[error("`{0}` is summed over; give its layout")]
    MissingRun(char),
    /// An axis that the result lacks.
    #[error("axis {axis} does not exist: the result has rank {rank}")]
    UnknownAxis {
        /// The axis.
        axis: usize,
        /// The number of axes.
        rank: usize,
    },
    /// Parts whose extents do not add up to that of the axis.
    #[error("the extents of the parts do not add up to the {extent} of axis {axis}")]
    Parts {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u64,
    },
    /// Shapes that differ in more than the gathered axis.
    #[error("{operand:?} and {result:?} differ in more than axis {axis}")]
    GatherShapes {
        /// The shape of the operand.
        operand: Vec<u64>,
        /// The shape of the result.
        result: Vec<u64>,
        /// The axis.
        axis: usize,
    },
    /// A table of indexes whose length is not the extent of the axis of the result.
    #[error("the table has {entries} entries for {extent} indexes")]
    TableLength {
        /// The number of entries of the table.
        entries: u64,
        /// The extent of the axis.
        extent: u64,
    },
    /// Padding whose rank differs from that of the result.
    #[error("the padding needs one entry per axis of the result, whose rank is {rank}")]
    PaddingRank {
        /// The rank of the result.
        rank: usize,
    },
    /// An operand that does not fit after its padding.
    #[error(
        "{low} of padding and {operand} of the operand exceed the extent {extent} of axis {axis}"
    )]
    PaddingOutOfRange {
        /// The axis.
        axis: usize,
        /// The padding in front.
        low: u64,
        /// The extent of the operand.
        operand: u64,
        /// The extent of the result.
        extent: u64,
    },
    /// A layout with derived axes, where only plain layouts are supported.
    #[error("a layout has derived axes, and this operation takes plain axes only")]
    DerivedAxes,
    /// Loops of a window that are split in a way that cuts no axis of the operand.
    #[error(
        "an axis that is read through windows can be split over units in one of its loops, and not over lanes or time"
    )]
    Taps,
    /// An axis that is summed over and feeds a derived axis.
    #[error("a contracted axis feeds a derived axis, which this operation does not support")]
    SumFeeds,
}

impl Diagnostic for EinsumError {
    fn help(&self) -> Option<String> {
        match self {
            EinsumError::Layout(error) => error.help(),
            _ => None,
        }
    }

    fn site(&self) -> Site {
        match self {
            EinsumError::Layout(error) => error.site(),
            _ => Site::Layout,
        }
    }
}
