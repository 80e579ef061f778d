//! The least cycles in which the movements of a machine carry words across the border of a unit.
//!
//! ```text
//! into PE                        words a cycle, into one PE    of all L1BMs together, copies not counted
//!   l1bmp   same to all                        2                   2 x 64
//!   l1bmm   distribute over PE                 2                   8 x 64
//!   l1bmd   distribute over MAB and PE         1                  64 x 64
//!
//! 64 words for each of 4096 PEs, the same for all:           32 cycles, those of l1bmp
//! 64 words for each of 4096 PEs, all of them different:      64 cycles, those of l1bmd
//! ```
//!
//! Movements may share the work in any way: `c` cycles of each, with `sum(each x c) >= y` for the `y` words of
//! one unit and `sum(all x c) >= x` for the `x` words of all. The least sum of `c` is the greatest
//! `u y + v x` with `each u + all v <= 1` for every movement, at one of the few corners `(u, v)` of that region.
//! They are found once for a machine.
//!
//! A movement without a figure has the greatest figure known between its two memories. Whoever uses a movement pays for one
//! issue of it at least.

use std::cmp::Reverse;

use itertools::Itertools;

use super::uses::{Node, Side, Use, Way};
use crate::level::Level;
use crate::machine::Machine;
use crate::number::to_index;
use crate::relayout::count::traffic::LevelTraffic;

/// The border of the units of a level, in one direction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Border {
    pub(crate) level: Level,
    pub(crate) side: Side,
    /// The number of units.
    pub(crate) units: u64,
    /// The nodes above, nearest first, that words for different ones leave separately.
    above: Vec<Level>,
    /// The corners for words that stay as they are.
    moves: Vec<Tier>,
    /// The corners where movements may also add words up.
    adds: Vec<Tier>,
    /// True if every figure is the maker's.
    pub(crate) is_from_maker: bool,
    /// The ways across, a bit for each: borders that share one are crossed together.
    ways: Vec<u64>,
}

/// The movements whose single issues take at most some cycles.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Tier {
    /// The cycles of the longest of these issues.
    least: u64,
    corners: Vec<Corner>,
}

/// `(u y + v x) / of` cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Corner {
    u: u128,
    v: u128,
    of: u128,
}

/// The borders of the nodes of a machine, but those that no movement crosses.
pub(crate) fn borders(machine: &Machine, nodes: &[(Level, Node)], uses: &[Use]) -> Vec<Border> {
    let sides = [Side::Into, Side::OutOf, Side::Arriving, Side::Departing];
    let borders = nodes.iter().cartesian_product(sides);
    borders.filter_map(|(at, side)| Border::of(machine, nodes, *at, side, uses)).collect()
}

impl Border {
    /// `None` if no movement crosses it.
    fn of(
        machine: &Machine,
        nodes: &[(Level, Node)],
        (level, at): (Level, Node),
        side: Side,
        uses: &[Use],
    ) -> Option<Border> {
        let units = machine.units_of(level)?;
        let crossing = uses.iter().filter(|of| of.crosses(at, side)).collect_vec();
        let ways = crossing.iter().map(|of| of.way((at, side), units)).collect_vec();
        // Words leave the upper memory of every movement, so its node or one above it.
        let top = crossing.iter().map(|of| of.upper).filter(|upper| *upper < at).min();
        let all_below = crossing.iter().all(|of| of.upper < at);
        let is_above = |node: &Node| all_below && top.is_some_and(|top| *node <= top);
        let above = nodes.iter().rev().filter(|(_, node)| is_above(node));
        let plain = ways.iter().filter(|way| !way.adds);
        let moves = tiers(&plain.clone().collect_vec());
        (!moves.is_empty()).then(|| Border {
            level,
            side,
            units,
            above: above.map(|(level, _)| *level).collect(),
            moves,
            adds: tiers(&ways.iter().collect_vec()),
            is_from_maker: plain.clone().all(|way| way.is_from_maker),
            ways: bits(ways.iter().map(|way| way.number)),
        })
    }

    /// Returns whether a border that was stored can be priced with.
    #[cfg(feature = "serde")]
    pub(crate) fn is_sound(&self) -> bool {
        let corners = || self.moves.iter().chain(&self.adds).flat_map(|tier| &tier.corners);
        self.units > 0 && !self.moves.is_empty() && corners().all(|corner| corner.of > 0)
    }

    /// Returns whether one movement can cross both at once.
    pub(crate) fn shares(&self, other: &Border) -> bool {
        self.ways.iter().zip(&other.ways).any(|(own, others)| own & others != 0)
    }

    /// The elements that cross the border: the even share of one unit, and those of all units, where copies that
    /// leave the same memory above count once.
    pub(crate) fn crossing(&self, at: &LevelTraffic, levels: &[LevelTraffic]) -> (u64, u64) {
        let each = |count: u64, among: u64| count.div_ceil(among.clamp(1, self.units));
        let slices = levels.iter().find(|of| of.level == Level::TIME);
        let at = &in_slices(at, slices);
        match self.side {
            Side::Into => {
                let above = self.above.iter().find_map(|of| levels.iter().find(|l| l.level == *of));
                let above = above.map_or(1, |above| in_slices(above, slices).copies);
                let copies = at.copies.max(1) / above.max(1);
                (each(at.into, at.receivers), at.into.div_ceil(copies.max(1)))
            }
            Side::OutOf => {
                // An element that enters several units has to leave one at least once.
                let out_of = at.out_of.unwrap_or_else(|| at.into.div_ceil(at.copies.max(1)));
                (each(out_of, at.senders), out_of)
            }
            Side::Arriving => (each(at.arriving, at.receivers), at.arriving),
            Side::Departing => (each(at.departing, at.senders), at.departing),
        }
    }

