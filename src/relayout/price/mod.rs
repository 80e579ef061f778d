//! The cost of moving: rates of levels and borders, equal parts, and choices that are never cheaper.

pub(super) mod borders;
pub(super) mod cost;
pub(super) mod dominance;
pub(super) mod pricer;
pub(super) mod units;
#[cfg(feature = "serde")]
mod written;
