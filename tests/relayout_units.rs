//! Relayout between two memories, unit parts and time in all its places, judged by enumeration.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tensor_layout::algebra::LayoutBuilder;
use tensor_layout::machine::Memory;
use tensor_layout::relayout::{Distance, Move, Relayout, TimeOrder, Traffic, UnitPart};
use tensor_layout::{Layout, LayoutError, Level, Location, Machine, Placement};

use crate::generate::{good_layout, levels};
use crate::slow::{Digit, Slow};

/// The coordinates that count, from the outermost in.
fn path(relayout: &Relayout, place: &Location, time: u64) -> Vec<u64> {
    let at = |level: &Level| match (place.get(*level), *level) {
        (None, Level::TIME) => time,
        (at, _) => at.unwrap_or(0),
    };
    relayout.levels().iter().chain(&[Level::ADDR, Level::W]).map(at).collect()
}

/// All places of an element; a layout without time is there in every slice.
fn places(
    placement: &Placement,
    relayout: &Relayout,
    index: &[u64],
    slices: u64,
) -> BTreeSet<Vec<u64>> {
    let timeless = !placement.layout().used_levels().contains(&Level::TIME);
    let times = if timeless && relayout.levels().contains(&Level::TIME) { slices } else { 1 };
    let all = placement.locate_all(index).unwrap();
    all.flat_map(|place| (0..times).map(move |time| (place.clone(), time)))
        .map(|(place, time)| path(relayout, &place, time))
        .collect()
}

/// The most copies of all elements that are enumerated, source and destination together.
const MOST_PLACES: u64 = 1 << 16;

/// Rejects a pair that would take minutes to enumerate: a machine that holds both layouts may have
/// thousands of units, and each holds a copy where a layout does not use their level.
fn bounded(source: &Placement, destination: &Placement) -> Result<(), TestCaseError> {
    let slices = source.layout().extent(Level::TIME).max(destination.layout().extent(Level::TIME));
    let copies = source.copies().saturating_add(destination.copies());
    let places = source.layout().elements().saturating_mul(copies).saturating_mul(slices);
    match places <= MOST_PLACES {
        true => Ok(()),
        false => Err(TestCaseError::reject("too many copies to enumerate")),
    }
}

/// Every prefix of the places: the units of every level that hold the element, and the places.
fn prefixes(places: &BTreeSet<Vec<u64>>) -> BTreeSet<&[u64]> {
    places.iter().flat_map(|place| (0..=place.len()).map(|end| &place[..end])).collect()
}

/// Judges the counts, the parts that they depend on and, with time, its other places.
fn check(source: &Placement, destination: &Placement) -> Result<(), TestCaseError> {
    bounded(source, destination)?;
    let relayout = Relayout::new(source, destination).unwrap();
    let traffic = judge(source, destination, &relayout)?;
    let parts = [source, destination].map(|placed| UnitPart::of(placed).unwrap());
    prop_assert_eq!(&parts[0].traffic_to(&parts[1]).unwrap(), &traffic.levels);
    if parts[0] == parts[1] {
        prop_assert!(traffic.levels.iter().all(|level| level.into == 0));
    }
    for (at, level) in traffic.levels.iter().rev().enumerate() {
        let above = relayout.traffic_down_to(level.level).unwrap();
        prop_assert_eq!(&above[..], &traffic.levels[traffic.levels.len() - 1 - at..]);
    }
    if relayout.levels().contains(&Level::TIME) {
        for order in [TimeOrder::Innermost, TimeOrder::Aside] {
            judge(source, destination, &relayout.clone().with_time(order).unwrap())?;
        }
    }
    Ok(())
}

