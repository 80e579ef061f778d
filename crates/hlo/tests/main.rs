//! Dumps, and layouts in any text.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests fail by panic")]
#![allow(clippy::as_conversions, reason = "small numbers")]
#![allow(missing_docs, reason = "the names of tests are statements")]

mod calls;
mod code;
mod dumps;
mod losses;
mod memory;
mod modules;
mod mutated;
mod public;
mod readings;
mod rings;
mod scan;
mod sharing;
mod steps;
mod summary;
mod texts;
mod tokens;
