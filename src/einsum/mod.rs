//! Operations between tensors: the layouts that make them local, and the cost of their sums.
//!
//! ```text
//! bsk,kn->bsn     result  ((4_L2B:1), (16:1), (8_MAB:1))     k runs over (4_PE:1, 32:1)
//!
//! product (b,s,k,n) in L2B b, MAB n, PE k / 32
//! operand bsk     ((4_L2B:1), (16:32), (4_PE:1, 32:1); B@[8_MAB:1])
//! operand kn      ((4_PE:1, 32:8), (8_MAB:1); B@[4_L2B:1])   it lacks b, so every L2B has a copy
//! partial sums    in PE: 4 of every element of the result
//! ```
//!
//! An operation is *local* if every product finds its operands in its unit, its time slice and its lane.
//! The axes of the result and the axes summed over determine where each product is computed. An operand uses
//! the same digits for the axes that it has, and copies for those that it lacks; its addresses are free to
//! choose, and are row-major here.
//!
//! Each operation has its law at the top; those with one operand are in one file. Layouts of results and operands must be plain,
//! without derived axes that [`simplified`](crate::Layout::simplified) cannot remove; edits of the index
//! alone ([`transpose`], [`Layout::reshape`](crate::Layout::reshape), [`concatenate`], [`pad`]) accept any layout. All operations derive
//! operands from the result. For the other direction, use the edits of a [`Layout`](crate::Layout), such as
//! [`slice`](crate::Layout::slice) and [`windows`](crate::Layout::windows), and [`Local::accepts`] for
//! operands whose layouts are given.

mod dense;
mod gather;
mod gather_runs;
mod halo;
mod labels;
mod local;
mod loops;
mod operands;
mod served;
mod summed;
mod sums;

pub use gather::Gather;
pub use halo::{Halo, ReadAxis};
pub use labels::Einsum;
pub use local::Local;
pub use operands::{at_rest, broadcast, concatenate, pad, reduce, transpose, with_dense_addresses};
pub use sums::Sums;
