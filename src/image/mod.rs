//! Tensors into memories and back: pack, unpack, long words, from files to files.

mod lanes;
mod numbers;
mod pack;
mod stream;
mod transpose;

pub use lanes::{Lane, join_lanes, split_lanes};
pub use stream::ImageForm;
