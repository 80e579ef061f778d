//! The errors of tables of places.

use crate::error::{Diagnostic, LayoutError, Site};
use crate::level::Level;
use crate::text::sharding::ShardingError;

/// The reason a table of rows, of a program or of memory cells cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// An error of the layout.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// An error of the sharding.
    #[error(transparent)]
    Sharding(#[from] ShardingError),
    /// A buffer of the wrong length.
    #[error("the table has {wanted} entries, but the buffer has {found}")]
    BufferLength {
        /// The length of the buffer.
        found: u64,
        /// The length that it must have.
        wanted: u64,
    },
    /// Numbers that are too large for the cells of a buffer.
    #[error("the table holds numbers up to {reach}, which do not fit in {bits} bits")]
    CellTooNarrow {
        /// The greatest number.
        reach: u64,
        /// The width of a cell.
        bits: usize,
    },
    /// A table with more rows to sort than allowed.
    #[error(
        "cannot sort the table: {rows} rows have coordinates whose strides overlap (the limit is {limit})"
    )]
    TooManyRows {
        /// The number of rows that have to be sorted together.
        rows: u64,
        /// The greatest number allowed.
        limit: u64,
    },
    /// A part of a table that does not exist.
    #[error("part {part} is out of range: {parts} parts are numbered from 0")]
    PartOutOfRange {
        /// The part, from 0.
        part: u64,
        /// The number of parts.
        parts: u64,
    },
    /// A level with the name of an index entry, in a table that has a column for each.
    #[error(
        "two columns of the table would be called `{level}`: a level and an entry of the index"
    )]
    DuplicateColumn {
        /// The level.
        level: Level,
    },
    /// Lanes that do not fill the long words of an image.
    #[error("{lanes} lanes of {element_bits} bits do not fill a long word of 64 bits")]
    WordNotFilled {
        /// The number of lanes the layout has.
        lanes: u64,
        /// Width of an element.
        element_bits: u64,
    },
}

impl Diagnostic for TableError {
    fn help(&self) -> Option<String> {
        match self {
            TableError::Layout(error) => error.help(),
            TableError::Sharding(error) => error.help(),
            TableError::DuplicateColumn { .. } => Some(
                "rename the level, or write JSON lines, which keep places and indexes apart".into(),
            ),
            TableError::WordNotFilled { .. } => {
                Some("write the image as cells, or use a type that fills the lanes".into())
            }
            _ => None,
        }
    }

    fn site(&self) -> Site {
        match self {
            TableError::Layout(error) => error.site(),
            _ => Site::Layout,
        }
    }
}
