//! Two memories of one machine, seen by the same units.
//!
//! ```text
//! DRAM, one for every two L2Bs            LM of every PE
//!
//! L2B  0 1  2 3  4 5                      L2B = 2 m + r
//! m     0    1    2                       the PEs of L2B 2 and 3 read DRAM 1
//! ```
//!
//! A memory is at hand for every unit that owns or shares it. So the coordinate of the owner of the
//! higher memory is split, for the lower one, into the number of the higher memory and the unit
//! among those that share it; and what the higher memory holds, it holds for each of them and for
//! all units below.

use super::refuse::{differ, uneven_copies};
use crate::algebra::Layout;
use crate::error::{EditFault, Incomparable, LayoutError};
use crate::level::Level;
use crate::machine::{Machine, Memory};

/// Layouts of two memories in levels that both have.
pub(super) struct Between {
    pub(super) source: Layout,
    pub(super) target: Layout,
    /// The levels that tell the memories of each side apart, from the root down.
    pub(super) paths: (Vec<Level>, Vec<Level>),
    /// The owner of the higher memory.
    pub(super) owner: Level,
    /// How many units one step of a coordinate is.
    pub(super) steps: Vec<(Level, u64)>,
}

/// Brings what two memories hold into common levels; the layouts are as each memory has them.
///
/// # Errors
/// [`NotComparable`](LayoutError::NotComparable) where groups of one level do not nest.
pub(super) fn between(
    machine: &Machine,
    (source, from): (&Layout, Memory),
    (target, to): (&Layout, Memory),
) -> Result<Between, LayoutError> {
    let levels: Vec<(Level, u64)> = machine.levels().collect();
    let depth = |memory: Memory| levels.iter().position(|(level, _)| *level == memory.owner);
    let key = |memory: Memory| (depth(memory).unwrap_or(0), u64::MAX - memory.group);
    let target_is_low = key(to) >= key(from);
    let (high, low) = if target_is_low { (from, to) } else { (to, from) };
    let factor = match high.owner == low.owner {
        false => Some(high.group),
        true => Some(high.group / low.group).filter(|factor| factor * low.group == high.group),
    };
    let Some(factor) = factor else {
        return Err(differ(Incomparable::Groups { from: from.group, to: to.group }));
    };
    let (top, bottom) = (depth(high).unwrap_or(0), depth(low).unwrap_or(0));
    let path: Vec<Level> = levels[..=top].iter().map(|(level, _)| *level).collect();
    let below = [(Level::IN_GROUP, factor)].into_iter().filter(|(_, factor)| *factor > 1);
    let below: Vec<(Level, u64)> = below.chain(levels[top + 1..=bottom].iter().copied()).collect();
    let whole = path.iter().chain(below.iter().map(|(level, _)| level)).copied().collect();
    let (owner, steps) = (high.owner, steps(high, low));
    if !target_is_low {
        let (source, target) = (split(source, high, factor)?, target.clone());
        return Ok(Between { source, target, paths: (whole, path), owner, steps });
    }
    let all = below.iter().fold(source.to_builder(), |b, (level, n)| b.replica(*n, *level, 1));
    let (source, target) = (all.build()?, split(target, high, factor)?);
    Ok(Between { source, target, paths: (path, whole), owner, steps })
}

/// Units per higher memory, per part of one, and per lower memory.
fn steps(high: Memory, low: Memory) -> Vec<(Level, u64)> {
    let inside = if high.owner == low.owner { low.group } else { 1 };
    vec![(high.owner, high.group), (Level::IN_GROUP, inside), (low.owner, low.group)]
}

/// The layout with the coordinate of the owner of the higher memory as that memory, and which of the
/// `factor` units or lower memories in it.
fn split(layout: &Layout, high: Memory, factor: u64) -> Result<Layout, LayoutError> {
    if factor == 1 {
        return Ok(layout.clone());
    }
    let split = layout.split_level(high.owner, factor, high.owner, Level::IN_GROUP);
    split.map_err(|error| match error {
        LayoutError::Edit(EditFault::SplitCopies { level, .. }) => uneven_copies(level, high.group),
        other => other,
    })
}
