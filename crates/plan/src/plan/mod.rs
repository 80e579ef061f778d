//! A layout for every value of a graph, with the least cycles of everything together.
//!
//! ```text
//! variables     one per operation and per given value; its choices are those of `choices`
//! costs         own price of a choice; for each operand, the price of the switch from where the value is
//! search        least sum, exact where the graph is narrow
//! routes        the movements of every switch that the plan has
//! ```

mod edges;
mod planning;
mod report;
mod reported;
mod routes;
mod solved;
mod text;
mod variables;

pub(crate) use edges::viewed;
pub use planning::{PlanOptions, plan};
pub use report::{PlanReport, PlannedOperand, PlannedSwitch, PlannedValue, SwitchRoute, Totals};
pub use solved::Plan;
