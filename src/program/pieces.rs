//! Elements of a layout with XOR axes as pieces of one length, contiguous on both sides.
//!
//! ```text
//! S<3,3,3> o 0 o (8,64):(64,1)      pieces of 8
//!
//! row 2     elements 128 136 144 ..     places 144 152 128 136 ..
//! ```
//!
//! Law: the pieces hold every element once, in its place.

use num_integer::gcd;

use super::compiled::Program;
use super::flips::Variants;
use super::weighted_sum::{Inner, Outer, Row};
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
    /// What is added to each place.
    pub(crate) base: usize,
    /// The place of the first element of each piece.
    pub(crate) places: &'a [usize],
}

impl Program {
    /// The pieces, where XOR axes leave some that are long enough.
    pub(crate) fn pieces(&self) -> Option<Pieces<'_>> {
        let packed = &self.compiled.packed;
        if packed.flips.is_none() || self.elements() == 0 {
            return None;
        }
        let inner = Inner::new(packed, self.ranges());
        let outer = Outer::new(packed, self.ranges(), &inner);
        let length = evenly_contiguous(&inner.flipped(0));
        let is_whole = length >= SHORTEST && outer.is_cut_at(length) && inner.is_even(length);
        is_whole.then(|| Pieces { inner, outer, length: to_index(length) })
    }
}

/// The greatest length such that pieces of it are contiguous.
fn evenly_contiguous(vector: &[u64]) -> u64 {
    let whole = to_u64(vector.len());
    let breaks = (1..).zip(vector.windows(2)).filter(|(_, pair)| pair[1] != pair[0] + 1);
    breaks.fold(whole, |length, (at, _)| if at % length == 0 { length } else { gcd(length, at) })
}

impl Pieces<'_> {
    pub(crate) fn each(mut self, mut visit: impl FnMut(PieceRow<'_>)) {
        let (mut all, mut element) = (Variants::<Vec<usize>>::default(), 0);
        while let Some(Row { base, flips, part }) = self.outer.next() {
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
    /// Whether no row flips bits inside pieces of a length, which go on by one.
    fn is_even(&self, length: u64) -> bool {
        let bits = length.next_power_of_two() - 1;
        self.mask() & bits == 0
    }
}
