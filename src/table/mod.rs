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
mod cell;
mod form;
mod inverse;
mod lanes;
mod npy;
mod pack;
#[cfg(feature = "rayon")]
mod parallel;
mod program;
mod rows;
mod runs;
mod stream;
mod sweep;
mod unit;
mod write;

use itertools::Itertools;

use crate::algebra::Location;
use crate::error::{LayoutError, Site};
use crate::level::Level;
use crate::machine::Machine;

pub use cell::Cell;
pub use inverse::Held;
pub use lanes::{Lane, join_lanes, split_lanes};
pub use npy::{NpyHeader, NpyTable};
pub use program::Program;
pub use rows::{Row, Table};
pub use runs::{Run, Runs};
pub use stream::ImageForm;
pub use unit::{Slot, UnitTable};
pub use write::{Format, WriteError};

/// A place can be fixed in levels that have a column.
fn check_columns(
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
