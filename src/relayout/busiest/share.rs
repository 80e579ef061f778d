//! The traffic into the busiest unit of a level, and into all units in one time slice.

use super::numbered::NumberedSides;
use crate::algebra::product;
use crate::error::{LayoutError, Site, fault};
use crate::level::Level;
use crate::location::Location;
use crate::relayout::count::counter::{Compared, Coordinate, Counter, both};
use crate::relayout::count::options::BUDGET;
use crate::relayout::count::traffic::copies_in;
use crate::relayout::count::traffic::fit;
use crate::relayout::pair::{Relayout, Role, TimeOrder};

/// The unit of a level that the most elements enter or leave.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Busiest {
    /// The level.
    pub level: Level,
    /// The unit, the first in case of ties; a group is named by its first unit.
    pub unit: Location,
    /// The number of elements that have to enter it or, from
    /// [`busiest_out_of`](crate::relayout::UnitPart::busiest_out_of), to leave it.
    pub elements: u64,
    /// The total over all units of the level: at least `elements`, and at most `units` x `elements`.
    pub total: u64,
    /// The number of units up to the last one that the destination uses or, where elements leave, the source.
    pub units: u64,
}

impl Relayout {
    /// Finds the unit of a level that the most elements have to enter.
    ///
    /// A step ends when its last unit is done, so the total underestimates uneven traffic.
    /// Law: the greatest of the counts that enumeration gives; the total is that of
    /// [`traffic`](Relayout::traffic).
    /// Cost: by the digits, however many units there are; where digits do not line up, by the
    /// coordinates that the destination has in them.
    ///
    /// # Errors
    /// `Unknown` for a level that paths do not go through; `TooLarge` for more units than fit in 64 bits;
    /// `NotDecided` past 2^22 sums of digits that do not line up, and as [`traffic`](Relayout::traffic).
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
    /// assert_eq!((busiest.unit.to_string(), busiest.elements, busiest.total), ("PE=0".into(), 12, 18));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn busiest(&self, level: Level) -> Result<Busiest, LayoutError> {
        let path = &self.units[..self.depth_of(level)?];
        let level = path.last().copied().unwrap_or(level);
        if self.elements() == 0 || !self.is_inside(Role::Target, level) {
            return Ok(Busiest {
                level,
                unit: Location::default(),
                elements: 0,
                total: 0,
                units: 0,
            });
        }
        let units = product(path.iter().map(|level| self.target.extent(*level)));
        let units =
            units.ok_or_else(|| LayoutError::too_large(Site::Layout, "the number of units"))?;
        let mut budget = BUDGET;
        let most = NumberedSides::new(self, path, &mut budget)?.most(&mut budget)?;
        let unit = self.memory_at(Role::Target, path.iter().copied().zip(most.unit));
        Ok(Busiest { level, unit, elements: fit(most.into)?, total: fit(most.total)?, units })
    }

    /// The number of time slices; 1 if time is not used.
    #[must_use]
    pub fn slices(&self) -> u64 {
        self.slices
    }

    /// Counts the traffic into the units of each level in a time slice, innermost first: the (element, unit)
    /// pairs that the destination holds in that slice, without those that the source holds in the same slice
    /// or, with time [aside](TimeOrder::Aside), in any.
    ///
    /// Law: as enumeration; unless time is aside, the slices sum up to what
    /// [`traffic`](Relayout::traffic) counts with time outermost.
    /// Cost: as [`traffic`](Relayout::traffic).
    ///
    /// # Errors
    /// `Argument` for a slice beyond [`slices`](Relayout::slices); as [`traffic`](Relayout::traffic).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Level, Machine, Placement};
    /// use tensor_layout::relayout::Relayout;
    /// let machine: Machine = "PE=4".parse()?;
    /// let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build();
    /// // Rows rest on the PEs, and are wanted one by one, spread over all of them.
    /// let relayout = Relayout::new(&on("((4_PE), (16:1))")?, &on("((4_Time), (4_PE, 4:1))")?)?;
    /// assert_eq!(relayout.into_in_slice(0)?, [(Level::PE, 12)]); // of 16
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_in_slice(&self, slice: u64) -> Result<Vec<(Level, u64)>, LayoutError> {
        if slice >= self.slices() {
            return Err(fault!(
                Argument,
                "time slice {slice} does not exist: there are {slices}",
                [slice, slices = self.slices()]
            ));
        }
        let units: Vec<Level> = self.units.iter().copied().filter(|l| *l != Level::TIME).collect();
        if self.elements() == 0 {
            return Ok(units.into_iter().rev().map(|level| (level, 0)).collect());
        }
        let compared = self.in_a_step().chain(units.iter().copied().map(both)).collect();
        let counts = Counter::new(self, compared)?.counts(&[slice], |_| true)?;
        let (held, counts) = counts.split_at(self.in_a_step().count());
        let first = if self.time.is_some() { held.first().copied() } else { None };
        let first = first.unwrap_or_else(|| u128::from(self.elements()));
        let into = |at: usize| match self.is_inside(Role::Target, units[at]) {
            true => fit(first * copies_in(&self.target, &units[..=at]) - counts[at]),
            false => Ok(0),
        };
        (0..units.len()).rev().map(|at| Ok((units[at], into(at)?))).collect()
    }

    /// The comparisons that put the destination and, unless time is aside, the source in the given slice.
    fn in_a_step(&self) -> impl Iterator<Item = Compared> + use<> {
        let (given, time) = (Coordinate::Given(0), Coordinate::In(Level::TIME));
        let destination = self.time.map(|_| (given, time));
        let source = self.time.filter(|order| *order != TimeOrder::Aside).map(|_| (time, given));
        destination.into_iter().chain(source)
    }
}
