//! All tests of the member, in one binary.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests fail by panic")]
#![allow(missing_docs, reason = "the names of tests are statements")]

mod audit;
mod brute;
mod execute;
mod limits;
mod machines;
mod mesh;
mod onnx;
mod pins;
mod search;
mod small;
mod spec;
