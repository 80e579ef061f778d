//! The parts that move: digits, transfers of elements, and the places that a transfer must not overwrite yet.

pub(super) mod account;
pub(super) mod overwritten;
pub(super) mod stretch;
pub(super) mod transfers;
