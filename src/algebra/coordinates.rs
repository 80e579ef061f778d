//! Sets of coordinates: all sums of digit x stride in one level.
//!
//! ```text
//! 4:2, 3:1       0 1 2 3 4 5 6 7 8      one even run, 9:1
//! 2:8, 4:1       0 1 2 3 8 9 10 11      nested, 4:1 and 2:8
//! 2:3, 3:2       0 2 3 4 5 7            neither: listed
//! ```
//!
//! Used coordinates, holes, copies, and equality of padding are all questions about these sets. Nested terms
//! answer them digit by digit; sets that do not nest are stored as one bit per coordinate.

use std::collections::BTreeSet;

use itertools::{EitherOrBoth, Itertools};
use num_integer::Integer;

use crate::algebra::layout::{Layout, Replica};
use crate::algebra::radix::product;
use crate::algebra::strided::sums;
use crate::algebra::work;
use crate::error::LayoutError;
use crate::level::Level;
use crate::number::to_index;

/// The limit on the greatest coordinate of a listed set, in steps of its greatest common divisor.
const MOST_LISTED: u64 = 1 << 18;

/// The greatest number of sums of a set that is listed although it exceeds [`MOST_LISTED`].
const MOST_SUMS: u64 = 1 << 16;

/// The limit on the greatest coordinate of a counted set, in steps of its greatest common divisor.
const MOST_COUNTED: u64 = 1 << 26;

/// (size, stride) of a digit.
pub(crate) type StridedTerm = (u64, u64);

/// A set of coordinates that holds 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Coordinates {
    /// All sums of digit x stride over (size, stride), strides ascending, nested and merged:
    /// the one such form of the set.
    Nested(Vec<StridedTerm>),
    /// Any other set, ascending.
    Listed(Vec<u64>),
    /// Too large to be listed: (size, stride), ascending by stride.
    Tangled(Vec<StridedTerm>),
}

impl Coordinates {
    /// Returns all sums of `terms`: sizes above 1, strides ascending and above 0; sums fit in 64 bits.
    fn of(terms: impl Iterator<Item = StridedTerm> + Clone) -> Coordinates {
        if let Some(nested) = merge_runs(terms.clone()) {
            return Coordinates::Nested(nested);
        }
        let terms: Vec<StridedTerm> = terms.collect();
        match list(&terms) {
            None => Coordinates::Tangled(terms),
            Some(listed) => match nested_sums(&listed) {
                Some(nested) => Coordinates::Nested(nested),
                None => Coordinates::Listed(listed),
            },
        }
    }

    /// Returns whether 0 is the only coordinate.
    pub(crate) fn is_origin(&self) -> bool {
        *self == Coordinates::Nested(Vec::new())
    }

    fn is_tangled(&self) -> bool {
        matches!(self, Coordinates::Tangled(_))
    }

    /// Returns whether the set contains `coordinate`; `None` if deciding would take too long.
    fn holds(&self, coordinate: u64) -> Option<bool> {
        match self {
            Coordinates::Listed(all) => Some(all.binary_search(&coordinate).is_ok()),
            Coordinates::Tangled(_) => None,
            Coordinates::Nested(terms) => {
                let greedy = terms.iter().rev().fold(coordinate, |rest, (size, stride)| {
                    rest - stride * (rest / stride).min(size - 1)
                });
                Some(greedy == 0)
            }
        }
    }

    /// Returns whether the set contains all of another; `None` if deciding would take too long.
    pub(crate) fn holds_all(&self, other: &Coordinates) -> Option<bool> {
        if self == other {
            return Some(true);
        }
        let all = other.list(MOST_SUMS)?;
        all.into_iter().try_fold(true, |all, at| Some(all && self.holds(at)?))
    }

    /// Returns the coordinates, ascending; `None` if they are tangled, or nested and more than `most`.
    fn list(&self, most: u64) -> Option<Vec<u64>> {
        match self {
            Coordinates::Listed(all) => Some(all.clone()),
            Coordinates::Tangled(_) => None,
            Coordinates::Nested(terms) => {
                let count = product(terms.iter().map(|(size, _)| *size))?;
                (count <= most).then(|| sums(terms.iter().copied(), usize::MAX))
            }
        }
    }

