//! Numbers: conversions, common multiples, thresholds.

use std::sync::LazyLock;

use num_integer::Integer;

pub(crate) use tensor_layout_words::{to_index, to_u64};

/// A threshold between two ways of computing an answer. With the feature `test-hooks`, the environment variable
/// `TENSOR_LAYOUT_SEAMS=early` lowers it so far that the small cases of the laws are on both sides.
#[inline]
pub(crate) fn seam(usual: u64, early: u64) -> u64 {
    if cfg!(feature = "test-hooks") && *EARLY_SEAMS { early } else { usual }
}

static EARLY_SEAMS: LazyLock<bool> =
    LazyLock::new(|| std::env::var_os("TENSOR_LAYOUT_SEAMS").is_some_and(|value| value == "early"));

/// The least common multiple; `None` if it does not fit in 64 bits.
pub(crate) fn lcm(a: u64, b: u64) -> Option<u64> {
    (a / a.gcd(&b)).checked_mul(b)
}
