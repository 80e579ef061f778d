//! Address tables of a placement: every slot in the order of its place, or of one unit.
//!
//! ```text
//! (10,7)/((3:7, 4_PE), (7:1))    PE Addr   i0 i1
//!                                 0    0    0  0
//!                                 0    1    0  1
//!                                 ..
//!                                 2   14    -  -   padding: row 10 does not exist
//! ```

#[cfg(feature = "arrow")]
mod arrow;
mod order;
mod read;
mod table;
mod unit;
mod write;

use crate::error::{LayoutError, fault};
use crate::level::Level;

#[cfg(feature = "arrow")]
pub use arrow::ColumnWidth;
pub use table::{Row, Table};
pub use unit::{Slot, UnitTable};
pub(crate) use write::Lines;
pub use write::{Format, WriteError};

/// The names of columns: the levels, then `i0`, `i1`, ..
pub(crate) fn names_of(
    levels: impl Iterator<Item = Level>,
    rank: usize,
) -> impl Iterator<Item = String> {
    levels.map(|level| level.to_string()).chain((0..rank).map(|axis| format!("i{axis}")))
}

/// Rejects a level with the name of an entry of the index, for formats that find columns by name.
pub(crate) fn check_names(
    mut levels: impl Iterator<Item = Level>,
    rank: usize,
) -> Result<(), LayoutError> {
    let is_entry = |level: &Level| level.axis_number().is_some_and(|axis| axis < rank);
    levels.find(is_entry).map_or(Ok(()), |level| {
        Err(fault!(
            Unsupported,
            "two columns of the table would be called `{level}`: a level and an \
             entry of the index",
            [level]
        )
        .with_help("rename the level, or write JSON lines, which keep places and indexes apart"))
    })
}
