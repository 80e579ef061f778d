//! The actual moves, as runs.

use std::collections::{HashMap, VecDeque};

use super::pair::{Distance, Relayout};
use crate::algebra::{Indexes, Layout};
use crate::error::LayoutError;
use crate::level::Level;
use crate::location::Location;

/// The most copies of each element: all of them are held at once.
const MOST_COPIES: u64 = 1 << 20;

/// Elements that move together from one unit to some units.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transfer {
    /// How far.
    pub distance: Distance,
    /// The row-major number of the first element; the others follow it.
    pub element: u64,
    /// How many elements.
    pub length: u64,
    /// The unit that sends.
    pub source: Location,
    /// The units that receive.
    pub destinations: Vec<Location>,
    /// Where the elements lie in the memory of the source.
    pub read: Run,
    /// Where they go in the memory of every destination.
    pub write: Run,
}

/// A run of places in the memory of a unit, evenly apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first: address x lanes + lane, with [`Relayout::lanes`].
    pub start: u64,
    /// From one to the next; 1 for a single element.
    pub step: i64,
}

impl Run {
    /// The place of an element of the run.
    #[must_use]
    pub fn at(&self, element: u64) -> u64 {
        let element = i64::try_from(element).unwrap_or(i64::MAX);
        self.start.wrapping_add_signed(self.step.wrapping_mul(element))
    }

    /// Whether `next` goes on after `length` elements, and with which step.
    fn join(&self, length: u64, next: u64) -> Option<i64> {
        let step = i64::try_from(i128::from(next) - i128::from(self.start)).ok()?;
        match length {
            1 => Some(step),
            _ => (self.at(length) == next).then_some(self.step),
        }
    }
}

impl Relayout {
    /// How many lanes a long word has: by the type of the elements or, where that is not known, as
    /// many as either layout uses; 1 where lanes are not used.
    #[must_use]
    pub fn lanes(&self) -> u64 {
        let used = self.source.extent(Level::W).max(self.target.extent(Level::W));
        self.known_lanes.unwrap_or(used)
    }

    /// Walks what moves, nearest first, each element copy from its nearest source copy, as maximal
    /// runs; what is in place already is left out.
    ///
    /// Law: carried out on data in the source layout, they give the destination, every copy; at
    /// every level they enter at least [`LevelTraffic::into`](crate::relayout::LevelTraffic::into) units.
    /// Cost: proportional to elements x copies, for each distance. Memory: one element's moves.
    ///
    /// # Errors
    /// [`TooManyCopies`](LayoutError::TooManyCopies) beyond 2^20 of them on either side;
    /// [`NotComparable`](LayoutError::NotComparable) between two memories, whose moves are priced
    /// but not listed.
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
        if let Some((source, destination)) = &self.memories {
            return Err(super::pair::differ("memories", source.clone(), destination.clone()));
        }
        let levels = self.units.iter().rev().map(|level| Distance::Level(*level));
        let mut distances: VecDeque<Distance> =
            [Distance::Address].into_iter().chain(levels).collect();
        if let Ok(traffic) = self.traffic() {
            distances.retain(|distance| traffic.count(*distance) > 0);
        }
        Transfers::over(self, distances)
    }
}

impl Relayout {
    /// The farthest that a copy of an element comes from.
    pub(crate) fn farthest(&self, index: &[u64]) -> Result<Distance, LayoutError> {
        let transfers = Transfers::over(self, VecDeque::new())?;
        let levels = self.units.iter().map(|level| Distance::Level(*level));
        let mut farthest_first = levels.chain([Distance::Memory, Distance::Address]);
        let moved = farthest_first.find(|d| !transfers.moves(index, *d).is_empty());
        Ok(moved.unwrap_or(Distance::InPlace))
    }
}

/// The copies of a layout: for every level of the path, then for the memory, what they add.
struct Copies {
    adds: Vec<Vec<u64>>,
}

impl Copies {
    fn new(relayout: &Relayout, layout: &Layout) -> Copies {
        let add = |level: &Level| {
            let own = layout.replicas().iter().filter(|replica| replica.level == *level);
            own.fold(vec![0], |sums, replica| {
                let digits = 0..replica.size;
                let sum = |sum: &u64| digits.clone().map(|n| sum + n * replica.stride).collect();
                sums.iter().flat_map(|at| -> Vec<u64> { sum(at) }).collect()
            })
        };
        Copies { adds: relayout.units.iter().chain(&relayout.inner).map(add).collect() }
    }

    /// All places, given the first.
    fn places(&self, first: &[u64]) -> Vec<Vec<u64>> {
        first.iter().zip(&self.adds).fold(vec![Vec::new()], |places, (first, adds)| {
            let longer = |place: &Vec<u64>| -> Vec<Vec<u64>> {
                adds.iter().map(|add| [&place[..], &[first + add]].concat()).collect()
            };
            places.iter().flat_map(longer).collect()
        })
    }

    /// The place that goes along with `wanted` as far as one does, and how far.
    fn nearest(&self, first: &[u64], wanted: &[u64]) -> (Vec<u64>, usize) {
        let mut depth = 0;
        let mut place = Vec::with_capacity(first.len());
        for ((first, adds), wanted) in first.iter().zip(&self.adds).zip(wanted) {
            let agrees = adds.iter().any(|add| first + add == *wanted);
            if agrees && depth == place.len() {
                depth += 1;
            }
            // In the memory of the unit, agreeing in the address or in the lane is as good.
            place.push(if agrees && depth == place.len() + 1 { *wanted } else { first + adds[0] });
        }
        (place, depth)
    }
}

