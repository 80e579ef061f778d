//! Law 17: a relayout counts and moves exactly the elements that enumeration finds.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use itertools::Itertools;
use proptest::prelude::*;
use proptest::sample::Index;
use tensor_layout::algebra::Difference;
use tensor_layout::error::ErrorKind;
use tensor_layout::relayout::{Distance, Relayout, TimeOrder, Traffic, Transfers, WriteOrder};
use tensor_layout::{LayoutError, Level, Location};

use crate::generate::good_layout;
use crate::pairs::common_shape;
use crate::run::{Tally, laws};
use crate::slow::{Slow, To};
use crate::stage::{Placed, Stage, stage};

laws! {
    traffic_is_what_enumeration_counts: 250, 85 %, placements(), traffic;
    the_transfers_carried_out_give_the_destination: 150, 85 %, placements(), carried;
    one_memory_is_enough_unless_an_element_is_overwritten: 150, 85 %, placements(), in_one_memory;
    a_plain_copy_does_if_every_element_has_the_same_places: 400, 95 %, placements(), copyable;
    a_layout_to_itself_moves_nothing: 150, 85 %, alone(), at_rest;
}

pub(super) type Pair = (Stage, Slow, Slow);

/// Two placements of a tensor on one machine: any two, or one and a rearrangement of its digits.
pub(super) fn placements() -> impl Strategy<Value = Pair> {
    placements_with(|_| ())
}

/// Pairs of placements, with a change to both layouts.
pub(super) fn placements_with(change: fn(&mut Slow)) -> impl Strategy<Value = Pair> {
    let unrelated = (good_layout(), good_layout(), stage());
    let related = (good_layout(), any::<Index>(), stage()).prop_map(|(a, how, stage)| {
        let b = rearranged(a.clone(), how.index(1 << 20));
        (a, b, stage)
    });
    prop_oneof![unrelated, related].prop_filter_map("refused", move |(mut a, mut b, draw)| {
        for slow in [&mut a, &mut b] {
            keep_small(slow);
            change(slow);
        }
        common_shape(&mut a, &mut b);
        // An axis without elements may have been removed, so that values it had suppressed are now fed.
        if a.build().is_err() || b.build().is_err() {
            return None;
        }
        let stage = Stage::of(&draw, &mut [&mut a, &mut b])?;
        let pair = (stage, a, b);
        let built =
            is_small(&pair) && pair.0.place(&pair.1).is_ok() && pair.0.place(&pair.2).is_ok();
        built.then_some(pair)
    })
}

pub(super) fn alone() -> impl Strategy<Value = Pair> {
    (good_layout(), stage()).prop_filter_map("refused", |(mut a, draw)| {
        keep_small(&mut a);
        let stage = Stage::of(&draw, &mut [&mut a])?;
        let pair = (stage, a.clone(), a);
        (is_small(&pair) && pair.0.place(&pair.1).is_ok()).then_some(pair)
    })
}

/// True if all copies, in every time slice, can be enumerated on both sides.
pub(super) fn is_small(pair: &Pair) -> bool {
    const MOST: u64 = 2500;
    let sides = Sides::new(pair);
    let places = |placed: &Placed| {
        let slices = if sides.is_timeless(placed) { sides.slices } else { 1 };
        slices.saturating_mul(placed.spread.elements() * placed.spread.copies())
    };
    places(&sides.source) <= MOST && places(&sides.destination) <= MOST
}

/// Keeps the number of elements small: moves are counted in source copies x destination copies.
pub(super) fn keep_small(slow: &mut Slow) {
    const MOST: u64 = 300;
    while slow.elements() * slow.copies() > MOST {
        let longest = slow.axes.iter_mut().max_by_key(|axis| axis.extent);
        longest.into_iter().for_each(|axis| axis.extent = axis.extent.div_ceil(2));
        if slow.elements() == 1 {
            slow.replicas.truncate(1);
            break;
        }
    }
}

