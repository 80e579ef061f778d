//! A layout for every value of a graph, with the least cycles of everything together.
//!
//! ```text
//! variables     one per operation and per given value; its choices are those of `choices`; one per layout that the
//!               readers of a value share
//! costs         own price of a choice; for each operand, the price of the switch from where the value is
//! search        least sum, exact where the graph is narrow
//! routes        the movements of every switch that the plan has
//! ```

mod edges;
mod kept;
mod lifetimes;
mod options;
mod planning;
mod report;
mod reported;
mod routes;
mod solved;
mod text;
mod variables;

pub(crate) use edges::viewed;
pub use options::PlanOptions;
pub use planning::{Planner, Watch, plan};
pub use report::{
    KeptLayout, PlanReport, PlannedOperand, PlannedSwitch, PlannedValue, Room, SwitchRoute, Totals,
};
pub use solved::Plan;
