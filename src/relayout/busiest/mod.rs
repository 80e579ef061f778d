//! The units with the most traffic, and who sends to whom: sums as bits of a number of the unit.

pub(super) mod alike;
pub(super) mod flows;
pub(super) mod lists;
pub(super) mod numbered;
pub(super) mod share;
