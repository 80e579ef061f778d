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
//! The folders and files, in the order in which a query passes through them; they exchange the types in `count/digit`:
//!
//! ```text
//! pair             both layouts in the nodes that lead to their memories, by `nodes`
//! count/           how many elements are in common
//!   refine         the digits that both sides have in common, axis by axis
//!   counter        their steps in the coordinates that are compared; boxes of axes that end within digits
//!   equations      small digits in small equations, cut where nothing is carried
//!   system         digits that settle, join or are free
//!   listing        the sums of numbers that the sides split differently, in runs
//!   search         the number of ways in which all that is left adds up to 0
//!   traffic        the answer, with the units that can take part
//! busiest/         instead of equations, bits of a unit's number, by `numbered`: `alike` (with `lists`) finds the
//!                  busiest unit, `share` its traffic, `flows` who sends to whom
//! moves/           `account` of the digits, `transfers` in even stretches, `overwritten` places
//! price/           `cost` by rates of levels and `borders`; `units` with equal parts, `pricer`, `dominance`
//! ```

mod busiest;
mod count;
mod moves;
mod nodes;
mod pair;
#[cfg(feature = "text")]
mod price;

pub use busiest::flows::Flows;
pub use busiest::share::Busiest;
pub use count::traffic::{LevelTraffic, Traffic};
pub(crate) use count::traffic::{NO_TRAFFIC, fit, holders_along, holders_at_most};
pub use moves::account::{Account, Move, MovedCopies};
pub use moves::overwritten::{Overwritten, WriteOrder};
pub use moves::transfers::{PlaceRun, Transfer, Transfers};
pub(crate) use nodes::in_nodes_of_both;
pub use pair::{Distance, Relayout, TimeOrder};
#[cfg(feature = "text")]
pub use price::{
    Cost, CostModel, CostUnit, PartId, PricedChoice, Pricer, PricerStatistics, Rate, UnitPart,
    traffic_between,
};
