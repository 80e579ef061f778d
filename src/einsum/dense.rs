//! Layouts of other axes and levels, whose addresses are row-major and dense.

use crate::algebra::{Axis, Layout, LayoutBuilder, Subaxis, Target};
use crate::error::{LayoutError, Site, fault};
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
pub(super) fn plain(layout: &Layout) -> Result<Layout, LayoutError> {
    let layout = layout.simplified();
    if layout.derived_axes().is_empty() {
        Ok(layout)
    } else {
        Err(fault!(
            Unsupported,
            "a layout has derived axes, and this operation takes plain axes only"
        ))
    }
}

/// The layout of some axes, with the levels, offsets and copies of `of` in the levels that count, and with all
/// other digits as row-major addresses.
pub(super) fn with_axes<'a>(
    of: &Layout,
    axes: impl IntoIterator<Item = &'a Axis>,
    counts: impl Fn(Level) -> bool,
) -> Result<Layout, LayoutError> {
    let counts = |level: Level| level != Level::ADDR && counts(level);
    let mut axes: Vec<Axis> = axes.into_iter().cloned().collect();
    let mut next = 1_u64;
    for digit in axes.iter_mut().rev().flat_map(|axis| axis.subaxes.iter_mut().rev()) {
        if !outside(digit).is_some_and(|(_, level, _)| counts(level)) {
            *digit = Subaxis::land(digit.size, Level::ADDR, next);
            let too_large = || LayoutError::too_large(Site::Layout, "the footprint");
            next = next.checked_mul(digit.size).ok_or_else(too_large)?;
        }
    }
    axes.into_iter().fold(Layout::builder().levels_of(of, counts), LayoutBuilder::with_axis).build()
}

pub(super) fn unknown_axis(axis: usize, rank: usize) -> LayoutError {
    fault!(Argument, "axis {axis} does not exist: the result has rank {rank}", [axis, rank])
}

pub(super) fn operand_count(expected: usize, given: usize) -> LayoutError {
    fault!(
        Shape,
        "the operation has {expected} operands, but {given} layouts are given",
        [expected, given]
    )
}

/// A layout of the loops that does not have an axis for each label.
pub(super) fn loop_rank(labels: usize, rank: usize) -> LayoutError {
    fault!(
        Shape,
        "the einsum has {labels} labels, but the layout of its loops has {rank} axes",
        [labels, rank]
    )
}
