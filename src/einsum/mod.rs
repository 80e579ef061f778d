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
//! There is one operation per file, with its law at the top. Layouts of results and operands must be plain,
//! without derived axes that [`simplified`](crate::Layout::simplified) cannot remove; edits of the index
//! alone ([`transpose`], [`reshape`], [`concatenate`], [`pad`]) accept any layout. All operations derive
//! operands from the result. For the other direction, use the edits of a [`Layout`](crate::Layout), such as
//! [`slice`](crate::Layout::slice) and [`windows`](crate::Layout::windows), and [`Local::is_served_by`] for
//! operands whose layouts are given.

mod at_rest;
mod broadcast;
mod concatenate;
mod dense;
mod gather;
mod gather_runs;
mod halo;
mod local;
mod loops;
mod pad;
mod reduce;
mod reshape;
mod served;
mod summed;
mod sums;
mod transpose;

pub use crate::notation::Einsum;
pub use at_rest::at_rest;
pub use broadcast::broadcast;
pub use concatenate::concatenate;
pub use dense::with_dense_addresses;
pub use gather::{Gather, GatherTraffic};
pub use halo::{Halo, ReadAxis};
pub use local::Local;
pub use pad::pad;
pub use reduce::reduce;
pub use reshape::reshape;
pub use sums::{SumTraffic, Sums};
pub use transpose::transpose;