fn judge(
    source: &Placement,
    destination: &Placement,
    relayout: &Relayout,
) -> Result<Traffic, TestCaseError> {
    let traffic = match relayout.traffic() {
        Ok(traffic) => traffic,
        Err(LayoutError::NotDecided { .. }) => return Err(TestCaseError::reject("not decided")),
        Err(error) => panic!("{error}"),
    };
    let slices = source.layout().extent(Level::TIME).max(destination.layout().extent(Level::TIME));
    let depth = relayout.levels().len();
    let mut by_distance: BTreeMap<usize, u64> = BTreeMap::new();
    let (mut into, mut out_of) = (vec![0; depth], vec![0; depth]);
    let mut total = 0;
    for index in source.layout().indexes() {
        let from = places(source, relayout, &index, slices);
        let to = places(destination, relayout, &index, slices);
        let held = prefixes(&from);
        for place in &to {
            let nearest = (0..place.len()).take_while(|n| held.contains(&place[..=*n])).count();
            // In the unit the lane and the address count alike.
            let nearest = if nearest == depth + 1 { depth } else { nearest };
            *by_distance.entry(nearest).or_default() += 1;
            total += 1;
        }
        for level in 0..depth {
            let units = |all: &BTreeSet<Vec<u64>>| -> BTreeSet<Vec<u64>> {
                all.iter().map(|place| place[..=level].to_vec()).collect()
            };
            let (from, to) = (units(&from), units(&to));
            into[level] += to.difference(&from).count() as u64;
            if let (1, Some(only)) = (from.len(), from.first()) {
                out_of[level] += u64::from(to.iter().any(|unit| unit != only));
            }
        }
    }
    prop_assert_eq!(total, traffic.elements * traffic.copies);
    for (distance, count) in &traffic.by_distance {
        let shared = match distance {
            Distance::InPlace => depth + 2,
            Distance::Address => depth,
            Distance::Memory => unreachable!("one memory"),
            Distance::Level(level) => relayout.levels().iter().position(|l| l == level).unwrap(),
        };
        prop_assert_eq!(*count, by_distance.get(&shared).copied().unwrap_or(0), "{}", distance);
    }
    for (number, level) in traffic.levels.iter().rev().enumerate() {
        prop_assert_eq!(level.into, into[number], "into {}", level.level);
        if let Some(count) = level.out_of {
            prop_assert_eq!(count, out_of[number], "out of {}", level.level);
        }
    }
    prop_assert_eq!(traffic.by_distance.iter().map(|(_, n)| n).sum::<u64>(), total);
    Ok(traffic)
}

/// Two memories of one machine: that of the units of a level, or of some neighbours of them, and that
/// of the leaves.
#[derive(Clone, Debug)]
struct Memories {
    levels: Vec<Level>,
    /// The owner of the higher memory, as a place among the levels, and how many share one.
    top: usize,
    group: u64,
    /// How many leaves share a lower one.
    shared: u64,
}

impl Memories {
    fn machine(&self, layouts: [&Layout; 2]) -> Machine {
        let mut machine = Machine::builder("two memories");
        for level in &self.levels {
            let size = layouts.map(|layout| layout.extent(*level)).into_iter().max().unwrap();
            machine = machine.level(*level, size);
        }
        let memory =
            |at: usize, group: u64| Memory { capacity: None, owner: self.levels[at], group };
        let low = memory(self.levels.len() - 1, self.shared);
        machine.memory("H", memory(self.top, self.group)).memory("L", low).build().unwrap()
    }

    /// The memories that hold an element, as paths of which the last entry is their number.
    fn paths(&self, placement: &Placement, index: &[u64]) -> BTreeSet<Vec<u64>> {
        let all = placement.locate_all(index).unwrap();
        all.map(|place| self.paths_of(placement, &place)).collect()
    }

    /// The number of the higher memory that a path of either memory is at.
    fn number(&self, placement: &Placement, path: &[u64]) -> u64 {
        let low = placement.memory().unwrap().0 == "L";
        let shared = if self.top + 1 == self.levels.len() { self.shared } else { 1 };
        if low { path[self.top] * shared / self.group } else { path[self.top] }
    }

    /// Whether a unit of the destination can read a memory of the source.
    fn reads(&self, pair: [&Placement; 2], source: &[u64], unit: &[u64]) -> bool {
        let common = unit.len().min(self.top);
        let above = source[..common] == unit[..common];
        let at_top =
            unit.len() <= self.top || self.number(pair[0], source) == self.number(pair[1], unit);
        above && at_top
    }

