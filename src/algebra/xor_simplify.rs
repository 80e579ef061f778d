//! Simplification of XOR axes: axes that equal a sum, axes that feed another XOR, and bits that are the only
//! ones to flip some bit.
//!
//! ```text
//! columns 1 2 4, 8 16     no bit of two        a sum: 8 a + b
//! XOR after XOR          M (N x)              one XOR: (M N) x
//! column 4, row 2 alone   value bit 2 = x      x goes where bit 2 of the value goes
//! ```
//!
//! Law: every place has the same content; no XOR axis is left if the digits that feed each one flip bits of
//! their own.

use crate::algebra::layout::{Axis, Combine, DerivedAxis, Layout, Subaxis, Target};
use crate::algebra::simplify::scaled;
use crate::algebra::steps::merged;
use crate::algebra::xor::is_carried;

/// Returns the target of each bit of the value of a derived axis, minor to major.
pub(crate) fn rows(derived: &DerivedAxis) -> Vec<Target> {
    let minor_first = derived.axis.subaxes.iter().rev();
    minor_first.flat_map(|subaxis| bits(subaxis.size, subaxis.target)).collect()
}

/// Returns the target of each bit of a digit, minor to major.
fn bits(size: u64, target: Target) -> impl DoubleEndedIterator<Item = Target> {
    (0..size.ilog2()).map(move |bit| scaled(target, 1 << bit))
}

/// Merges bits, minor to major, into digits, major to minor.
pub(crate) fn bit_digits(minor_first: impl DoubleEndedIterator<Item = Target>) -> Vec<Subaxis> {
    merged(minor_first.rev().map(|target| Subaxis { size: 2, target }))
}

impl Layout {
    /// Applies one rule; `None` if none applies.
    pub(super) fn xors_simplified(&self) -> Option<Layout> {
        if !self.has_xor() {
            return None;
        }
        let numbers = || 0..self.derived.len();
        let xors = || numbers().filter(|number| self.derived[*number].is_xor());
        xors()
            .find_map(|number| self.xor_as_sum(number))
            .or_else(|| numbers().find_map(|number| self.with_next_xor(number)))
            .or_else(|| xors().find_map(|number| self.with_own_bits(number)))
            .or_else(|| xors().find_map(|number| self.with_sorted_rows(number)))
    }

    /// Returns the weight of each bit that feeds a derived axis, in the order of the digits.
    pub(super) fn bit_columns(&self, derived: usize) -> Vec<u64> {
        let feeding = self.subaxes();
        let columns = feeding.filter_map(|subaxis| match subaxis.target {
            Target::Feed { derived: to, weight } if to == derived => {
                Some((0..subaxis.size.ilog2()).map(move |bit| weight << bit))
            }
            _ => None,
        });
        columns.flatten().collect()
    }

    /// Returns whether the bits that feed it and its start do not overlap: sum and XOR are then equal.
    fn is_without_carry(&self, derived: usize) -> bool {
        !is_carried(self.derived[derived].start, self.bit_columns(derived))
    }

    fn xor_as_sum(&self, derived: usize) -> Option<Layout> {
        self.is_without_carry(derived).then(|| {
            let mut layout = self.clone();
            layout.derived[derived].combine = Combine::Sum;
            layout
        })
    }

    /// Returns whether an axis can be an XOR: it is one, or a sum of powers of two without a carry.
    fn is_bitwise(&self, number: usize) -> bool {
        let derived = &self.derived[number];
        let feeding = self.subaxes();
        let mut feeding = feeding.filter(|subaxis| subaxis.feeds() == Some(number));
        derived.is_xor()
            || derived.axis.sizes().all(u64::is_power_of_two)
                && derived.axis.extent == derived.axis.slots()
                && feeding.all(|subaxis| subaxis.size.is_power_of_two())
                && self.is_without_carry(number)
                && self.bit_columns(number).iter().all(|column| *column < derived.axis.extent)
    }

    /// Joins an axis with the first XOR that it feeds.
    fn with_next_xor(&self, first: usize) -> Option<Layout> {
        let fed = || self.derived[first].axis.subaxes.iter().filter_map(Subaxis::feeds);
        let next = fed().min().filter(|next| self.derived[*next].is_xor())?;
        if !self.is_bitwise(first) {
            return None;
        }
        let (own, theirs) = (rows(&self.derived[first]), rows(&self.derived[next]));
        let flips = |row: &Target| match row {
            Target::Feed { derived, weight } if *derived == next => Some(*weight),
            _ => None,
        };
        let others = own.iter().filter(|row| flips(row).is_none()).count();
        let bits = self.bit_columns(first).len() + self.bit_columns(next).len();
        if others + theirs.len() >= 63 || bits > 64 {
            return None;
        }
        // Maps a value of the first to one of both: the bits that it flips in the next, its other bits above.
        let joined = |value: u64| {
            let (mut flipped, mut place) = (0, theirs.len());
            for (at, row) in own.iter().enumerate() {
                let is_set = value >> at & 1 == 1;
                match flips(row) {
                    Some(weight) if is_set => flipped ^= weight,
                    None => {
                        flipped |= u64::from(is_set) << place;
                        place += 1;
                    }
                    Some(_) => {}
                }
            }
            flipped
        };
        let mut layout = self.clone();
        layout.feed_again(first, |column| Target::Feed { derived: next, weight: joined(column) });
        let kept = own.iter().filter(|row| flips(row).is_none());
        let start = self.derived[next].start ^ joined(self.derived[first].start);
        layout.derived[next] = xor_axis(start, theirs.iter().chain(kept).copied());
        layout.derived[first].axis.subaxes.clear();
        Some(layout.without_derived(first))
    }

