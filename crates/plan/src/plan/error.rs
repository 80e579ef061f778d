//! Graphs for which there is no plan.

use tensor_layout::LayoutError;

use crate::pins::PinError;
use crate::search::ProblemError;

/// A graph for which there is no plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A machine whose switches have no prices.
    #[error(transparent)]
    Machine(LayoutError),
    /// An error of a layout.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// An error of the search.
    #[error(transparent)]
    Search(#[from] ProblemError),
    /// Pins that no plan has.
    #[error(transparent)]
    Pin(#[from] PinError),
    /// An operation without a choice.
    #[error("`{name}`, a {kind} of {shape:?}, has no layout on this machine")]
    NoChoice {
        /// The operation or value.
        name: String,
        /// Its operator.
        kind: String,
        /// The extents of its result.
        shape: Vec<u64>,
    },
}
