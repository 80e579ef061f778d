//! The moves themselves, as runs of elements.

use std::cmp::Ordering;
use std::collections::VecDeque;

use indexmap::IndexMap;
use smallvec::SmallVec;

use super::stretch::EvenStretch;
use crate::algebra::strided::sums;
use crate::algebra::{Indexes, work};
use crate::error::{LayoutError, Site, fault};
use crate::level::Level;
use crate::location::Location;
use crate::relayout::count::counter::coordinates;
use crate::relayout::pair::{Distance, Relayout, Role, TimeOrder};

/// The most copies of each element: all of them are held at once.
const MOST_COPIES: u64 = 1 << 20;

/// Elements that move together from one unit to some units.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Transfer {
    /// The distance from the source to every destination.
    pub distance: Distance,
    /// The row-major number of the first element; the others follow it.
    pub element: u64,
    /// The number of elements.
    pub length: u64,
    /// The sending unit; for a memory of a group of units, the first of them.
    pub source: Location,
    /// The receiving units; for a memory of a group of units, the first of them.
    pub destinations: Vec<Location>,
    /// The places of the elements in the memory of the source.
    pub read: PlaceRun,
    /// The places of the elements in the memory of every destination.
    pub write: PlaceRun,
}

/// A run of evenly spaced places in the memory of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PlaceRun {
    /// The first place: address x lanes + lane, with [`Relayout::lanes`].
    pub start: u64,
    /// The step from one place to the next; 1 for a single element.
    pub step: i64,
}

impl PlaceRun {
    /// The place of an element of the run. Beyond the run it is extrapolated by the step and saturates at 0
    /// and `u64::MAX`.
    #[must_use]
    pub fn at(&self, element: u64) -> u64 {
        let element = i64::try_from(element).unwrap_or(i64::MAX);
        self.start.saturating_add_signed(self.step.saturating_mul(element))
    }

    /// Returns whether `next` is exactly `length` steps after the start. [`at`](PlaceRun::at) cannot decide
    /// this, because it saturates at the ends of the range.
    fn reaches(&self, length: u64, next: u64) -> bool {
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        let steps = self.step.checked_mul(length);
        steps.and_then(|steps| self.start.checked_add_signed(steps)) == Some(next)
    }

    /// Returns the step with which `next` continues the run after `length` elements; `None` if it does not.
    fn join(&self, length: u64, next: u64) -> Option<i64> {
        let step = i64::try_from(i128::from(next) - i128::from(self.start)).ok()?;
        match length {
            1 => Some(step),
            _ => self.reaches(length, next).then_some(self.step),
        }
    }
}

impl Relayout {
    /// The number of lanes of a long word: by the type of the elements or, if that is unknown, as many as
    /// either layout uses; 1 if lanes are not used.
    #[must_use]
    pub fn lanes(&self) -> u64 {
        let used = self.source.extent(Level::W).max(self.target.extent(Level::W));
        self.known_lanes.unwrap_or(used)
    }

