//! A relayout without a second buffer: is an element overwritten before it is read?
//!
//! ```text
//! ((8:1))  ->  ((8:2))      ascending: address 2 is written (element 1), then element 2 is read there
//!                           descending: 14, 12, .. 2 are written, each before its turn to be read
//! ```

use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::transfers::Transfer;
use crate::algebra::{IndexOrder, Layout};
use crate::error::LayoutError;
use crate::level::Level;
use crate::location::Location;
use crate::relayout::count::counter::coordinates;
use crate::relayout::pair::{Relayout, Role};

/// The most copies that are looked at one by one, and the most indexes of axes.
const MOST_COPIES: u64 = 1 << 20;

/// The order in which all units write their memories, all at the same address at a time. Everything that a
/// step writes is read when the step begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WriteOrder {
    /// The lowest address first, and within a long word the first lane.
    Ascending,
    /// The highest address first, and within a long word the last lane.
    Descending,
}

/// An element that is overwritten before it is read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Overwritten {
    /// The index of the element.
    pub element: Vec<u64>,
    /// The index of the element that is written in its place.
    pub by: Vec<u64>,
    /// The place, in the memory of the unit that should send it.
    pub place: Location,
}

impl Relayout {
    /// Returns the first element that is lost if the relayout is carried out within the memory of the source;
    /// `None` if it needs no second buffer.
    ///
    /// Each time slice has its own memory here, and between two memories nothing is lost.
    /// Law: [`transfers`](Relayout::transfers) carried out on one memory in this order give the destination if and
    /// only if the answer is `None`.
    /// Cost: O(sum of the extents) where each element moves up, or each moves down, by plain digits; else O(copies).
    ///
    /// # Errors
    /// As [`transfers`](Relayout::transfers); `NotDecided` where more than 2^20 copies would have to be
    /// examined.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Machine, Placement};
    /// use tensor_layout::relayout::{Relayout, WriteOrder};
    /// let machine: Machine = "PE=1".parse()?;
    /// let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build();
    /// let spread = Relayout::new(&on("((8:1))")?, &on("((8:2))")?)?;
    /// assert_eq!(spread.overwritten(WriteOrder::Descending)?, None);
    /// let lost = spread.overwritten(WriteOrder::Ascending)?.expect("an element");
    /// assert_eq!((lost.element, lost.by), (vec![2], vec![1]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overwritten(&self, order: WriteOrder) -> Result<Option<Overwritten>, LayoutError> {
        let transfers = self.transfers()?;
        let is_safe = |steps: RangeInclusive<i128>| match order {
            WriteOrder::Ascending => *steps.end() <= 0,
            WriteOrder::Descending => *steps.start() >= 0,
        };
        if self.is_between_memories() || self.elements() == 0 || self.steps().is_some_and(is_safe) {
            return Ok(None);
        }
        let copies = self.elements().checked_mul(self.target.copies());
        if copies.is_none_or(|copies| copies > MOST_COPIES) {
            let question = "the order in which elements are overwritten";
            return Err(LayoutError::not_decided(question, MOST_COPIES));
        }
        let runs: Vec<Transfer> = transfers.collect();
        let writers = writers(&runs);
        let lost = runs.iter().filter_map(|run| self.lost(run, &writers, order));
        Ok(lost.min_by(|a, b| a.element.cmp(&b.element)))
    }

    /// The first element of a run that is overwritten.
    fn lost(
        &self,
        run: &Transfer,
        writers: &Writers<'_>,
        order: WriteOrder,
    ) -> Option<Overwritten> {
        let overwritten = |n: u64| {
            let (read, write) = (run.read.at(n), run.write.at(n));
            let is_late = match order {
                WriteOrder::Ascending => read < write,
                WriteOrder::Descending => read > write,
            };
            let by = writers.get(&(&run.source, read)).filter(|_| is_late)?;
            let index = |element| {
                self.source.as_function(IndexOrder::RowMajor).index_of(element).unwrap_or_default()
            };
            (*by != run.element + n).then(|| Overwritten {
                element: index(run.element + n),
                by: index(*by),
                place: self.place(&run.source, read),
            })
        };
        (0..run.length).find_map(overwritten)
    }

    /// The place with a number in the memory of a unit.
    fn place(&self, unit: &Location, number: u64) -> Location {
        let mut place = unit.clone();
        place.set(Level::ADDR, number / self.lanes());
        if self.lanes() > 1 {
            place.set(Level::W, number % self.lanes());
        }
        place
    }

    /// The least and the greatest number of places that an element moves up in its memory, whatever its unit;
    /// `None` if that is not a sum over the entries of the index, or if the extents add up to too many.
    fn steps(&self) -> Option<RangeInclusive<i128>> {
        let (shape, start) = (self.source.shape(), self.step(&vec![0; self.source.rank()]));
        let is_plain = |layout: &Layout| {
            let mut levels = layout.replicas().iter().map(|replica| replica.level);
            layout.derived_axes().is_empty() && !levels.any(Level::is_in_unit)
        };
        let all = shape.iter().try_fold(0_u64, |all, extent| all.checked_add(*extent))?;
        if all > MOST_COPIES
            || ![&self.source, &self.target].into_iter().all(|layout| is_plain(layout))
        {
            return None;
        }
        let of_axis = |(axis, extent): (usize, &u64)| {
            let mut index = vec![0; shape.len()];
            (0..*extent).fold((0, 0), |(least, greatest), entry| {
                index[axis] = entry;
                let step = self.step(&index) - start;
                (step.min(least), step.max(greatest))
            })
        };
        let add = |a: (i128, i128), b: (i128, i128)| (a.0 + b.0, a.1 + b.1);
        let (least, greatest) = shape.iter().enumerate().map(of_axis).fold((start, start), add);
        Some(least..=greatest)
    }

    /// The number of places that an element moves up.
    fn step(&self, index: &[u64]) -> i128 {
        let number = |side: Role| {
            let inner = [Some(Level::ADDR), Some(Level::W)];
            let at = coordinates(self.layout(side), index, inner);
            at.into_iter().fold(0, |number, at| number * i128::from(self.lanes()) + i128::from(at))
        };
        number(Role::Target) - number(Role::Source)
    }
}

/// The elements that are written, by memory and place.
type Writers<'a> = HashMap<(&'a Location, u64), u64>;

fn writers(runs: &[Transfer]) -> Writers<'_> {
    let written = runs.iter().flat_map(|run| {
        let units = run.destinations.iter();
        units.flat_map(move |unit| {
            (0..run.length).map(move |n| ((unit, run.write.at(n)), run.element + n))
        })
    });
    written.collect()
}
