//! Einsums: `ij,jk->ik`.

mod tree;

pub use tree::Einsum;
