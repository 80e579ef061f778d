//! Address tables of a placement: every slot in the order of its place, or of one unit.
//!
//! ```text
//! (10,7)/((3:7, 4_PE), (7:1))    PE Addr   i0 i1
//!                                 0    0    0  0
//!                                 0    1    0  1
//!                                 ..
//!                                 2   14    -  -   padding: row 10 does not exist
//! ```

mod order;
mod read;
mod table;

pub use order::Block;
pub use table::{Blocks, Row, Table};