/// Other levels, strides or marks for the same digits.
fn rearranged(mut slow: Slow, how: usize) -> Slow {
    let mut digits: Vec<_> = slow.axes.iter_mut().flat_map(|axis| &mut axis.digits).collect();
    if digits.len() > 1 {
        let (a, b) = (how % digits.len(), (how >> 4) % digits.len());
        let (to_a, to_b) = (digits[a].to, digits[b].to);
        if matches!((to_a, to_b), (To::Land(..), To::Land(..))) {
            (digits[a].to, digits[b].to) = (to_b, to_a);
        }
    }
    match how >> 8 & 15 {
        0 => slow = slow.moved(Level::PE, 1),
        1 => slow = slow.moved(Level::ADDR, 1),
        2 => drop(slow.marked.insert(Level::TIME)),
        3 => drop(slow.marked.insert(Level::PE)),
        4 => slow.replicas.push((2, Level::PE, slow.extent(Level::PE))),
        _ => {}
    }
    slow
}

/// Both sides of a relayout, by the slow definition.
pub(super) struct Sides {
    source: Placed,
    destination: Placed,
    /// The units from the root down, with `Time` in the requested position if either side uses it.
    levels: Vec<Level>,
    /// The levels by the names of the crate: groups of units have a level of their own.
    names: Vec<Level>,
    /// The number of time slices.
    slices: u64,
    /// The places of every index, computed on demand: in the source, in the destination.
    places: [OnceCell<HashMap<Vec<u64>, BTreeSet<Path>>>; 2],
}

/// The coordinates that count, from the outermost in: levels, address, lane.
pub(super) type Path = Vec<u64>;

impl Sides {
    fn new(pair: &Pair) -> Sides {
        Sides::in_order(pair, TimeOrder::Outermost)
    }

    pub(super) fn in_order((stage, a, b): &Pair, order: TimeOrder) -> Sides {
        let (source, destination) = (Placed::new(stage, a), Placed::new(stage, b));
        let slow = [&source.spread, &destination.spread];
        let mut levels = stage.unit_levels();
        if slow.iter().any(|slow| slow.used().contains(&Level::TIME)) {
            match order {
                TimeOrder::Outermost => levels.insert(0, Level::TIME),
                TimeOrder::Innermost => levels.push(Level::TIME),
                TimeOrder::Aside => {}
            }
        }
        let slices = slow.iter().map(|slow| slow.extent(Level::TIME)).max().unwrap();
        let group = |level: Level| match stage.memory {
            Some((owner, group, _)) if owner == level => level.in_groups_of(group),
            _ => level,
        };
        let names = levels.iter().map(|level| group(*level)).collect();
        Sides { source, destination, levels, names, slices, places: Default::default() }
    }

    fn depth(&self) -> usize {
        self.levels.len()
    }

    #[allow(clippy::misnamed_getters, reason = "the names alone, of levels that have more")]
    pub(super) fn levels(&self) -> &[Level] {
        &self.names
    }

    /// The levels for which places have coordinates.
    pub(super) fn units(&self) -> &[Level] {
        &self.levels
    }

    /// True if this layout does not use time but the other one does: it is present in every slice.
    fn is_timeless(&self, placed: &Placed) -> bool {
        self.levels.contains(&Level::TIME) && !placed.spread.used().contains(&Level::TIME)
    }

    fn places(&self, placed: &Placed) -> HashMap<Vec<u64>, BTreeSet<Path>> {
        let times = if self.is_timeless(placed) { self.slices } else { 1 };
        let path = |place: &Location, time: u64| -> Path {
            let levels = self.levels.iter().chain(&[Level::ADDR, Level::W]);
            let at = |level: &Level| match place.get(*level) {
                None if *level == Level::TIME => time,
                at => at.unwrap_or(0),
            };
            levels.map(at).collect()
        };
        let paths = |stored: BTreeSet<Location>| -> BTreeSet<Path> {
            stored.iter().flat_map(|place| (0..times).map(move |time| path(place, time))).collect()
        };
        let stored = placed.stored_by_element().into_iter().map(paths);
        placed.spread.indexes().into_iter().zip(stored).collect()
    }

    pub(super) fn from(&self, index: &[u64]) -> &BTreeSet<Path> {
        &self.places[0].get_or_init(|| self.places(&self.source))[index]
    }

    pub(super) fn to(&self, index: &[u64]) -> &BTreeSet<Path> {
        &self.places[1].get_or_init(|| self.places(&self.destination))[index]
    }
}

