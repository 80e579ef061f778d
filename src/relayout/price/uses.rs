//! What a movement carries in one direction, within the nodes of its upper memory or between them.

use std::cmp::{Ordering, Reverse};

use itertools::Itertools;

use crate::algebra::{Axis, Landing, Layout, Replica, product};
use crate::level::Level;
use crate::machine::{Direction, Machine, Memory, Movement, MovementKind};

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

/// What one use of a movement carries across a border in a cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) number: u64,
    /// The words of one node.
    pub(super) each: u64,
    /// The words of all nodes.
    pub(super) all: u64,
    pub(super) least: u64,
    pub(super) adds: bool,
    pub(super) is_from_maker: bool,
}

/// A node of the tree: the depth of the level of its units, and how many of them it has. Nodes nearer to the root come first.
pub(super) type Node = (usize, Reverse<u64>);

/// The units of all levels of a machine and the nodes of its memories, from the root down.
pub(super) fn nodes(machine: &Machine) -> Vec<(Level, Node)> {
    let groups = machine.memories().map(|(_, memory)| (memory.node(), memory));
    let units =
        machine.levels().map(|(owner, _)| (owner, Memory { capacity: None, owner, group: 1 }));
    let nodes = units.chain(groups).unique_by(|(level, _)| *level);
    let nodes = nodes.filter_map(|(level, memory)| Some((level, node(machine, &memory)?)));
    nodes.sorted_by_key(|(_, node)| *node).collect()
}

fn node(machine: &Machine, memory: &Memory) -> Option<Node> {
    Some((machine.depth(memory.owner)?, Reverse(memory.group)))
}

/// A movement in one direction, within the nodes of its upper memory or between them.
pub(super) struct Use {
    number: u64,
    pub(super) down: bool,
    pub(super) across: bool,
    pub(super) adds: bool,
    is_from_maker: bool,
    pub(super) upper: Node,
    pub(super) lower: Node,
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
    pub(super) least: u64,
}

/// The two memories of a movement.
#[derive(Clone, Copy)]
struct Ends {
    upper: Memory,
    lower: Memory,
    /// The numbers of their nodes in the machine.
    nodes: (u64, u64),
}

/// All uses of the movements of a machine.
pub(super) fn uses(machine: &Machine) -> Vec<Use> {
    let movements = (0..).zip(machine.movements());
    movements.flat_map(|(at, movement)| Use::all(machine, movement, at)).collect()
}

impl Use {
    fn all(machine: &Machine, movement: &Movement, number: u64) -> Vec<Use> {
        let map = movement.map.as_deref().and_then(|map| map.parse::<Layout>().ok());
        let memory = |name: &str| machine.memory(name).ok();
        let count = |memory: &Memory| machine.units_of(memory.node()).unwrap_or(1);
        let ends = memory(&movement.upper).zip(memory(&movement.lower));
        let Some((upper, lower)) = ends else { return Vec::new() };
        let ends = Ends { upper, lower, nodes: (count(&upper), count(&lower)) };
        // A beat that leaves the node of the upper memory does not work inside each of them.
        let leaves = map.as_ref().is_some_and(|map| leaves(machine, map, &upper));
        let ways = [(true, false), (true, true), (false, false), (false, true)];
        let goes = |(down, across): &(bool, bool)| {
            let other = if *down { Direction::Up } else { Direction::Down };
            let works = if *across { movement.across } else { !movement.across || !leaves };
            movement.direction != other && works
        };
        let of = |(at, way): (u64, (bool, bool))| {
            Use::of(machine, movement, map.as_ref(), ends, number * 4 + at, way)
        };
        (0..).zip(ways).filter(|(_, way)| goes(way)).filter_map(of).collect()
    }

    /// `None` where no rate is known between the memories.
    fn of(
        machine: &Machine,
        movement: &Movement,
        map: Option<&Layout>,
        ends: Ends,
        number: u64,
        (down, across): (bool, bool),
    ) -> Option<Use> {
        let rates = machine.rates_at_most(movement);
        let rate = movement.across_rate.filter(|_| across).or(rates.0)?;
        let Ends { upper, lower, nodes } = ends;
        let below = if across { nodes.1 } else { nodes.1.div_ceil(nodes.0.max(1)) };
        let (sources, reach) = sources_and_reach(machine, map, ends, across);
        let copies = if down { copies_below(map, below) } else { 1 };
        let passes = if across { sources } else { 1 };
        let lower_rate = rates.1.unwrap_or(rate.saturating_mul(passes));
        let adds = movement.kind == MovementKind::Reduce;
        // What each lower memory gets bounds what leaves the upper one, unless it names lower ones one after another.
        let together = if movement.names_one || map.is_none() { 1 } else { copies.max(1) };
        let most = lower_rate.saturating_mul(below.div_ceil(together));
        let at_lower = map.map_or(0, |map| movement.issue_at_lower(map));
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
            least: movement.issue.div_ceil(rate).max(at_lower.div_ceil(lower_rate)),
        })
    }

    /// The nodes of the memories that it takes from and brings to.
    pub(super) fn ends(&self) -> (Node, Node) {
        if self.down { (self.upper, self.lower) } else { (self.lower, self.upper) }
    }

    /// Returns whether it crosses the border of a node.
    pub(super) fn crosses(&self, node: Node, side: Side) -> bool {
        let below = node > self.upper && node <= self.lower;
        let between = self.across && node <= self.upper;
        match side {
            Side::Into => between || (below && self.down),
            Side::OutOf => between || (below && !self.down),
            Side::Arriving => node == self.ends().1,
            Side::Departing => node == self.ends().0,
        }
    }

    /// The words that it carries across the border of one of `units` nodes.
    pub(super) fn way(&self, (node, side): (Node, Side), units: u64) -> Way {
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

/// The upper memories that take part, and the upper nodes that one word reaches.
fn sources_and_reach(
    machine: &Machine,
    map: Option<&Layout>,
    Ends { upper, nodes, .. }: Ends,
    across: bool,
) -> (u64, u64) {
    match map {
        _ if !across => (nodes.0, 1),
        None => (nodes.0, nodes.0),
        Some(map) => {
            let reach = reached(machine, map, &upper).unwrap_or(nodes.0);
            (sources(map), reach.min(nodes.0))
        }
    }
}

/// The lower memories, of those below, that get each word.
fn copies_below(map: Option<&Layout>, below: u64) -> u64 {
    map.and_then(|map| product(map.replicas().iter().map(|copy| copy.size))).unwrap_or(below)
}

/// The upper memories of a beat: an axis before that of long words counts them.
fn sources(map: &Layout) -> u64 {
    if map.rank() == 2 { map.axes().first().map_or(1, Axis::slots) } else { 1 }
}

/// Returns whether a beat lands in several nodes of the upper memory.
fn leaves(machine: &Machine, map: &Layout, upper: &Memory) -> bool {
    map.landings().any(|Landing { level, stride: step, size, .. }| {
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
