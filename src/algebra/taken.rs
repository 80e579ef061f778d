//! The coordinates that elements have in a level, padding left out.
//!
//! ```text
//! (4)/((2:4, 3:1))     slots at 0 1 2 4 5 6, elements at 0 1 2 4
//!
//! box 1    digit(2) 0, digit(3) 0..3      0 1 2
//! box 2    digit(2) 1, digit(3) 0         4
//! ```
//!
//! The indexes of a padded axis are such boxes, one for each digit.

use std::collections::HashSet;

use crate::algebra::coordinates::StridedTerm;
use crate::algebra::layout::{Axis, Layout, Subaxis, Target};
use crate::algebra::solve::nests;
use crate::error::LayoutError;
use crate::level::Level;
use crate::number::to_u64;

/// The number of places that are looked at one by one.
const MOST_PLACES: u64 = 1 << 16;

/// Sums of terms, from a first one on.
struct SumBox {
    first: u64,
    terms: Vec<StridedTerm>,
}

impl SumBox {
    fn last(&self) -> u64 {
        self.first + self.terms.iter().map(|(size, stride)| (size - 1) * stride).sum::<u64>()
    }

    fn number(&self) -> u64 {
        self.terms.iter().map(|(size, _)| *size).product()
    }
}

impl Layout {
    /// The number of different coordinates that elements have in `level`, all copies included, and one past the
    /// greatest. Where strides do not nest and there are more than 2^16 places, slots count as elements.
    ///
    /// Law: `number == |{place[level]}|` over all elements.
    /// Cost: O(subaxes squared) where strides nest; else O(elements x copies), up to 2^16.
    ///
    /// # Errors
    /// As [`used_in`](Layout::used_in).
    pub(crate) fn taken_in(&self, level: Level) -> Result<(u64, u64), LayoutError> {
        let mut layout = self.clone().without_padding_if_decided()?;
        layout.replicas.retain(|copies| copies.level == level);
        let is_padded = |axis: &Axis| axis.extent != axis.slots();
        let is_plain = layout.derived.is_empty();
        let digits = layout.landings_in(level).map(|digit| (digit.size - 1, digit.stride));
        match layout.elements().saturating_mul(layout.copies()) {
            0 => Ok((0, layout.offset(level))),
            _ if is_plain && !layout.axes.iter().any(is_padded) => layout.slots_taken_in(level),
            _ if is_plain && nests(digits) => Ok(layout.boxes_taken_in(level)),
            places if places > MOST_PLACES => layout.slots_taken_in(level),
            _ => layout.places_taken_in(level),
        }
    }

    fn slots_taken_in(&self, level: Level) -> Result<(u64, u64), LayoutError> {
        Ok((self.used_in(level)?, self.extent(level)))
    }

    /// Coordinates whose strides nest are different as soon as one digit is.
    fn boxes_taken_in(&self, level: Level) -> (u64, u64) {
        let copies = self.replicas.iter().map(|copies| (copies.size, copies.stride)).collect();
        let copies = vec![SumBox { first: self.offset(level), terms: copies }];
        let parts = self.axes.iter().map(|axis| boxes(axis, level)).chain([copies]);
        parts.fold((1, 1), |(taken, end), boxes| {
            let last = boxes.iter().map(SumBox::last).max().unwrap_or(0);
            (taken * boxes.iter().map(SumBox::number).sum::<u64>(), end + last)
        })
    }

    /// The definition.
    fn places_taken_in(&self, level: Level) -> Result<(u64, u64), LayoutError> {
        let mut taken = HashSet::new();
        for index in self.indexes() {
            taken.extend(self.locate_all(&index)?.map(|place| place.get(level).unwrap_or(0)));
        }
        Ok((to_u64(taken.len()), taken.iter().max().map_or(0, |last| last + 1)))
    }
}

/// The coordinates of the indexes of an axis without derived axes.
fn boxes(axis: &Axis, level: Level) -> Vec<SumBox> {
    let (mut rest, mut weight, mut first) = (axis.extent - 1, axis.slots(), 0);
    let mut boxes = Vec::new();
    for (at, subaxis) in axis.subaxes.iter().enumerate() {
        weight /= subaxis.size;
        let (digit, minor) = (rest / weight, terms(&axis.subaxes[at + 1..], level));
        rest %= weight;
        match stride_in(subaxis, level) {
            _ if digit == 0 => {}
            Some(stride) => {
                boxes.push(SumBox { first, terms: minor.chain([(digit, stride)]).collect() });
                first += digit * stride;
            }
            // Whatever the minor digits are, this one may be 0.
            None => {
                boxes.push(SumBox { first, terms: minor.collect() });
                return boxes;
            }
        }
    }
    boxes.push(SumBox { first, terms: Vec::new() });
    boxes
}

fn terms(subaxes: &[Subaxis], level: Level) -> impl Iterator<Item = StridedTerm> {
    subaxes.iter().filter_map(move |subaxis| Some((subaxis.size, stride_in(subaxis, level)?)))
}

/// The stride of a digit in a level, if it moves there.
fn stride_in(subaxis: &Subaxis, of: Level) -> Option<u64> {
    match subaxis.target {
        Target::Land { level, stride } if level == of && stride > 0 => Some(stride),
        _ => None,
    }
}