    /// Returns the smallest coordinate that only one of the sets has.
    pub(crate) fn first_difference(&self, other: &Coordinates) -> Result<Option<u64>, LayoutError> {
        if self == other {
            return Ok(None);
        }
        if let (Coordinates::Nested(a), Coordinates::Nested(b)) = (self, other) {
            return Ok(nested_difference(a, b));
        }
        let question = "comparing the padding of two layouts";
        let most = 1 << 20;
        let not_decided = || LayoutError::not_decided(question, most);
        let mine: BTreeSet<u64> = self.list(most).ok_or_else(not_decided)?.into_iter().collect();
        let theirs: BTreeSet<u64> = other.list(most).ok_or_else(not_decided)?.into_iter().collect();
        Ok(mine.symmetric_difference(&theirs).next().copied())
    }
}

/// A set of places that is a product of coordinates per level; levels at 0 only are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct PlaceSet(Vec<(Level, Coordinates)>);

impl PlaceSet {
    fn of(mut terms: Vec<(Level, StridedTerm)>) -> PlaceSet {
        terms.retain(|(_, (size, stride))| *size > 1 && *stride > 0);
        terms.sort_unstable_by_key(|(level, (size, stride))| (*level, *stride, *size));
        let by_level = terms.chunk_by(|(one, _), (other, _)| one == other);
        let set = |terms: &[(Level, StridedTerm)]| {
            let (level, _) = *terms.first()?;
            Some((level, Coordinates::of(terms.iter().map(|(_, term)| *term))))
        };
        PlaceSet(by_level.filter_map(set).collect())
    }

    /// Returns the places of all slots, relative to the offsets.
    pub(crate) fn of_slots(layout: &Layout) -> PlaceSet {
        PlaceSet::of(layout.landings().map(|l| (l.level, (l.size, l.stride))).collect())
    }

    /// Returns the coordinates that replicas add to the place of an element.
    pub(crate) fn of_copies(layout: &Layout) -> PlaceSet {
        let replicas = layout.replicas.iter();
        PlaceSet::of(replicas.map(|r| (r.level, (r.size, r.stride))).collect())
    }

    /// Returns whether both are the same set; `None` if a level is too tangled to decide.
    pub(crate) fn same(&self, other: &PlaceSet) -> Option<bool> {
        match self == other {
            true => Some(true),
            false => (!self.is_tangled() && !other.is_tangled()).then_some(false),
        }
    }

    /// Returns whether the coordinates in some level are too tangled to be compared.
    pub(crate) fn is_tangled(&self) -> bool {
        self.0.iter().any(|(_, set)| set.is_tangled())
    }

    /// The coordinates in one level.
    pub(crate) fn in_level(&self, level: Level) -> Coordinates {
        let set = self.0.iter().find(|(of, _)| *of == level).map(|(_, set)| set.clone());
        set.unwrap_or(Coordinates::Nested(Vec::new()))
    }

    /// Returns replicas with these places, as few as possible, major to minor per level; `None` if a set
    /// does not nest.
    pub(crate) fn as_replicas(&self) -> Option<Vec<Replica>> {
        let mut replicas = Vec::new();
        for &(level, ref set) in &self.0 {
            let Coordinates::Nested(terms) = set else { return None };
            let replica = |&(size, stride): &StridedTerm| Replica { size, level, stride };
            replicas.extend(terms.iter().rev().map(replica));
        }
        Some(replicas)
    }
}

/// Returns the number of different sums of digit x stride.
///
/// In order of ascending stride, the terms from some position on are independent of those before it if the
/// greatest common divisor of their strides exceeds the sum that those before can add; the counts then
/// multiply. Within a cluster, an even run is counted directly, anything else bit by bit.
pub(crate) fn count_sums(terms: impl IntoIterator<Item = StridedTerm>) -> Result<u64, LayoutError> {
    let terms = moving(terms);
    let mut steps: Vec<u64> = terms.iter().map(|(_, stride)| *stride).collect();
    for at in (1..steps.len()).rev() {
        steps[at - 1] = steps[at - 1].gcd(&steps[at]);
    }
    let mut clusters: Vec<Vec<StridedTerm>> = Vec::new();
    let mut reach = 0;
    for ((size, stride), step) in terms.into_iter().zip(steps) {
        match clusters.last_mut().filter(|_| step <= reach) {
            Some(cluster) => cluster.push((size, stride)),
            None => clusters.push(vec![(size, stride)]),
        }
        reach += (size - 1) * stride;
    }
    let counts: Vec<u64> = clusters.iter().map(|cluster| count_cluster(cluster)).try_collect()?;
    // There are at most as many sums as the extent, which fits.
    Ok(product(counts).unwrap_or(u64::MAX))
}

