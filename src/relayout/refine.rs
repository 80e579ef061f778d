//! The digits that two layouts of one tensor have in common.
//!
//! ```text
//! S  axis of 64: 8:8, 8_PE      boundaries 1 8 64
//! D  axis of 64: 4_PE, 16:1     boundaries 1 16 64
//!
//! common   4 at 16   8:8 -> 4_PE       2 at 8   8:8 -> 16:1       8 at 1   8_PE -> 16:1
//! ```
//!
//! A layout splits cleanly at `p` if what it does with `x` is what it does with `x % p` plus what it
//! does with `x - x % p`. Where both split, a digit of both begins. Between two splits either both
//! are one digit, or they do not line up (3 x 4 against 2 x 6 between 1 and 12) and the values there
//! are listed.

use num_integer::Integer;

use super::refuse::not_decided;
use crate::algebra::{Destination, Digit as Part, Digits, Indexes, Layout, product};
use crate::error::LayoutError;
use crate::level::Level;
use crate::number::to_u64;

/// The most values that are listed.
const MOST_LISTED: u64 = 1 << 18;

/// Where a digit lands: a level and a stride.
pub(super) type Landing = (Level, u64);

/// A common digit of some axes.
#[derive(Clone, Debug)]
pub(super) struct Digit {
    /// The axes: one, or those that are fused and listed together.
    pub(super) axes: Vec<usize>,
    /// What one step is worth in the index of the axis.
    pub(super) place: u64,
    pub(super) size: u64,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// One digit of both layouts; `None` where its value is always 0.
    Common { source: Option<Landing>, target: Option<Landing> },
    /// Each side splits the values in its own way, minor to major.
    Split { source: Vec<Piece>, target: Vec<Piece> },
    /// The values go through derived axes: the index of every one.
    Listed(Vec<Vec<u64>>),
}

/// A digit of the values between two common splits: `value / place % size`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) place: u64,
    pub(super) size: u64,
    pub(super) landing: Landing,
}

/// The common digits of a group of axes that are truncated together, minor to major.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) digits: Vec<Digit>,
    /// The greatest value: that of the last element, digit by digit.
    pub(super) last: Vec<u64>,
}

/// The common digits of two layouts of one shape without zeros.
///
/// An axis that ends within its digits is one digit, listed, where it has at most so many values.
pub(super) fn refine(
    source: &Layout,
    target: &Layout,
    most_truncated: u64,
) -> Result<Vec<Group>, LayoutError> {
    let digits = [source.digits(), target.digits()];
    let mut groups = Vec::new();
    for axes in fused(source, target) {
        groups.push(match axes[..] {
            [axis] => {
                let pair = Pair::new(&digits, axis, source.axes()[axis].extent);
                pair.refined(source.rank(), most_truncated)?
            }
            _ => listed_together(source, axes)?,
        });
    }
    Ok(groups)
}

/// Axes that feed one derived axis in either layout, together; all others alone.
fn fused(source: &Layout, target: &Layout) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = (0..source.rank()).map(|axis| vec![axis]).collect();
    for axes in source.axes_per_derived().into_iter().chain(target.axes_per_derived()) {
        let (joined, apart): (Vec<_>, Vec<_>) =
            sets.into_iter().partition(|set| set.iter().any(|axis| axes.contains(axis)));
        sets = apart;
        let mut joined = joined.concat();
        joined.sort_unstable();
        sets.extend((!joined.is_empty()).then_some(joined));
    }
    sets
}

/// Every index of some axes as one listed digit.
fn listed_together(layout: &Layout, axes: Vec<usize>) -> Result<Group, LayoutError> {
    let shape = layout.shape();
    let size = product(axes.iter().map(|axis| shape[*axis]));
    let size = size.filter(|size| *size <= MOST_LISTED).ok_or_else(|| not_decided(MOST_LISTED))?;
    let extents = axes.iter().map(|axis| shape[*axis]).collect();
    let indexes = Indexes::new(extents).map(|entries| {
        let mut index = vec![0; shape.len()];
        axes.iter().zip(entries).for_each(|(axis, entry)| index[*axis] = entry);
        index
    });
    let kind = Kind::Listed(indexes.collect());
    Ok(Group { digits: vec![Digit { axes, place: 1, size, kind }], last: vec![size - 1] })
}

