//! The pages of `docs/` and a tutorial. Every example in them is a test.

/// A page as `build.rs` wrote it for rustdoc.
macro_rules! page {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $name, ".md"))
    };
}

#[doc = page!("tutorial")]
pub mod tutorial {}

#[doc = page!("notation")]
pub mod notation {}

#[doc = page!("xla")]
pub mod xla {}

#[doc = page!("xla-reference")]
pub mod xla_reference {}

#[doc = page!("algebra")]
pub mod algebra {}

#[doc = page!("relayout")]
pub mod relayout {}

#[doc = page!("relayout-reference")]
pub mod relayout_reference {}

#[doc = page!("routes")]
pub mod routes {}

#[doc = page!("planner")]
pub mod planner {}

#[doc = page!("gpu")]
pub mod gpu {}

#[doc = page!("vectors")]
pub mod vectors {}

#[doc = page!("vectors-reference")]
pub mod vectors_reference {}

#[doc = page!("sharding")]
pub mod sharding {}

#[doc = page!("sharding-reference")]
pub mod sharding_reference {}

#[doc = page!("sharding-dumps")]
pub mod sharding_dumps {}

#[doc = page!("testing")]
pub mod testing {}

#[doc = page!("compare")]
pub mod compare {}

#[doc = page!("design")]
pub mod design {}

#[doc = page!("performance")]
pub mod performance {}

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub mod readme {}
