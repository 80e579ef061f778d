//! Law 17 between two memories of one machine, which hang at nodes of the tree.
//!
//! The slow definition: data in a memory at node N is inside the subtrees of N and of its ancestors,
//! and outside every subtree below N. What is brought into a subtree enters it, what is brought out
//! of it leaves it.

use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools;
use proptest::prelude::*;
use proptest::sample::select;
use tensor_layout::error::ErrorKind;
use tensor_layout::machine::Memory;
use tensor_layout::relayout::{CostModel, Distance, Relayout, Traffic, UnitPart};
use tensor_layout::{LayoutError, Level, Location, Machine, Placement};

use super::law_17_relayout::{is_uneven, keep_small, numbered};
use crate::generate::{all_digits, good_layout};
use crate::pairs::common_shape;
use crate::run::{Tally, laws};
use crate::slow::{Slow, To};
use crate::stage::{Placed, Stage};

laws! {
    traffic_between_memories_is_what_enumeration_counts: 5_000, 85 %, memories(), counted_both_ways;
    traffic_between_memories_of_mn_core_is_what_enumeration_counts: 500, 85 %, of_mn_core_2(), counted_both_ways;
    transfers_between_memories_of_mn_core_give_the_destination: 30, 85 %, of_mn_core_2(), carried_both_ways;
    transfers_between_memories_give_the_destination: 150, 85 %, memories(), carried_both_ways;
}

/// Two memories of one machine: how deep their owners are, and how many neighbours have one together;
/// and a tensor in each.
#[derive(Clone, Debug)]
struct Memories {
    levels: Vec<(Level, u64)>,
    high: (usize, u64),
    low: (usize, u64),
    tensors: [Slow; 2],
    /// A machine and the names of its memories, instead of one that is made of the fields above.
    machine: Option<(Machine, [String; 2])>,
    /// True if paths go through groups that have another memory in common.
    is_grouped: bool,
}

/// A unit of a level, or a group of units: its coordinates from the root down, time first if it counts;
/// a group has the number among the groups. `None` for a memory that is in no unit of the level.
type Unit = Option<Vec<u64>>;

const NAMES: [&str; 2] = ["H", "L"];

fn memories() -> impl Strategy<Value = Memories> {
    let depths = (0_usize..6, 0_usize..6, 1_u64..5, 1_u64..4, prop::bool::weighted(0.3));
    (good_layout(), good_layout(), depths).prop_filter_map("refused", |(mut a, mut b, draw)| {
        let (high, low, group, shared, timeless) = draw;
        keep_small(&mut a);
        keep_small(&mut b);
        common_shape(&mut a, &mut b);
        let used = a.used().into_iter().chain(b.used());
        let units: BTreeSet<Level> = used.filter(|level| level.is_unit()).collect();
        let size = |level: Level| a.extent(level).max(b.extent(level));
        let levels: Vec<(Level, u64)> = units.into_iter().map(|of| (of, size(of))).collect();
        let high = high % levels.len().max(1);
        let low = low % levels.len().max(1);
        above(&levels, high, &mut a, timeless);
        above(&levels, low, &mut b, false);
        let nest = high != low || group % shared == 0 || shared % group == 0;
        let case = Memories {
            levels,
            high: (high, group),
            low: (low, shared),
            tensors: [a, b],
            machine: None,
            is_grouped: false,
        };
        (nest && case.is_good()).then_some(case)
    })
}

/// Two different memories of `mn-core-2`, and tensors that fit its levels.
fn of_mn_core_2() -> impl Strategy<Value = Memories> {
    let machine = Machine::mn_core_2();
    let levels: Vec<(Level, u64)> = machine.levels().collect();
    let hangs = |memory: Memory| {
        let depth = levels.iter().position(|(level, _)| *level == memory.owner);
        (depth.unwrap(), memory.group)
    };
    let memories: Vec<(String, (usize, u64))> =
        machine.memories().map(|(name, memory)| (name.to_string(), hangs(memory))).collect();
    assert_eq!(memories.len(), 6, "every memory of the machine is drawn");
    let memory = || select(memories.clone());
    (good_layout(), good_layout(), memory(), memory()).prop_filter_map(
        "refused",
        move |(mut a, mut b, high, low)| {
            keep_small(&mut a);
            keep_small(&mut b);
            common_shape(&mut a, &mut b);
            for (slow, (_, (owner, _))) in [(&mut a, &high), (&mut b, &low)] {
                rename(slow, Level::new("Core").unwrap(), Level::L1B);
                above(&levels, *owner, slow, false);
            }
            let fits = |slow: &Slow| levels.iter().all(|(of, size)| slow.extent(*of) <= *size);
            let case = Memories {
                levels: levels.clone(),
                high: high.1,
                low: low.1,
                tensors: [a, b],
                machine: Some((machine.clone(), [high.0, low.0])),
                is_grouped: true,
            };
            let [a, b] = &case.machine.as_ref()?.1;
            (a != b && case.tensors.iter().all(fits) && case.is_good()).then_some(case)
        },
    )
}

