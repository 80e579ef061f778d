//! Tensors into memories and back: pack, unpack, long words, `.npy` files.

mod lanes;
mod npy;
mod npy_header;
mod pack;
mod stream;
mod transpose;
mod units;

pub use lanes::{Lane, join_lanes, split_lanes};
pub use npy::NpyTable;
pub use npy_header::NpyHeader;
pub use stream::ImageForm;
pub use units::{UnitReader, UnitWriter};
