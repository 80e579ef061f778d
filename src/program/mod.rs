//! Compiled placements: whole tables in the caller's memory, points, inverses and runs.

mod boxes;
mod cell;
mod compiled;
mod edges;
mod flips;
mod inverse;
mod locator;
mod lookup;
mod numbers;
#[cfg(feature = "rayon")]
mod parallel;
mod pieces;
mod points;
mod runs;
mod spans;
mod weighted_sum;

pub use cell::Cell;
pub use compiled::Program;
pub use locator::Locator;
pub use runs::Run;
pub use spans::{CoordinateSpan, CoordinateSpans};

pub(crate) use boxes::StepGrid;
pub(crate) use compiled::check_length;
pub(crate) use pieces::{GROUP, Group, PieceRow, Pieces};
