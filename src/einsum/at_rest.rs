//! A tensor with all of its time slices in memory.

use super::EinsumError;
use super::loops::{is_moving, restrided};
use crate::algebra::{Axis, Layout};
use crate::level::Level;

/// The layout with the slices of a tensor in memory at once, addresses row-major.
///
/// Law: each unit and lane holds the elements that it holds in some slice, and no two in one place.
///
/// # Errors
/// [`EinsumError`](super::EinsumError) for a layout that is not plain.
///
/// # Example
/// ```
/// use tensor_layout::Layout;
/// use tensor_layout::einsum::at_rest;
/// let streamed: Layout = "((8_Time:1, 2_PE:1, 16:4), (4:1))".parse()?;
/// assert_eq!(at_rest(&streamed)?, "((8:64, 2_PE:1, 16:4), (4:1))".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn at_rest(layout: &Layout) -> Result<Layout, EinsumError> {
    let layout = layout.simplified();
    if !layout.derived_axes().is_empty() {
        return Err(EinsumError::DerivedAxes);
    }
    let axes: Vec<&Axis> = layout.axes().iter().collect();
    with_axes(&layout, &axes, |level| level != Level::TIME)
}

/// The layout of some axes, with the levels, offsets and copies of `of` in the levels that count, and with all
/// other digits as row-major addresses.
pub(super) fn with_axes(
    of: &Layout,
    axes: &[&Axis],
    counts: impl Fn(Level) -> bool,
) -> Result<Layout, EinsumError> {
    let counts = |level: Level| level != Level::ADDR && counts(level);
    let mut built = Layout::builder();
    for level in of.used_levels().iter().copied().filter(|level| counts(*level)) {
        built = built.used(level).offset(level, of.offset(level));
    }
    for (axis, subaxes) in axes.iter().zip(restrided(axes, |digit| is_moving(digit, counts))?) {
        built = built.axis(axis.extent, subaxes);
    }
    for replica in of.replicas().iter().filter(|replica| counts(replica.level)) {
        built = built.with_replica(*replica);
    }
    Ok(built.build()?)
}
