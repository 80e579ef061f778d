//! The number of elements, copies, slots, pads and holes.

use std::collections::HashSet;

use crate::algebra::coordinates::count_sums;
use crate::algebra::layout::{Axis, Landing, Layout, Subaxis, Target};
use crate::algebra::product;
use crate::algebra::solve::nests;
use crate::error::LayoutError;
use crate::level::Level;
use crate::number::to_u64;

impl Layout {
    /// The number of elements: the product of the logical extents.
    #[must_use]
    pub fn elements(&self) -> u64 {
        // The product of the others may not fit if one extent is 0; `product` returns 0 then.
        product(self.axes.iter().map(|axis| axis.extent)).unwrap_or(u64::MAX)
    }

    /// The number of copies of each element that sized replicas make.
    #[must_use]
    pub fn copies(&self) -> u64 {
        self.replicas.iter().map(|replica| replica.size).product()
    }

    /// The number of slots: the product of the sizes of everything that lands, replicas included.
    ///
    /// Law: `slots == elements x copies + pads`, unless elements share a slot.
    #[must_use]
    pub fn slots(&self) -> u64 {
        self.landings().map(|landing| landing.size).product()
    }

    /// The number of slots that hold no element.
    ///
    /// Cost: O(subaxes) without derived axes; with them, the cost of [`collision`](Layout::collision).
    ///
    /// # Errors
    /// `NotDecided` where derived axes leave open whether elements share slots, and there are more than 2^20
    /// elements.
    pub fn pads(&self) -> Result<u64, LayoutError> {
        Ok(self.slots() - self.taken_slots()? * self.copies())
    }

    /// The number of slots of one copy that hold an element. Digits that feed derived axes may
    /// give several elements the same digits that land.
    fn taken_slots(&self) -> Result<u64, LayoutError> {
        const MOST: u64 = 1 << 20;
        if self.derived.is_empty() || self.elements() == 0 {
            return Ok(self.elements());
        }
        let slots = self.slot_of_each()?;
        if let Ok(None) = slots.collision() {
            return Ok(self.elements());
        }
        let question = "counting the slots that hold no element";
        if self.elements() > MOST {
            return Err(LayoutError::not_decided(question, MOST));
        }
        let taken: HashSet<_> = slots.indexes().map(|index| slots.slot(&index)).collect();
        Ok(to_u64(taken.len()))
    }

    /// Returns the layout with every landing digit in a level of its own: its places are the slots.
    fn slot_of_each(&self) -> Result<Layout, LayoutError> {
        let mut numbers = 0..;
        let mut apart = |subaxis: &Subaxis| match subaxis.target {
            Target::Land { .. } => {
                let level = Level::axis(numbers.next().unwrap_or(0));
                Subaxis::land(subaxis.size, level, 1)
            }
            Target::Feed { .. } => *subaxis,
        };
        let mut builder = Layout::builder();
        builder.axes = self.axes.iter().map(|axis| axis.with(&mut apart)).collect();
        builder.derived = self.derived.iter().map(|derived| derived.with(&mut apart)).collect();
        builder.build()
    }

    /// 1 + the greatest coordinate in `level`, padding and replicas included; 1 if unused.
    #[must_use]
    pub fn extent(&self, level: Level) -> u64 {
        let steps = self.landings_in(level).map(|l| (l.size - 1) * l.stride);
        1 + self.offset(level) + steps.sum::<u64>()
    }

    /// The extent of `level`, rounded up if the layout has a span for it (XLA's `L`).
    #[must_use]
    pub fn span(&self, level: Level) -> u64 {
        self.given_span(level).unwrap_or_else(|| self.extent(level))
    }

    /// The span of `level` that is not its extent.
    pub(crate) fn given_span(&self, level: Level) -> Option<u64> {
        self.spans.iter().find(|(of, _)| *of == level).map(|(_, span)| *span)
    }

    /// The number of different coordinates that slots have in `level`.
    ///
    /// Law: `used <= extent - offset`; the difference is the number of holes in the level.
    /// Cost: O(subaxes) where strides nest or fill up; else a bit per coordinate, up to 2^26.
    ///
    /// # Errors
    /// `NotDecided` past the budget.
    pub fn used_in(&self, level: Level) -> Result<u64, LayoutError> {
        count_sums(self.landings_in(level).map(|l| (l.size, l.stride)))
    }

    pub(crate) fn landings_in(&self, level: Level) -> impl Iterator<Item = Landing> + '_ {
        self.landings().filter(move |landing| landing.level == level)
    }
}

/// The number of places that are looked at one by one.
const MOST_PLACES: u64 = 1 << 16;

impl Layout {
    /// The number of different coordinates that elements have in `level`, all copies included, and one past the
    /// greatest. Where strides do not nest and there are more than 2^16 places, slots count as elements.
    ///
    /// Law: `number == |{place[level]}|` over all elements.
    /// Cost: O(subaxes squared) where strides nest; else O(elements x copies), up to 2^16.
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
