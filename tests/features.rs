//! Tests of the features that `cargo test` does not turn on, in one binary.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests fail by panic")]
#![allow(clippy::as_conversions, reason = "small numbers")]
#![allow(dead_code, reason = "the generator serves the laws too")]
#![allow(missing_docs, reason = "the names of tests are statements")]

mod columns;
mod cores;
mod generate;
mod slow;
mod stored;
