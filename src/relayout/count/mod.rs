//! Counting of what two layouts have in common: from digits to the number of ways in which sums agree.

pub(super) mod counter;
pub(super) mod digit;
pub(super) mod equations;
pub(super) mod listing;
pub(super) mod options;
pub(super) mod refine;
pub(super) mod search;
pub(super) mod system;
pub(super) mod traffic;
