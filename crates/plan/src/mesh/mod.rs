//! Shardings of a [program](crate::program) on a mesh of devices: a plan of the same [search](crate::search), with other choices and
//! other prices.
//!
//! ```text
//! grid      axes of devices, what a backend can do, and rates
//! spec      the axes that cut each dimension of a tensor
//! choices   ways to share the loops of an operation: specs of operands and results, sums over devices
//! reshard   from one spec to another: the collectives that a partitioner makes of it, and their bytes
//! problem   variables, and costs between them
//! memory    what tensors take of a device, and when
//! plan      the search, and what it chose
//! report    the plan as data, and as a page
//! against   a plan beside the shardings that a program has
//! write     the program with the plan in it, for `jax` and XLA
//! ```

mod against;
mod choices;
mod grid;
mod memory;
mod plan;
mod problem;
mod report;
mod reshard;
mod spec;
mod write;

pub use against::MeshComparison;
pub use choices::MeshChoice;
pub use grid::{Backend, Mesh, MeshRates};
pub use plan::{MeshOptions, MeshPlan, plan_mesh};
pub use report::{CollectiveReport, MeshReport, ShardedReport};
pub use reshard::{Reshard, ReshardStep, StepKind};
pub use spec::Spec;
