//! The pages of `docs/` and a tutorial. Every example in them is a test.

/// Makes a module of each page, as `build.rs` wrote it for rustdoc.
macro_rules! pages {
    ($($name:ident)+) => {
        $(
            #[doc = include_str!(concat!(env!("OUT_DIR"), "/", stringify!($name), ".md"))]
            pub mod $name {}
        )+
    };
}

pages! {
    tutorial notation xla xla_reference algebra relayout relayout_reference routes specs plan planner gpu access
    vectors vectors_reference sharding sharding_reference sharding_dumps sharding_plan testing compare design
    performance
}

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub mod readme {}
