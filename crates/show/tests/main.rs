//! Printed pictures, and the figures of the pages.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests fail by panic")]
#![allow(clippy::as_conversions, reason = "small numbers")]
#![allow(missing_docs, reason = "the names of tests are statements")]

mod figures;
mod film;
mod formats;
mod pairs;