    fn check(&self, pair: [&Placement; 2]) -> Result<(), TestCaseError> {
        let [source, destination] = pair;
        let relayout = match Relayout::new(source, destination) {
            Err(LayoutError::NotDecided { .. }) => {
                return Err(TestCaseError::reject("uneven copies"));
            }
            relayout => relayout.unwrap(),
        };
        let traffic = relayout.traffic().unwrap();
        let depth = relayout.levels().len();
        let (mut into, mut nearest) = (vec![0; depth], vec![0; depth + 1]);
        for index in source.layout().indexes() {
            let from = self.paths(source, &index);
            let read = |unit: &[u64]| from.iter().any(|source| self.reads(pair, source, unit));
            let to = self.paths(destination, &index);
            for (level, into) in into.iter_mut().enumerate() {
                let units: BTreeSet<&[u64]> = to.iter().map(|path| &path[..=level]).collect();
                *into += units.into_iter().filter(|unit| !read(unit)).count() as u64;
            }
            // Copies that come together in one memory are one.
            let copies = destination.locate_all(&index).unwrap().map(|place| {
                let path = self.paths_of(destination, &place);
                (path, place.get(Level::ADDR), place.get(Level::W))
            });
            for (path, ..) in copies.collect::<BTreeSet<_>>() {
                nearest[(0..depth).take_while(|level| read(&path[..=*level])).count()] += 1;
            }
        }
        let found: Vec<u64> = traffic.levels.iter().rev().map(|level| level.into).collect();
        prop_assert_eq!(found, into);
        for (at, level) in relayout.levels().iter().enumerate() {
            prop_assert_eq!(traffic.count(Distance::Level(*level)), nearest[at], "{}", level);
        }
        prop_assert_eq!(traffic.count(Distance::Memory), nearest[depth]);
        prop_assert!(relayout.transfers().is_err());
        Ok(())
    }

    fn paths_of(&self, placement: &Placement, place: &Location) -> Vec<u64> {
        let (end, group) = match placement.memory().unwrap().0 {
            "H" => (self.top, self.group),
            _ => (self.levels.len() - 1, self.shared),
        };
        let at = |level: &Level| place.get(*level).unwrap_or(0);
        let mut path: Vec<u64> = self.levels[..=end].iter().map(at).collect();
        path[end] /= group;
        path
    }
}

/// Moves tagged data along the transfers and looks at every copy.
fn carry_out(source: &Placement, destination: &Placement) -> Result<(), TestCaseError> {
    bounded(source, destination)?;
    let relayout = Relayout::new(source, destination).unwrap();
    let Ok(traffic) = relayout.traffic() else { return Err(TestCaseError::reject("not decided")) };
    let slices = source.layout().extent(Level::TIME).max(destination.layout().extent(Level::TIME));
    let depth = relayout.levels().len();
    let of_unit = |unit: &Location, at: u64| -> Vec<u64> {
        let lanes = relayout.lanes();
        let units = relayout.levels().iter().map(|level| unit.get(*level).unwrap());
        units.chain([at / lanes, at % lanes]).collect()
    };
    let mut before: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
    for (number, index) in source.layout().indexes().enumerate() {
        for place in places(source, &relayout, &index, slices) {
            before.insert(place, number);
        }
    }
    // What is in place already stays.
    let mut after = BTreeMap::new();
    for (number, index) in destination.layout().indexes().enumerate() {
        for place in places(destination, &relayout, &index, slices) {
            if before.get(&place) == Some(&number) {
                after.insert(place, number);
            }
        }
    }
    let mut moved = BTreeMap::new();
    let mut entered: Vec<BTreeSet<(usize, Vec<u64>)>> = vec![BTreeSet::new(); depth];
    for transfer in relayout.transfers().unwrap() {
        for n in 0..transfer.length {
            let from = of_unit(&transfer.source, transfer.read.at(n));
            let number = before[&from];
            prop_assert_eq!(number as u64, transfer.element + n);
            for unit in &transfer.destinations {
                let to = of_unit(unit, transfer.write.at(n));
                for level in (0..depth).filter(|level| from[..=*level] != to[..=*level]) {
                    entered[level].insert((number, to[..=level].to_vec()));
                }
                prop_assert!(after.insert(to, number).is_none(), "written twice");
                *moved.entry(transfer.distance.to_string()).or_insert(0) += 1;
            }
        }
    }
    for (index, number) in destination.layout().indexes().zip(0..) {
        for place in places(destination, &relayout, &index, slices) {
            prop_assert_eq!(after.remove(&place), Some(number));
        }
    }
    prop_assert!(after.is_empty());
    for (distance, count) in traffic.by_distance.iter().filter(|(d, _)| *d != Distance::InPlace) {
        prop_assert_eq!(moved.get(&distance.to_string()).copied().unwrap_or(0), *count);
    }
    for (level, entered) in traffic.levels.iter().rev().zip(entered) {
        prop_assert!(entered.len() as u64 >= level.into);
    }
    Ok(())
}

