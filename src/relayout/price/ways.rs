//! The least cycles of all movements of a route, one after another, if each of them carries the whole tensor.
//!
//! ```text
//! LM0 -> LM0, 64 words, to another group of L2Bs
//!
//! LM0 -> L1BM -> L2BM -> DRAM or PDM -> L2BM -> L1BM -> LM0
//!      2       1       4              4       4       2         17 cycles, if each is the fastest there
//! ```
//!
//! A movement takes at least one issue, and the cycles that all its memories together need for all words. On the way up
//! within nodes, no more nodes have words than the source uses; on the way down within nodes to the target, no more than
//! the target uses, and each of those has its copies. So each node has its share, at the rate of one node. Where copies of
//! the source have the same addresses, units send the same words at the same time: each has the share of all copies.
//!
//! This is the shortest path in a graph: a stop on the way is a node of the tree, and which borders were crossed.
//! Law: at most the cycles of every route; two relayouts in a row cost at least that of one that does both.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
    /// The least cycles for some words that at most so many nodes have.
    fn cycles(self, Share { words, nodes }: Share) -> u64 {
        let each = words.div_ceil(nodes.max(1)).div_ceil(self.each.max(1));
        each.max(words.div_ceil(self.all.max(1)))
    }
}

/// Where a tensor is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Stop {
    node: usize,
    /// The borders that were crossed, of those that have to be.
    crossed: u8,
    /// True if only movements up within nodes led here.
    rises: bool,
    /// True if only movements down within nodes follow.
    falls: bool,
}

/// A tensor with the nodes that its source and its target use.
#[derive(Debug)]
struct Moving {
    words: u64,
    /// For each node of the tree, the share of one that the source uses, and that the target uses.
    used: Vec<(Share, Share)>,
    from: usize,
    to: usize,
    /// The borders to cross, outermost first, as bits of a leg, and as bits of a stop.
    borders: [u64; 2],
    wanted: u8,
}

/// Some words, and the number of nodes that have them.
#[derive(Clone, Copy, Debug)]
struct Share {
    words: u64,
    nodes: u64,
}

impl Ways {
    pub(super) fn new(machine: &Machine, nodes: &[(Level, Node)], uses: &[Use]) -> Ways {
        let legs = uses.iter().filter(|of| !of.adds);
        let legs = legs.filter_map(|of| Leg::of(machine, nodes, of)).unique().collect();
        let counted = |(level, _): &(Level, Node)| (*level, machine.units_of(*level).unwrap_or(1));
        Ways { nodes: nodes.iter().map(counted).collect(), legs }
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
        let mut least = vec![u64::MAX; self.nodes.len() << STOP_BITS];
        let starts = [false, true].map(|falls| {
            let stop = Stop { node: moving.from, crossed: 0, rises: true, falls };
            Reverse((0_u64, stop))
        });
        let mut open = BinaryHeap::from(starts);
        while let Some(Reverse((cycles, stop))) = open.pop() {
            if stop.node == moving.to && stop.crossed == moving.wanted && stop.falls {
                return Some(cycles);
            }
            for leg in self.legs.iter().filter(|leg| leg.from == stop.node) {
                for next in leg.next(stop, &moving) {
                    let sum = cycles.saturating_add(leg.cycles(stop, next, &moving));
                    let known = &mut least[next.number()];
                    if sum < *known {
                        *known = sum;
                        open.push(Reverse((sum, next)));
                    }
                }
            }
        }
        None
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
        let share = |copies: u64, nodes: u64| {
            let words = words(first.elements.saturating_mul(copies.max(1)));
            Share { words, nodes }
        };
        let used = each.iter().map(|(at, units)| match at {
            Some(at) => {
                let sent = if in_step { at.source_copies } else { 1 };
                let receivers = share(at.copies, at.receivers.min(*units));
                (share(sent, at.senders.min(*units)), receivers)
            }
            None => (share(1, *units), share(1, *units)),
        });
        let node = |has: fn(&LevelTraffic) -> bool| {
            each.iter().position(|(at, _)| at.as_ref().is_some_and(has))
        };
        let used = used.collect();
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

/// The bits of the number of a stop beside its node.
const STOP_BITS: u32 = 4;

/// The most nodes whose borders have a bit.
const MOST_NODES: usize = 32;

/// The bit of one side of a node.
fn bit(node: usize, side: Side) -> u64 {
    1 << (2 * node + usize::from(side == Side::OutOf))
}

impl Stop {
    fn number(self) -> usize {
        let flags = usize::from(self.rises) << 1 | usize::from(self.falls);
        self.node << STOP_BITS | usize::from(self.crossed) << 2 | flags
    }
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
        let is_down = self.is_inside && self.to > self.from;
        let rises = stop.rises && self.is_inside && self.to <= self.from;
        let crosses = |at: usize| self.crosses & moving.borders[at] != 0;
        let crossed = [0, 1].map(|at| u8::from(crosses(at)) << at);
        let crossed = stop.crossed | crossed[0] | crossed[1];
        let falls: &[bool] = match (stop.falls, is_down) {
            (true, true) => &[true],
            (true, false) => &[],
            (false, true) => &[false],
            (false, false) => &[false, true],
        };
        let node = self.to;
        falls.iter().map(move |falls| Stop { node, crossed, rises, falls: *falls })
    }

    /// The least cycles of the movement from one stop to the next.
    fn cycles(&self, stop: Stop, next: Stop, moving: &Moving) -> u64 {
        let (from, to) = (moving.used[stop.node], moving.used[next.node]);
        let once = Share { words: moving.words, ..from.1 };
        let shares = [
            (stop.rises, self.departing, from.0),
            (stop.falls, self.departing, once),
            (next.rises, self.arriving, to.0),
            (next.falls, self.arriving, to.1),
        ];
        let cycles = shares.into_iter().filter(|(counts, ..)| *counts);
        let cycles = cycles.map(|(_, flow, share)| flow.cycles(share)).max();
        let all = moving.words.div_ceil(self.departing.all.max(1));
        all.max(self.least).max(cycles.unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::uses::{nodes, uses};
    use super::*;
    use crate::placement::Placement;
    use crate::relayout::Relayout;

    /// The cycles of some movements in a row, by what was said of each: those before and after decide about its shares.
    fn of_row(row: &[&Leg], moving: &Moving) -> u64 {
        let down = |leg: &&Leg| leg.is_inside && leg.to > leg.from;
        let up = |leg: &&Leg| leg.is_inside && leg.to <= leg.from;
        let stop = |at: usize| {
            let node = row.get(at).map_or(moving.to, |leg| leg.from);
            let (rises, falls) = (row[..at].iter().all(up), row[at..].iter().all(down));
            Stop { node, crossed: 0, rises, falls }
        };
        row.iter().enumerate().map(|(at, leg)| leg.cycles(stop(at), stop(at + 1), moving)).sum()
    }

    /// The least cycles of all rows of at most 6 movements whose issues alone do not take longer than `most`.
    fn tried(ways: &Ways, moving: &Moving, row: &[&Leg], most: u64) -> u64 {
        let at = row.last().map_or(moving.from, |leg| leg.to);
        let crosses =
            |border: &u64| *border == 0 || row.iter().any(|leg| leg.crosses & border != 0);
        let is_there = at == moving.to && moving.borders.iter().all(crosses);
        let here = if is_there { of_row(row, moving) } else { u64::MAX };
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