/// Moves all that is in a level to another that the layout does not use.
fn rename(slow: &mut Slow, from: Level, to: Level) {
    let rename = |level: &mut Level| *level = if *level == from { to } else { *level };
    for digit in all_digits(slow) {
        if let To::Land(level, _) = &mut digit.to {
            rename(level);
        }
    }
    slow.replicas.iter_mut().for_each(|(_, level, _)| rename(level));
    slow.marked = slow.marked.iter().map(|of| if *of == from { to } else { *of }).collect();
    for map in [&mut slow.offsets, &mut slow.spans] {
        if let Some(value) = map.remove(&from) {
            map.insert(to, value);
        }
    }
}

/// A memory has no levels below its owner.
fn above(levels: &[(Level, u64)], owner: usize, slow: &mut Slow, timeless: bool) {
    let below = |level: &Level| {
        let deep = levels.iter().position(|(of, _)| of == level).is_some_and(|at| at > owner);
        deep || (timeless && *level == Level::TIME)
    };
    let derived = slow.derived.iter_mut().map(|(_, axis)| axis);
    for digit in slow.axes.iter_mut().chain(derived).flat_map(|axis| &mut axis.digits) {
        if let To::Land(level, _) = &mut digit.to
            && below(level)
        {
            *level = Level::ADDR;
        }
    }
    slow.replicas.retain(|(_, level, _)| !below(level));
    slow.offsets.retain(|level, _| !below(level));
    slow.spans.retain(|level, _| !below(level));
    slow.marked.retain(|level| !below(level));
}

impl Memories {
    fn is_good(&self) -> bool {
        const MOST: u64 = 1500;
        let few = |at: usize| {
            let placed = self.placed(at);
            placed.spread.elements() * placed.spread.copies() * self.slices() <= MOST
        };
        !self.levels.is_empty()
            && self.tensors.iter().all(|slow| slow.build().is_ok() && slow.is_injective())
            && (0..2).all(|at| few(at) && self.place(at).is_ok())
    }

    fn machine(&self) -> Machine {
        if let Some((machine, _)) = &self.machine {
            return machine.clone();
        }
        let mut machine = Machine::builder("two memories");
        for (level, size) in &self.levels {
            machine = machine.level(*level, *size);
        }
        for (name, (depth, group)) in NAMES.into_iter().zip([self.high, self.low]) {
            let owner = self.levels[depth].0;
            machine = machine.memory(name, Memory { capacity: None, owner, group });
        }
        machine.build().unwrap()
    }

    fn place(&self, at: usize) -> Result<Placement, LayoutError> {
        let layout = self.tensors[at].layout();
        let name = self.machine.as_ref().map_or(NAMES[at], |(_, names)| &names[at]);
        Placement::of(layout).on(&self.machine()).memory(name).build()
    }

    fn memory(&self, at: usize) -> (usize, u64) {
        [self.high, self.low][at]
    }

    /// The placement, by the slow definition.
    fn placed(&self, at: usize) -> Placed {
        let (depth, group) = self.memory(at);
        let stage = Stage::tree(&self.levels).with_memory(self.levels[depth].0, group);
        Placed::new(&stage, &self.tensors[at])
    }

    fn uses_time(&self) -> bool {
        self.tensors.iter().any(|slow| slow.used().contains(&Level::TIME))
    }

    fn slices(&self) -> u64 {
        self.tensors.iter().map(|slow| slow.extent(Level::TIME)).max().unwrap()
    }