/// What moves, made by [`Relayout::transfers`].
pub struct Transfers<'a> {
    relayout: &'a Relayout,
    source: Copies,
    target: Copies,
    /// The distances to come, the one at hand first.
    distances: VecDeque<Distance>,
    indexes: Indexes,
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
        if copies > MOST_COPIES {
            return Err(LayoutError::TooManyCopies { copies, limit: MOST_COPIES });
        }
        Ok(Transfers {
            relayout,
            source: Copies::new(relayout, &relayout.source),
            target: Copies::new(relayout, &relayout.target),
            distances,
            indexes: Indexes::new(relayout.source.shape()),
            number: 0,
            open: Vec::new(),
            ready: VecDeque::new(),
        })
    }

    /// The moves of one element over the distance at hand.
    fn moves(&self, index: &[u64], distance: Distance) -> Vec<Transfer> {
        let relayout = self.relayout;
        let levels: Vec<Level> = relayout.units.iter().chain(&relayout.inner).copied().collect();
        let from = super::traffic::coordinates(&relayout.source, index, &levels);
        let to = super::traffic::coordinates(&relayout.target, index, &levels);
        let mut moves: Vec<Transfer> = Vec::new();
        let mut numbers: HashMap<(Location, u64, u64), usize> = HashMap::new();
        for wanted in self.target.places(&to) {
            let (place, depth) = self.source.nearest(&from, &wanted);
            let far = match relayout.units.get(depth) {
                Some(_) => Distance::Level(relayout.name(depth)),
                None if relayout.memories.is_some() => Distance::Memory,
                None if depth == levels.len() => Distance::InPlace,
                None => Distance::Address,
            };
            if far != distance {
                continue;
            }
            let (source, read) = self.split(&place);
            let (destination, write) = self.split(&wanted);
            let number = *numbers.entry((source, read, write)).or_insert_with_key(|key| {
                moves.push(Transfer {
                    distance,
                    element: self.number,
                    length: 1,
                    source: key.0.clone(),
                    destinations: Vec::new(),
                    read: Run { start: read, step: 1 },
                    write: Run { start: write, step: 1 },
                });
                moves.len() - 1
            });
            moves[number].destinations.push(destination);
        }
        moves
    }

    /// The unit, and the place in its memory.
    fn split(&self, place: &[u64]) -> (Location, u64) {
        let units = self.relayout.units.iter().copied().zip(place.iter().copied()).collect();
        let inner = &place[self.relayout.units.len()..];
        let Some((first, inner)) = inner.split_first() else { return (units, 0) };
        let lanes = self.relayout.lanes();
        let number = inner.iter().fold(*first, |address, lane| address * lanes + lane);
        (units, number)
    }

    /// Goes on by one element: runs that it does not continue are ready.
    fn step(&mut self, moves: Vec<Transfer>) {
        let mut runs: Vec<Option<Transfer>> =
            std::mem::take(&mut self.open).into_iter().map(Some).collect();
        let mut between: HashMap<(Location, Vec<Location>), Vec<usize>> = HashMap::new();
        for (at, run) in runs.iter().enumerate().filter_map(|(at, run)| Some((at, run.as_ref()?))) {
            let units = (run.source.clone(), run.destinations.clone());
            between.entry(units).or_default().push(at);
        }
        for next in moves {
            let units = (next.source.clone(), next.destinations.clone());
            let before = between.get(&units).into_iter().flatten();
            let longer =
                before.filter_map(|at| Some((*at, continued(runs[*at].as_ref()?, &next)?)));
            match longer.take(1).next() {
                Some((at, longer)) => {
                    runs[at] = None;
                    self.open.push(longer);
                }
                None => self.open.push(next),
            }
        }
        let mut ready: Vec<Transfer> = runs.into_iter().flatten().collect();
        ready.sort_by_key(|run| run.element);
        self.ready.extend(ready);
    }
}

/// The run with one more element, between the same units, if that goes on evenly.
fn continued(run: &Transfer, next: &Transfer) -> Option<Transfer> {
    let follows = run.element + run.length == next.element;
    let read = run.read.join(run.length, next.read.start).filter(|_| follows)?;
    let write = run.write.join(run.length, next.write.start)?;
    Some(Transfer {
        length: run.length + 1,
        read: Run { step: read, ..run.read },
        write: Run { step: write, ..run.write },
        ..run.clone()
    })
}

impl Iterator for Transfers<'_> {
    type Item = Transfer;

    fn next(&mut self) -> Option<Transfer> {
        while self.ready.is_empty() {
            let distance = *self.distances.front()?;
            match self.indexes.next() {
                Some(index) => {
                    let moves = self.moves(&index, distance);
                    self.step(moves);
                    self.number += 1;
                }
                None => {
                    self.step(Vec::new());
                    self.distances.pop_front();
                    self.indexes = Indexes::new(self.relayout.source.shape());
                    self.number = 0;
                }
            }
        }
        self.ready.pop_front()
    }
}
