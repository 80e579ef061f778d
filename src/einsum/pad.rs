//! Padding a tensor, on either end of its axes.

use crate::algebra::Layout;
use crate::error::{LayoutError, fault};

/// Returns the layout of an operand that begins at index `low` of the result in every axis.
///
/// Law: element i of the operand is in the place of element `low + i` of the result.
///
/// # Errors
/// [`LayoutError`] where the operand does not fit inside the result; also the errors of
/// [`Layout::slice`].
///
/// # Example
/// ```
/// use tensor_layout::Layout;
/// use tensor_layout::einsum::pad;
/// let result: Layout = "((4_PE, 3:1))".parse()?;
/// let operand = pad(&result, &[2], &[8])?;
/// assert_eq!(operand.locate(&[1])?.to_string(), "PE=1,Addr=0");
/// assert!(pad(&result, &[5], &[8]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pad(result: &Layout, low: &[u64], operand: &[u64]) -> Result<Layout, LayoutError> {
    let shape = result.shape();
    if low.len() != shape.len() || operand.len() != shape.len() {
        return Err(fault!(
            Shape,
            "the padding needs one entry per axis of the result, whose rank is {rank}",
            [rank = shape.len()]
        ));
    }
    let mut part = result.clone();
    for (axis, extent) in shape.into_iter().enumerate() {
        let end = low[axis].checked_add(operand[axis]).filter(|end| *end <= extent);
        let Some(end) = end else {
            let (low, operand) = (low[axis], operand[axis]);
            return Err(fault!(
                Argument,
                "{low} of padding and {operand} of the operand exceed the extent \
                 {extent} of axis {axis}",
                [low, operand, extent, axis]
            ));
        };
        part = part.slice(axis, low[axis], end, 1)?;
    }
    Ok(part)
}
