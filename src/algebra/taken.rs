//! The coordinates that elements have in a level, padding left out.

use std::collections::HashSet;

use crate::algebra::layout::{Axis, Layout, Subaxis};
use crate::algebra::solve::nests;
use crate::error::LayoutError;
use crate::level::Level;
use crate::number::to_u64;

/// The number of places that are looked at one by one.
const MOST_PLACES: u64 = 1 << 16;

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
            _ if is_plain && nests(digits) => Ok(layout.nested_taken_in(level)),
            places if places > MOST_PLACES => layout.slots_taken_in(level),
            _ => layout.places_taken_in(level),
        }
    }

    fn slots_taken_in(&self, level: Level) -> Result<(u64, u64), LayoutError> {
        Ok((self.used_in(level)?, self.extent(level)))
    }

    /// Coordinates whose strides nest are different as soon as one digit is.
    fn nested_taken_in(&self, level: Level) -> (u64, u64) {
        let stride = |subaxis: &Subaxis| match subaxis.landed() {
            Some((of, stride)) if of == level => stride,
            _ => 0,
        };
        let combinations = |axis: &Axis| axis.combinations(|subaxis| stride(subaxis) > 0);
        let elements: u64 = self.axes.iter().map(combinations).product();
        let reach: u64 = self.axes.iter().map(|axis| axis.greatest_step(stride)).sum();
        let of_copies: u64 = self.replicas.iter().map(|of| (of.size - 1) * of.stride).sum();
        (elements * self.copies(), self.offset(level) + reach + of_copies + 1)
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
