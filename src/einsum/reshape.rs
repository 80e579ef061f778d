//! Giving a tensor another shape.

use crate::algebra::Layout;
use crate::error::LayoutError;

/// Returns the layout of an operand that is reshaped into the result.
///
/// Law: the n-th element remains the n-th and stays in its place.
///
/// # Errors
/// As [`Layout::reshape`].
///
/// # Example
/// ```
/// use tensor_layout::Layout;
/// use tensor_layout::einsum::reshape;
/// let heads: Layout = "((16_MAB), (4_PE, 8:1))".parse()?;
/// assert_eq!(reshape(&heads, &[512])?, "((16_MAB, 4_PE, 8:1))".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn reshape(result: &Layout, operand: &[u64]) -> Result<Layout, LayoutError> {
    result.reshape(operand)
}