fn count_cluster(terms: &[StridedTerm]) -> Result<u64, LayoutError> {
    if let Some(merged) = merge_runs(terms.iter().copied()) {
        return Ok(merged.into_iter().map(|(size, _)| size).product());
    }
    let question = "counting the used coordinates";
    let not_decided = || LayoutError::not_decided(question, MOST_COUNTED);
    Ok(SumSet::of(terms, MOST_COUNTED).ok_or_else(not_decided)?.count())
}

/// Returns the terms with size above 1 and stride above 0, ascending by stride.
fn moving(terms: impl IntoIterator<Item = StridedTerm>) -> Vec<StridedTerm> {
    let moving = terms.into_iter().filter(|(size, stride)| *size > 1 && *stride > 0);
    moving.sorted_unstable_by_key(|(size, stride)| (*stride, *size)).collect()
}

/// The sums, ascending, unless there are too many.
fn list(terms: &[StridedTerm]) -> Option<Vec<u64>> {
    if let Some(bits) = SumSet::of(terms, MOST_LISTED) {
        return Some(bits.list());
    }
    let count = product(terms.iter().map(|(size, _)| *size))?;
    let sums = (count <= MOST_SUMS).then(|| sums(terms.iter().copied(), usize::MAX))?;
    Some(sums.into_iter().sorted_unstable().dedup().collect())
}

/// A set of sums, a bit for each multiple of the common divisor.
struct SumSet {
    step: u64,
    words: Vec<u64>,
}

impl SumSet {
    /// The sums of the terms; `None` if they reach beyond `most` steps.
    fn of(terms: &[StridedTerm], most: u64) -> Option<SumSet> {
        let step = terms.iter().fold(0, |step, (_, stride)| stride.gcd(&step)).max(1);
        let reach = terms.iter().map(|(size, stride)| (size - 1) * (stride / step)).sum::<u64>();
        let length = usize::try_from(reach).ok().filter(|_| reach < most)? + 1;
        let mut bits = SumSet { step, words: vec![0; length.div_ceil(64)] };
        bits.words[0] = 1;
        for (size, stride) in terms {
            bits.repeat(*size, stride / step);
        }
        Some(bits)
    }

    /// Adds `digit x stride` to every coordinate, for every digit below `size`, by doubling.
    fn repeat(&mut self, size: u64, stride: u64) {
        let mut copies = 1;
        while copies < size {
            let more = copies.min(size - copies);
            self.shift_in(more * stride);
            copies += more;
        }
    }

    /// Adds every coordinate that is `by` steps above one in the set.
    fn shift_in(&mut self, by: u64) {
        let words = to_index(by / 64);
        work::count(self.words.len().saturating_sub(words));
        let bits = by % 64;
        // From the top down, so that every word is read before it is written.
        for at in (words..self.words.len()).rev() {
            let low = self.words[at - words] << bits;
            let carried =
                (bits > 0 && at > words).then(|| self.words[at - words - 1] >> (64 - bits));
            self.words[at] |= low | carried.unwrap_or(0);
        }
    }

    fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    fn list(&self) -> Vec<u64> {
        let taken = |(at, word): (u64, &u64)| {
            let (word, step) = (*word, self.step);
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| (at * 64 + bit) * step)
        };
        (0..).zip(&self.words).flat_map(taken).collect()
    }
}