    /// The levels that paths go through, from the root down: groups before their units, down to the
    /// lower memory.
    fn levels(&self) -> Vec<Node> {
        let mut nodes = Vec::new();
        for depth in 0..=self.high.0.max(self.low.0) {
            let here = [self.high, self.low].into_iter().filter(|memory| memory.0 == depth);
            let all = self.is_grouped;
            let groups: BTreeSet<u64> = here
                .map(|(_, group)| group)
                .chain(all.then(|| self.groups(depth)).flatten())
                .collect();
            nodes.extend(groups.iter().rev().filter(|group| **group > 1).map(|g| (depth, *g)));
            let below = self.high.0.max(self.low.0) > depth;
            let units = [self.high, self.low].contains(&(depth, 1));
            nodes.extend((below || units).then_some((depth, 1)));
        }
        let time = self.uses_time().then_some(Node::Time);
        time.into_iter()
            .chain(nodes.into_iter().map(|(depth, group)| Node::Units(depth, group)))
            .collect()
    }

    /// The units of a depth that have a memory in common.
    fn groups(&self, depth: usize) -> Option<u64> {
        let (machine, _) = self.machine.as_ref()?;
        let groups = machine.memories().filter(|(_, memory)| memory.owner == self.levels[depth].0);
        groups.map(|(_, memory)| memory.group).max().filter(|group| *group > 1)
    }

    /// The case with the groups of a relayout: they are left out only where copies do not line up with them.
    fn with_levels_of(&self, relayout: &Relayout) -> Result<Memories, TestCaseError> {
        let group = Level::L2B.in_groups_of(2);
        let is_grouped = relayout.levels().contains(&group);
        if self.is_grouped && !is_grouped {
            let strays = |at: usize| is_uneven(&self.placed(at), Level::L2B, 2);
            prop_assert!(strays(0) || strays(1));
        }
        Ok(Memories { is_grouped, ..self.clone() })
    }

    fn level(&self, node: Node) -> Level {
        match node {
            Node::Time => Level::TIME,
            Node::Units(depth, group) => {
                let level = self.levels[depth].0;
                if group == 1 {
                    level
                } else {
                    Level::of_node(&format!("{level}/{group}")).unwrap()
                }
            }
        }
    }

    /// The places in a memory of every element, in row-major order.
    fn places(&self, at: usize) -> Vec<BTreeSet<Place>> {
        let everywhere = self.uses_time() && !self.tensors[at].used().contains(&Level::TIME);
        let slices = if everywhere { self.slices() } else { 1 };
        let (depth, group) = self.memory(at);
        let levels = &self.levels[..=depth];
        let named = |place: Location| {
            let units: Vec<u64> =
                levels.iter().map(|(of, _)| place.get(*of).unwrap_or(0)).collect();
            let inner = [Level::ADDR, Level::W].map(|of| place.get(of).unwrap_or(0));
            let first = place.get(Level::TIME).unwrap_or(0);
            let times = if everywhere { 0..slices } else { first..first + 1 };
            times.map(move |time| Place { time, units: units.clone(), group, inner })
        };
        let all = self.placed(at).stored_by_element();
        all.into_iter().map(|places| places.into_iter().flat_map(named).collect()).collect()
    }
}

/// A level of the tree: time, or the units of a depth, so many together.
#[derive(Clone, Copy, PartialEq)]
enum Node {
    Time,
    Units(usize, u64),
}

/// A place in a memory: the coordinates down to the owner, how many of its units have it together,
/// address and lane.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    time: u64,
    units: Vec<u64>,
    group: u64,
    inner: [u64; 2],
}

impl Place {
    /// The unit that the place is inside; `None` where the memory hangs above.
    fn unit(&self, node: Node) -> Unit {
        self.path(node).map(Iterator::collect)
    }

    /// The coordinates of the unit.
    fn path(&self, node: Node) -> Option<impl Iterator<Item = u64> + '_> {
        let (above, own) = match node {
            Node::Time => (&[][..], None),
            Node::Units(depth, group) => {
                let owner = self.units.len() - 1;
                let inside = depth < owner || (depth == owner && group >= self.group);
                inside.then(|| (&self.units[..depth], Some(self.units[depth] / group)))?
            }
        };
        Some([self.time].into_iter().chain(above.iter().copied()).chain(own))
    }

    fn shares_unit(&self, other: &Place, node: Node) -> bool {
        match (self.path(node), other.path(node)) {
            (Some(own), Some(other)) => own.eq(other),
            (own, other) => own.is_none() && other.is_none(),
        }
    }

    /// The number of borders passed on the way from another place before one is crossed.
    fn along(&self, from: &Place, levels: &[Node]) -> usize {
        levels.iter().take_while(|node| self.shares_unit(from, **node)).count()
    }
}

