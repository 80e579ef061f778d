//! Infallible conversions between lengths in memory and numbers.

use std::sync::LazyLock;

use num_integer::Integer;

/// A length or an index as a number.
#[inline]
#[allow(clippy::as_conversions, reason = "`usize` has at most 64 bits, which is asserted below")]
pub const fn to_u64(length: usize) -> u64 {
    length as u64
}

const _: () = assert!(usize::BITS <= u64::BITS);

/// A threshold between two ways of computing an answer. For tests: in builds with debug assertions, the environment
/// variable `TENSOR_LAYOUT_SEAMS=early` lowers it so far that the small cases of the laws are on both sides.
#[inline]
pub(crate) fn seam(usual: u64, early: u64) -> u64 {
    if cfg!(debug_assertions) && *EARLY_SEAMS { early } else { usual }
}

static EARLY_SEAMS: LazyLock<bool> =
    LazyLock::new(|| std::env::var_os("TENSOR_LAYOUT_SEAMS").is_some_and(|value| value == "early"));

/// The least common multiple; `None` if it does not fit in 64 bits.
pub(crate) fn lcm(a: u64, b: u64) -> Option<u64> {
    (a / a.gcd(&b)).checked_mul(b)
}

/// Converts a number to an index or a length. A number beyond `usize` becomes `usize::MAX`, which is likewise
/// beyond the end of every slice.
#[inline]
pub fn to_index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
