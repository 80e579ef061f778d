//! Law 17 between two memories of one machine: a unit reads the memories that it owns or shares.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tensor_layout::error::RelayoutFault;
use tensor_layout::machine::Memory;
use tensor_layout::relayout::{Distance, Relayout};
use tensor_layout::{LayoutError, Level, Location, Machine, Placement};

use super::law_17_relayout::{is_uneven, keep_small, numbered};
use crate::generate::{common_shape, good_layout};
use crate::run::{Tally, laws};
use crate::slow::{Slow, To};
use crate::stage::{Placed, Stage};

laws! {
    traffic_between_memories_is_what_enumeration_counts: 300, 85 %, memories(), counted_both_ways;
    transfers_between_memories_give_the_destination: 150, 85 %, memories(), carried_both_ways;
}

/// Two memories of one machine, a higher and a lower one: how deep their owners are, and how many
/// neighbours share one; and a tensor in each.
#[derive(Clone, Debug)]
struct Memories {
    levels: Vec<(Level, u64)>,
    high: (usize, u64),
    low: (usize, u64),
    tensors: [Slow; 2],
}

/// The coordinates of a memory, time first if it is used; the last is the first unit that shares it.
type Path = Vec<u64>;

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
        let low = high + low % levels.len().saturating_sub(high).max(1);
        above(&levels, high, &mut a, timeless);
        above(&levels, low, &mut b, false);
        let nest = high != low || group % shared == 0;
        let case = Memories { levels, high: (high, group), low: (low, shared), tensors: [a, b] };
        (nest && case.is_good()).then_some(case)
    })
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
        Placement::of(layout).on(&self.machine()).memory(NAMES[at]).build()
    }

    fn memory(&self, at: usize) -> (usize, u64) {
        [self.high, self.low][at]
    }

    /// The same by the slow definition.
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

    /// The places of an element: the path of the memory, and where in it.
    fn places(&self, at: usize, index: &[u64]) -> BTreeSet<(Path, Location)> {
        let placed = self.placed(at);
        let everywhere = !self.tensors[at].used().contains(&Level::TIME);
        let times = |place: &Location| -> Vec<Option<u64>> {
            match (self.uses_time(), everywhere) {
                (false, _) => vec![None],
                (true, false) => vec![place.get(Level::TIME)],
                (true, true) => (0..self.slices()).map(Some).collect(),
            }
        };
        let levels = &self.levels[..=self.memory(at).0];
        let mut places = BTreeSet::new();
        for place in placed.stored_places(index) {
            let units: Path = levels.iter().map(|(of, _)| place.get(*of).unwrap_or(0)).collect();
            let inner = [Level::ADDR, Level::W].map(|of| (of, place.get(of).unwrap_or(0)));
            let inner: Location = inner.into_iter().collect();
            for time in times(&place) {
                let path = time.into_iter().chain(units.iter().copied()).collect();
                places.insert((path, inner.clone()));
            }
        }
        places
    }

    /// Whether a unit of the destination, or the units of one of its memories, can read a memory of
    /// the source: all coordinates above agree, and it is the memory that the unit shares.
    fn reads(&self, source: &[u64], unit: &[u64]) -> bool {
        let time = usize::from(self.uses_time());
        let owner = time + self.high.0;
        if unit.len() <= owner {
            return source[..unit.len()] == *unit;
        }
        // At the owner of the higher memory: units that share one read the same.
        let number = |path: &[u64]| path[owner] / self.high.1;
        source[..owner] == unit[..owner] && number(source) == number(unit)
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

/// Refusals are those of copies that do not line up with the units that share a memory.
fn relayout(
    memories: &Memories,
    source: usize,
    tally: &mut Tally,
) -> Result<Option<Relayout>, TestCaseError> {
    let placed = [source, 1 - source].map(|at| memories.place(at).unwrap());
    match tally.count(Relayout::new(&placed[0], &placed[1])) {
        Ok(relayout) => Ok(Some(relayout)),
        Err(LayoutError::Relayout(RelayoutFault::UnevenCopies { level, group })) => {
            let strays = |at: usize| is_uneven(&memories.placed(at), level, group);
            prop_assert!(strays(0) || strays(1));
            Ok(None)
        }
        Err(error) => Err(TestCaseError::fail(error.to_string())),
    }
}

fn counted(memories: &Memories, source: usize, tally: &mut Tally) -> Result<(), TestCaseError> {
    let Some(relayout) = relayout(memories, source, tally)? else { return Ok(()) };
    let traffic = tally.answer(relayout.traffic())?;
    let depth = relayout.levels().len();
    let mut nearest = vec![0; depth + 1];
    // By level, what enters each memory or unit.
    let mut enters: Vec<BTreeMap<Path, u64>> = vec![BTreeMap::new(); depth];
    for index in memories.tensors[source].indexes() {
        let from = memories.places(source, &index);
        let read = |unit: &[u64]| from.iter().any(|(path, _)| memories.reads(path, unit));
        let to = memories.places(1 - source, &index);
        for (level, enters) in enters.iter_mut().enumerate() {
            let units: BTreeSet<&[u64]> = to.iter().map(|(path, _)| &path[..=level]).collect();
            for unit in units {
                *enters.entry(unit.to_vec()).or_default() += u64::from(!read(unit));
            }
        }
        for (path, _) in &to {
            nearest[(0..depth).take_while(|level| read(&path[..=*level])).count()] += 1;
        }
    }
    let found: Vec<u64> = traffic.levels.iter().rev().map(|level| level.into).collect();
    let totals: Vec<u64> = enters.iter().map(|enters| enters.values().sum()).collect();
    prop_assert_eq!(found, totals);
    for (level, enters) in relayout.levels().iter().zip(&enters) {
        let found = tally.answer(relayout.busiest(*level))?;
        prop_assert_eq!(found.into, enters.values().copied().max().unwrap_or(0));
        prop_assert_eq!(found.total, enters.values().sum::<u64>());
        if found.into > 0 {
            let of = |level: &Level| found.unit.get(*level).unwrap();
            let levels = relayout.levels().iter().take_while(|of| *of != level).chain([level]);
            prop_assert_eq!(enters.get(&levels.map(of).collect::<Path>()), Some(&found.into));
        }
    }
    for (at, level) in relayout.levels().iter().enumerate() {
        prop_assert_eq!(traffic.count(Distance::Level(*level)), nearest[at], "{}", level);
    }
    prop_assert_eq!(traffic.count(Distance::Memory), nearest[depth]);
    Ok(())
}

/// Moves numbered elements from one memory to the other and looks at every copy.
fn carried(memories: &Memories, source: usize, tally: &mut Tally) -> Result<(), TestCaseError> {
    let Some(relayout) = relayout(memories, source, tally)? else { return Ok(()) };
    let lanes = relayout.lanes();
    let of = |at: usize, unit: &Location, number: u64| -> (Path, Location) {
        let levels = memories.levels[..=memories.memory(at).0].iter().map(|(level, _)| *level);
        let time = memories.uses_time().then_some(Level::TIME);
        let path = time.into_iter().chain(levels).map(|level| unit.get(level).unwrap());
        let inner = [(Level::ADDR, number / lanes), (Level::W, number % lanes)];
        (path.collect(), inner.into_iter().collect())
    };
    let indexes = memories.tensors[source].indexes();
    let held = |at: usize| -> BTreeMap<(Path, Location), u64> {
        let places = |(number, index): (u64, &Vec<u64>)| {
            memories.places(at, index).into_iter().map(move |p| (p, number))
        };
        (0..).zip(&indexes).flat_map(places).collect()
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
                let near = memories.reads(&from.0, &to.0);
                prop_assert_eq!(near, transfer.distance == Distance::Memory);
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
