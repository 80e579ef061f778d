//! A layout for every value of a graph, with the least cycles of everything together.
//!
//! ```text
//! variables     one per operation and per given value; its choices are those of `choices`; one per layout that the
//!               readers of a value share
//! costs         own price of a choice; for each operand, the price of the switch from where the value is
//! search        least sum, exact where the graph is narrow
//! routes        the movements of every switch that the plan has
//! ```

mod against;
mod edges;
mod explain;
mod kept;
mod lifetimes;
mod options;
mod pinned;
mod places;
mod planning;
mod report;
mod reported;
mod routes;
mod sdk;
mod solved;
mod text;
mod variables;
mod what_if;

pub use against::{Changed, Comparison, InPlan};
pub use explain::{Alternative, Explanation, NeighbourSwitch};
pub use options::PlanOptions;
pub use places::Place;
pub use planning::{Planner, Watch, plan};
pub use report::{
    EnteringUnits, KeptLayout, PinReport, PlanReport, PlannedOperand, PlannedSwitch, PlannedValue,
    Room, SeenLayout, SwitchRoute, Totals,
};
pub use sdk::SdkFiles;
pub use solved::Plan;
