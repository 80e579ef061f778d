//! The names of columns: the levels, then `i0`, `i1`, ..

use tensor_layout::error::fault;
use tensor_layout::rows::Table;
use tensor_layout::{LayoutError, Level};

/// Rejects a table two of whose columns have the same name, which formats that find columns by name cannot hold.
///
/// # Errors
/// `Unsupported` for a level with the name of an entry of the index.
pub fn check_names(table: &Table<'_>) -> Result<(), LayoutError> {
    check_levels(&written_levels(table), table.placement().layout().rank())
}

/// The levels of the columns that are written.
pub(crate) fn written_levels(table: &Table<'_>) -> Vec<Level> {
    table.written_columns().into_iter().map(|at| table.placement().columns()[at]).collect()
}

/// The names of columns, the levels first.
pub(crate) fn names(levels: &[Level], rank: usize) -> impl Iterator<Item = String> {
    levels.iter().map(ToString::to_string).chain((0..rank).map(|axis| format!("i{axis}")))
}

/// Rejects a level with the name of an entry of the index.
pub(crate) fn check_levels(levels: &[Level], rank: usize) -> Result<(), LayoutError> {
    let is_entry = |level: &&Level| level.axis_number().is_some_and(|axis| axis < rank);
    levels.iter().find(is_entry).map_or(Ok(()), |&level| {
        Err(fault!(
            Unsupported,
            "two columns of the table would be called `{level}`: a level and an \
             entry of the index",
            [level]
        )
        .with_help("rename the level, or write JSON lines, which keep places and indexes apart"))
    })
}