fn counted_both_ways(memories: &Memories, tally: &mut Tally) -> Result<(), TestCaseError> {
    counted(memories, 0, tally)?;
    counted(memories, 1, tally)
}

fn carried_both_ways(memories: &Memories, tally: &mut Tally) -> Result<(), TestCaseError> {
    carried(memories, 0, tally)?;
    carried(memories, 1, tally)
}

/// Refusals are those of copies that do not line up with the groups of the other memory.
fn relayout(
    memories: &Memories,
    source: usize,
    tally: &mut Tally,
) -> Result<Option<Relayout>, TestCaseError> {
    let placed = [source, 1 - source].map(|at| memories.place(at).unwrap());
    match tally.count(Relayout::new(&placed[0], &placed[1])) {
        Ok(relayout) => Ok(Some(relayout)),
        Err(error) if error.kind() == ErrorKind::Uneven => {
            let (level, group) = (error.level("level").unwrap(), error.number("group").unwrap());
            let strays = |at: usize| is_uneven(&memories.placed(at), level, group);
            prop_assert!(strays(0) || strays(1));
            Ok(None)
        }
        Err(error) => Err(TestCaseError::fail(error.to_string())),
    }
}

/// The expected counts of every level, by enumeration.
struct Enumerated {
    /// The elements that enter each unit of each level, and the number that leave one.
    enters: Vec<BTreeMap<Vec<u64>, u64>>,
    leaves: Vec<u64>,
    /// True if an element is in several units of the previous level.
    open: Vec<bool>,
    /// Destination copies by how many borders they have in common with the nearest source copy.
    nearest: Vec<u64>,
}

fn enumerated(memories: &Memories, source: usize) -> Enumerated {
    let levels = memories.levels();
    let mut all = Enumerated {
        enters: vec![BTreeMap::new(); levels.len()],
        leaves: vec![0; levels.len()],
        open: vec![false; levels.len()],
        nearest: vec![0; levels.len() + 1],
    };
    let ends = [source, 1 - source].map(|at| memories.places(at));
    for (from, to) in ends[0].iter().zip(&ends[1]) {
        for place in to {
            all.nearest[from.iter().map(|from| place.along(from, &levels)).max().unwrap()] += 1;
        }
        // In a slice of the destination, what another slice of the source has is elsewhere.
        let units = |places: &BTreeSet<Place>, at: usize| -> BTreeSet<Unit> {
            let unit = |place: &Place| -> Unit {
                let mut unit = Vec::with_capacity((at + 1) * (at + 2));
                for node in &levels[..=at] {
                    unit.extend(place.path(*node)?);
                }
                Some(unit)
            };
            places.iter().map(unit).collect()
        };
        for at in 0..levels.len() {
            let (from, to) = (units(from, at), units(to, at));
            for unit in to.iter().flatten() {
                let enters = u64::from(!from.contains(&Some(unit.clone())));
                *all.enters[at].entry(unit.clone()).or_default() += enters;
            }
            let inside = from.iter().any(Option::is_some);
            all.leaves[at] += u64::from(inside && to.iter().any(|unit| !from.contains(unit)));
            all.open[at] |= from.len() > 1;
        }
    }
    all
}

fn counted(memories: &Memories, source: usize, tally: &mut Tally) -> Result<(), TestCaseError> {
    let Some(relayout) = relayout(memories, source, tally)? else { return Ok(()) };
    let memories = &memories.with_levels_of(&relayout)?;
    let traffic = tally.answer(relayout.traffic())?;
    let nodes = memories.levels();
    let levels: Vec<Level> = nodes.iter().map(|node| memories.level(*node)).collect();
    prop_assert_eq!(relayout.levels(), &levels);
    let all = enumerated(memories, source);
    for (at, found) in traffic.levels.iter().rev().enumerate() {
        prop_assert_eq!(found.level, levels[at]);
        prop_assert_eq!(found.into, all.enters[at].values().sum::<u64>(), "into {}", found.level);
        match found.out_of {
            Some(count) => prop_assert_eq!(count, all.leaves[at], "out of {}", found.level),
            None => prop_assert!(all.open[at], "out of {}", found.level),
        }
    }
    for (level, enters) in levels.iter().zip(&all.enters) {
        busiest_unit(memories, &relayout, (*level, enters), tally)?;
    }
    for (at, level) in levels.iter().enumerate() {
        prop_assert_eq!(traffic.count(Distance::Level(*level)), all.nearest[at], "{}", level);
    }
    prop_assert_eq!(traffic.count(Distance::Memory), all.nearest[levels.len()]);
    keys(memories, source, &traffic, tally)?;
    flows(memories, source, &relayout, tally)?;
    costs(memories, &traffic)
}

