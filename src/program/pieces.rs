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
use super::flips::Variants;
use super::weighted_sum::{Inner, Outer, VectorRow, WeightedSum};
use crate::number::{to_index, to_u64};

/// The shortest piece that is worth moving on its own, except for pairs, which are moved in groups.
const SHORTEST: u64 = 4;
const PAIR: u64 = 2;

/// The number of pieces in a [`Group`].
pub(crate) const GROUP: usize = 8;

/// The vector that is cut into pieces, made once for all that a program moves.
#[derive(Clone, Debug)]
pub(super) struct PieceVector {
    inner: Inner,
    length: u64,
    /// The vector where no bits are flipped from outside, as in most rows.
    usual: Flipped,
}

/// Pieces, vector by vector.
pub(crate) struct Pieces<'a> {
    inner: &'a Inner,
    usual: &'a Flipped,
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
    /// These pieces in groups; empty if some of them do not form a group.
    pub(crate) groups: &'a [Group],
}

/// Eight pieces that follow each other in the tensor and fill a block of the image: piece k of them is
/// number `k ^ flips` in it.
///
/// So a group is checked and looked up once, and not piece by piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// The first place of the block.
    pub(crate) place: usize,
    /// Below [`GROUP`].
    pub(crate) flips: usize,
}

/// The pieces of a vector whose bits are flipped.
#[derive(Clone, Debug)]
struct Flipped {
    places: Vec<usize>,
    groups: Vec<Group>,
}

impl PieceVector {
    pub(super) fn new(packed: &WeightedSum, ranges: &[Range<u64>]) -> PieceVector {
        let inner = Inner::new(packed, ranges);
        let length = inner.evenly_contiguous();
        PieceVector { usual: Flipped::new(&inner, 0, to_index(length)), length, inner }
    }

    /// The pieces of all vectors, where they are long enough.
    pub(super) fn pieces<'a>(
        &'a self,
        packed: &'a WeightedSum,
        ranges: &'a [Range<u64>],
    ) -> Option<Pieces<'a>> {
        let PieceVector { inner, length, usual } = self;
        let outer = Outer::new(packed, ranges, inner);
        let is_worth = *length >= SHORTEST || *length == PAIR;
        (is_worth && outer.is_cut_at(*length)).then(|| Pieces {
            inner,
            usual,
            outer,
            length: to_index(*length),
        })
    }
}

impl Pieces<'_> {
    /// Returns whether numbers are written piece by piece faster than one by one.
    pub(super) fn are_long(&self) -> bool {
        to_u64(self.length) >= SHORTEST
    }

    /// Writes the number of every element at its place.
    pub(super) fn number<T: Cell>(self, table: &mut [T]) {
        let length = self.length;
        self.each(|PieceRow { element, base, places, .. }| {
            for (number, place) in (element..).step_by(length).zip(places) {
                let cells = table[base + place..][..length].iter_mut();
                cells.zip(to_u64(number)..).for_each(|(cell, at)| *cell = T::wrapped(at));
            }
        });
    }

    pub(crate) fn each(mut self, mut visit: impl FnMut(PieceRow<'_>)) {
        let (mut all, mut element) = (Variants::<Flipped>::default(), 0);
        while let Some(VectorRow { base, flips, part }) = self.outer.next() {
            let (inner, length) = (self.inner, self.length);
            let flipped = match flips {
                0 => self.usual,
                _ => all.of(flips, || Flipped::new(inner, flips, length)),
            };
            let part = part.start / length..part.end / length;
            let groups = flipped.groups_of(&part);
            let places = &flipped.places[part];
            visit(PieceRow { element, base: to_index(base), places, groups });
            element += places.len() * length;
        }
    }
}

impl Flipped {
    fn new(inner: &Inner, flips: u64, length: usize) -> Flipped {
        let vector = inner.flipped(flips);
        let places: Vec<usize> =
            vector.iter().step_by(length).map(|place| to_index(*place)).collect();
        let (whole, rest) = places.as_chunks::<GROUP>();
        let groups = whole.iter().map(|places| Group::of(places, length));
        let groups = if rest.is_empty() { groups.collect() } else { None };
        Flipped { groups: groups.unwrap_or_default(), places }
    }

    /// The groups of a range of pieces; none if it begins or ends inside of one.
    fn groups_of(&self, part: &Range<usize>) -> &[Group] {
        let is_whole = part.start.is_multiple_of(GROUP) && part.end.is_multiple_of(GROUP);
        let groups = part.start / GROUP..part.end / GROUP;
        self.groups.get(groups).filter(|_| is_whole).unwrap_or_default()
    }
}

impl Group {
    /// The group that these pieces form; `None` unless they fill a block in an order that is an XOR.
    fn of(places: &[usize; GROUP], length: usize) -> Option<Group> {
        let place = places.iter().copied().min()?;
        let flips = (places[0] - place) / length;
        let fills = (0..GROUP).all(|piece| places[piece] == place + (piece ^ flips) * length);
        (fills && flips < GROUP).then_some(Group { place, flips })
    }
}

impl Inner {
    /// The greatest length of pieces that are all contiguous, whatever bits a row flips.
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
