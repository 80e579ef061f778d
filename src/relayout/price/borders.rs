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

use std::cmp::{Ordering, Reverse};

use itertools::Itertools;

use crate::algebra::{Axis, Layout, Replica, product};
use crate::level::Level;
use crate::machine::{Direction, Machine, Memory, Movement, MovementKind};
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

/// The elements that a border counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Side {
    /// Those that enter a unit.
    Into,
    /// Those that leave a unit.
    OutOf,
    /// Those that arrive in the memory at a node.
    Arriving,
    /// Those that leave the memory at a node.
    Departing,
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

/// One way to use a movement, and what it carries across a border in a cycle.
#[derive(Clone, Copy, Debug)]
struct Way {
    number: u64,
    each: u64,
    all: u64,
    least: u64,
    adds: bool,
    is_from_maker: bool,
}

/// A node of the tree: the depth of the level of its units, and how many of them it has.
type Node = (usize, Reverse<u64>);

/// The borders of all units and groups of a machine and of the memories there, but those that no movement crosses.
pub(crate) fn borders(machine: &Machine) -> Vec<Border> {
    let uses = machine.movements().iter().enumerate().flat_map(|(at, movement)| {
        Use::all(machine, movement, u64::try_from(at).unwrap_or(u64::MAX))
    });
    let uses = uses.collect_vec();
    let groups = machine.memories().map(|(_, memory)| (memory.node(), memory));
    let units =
        machine.levels().map(|(owner, _)| (owner, Memory { capacity: None, owner, group: 1 }));
    let nodes = units.chain(groups).unique_by(|(level, _)| *level);
    let nodes = nodes.filter_map(|(level, memory)| Some((level, node(machine, &memory)?)));
    let nodes = nodes.sorted_by_key(|(_, node)| *node).collect_vec();
    let sides = [Side::Into, Side::OutOf, Side::Arriving, Side::Departing];
    let borders = nodes.iter().cartesian_product(sides);
    borders.filter_map(|(at, side)| Border::of(machine, &nodes, *at, side, &uses)).collect()
}

fn node(machine: &Machine, memory: &Memory) -> Option<Node> {
    Some((machine.depth(memory.owner)?, Reverse(memory.group)))
}

/// A movement in one direction, within the nodes of its upper memory or between them.
struct Use {
    number: u64,
    down: bool,
    across: bool,
    adds: bool,
    is_from_maker: bool,
    upper: Node,
    lower: Node,
    /// The numbers of nodes of both memories.
    nodes: (u64, u64),
    /// Words a cycle at each upper memory that takes part, and at each lower one.
    rates: (u64, u64),
    /// The upper memories that take part at the same time.
    sources: u64,
    /// The lower memories that get each word.
    copies: u64,
    /// The upper nodes that one word reaches.
    reach: u64,
    /// The cycles of one issue.
    least: u64,
}

impl Use {
    fn all(machine: &Machine, movement: &Movement, number: u64) -> Vec<Use> {
        let map = movement.map.as_deref().and_then(|map| map.parse::<Layout>().ok());
        let upper = machine.memory(&movement.upper).ok();
        // A beat that leaves the node of the upper memory does not work inside each of them.
        let leaves =
            upper.zip(map.as_ref()).is_some_and(|(upper, map)| leaves(machine, map, &upper));
        let ways = [(true, false), (true, true), (false, false), (false, true)];
        let goes = |(down, across): &(bool, bool)| {
            let other = if *down { Direction::Up } else { Direction::Down };
            let works = if *across { movement.across } else { !movement.across || !leaves };
            movement.direction != other && works
        };
        let of = |(at, way): (u64, (bool, bool))| {
            Use::of(machine, movement, map.as_ref(), number * 4 + at, way)
        };
        (0..).zip(ways).filter(|(_, way)| goes(way)).filter_map(of).collect()
    }

    /// `None` where no rate is known between the memories.
    fn of(
        machine: &Machine,
        movement: &Movement,
        map: Option<&Layout>,
        number: u64,
        (down, across): (bool, bool),
    ) -> Option<Use> {
        let rates = machine.rates_at_most(movement);
        let rate = movement.across_rate.filter(|_| across).or(rates.0)?;
        let memories = [&movement.upper, &movement.lower].map(|name| machine.memory(name).ok());
        let [Some(upper), Some(lower)] = memories else { return None };
        let count = |memory: &Memory| machine.units_of(memory.node()).unwrap_or(1);
        let nodes = (count(&upper), count(&lower));
        let below = if across { nodes.1 } else { nodes.1.div_ceil(nodes.0.max(1)) };
        let (sources, reach) = match map {
            _ if !across => (nodes.0, 1),
            None => (nodes.0, nodes.0),
            Some(map) => {
                let reach = reached(machine, map, &upper).unwrap_or(nodes.0);
                (sources(map), reach.min(nodes.0))
            }
        };
        let copies = match map {
            _ if !down => 1,
            None => below,
            Some(map) => product(map.replicas().iter().map(|copy| copy.size)).unwrap_or(below),
        };
        let passes = if across { sources } else { 1 };
        let lower_rate = rates.1.unwrap_or(rate.saturating_mul(passes));
        let adds = movement.kind == MovementKind::Reduce;
        // What each lower memory gets bounds what leaves the upper one, unless it names lower ones one after another.
        let together = if movement.names_one || map.is_none() { 1 } else { copies.max(1) };
        let most = lower_rate.saturating_mul(below.div_ceil(together));
        Some(Use {
            number,
            down,
            across,
            adds,
            is_from_maker: movement.from_maker && movement.rates.0.is_some(),
            upper: node(machine, &upper)?,
            lower: node(machine, &lower)?,
            nodes,
            rates: (if adds { rate } else { rate.min(most) }, lower_rate),
            sources,
            copies,
            reach,
            least: movement.issue.div_ceil(rate),
        })
    }

