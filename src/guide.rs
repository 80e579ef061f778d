//! The documents of the crate, compiled: every example in them is a test.

#[doc = include_str!("guide/tutorial.md")]
pub mod tutorial {}

#[doc = include_str!("../docs/notation.md")]
pub mod notation {}

#[doc = include_str!("../docs/xla.md")]
pub mod xla {}

#[doc = include_str!("../docs/algebra.md")]
pub mod algebra {}

#[doc = include_str!("../docs/relayout.md")]
pub mod relayout {}

#[doc = include_str!("../docs/planner.md")]
pub mod planner {}
#[doc = include_str!("../docs/vectors.md")]
pub mod vectors {}
#[doc = include_str!("../docs/sharding.md")]
pub mod sharding {}

#[doc = include_str!("../docs/compare.md")]
pub mod compare {}

#[doc = include_str!("../docs/design.md")]
pub mod design {}

#[doc = include_str!("../docs/performance.md")]
pub mod performance {}

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub mod readme {}
