//! The slots of a layout, by the digits that land.

use std::collections::BTreeMap;

use itertools::Itertools;
use tensor_layout::Layout;
use tensor_layout::algebra::{Subaxis, Target};

/// Everything that lands: subaxes in the order of the axes, then copies.
pub(super) fn of(layout: &Layout) -> Vec<Subaxis> {
    let digits = layout.nodes().flat_map(|axis| &axis.subaxes).copied();
    let copies = layout.replicas().iter();
    let copies = copies.map(|copies| Subaxis::land(copies.size, copies.level, copies.stride));
    digits.filter(|digit| digit.lands().is_some()).chain(copies).collect()
}

/// Returns whether no two slots share a place because, in every level, each stride is more than all smaller digits add
/// up to.
pub(super) fn nest(slots: &[Subaxis]) -> bool {
    let steps = slots.iter().filter_map(|digit| match digit.target {
        Target::Land { level, stride } => Some((stride, level, digit.size - 1)),
        Target::Feed { .. } => None,
    });
    let mut reach = BTreeMap::new();
    steps.filter(|(.., top)| *top > 0).sorted().all(|(stride, level, top)| {
        let below = reach.entry(level).or_insert(0);
        let is_clear = stride > *below;
        *below += top * stride;
        is_clear
    })
}