    /// Returns the moves as maximal runs, nearest first. Each element copy comes from its nearest source
    /// copy; copies already in place are left out.
    ///
    /// Law: carried out on data in the source layout, they produce every copy of the destination; at every
    /// level they enter at least [`LevelTraffic::into`](crate::relayout::LevelTraffic::into) units.
    /// Cost: proportional to copies x elements, for each distance; consecutive elements that are evenly
    /// spaced in both memories by a digit of their own count once. Memory: one element's moves.
    ///
    /// Each memory is named by its own levels.
    ///
    /// # Errors
    /// `Limit` beyond 2^20 copies of an element on either side; `TooLarge` where addresses x lanes do not fit in 64 bits;
    /// `Argument` where time is set aside, because a move has a time slice; `NotComparable` where values are
    /// cast.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Machine, Placement};
    /// use tensor_layout::relayout::Relayout;
    /// let machine: Machine = "PE=4".parse()?;
    /// let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build();
    /// let relayout = Relayout::new(&on("((1_PE, 4:1))")?, &on("((4:1))")?)?;
    /// let transfers: Vec<_> = relayout.transfers()?.collect();
    /// assert_eq!(transfers.len(), 1); // PE 0 sends its four elements to PE 1, 2 and 3
    /// assert_eq!((transfers[0].length, transfers[0].destinations.len()), (4, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn transfers(&self) -> Result<Transfers<'_>, LayoutError> {
        if self.time == Some(TimeOrder::Aside) {
            return Err(fault!(
                Argument,
                "transfers need time slices, but this relayout ignores time (`TimeOrder::Aside`)"
            )
            .with_help("ask with `TimeOrder::Outermost` or `TimeOrder::Innermost`"));
        }
        self.check_uncast()?;
        let levels = self.levels().iter().rev().map(|level| Distance::Level(*level));
        let mut distances: VecDeque<Distance> = [self.near()].into_iter().chain(levels).collect();
        if let Ok(traffic) = self.traffic() {
            distances.retain(|distance| traffic.count(*distance) > 0);
        }
        if !distances.is_empty() {
            self.check_numbers()?;
        }
        Transfers::over(self, distances)
    }

    /// The distance of moves within a unit.
    fn near(&self) -> Distance {
        if self.is_between_memories() { Distance::Memory } else { Distance::Address }
    }

    /// Checks that address x lanes + lane, the number of a place in its memory, fits in 64 bits.
    fn check_numbers(&self) -> Result<(), LayoutError> {
        let places = |side: Role| self.layout(side).extent(Level::ADDR).checked_mul(self.lanes());
        let too_large =
            || LayoutError::too_large(Site::Layout, "the number of a place in a memory");
        places(Role::Source).and(places(Role::Target)).map_or_else(|| Err(too_large()), |_| Ok(()))
    }

    /// The farthest move of an element, the first in case of ties; `None` if the element is in place.
    ///
    /// # Errors
    /// As [`transfers`](Relayout::transfers).
    pub fn farthest(&self, index: &[u64]) -> Result<Option<Transfer>, LayoutError> {
        self.check_uncast()?;
        self.check_numbers()?;
        let transfers = Transfers::over(self, VecDeque::new())?;
        let levels = self.levels().iter().map(|level| Distance::Level(*level));
        let mut farthest_first = levels.chain([self.near()]);
        Ok(farthest_first.find_map(|d| transfers.moves(index, 1, d).into_iter().next()))
    }
}

/// The coordinates of a place in the levels of a side.
type PlaceCoordinates = SmallVec<[u64; 8]>;

/// One side: the levels of its places, and the amounts that copies add in each.
struct SidePlaces {
    side: Role,
    levels: Vec<Level>,
    adds: Vec<Vec<u64>>,
}

impl SidePlaces {
    fn new(relayout: &Relayout, side: Role) -> SidePlaces {
        let mut levels = relayout.units.clone();
        levels.extend([Level::ADDR, Level::W]);
        // Nothing moves without elements, however many copies they would have.
        let replicas = relayout.layout(side).replicas();
        let replicas = if relayout.elements() > 0 { replicas } else { &[] };
        let add = |level: &Level| {
            let own = replicas.iter().filter(|replica| replica.level == *level);
            let mut adds = sums(own.map(|replica| (replica.size, replica.stride)), usize::MAX);
            adds.sort_unstable();
            adds
        };
        SidePlaces { side, adds: levels.iter().map(add).collect(), levels }
    }

    /// The coordinates of the first copy.
    fn first(&self, relayout: &Relayout, index: &[u64]) -> Vec<u64> {
        coordinates(relayout.layout(self.side), index, self.levels.iter().copied().map(Some))
    }

    /// Returns whether a copy has a coordinate in a level.
    fn has(&self, first: &[u64], level: usize, at: u64) -> bool {
        let add = at.checked_sub(first[level]);
        add.is_some_and(|add| self.adds[level].binary_search(&add).is_ok())
    }

    /// The source place that agrees with `wanted` in the first `depth` levels and with the first copy in the
    /// others.
    fn along(&self, first: &[u64], wanted: &[u64], depth: usize) -> PlaceCoordinates {
        let (along, rest) = (wanted.iter().take(depth), first.iter().skip(depth));
        along.chain(rest).copied().collect()
    }

