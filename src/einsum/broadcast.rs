//! Repeating a tensor along new axes.

use super::dense::unknown_axis;
use super::loops::Loops;
use crate::algebra::Layout;
use crate::error::LayoutError;

/// Returns the layout of an operand that lacks some axes of the result.
///
/// Law: every element of the result finds its operand in its unit, time slice and lane.
///
/// # Errors
/// [`LayoutError`] for an axis beyond the rank or a layout that is not plain; `Collision`
/// where copies overlap because a new axis is not full.
///
/// # Example
/// ```
/// use tensor_layout::Layout;
/// use tensor_layout::einsum::broadcast;
/// let result: Layout = "((4_PE, 2:8), (2_MAB, 8:1))".parse()?;
/// assert_eq!(broadcast(&result, &[0])?, "((2_MAB, 8:1); B@[4_PE:1])".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn broadcast(result: &Layout, new_axes: &[usize]) -> Result<Layout, LayoutError> {
    let rank = result.rank();
    if let Some(axis) = new_axes.iter().find(|axis| **axis >= rank) {
        return Err(unknown_axis(*axis, rank));
    }
    let kept: Vec<usize> = (0..rank).filter(|axis| !new_axes.contains(axis)).collect();
    Loops::new(result, Vec::new())?.operand(&kept)
}
