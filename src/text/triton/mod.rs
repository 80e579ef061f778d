//! Layouts of Triton: an encoding and a shape determine the index that each hardware bit maps to, and the
//! inverse of that map is the layout.
//!
//! ```text
//! encoding + shape     tile, fitted to the shape      bases                 inverse
//! #ttg.blocked<..>     registers, lanes, warps        lane=4 -> (1, 0)      (1, 0) -> LANE 4
//! ```

mod bases;
mod cluster;
mod distributed;
mod dpas;
mod keys;
mod linear;
mod lower;
mod mma;
mod read;
mod shared;
mod tensor_memory;
mod tile;
mod tree;

pub use bases::LinearLayout;
pub use tree::TritonLayout;