pub(super) fn units(places: &BTreeSet<Path>, level: usize) -> BTreeSet<Path> {
    places.iter().map(|place| place[..=level].to_vec()).collect()
}

/// Fails only if copies do not line up with the units that share a memory.
pub(super) fn relayout(
    (stage, a, b): &Pair,
    sides: &Sides,
    tally: &mut Tally,
) -> Result<Option<Relayout>, TestCaseError> {
    match tally.count(Relayout::new(&stage.place(a).unwrap(), &stage.place(b).unwrap())) {
        Ok(relayout) => Ok(Some(relayout)),
        Err(error) if error.kind() == ErrorKind::Uneven => {
            let (level, group) = (error.level("level").unwrap(), error.number("group").unwrap());
            prop_assert!(stage.memory.is_some_and(|(owner, n, _)| (owner, n) == (level, group)));
            let uneven = |placed: &Placed| is_uneven(placed, level, group);
            prop_assert!(uneven(&sides.source) || uneven(&sides.destination));
            Ok(None)
        }
        Err(error) => Err(TestCaseError::fail(error.to_string())),
    }
}

/// True if the copies of an element in units of a level are not a multiple of the group apart.
pub(super) fn is_uneven(placed: &Placed, level: Level, group: u64) -> bool {
    let strays = |places: &Vec<Location>| {
        let units: Vec<u64> = places.iter().filter_map(|place| place.get(level)).collect();
        units.iter().any(|unit| unit.abs_diff(units[0]) % group != 0)
    };
    placed.spread.places_by_element().iter().any(strays)
}

/// Checks everything that the traffic between two placements counts.
pub(crate) fn check_traffic(stage: &Stage, a: &Slow, b: &Slow) {
    let pair = (stage.clone(), a.clone(), b.clone());
    traffic(&pair, &mut Tally::default()).unwrap_or_else(|error| panic!("{a:?} {b:?}: {error}"));
}

fn traffic(pair: &Pair, tally: &mut Tally) -> Result<(), TestCaseError> {
    let sides = Sides::new(pair);
    let Some(relayout) = relayout(pair, &sides, tally)? else { return Ok(()) };
    judge(pair, &sides, &relayout, &tally.answer(relayout.traffic())?)
}

/// Checks that all counts agree with enumeration, including time where the sides use it.
pub(super) fn judge(
    pair: &Pair,
    sides: &Sides,
    relayout: &Relayout,
    traffic: &Traffic,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(relayout.levels(), &sides.names);
    let depth = sides.depth();
    let mut by_distance: BTreeMap<usize, u64> = BTreeMap::new();
    let (mut into, mut out_of, mut open) = (vec![0; depth], vec![0; depth], vec![false; depth]);
    for index in pair.1.indexes() {
        let (from, to) = (sides.from(&index), sides.to(&index));
        for place in to {
            let shared =
                |source: &Path| source.iter().zip(place).take_while(|(a, b)| a == b).count();
            let nearest = from.iter().map(shared).max().unwrap();
            // Inside the unit, lane and address count alike.
            let nearest = if nearest == depth + 1 { depth } else { nearest };
            *by_distance.entry(nearest).or_default() += 1;
        }
        for level in 0..depth {
            let (from, to) = (units(from, level), units(to, level));
            into[level] += to.difference(&from).count() as u64;
            open[level] |= from.len() > 1;
            out_of[level] += u64::from(to.iter().any(|unit| !from.contains(unit)));
        }
    }
    prop_assert_eq!(by_distance.values().sum::<u64>(), traffic.elements * traffic.copies);
    for (distance, count) in &traffic.by_distance {
        let shared = match distance {
            Distance::InPlace => depth + 2,
            Distance::Address => depth,
            Distance::Memory => unreachable!("both in one memory"),
            Distance::Level(level) => sides.names.iter().position(|l| l == level).unwrap(),
        };
        prop_assert_eq!(*count, by_distance.remove(&shared).unwrap_or(0), "{}", distance);
    }
    prop_assert!(by_distance.is_empty());
    for (number, level) in traffic.levels.iter().rev().enumerate() {
        prop_assert_eq!(level.level, sides.names[number]);
        prop_assert_eq!(level.into, into[number], "into {}", level.level);
        match level.out_of {
            Some(count) => prop_assert_eq!(count, out_of[number], "out of {}", level.level),
            None => prop_assert!(open[number], "out of {}", level.level),
        }
    }
    Ok(())
}