/// An axis as both layouts split it.
struct Pair<'a> {
    axis: usize,
    extent: u64,
    source: Side<'a>,
    target: Side<'a>,
}

impl<'a> Pair<'a> {
    fn new([source, target]: &'a [Digits; 2], axis: usize, extent: u64) -> Pair<'a> {
        let (source, target) = (Side::new(source, axis), Side::new(target, axis));
        Pair { axis, extent, source, target }
    }

    fn refined(&self, rank: usize, most_truncated: u64) -> Result<Group, LayoutError> {
        let mut digits = Vec::new();
        let mut at = 1;
        while at < self.extent {
            let next = self.source.next_common(&self.target, at);
            let next = next.filter(|next| *next < self.extent);
            let size = next.map_or_else(|| self.extent.div_ceil(at), |next| next / at);
            let kind = self.kind(rank, at, size, next)?;
            digits.push(Digit { axes: vec![self.axis], place: at, size, kind });
            at = at.saturating_mul(size);
        }
        let mut group = Group { last: last(self.extent, &digits), digits };
        let whole = self.extent <= most_truncated && !group.is_full();
        if whole && self.source.clean_from == 1 && self.target.clean_from == 1 {
            let (axes, size) = (vec![self.axis], self.extent);
            group.digits = vec![Digit { axes, place: 1, size, kind: self.split(1, size) }];
            group.last = vec![size - 1];
        }
        Ok(group)
    }

    /// What the values from `at` on are, `size` of them, up to the next common split.
    fn kind(
        &self,
        rank: usize,
        at: u64,
        size: u64,
        next: Option<u64>,
    ) -> Result<Kind, LayoutError> {
        let end = at.saturating_mul(size);
        let is_digit = |side: &Side| {
            let within = side.is_clean(at) && next.is_none_or(|next| side.holds(at, next));
            within && (next.is_some() || side.holds(at, end))
        };
        if is_digit(&self.source) && is_digit(&self.target) {
            let (source, target) = (self.source.landing(at), self.target.landing(at));
            return Ok(Kind::Common { source, target });
        }
        if size > MOST_LISTED {
            return Err(not_decided(MOST_LISTED));
        }
        Ok(match at >= self.source.clean_from && at >= self.target.clean_from {
            true => self.split(at, size),
            false => Kind::Listed(indexes(rank, self.axis, at, size, self.extent)),
        })
    }

    fn split(&self, at: u64, size: u64) -> Kind {
        Kind::Split { source: self.source.pieces(at, size), target: self.target.pieces(at, size) }
    }
}

/// The digits of the last value.
fn last(extent: u64, digits: &[Digit]) -> Vec<u64> {
    let mut rest = extent - 1;
    let digit = |digit: &Digit| {
        let value = rest % digit.size;
        rest /= digit.size;
        value
    };
    digits.iter().map(digit).collect()
}

/// The indexes with `value x place` on an axis; beyond the extent they are never asked for.
fn indexes(rank: usize, axis: usize, place: u64, size: u64, extent: u64) -> Vec<Vec<u64>> {
    let index = |value: u64| {
        let mut index = vec![0; rank];
        index[axis] = (value * place).min(extent - 1);
        index
    };
    (0..size).map(index).collect()
}

/// An axis as one layout splits it.
struct Side<'a> {
    /// The digits with more than one value, minor to major.
    digits: Vec<&'a Part>,
    /// Below it values go through derived axes.
    clean_from: u64,
}

