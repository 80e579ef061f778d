//! Sums over an axis.

use super::dense::unknown_axis;
use super::local::Local;
use super::loops::Loops;
use crate::algebra::{Axis, Layout};
use crate::error::LayoutError;

/// Sums over an axis that the operand has in front of axis `at` of the result; `axis` is its extent and
/// digits.
///
/// Law: as [`Einsum::local`](super::Einsum::local); it is `ik->i` for any position of `k`.
///
/// # Errors
/// As [`Einsum::local`](super::Einsum::local); [`LayoutError`] if `at` is beyond the rank.
///
/// # Example
/// ```
/// use tensor_layout::{Layout, Level};
/// use tensor_layout::algebra::{Axis, Subaxis};
/// use tensor_layout::einsum::reduce;
/// let result: Layout = "((4_PE, 2:1))".parse()?;
/// let columns = Axis { extent: 8, subaxes: vec![Subaxis::land(8, Level::ADDR, 1)] };
/// assert_eq!(reduce(&result, 1, columns)?.operands()[0], "((4_PE, 2:8), (8:1))".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn reduce(result: &Layout, at: usize, axis: Axis) -> Result<Local, LayoutError> {
    let rank = result.rank();
    if at > rank {
        return Err(unknown_axis(at, rank));
    }
    let loops = Loops::new(result, vec![axis])?;
    let axes: Vec<usize> = (0..at).chain([rank]).chain(at..rank).collect();
    Local::new(loops, vec![axes])
}