/// Moves tagged data along the transfers and checks every copy.
fn carried(pair: &Pair, tally: &mut Tally) -> Result<(), TestCaseError> {
    let sides = Sides::new(pair);
    let Some(relayout) = relayout(pair, &sides, tally)? else { return Ok(()) };
    let depth = sides.depth();
    let lanes = relayout.lanes();
    let of_unit = |unit: &Location, at: u64| -> Path {
        let units = sides.levels.iter().map(|level| unit.get(*level).unwrap());
        units.chain([at / lanes, at % lanes]).collect()
    };
    let indexes = pair.1.indexes();
    let mut before: BTreeMap<Path, usize> = BTreeMap::new();
    for (number, index) in indexes.iter().enumerate() {
        before.extend(sides.from(index).iter().map(|place| (place.clone(), number)));
    }
    // Elements that are already in place stay.
    let mut wanted: BTreeMap<Path, usize> = BTreeMap::new();
    for (number, index) in indexes.iter().enumerate() {
        wanted.extend(sides.to(index).iter().map(|place| (place.clone(), number)));
    }
    let stays = |(place, number): &(&Path, &usize)| before.get(*place) == Some(*number);
    let mut after: BTreeMap<Path, usize> =
        wanted.iter().filter(stays).map(|(place, number)| (place.clone(), *number)).collect();
    let mut moved: BTreeMap<String, u64> = BTreeMap::new();
    let mut entered: Vec<BTreeSet<(usize, Path)>> = vec![BTreeSet::new(); depth];
    let Some(transfers) = numbered(&relayout, &[&pair.1, &pair.2], pair.0.base, tally)? else {
        return Ok(());
    };
    for transfer in transfers {
        for n in 0..transfer.length {
            let from = of_unit(&transfer.source, transfer.read.at(n));
            let number = before.get(&from).copied();
            prop_assert_eq!(number, Some((transfer.element + n) as usize), "a hole is read");
            for unit in &transfer.destinations {
                let to = of_unit(unit, transfer.write.at(n));
                for level in (0..depth).filter(|level| from[..=*level] != to[..=*level]) {
                    entered[level].insert((number.unwrap(), to[..=level].to_vec()));
                }
                prop_assert!(after.insert(to, number.unwrap()).is_none(), "written twice");
                *moved.entry(transfer.distance.to_string()).or_default() += 1;
            }
        }
    }
    prop_assert_eq!(after, wanted);
    let traffic = tally.answer(relayout.traffic())?;
    for (distance, count) in traffic.by_distance.iter().filter(|(d, _)| *d != Distance::InPlace) {
        prop_assert_eq!(moved.get(&distance.to_string()).copied().unwrap_or(0), *count);
    }
    for (level, entered) in traffic.levels.iter().rev().zip(entered) {
        prop_assert!(entered.len() as u64 >= level.into);
    }
    Ok(())
}

fn copyable((stage, a, b): &Pair, tally: &mut Tally) -> Result<(), TestCaseError> {
    let (x, y) = (Placed::new(stage, a), Placed::new(stage, b));
    let (first, second) = (stage.place(a).unwrap(), stage.place(b).unwrap());
    let answer = tally.answer(first.copyable(&second))?;
    let same = a.indexes().iter().all(|index| x.stored_places(index) == y.stored_places(index));
    prop_assert_eq!(answer.is_none(), same, "{:?}", answer);
    // A witness names every memory by the first of the units that share it.
    if let Some(Difference::Element { index, first, second }) = answer {
        for (placed, told) in [(&x, first), (&y, second)] {
            let held = placed.stored_places(&index);
            prop_assert!(
                told.len() == held.len().min(64) && told.iter().all(|at| held.contains(at))
            );
        }
    }
    Ok(())
}