    /// The places that agree with some place of `source` in the first levels and, with `then_part`, with
    /// none in the next one.
    fn agreeing(
        &self,
        first: &[u64],
        (source, from): (&SidePlaces, &[u64]),
        agreed: &Agreed,
    ) -> Vec<PlaceCoordinates> {
        let mut places = vec![PlaceCoordinates::new()];
        for (level, (first, adds)) in first.iter().zip(&self.adds).enumerate() {
            let fits = |at: &u64| match level.cmp(&agreed.levels) {
                Ordering::Less => source.has(from, level, *at),
                Ordering::Equal => !(agreed.then_part && source.has(from, level, *at)),
                Ordering::Greater => true,
            };
            let options: SmallVec<[u64; 8]> =
                adds.iter().map(|add| first + add).filter(fits).collect();
            work::count(adds.len() + places.len() * options.len());
            match options[..] {
                [] => return Vec::new(),
                [at] => places.iter_mut().for_each(|place| place.push(at)),
                _ => {
                    let longer = |place: PlaceCoordinates| {
                        options.clone().into_iter().map(move |at| {
                            let mut place = place.clone();
                            place.push(at);
                            place
                        })
                    };
                    places = places.into_iter().flat_map(longer).collect();
                }
            }
        }
        places
    }
}

/// The agreement of two places.
struct Agreed {
    /// The number of levels, from the outermost, in which they agree.
    levels: usize,
    /// Set when they have to differ in the next one.
    then_part: bool,
}

/// An iterator over the moves of a relayout, made by [`Relayout::transfers`].
pub struct Transfers<'a> {
    relayout: &'a Relayout,
    source: SidePlaces,
    target: SidePlaces,
    lanes: u64,
    /// The remaining distances, the current one first.
    distances: VecDeque<Distance>,
    /// The elements that are moved together.
    stretch: EvenStretch,
    /// The remaining stretches.
    starts: Indexes,
    /// The number of the next element.
    number: u64,
    /// Runs that the next element may continue.
    open: Vec<Transfer>,
    ready: VecDeque<Transfer>,
}

impl std::fmt::Debug for Transfers<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transfers").field("relayout", self.relayout).finish_non_exhaustive()
    }
}