    /// Returns whether it crosses the border of a node.
    fn crosses(&self, node: Node, side: Side) -> bool {
        let below = node > self.upper && node <= self.lower;
        let between = self.across && node <= self.upper;
        match side {
            Side::Into => between || (below && self.down),
            Side::OutOf => between || (below && !self.down),
            Side::Arriving => node == if self.down { self.lower } else { self.upper },
            Side::Departing => node == if self.down { self.upper } else { self.lower },
        }
    }

    /// The words that it carries across the border of one of `units` nodes.
    fn way(&self, (node, side): (Node, Side), units: u64) -> Way {
        let Use { number, rates: (upper, lower), nodes, sources, reach, least, .. } = *self;
        let Use { adds, is_from_maker, .. } = *self;
        let flow = upper.saturating_mul(sources);
        let passes = if self.across { flow } else { upper };
        let inside = lower.saturating_mul(nodes.1.div_ceil(units.max(1)));
        let each = match side {
            Side::Departing if node == self.upper => upper,
            Side::Arriving if node == self.upper => passes,
            // Between nodes of the upper memory, the lower ones of a node bound what it gets or gives.
            Side::Into if node <= self.upper && self.down => passes.min(inside),
            Side::OutOf if node <= self.upper && !self.down => passes.min(inside),
            _ if node <= self.upper => passes,
            // Sums are made of words of each lower memory.
            _ if adds => inside,
            _ => passes.min(inside),
        };
        let all = match side {
            Side::Arriving | Side::Departing if adds => each.saturating_mul(units),
            Side::Arriving => flow.saturating_mul(self.copies).min(each.saturating_mul(units)),
            // An element that leaves passes once for all its copies.
            Side::Departing => flow.min(each.saturating_mul(units)),
            _ if adds => lower.saturating_mul(nodes.1),
            // Copies for several nodes count once above them.
            _ if self.across && node <= self.upper => flow,
            _ => flow.saturating_mul(reach),
        };
        Way { number, each, all, least, adds, is_from_maker }
    }
}

/// The upper memories of a beat: an axis before that of long words counts them.
fn sources(map: &Layout) -> u64 {
    if map.rank() == 2 { map.axes().first().map_or(1, Axis::slots) } else { 1 }
}

/// Returns whether a beat lands in several nodes of the upper memory.
fn leaves(machine: &Machine, map: &Layout, upper: &Memory) -> bool {
    let landed = map.subaxes().filter_map(|digit| Some((digit.landed()?, digit.size)));
    let copies = map.replicas().iter().map(|copy| ((copy.level, copy.stride), copy.size));
    landed.chain(copies).any(|((level, step), size)| {
        let depth = machine.depth(level);
        let own = machine.depth(upper.owner);
        let ends = step.saturating_mul(size);
        level.is_unit() && size > 1 && (depth < own || (depth == own && ends > upper.group))
    })
}

/// The nodes of a memory that each word of a map reaches, as copies.
fn reached(machine: &Machine, map: &Layout, memory: &Memory) -> Option<u64> {
    let within = |copy: &Replica| match machine.depth(copy.level).cmp(&machine.depth(memory.owner))
    {
        Ordering::Less => copy.size,
        Ordering::Equal => copy.size.saturating_mul(copy.stride).div_ceil(memory.group).max(1),
        Ordering::Greater => 1,
    };
    product(map.replicas().iter().map(within))
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
fn in_slices(at: &LevelTraffic, slices: Option<&LevelTraffic>) -> LevelTraffic {
    let Some(LevelTraffic { into: moved, copies: slices, .. }) = slices else { return *at };
    let slices = (*slices).max(1);
    let copies = at.copies / slices;
    let into = at.into.saturating_sub(moved.saturating_mul(copies)) / slices;
    let out_of = at.out_of.map(|out_of| if copies <= 1 { into } else { out_of });
    let arriving = if at.arriving == at.into { into } else { at.arriving / slices };
    let departing = match Some(at.departing) == at.out_of {
        true => out_of.unwrap_or(0),
        false => at.departing,
    };
    LevelTraffic { copies, into, out_of, arriving, departing, ..*at }
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
