//! The digits that two layouts of one tensor have in common.
//!
//! ```text
//! S  axis of 64: 8:8, 8_PE      boundaries 1 8 64
//! D  axis of 64: 4_PE, 16:1     boundaries 1 16 64
//!
//! common   4 at 16   8:8 -> 4_PE       2 at 8   8:8 -> 16:1       8 at 1   8_PE -> 16:1
//! ```
//!
//! A layout splits cleanly at `p` if the contribution of `x` is that of `x % p` plus that of `x - x % p`.
//! A common digit begins where both layouts split. Between two splits either both are one digit, or they do
//! not line up (3 x 4 against 2 x 6 between 1 and 12) and the values there are listed.

use smallvec::{SmallVec, smallvec};

use super::options::not_decided;
use crate::algebra::strided::StridedDigit;
use crate::algebra::{self, Destination, Groups, Layout, product, split};
use crate::error::LayoutError;
use crate::level::Level;
use crate::number::lcm;
use crate::relayout::pair::Role;

/// The most values that are listed.
const MOST_LISTED: u64 = 1 << 18;

/// One step of a digit: the side and the level that it adds to, and the amount.
pub(crate) type CommonLanding = (Role, Level, u64);

/// One digit of either side or, where they split a number differently, more.
pub(crate) type CommonDigits = SmallVec<[StridedDigit<CommonLanding>; 2]>;

/// A common digit of some axes.
#[derive(Clone, Debug)]
pub(crate) struct Common {
    /// The axes: one, or those that are fused and listed together.
    pub(crate) axes: SmallVec<[usize; 2]>,
    /// The step of the digit in the index of the axis.
    pub(crate) place: u64,
    pub(crate) size: u64,
    /// The digits of both sides; `None` where its values go through derived axes and are listed.
    pub(crate) digits: Option<CommonDigits>,
}

impl Common {
    /// The indexes of its values, those of other axes 0.
    pub(crate) fn indexes(&self, shape: &[u64]) -> impl Iterator<Item = Vec<u64>> {
        (0..self.size).map(|value| {
            let (mut entries, mut index) = (vec![0; self.axes.len()], vec![0; shape.len()]);
            split(value * self.place, self.axes.iter().map(|axis| shape[*axis]), &mut entries);
            self.axes.iter().zip(entries).for_each(|(axis, entry)| index[*axis] = entry);
            index
        })
    }
}

/// The common digits of two layouts of one shape without zeros, minor to major, in groups of axes
/// that are truncated together.
///
/// An axis that ends within its digits is one digit if it has at most `most_truncated` values and feeds no
/// derived axis.
pub(crate) fn refine(
    source: &Layout,
    target: &Layout,
    most_truncated: u64,
) -> Result<Vec<Vec<Common>>, LayoutError> {
    let digits = [source.digits(), target.digits()];
    let group = |axes: SmallVec<[usize; 2]>| match axes[..] {
        [axis] => Pair::new(&digits, axis, source.axes()[axis].extent).refined(most_truncated),
        _ => listed_together(source, axes),
    };
    fused(source, target).into_iter().map(group).collect()
}

/// Groups the axes: those that feed one derived axis in either layout together, all others alone.
fn fused(source: &Layout, target: &Layout) -> Vec<SmallVec<[usize; 2]>> {
    let mut groups = Groups::new(source.rank());
    for axes in source.axes_per_derived().into_iter().chain(target.axes_per_derived()) {
        axes.windows(2).for_each(|pair| groups.join(pair[0], pair[1]));
    }
    groups.sets()
}

/// Every index of some axes as one listed digit.
fn listed_together(
    layout: &Layout,
    axes: SmallVec<[usize; 2]>,
) -> Result<Vec<Common>, LayoutError> {
    let size = product(axes.iter().map(|axis| layout.axes()[*axis].extent));
    let size = size.filter(|size| *size <= MOST_LISTED);
    let size = size.ok_or_else(|| not_decided(MOST_LISTED))?;
    Ok(vec![Common { axes, place: 1, size, digits: None }])
}

/// An axis as both layouts split it.
struct Pair<'a> {
    axis: usize,
    extent: u64,
    source: OneSide<'a>,
    target: OneSide<'a>,
}

