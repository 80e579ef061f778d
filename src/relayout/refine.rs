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

use crate::algebra::{Indexes, Layout, Target, product};
use crate::error::LayoutError;
use crate::level::Level;

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
pub(super) fn refine(source: &Layout, target: &Layout) -> Result<Vec<Group>, LayoutError> {
    let mut groups = Vec::new();
    for axes in fused(source, target) {
        groups.push(match axes[..] {
            [axis] => refine_axis(source, target, axis)?,
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

fn not_decided() -> LayoutError {
    LayoutError::NotDecided { question: "how many elements move", budget: MOST_LISTED }
}

/// Every index of some axes as one listed digit.
fn listed_together(layout: &Layout, axes: Vec<usize>) -> Result<Group, LayoutError> {
    let shape = layout.shape();
    let size = product(axes.iter().map(|axis| shape[*axis]));
    let size = size.filter(|size| *size <= MOST_LISTED).ok_or_else(not_decided)?;
    let extents = axes.iter().map(|axis| shape[*axis]).collect();
    let indexes = Indexes::new(extents).map(|entries| {
        let mut index = vec![0; shape.len()];
        axes.iter().zip(entries).for_each(|(axis, entry)| index[*axis] = entry);
        index
    });
    let kind = Kind::Listed(indexes.collect());
    Ok(Group { digits: vec![Digit { axes, place: 1, size, kind }], last: vec![size - 1] })
}

fn refine_axis(source: &Layout, target: &Layout, axis: usize) -> Result<Group, LayoutError> {
    let extent = source.axes()[axis].extent;
    let (s, d) = (Side::new(source, axis), Side::new(target, axis));
    let mut digits = Vec::new();
    let mut at = 1;
    while at < extent {
        let next = s.next_common(&d, at).filter(|next| *next < extent);
        let size = next.map_or_else(|| extent.div_ceil(at), |next| next / at);
        let within =
            |side: &Side| side.is_clean(at) && next.is_none_or(|next| side.holds(at, next));
        let top = |side: &Side| next.is_some() || side.holds(at, at.saturating_mul(size));
        let kind = match within(&s) && within(&d) && top(&s) && top(&d) {
            true => Kind::Common { source: s.landing(at), target: d.landing(at) },
            false if size > MOST_LISTED => return Err(not_decided()),
            false if at >= s.clean_from && at >= d.clean_from => {
                Kind::Split { source: s.pieces(at, size), target: d.pieces(at, size) }
            }
            false => Kind::Listed(indexes(source.rank(), axis, at, size, extent)),
        };
        digits.push(Digit { axes: vec![axis], place: at, size, kind });
        at = at.saturating_mul(size);
    }
    let mut rest = extent - 1;
    let last = digits.iter().map(|digit| {
        let value = rest % digit.size;
        rest /= digit.size;
        value
    });
    let last = last.collect();
    Ok(Group { digits, last })
}

/// A whole axis as each side splits it; `None` where values go through derived axes.
pub(super) fn split_axis(source: &Layout, target: &Layout, axis: usize) -> Option<Kind> {
    let extent = source.axes()[axis].extent;
    let (s, d) = (Side::new(source, axis), Side::new(target, axis));
    let clean = s.clean_from == 1 && d.clean_from == 1;
    clean.then(|| Kind::Split { source: s.pieces(1, extent), target: d.pieces(1, extent) })
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
struct Side {
    /// (place, size, landing), minor to major; below `clean_from` values go through derived axes.
    digits: Vec<(u64, u64, Option<Landing>)>,
    clean_from: u64,
}

impl Side {
    fn new(layout: &Layout, axis: usize) -> Side {
        let (mut place, mut clean_from, mut digits) = (1_u64, 1, Vec::new());
        for subaxis in layout.axes()[axis].subaxes.iter().rev() {
            let landing = match subaxis.target {
                Target::Land { level, stride } => Some((level, stride)),
                Target::Feed { .. } => None,
            };
            digits.push((place, subaxis.size, landing));
            // The slots of an axis fit.
            place *= subaxis.size;
            if landing.is_none() {
                clean_from = place;
            }
        }
        digits.retain(|(_, size, _)| *size > 1);
        Side { digits, clean_from }
    }

    /// The places at which digits begin, and the end of the last one.
    fn places(&self) -> impl Iterator<Item = u64> + '_ {
        let end = self.digits.last().map_or(1, |(place, size, _)| place * size);
        self.digits.iter().map(|(place, ..)| *place).chain([end])
    }

    /// The digit that the value `place` falls in.
    fn digit(&self, place: u64) -> Option<&(u64, u64, Option<Landing>)> {
        let inside = |(from, size, _): &&(u64, u64, _)| *from <= place && place < from * size;
        self.digits.iter().find(inside)
    }

    fn is_clean(&self, place: u64) -> bool {
        let splits = self.digit(place).is_some_and(|(from, size, _)| {
            let divides = (from * size).is_multiple_of(place) || self.is_top(*from);
            place.is_multiple_of(*from) && divides
        });
        place >= self.clean_from && splits
    }

    /// Whether the digit at `place` is the major-most, whose values do not wrap.
    fn is_top(&self, place: u64) -> bool {
        self.digits.last().is_some_and(|last| last.0 == place)
    }

    /// Whether values from `from` up to `to`, in steps of `from`, are one digit.
    fn holds(&self, from: u64, to: u64) -> bool {
        let Some((place, size, _)) = self.digit(from) else { return true };
        to <= place * size || self.is_top(*place)
    }

    /// The digits of the first multiples of `at`, where this side splits.
    fn pieces(&self, at: u64, values: u64) -> Vec<Piece> {
        let reached = self.digits.iter().filter_map(|(place, size, landing)| {
            let (level, stride) = (*landing)?;
            let (from, within) = if *place > at { (place / at, 1) } else { (1, at / place) };
            // The major-most digit never wraps.
            let size = if self.is_top(*place) { values.div_ceil(from) } else { size / within };
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
        let (from, _, landing) = self.digit(place)?;
        landing.map(|(level, stride)| (level, stride * (place / from)))
    }
}

fn lcm(a: u64, b: u64) -> Option<u64> {
    (a / a.gcd(&b)).checked_mul(b)
}
