//! The interface as C and C++ see it.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests fail by panic")]
#![allow(clippy::as_conversions, reason = "small numbers")]

mod answers;
mod headers;
mod pages;
mod programs;