fn busiest_unit(
    memories: &Memories,
    relayout: &Relayout,
    (level, enters): (Level, &BTreeMap<Vec<u64>, u64>),
    tally: &mut Tally,
) -> Result<(), TestCaseError> {
    let found = tally.answer(relayout.busiest(level))?;
    prop_assert_eq!(found.elements, enters.values().copied().max().unwrap_or(0));
    prop_assert_eq!(found.total, enters.values().sum::<u64>());
    if found.elements > 0 {
        // The unit is named by the coordinates of the machine: a group by its first unit.
        let time = memories.uses_time().then(|| found.unit.get(Level::TIME).unwrap());
        let units = memories.levels.iter().map_while(|(of, _)| found.unit.get(*of)).collect_vec();
        let named = Place { time: time.unwrap_or(0), units, group: 1, inner: [0, 0] };
        let nodes = memories.levels();
        let upto = nodes.iter().take_while(|n| memories.level(**n) != level).count();
        let path = nodes[..=upto].iter().map(|node| named.unit(*node).unwrap()).collect_vec();
        prop_assert_eq!(enters.get(&path.concat()), Some(&found.elements));
    }
    Ok(())
}

/// The parts of both sides that traffic depends on count the same.
fn keys(
    memories: &Memories,
    source: usize,
    traffic: &Traffic,
    tally: &mut Tally,
) -> Result<(), TestCaseError> {
    let part = |at: usize| UnitPart::of(&memories.place(at).unwrap());
    let (from, to) = (tally.answer(part(source))?, tally.answer(part(1 - source))?);
    let levels = tally.answer(from.traffic_to(&to))?;
    prop_assert_eq!(levels.len(), traffic.levels.len());
    for (key, whole) in levels.iter().zip(&traffic.levels) {
        prop_assert_eq!((key.level, key.into), (whole.level, whole.into));
        // Copies at several addresses of a unit do not count in a key.
        let agree = key.out_of == whole.out_of || whole.out_of.is_none();
        prop_assert!(agree, "{:?} {:?}", key, whole);
    }
    Ok(())
}

/// From which unit to which, at every level that both memories are in.
fn flows(
    memories: &Memories,
    source: usize,
    relayout: &Relayout,
    tally: &mut Tally,
) -> Result<(), TestCaseError> {
    let ends = [source, 1 - source].map(|at| memories.places(at));
    for (depth, (level, _)) in memories.levels.iter().enumerate() {
        if !relayout.levels().contains(level) {
            continue;
        }
        let flows = match relayout.flows(*level) {
            Err(error) if error.kind() == ErrorKind::Unsupported => {
                let units = |places: &BTreeSet<Place>| -> BTreeSet<u64> {
                    places.iter().map(|place| place.units[depth]).collect()
                };
                prop_assert!(ends[0].iter().any(|places| units(places).len() > 1), "{}", level);
                continue;
            }
            Err(error) if error.kind() == ErrorKind::Limit => {
                let most = error.number("most").unwrap();
                prop_assert!(memories.levels[depth].1 > most, "{}", level);
                continue;
            }
            Err(error) if error.kind() == ErrorKind::Unknown => {
                prop_assert!(memories.high.0.min(memories.low.0) < depth);
                continue;
            }
            flows => tally.answer(flows)?,
        };
        let mut counts: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        for (from, to) in ends[0].iter().zip(&ends[1]) {
            let from: BTreeSet<u64> = from.iter().map(|place| place.units[depth]).collect();
            prop_assert_eq!(from.len(), 1, "one unit sends");
            for place in to {
                *counts.entry((*from.first().unwrap(), place.units[depth])).or_default() += 1;
            }
        }
        for (from, row) in flows.from.iter().zip(&flows.counts) {
            for (to, count) in flows.to.iter().zip(row) {
                let wanted = counts.remove(&(*from, *to)).unwrap_or(0);
                prop_assert_eq!(*count, wanted, "{} {} to {}", level, from, to);
            }
        }
        prop_assert!(counts.is_empty(), "{:?}", counts);
    }
    Ok(())
}

