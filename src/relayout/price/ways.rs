//! The least cycles of all movements of a route, one after another, if each of them carries the whole tensor.
//!
//! ```text
//! LM0 -> LM0, 64 words, to another group of L2Bs
//!
//! LM0 -> L1BM -> L2BM -> DRAM or PDM -> L2BM -> L1BM -> LM0
//!      2       1       4              4       4       2         17 cycles, if each is the fastest there
//! ```
//!
//! A movement takes at least one issue, and the cycles that all its memories together need for all words. As long as
//! movements within nodes follow each other from the source on, the tensor stays in the nodes that the source uses of the
//! highest level so far; and if only such movements follow, it is already in those that the target uses of the highest level
//! to come, with their copies. So each node has its share, at the rate of one node. Where copies of the source have the same
//! addresses, units send the same words at the same time: each has the share of all copies.
//!
//! This is the shortest path in a graph: a stop on the way is a node of the tree, which borders were crossed, and the highest
//! levels before and after.
//! Law: at most the cycles of every route; two relayouts in a row cost at least that of one that does both.

use std::cell::LazyCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter;

use itertools::Itertools;

use super::borders::in_slices;
use super::uses::{Node, Side, Use};
use crate::level::Level;
use crate::machine::Machine;
use crate::relayout::count::traffic::LevelTraffic;

/// The movements of a machine as edges between the nodes of its tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Ways {
    /// The nodes with their number in the machine, from the root down.
    nodes: Vec<(Level, u64)>,
    legs: Vec<Leg>,
}

/// A movement from the memory at one node to that at another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct Leg {
    from: usize,
    to: usize,
    /// True if words stay in their upper node.
    is_inside: bool,
    /// The cycles of one issue.
    least: u64,
    departing: Flow,
    arriving: Flow,
    /// The borders that it crosses, a bit for each side of each node.
    crosses: u64,
}

/// Words a cycle at one node, and at all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct Flow {
    each: u64,
    all: u64,
}

impl Flow {
    /// The least cycles for the words of one node, cut into equal parts, and for those of all.
    fn cycles(self, Share { each, all }: Share, parts: u64) -> u64 {
        let each = each.div_ceil(parts).div_ceil(self.each.max(1));
        each.max(all.div_ceil(self.all.max(1)))
    }
}

/// Where a tensor is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Stop {
    node: usize,
    /// The borders that were crossed, of those that have to be.
    crossed: u8,
    /// The highest node so far, if only movements within nodes led here.
    before: Option<usize>,
    /// The highest node from here on, if only movements within nodes follow.
    after: Option<usize>,
}

/// A tensor with the nodes that its source and its target use.
#[derive(Debug)]
struct Moving {
    words: u64,
    /// For each node of the tree.
    used: Vec<Used>,
    from: usize,
    to: usize,
    /// The borders to cross, outermost first, as bits of a leg, and as bits of a stop.
    borders: [u64; 2],
    wanted: u8,
}

/// The words that pass one node at least, and all of them together.
#[derive(Clone, Copy, Debug)]
struct Share {
    each: u64,
    all: u64,
}

/// What passes the nodes of a level.
#[derive(Clone, Copy, Debug)]
struct Used {
    /// Those that the source uses.
    source: Share,
    /// Those that the target uses, without its copies, and with them.
    kept: Share,
    target: Share,
}

impl Used {
    fn of(at: &LevelTraffic, units: u64, in_step: bool, words: impl Fn(u64) -> u64) -> Used {
        let copied = |copies: u64| words(at.elements.saturating_mul(copies.max(1)));
        let each = |copies: u64, nodes: u64| copied(copies).div_ceil(nodes.min(units).max(1));
        let (once, sent) = (copied(1), if in_step { at.source_copies } else { 1 });
        Used {
            source: Share { each: each(sent, at.senders), all: once },
            kept: Share { each: each(1, at.receivers), all: once },
            target: Share { each: each(at.copies, at.receivers), all: copied(at.copies) },
        }
    }

    /// All nodes of a level that neither side names.
    fn everywhere(words: u64, units: u64) -> Used {
        let share = Share { each: words.div_ceil(units.max(1)), all: words };
        Used { source: share, kept: share, target: share }
    }
}

