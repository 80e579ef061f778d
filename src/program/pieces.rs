//! Elements of a layout with XOR axes as pieces of one length, contiguous on both sides.
//!
//! ```text
//! S<3,3,3> o 0 o (8,64):(64,1)      pieces of 8
//!
//! row 2     elements 128 136 144 ..     places 144 152 128 136 ..
//! ```
//!
//! Law: the pieces hold every element once, in its place.

use std::ops::Range;

use num_integer::gcd;

use super::cell::Cell;
use super::compiled::Program;
use super::flips::Variants;
use super::weighted_sum::{Inner, Outer, VectorRow};
use crate::number::{to_index, to_u64};

/// The shortest piece that is worth moving by itself.
const SHORTEST: u64 = 4;

/// Pieces, vector by vector.
pub(crate) struct Pieces<'a> {
    inner: Inner,
    outer: Outer<'a>,
    /// The number of elements in each.
    pub(crate) length: usize,
}

/// Pieces that follow each other in the tensor.
pub(crate) struct PieceRow<'a> {
    /// The number of the first element.
    pub(crate) element: usize,
    /// The number that is added to each place.
    pub(crate) base: usize,
    /// The place of the first element of each piece.
    pub(crate) places: &'a [usize],
}

impl Program {
    /// The pieces, where XOR axes leave some that are long enough.
    fn pieces(&self) -> Option<Pieces<'_>> {
        let packed = &self.compiled.packed;
        if packed.flips.is_none() || self.elements() == 0 {
            return None;
        }
        let inner = Inner::new(packed, self.ranges());
        let outer = Outer::new(packed, self.ranges(), &inner);
        let length = inner.evenly_contiguous();
        let is_whole = length >= SHORTEST && outer.is_cut_at(length);
        is_whole.then(|| Pieces { inner, outer, length: to_index(length) })
    }

    /// The pieces, if moving them is enough: for all places of a layout without copies.
    pub(crate) fn movable_pieces(&self, places: &Range<u64>) -> Option<Pieces<'_>> {
        let is_whole = *places == (0..self.places()) && self.compiled.layout.copies() == 1;
        is_whole.then(|| self.pieces()).flatten()
    }
}

impl Pieces<'_> {
    /// Writes the number of every element at its place.
    pub(super) fn number<T: Cell>(self, table: &mut [T]) {
        let length = self.length;
        self.each(|PieceRow { element, base, places }| {
            for (number, place) in (element..).step_by(length).zip(places) {
                let cells = table[base + place..][..length].iter_mut();
                cells.zip(to_u64(number)..).for_each(|(cell, at)| *cell = T::wrapped(at));
            }
        });
    }

    pub(crate) fn each(mut self, mut visit: impl FnMut(PieceRow<'_>)) {
        let (mut all, mut element) = (Variants::<Vec<usize>>::default(), 0);
        while let Some(VectorRow { base, flips, part }) = self.outer.next() {
            let (inner, length) = (&self.inner, self.length);
            let places = all.of(flips, || {
                inner.flipped(flips).iter().step_by(length).map(|place| to_index(*place)).collect()
            });
            let places = &places[part.start / length..part.end / length];
            visit(PieceRow { element, base: to_index(base), places });
            element += part.len();
        }
    }
}

impl Inner {
    /// The greatest length such that all pieces of it are contiguous, for any flips of a row.
    fn evenly_contiguous(&self) -> u64 {
        let goes_on = |at: usize| {
            self.vector[at + 1] == self.vector[at] + 1 && self.flips[at + 1] == self.flips[at]
        };
        let breaks = (1..self.vector.len()).filter(|at| !goes_on(at - 1)).map(to_u64);
        breaks.fold(to_u64(self.vector.len()), |length, at| match at % length {
            0 => length,
            _ => gcd(length, at),
        })
    }
}
