//! A plan, executed: every leaf has a memory of its own and computes from that memory alone.
//!
//! ```text
//! store      the elements of a value in the memories of units, each with the number of the element that it is
//! switches   values brought into the layouts that operands want, by the transfers of a relayout
//! compute    iterations where the loops say; halos fetched; partial sums added where the result is wanted
//! ```
//!
//! Numbers that a unit lacks, or has in another place, are errors. Transfers and sums that the plan has no price for are
//! errors too. So equal results prove the layouts of a plan, and its switches, sums and halos.

mod compute;
mod state;
mod steps;
mod store;
mod switches;

pub use state::{AsPlanned, Execution, Tamper};
pub use steps::execute;
