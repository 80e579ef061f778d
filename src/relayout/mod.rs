//! The traffic from one layout of a tensor to another, without touching elements.
//!
//! ```text
//! ((4_PE, 3:8), (8:1))  ->  ((12:2), (4_PE, 2:1))        on PE=4
//!
//! digit of an axis      from      to
//! axis 0, 4 at 3        PE        Addr x 6
//! axis 0, 3 at 1        Addr x 8  Addr x 2
//! axis 1, 4 at 2        Addr x 2  PE
//! axis 1, 2 at 1        Addr x 1  Addr x 1
//!
//! An element stays on its PE if its digit of axis 1 is its digit of axis 0: 24 of 96.
//! ```
//!
//! The files, in the order in which a query passes through them; they exchange the types in `digit`:
//!
//! ```text
//! pair        both layouts in the nodes that lead to their memories, by `nodes`
//! refine      the digits that both sides have in common, axis by axis
//! counter     their steps in the coordinates that are compared; boxes of axes that end within digits
//! equations   small digits in small equations, cut where nothing is carried
//! system      digits that settle, join or are free
//! listing     the sums of numbers that the sides split differently, in runs
//! search      the number of ways in which all that is left adds up to 0
//! numbered    instead of equations, bits of a unit's number: for `alike` (the busiest, with `lists`) and `flows`
//! traffic     the answer, with the units that can take part by `holders`
//!
//! cost (with movements by borders), pricer, dominance, units, share, flows, moves, transfers, stretch, overwritten, devices, same_devices, census    other questions
//! refuse      the errors
//! ```

mod alike;
mod borders;
mod census;
mod cost;
mod counter;
mod devices;
mod digit;
mod dominance;
mod equations;
mod flows;
mod holders;
mod listing;
mod lists;
mod moves;
mod nodes;
mod numbered;
mod options;
mod overwritten;
mod pair;
mod pricer;
mod refine;
mod refuse;
mod same_devices;
mod search;
mod share;
mod stretch;
mod system;
mod traffic;
mod transfers;
mod units;
#[cfg(feature = "serde")]
mod written;

pub(crate) use census::count_at;
pub use cost::{Cost, CostModel, CostUnit, Rate};
pub use dominance::PricedChoice;
pub use flows::Flows;
pub(crate) use holders::{holders_along, holders_at_most};
pub use moves::{Account, CopiesHeld, Move, MovedCopies};
pub(crate) use nodes::in_nodes_of_both;
pub use overwritten::{Overwritten, WriteOrder};
pub use pair::{Distance, Relayout, TimeOrder};
pub use pricer::{PartId, Pricer, PricerStatistics, traffic_between};
pub use share::Busiest;
pub(crate) use traffic::NO_TRAFFIC;
pub use traffic::{LevelTraffic, Traffic};
pub use transfers::{PlaceRun, Transfer, Transfers};
pub use units::UnitPart;
