//! Layouts of other axes and levels, whose addresses are row-major and dense.

use super::EinsumError;
use crate::algebra::{Axis, Layout, Subaxis, Target};
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

/// Returns whether the digit lands in a level outside the address that counts.
fn is_moving(digit: &Subaxis, counts: impl Fn(Level) -> bool) -> bool {
    outside(digit).is_some_and(|(_, level, _)| counts(level))
}

/// The digits of some axes; those that do not stay are replaced by digits of dense row-major addresses.
fn restrided(
    axes: &[&Axis],
    stays: impl Fn(&Subaxis) -> bool,
) -> Result<Vec<Vec<Subaxis>>, EinsumError> {
    let mut all: Vec<Vec<Subaxis>> = axes.iter().map(|axis| axis.subaxes.clone()).collect();
    let mut next = 1_u64;
    for subaxis in all.iter_mut().rev().flat_map(|subaxes| subaxes.iter_mut().rev()) {
        if !stays(subaxis) {
            *subaxis = Subaxis::land(subaxis.size, Level::ADDR, next);
            let too_large = LayoutError::too_large(Site::Layout, "the footprint");
            next = next.checked_mul(subaxis.size).ok_or(too_large)?;
        }
    }
    Ok(all)
}
