//! Tensors one after the other along an axis.

use super::dense::unknown_axis;
use crate::algebra::Layout;
use crate::error::{LayoutError, fault};

/// Returns the layouts of operands with these extents, which form the result when concatenated along `axis`.
///
/// Law: along the axis, element i of an operand is in the place of element `start + i` of the result.
///
/// # Errors
/// [`LayoutError`] for an axis beyond the rank, or extents that do not add up to that of
/// the axis; also the errors of [`Layout::slice`].
///
/// # Example
/// ```
/// use tensor_layout::Layout;
/// use tensor_layout::einsum::concatenate;
/// let result: Layout = "((4_PE, 2:3), (3:1))".parse()?;
/// let parts = concatenate(&result, 0, &[4, 4])?;
/// assert_eq!(parts[1].locate(&[3, 2])?, result.locate(&[7, 2])?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn concatenate(
    result: &Layout,
    axis: usize,
    extents: &[u64],
) -> Result<Vec<Layout>, LayoutError> {
    let Some(whole) = result.axes().get(axis).map(|axis| axis.extent) else {
        return Err(unknown_axis(axis, result.rank()));
    };
    if extents.iter().try_fold(0, |sum: u64, extent| sum.checked_add(*extent)) != Some(whole) {
        return Err(fault!(
            Argument,
            "the extents of the parts do not add up to the {extent} of axis {axis}",
            [extent = whole, axis]
        ));
    }
    let mut start = 0;
    let part = |extent: &u64| {
        let from = start;
        start += extent;
        result.slice(axis, from, start, 1)
    };
    Ok(extents.iter().map(part).collect::<Result<_, _>>()?)
}