impl<'a> Transfers<'a> {
    fn over(
        relayout: &'a Relayout,
        distances: VecDeque<Distance>,
    ) -> Result<Transfers<'a>, LayoutError> {
        let copies = relayout.source.copies().max(relayout.target.copies());
        if copies > MOST_COPIES && relayout.elements() > 0 {
            return Err(fault!(
                Limit,
                "each element has {copies} copies, and moves are listed for at most {limit}",
                [copies, limit = MOST_COPIES]
            ));
        }
        let stretch = EvenStretch::of(relayout);
        Ok(Transfers {
            relayout,
            source: SidePlaces::new(relayout, Role::Source),
            target: SidePlaces::new(relayout, Role::Target),
            lanes: relayout.lanes(),
            distances,
            starts: stretch.starts(relayout.source.shape()),
            stretch,
            number: 0,
            open: Vec::new(),
            ready: VecDeque::new(),
        })
    }

    /// The agreements of places at a distance: in levels that both sides have and, within one memory, in
    /// address and lane. Places that agree in the address alone are as far apart as those that agree in
    /// neither.
    fn agreed(&self, distance: Distance) -> Vec<Agreed> {
        let units = self.relayout.units.len();
        let parting = |levels| Agreed { levels, then_part: true };
        match distance {
            Distance::InPlace => vec![Agreed { levels: units + 2, then_part: false }],
            Distance::Address => vec![parting(units), parting(units + 1)],
            // In another memory all is new, whatever the address.
            Distance::Memory => vec![Agreed { levels: units, then_part: false }],
            Distance::Level(level) => {
                let depth = self.relayout.units.iter().position(|of| *of == level);
                depth.map(parting).into_iter().collect()
            }
        }
    }

    /// The moves over a distance of `length` elements, the first of which is at `index`.
    fn moves(&self, index: &[u64], length: u64, distance: Distance) -> Vec<Transfer> {
        let step = |step| if length == 1 { 1 } else { step };
        let [read_step, write_step] = self.stretch.steps.map(step);
        let from = self.source.first(self.relayout, index);
        let to = self.target.first(self.relayout, index);
        // By the place that is read and the number of the one that is written.
        let mut moves: IndexMap<(PlaceCoordinates, u64), Vec<Location>> = IndexMap::new();
        for agreed in self.agreed(distance) {
            for wanted in self.target.agreeing(&to, (&self.source, &from), &agreed) {
                let place = self.source.along(&from, &wanted, agreed.levels);
                let destinations = moves.entry((place, self.number_in(&wanted))).or_default();
                destinations.push(self.memory(&self.target, &wanted));
            }
        }
        let transfer = |((place, write), destinations): ((PlaceCoordinates, u64), _)| Transfer {
            distance,
            element: self.number,
            length,
            source: self.memory(&self.source, &place),
            destinations,
            read: PlaceRun { start: self.number_in(&place), step: read_step },
            write: PlaceRun { start: write, step: write_step },
        };
        moves.into_iter().map(transfer).collect()
    }

    /// The memory that has a place.
    fn memory(&self, places: &SidePlaces, place: &[u64]) -> Location {
        let path = &places.levels[..self.relayout.units.len()];
        self.relayout.memory_at(places.side, path.iter().copied().zip(place.iter().copied()))
    }

    /// The number of a place in its memory.
    fn number_in(&self, place: &[u64]) -> u64 {
        let inner = &place[self.relayout.units.len()..];
        inner.iter().fold(0, |number, at| number * self.lanes + at)
    }

    /// Adds the moves of the next elements.
    fn advance(&mut self, index: &[u64], length: u64, distance: Distance) {
        let moves = self.moves(index, length, distance);
        self.step(moves);
        self.number += length;
    }

    /// Returns whether a destination of an element is a unit that has it already.
    fn shares_a_unit(&self, index: &[u64]) -> bool {
        let [from, to] = [&self.source, &self.target].map(|side| side.first(self.relayout, index));
        let agreed = Agreed { levels: self.relayout.units.len(), then_part: false };
        !self.target.agreeing(&to, (&self.source, &from), &agreed).is_empty()
    }

    /// Adds the moves of the next element: runs that they do not continue are ready.
    fn step(&mut self, moves: Vec<Transfer>) {
        let continued = continued(&self.open, &moves);
        let runs = std::mem::take(&mut self.open);
        let mut runs: Vec<Option<Transfer>> = runs.into_iter().map(Some).collect();
        for (next, run) in moves.into_iter().zip(continued) {
            let run = run.and_then(|(at, steps)| Some(runs[at].take()?.longer(next.length, steps)));
            self.open.push(run.unwrap_or(next));
        }
        let mut ready: Vec<Transfer> = runs.into_iter().flatten().collect();
        ready.sort_by_key(|run| run.element);
        self.ready.extend(ready);
    }
}

/// For each move the run that it continues, between the same units, with the steps of both sides.
fn continued<'a>(runs: &'a [Transfer], moves: &'a [Transfer]) -> Vec<Option<(usize, [i64; 2])>> {
    let units = |run: &'a Transfer| (&run.source, &run.destinations);
    let mut sorted: Vec<usize> = (0..runs.len()).collect();
    sorted.sort_by_key(|at| units(&runs[*at]));
    let mut goes_on = vec![false; runs.len()];
    let run_before = |next: &'a Transfer| {
        let first = sorted.partition_point(|at| units(&runs[*at]) < units(next));
        let before = sorted[first..].iter().take_while(|at| units(&runs[**at]) == units(next));
        let mut before = before.filter(|at| !goes_on[**at]);
        let (at, steps) = before.find_map(|at| Some((*at, runs[*at].steps_to(next)?)))?;
        goes_on[at] = true;
        Some((at, steps))
    };
    moves.iter().map(run_before).collect()
}

