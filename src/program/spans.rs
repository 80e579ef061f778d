//! The coordinates that a box of elements takes in a level.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use itertools::Itertools;

use super::boxes::{AxisRange, Boxes};
use crate::algebra::strided::StridedDigit;
use crate::algebra::{Layout, Subaxis};
use crate::level::Level;

/// The greatest number of indexes that are visited, of axes that feed derived axes.
const MOST_FED: u64 = 1 << 16;

/// The greatest number of boxes that are kept separate.
const MOST_RUNS: usize = 64;

/// The number of coordinates that are listed, where boxes do not follow one another as runs.
const MOST_LISTED: u64 = 1 << 10;

/// The coordinates that a block takes in a level.
///
/// ```
/// use tensor_layout::program::CoordinateSpans;
/// use tensor_layout::{Level, Placement};
/// let placement = Placement::of("((4_PE, 64:64), (64:1))".parse()?).build()?;
/// let spans = CoordinateSpans::new(placement.layout(), placement.columns());
/// let block = spans.of(&[64..128, 0..4]);
/// let of = |level| block.iter().find(|(of, _)| *of == level).unwrap().1.to_string();
/// assert_eq!((of(Level::PE), of(Level::ADDR)), ("1".into(), "0..4035 with gaps".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct CoordinateSpan {
    /// The smallest, or a lower bound.
    pub first: u64,
    /// The greatest, or an upper bound.
    pub last: u64,
    /// The distance between successive coordinates, if it is constant; 0 for a single one.
    pub step: Option<u64>,
    /// True if `first` and `last` are coordinates of the block, and a `step` of `None` means that there are
    /// gaps. Otherwise they are only bounds: if digits of several axes feed one another in a large block, or
    /// if more than 64 boxes, or 2^10 coordinates, would have to be visited one by one.
    pub is_exact: bool,
}

impl CoordinateSpan {
    /// Coordinates that follow each other.
    pub fn run(range: &Range<u64>) -> CoordinateSpan {
        let (first, last) = (range.start, range.end.max(range.start + 1) - 1);
        CoordinateSpan { first, last, step: Some(u64::from(first < last)), is_exact: true }
    }

    /// A single coordinate.
    pub fn at(at: u64) -> CoordinateSpan {
        CoordinateSpan { first: at, last: at, step: Some(0), is_exact: true }
    }

    /// Returns whether a coordinate is one of them; for bounds or with gaps, whether it is between `first`
    /// and `last`.
    #[must_use]
    pub fn contains(&self, at: u64) -> bool {
        let step = self.step.unwrap_or(1).max(1);
        (self.first..=self.last).contains(&at) && (at - self.first).is_multiple_of(step)
    }

    /// The coordinate, if there is only one.
    #[must_use]
    pub fn only(&self) -> Option<u64> {
        (self.first == self.last).then_some(self.first)
    }
}

impl fmt::Display for CoordinateSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CoordinateSpan { first, last, step, is_exact } = self;
        match step {
            _ if first == last => write!(f, "{first}"),
            Some(1) => write!(f, "{first}..{last}"),
            Some(step) if first + step == *last => write!(f, "{first},{last}"),
            Some(step) => write!(f, "{first},{}..{last}", first + step),
            None if *is_exact => write!(f, "{first}..{last} with gaps"),
            None => write!(f, "within {first}..{last}"),
        }
    }
}

/// Coordinates evenly apart.
#[derive(Clone, Copy, Debug)]
struct EvenCoordinates {
    first: u64,
    last: u64,
    step: u64,
}

impl EvenCoordinates {
    /// The sums of digits, if they are evenly spaced: in ascending order, each step is a multiple of the
    /// smallest one, and at most that much greater than the sum that the smaller digits reach.
    fn of(first: u64, steps: &[StridedDigit]) -> Option<EvenCoordinates> {
        let mut steps: Vec<(u64, u64)> =
            steps.iter().map(|s| (s.stride, s.size)).filter(|s| s.0 > 0 && s.1 > 1).collect();
        steps.sort_unstable();
        let step = steps.first().map_or(0, |(place, _)| *place);
        let mut reach = 0;
        for (place, count) in steps {
            if place % step != 0 || place > reach + step {
                return None;
            }
            reach += (count - 1) * place;
        }
        Some(EvenCoordinates { first, last: first + reach, step })
    }

    /// Both as one run, if the other begins in this one or continues it.
    fn join(self, next: EvenCoordinates) -> Option<EvenCoordinates> {
        let gap = next.first - self.first;
        let step = match (self.step, next.step) {
            (0, 0) => gap,
            (0, step) | (step, 0) => step,
            (a, b) if a == b => a,
            _ => return None,
        };
        let goes_on = gap.checked_rem(step).unwrap_or(gap) == 0 && next.first <= self.last + step;
        let last = self.last.max(next.last);
        goes_on.then_some(EvenCoordinates { first: self.first, last, step })
    }
}

/// The coordinates that the boxes of a range take.
#[derive(Default)]
struct TakenBoxes {
    ends: Option<(u64, u64)>,
    boxes: Vec<(u64, Vec<StridedDigit>)>,
    has_more: bool,
}

impl TakenBoxes {
    fn add(&mut self, first: u64, steps: &[StridedDigit]) {
        let last = first + steps.iter().map(|s| (s.size - 1) * s.stride).sum::<u64>();
        let (low, high) = self.ends.unwrap_or((first, last));
        self.ends = Some((low.min(first), high.max(last)));
        match self.boxes.len() < MOST_RUNS {
            true => self.boxes.push((first, steps.to_vec())),
            false => self.has_more = true,
        }
    }

