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
use crate::algebra::{Layout, Subaxis, Target};
use crate::error::{Incomparable, LayoutError, Site};
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
    let level = high.owner;
    if factor == 1 {
        return Ok(layout.clone());
    }
    let start = layout.offset(level) % factor;
    let rest = |size: u64, stride: u64| in_group(size, stride, factor).map(|(_, reach)| reach);
    let landings = || layout.landings_in(level).map(|l| rest(l.size, l.stride));
    let reach = landings().try_fold(start, |sum, reach| sum.checked_add(reach?));
    if reach.is_some_and(|reach| reach < factor) {
        return split_digits(layout, level, factor, start);
    }
    let uneven = |stride: u64| !stride.is_multiple_of(factor);
    if layout.replicas().iter().any(|r| r.level == level && r.size > 1 && uneven(r.stride)) {
        return Err(uneven_copies(level, high.group));
    }
    split_value(layout, level, factor, start)
}

/// Size, level and stride of a piece of a digit.
type Piece = (u64, Level, u64);

/// A digit in whole memories and in units of one: the pieces, major to minor, and how far they reach
/// within a memory; `None` where its steps do not line up with the group.
fn in_group(size: u64, stride: u64, factor: u64) -> Option<(Vec<Piece>, u64)> {
    if size == 1 || stride.is_multiple_of(factor) {
        return Some((vec![(size, Level::ADDR, stride / factor)], 0));
    }
    if !factor.is_multiple_of(stride) {
        return None;
    }
    let units = factor / stride;
    let inside = |size: u64| ((size, Level::IN_GROUP, stride), (size - 1) * stride);
    if size <= units {
        let (piece, reach) = inside(size);
        return Some((vec![piece], reach));
    }
    let (piece, reach) = inside(units);
    let memories = (size / units, Level::ADDR, 1);
    size.is_multiple_of(units).then(|| (vec![memories, piece], reach))
}

/// Every digit by itself: nothing is carried.
fn split_digits(
    layout: &Layout,
    level: Level,
    factor: u64,
    start: u64,
) -> Result<Layout, LayoutError> {
    // `Addr` stands for the level itself.
    let pieces = |size: u64, stride: u64| {
        let (pieces, _) = in_group(size, stride, factor).unwrap_or_default();
        pieces.into_iter().map(move |(size, of, stride)| {
            (size, if of == Level::ADDR { level } else { of }, stride)
        })
    };
    let digits = |subaxis: &Subaxis| -> Vec<Subaxis> {
        match subaxis.target {
            Target::Land { level: of, stride } if of == level => pieces(subaxis.size, stride)
                .map(|(size, level, stride)| Subaxis::land(size, level, stride))
                .collect(),
            _ => vec![*subaxis],
        }
    };
    let mut builder = layout.mapped(digits);
    for replica in layout.replicas() {
        builder = match replica.level == level {
            false => builder.replica(replica.size, replica.level, replica.stride),
            true => pieces(replica.size, replica.stride)
                .fold(builder, |b, (size, level, stride)| b.replica(size, level, stride)),
        };
    }
    moved(builder, layout, level, factor, start).build()
}

/// What does not line up feeds a derived axis that is split again.
fn split_value(
    layout: &Layout,
    level: Level,
    factor: u64,
    start: u64,
) -> Result<Layout, LayoutError> {
    let derived = layout.derived_axes().len();
    let mut reach = start;
    for landing in layout.landings_in(level).filter(|l| !l.stride.is_multiple_of(factor)) {
        reach += (landing.size - 1) * landing.stride;
    }
    let digit = |subaxis: &Subaxis| match subaxis.target {
        Target::Land { level: of, stride } if of == level && stride.is_multiple_of(factor) => {
            vec![Subaxis::land(subaxis.size, level, stride / factor)]
        }
        Target::Land { level: of, stride } if of == level => {
            vec![Subaxis::feed(subaxis.size, derived, stride)]
        }
        _ => vec![*subaxis],
    };
    let mut builder = layout.mapped(digit);
    for replica in layout.replicas() {
        let inside = replica.level == level;
        let stride = if inside { replica.stride / factor } else { replica.stride };
        builder = builder.replica(replica.size, replica.level, stride);
    }
    let memories = reach / factor + 1;
    let units = memories.checked_mul(factor);
    let units = units.ok_or(LayoutError::too_large(Site::Layout, "the number of units"))?;
    let pair = [Subaxis::land(memories, level, 1), Subaxis::land(factor, Level::IN_GROUP, 1)];
    moved(builder.derived(start, units, pair), layout, level, factor, 0).build()
}

/// The offsets, that of the level in memories and units.
fn moved(
    mut builder: crate::algebra::LayoutBuilder,
    layout: &Layout,
    level: Level,
    factor: u64,
    start: u64,
) -> crate::algebra::LayoutBuilder {
    for of in layout.used_levels() {
        let offset = layout.offset(*of);
        builder = builder.used(*of);
        builder = builder.offset(*of, if *of == level { offset / factor } else { offset });
    }
    builder.used(Level::IN_GROUP).offset(Level::IN_GROUP, start)
}