impl Transfer {
    /// The steps on both sides with which `next`, between the same units, continues this run; `None` if the
    /// places are not evenly spaced.
    fn steps_to(&self, next: &Transfer) -> Option<[i64; 2]> {
        let follows = self.element + self.length == next.element;
        let step = |run: PlaceRun, of: PlaceRun| {
            let step = run.join(self.length, of.start).filter(|_| follows)?;
            (next.length == 1 || step == of.step).then_some(step)
        };
        Some([step(self.read, next.read)?, step(self.write, next.write)?])
    }

    /// This run extended by `length` elements at these steps.
    fn longer(self, length: u64, [read, write]: [i64; 2]) -> Transfer {
        Transfer {
            length: self.length + length,
            read: PlaceRun { step: read, ..self.read },
            write: PlaceRun { step: write, ..self.write },
            ..self
        }
    }
}

impl Iterator for Transfers<'_> {
    type Item = Transfer;

    fn next(&mut self) -> Option<Transfer> {
        while self.ready.is_empty() {
            let distance = *self.distances.front()?;
            match self.starts.next() {
                Some(mut index) => {
                    let length = self.stretch.begin_at(&mut index);
                    match self.stretch.may_part(distance) && self.shares_a_unit(&index) {
                        true => (0..length).for_each(|_| {
                            self.advance(&index, 1, distance);
                            self.stretch.next_in(&mut index);
                        }),
                        false => self.advance(&index, length, distance),
                    }
                }
                None => {
                    self.step(Vec::new());
                    self.distances.pop_front();
                    self.starts = self.stretch.starts(self.relayout.source.shape());
                    self.number = 0;
                }
            }
        }
        self.ready.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Placement};

    #[test]
    fn places_behind_a_run_do_not_wrap() {
        let (down, up) =
            (PlaceRun { start: 1, step: -1 }, PlaceRun { start: u64::MAX - 1, step: 2 });
        assert_eq!([0, 1, 2, u64::MAX].map(|element| down.at(element)), [1, 0, 0, 0]);
        assert_eq!([0, 1, 2].map(|element| up.at(element)), [u64::MAX - 1, u64::MAX, u64::MAX]);
        assert!(down.reaches(1, 0) && !down.reaches(2, 0) && !up.reaches(1, u64::MAX));
    }

    #[test]
    fn transfers_take_steps_by_the_copies_that_move() {
        let machine: Machine = "PE=8192".parse().unwrap();
        let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
        let (here, everywhere) = (on("((1_PE, 4:1))"), on("((4:1))"));
        let shifted = on("((4:2))");
        for (source, destination, copies) in
            [(&here, &everywhere, 8191), (&everywhere, &shifted, 8192), (&everywhere, &here, 0)]
        {
            let relayout = Relayout::new(source, destination).unwrap();
            let received = |all: Transfers| all.map(|run| run.length * units(&run)).sum::<u64>();
            let (moved, steps) = work::of(|| received(relayout.transfers().unwrap()));
            assert!(moved <= 4 * copies && moved >= 3 * copies, "{moved}");
            // Every place is made once, level by level: PE, address, lane.
            assert!(steps <= 4 * 8 * 8192, "{steps}");
        }
    }

    fn units(transfer: &Transfer) -> u64 {
        u64::try_from(transfer.destinations.len()).unwrap()
    }

    #[test]
    fn elements_that_both_sides_step_through_are_looked_at_once() {
        let machine: Machine = "PE=16".parse().unwrap();
        let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
        let (rows, turned) = (on("((16_PE, 64:64), (64:1))"), on("((64:128, 16_PE), (64:2))"));
        let relayout = Relayout::new(&rows, &turned).unwrap();
        let (runs, steps) = work::of(|| relayout.transfers().unwrap().collect::<Vec<_>>());
        let moved: u64 = runs.iter().map(|run| run.length).sum();
        let traffic = relayout.traffic().unwrap();
        assert_eq!(moved, 1024 * 64 - traffic.count(Distance::InPlace));
        assert!(runs.iter().all(|run| run.read.step == 1 && run.write.step == 2), "{runs:?}");
        // A row that stays in its unit is looked at element by element: some stay at their address.
        assert!(steps < 1024 * 64, "{steps}");
    }
}
