//! Memories that several units share, judged by what every memory holds.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tensor_layout::machine::Memory;
use tensor_layout::relayout::{Distance, Relayout};
use tensor_layout::{Found, Layout, LayoutError, Level, Location, Machine, Placement};

use crate::generate::good_layout;
use crate::slow::Slow;

/// A layout in a shared memory: the slow definition, what it starts from, and who shares.
#[derive(Clone, Debug)]
struct Case {
    slow: Slow,
    offsets: Vec<(Level, u64)>,
    base: u64,
    marked: bool,
    owner: Level,
    group: u64,
    more: u64,
}

fn case() -> impl Strategy<Value = Case> {
    let offsets = prop::collection::vec((0_usize..6, 0_u64..5), 0..3);
    let more = (0_u64..4, 2_u64..6, 0_usize..6, 0_u64..3, any::<bool>());
    (good_layout(), offsets, more).prop_map(
        |(slow, offsets, (more, group, owner, base, marked))| {
            let units: Vec<Level> =
                slow.used().into_iter().filter(|level| level.is_unit()).collect();
            let owner = units.get(owner % units.len().max(1)).copied().unwrap_or(Level::PE);
            let mut at: BTreeMap<Level, u64> = BTreeMap::new();
            for (level, offset) in offsets {
                // Mostly the owner, whose coordinate is divided.
                let level = if level > 3 { Level::ADDR } else { owner };
                at.insert(level, offset);
            }
            Case { slow, offsets: at.into_iter().collect(), base, marked, owner, group, more }
        },
    )
}

impl Case {
    fn layout(&self) -> Layout {
        let builder = self.slow.layout().to_builder();
        let builder = self.offsets.iter().fold(builder, |b, (level, at)| b.offset(*level, *at));
        let builder = if self.marked { builder.used(Level::TIME) } else { builder };
        builder.build().unwrap()
    }

    /// The owner is the leaf, so that every level may be used.
    fn machine(&self) -> Machine {
        let layout = self.layout();
        let units = layout.used_levels().iter().copied().filter(|level| level.is_unit());
        let mut machine = Machine::builder("shared");
        for level in units.filter(|level| *level != self.owner) {
            machine = machine.level(level, layout.extent(level));
        }
        let memory = Memory { capacity: None, owner: self.owner, group: self.group };
        let size = layout.extent(self.owner) + self.more;
        machine.level(self.owner, size).memory("M", memory).build().unwrap()
    }

    fn placement(&self, machine: &Machine) -> Result<Placement, LayoutError> {
        Placement::of(self.layout()).on(machine).memory("M").base(self.base).build()
    }

    /// By unit, the place of every copy of an element.
    fn units(&self, index: &[u64]) -> Vec<BTreeMap<Level, u64>> {
        let mut places = self.slow.places(index);
        for place in &mut places {
            for (level, at) in &self.offsets {
                *place.entry(*level).or_default() += at;
            }
            *place.entry(Level::ADDR).or_default() += self.base;
            place.entry(self.owner).or_default();
            if self.marked {
                place.entry(Level::TIME).or_default();
            }
        }
        places
    }

    /// What every memory holds, by place: all elements that come together there.
    fn memories(&self) -> BTreeMap<BTreeMap<Level, u64>, BTreeSet<Vec<u64>>> {
        let mut held: BTreeMap<_, BTreeSet<Vec<u64>>> = BTreeMap::new();
        for index in self.slow.indexes() {
            for mut place in self.units(&index) {
                *place.get_mut(&self.owner).unwrap() /= self.group;
                held.entry(place).or_default().insert(index.clone());
            }
        }
        held
    }
}

