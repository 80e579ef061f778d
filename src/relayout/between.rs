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
use crate::error::{EditError, Incomparable, LayoutError};
use crate::level::Level;
use crate::machine::{Machine, Memory};
use crate::placement::Placement;

/// The levels that tell the memories of each side apart, and how callers know them.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    /// From the root down.
    pub(super) sides: (Vec<Level>, Vec<Level>),
    /// How many units one step of a coordinate is, where units share memories.
    pub(super) steps: Vec<(Level, u64)>,
    /// The owner of the higher memory, where they are two.
    pub(super) owner: Option<Level>,
}

impl Paths {
    /// The units of one memory.
    pub(super) fn of(placement: &Placement) -> Paths {
        let shared = placement.memory().filter(|(_, memory)| memory.group > 1);
        let steps = shared.map(|(_, memory)| (memory.owner, memory.group)).into_iter().collect();
        let columns = placement.columns().iter().copied();
        Paths { steps, ..Paths::through(columns.filter(|level| level.is_unit()).collect()) }
    }

    /// The same levels on both sides.
    pub(super) fn through(levels: Vec<Level>) -> Paths {
        Paths { sides: (levels.clone(), levels), steps: Vec::new(), owner: None }
    }
}

/// What the memories of two placements hold in levels that both have, and the paths to them.
///
/// # Errors
/// [`NotComparable`](LayoutError::NotComparable) where groups of one level do not nest;
/// [`Relayout`](LayoutError::Relayout) for copies that do not line up with the units that share.
pub(super) fn in_common(
    source: &Placement,
    destination: &Placement,
) -> Result<(Layout, Layout, Paths), LayoutError> {
    let (from, to) = (stored(source)?, stored(destination)?);
    match (source.machine(), source.memory(), destination.memory()) {
        (Some(machine), Some((a, high)), Some((b, low))) if a != b => {
            between(machine, (from, high), (to, low))
        }
        _ => Ok((from, to, Paths::of(source))),
    }
}

/// What the memories of a placement hold.
pub(super) fn stored(placement: &Placement) -> Result<Layout, LayoutError> {
    let shared = placement.memory().filter(|(_, memory)| memory.group > 1);
    let Some((_, Memory { owner, group, .. })) = shared else {
        return Ok(placement.with_copies().clone());
    };
    let stored = placement.as_stored()?;
    if let Some(plain) = stored.plain() {
        return Ok(plain.clone());
    }
    let layout = placement.layout();
    if layout.elements() == 0 {
        // Without elements nothing moves, however its copies would lie.
        let used = layout.used_levels().iter();
        let shape = layout.without_padding()?.to_builder();
        return used.fold(shape, |shape, level| shape.used(*level)).build();
    }
    Err(uneven_copies(owner, group))
}

/// Brings what two memories hold into common levels; the layouts are as each memory has them.
fn between(
    machine: &Machine,
    (mut source, from): (Layout, Memory),
    (mut target, to): (Layout, Memory),
) -> Result<(Layout, Layout, Paths), LayoutError> {
    if source.elements() == 0 {
        // Without elements nothing moves, however copies would lie.
        [&mut source, &mut target].into_iter().for_each(|layout| layout.replicas.clear());
    }
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
    let everywhere = |layout: Layout| {
        below.iter().fold(layout.to_builder(), |b, (level, n)| b.replica(*n, *level, 1)).build()
    };
    let (sides, source, target) = match target_is_low {
        true => ((path, whole), everywhere(source)?, split(target, high, factor)?),
        false => ((whole, path), split(source, high, factor)?, target),
    };
    let paths = Paths { sides, steps: steps(high, low), owner: Some(high.owner) };
    Ok((source, target, paths))
}

/// Units per higher memory, per part of one, and per lower memory.
fn steps(high: Memory, low: Memory) -> Vec<(Level, u64)> {
    let inside = if high.owner == low.owner { low.group } else { 1 };
    vec![(high.owner, high.group), (Level::IN_GROUP, inside), (low.owner, low.group)]
}

/// The layout with the coordinate of the owner of the higher memory as that memory, and which of the
/// `factor` units or lower memories in it.
fn split(layout: Layout, high: Memory, factor: u64) -> Result<Layout, LayoutError> {
    if factor == 1 {
        return Ok(layout);
    }
    let split = layout.split_level(high.owner, factor, high.owner, Level::IN_GROUP);
    split.map_err(|error| match error {
        LayoutError::Edit(EditError::SplitCopies { level, .. }) => uneven_copies(level, high.group),
        other => other,
    })
}