impl Ways {
    pub(super) fn new(machine: &Machine, nodes: &[(Level, Node)], uses: &[Use]) -> Ways {
        let legs = uses.iter().filter(|of| !of.adds);
        let legs = legs.filter_map(|of| Leg::of(machine, nodes, of)).unique().collect();
        let counted = |(level, _): &(Level, Node)| (*level, machine.units_of(*level).unwrap_or(1));
        Ways { nodes: nodes.iter().take(MOST_NODES).map(counted).collect(), legs }
    }

    /// Returns whether ways that were stored can be priced with.
    #[cfg(feature = "serde")]
    pub(crate) fn is_sound(&self) -> bool {
        self.nodes.len() <= MOST_NODES
            && self.legs.iter().all(|leg| leg.from.max(leg.to) < self.nodes.len())
    }

    /// The least cycles of some traffic, levels innermost first, given the long words of elements; 0 where nothing enters or
    /// leaves a unit. `None` where no movements lead there. `in_step` says that copies of the source have the same addresses.
    pub(crate) fn cycles(
        &self,
        levels: &[LevelTraffic],
        in_step: bool,
        words: impl Fn(u64) -> u128,
    ) -> Option<u64> {
        let moving = self.moving(levels, in_step, words)?;
        let mut least = vec![u64::MAX; self.number_of_stops()];
        let afters = iter::once(None).chain((0..=moving.from).map(Some));
        let start = |after| {
            Reverse((0, Stop { node: moving.from, crossed: 0, before: Some(moving.from), after }))
        };
        let mut open: BinaryHeap<Reverse<(u64, Stop)>> = afters.map(start).collect();
        while let Some(Reverse((cycles, stop))) = open.pop() {
            if stop.node == moving.to
                && stop.crossed == moving.wanted
                && stop.after == Some(moving.to)
            {
                return Some(cycles);
            }
            if cycles > least[self.number(stop)] {
                continue;
            }
            for leg in self.legs.iter().filter(|leg| leg.from == stop.node) {
                let leaving = LazyCell::new(|| self.leaving(leg, stop, &moving));
                for next in leg.next(stop, &moving) {
                    // Shares take divisions, and most stops were reached in less than one issue more.
                    let known = &mut least[self.number(next)];
                    let is_less = |cost: u64| cycles.saturating_add(cost) < *known;
                    if !is_less(leg.least) || !is_less(*leaving) {
                        continue;
                    }
                    let sum = cycles.saturating_add(leaving.max(self.landing(leg, next, &moving)));
                    if sum < *known {
                        *known = sum;
                        open.push(Reverse((sum, next)));
                    }
                }
            }
        }
        None
    }

    /// The bits of borders, and a highest node or none on both sides.
    fn number_of_stops(&self) -> usize {
        let highest = self.nodes.len() + 1;
        (self.nodes.len() << 2) * highest * highest
    }

    fn number(&self, stop: Stop) -> usize {
        let none = self.nodes.len();
        let place = stop.node << 2 | usize::from(stop.crossed);
        let (before, after) = (stop.before.unwrap_or(none), stop.after.unwrap_or(none));
        (place * (none + 1) + before) * (none + 1) + after
    }

    /// The least cycles in which a movement takes the tensor from a stop.
    fn leaving(&self, leg: &Leg, stop: Stop, moving: &Moving) -> u64 {
        let before = stop.before.map(|highest| (moving.used[highest].source, highest));
        let after = stop.after.map(|highest| (moving.used[highest].kept, highest));
        let shares = [before, after].into_iter().flatten();
        let cycles = shares.map(|share| self.share_of(leg.departing, share, stop.node));
        let all = moving.words.div_ceil(leg.departing.all.max(1));
        cycles.fold(all.max(leg.least), u64::max)
    }

    /// The least cycles in which a movement brings the tensor to a stop.
    fn landing(&self, leg: &Leg, stop: Stop, moving: &Moving) -> u64 {
        let before = stop.before.map(|highest| (moving.used[highest].source, highest));
        let after = stop.after.map(|highest| (moving.used[highest].target, highest));
        let shares = [before, after].into_iter().flatten();
        shares.map(|share| self.share_of(leg.arriving, share, stop.node)).max().unwrap_or(0)
    }

