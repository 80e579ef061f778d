//! All integration tests, in one binary.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests fail by panic")]
#![allow(clippy::as_conversions, reason = "small numbers")]
#![allow(clippy::single_range_in_vec_init, reason = "a window has one range per axis")]
#![allow(missing_docs, reason = "the names of tests are statements")]

mod access;
mod access_phases;
mod assembly;
mod atoms;
mod atoms_stored;
mod bitcast;
mod candidates;
mod candidates_slow;
mod corpus;
mod cute;
mod cute_code;
mod cute_judge;
mod cute_modes;
mod cute_pairs;
mod dominance;
mod dumped;
mod einsum;
mod einsum_edges;
mod faults;
mod formats;
mod gather;
mod generate;
mod group_memory;
mod halo;
mod house;
mod inside_units;
mod laws;
mod mlir;
mod mutated;
mod notations;
mod pairs;
mod placement;
mod plain;
mod program;
mod program_edges;
mod readings;
mod refusals;
mod relayout;
mod route;
mod route_choice;
mod route_pairs;
mod route_reach;
mod run;
mod seed_001;
mod sharding;
mod sharding_devices;
mod sharding_pieces;
mod sharding_text;
mod slow;
mod stage;
mod swizzle;
mod total;
mod triton;
mod windows;
mod xla;
