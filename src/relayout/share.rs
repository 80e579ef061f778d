//! What enters some of the units, or in some of the steps: counted with their coordinates given.

use std::collections::BTreeSet;

use super::counter::{Compared, Coordinate, Counter, both, coordinates};
use super::pair::{Relayout, TimeOrder};
use super::traffic::{copies_in, fit};
use crate::algebra::{Indexes, product};
use crate::error::{LayoutError, RelayoutFault};
use crate::level::Level;
use crate::location::Location;

/// The most units, or places of elements in units, that are looked at one by one.
const MOST_UNITS: u64 = 1 << 16;

/// The unit of a level that the most elements enter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Busiest {
    /// The level.
    pub level: Level,
    /// The unit, the first of those that are alike or share a memory.
    pub unit: Location,
    /// How many elements enter it at least.
    pub into: u64,
    /// How many enter all units of the level: no fewer than into, and no more than units x into.
    pub total: u64,
    /// How many units there are up to the last that the destination uses.
    pub units: u64,
}

impl Relayout {
    /// Finds the unit of a level that the most elements have to enter.
    ///
    /// A step is over when the last unit is done: where traffic is uneven, the total says too little.
    /// Law: the greatest of the counts that enumeration gives; the total is that of
    /// [`traffic`](Relayout::traffic).
    /// Cost: a count for every unit that the destination reaches.
    ///
    /// # Errors
    /// [`LevelMissing`](LayoutError::LevelMissing) for a level that paths do not go through;
    /// [`NotDecided`](LayoutError::NotDecided) for more than 2^16 units and places of elements in
    /// them, and as [`traffic`](Relayout::traffic).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Level, Machine, Placement};
    /// use tensor_layout::relayout::Relayout;
    /// let machine: Machine = "PE=4".parse()?;
    /// let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build();
    /// // Six for every PE become 18 for PE 0 and 6 for PE 1.
    /// let relayout = Relayout::new(&on("((4_PE, 6:1))")?, &on("(24)/((2_PE, 18:1))")?)?;
    /// let busiest = relayout.busiest(Level::PE)?;
    /// assert_eq!((busiest.unit.to_string(), busiest.into, busiest.total), ("PE=0".into(), 12, 18));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn busiest(&self, level: Level) -> Result<Busiest, LayoutError> {
        let path = &self.units[..self.depth_of(level)?];
        if self.elements() == 0 {
            return Ok(Busiest { level, unit: Location::default(), into: 0, total: 0, units: 0 });
        }
        let extents: Vec<u64> = path.iter().map(|level| self.target.extent(*level)).collect();
        let units = product(extents.iter().copied()).unwrap_or(u64::MAX);
        let mut busiest = Busiest { level, unit: Location::default(), into: 0, total: 0, units };
        let counter = Counter::new(self, at_a_unit(path))?;
        let mut total = 0;
        let units: Box<dyn Iterator<Item = Vec<u64>>> = match units {
            ..=MOST_UNITS => Box::new(Indexes::new(extents)),
            _ => Box::new(self.units_reached(path)?.into_iter()),
        };
        for unit in units {
            let into = entering(&counter, &unit)?;
            total += into;
            if into > u128::from(busiest.into) || busiest.unit == Location::default() {
                let named = path.iter().copied().zip(unit);
                busiest.unit = self.memory_at(super::counter::Of::Target, named);
                busiest.into = fit(into)?;
            }
        }
        busiest.total = fit(total)?;
        Ok(busiest)
    }

    /// The units in which the destination holds an element.
    fn units_reached(&self, path: &[Level]) -> Result<BTreeSet<Vec<u64>>, LayoutError> {
        let places = u128::from(self.elements()) * copies_in(&self.target, path);
        if places > u128::from(MOST_UNITS) {
            let question = "which unit the most elements enter";
            return Err(LayoutError::NotDecided { question, budget: MOST_UNITS });
        }
        let first =
            |index: Vec<u64>| coordinates(&self.target, &index, path.iter().copied().map(Some));
        let mut reached: BTreeSet<Vec<u64>> =
            Indexes::new(self.target.shape()).map(first).collect();
        for replica in self.target.replicas() {
            let Some(at) = path.iter().position(|level| *level == replica.level) else { continue };
            let copies = |unit: Vec<u64>| {
                (0..replica.size).map(move |copy| {
                    let mut unit = unit.clone();
                    unit[at] += copy * replica.stride;
                    unit
                })
            };
            reached = reached.into_iter().flat_map(copies).collect();
        }
        Ok(reached)
    }

    /// How many levels of the path there are down to one that callers name.
    pub(super) fn depth_of(&self, level: Level) -> Result<usize, LayoutError> {
        let at = (0..self.units.len()).rev().find(|at| self.name(*at) == level);
        at.map(|at| at + 1).ok_or(LayoutError::LevelMissing { level })
    }

    /// How many time slices there are; 1 if time is not used.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.source.extent(Level::TIME).max(self.target.extent(Level::TIME))
    }

    /// What enters the units of each level in a time step, innermost first: the (element, unit)
    /// pairs that the destination holds in that slice, without those that the source holds in the
    /// same slice or, with time [aside](TimeOrder::Aside), in any.
    ///
    /// Law: as enumeration; unless time is aside, the steps sum up to what
    /// [`traffic`](Relayout::traffic) counts with time outermost.
    /// Cost: as [`traffic`](Relayout::traffic).
    ///
    /// # Errors
    /// [`Relayout`](LayoutError::Relayout) for a step beyond [`steps`](Relayout::steps); as
    /// [`traffic`](Relayout::traffic).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Level, Machine, Placement};
    /// use tensor_layout::relayout::Relayout;
    /// let machine: Machine = "PE=4".parse()?;
    /// let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build();
    /// // Rows rest on the PEs, and are wanted one by one, spread over all of them.
    /// let relayout = Relayout::new(&on("((4_PE), (16:1))")?, &on("((4_Time), (4_PE, 4:1))")?)?;
    /// assert_eq!(relayout.into_in_step(0)?, [(Level::PE, 12)]); // of 16
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_in_step(&self, step: u64) -> Result<Vec<(Level, u64)>, LayoutError> {
        if step >= self.steps() {
            let fault = RelayoutFault::NoStep { step, steps: self.steps() };
            return Err(LayoutError::Relayout(fault));
        }
        let units: Vec<Level> = self.units.iter().copied().filter(|l| *l != Level::TIME).collect();
        if self.elements() == 0 {
            return self.per_level(&units, |_| Ok(0));
        }
        let compared = self.in_a_step().chain(units.iter().copied().map(both)).collect();
        let counts = Counter::new(self, compared)?.counts(&[step], |_| true)?;
        let (held, counts) = counts.split_at(self.in_a_step().count());
        let first = if self.time.is_some() { held.first().copied() } else { None };
        let first = first.unwrap_or_else(|| u128::from(self.elements()));
        self.per_level(&units, |depth| {
            fit(first * copies_in(&self.target, &units[..depth]) - counts[depth - 1])
        })
    }

    /// That the destination is in the step that is given and, unless time is aside, the source too.
    fn in_a_step(&self) -> impl Iterator<Item = Compared> + use<> {
        let (given, time) = (Coordinate::Given(0), Coordinate::In(Level::TIME));
        let destination = self.time.map(|_| (given, time));
        let source = self.time.filter(|order| *order != TimeOrder::Aside).map(|_| (time, given));
        destination.into_iter().chain(source)
    }

    /// A number for every level that callers name, innermost first, by how deep it is.
    pub(super) fn per_level(
        &self,
        units: &[Level],
        count: impl Fn(usize) -> Result<u64, LayoutError>,
    ) -> Result<Vec<(Level, u64)>, LayoutError> {
        let mut levels: Vec<(Level, u64)> = Vec::with_capacity(units.len());
        for (depth, level) in (1..).zip(units) {
            let into = count(depth)?;
            match levels.last_mut() {
                // The units below the memories that they share.
                Some((_, last)) if *level == Level::IN_GROUP => *last = into,
                _ => levels.push((*level, into)),
            }
        }
        levels.reverse();
        Ok(levels)
    }
}

/// That the destination is at a unit that is given, and then that the source is.
fn at_a_unit(path: &[Level]) -> Vec<Compared> {
    let given = || (0..path.len()).map(Coordinate::Given);
    let levels = || path.iter().copied().map(Coordinate::In);
    given().zip(levels()).chain(levels().zip(given())).collect()
}

/// How many elements a unit wants that it does not have.
fn entering(counter: &Counter, unit: &[u64]) -> Result<u128, LayoutError> {
    let (held, kept) = (unit.len() - 1, 2 * unit.len() - 1);
    let counts = counter.counts(unit, |at| at == held || at == kept)?;
    Ok(counts[held] - counts[kept])
}