    /// The cycles of a share of a higher node, of which the nodes of one level in it have equal parts.
    fn share_of(&self, flow: Flow, (share, highest): (Share, usize), node: usize) -> u64 {
        let [inner, outer] = [node, highest].map(|of| self.nodes[of].1.max(1));
        flow.cycles(share, if inner == outer { 1 } else { inner.div_ceil(outer) })
    }

    /// `None` for traffic that adds up, or whose elements are not counted.
    fn moving(
        &self,
        levels: &[LevelTraffic],
        in_step: bool,
        words: impl Fn(u64) -> u128,
    ) -> Option<Moving> {
        let words = |elements: u64| u64::try_from(words(elements)).unwrap_or(u64::MAX);
        let first = levels.first().filter(|at| at.elements > 0 && !at.adds)?;
        let slices = levels.iter().find(|of| of.level == Level::TIME);
        let at = |level: Level| {
            let found = levels.iter().find(|of| of.level == level);
            found.map(|found| in_slices(found, slices))
        };
        let each = self.nodes.iter().map(|(level, units)| (at(*level), *units)).collect_vec();
        let used = each.iter().map(|(at, units)| match at {
            Some(at) => Used::of(at, *units, in_step, words),
            None => Used::everywhere(words(first.elements), *units),
        });
        let used = used.collect();
        let node = |has: fn(&LevelTraffic) -> bool| {
            each.iter().position(|(at, _)| at.as_ref().is_some_and(has))
        };
        let to = node(|at| at.arriving > 0)?;
        let from = node(|at| at.departing > 0).unwrap_or(to);
        let leaves = |at: &LevelTraffic| at.out_of.map_or(at.into > 0, |out_of| out_of > 0);
        let outermost = [
            node(|at| at.into > 0).map(|node| bit(node, Side::Into)),
            node(leaves).map(|node| bit(node, Side::OutOf)),
        ];
        let wanted = [0, 1].map(|at| u8::from(outermost[at].is_some()) << at);
        let borders = outermost.map(|border| border.unwrap_or(0));
        let wanted = wanted[0] | wanted[1];
        Some(Moving { words: words(first.elements), used, from, to, borders, wanted })
    }
}

/// The most nodes whose borders have a bit.
const MOST_NODES: usize = 32;

/// The bit of one side of a node.
fn bit(node: usize, side: Side) -> u64 {
    1 << (2 * node + usize::from(side == Side::OutOf))
}

impl Leg {
    /// `None` for a memory at no node of the tree.
    fn of(machine: &Machine, nodes: &[(Level, Node)], of: &Use) -> Option<Leg> {
        let place =
            |node: Node| nodes.iter().take(MOST_NODES).position(|(_, other)| *other == node);
        let (from, to) = of.ends();
        let flow = |node: Node, side: Side| {
            let units = machine.units_of(nodes[place(node)?].0)?;
            let way = of.way((node, side), units);
            Some(Flow { each: way.each, all: way.all })
        };
        let sides = nodes.iter().take(MOST_NODES).enumerate();
        let sides = sides.cartesian_product([Side::Into, Side::OutOf]);
        let crossed = sides.filter(|((_, (_, node)), side)| of.crosses(*node, *side));
        Some(Leg {
            from: place(from)?,
            to: place(to)?,
            is_inside: !of.across,
            least: of.least,
            departing: flow(from, Side::Departing)?,
            arriving: flow(to, Side::Arriving)?,
            crosses: crossed.map(|((at, _), side)| bit(at, side)).fold(0, |all, bit| all | bit),
        })
    }

    /// Where the tensor may be after it: what a stop says of the rest of the way has to come true.
    fn next(&self, stop: Stop, moving: &Moving) -> impl Iterator<Item = Stop> + use<> {
        let Leg { from, to: node, is_inside, .. } = *self;
        let before = stop.before.filter(|_| is_inside).map(|highest| highest.min(node));
        let crosses = |at: usize| u8::from(self.crosses & moving.borders[at] != 0) << at;
        let crossed = stop.crossed | crosses(0) | crosses(1);
        let comes_true = move |after: &Option<usize>| match is_inside {
            true => stop.after == after.map(|highest| highest.min(from)),
            false => stop.after.is_none(),
        };
        let afters = iter::once(None).chain((0..=node).map(Some));
        let next = move |after| Stop { node, crossed, before, after };
        afters.filter(comes_true).map(next)
    }
}

