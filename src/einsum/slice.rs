//! A part of a tensor.

use crate::algebra::Layout;
use crate::error::LayoutError;

/// The layout of the part of `operand` that a slice along `axis` keeps, where it lies.
///
/// Law: element i of the part is element `start + step x i` of the operand and stays where it is.
///
/// # Errors
/// As [`Layout::slice`].
///
/// # Example
/// ```
/// use tensor_layout::Layout;
/// use tensor_layout::einsum::slice;
/// let operand: Layout = "((4_PE, 3:8), (8:1))".parse()?;
/// let half = slice(&operand, 0, (0, 6), 1)?;
/// assert_eq!(half.locate(&[5, 7])?, operand.locate(&[5, 7])?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn slice(
    operand: &Layout,
    axis: usize,
    (start, end): (u64, u64),
    step: u64,
) -> Result<Layout, LayoutError> {
    operand.slice(axis, start, end, step)
}