    /// The least cycles for the words of one unit and of all; `None` beyond 64 bits.
    pub(crate) fn cycles(&self, words: (u128, u128), adds: bool) -> Option<u64> {
        let tiers = if adds { &self.adds } else { &self.moves };
        tiers.iter().filter_map(|tier| tier.cycles(words)).min()
    }
}

impl Tier {
    /// The least cycles with a movement of the longest issue among others; `None` beyond 64 bits.
    fn cycles(&self, (y, x): (u128, u128)) -> Option<u64> {
        let at = |corner: &Corner| {
            let sum = corner.u.checked_mul(y)?.checked_add(corner.v.checked_mul(x)?)?;
            u64::try_from(sum.div_ceil(corner.of)).ok()
        };
        let least = if y > 0 { self.least } else { 0 };
        self.corners.iter().map(at).try_fold(least, |most, cycles| Some(most.max(cycles?)))
    }
}

/// The traffic of a level without what only another time slice asks for: a memory keeps its words.
pub(super) fn in_slices(at: &LevelTraffic, slices: Option<&LevelTraffic>) -> LevelTraffic {
    let Some(LevelTraffic { into: moved, copies: slices, source_copies, .. }) = slices else {
        return *at;
    };
    let source_copies = at.source_copies / (*source_copies).max(1);
    let slices = (*slices).max(1);
    let copies = at.copies / slices;
    let into = at.into.saturating_sub(moved.saturating_mul(copies)) / slices;
    let out_of = at.out_of.map(|out_of| if copies <= 1 { into } else { out_of });
    let arriving = if at.arriving == at.into { into } else { at.arriving / slices };
    let departing = match Some(at.departing) == at.out_of {
        true => out_of.unwrap_or(0),
        false => at.departing,
    };
    LevelTraffic { copies, source_copies, into, out_of, arriving, departing, ..*at }
}

/// The set of some numbers.
fn bits(numbers: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut words = Vec::new();
    for number in numbers {
        let at = to_index(number / u64::from(u64::BITS));
        words.resize(words.len().max(at + 1), 0);
        words[at] |= 1 << (number % u64::from(u64::BITS));
    }
    words
}

/// The corners for the ways with the shortest issues, and again with each longer one: whoever uses a way pays for
/// one issue of it at least.
fn tiers(ways: &[&Way]) -> Vec<Tier> {
    let issues = ways.iter().map(|way| way.least).sorted_unstable().dedup();
    let up_to = |least: u64| {
        let rates = ways.iter().filter(|way| way.least <= least).map(|way| (way.each, way.all));
        Tier { least, corners: corners(&rates.collect_vec()) }
    };
    issues.map(up_to).collect()
}

/// The corners of `each u + all v <= 1` with `u` and `v` from 0 on, for all pairs of rates.
fn corners(rates: &[(u64, u64)]) -> Vec<Corner> {
    let wide = |(each, all): &(u64, u64)| (u128::from(*each), u128::from(*all));
    let rates = rates.iter().map(wide).unique().collect_vec();
    let holds = |corner: &Corner| {
        let sum = |(each, all): &(u128, u128)| (each * corner.u).saturating_add(all * corner.v);
        rates.iter().all(|rates| sum(rates) <= corner.of)
    };
    let single = rates.iter().flat_map(|(each, all)| {
        [Corner { u: 1, v: 0, of: *each }, Corner { u: 0, v: 1, of: *all }]
    });
    let crossing = rates.iter().array_combinations().filter_map(|[(a, b), (c, d)]| {
        // Both hold with equality: a u + b v = c u + d v = 1.
        let (up, across) = (a * d, b * c);
        let (u, v, of) = match up > across {
            true => (d.checked_sub(*b)?, a.checked_sub(*c)?, up - across),
            false => (b.checked_sub(*d)?, c.checked_sub(*a)?, across - up),
        };
        (of > 0).then_some(Corner { u, v, of })
    });
    single.chain(crossing).filter(|corner| corner.of > 0 && holds(corner)).unique().collect()
}

/// The greatest sum of costs of borders of which no movement crosses two at once, and the border that costs most.
///
/// Every hop of a route is one movement, so the cycles of borders that none crosses together add up.
pub(crate) fn heaviest(mut costs: Vec<(&Border, u64)>) -> Option<(u64, Level)> {
    costs.retain(|(_, cycles)| *cycles > 0);
    // Of equal ones, the innermost.
    costs.reverse();
    costs.sort_by_key(|(_, cycles)| Reverse(*cycles));
    let (border, _) = costs.first()?;
    let mut search = HeaviestSet { costs: &costs, taken: Vec::new(), best: 0, steps: MOST_STEPS };
    search.look(0, 0);
    Some((search.best, border.level))
}

/// The steps of the search; a set that is found earlier is a lower bound, too.
const MOST_STEPS: u32 = 1 << 10;

/// Branch and bound over the borders, the most expensive first.
struct HeaviestSet<'a> {
    costs: &'a [(&'a Border, u64)],
    taken: Vec<&'a Border>,
    best: u64,
    steps: u32,
}

impl HeaviestSet<'_> {
    fn look(&mut self, at: usize, sum: u64) {
        self.best = self.best.max(sum);
        let rest = self.costs.get(at..).unwrap_or_default();
        let most = rest.iter().fold(sum, |sum, (_, cycles)| sum.saturating_add(*cycles));
        let Some(((border, cycles), _)) = rest.split_first() else { return };
        if most <= self.best || self.steps == 0 {
            return;
        }
        self.steps -= 1;
        if !self.taken.iter().any(|taken| taken.shares(border)) {
            self.taken.push(border);
            self.look(at + 1, sum.saturating_add(*cycles));
            self.taken.pop();
        }
        self.look(at + 1, sum);
    }
}