/// A machine that holds all of them.
fn machine(layouts: &[&Layout]) -> Machine {
    let mut machine = Machine::builder("test");
    for level in levels().into_iter().filter(|level| level.is_unit()) {
        let size = layouts.iter().map(|layout| layout.extent(level)).max().unwrap();
        machine = machine.level(level, size);
    }
    machine.build().unwrap()
}

fn on(layout: &Layout, machine: &Machine) -> Placement {
    Placement::of(layout.clone()).on(machine).build().unwrap()
}

/// The same shape, cut or padded at random: another layout of the tensor.
fn reshaped(slow: &Slow, shape: &[u64]) -> Option<Slow> {
    let axes: Vec<_> = slow.axes.iter().take(shape.len()).cloned().collect();
    let fits = axes.len() == shape.len()
        && axes
            .iter()
            .zip(shape)
            .all(|(axis, extent)| axis.iter().map(|digit| digit.0).product::<u64>() >= *extent);
    fits.then(|| Slow { shape: shape.to_vec(), axes, replicas: slow.replicas.clone() })
        .filter(Slow::is_injective)
}

/// The largest shape that both hold.
fn common(a: &Slow, b: &Slow) -> Option<(Slow, Slow)> {
    let slots = |slow: &Slow| -> Vec<u64> {
        slow.axes.iter().map(|axis| axis.iter().map(|digit| digit.0).product()).collect()
    };
    let shape: Vec<u64> = slots(a).into_iter().zip(slots(b)).map(|(a, b)| a.min(b)).collect();
    let both = |slow: &Slow| reshaped(slow, &shape);
    Some((both(a)?, both(b)?))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 800, failure_persistence: None, max_global_rejects: 1 << 20, ..ProptestConfig::default()
    })]

    #[test]
    fn traffic_is_what_enumeration_counts(a in good_layout(), b in good_layout()) {
        let Some((a, b)) = common(&a, &b) else { return Err(TestCaseError::reject("no shape")) };
        let (a, b) = (a.layout(), b.layout());
        let machine = machine(&[&a, &b]);
        check(&on(&a, &machine), &on(&b, &machine))?;
        check(&on(&b, &machine), &on(&a, &machine))?;
    }

    #[test]
    fn the_transfers_carried_out_give_the_destination(a in good_layout(), b in good_layout()) {
        let Some((a, b)) = common(&a, &b) else { return Err(TestCaseError::reject("no shape")) };
        let (a, b) = (a.layout(), b.layout());
        let machine = machine(&[&a, &b]);
        carry_out(&on(&a, &machine), &on(&b, &machine))?;
    }

    #[test]
    fn traffic_between_two_memories_is_what_enumeration_counts(
        a in good_layout(), b in good_layout(), top in 0_usize..6, group in 1_u64..5, shared in 1_u64..3
    ) {
        let used: BTreeSet<Level> = a.used().into_iter().chain(b.used()).collect();
        let levels: Vec<Level> = used.into_iter().filter(|level| level.is_unit()).collect();
        prop_assume!(!levels.is_empty());
        let memories = Memories { top: top % levels.len(), levels, group, shared };
        let same = memories.top + 1 == memories.levels.len();
        prop_assume!(!same || group % shared == 0);
        // The higher memory has no levels below its owner, and both are without time.
        let below = &memories.levels[memories.top + 1..];
        let high = |digit: &mut Digit| {
            if below.contains(&digit.1) || digit.1 == Level::TIME { digit.1 = Level::ADDR }
        };
        let low = |digit: &mut Digit| if digit.1 == Level::TIME { digit.1 = Level::ADDR };
        let (mut a, mut b) = (a, b);
        a.axes.iter_mut().flatten().chain(&mut a.replicas).for_each(high);
        b.axes.iter_mut().flatten().chain(&mut b.replicas).for_each(low);
        let Some((a, b)) = common(&a, &b) else { return Err(TestCaseError::reject("no shape")) };
        let (a, b) = (a.layout(), b.layout());
        let machine = memories.machine([&a, &b]);
        let placed = |layout: &Layout, memory: &str| {
            Placement::of(layout.clone()).on(&machine).memory(memory).build()
        };
        let (Ok(a), Ok(b)) = (placed(&a, "H"), placed(&b, "L")) else {
            return Err(TestCaseError::reject("two elements in one place"));
        };
        bounded(&a, &b)?;
        prop_assume!(a.replicated().len() + b.replicated().len() < 9);
        memories.check([&a, &b])?;
        memories.check([&b, &a])?;
    }

    #[test]
    fn layouts_that_differ_in_addresses_have_equal_parts(a in good_layout(), factor in 2_u64..5) {
        let mut moved = a.clone();
        let digits = moved.axes.iter_mut().flatten().chain(&mut moved.replicas);
        digits.filter(|digit| digit.1 == Level::ADDR).for_each(|digit| digit.2 *= factor);
        let (a, moved) = (a.layout(), moved.layout());
        let machine = machine(&[&a, &moved]);
        let parts = [&a, &moved].map(|layout| UnitPart::of(&on(layout, &machine)).unwrap());
        prop_assert_eq!(&parts[0], &parts[1]);
        prop_assert!(parts[0].traffic_to(&parts[1]).unwrap().iter().all(|level| level.into == 0));
    }

    /// What is far from A and from C apart is far from B on one side at least.
    #[test]
    fn distances_obey_the_triangle_of_the_tree(
        a in good_layout(), b in good_layout(), c in good_layout()
    ) {
        let alone = |slow: &Slow| Slow { replicas: Vec::new(), ..slow.clone() };
        let [a, b, c] = [alone(&a), alone(&b), alone(&c)];
        let all = common(&a, &b).and_then(|(_, b)| common(&b, &c)).and_then(|(b, c)| {
            Some((reshaped(&a, &b.shape)?, b, c))
        });
        let Some((a, b, c)) = all else { return Err(TestCaseError::reject("no shape")) };
        // Without time every element is once on each side.
        prop_assume!([&a, &b, &c].iter().all(|slow| !slow.used().contains(&Level::TIME)));
        let layouts = [&a, &b, &c].map(|slow| {
            let units = levels().into_iter().filter(|level| level.is_unit());
            let builder = slow.layout().to_builder();
            units.fold(builder, LayoutBuilder::used).build().unwrap()
        });
        let machine = machine(&[&layouts[0], &layouts[1], &layouts[2]]);
        let placed = layouts.each_ref().map(|layout| on(layout, &machine));
        let traffic = |from: usize, to: usize| {
            Relayout::new(&placed[from], &placed[to]).unwrap().traffic().unwrap()
        };
        let (ab, bc, ac) = (traffic(0, 1), traffic(1, 2), traffic(0, 2));
        for depth in 0..ac.by_distance.len() {
            let far = |t: &Traffic| t.by_distance[depth..].iter().map(|(_, n)| n).sum::<u64>();
            prop_assert!(far(&ac) <= far(&ab) + far(&bc));
        }
    }

    #[test]
    fn a_layout_to_itself_moves_nothing(a in good_layout()) {
        let placement = on(&a.layout(), &machine(&[&a.layout()]));
        let relayout = Relayout::new(&placement, &placement).unwrap();
        let traffic = relayout.traffic().unwrap();
        prop_assert_eq!(traffic.count(Distance::InPlace), traffic.elements * traffic.copies);
        prop_assert!(traffic.levels.iter().all(|level| level.into == 0));
        prop_assert!(relayout.account().unwrap().moves.iter().all(Move::stays));
    }
}
