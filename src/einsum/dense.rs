//! Layouts of other axes and levels, whose addresses are row-major and dense.

use super::EinsumError;
use crate::algebra::{Axis, Layout, LayoutBuilder, Subaxis, Target};
use crate::error::{LayoutError, Site};
use crate::level::Level;

/// A digit that lands outside the address: (size, level, stride).
pub(super) type Outside = (u64, Level, u64);

/// Returns the digit if it lands in a unit, a lane or a time slice.
pub(super) fn outside(subaxis: &Subaxis) -> Option<Outside> {
    match subaxis.target {
        Target::Land { level, stride } if level != Level::ADDR => {
            Some((subaxis.size, level, stride))
        }
        Target::Land { .. } | Target::Feed { .. } => None,
    }
}

/// The layout, simplified; an error if derived axes remain.
pub(super) fn plain(layout: &Layout) -> Result<Layout, EinsumError> {
    let layout = layout.simplified();
    if layout.derived_axes().is_empty() { Ok(layout) } else { Err(EinsumError::DerivedAxes) }
}

/// The layout of some axes, with the levels, offsets and copies of `of` in the levels that count, and with all
/// other digits as row-major addresses.
pub(super) fn with_axes<'a>(
    of: &Layout,
    axes: impl IntoIterator<Item = &'a Axis>,
    counts: impl Fn(Level) -> bool,
) -> Result<Layout, EinsumError> {
    let counts = |level: Level| level != Level::ADDR && counts(level);
    let mut built = Layout::builder();
    for level in of.used_levels().iter().copied().filter(|level| counts(*level)) {
        built = built.used(level).offset(level, of.offset(level));
    }
    let mut axes: Vec<Axis> = axes.into_iter().cloned().collect();
    let mut next = 1_u64;
    for digit in axes.iter_mut().rev().flat_map(|axis| axis.subaxes.iter_mut().rev()) {
        if !outside(digit).is_some_and(|(_, level, _)| counts(level)) {
            *digit = Subaxis::land(digit.size, Level::ADDR, next);
            let too_large = LayoutError::too_large(Site::Layout, "the footprint");
            next = next.checked_mul(digit.size).ok_or(too_large)?;
        }
    }
    let built = axes.into_iter().fold(built, LayoutBuilder::with_axis);
    let copies = of.replicas().iter().copied().filter(|replica| counts(replica.level));
    Ok(copies.fold(built, LayoutBuilder::with_replica).build()?)
}