#[cfg(test)]
mod tests {
    use super::super::uses::{nodes, uses};
    use super::*;
    use crate::placement::Placement;
    use crate::relayout::Relayout;

    /// The cycles of some movements in a row, by what was said of each: those before and after decide about its shares.
    fn of_row(ways: &Ways, row: &[&Leg], moving: &Moving) -> u64 {
        let node = |at: usize| row.get(at).map_or(moving.to, |leg| leg.from);
        let stop = |at: usize| {
            let within = |legs: &[&Leg]| legs.iter().all(|leg| leg.is_inside);
            let highest = |nodes: std::ops::RangeInclusive<usize>| nodes.map(node).min();
            let before = within(&row[..at]).then(|| highest(0..=at)).flatten();
            let after = within(&row[at..]).then(|| highest(at..=row.len())).flatten();
            Stop { node: node(at), crossed: 0, before, after }
        };
        let cycles = |(at, leg)| {
            let leaving = ways.leaving(leg, stop(at), moving);
            leaving.max(ways.landing(leg, stop(at + 1), moving))
        };
        row.iter().copied().enumerate().map(cycles).sum()
    }

    /// The least cycles of all rows of at most 6 movements whose issues alone do not take longer than `most`.
    fn tried(ways: &Ways, moving: &Moving, row: &[&Leg], most: u64) -> u64 {
        let at = row.last().map_or(moving.from, |leg| leg.to);
        let crosses =
            |border: &u64| *border == 0 || row.iter().any(|leg| leg.crosses & border != 0);
        let is_there = at == moving.to && moving.borders.iter().all(crosses);
        let here = if is_there { of_row(ways, row, moving) } else { u64::MAX };
        let issues = |leg: &Leg| row.iter().map(|leg| leg.least).sum::<u64>() + leg.least;
        let next = ways.legs.iter().filter(|leg| leg.from == at && row.len() < 6);
        let next = next.filter(|leg| issues(leg) <= most);
        let longer = next.map(|leg| tried(ways, moving, &[row, &[leg]].concat(), most));
        longer.fold(here, u64::min)
    }

    #[test]
    fn the_cheapest_way_is_the_least_of_all_rows_of_few_movements_or_a_longer_one() {
        let machine = Machine::mn_core_2();
        let nodes = nodes(&machine);
        let ways = Ways::new(&machine, &nodes, &uses(&machine));
        let on = |text: &str, memory: &str| {
            let placement = Placement::of(text.parse().unwrap()).on(&machine).memory(memory);
            placement.element_bits(64).build().unwrap()
        };
        let places = [
            on("((4_L2B:2, 64:1))", "DRAM"),
            on("((256:1, 1_L2B))", "PDM"),
            on("((64:1, 4_L2B:2))", "L2BM"),
            on("((8_L2B, 32:1))", "L2BM"),
            on("((4_L1B:2, 64:1); B@[8_L2B])", "L1BM"),
            on("((8_L2B, 2:4, 4_L1B, 4:1))", "L1BM"),
            on("((4:1, 16_MAB, 4_PE); B@[8_L1B])", "LM0"),
            on("((4_PE, 2_L2B:4, 32:1))", "LM1"),
        ];
        let (mut equal, mut longer) = (0, 0);
        for (from, to) in places.iter().cartesian_product(&places) {
            let traffic = Relayout::new(from, to).unwrap().traffic().unwrap();
            let Some(moving) = ways.moving(&traffic.levels, true, u128::from) else { continue };
            let found = ways.cycles(&traffic.levels, true, u128::from).unwrap();
            let least = tried(&ways, &moving, &[], found);
            assert!(found <= least, "{found}, {least}: {moving:?}");
            (equal, longer) =
                (equal + u32::from(found == least), longer + u32::from(found < least));
        }
        assert!(
            equal > 40 && longer < 9,
            "{equal} are equal, {longer} have longer ways that cost less"
        );
    }
}
