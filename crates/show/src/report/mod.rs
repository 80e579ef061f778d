//! Reports: a placement in numbers, the contents of its units, a shape and its cost.

mod census;
mod placement;
mod shape;
mod sharding;

pub use census::{Census, UnitCount, extreme_units};
pub use placement::{AxisReport, DigitReport, LevelReport, Report, SharedPlace};
pub use shape::{MemberReport, MemberSizes, ShapeReport};
pub use sharding::ShardingReport;
