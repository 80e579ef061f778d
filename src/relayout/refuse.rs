//! The errors of relayouts.

use crate::error::{LayoutError, Site};

/// The error for digits that make more sums, boxes or values than the budget allows.
pub(super) fn not_decided(budget: u64) -> LayoutError {
    LayoutError::not_decided("counting the elements that move", budget)
}

/// Converts a count for callers to 64 bits.
///
/// # Errors
/// `TooLarge` where it does not fit in 64 bits.
pub(super) fn fit(count: u128) -> Result<u64, LayoutError> {
    u64::try_from(count).map_err(|_| LayoutError::too_large(Site::Layout, "the traffic"))
}