/// The slowest level, with rates that differ: what enters or leaves, an even share for every unit that takes part.
fn costs(memories: &Memories, traffic: &Traffic) -> Result<(), TestCaseError> {
    let rate = |at: usize| 1 + at as u64 % 3;
    let nodes = memories.levels().into_iter().filter(|node| *node != Node::Time).collect_vec();
    let rates = nodes.iter().enumerate().map(|(at, node)| (memories.level(*node), rate(at)));
    let machine = memories.machine().with_bandwidth(rates).unwrap();
    let cost = CostModel::new(&machine, 16).unwrap().at_least(&traffic.levels).unwrap();
    let steps = nodes.iter().enumerate().map(|(at, node)| {
        let Node::Units(depth, group) = *node else { return 0 };
        let above: u64 = memories.levels[..depth].iter().map(|(_, size)| size).product();
        let units = above * memories.levels[depth].1.div_ceil(group);
        let found = traffic.level(memories.level(*node)).unwrap();
        let each = |count: u64, among: u64| count.div_ceil(among.clamp(1, units));
        let out_of = each(found.out_of.unwrap_or(0), found.senders);
        let each = each(found.into, found.receivers).max(out_of);
        (each * 16).div_ceil(64).div_ceil(rate(at))
    });
    prop_assert_eq!(cost.steps, steps.max().unwrap_or(0));
    Ok(())
}

/// Moves numbered elements from one memory to the other and looks at every copy.
fn carried(memories: &Memories, source: usize, tally: &mut Tally) -> Result<(), TestCaseError> {
    let Some(relayout) = relayout(memories, source, tally)? else { return Ok(()) };
    let memories = &memories.with_levels_of(&relayout)?;
    let (lanes, levels) = (relayout.lanes(), memories.levels());
    let of = |at: usize, unit: &Location, number: u64| -> Place {
        let (depth, group) = memories.memory(at);
        let units = memories.levels[..=depth].iter().map(|(level, _)| unit.get(*level).unwrap());
        let time = if memories.uses_time() { unit.get(Level::TIME).unwrap() } else { 0 };
        Place { time, units: units.collect(), group, inner: [number / lanes, number % lanes] }
    };
    let held = |at: usize| -> BTreeMap<Place, u64> {
        let numbered = |(number, places): (u64, BTreeSet<Place>)| {
            places.into_iter().map(move |place| (place, number))
        };
        (0..).zip(memories.places(at)).flat_map(numbered).collect()
    };
    let (before, wanted) = (held(source), held(1 - source));
    let mut after = BTreeMap::new();
    let mut moved: BTreeMap<String, u64> = BTreeMap::new();
    let [a, b] = &memories.tensors;
    let Some(transfers) = numbered(&relayout, &[a, b], 0, tally)? else { return Ok(()) };
    for transfer in transfers {
        for n in 0..transfer.length {
            let from = of(source, &transfer.source, transfer.read.at(n));
            let number = before.get(&from).copied();
            prop_assert_eq!(number, Some(transfer.element + n), "a hole is read");
            for unit in &transfer.destinations {
                let to = of(1 - source, unit, transfer.write.at(n));
                let crossed = levels.get(to.along(&from, &levels));
                let crossed =
                    crossed.map_or(Distance::Memory, |n| Distance::Level(memories.level(*n)));
                prop_assert_eq!(crossed, transfer.distance);
                prop_assert!(after.insert(to, transfer.element + n).is_none(), "written twice");
                *moved.entry(transfer.distance.to_string()).or_default() += 1;
            }
        }
    }
    prop_assert_eq!(after, wanted);
    for (distance, count) in tally.answer(relayout.traffic())?.by_distance {
        prop_assert_eq!(moved.get(&distance.to_string()).copied().unwrap_or(0), count);
    }
    Ok(())
}
