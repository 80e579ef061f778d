//! An upper bound on the units that hold elements.
//!
//! ```text
//! ((2_L2B:4, 16:1), (64:1))        2 of the coordinates 0 to 4: at most 2 L2Bs hold anything
//! ((12_PE))  with 10 elements      10 of them
//! ```
//!
//! Units without elements neither send nor receive, so the share of the others is greater.

use crate::algebra::{Axis, Layout, Target};
use crate::level::Level;

/// An upper bound on the number of units of the innermost of some levels that hold an element.
///
/// Law: no fewer than enumeration finds. Cost: by the digits.
pub(crate) fn holders_at_most(layout: &Layout, path: &[Level]) -> u64 {
    let some = u64::from(layout.elements() > 0);
    holders_along(layout, path).last().unwrap_or(some)
}

/// As [`holders_at_most`], for the first level, the first two, and so on.
pub(crate) fn holders_along<'a>(
    layout: &'a Layout,
    path: &'a [Level],
) -> impl Iterator<Item = u64> + 'a {
    let some = u64::from(layout.elements() > 0);
    let each = path.iter().map(|level| coordinates(layout, *level));
    each.scan(some, |all, level| {
        *all = all.saturating_mul(level);
        Some(*all)
    })
}

/// An upper bound on the number of coordinates used in a level: the combinations of its digits or the
/// coordinates up to the last, whichever are fewer.
fn coordinates(layout: &Layout, level: Level) -> u64 {
    let axes = layout.nodes().flat_map(|axis| tops(axis, level));
    let copies = layout.replicas().iter().filter(|replica| replica.level == level);
    let copies = copies.map(|replica| (replica.size - 1, replica.stride));
    let (apart, last) = axes.chain(copies).fold((1_u64, 0_u64), |(apart, last), (top, stride)| {
        (apart.saturating_mul(top + 1), last.saturating_add(top.saturating_mul(stride)))
    });
    apart.min(last.saturating_add(1))
}

/// The greatest values of the digits of an axis in a level, with their strides.
fn tops(axis: &Axis, level: Level) -> impl Iterator<Item = (u64, u64)> + '_ {
    let reaches = axis.reaches(axis.extent.saturating_sub(1));
    axis.subaxes.iter().zip(reaches).filter_map(move |(subaxis, top)| match subaxis.target {
        Target::Land { level: of, stride } if of == level => Some((top, stride)),
        Target::Land { .. } | Target::Feed { .. } => None,
    })
}
