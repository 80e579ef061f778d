//! The command by its output, and the statements about it in the pages of the project.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests fail by panic")]
#![allow(clippy::as_conversions, reason = "small numbers")]
#![allow(missing_docs, reason = "the names of tests are statements")]

// The CuTe oracle of the library.
#[path = "../../../tests/cute_judge.rs"]
#[allow(dead_code, reason = "the library asks it more")]
mod cute_judge;

#[path = "../../vectors/tests/sample.rs"]
#[allow(dead_code, reason = "the tests of vectors ask more")]
mod sample;

mod commands;
mod counts;
mod cute;
mod devices;
mod documents;
mod dump_page;
mod edits;
#[cfg(feature = "explore")]
mod explore;
#[cfg(feature = "explore")]
mod explore_limits;
#[cfg(feature = "explore")]
mod explore_links;
#[cfg(feature = "explore")]
mod explore_page;
mod files;
mod json;
mod moves;
mod options;
mod outputs;
mod pastes;
mod plans;
mod readings;
mod slips;
mod vectors;

use commands::{ROOT, command, json_of, refused, run, stdout};
