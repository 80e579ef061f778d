//! A tensor with all of its time slices in memory.

use super::dense::{plain, with_axes};
use crate::algebra::Layout;
use crate::error::LayoutError;
use crate::level::Level;

/// Returns the layout with all time slices of a tensor in memory, at row-major addresses.
///
/// Law: each unit and lane holds every element that it holds in some slice, each in a place of its own.
///
/// # Errors
/// [`LayoutError`] for a layout that is not plain.
///
/// # Example
/// ```
/// use tensor_layout::Layout;
/// use tensor_layout::einsum::at_rest;
/// let streamed: Layout = "((8_Time:1, 2_PE:1, 16:4), (4:1))".parse()?;
/// assert_eq!(at_rest(&streamed)?, "((8:64, 2_PE:1, 16:4), (4:1))".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn at_rest(layout: &Layout) -> Result<Layout, LayoutError> {
    let layout = plain(layout)?;
    with_axes(&layout, layout.axes(), |level| level != Level::TIME)
}