impl<'a> Side<'a> {
    fn new(digits: &'a Digits, axis: usize) -> Side<'a> {
        let minor_first = || digits.of(axis).iter().rev();
        let feeds = minor_first().rfind(|digit| landing(digit).is_none());
        Side {
            digits: minor_first().filter(|digit| digit.size > 1).collect(),
            clean_from: feeds.map_or(1, end),
        }
    }

    /// The places at which digits begin, and the end of the last one.
    fn places(&self) -> impl Iterator<Item = u64> + '_ {
        let end = self.digits.last().map_or(1, |digit| end(digit));
        self.digits.iter().map(|digit| digit.place).chain([end])
    }

    /// The digit that the value `place` falls in.
    fn digit(&self, place: u64) -> Option<&'a Part> {
        let inside = |digit: &&&Part| digit.place <= place && place < end(digit);
        self.digits.iter().find(inside).copied()
    }

    fn is_clean(&self, place: u64) -> bool {
        let splits = self.digit(place).is_some_and(|digit| {
            let divides = end(digit).is_multiple_of(place) || self.is_top(digit);
            place.is_multiple_of(digit.place) && divides
        });
        place >= self.clean_from && splits
    }

    /// Whether it is the major-most digit, whose values do not wrap.
    fn is_top(&self, digit: &Part) -> bool {
        self.digits.last().is_some_and(|last| last.place == digit.place)
    }

    /// Whether values from `from` up to `to`, in steps of `from`, are one digit.
    fn holds(&self, from: u64, to: u64) -> bool {
        self.digit(from).is_none_or(|digit| to <= end(digit) || self.is_top(digit))
    }

    /// The digits of the first multiples of `at`, where this side splits.
    fn pieces(&self, at: u64, values: u64) -> Vec<Piece> {
        let reached = self.digits.iter().filter_map(|digit| {
            let (level, stride) = landing(digit)?;
            let place = digit.place;
            let (from, within) = if place > at { (place / at, 1) } else { (1, at / place) };
            // The major-most digit never wraps.
            let top = self.is_top(digit);
            let size = if top { values.div_ceil(from) } else { digit.size / within };
            (from < values && size > 1).then(|| Piece {
                place: from,
                size,
                landing: (level, stride * within),
            })
        });
        reached.collect()
    }

    /// The next place, a multiple of `at`, where both sides split.
    fn next_common(&self, other: &Side, at: u64) -> Option<u64> {
        let single = self.places().chain(other.places());
        let pairs = self.places().flat_map(|a| other.places().map(move |b| lcm(a, b)));
        let clean = |place: u64| {
            let multiple = place > at && place.is_multiple_of(at);
            multiple && self.is_clean(place) && other.is_clean(place)
        };
        single.chain(pairs.flatten()).filter(|place| clean(*place)).min()
    }

    fn landing(&self, place: u64) -> Option<Landing> {
        let digit = self.digit(place)?;
        landing(digit).map(|(level, stride)| (level, stride * (place / digit.place)))
    }
}

/// The first value above those of the digit: the slots of an axis fit.
fn end(digit: &Part) -> u64 {
    digit.place * digit.size
}

fn landing(digit: &Part) -> Option<Landing> {
    match digit.to {
        Destination::Level(level) => Some((level, digit.step)),
        Destination::Derived(_) => None,
    }
}

fn lcm(a: u64, b: u64) -> Option<u64> {
    (a / a.gcd(&b)).checked_mul(b)
}

impl Group {
    /// A truncated group is a sum of boxes, one per digit. Box `k` has the digits above `k` as in
    /// the last element, digit `k` below, and the others free; box 0 includes the last element.
    pub(super) fn boxes(&self) -> u64 {
        let boxes = if self.is_full() { 1 } else { self.digits.len() };
        to_u64(boxes)
    }

    pub(super) fn is_full(&self) -> bool {
        self.digits.iter().zip(&self.last).all(|(digit, last)| *last == digit.size - 1)
    }
}