    /// Redirects each feeding bit that alone flips a bit of an XOR, and flips nothing else, to the target of
    /// the flipped bit.
    fn with_own_bits(&self, number: usize) -> Option<Layout> {
        let (columns, rows) = (self.bit_columns(number), rows(&self.derived[number]));
        let start = self.derived[number].start;
        let flip = |row: usize| columns.iter().filter(move |column| **column >> row & 1 == 1);
        let is_own = |row: usize| {
            let mut flip = flip(row);
            start >> row & 1 == 0 && flip.next() == Some(&(1 << row)) && flip.next().is_none()
        };
        let own: Vec<bool> = (0..rows.len()).map(is_own).collect();
        if own.iter().all(|own| !own) {
            return None;
        }
        let left = || (0..rows.len()).filter(|row| !own[*row]);
        let compressed = |value: u64| picked(value, left());
        let mut layout = self.clone();
        layout.feed_again(number, |column| match column.is_power_of_two() {
            true if own[lowest_bit(column)] => rows[lowest_bit(column)],
            _ => Target::Feed { derived: number, weight: compressed(column) },
        });
        layout.derived[number] = xor_axis(compressed(start), left().map(|row| rows[row]));
        Some(layout)
    }

    /// Sorts the bits of an XOR by their targets.
    fn with_sorted_rows(&self, number: usize) -> Option<Layout> {
        let rows = rows(&self.derived[number]);
        if rows.is_sorted() {
            return None;
        }
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|row| rows[*row]);
        let sorted = |value: u64| picked(value, order.iter().copied());
        let mut layout = self.clone();
        layout
            .feed_again(number, |column| Target::Feed { derived: number, weight: sorted(column) });
        let start = sorted(self.derived[number].start);
        layout.derived[number] = xor_axis(start, order.iter().map(|row| rows[*row]));
        Some(layout)
    }

    /// Merges the digits of every axis that feeds an XOR.
    pub(super) fn with_merged_flips(mut self) -> Layout {
        if !self.has_xor() {
            return self;
        }
        let xors: Vec<bool> = self.derived.iter().map(DerivedAxis::is_xor).collect();
        let flips = |subaxis: &Subaxis| subaxis.feeds().is_some_and(|derived| xors[derived]);
        for axis in self.nodes_mut() {
            if axis.subaxes.iter().any(flips) {
                axis.subaxes = merged(axis.subaxes.iter().copied());
            }
        }
        self
    }

    /// Gives every bit that feeds a derived axis a new target, by its column.
    pub(super) fn feed_again(&mut self, number: usize, mut to: impl FnMut(u64) -> Target) {
        for axis in self.nodes_mut() {
            if axis.subaxes.iter().all(|subaxis| subaxis.feeds() != Some(number)) {
                continue;
            }
            let mut subaxes = Vec::with_capacity(axis.subaxes.len());
            for subaxis in &axis.subaxes {
                match subaxis.target {
                    Target::Feed { derived, weight } if derived == number => {
                        let minor_first: Vec<Target> =
                            (0..subaxis.size.ilog2()).map(|bit| to(weight << bit)).collect();
                        subaxes.extend(bit_digits(minor_first.into_iter()));
                    }
                    _ => subaxes.push(*subaxis),
                }
            }
            axis.subaxes = merged(subaxes.into_iter());
        }
    }

    /// Removes a derived axis that nothing feeds any more.
    fn without_derived(mut self, number: usize) -> Layout {
        self.derived.remove(number);
        for subaxis in self.subaxes_mut() {
            if let Target::Feed { derived, .. } = &mut subaxis.target
                && *derived > number
            {
                *derived -= 1;
            }
        }
        self
    }
}

/// Builds an XOR whose bits have these targets, minor to major.
fn xor_axis(start: u64, rows: impl DoubleEndedIterator<Item = Target>) -> DerivedAxis {
    DerivedAxis { combine: Combine::Xor, start, axis: Axis::unpadded(bit_digits(rows)) }
}

/// Returns these bits of a value, the first as the lowest.
fn picked(value: u64, bits: impl Iterator<Item = usize>) -> u64 {
    bits.enumerate().fold(0, |sum, (to, bit)| sum | (value >> bit & 1) << to)
}

/// The number of the lowest bit that is set.
fn lowest_bit(value: u64) -> usize {
    crate::number::to_index(value.trailing_zeros().into())
}