/// The transfers; `None` if the number of a place, address x lanes + lane, does not fit, or an element has
/// more copies than the limit.
pub(super) fn numbered<'a>(
    relayout: &'a Relayout,
    sides: &[&Slow],
    base: u64,
    tally: &mut Tally,
) -> Result<Option<Transfers<'a>>, TestCaseError> {
    let transfers = relayout.transfers();
    let refused = transfers.as_ref().err().map(LayoutError::kind);
    if refused == Some(ErrorKind::TooLarge) {
        let most = sides.iter().map(|slow| u128::from(slow.extent(Level::ADDR))).max().unwrap();
        let places = (most + u128::from(base)) * u128::from(relayout.lanes());
        prop_assert!(places > u128::from(u64::MAX), "{places} places have numbers");
        tally.sure();
        return Ok(None);
    }
    if let Err(error) = &transfers
        && refused == Some(ErrorKind::Limit)
    {
        let (copies, limit) = (error.number("copies").unwrap(), error.number("limit").unwrap());
        prop_assert!(copies > limit && limit == 1 << 20, "{copies} copies, {limit}");
        tally.sure();
        return Ok(None);
    }
    tally.answer(transfers).map(Some)
}

/// Executes the transfers in the memory of the source, step by step, and checks every copy.
fn in_one_memory(pair: &Pair, tally: &mut Tally) -> Result<(), TestCaseError> {
    let sides = Sides::new(pair);
    let Some(relayout) = relayout(pair, &sides, tally)? else { return Ok(()) };
    let Some(transfers) = numbered(&relayout, &[&pair.1, &pair.2], pair.0.base, tally)? else {
        return Ok(());
    };
    let of_unit = |unit: &Location, at: u64| -> Path {
        let units = sides.levels.iter().map(|level| unit.get(*level).unwrap());
        units.chain([at / relayout.lanes(), at % relayout.lanes()]).collect()
    };
    let mut steps: BTreeMap<u64, Vec<(Path, Path)>> = BTreeMap::new();
    for transfer in transfers {
        for (n, unit) in (0..transfer.length).cartesian_product(&transfer.destinations) {
            let from = of_unit(&transfer.source, transfer.read.at(n));
            let number = transfer.write.at(n);
            steps.entry(number).or_default().push((from, of_unit(unit, number)));
        }
    }
    let indexes = pair.1.indexes();
    for order in [WriteOrder::Ascending, WriteOrder::Descending] {
        let mut memory: BTreeMap<Path, usize> = BTreeMap::new();
        for (number, index) in indexes.iter().enumerate() {
            memory.extend(sides.from(index).iter().map(|place| (place.clone(), number)));
        }
        let steps: Vec<_> = match order {
            WriteOrder::Ascending => steps.values().collect(),
            WriteOrder::Descending => steps.values().rev().collect(),
        };
        for step in steps {
            let read: Vec<usize> = step.iter().map(|(from, _)| memory[from]).collect();
            memory.extend(step.iter().map(|(_, to)| to.clone()).zip(read));
        }
        let holds = |number: usize| {
            sides.to(&indexes[number]).iter().all(|place| memory.get(place) == Some(&number))
        };
        let lost = (0..indexes.len()).find(|number| !holds(*number));
        let answer = tally.answer(relayout.overwritten(order))?;
        let element = answer.as_ref().map(|lost| lost.element.clone());
        prop_assert_eq!(&element, &lost.map(|number| indexes[number].clone()), "{:?}", order);
        if let Some(lost) = answer {
            let place = of_unit(&lost.place, 0);
            let inner = [Level::ADDR, Level::W].map(|level| lost.place.get(level).unwrap_or(0));
            let place = [&place[..sides.depth()], &inner].concat();
            prop_assert!(sides.from(&lost.element).contains(&place), "{place:?} is read");
            prop_assert!(sides.to(&lost.by).contains(&place), "{place:?} is written");
        }
    }
    Ok(())
}

fn at_rest(pair: &Pair, tally: &mut Tally) -> Result<(), TestCaseError> {
    let sides = Sides::new(pair);
    let Some(relayout) = relayout(pair, &sides, tally)? else { return Ok(()) };
    let traffic = tally.answer(relayout.traffic())?;
    prop_assert_eq!(traffic.count(Distance::InPlace), traffic.elements * traffic.copies);
    prop_assert_eq!(traffic.farthest(), Distance::InPlace);
    prop_assert!(traffic.levels.iter().all(|level| level.into == 0));
    prop_assert_eq!(tally.answer(relayout.transfers())?.count(), 0);
    Ok(())
}
