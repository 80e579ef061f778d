//! Reports: a placement in numbers, a shape and its cost.

pub(crate) mod census;
mod placement;
mod shape;
mod sharding;

pub use census::{Census, UnitCount};
pub use placement::{AxisReport, DigitReport, LevelReport, Report, SharedPlace};
pub use shape::{MemberReport, MemberSizes, ShapeReport};
pub use sharding::{Fill, ShardingReport};