    fn span(self) -> Option<CoordinateSpan> {
        let (first, last) = self.ends?;
        let (step, is_exact) = match self.run() {
            _ if first == last => (Some(0), true),
            Some(run) => (Some(run.step), true),
            // The sums of one box that are not even have a gap.
            None if self.boxes.len() == 1 || self.most() <= last - first => (None, true),
            None => self.listed(first, last).map_or((None, false), |step| (step, true)),
        };
        Some(CoordinateSpan { first, last, step, is_exact })
    }

    /// An upper bound on the number of coordinates taken.
    fn most(&self) -> u64 {
        let sums = |steps: &[StridedDigit]| {
            let moving = steps.iter().filter(|step| step.stride > 0);
            moving.fold(1_u64, |all, step| all.saturating_mul(step.size))
        };
        let all = self.boxes.iter().map(|(_, steps)| sums(steps));
        if self.has_more { u64::MAX } else { all.fold(0, u64::saturating_add) }
    }

    /// All boxes as one run.
    fn run(&self) -> Option<EvenCoordinates> {
        let runs = self.boxes.iter().map(|(first, steps)| EvenCoordinates::of(*first, steps));
        let mut runs = runs.collect::<Option<Vec<EvenCoordinates>>>().filter(|_| !self.has_more)?;
        runs.sort_unstable_by_key(|run| (run.first, run.last));
        let mut runs = runs.into_iter();
        let first = runs.next()?;
        runs.try_fold(first, EvenCoordinates::join)
    }

    /// The step of all coordinates, found by listing them: `None` if there are too many, `Some(None)` if they
    /// are not evenly spaced.
    fn listed(&self, first: u64, last: u64) -> Option<Option<u64>> {
        if self.has_more || last - first >= MOST_LISTED {
            return None;
        }
        let mut taken = BTreeSet::new();
        for (start, steps) in &self.boxes {
            let mut sums = BTreeSet::from([*start]);
            for StridedDigit { size, stride, .. } in steps.iter().filter(|step| step.stride > 0) {
                let added =
                    |sum: &u64| (0..*size).map(|at| sum + at * stride).collect::<Vec<u64>>();
                sums = sums.iter().flat_map(added).collect();
            }
            taken.extend(sums);
        }
        let mut steps = taken.iter().tuple_windows().map(|(a, b)| b - a);
        Some(steps.all_equal_value().ok())
    }
}

/// The coordinates that boxes of elements of a layout take, level by level.
#[derive(Debug)]
pub struct CoordinateSpans<'a> {
    layout: &'a Layout,
    /// The levels, with boxes if a digit of several values lands there; without, all elements have one coordinate.
    levels: Vec<(Level, Option<Boxes<'a>>)>,
}

impl<'a> CoordinateSpans<'a> {
    /// Prepares the boxes of each level.
    pub fn new(layout: &'a Layout, levels: &[Level]) -> CoordinateSpans<'a> {
        // A digit of size 1 is always 0; of the others there are at most as many as a place has bits.
        let digits = layout.nodes().flat_map(|axis| &axis.subaxes).filter(|digit| digit.size > 1);
        let moved: BTreeSet<Level> = digits.filter_map(Subaxis::lands).collect();
        let boxes = |level: Level| {
            let stride = move |of, stride| if of == level { stride } else { 0 };
            Boxes::new(layout, layout.offset(level), stride)
        };
        let boxes = |level: &Level| (*level, moved.contains(level).then(|| boxes(*level)));
        CoordinateSpans { layout, levels: levels.iter().map(boxes).collect() }
    }

    /// The coordinates that the elements of a box take in every level, first copies only; empty without
    /// elements.
    ///
    /// Cost: O(digits) per level; where axes feed derived ones, up to 2^16 of their indexes.
    pub fn of(&self, indexes: &[Range<u64>]) -> Vec<(Level, CoordinateSpan)> {
        let axes = self.layout.axes();
        let inside = |range: &Range<u64>, extent| range.start..range.end.min(extent);
        let ranges = indexes.iter().zip(axes);
        let ranges: Vec<AxisRange> =
            ranges.map(|(range, axis)| AxisRange::new(inside(range, axis.extent), 0)).collect();
        if ranges.iter().any(|range| range.count == 0) {
            return Vec::new();
        }
        let feeds = axes.iter().map(|axis| axis.subaxes.iter().any(|s| s.feeds().is_some()));
        let fed = ranges.iter().zip(feeds).filter(|(_, feeds)| *feeds);
        let fed = fed.fold(1_u64, |all, (range, _)| all.saturating_mul(range.count));
        let span = |(level, boxes): &(Level, Option<Boxes<'_>>)| {
            let span = match boxes {
                None => Some(CoordinateSpan::at(self.layout.offset(*level))),
                Some(_) if fed > MOST_FED => None,
                Some(boxes) => {
                    let mut taken = TakenBoxes::default();
                    boxes.visit(&ranges, &mut |grid| taken.add(grid.place, &grid.steps));
                    taken.span()
                }
            };
            (*level, span.unwrap_or_else(|| self.bounds(*level)))
        };
        self.levels.iter().map(span).collect()
    }

    /// The bounds of the coordinates that the layout takes in a level.
    fn bounds(&self, level: Level) -> CoordinateSpan {
        let (first, last) = (self.layout.offset(level), self.layout.extent(level) - 1);
        let is_exact = first == last;
        CoordinateSpan { first, last, step: is_exact.then_some(0), is_exact }
    }
}
