//! A relayout without a second buffer: is an element overwritten before it is read?
//!
//! ```text
//! ((8:1))  ->  ((8:2))      ascending: address 2 is written (element 1), then element 2 is read there
//!                           descending: 14, 12, .. 2 are written, each before its turn to be read
//! ```

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::RangeInclusive;

use itertools::Itertools;

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
    /// Cost: O(sum of the extents) where each element moves up, or each moves down, by plain digits; else O(n log n) for n copies.
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
        Ok(self.first_lost(&transfers.collect::<Vec<_>>(), order))
    }

    /// The first element, by its index, that a copy is read of where another one is by then. An element that was overwritten
    /// can overwrite another one in turn with just what belongs there, which is then not lost: so the runs are carried out.
    fn first_lost(&self, runs: &[Transfer], order: WriteOrder) -> Option<Overwritten> {
        let mut held: HashMap<(&Location, u64), Written> = HashMap::new();
        let mut first: Option<(u64, u64, Location)> = None;
        for step in steps(runs, order).chunk_by(|a, b| a.write == b.write) {
            let read = |copy: &OneCopy<'_>| held.get(&(&copy.run.source, copy.read)).copied();
            let found = step.iter().map(read).collect_vec();
            for (copy, found) in step.iter().zip(found) {
                let came = found.map_or(copy.element, |found| found.came);
                if let Some(found) = found.filter(|found| found.came != copy.element)
                    && first.as_ref().is_none_or(|(element, ..)| copy.element < *element)
                {
                    let place = self.place(&copy.run.source, copy.read);
                    first = Some((copy.element, found.belongs, place));
                }
                let written = Written { belongs: copy.element, came };
                held.extend(copy.run.destinations.iter().map(|of| ((of, copy.write), written)));
            }
        }
        let order = IndexOrder::RowMajor;
        let index = |number| self.source.as_function(order).index_of(number).unwrap_or_default();
        first.map(|(element, by, place)| Overwritten {
            element: index(element),
            by: index(by),
            place,
        })
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

/// The elements of one write.
#[derive(Clone, Copy)]
struct Written {
    /// The element that belongs there, and the one that came.
    belongs: u64,
    came: u64,
}

/// One element of a run.
struct OneCopy<'a> {
    run: &'a Transfer,
    element: u64,
    read: u64,
    write: u64,
}

/// The elements of all runs in the order in which they are written.
fn steps(runs: &[Transfer], order: WriteOrder) -> Vec<OneCopy<'_>> {
    let copies = runs.iter().flat_map(|run| {
        (0..run.length).map(move |n| {
            let (read, write) = (run.read.at(n), run.write.at(n));
            OneCopy { run, element: run.element + n, read, write }
        })
    });
    let mut copies = copies.collect_vec();
    match order {
        WriteOrder::Ascending => copies.sort_by_key(|copy| copy.write),
        WriteOrder::Descending => copies.sort_by_key(|copy| Reverse(copy.write)),
    }
    copies
}
