//! The errors of relayouts.

use crate::error::{Incomparable, LayoutError, Site};

/// The error for two sides that cannot be compared.
pub(super) fn differ(what: Incomparable) -> LayoutError {
    LayoutError::NotComparable(what)
}

/// The error for digits that make more sums, boxes or values than the budget allows.
pub(super) fn not_decided(budget: u64) -> LayoutError {
    LayoutError::NotDecided { question: "counting the elements that move", budget }
}

/// Converts a count for callers to 64 bits.
///
/// # Errors
/// [`TooLarge`](LayoutError::TooLarge) where it does not fit in 64 bits.
pub(super) fn fit(count: u128) -> Result<u64, LayoutError> {
    u64::try_from(count).map_err(|_| LayoutError::too_large(Site::Layout, "the traffic"))
}
