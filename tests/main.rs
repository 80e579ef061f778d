//! All integration tests, in one binary.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests fail by panic")]
#![allow(clippy::as_conversions, reason = "small numbers")]
#![allow(clippy::single_range_in_vec_init, reason = "a window has one range per axis")]
#![allow(missing_docs, reason = "the names of tests are statements")]

mod bitcast;
mod candidates;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod cli_files;
#[cfg(feature = "cli")]
mod cli_options;
#[cfg(feature = "cli")]
mod cli_outputs;
#[cfg(feature = "cli")]
mod cli_readings;
#[cfg(feature = "cli")]
mod cli_slips;
mod corpus;
mod cute;
mod cute_pairs;
#[cfg(feature = "cli")]
mod documents;
mod dumped;
mod einsum;
#[cfg(feature = "explore")]
mod explore;
mod faults;
mod figures;
mod formats;
mod generate;
mod hlo;
mod hlo_readings;
mod hlo_summary;
mod laws;
mod mutated;
mod notations;
mod plain;
mod program;
mod program_edges;
mod readings;
mod refusals;
mod relayout;
mod rings;
mod run;
mod scan;
mod seed_001;
mod sharding;
mod sharding_devices;
mod sharding_text;
mod shared_memory;
mod slow;
mod stage;
mod total;
mod vectors;
mod xla;