/// Merges the even runs of terms that ascend by stride; `None` if terms overlap otherwise.
fn merge_runs(terms: impl Iterator<Item = StridedTerm>) -> Option<Vec<StridedTerm>> {
    let mut merged: Vec<StridedTerm> = Vec::new();
    // The greatest sums: of all terms so far, and of those below the last merged one.
    let (mut reach, mut below) = (0, 0);
    for (size, stride) in terms {
        match merged.last_mut() {
            // A run of `n` continues with steps of at most `n` of its own.
            Some((n, step))
                if stride.is_multiple_of(*step) && stride / *step <= *n && below < *step =>
            {
                *n += (size - 1) * (stride / *step);
            }
            _ if stride > reach => {
                below = reach;
                merged.push((size, stride));
            }
            _ => return None,
        }
        reach += (size - 1) * stride;
    }
    Some(merged)
}

/// The nested terms, strides ascending, whose sums are exactly the ascending set, if there are any.
pub(crate) fn nested_sums(set: &[u64]) -> Option<Vec<StridedTerm>> {
    let (mut terms, mut filled) = (Vec::new(), 1);
    while filled < set.len() {
        let (block, stride) = (&set[..filled], set[filled]);
        let repeats = |at: u64, part: &[u64]| {
            let goes_on = |(a, b): (&u64, &u64)| {
                at.checked_mul(stride).and_then(|step| b.checked_add(step)) == Some(*a)
            };
            part.len() == filled && part.iter().zip(block).all(goes_on)
        };
        let parts = (0..).zip(set.chunks(filled));
        let size = parts.take_while(|(at, part)| repeats(*at, part)).count();
        if size < 2 {
            return None;
        }
        terms.push((u64::try_from(size).ok()?, stride));
        filled *= size;
    }
    (filled == set.len()).then_some(terms)
}

/// Returns the smallest coordinate that only one of two nested sets has.
///
/// The sets agree up to the first term that differs. If its strides differ, only one set has the smaller
/// stride; if its sizes differ, the longer run has a next step, unless the next stride of the set with the
/// shorter run is smaller.
fn nested_difference(a: &[StridedTerm], b: &[StridedTerm]) -> Option<u64> {
    let at = a
        .iter()
        .zip_longest(b)
        .position(|pair| !matches!(pair, EitherOrBoth::Both(x, y) if x == y))?;
    match (a.get(at), b.get(at)) {
        (Some((n, stride)), Some((m, other))) if stride == other => {
            let shorter = if n < m { a } else { b };
            let end = n.min(m) * stride;
            Some(shorter.get(at + 1).map_or(end, |(_, next)| end.min(*next)))
        }
        (x, y) => x.into_iter().chain(y).map(|(_, stride)| *stride).min(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_terms_are_read_off_a_set_whatever_its_multiples() {
        assert_eq!(nested_sums(&[0, 2, 40, 42, 80, 82]), Some(vec![(2, 2), (3, 40)]));
        assert_eq!(nested_sums(&[0, 1, 3]), None);
        let far = 1 << 63;
        assert_eq!(nested_sums(&[0, far, far + 1, far + 2]), None);
    }

    #[test]
    fn sets_that_do_not_nest_are_listed_however_many_digits_write_them() {
        let sum = |n: u64, m: u64| Coordinates::of([(n, 2), (m, 3)].into_iter());
        assert_eq!(sum(300, 300), sum(297, 302));
        assert!(matches!(sum(300, 300), Coordinates::Listed(list) if list.len() == 1494));
    }

    #[test]
    fn counting_sums_takes_a_word_for_64_of_them_and_digit() {
        // 40 digits that reach 64 million: their sums span a million words.
        let terms: Vec<StridedTerm> = (0..40).map(|k| (2, 1_600_000 + 7 * k * k)).collect();
        let reach: u64 = terms.iter().map(|(_, stride)| stride).sum();
        let (count, steps) = work::of(|| count_sums(terms));
        assert_eq!(count, Ok(381_545));
        assert!(steps <= 40 * (reach / 64 + 1), "{steps}");
    }

    #[test]
    fn the_bits_of_a_set_are_its_sums() {
        let terms = [(3, 5), (7, 64), (2, 129), (40, 1)];
        let listed = SumSet::of(&terms, 1 << 20).unwrap().list();
        let all = sums(terms.into_iter(), usize::MAX);
        assert_eq!(listed, all.into_iter().sorted().dedup().collect_vec());
    }
}