impl<'a> Pair<'a> {
    fn new([source, target]: &'a [algebra::Digits; 2], axis: usize, extent: u64) -> Pair<'a> {
        let source = OneSide::new(Role::Source, source.of(axis));
        Pair { axis, extent, source, target: OneSide::new(Role::Target, target.of(axis)) }
    }

    fn refined(&self, most_truncated: u64) -> Result<Vec<Common>, LayoutError> {
        let common =
            |place, size, digits| Common { axes: smallvec![self.axis], place, size, digits };
        let mut all = Vec::with_capacity(self.source.digits.len() + self.target.digits.len());
        let mut at = 1;
        while at < self.extent {
            let next = self.source.next_common(&self.target, at);
            let next = next.filter(|next| *next < self.extent);
            let size = next.map_or_else(|| self.extent.div_ceil(at), |next| next / at);
            all.push(common(at, size, self.digits(at, size, next)?));
            at = at.saturating_mul(size);
        }
        let truncated = at != self.extent && self.extent <= most_truncated;
        Ok(match truncated && self.is_clean(1) {
            true => vec![common(1, self.extent, Some(self.pieces(1, self.extent)))],
            false => all,
        })
    }

    /// The digits of both sides for `size` multiples of `at`, up to the next common split; `None` if they
    /// go through derived axes.
    fn digits(
        &self,
        at: u64,
        size: u64,
        next: Option<u64>,
    ) -> Result<Option<CommonDigits>, LayoutError> {
        let end = next.unwrap_or(at.saturating_mul(size));
        let is_digit = |side: &OneSide| side.is_clean(at) && side.holds(at, end);
        if is_digit(&self.source) && is_digit(&self.target) {
            return Ok(Some(self.landing(at, size)));
        }
        match self.is_clean(at) {
            _ if size > MOST_LISTED => Err(not_decided(MOST_LISTED)),
            true => Ok(Some(self.pieces(at, size))),
            false => Ok(None),
        }
    }

    /// Returns whether no values from a place on go through derived axes.
    fn is_clean(&self, at: u64) -> bool {
        at >= self.source.clean_from && at >= self.target.clean_from
    }

    /// One digit of both sides; of a side where its value is always 0, none.
    fn landing(&self, at: u64, size: u64) -> CommonDigits {
        let landings = [self.source.landing(at), self.target.landing(at)];
        landings
            .into_iter()
            .flatten()
            .map(|step| StridedDigit { size, weight: 1, stride: step })
            .collect()
    }

    /// The digits of both sides, minor to major, of the first multiples of `at`.
    fn pieces(&self, at: u64, size: u64) -> CommonDigits {
        self.source.pieces(at, size).chain(self.target.pieces(at, size)).collect()
    }
}

/// An axis as one layout splits it.
struct OneSide<'a> {
    side: Role,
    /// The digits with more than one value, minor to major.
    digits: SmallVec<[&'a algebra::Digit; 8]>,
    /// The place from which on no digit feeds a derived axis.
    clean_from: u64,
}

impl<'a> OneSide<'a> {
    fn new(side: Role, digits: &'a [algebra::Digit]) -> OneSide<'a> {
        let feeds = digits.iter().find(|digit| matches!(digit.to, Destination::Derived(_)));
        OneSide {
            side,
            digits: digits.iter().rev().filter(|digit| digit.size > 1).collect(),
            clean_from: feeds.map_or(1, end),
        }
    }

    /// The places at which digits begin, and the end of the last one.
    fn places(&self) -> impl Iterator<Item = u64> + '_ {
        let end = self.digits.last().map_or(1, |digit| end(digit));
        self.digits.iter().map(|digit| digit.weight).chain([end])
    }

    /// The digit that the value `place` falls in.
    fn digit(&self, place: u64) -> Option<&'a algebra::Digit> {
        let inside = |digit: &&&algebra::Digit| digit.weight <= place && place < end(digit);
        self.digits.iter().find(inside).copied()
    }

    fn is_clean(&self, place: u64) -> bool {
        let splits = self.digit(place).is_some_and(|digit| {
            let divides = end(digit).is_multiple_of(place) || self.is_top(digit);
            place.is_multiple_of(digit.weight) && divides
        });
        place >= self.clean_from && splits
    }

    /// Returns whether it is the major-most digit, whose values do not wrap.
    fn is_top(&self, digit: &algebra::Digit) -> bool {
        self.digits.last().is_some_and(|last| last.weight == digit.weight)
    }

    /// Returns whether values from `from` up to `to`, in steps of `from`, are one digit.
    fn holds(&self, from: u64, to: u64) -> bool {
        self.digit(from).is_none_or(|digit| to <= end(digit) || self.is_top(digit))
    }

    /// The digits of the first multiples of `at`, where this side splits.
    fn pieces(&self, at: u64, values: u64) -> impl Iterator<Item = StridedDigit<CommonLanding>> {
        self.digits.iter().filter_map(move |digit| {
            let (from, within) = match digit.weight > at {
                true => (digit.weight / at, 1),
                false => (1, at / digit.weight),
            };
            // The major-most digit never wraps.
            let top = self.is_top(digit);
            let size = if top { values.div_ceil(from) } else { digit.size / within };
            let step = self.step(digit, within).filter(|_| from < values && size > 1)?;
            Some(StridedDigit { size, weight: from, stride: step })
        })
    }

    /// The next place, a multiple of `at`, where both sides split.
    fn next_common(&self, other: &OneSide, at: u64) -> Option<u64> {
        let single = self.places().chain(other.places());
        let pairs = self.places().flat_map(|a| other.places().map(move |b| lcm(a, b)));
        let clean = |place: u64| {
            let multiple = place > at && place.is_multiple_of(at);
            multiple && self.is_clean(place) && other.is_clean(place)
        };
        single.chain(pairs.flatten()).filter(|place| clean(*place)).min()
    }

    fn landing(&self, place: u64) -> Option<CommonLanding> {
        self.digit(place).and_then(|digit| self.step(digit, place / digit.weight))
    }

    /// The landing of `steps` steps of a digit; `None` if it feeds a derived axis.
    fn step(&self, digit: &algebra::Digit, steps: u64) -> Option<CommonLanding> {
        match digit.to {
            Destination::Level(level) => Some((self.side, level, digit.stride * steps)),
            Destination::Derived(_) => None,
        }
    }
}

/// The first value above those of the digit: the slots of an axis fit.
fn end(digit: &algebra::Digit) -> u64 {
    digit.weight * digit.size
}
