//! Exchanging axes.

use crate::algebra::Layout;
use crate::error::LayoutError;

/// Returns the layout of an operand whose axis `order[k]` is axis k of the result.
///
/// Law: the element stays where it is: `operand.permute(order) == result`.
///
/// # Errors
/// As [`Layout::permute`].
///
/// # Example
/// ```
/// use tensor_layout::Layout;
/// use tensor_layout::einsum::transpose;
/// let result: Layout = "((2:24), (3_PE), (4:6, 6:1))".parse()?;
/// let operand = transpose(&result, &[2, 0, 1])?;
/// assert_eq!(operand.shape(), [3, 24, 2]);
/// assert_eq!(operand.permute(&[2, 0, 1])?, result);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn transpose(result: &Layout, order: &[usize]) -> Result<Layout, LayoutError> {
    let place = |axis: usize| order.iter().position(|of| *of == axis).unwrap_or(axis);
    // Returns an error unless `order` is a permutation of the axes.
    result.permute(order)?;
    result.permute(&(0..order.len()).map(place).collect::<Vec<_>>())
}
