//! The orders of the dimensions that a layout can have, without trying permutations.

use std::cmp::Reverse;

use crate::algebra::{Layout, Target};

/// Minor-to-major orders of the axes that are possible if a tile covers the `window` most minor places (0, 1
/// or 2; for more, a single order), the greatest dimension in the most minor place first.
///
/// For any tiles, the stride of an axis outside the window exceeds the reach of all axes inside it, so the
/// axes that move are sorted by their reach. Only within the window can two of them swap, or an axis of size
/// 1 take the place of one that moves.
pub(super) fn orders(layout: &Layout, window: usize) -> Vec<Vec<usize>> {
    let axes = 0..layout.rank();
    let (mut moving, units): (Vec<usize>, Vec<usize>) =
        axes.partition(|axis| layout.axes()[*axis].extent > 1);
    moving.sort_by_cached_key(|axis| (reach(layout, *axis), Reverse(*axis)));
    let inside = windows(&moving, &units, window.min(layout.rank()));
    let mut orders: Vec<_> =
        inside.iter().map(|inside| completed(inside, &moving, &units)).collect();
    orders.sort_by(|a, b| b.cmp(a));
    orders.dedup();
    orders
}

/// The distance from the first element of an axis to its last.
fn reach(layout: &Layout, axis: usize) -> u64 {
    let mut corner = vec![0; layout.rank()];
    corner[axis] = layout.axes()[axis].extent.saturating_sub(1);
    match layout.locate(&corner) {
        Ok(place) => place.iter().map(|(_, at)| at).fold(0, u64::saturating_add),
        // Without elements to locate, the reach of the digits is used.
        Err(_) => {
            let steps = layout.axes()[axis].subaxes.iter().map(|subaxis| match subaxis.target {
                Target::Land { stride, .. } => (subaxis.size - 1).saturating_mul(stride),
                Target::Feed { .. } => 0,
            });
            steps.fold(0, u64::saturating_add)
        }
    }
}

/// The axes that can take the most minor places, minor first: those with the least reach among the axes that
/// move, and the one with the greatest number among the axes of size 1.
fn windows(moving: &[usize], units: &[usize], window: usize) -> Vec<Vec<usize>> {
    let unit = units.last().copied();
    match (window, moving, unit) {
        (0, ..) | (3.., ..) => vec![Vec::new()],
        (1, [first, ..], None) => vec![vec![*first]],
        (1, [], Some(unit)) => vec![vec![unit]],
        (1, [first, ..], Some(unit)) => vec![vec![*first], vec![unit]],
        (2, [], _) => vec![units.iter().rev().take(2).copied().collect()],
        (2, [first], Some(unit)) => vec![vec![*first, unit], vec![unit, *first]],
        (2, [first, second, ..], None) => vec![vec![*first, *second], vec![*second, *first]],
        (2, [first, second, ..], Some(unit)) => vec![
            vec![*first, *second],
            vec![*second, *first],
            vec![*first, unit],
            vec![unit, *first],
        ],
        _ => vec![Vec::new()],
    }
}

/// The whole order: outside the window axes that move follow in the order of their reach, and
/// those of size 1 as early as a greater number lets them.
fn completed(inside: &[usize], moving: &[usize], units: &[usize]) -> Vec<usize> {
    let left = |axes: &[usize]| -> Vec<usize> {
        axes.iter().copied().filter(|axis| !inside.contains(axis)).collect()
    };
    let (moving, mut units) = (left(moving), left(units));
    let mut order = inside.to_vec();
    for axis in moving {
        while let Some(unit) = units.pop_if(|unit| *unit > axis) {
            order.push(unit);
        }
        order.push(axis);
    }
    order.extend(units.into_iter().rev());
    order
}
