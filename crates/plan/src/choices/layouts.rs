//! Layouts that choices are made of.

use itertools::Itertools;
use tensor_layout::algebra::{Subaxis, Target};
use tensor_layout::einsum::{EinsumError, with_dense_addresses};
use tensor_layout::{Layout, LayoutError, Level};

/// The layout at row-major addresses, with a copy on every unit.
pub(super) fn row_major(shape: &[u64]) -> Result<Layout, LayoutError> {
    let mut stride = 1_u64;
    let digits = shape.iter().rev().map(|extent| {
        let digit = Subaxis::land((*extent).max(1), Level::ADDR, stride);
        stride = stride.saturating_mul(digit.size);
        (*extent, digit)
    });
    let digits = digits.collect_vec();
    let axes = digits.into_iter().rev();
    axes.fold(Layout::builder(), |built, (extent, digit)| built.axis(extent, [digit])).build()
}

/// A layout in long words of another width of element: lanes that fit no longer are addresses.
pub(super) fn without_lanes(layout: &Layout) -> Result<Layout, EinsumError> {
    let mut of = Layout::builder();
    for level in layout.used_levels().iter().filter(|level| **level != Level::W) {
        of = of.used(*level).offset(*level, layout.offset(*level));
    }
    for axis in layout.axes() {
        let digit = |digit: &Subaxis| match digit.target {
            Target::Land { level: Level::W, .. } => Subaxis::land(digit.size, Level::ADDR, 1),
            _ => *digit,
        };
        of = of.axis(axis.extent, axis.subaxes.iter().map(digit));
    }
    for copies in layout.replicas().iter().filter(|copies| copies.level != Level::W) {
        of = of.replica(copies.size, copies.level, copies.stride);
    }
    with_dense_addresses(&of.build()?)
}
