//! The element at a place where strides nest: each digit is a quotient.
//!
//! ```text
//! ((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))     Addr 33 = 4 x 8 + 1     axis 0 has 4, axis 1 has 1 x 4
//! ```

use smallvec::SmallVec;

use crate::algebra::layout::{Layout, Target};
use crate::level::Level;
use crate::location::{Found, Location};

/// A layout without derived axes, read backward without a search.
#[derive(Clone, Debug)]
pub(crate) struct NestedDecoder {
    levels: SmallVec<[NestedLevel; 8]>,
    /// The digits that move, by level, ascending by stride.
    digits: SmallVec<[NestedDigit; 16]>,
    extents: SmallVec<[u64; 4]>,
}

#[derive(Clone, Copy, Debug)]
struct NestedLevel {
    level: Level,
    offset: u64,
    span: u64,
    /// The number of its digits.
    digits: usize,
}

#[derive(Clone, Copy, Debug)]
struct NestedDigit {
    /// The number of its level.
    level: usize,
    stride: u64,
    top: u64,
    /// Its axis and the weight there; no weight for a digit of copies.
    axis: usize,
    weight: u64,
}

impl NestedDecoder {
    /// Returns the decoder, unless an axis is derived or a stride does not exceed what the smaller ones of its level add.
    pub(crate) fn new(layout: &Layout) -> Option<NestedDecoder> {
        let digits = nested_digits(layout)?;
        let mut rest = &digits[..];
        let level = |(number, &level): (usize, &Level)| {
            let count = rest.iter().take_while(|digit| digit.level == number).count();
            let (own, others) = rest.split_at(count);
            rest = others;
            let offset = layout.offset(level);
            let extent = 1 + offset + own.iter().map(|digit| digit.top * digit.stride).sum::<u64>();
            let span = layout.given_span(level).unwrap_or(extent);
            NestedLevel { level, offset, span, digits: count }
        };
        let levels = layout.used.iter().enumerate().map(level).collect();
        let extents = layout.axes.iter().map(|axis| axis.extent).collect();
        Some(NestedDecoder { levels, digits, extents })
    }

    /// The levels of a place, in their order.
    pub(crate) fn levels(&self) -> impl ExactSizeIterator<Item = Level> {
        self.levels.iter().map(|level| level.level)
    }

    /// Finds what is at a place; `None` if it lacks a coordinate.
    ///
    /// Law: as [`element`](Layout::element) by a search.
    /// Cost: O(subaxes).
    pub(crate) fn element(&self, place: &Location) -> Option<Found> {
        let mut index = vec![0; self.extents.len()];
        let (mut coordinates, mut others, mut is_hole) = (place.iter(), &self.digits[..], false);
        for level in &self.levels {
            let (_, at) = coordinates.find(|(of, _)| *of == level.level)?;
            if at >= level.span {
                return Some(Found::Outside);
            }
            let (own, after) = others.split_at(level.digits);
            others = after;
            let rest = at.checked_sub(level.offset).map(|rest| divide(rest, own, &mut index));
            is_hole |= rest != Some(0);
        }
        let is_real = || index.iter().zip(&self.extents).all(|(value, extent)| value < extent);
        Some(match is_hole {
            true => Found::Hole,
            false if is_real() => Found::Element(index),
            false => Found::Padding,
        })
    }
}

fn nested_digits(layout: &Layout) -> Option<SmallVec<[NestedDigit; 16]>> {
    let mut digits = SmallVec::<[NestedDigit; 16]>::new();
    let number = |level: Level| layout.used.iter().position(|used| *used == level);
    for (node, axis) in layout.nodes().enumerate() {
        let mut weight = 1;
        for subaxis in axis.subaxes.iter().rev() {
            let Target::Land { level, stride } = subaxis.target else { return None };
            let level = number(level)?;
            digits.push(NestedDigit { level, stride, top: subaxis.size - 1, axis: node, weight });
            weight *= subaxis.size;
        }
    }
    for copies in &layout.replicas {
        let (level, top) = (number(copies.level)?, copies.size - 1);
        digits.push(NestedDigit { level, stride: copies.stride, top, axis: 0, weight: 0 });
    }
    digits.retain(|digit| digit.top > 0);
    digits.sort_unstable_by_key(|digit| (digit.level, digit.stride));
    let (mut level, mut reach) = (usize::MAX, 0);
    let nests = digits.iter().all(|digit| {
        if digit.level != level {
            (level, reach) = (digit.level, 0);
        }
        let is_clear = digit.stride > reach;
        reach += digit.top * digit.stride;
        is_clear
    });
    (layout.derived.is_empty() && nests).then_some(digits)
}

/// Adds the digits of a coordinate to the values of their axes; returns what is left of it.
fn divide(coordinate: u64, digits: &[NestedDigit], index: &mut [u64]) -> u64 {
    digits.iter().rev().fold(coordinate, |rest, digit| {
        let value = digit.top.min(rest / digit.stride);
        if digit.weight > 0 {
            index[digit.axis] += value * digit.weight;
        }
        rest - value * digit.stride
    })
}
