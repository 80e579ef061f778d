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

use itertools::Itertools;

use crate::error::{LayoutError, Site};
use crate::level::Level;
use crate::location::Location;
use crate::machine::Machine;

#[cfg(feature = "arrow")]
pub use arrow::ColumnWidth;
pub use table::{Row, Table};
pub use unit::{Slot, UnitTable};
pub use write::{Format, WriteError};

/// A place can be fixed in levels that have a column.
pub(crate) fn check_columns(
    columns: &[Level],
    place: &Location,
    machine: Option<&Machine>,
) -> Result<(), LayoutError> {
    let unknown = place.iter().map(|(level, _)| level).find(|level| !columns.contains(level));
    unknown.map_or(Ok(()), |level| {
        let machine = machine.map_or("table".into(), Machine::described);
        let known = columns.iter().join(", ");
        Err(LayoutError::LevelUnknown { level, machine, known, site: Site::Layout })
    })
}
