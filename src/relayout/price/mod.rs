//! The cost of moving: rates of levels and borders, equal parts, and choices that are never cheaper.

mod borders;
mod cost;
mod dominance;
mod pricer;
mod units;
mod uses;
mod ways;
#[cfg(feature = "serde")]
mod written;

pub use cost::{Cost, CostModel, CostUnit, Rate};
pub use dominance::PricedChoice;
pub use pricer::{PartId, Pricer, PricerStatistics, traffic_between};
pub use units::UnitPart;