/// The places of every element.
fn by_element(case: &Case) -> BTreeMap<Vec<u64>, BTreeSet<BTreeMap<Level, u64>>> {
    let mut places: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for (place, elements) in case.memories() {
        let place: BTreeMap<Level, u64> = place.into_iter().filter(|(_, at)| *at > 0).collect();
        for element in elements {
            places.entry(element).or_default().insert(place.clone());
        }
    }
    places
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 800, failure_persistence: None, max_global_rejects: 1 << 20, ..ProptestConfig::default()
    })]

    #[test]
    fn a_layout_is_refused_where_two_elements_share_a_place_of_a_memory(case in case()) {
        let held = case.memories();
        match case.placement(&case.machine()) {
            Ok(_) => prop_assert!(held.values().all(|elements| elements.len() == 1)),
            Err(LayoutError::Collision { first, second, place }
                | LayoutError::ReplicaOverlap { first, second, place }) => {
                prop_assert_ne!(&first, &second);
                let memory = |unit: u64, level: Level| match level == case.owner {
                    true => unit / case.group,
                    false => unit,
                };
                let both = |index: &[u64]| case.units(index).into_iter().any(|unit| {
                    let at = |level: Level| unit.get(&level).copied().unwrap_or(0);
                    place.iter().all(|(level, here)| memory(here, level) == memory(at(level), level))
                });
                prop_assert!(both(&first) && both(&second), "{:?} {:?} at {}", first, second, place);
            }
            Err(error) => prop_assert!(false, "{}", error),
        }
    }

    #[test]
    fn every_unit_reads_what_its_memory_holds(case in case()) {
        let Ok(placement) = case.placement(&case.machine()) else {
            return Err(TestCaseError::reject("two elements in one place"));
        };
        for (memory, elements) in case.memories() {
            let mut place: Location = memory.iter().map(|(level, at)| (*level, *at)).collect();
            let size = placement.size(case.owner).unwrap();
            let first = memory[&case.owner] * case.group;
            for unit in (first..first + case.group).filter(|unit| *unit < size) {
                place.set(case.owner, unit);
                let found = placement.element(&place).unwrap();
                prop_assert_eq!(found, Found::Element(elements.first().unwrap().clone()));
            }
        }
    }

    #[test]
    fn copyable_is_whether_the_memories_hold_the_same(a in case(), b in case(), same in 0..3) {
        // Often the same layout, moved by some units or words, or with other copies.
        let b = match same {
            0 => Case { slow: a.slow.clone(), owner: a.owner, group: a.group, ..b },
            1 => Case { slow: Slow { replicas: b.slow.replicas.clone(), ..a.slow.clone() }, ..a.clone() },
            _ => Case { slow: Slow { shape: a.slow.shape.clone(), ..b.slow }, owner: a.owner, group: a.group, ..b },
        };
        let mut b = b;
        b.offsets.retain(|(level, _)| *level == a.owner || *level == Level::ADDR);
        prop_assume!(b.slow.axes.len() == b.slow.shape.len() && b.slow.is_injective());
        let slots = |axis: &Vec<(u64, Level, u64)>| axis.iter().map(|digit| digit.0).product::<u64>();
        prop_assume!(b.slow.axes.iter().zip(&b.slow.shape).all(|(axis, extent)| slots(axis) >= *extent));
        let both: BTreeSet<Level> =
            a.slow.used().into_iter().chain(b.slow.used()).filter(|l| l.is_unit()).collect();
        let mut machine = Machine::builder("shared");
        for level in both.into_iter().filter(|level| *level != a.owner) {
            let size = a.layout().extent(level).max(b.layout().extent(level));
            machine = machine.level(level, size);
        }
        let memory = Memory { capacity: None, owner: a.owner, group: a.group };
        let size = a.layout().extent(a.owner).max(b.layout().extent(a.owner)) + a.more;
        let machine = machine.level(a.owner, size).memory("M", memory).build().unwrap();
        let (Ok(x), Ok(y)) = (a.placement(&machine), b.placement(&machine)) else {
            return Err(TestCaseError::reject("two elements in one place"));
        };
        let time = |case: &Case| case.marked || case.slow.used().contains(&Level::TIME);
        let empty = a.slow.indexes().is_empty();
        let same = by_element(&a) == by_element(&b) && (time(&a) == time(&b) || empty);
        // `W` that one of them does not use is unknown lanes.
        let lanes = |case: &Case| case.slow.used().contains(&Level::W);
        let same = same && (lanes(&a) == lanes(&b) || empty);
        prop_assert_eq!(x.copyable(&y).unwrap().is_none(), same);
    }
}

fn in_dram(text: &str, base: u64) -> Placement {
    let placement = Placement::of(text.parse().unwrap()).on(&Machine::mn_core_2());
    placement.memory("DRAM").base(base).build().unwrap()
}

/// Eight units, every two of which share a memory.
fn pairs() -> Machine {
    let memory = Memory { capacity: None, owner: Level::PE, group: 2 };
    Machine::builder("pairs").level(Level::PE, 8).memory("M", memory).build().unwrap()
}

#[test]
fn a_base_moves_what_a_shared_memory_holds() {
    let (low, high) = (in_dram("((8:1))", 0), in_dram("((8:1))", 100));
    assert!(low.copyable(&high).unwrap().is_some());
    let traffic = Relayout::new(&low, &high).unwrap().traffic().unwrap();
    assert_eq!(traffic.count(Distance::InPlace), 0);
    assert_eq!(traffic.count(Distance::Address), 8);
}

#[test]
fn an_absent_owner_is_unit_0_of_a_shared_memory() {
    let (written, absent) = (in_dram("((1_L2B, 8:1))", 0), in_dram("((8:1))", 0));
    assert_eq!(written.copyable(&absent).unwrap(), None);
    let traffic = Relayout::new(&written, &absent).unwrap().traffic().unwrap();
    assert_eq!(traffic.farthest(), Distance::InPlace);
}

#[test]
fn copies_that_come_together_in_a_memory_are_one() {
    let copies = |size: u64, stride: u64, first: u64| {
        let layout = Layout::builder().replica(size, Level::PE, stride).offset(Level::PE, first);
        Placement::of(layout.build().unwrap()).on(&pairs()).memory("M").build().unwrap()
    };
    // Units 0 3 6 are memories 0 1 3, units 0 2 4 are memories 0 1 2.
    assert!(copies(3, 3, 0).copyable(&copies(3, 2, 0)).unwrap().is_some());
    // Units 0 3 are memories 0 1, and so are units 1 2, 0 2 and 0 1 2 3.
    for (size, stride, first) in [(2, 1, 1), (2, 2, 0), (4, 1, 0), (3, 1, 1)] {
        assert_eq!(copies(2, 3, 0).copyable(&copies(size, stride, first)).unwrap(), None);
    }
    assert!(copies(2, 3, 0).copyable(&copies(2, 3, 1)).unwrap().is_some());
}

#[test]
fn a_time_that_is_only_marked_stays_marked() {
    let layout = Layout::builder().replica(2, Level::PE, 1).used(Level::TIME).build().unwrap();
    let timed = Placement::of(layout).on(&pairs()).memory("M").build().unwrap();
    let timeless = Layout::builder().replica(2, Level::PE, 1).build().unwrap();
    let timeless = Placement::of(timeless).on(&pairs()).memory("M").build().unwrap();
    assert!(timed.copyable(&timeless).unwrap().is_some());
    let levels = Relayout::new(&timed, &timeless).unwrap();
    assert_eq!(levels.levels(), [Level::TIME, Level::PE]);
}
