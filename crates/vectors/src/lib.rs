//! Test vectors of MN-Core 2: from tensors to the lines that a simulator reads, and back.
//!
//! ```text
//! # ======= In(0): ((4_PE:1, 2_W:1))@LM0 / Float =======
//! d set $lm0p0 1 3DCCCCCD3FC00000 # values=[0.10000000149011612, 1.5] / Float @[0],[1]
//!       memory, 32-bit address, units; the long word; its values and their indexes
//! ```
//!
//! A header states the layout in our notation; the lines hold the elements where the layout puts them.
//! [`VectorLine`] and [`VectorHeader`] read and print both. The page `docs/vectors.md` walks through
//! the test of a kernel.

mod check;
mod compare;
mod coverage;
mod data;
mod dump;
mod error;
mod fault;
mod header;
mod line;
mod matched;
mod minifloat;
mod place;
mod read;
mod result;
mod source;
mod spread;
mod tensor;
mod value;
mod words;
mod write;

pub use check::{VectorCheck, check_vectors};
pub use compare::{VectorComparison, VectorDifference, compare_vectors};
pub use data::VectorData;
pub use error::VectorError;
pub use fault::{Fault, Finding, no_dtype, no_memory};
pub use header::{TensorDirection, VectorHeader};
pub use line::{VectorComment, VectorLine, VectorVerb};
pub use place::VectorPlace;
pub use read::{VectorReader, VectorTensor};
pub use value::npy_descr;
pub use write::{DEFAULT_ATOL, VectorWriter, write_vectors};
