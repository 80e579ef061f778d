//! PadLayouts and TensorLayouts: `(10,7)/((3:7, 4_PE), (7:1); B@[L1B])`.

mod dtype;
mod in_full;
mod lower;
mod read;
mod tree;
mod write;

pub use dtype::Dtype;
pub use tree::{AxisText, MemoryText, PadLayout, ReplicaText, SubaxisText};
pub(super) use write::left_out_note;
