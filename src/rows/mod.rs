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

#[cfg(feature = "arrow")]
pub use arrow::ColumnWidth;
pub use table::{Row, Table};
pub use unit::{Slot, UnitTable};
pub use write::{Format, WriteError};
