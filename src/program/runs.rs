//! Runs of neighbouring elements, in the form that DMA descriptors need.

use std::ops::Range;

use super::compiled::Program;
use super::flips::Variants;
use super::weighted_sum::{Inner, Outer, Trailing, VectorRow, WeightedSum};
use crate::algebra::strided::{each, merged};
use crate::algebra::work;
use crate::level::Level;
use crate::number::to_u64;

/// Consecutive elements of the tensor that are evenly spaced in the memory of one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The row-major number of the first element.
    pub element: u64,
    /// The number of elements.
    pub length: u64,
    /// The packed number of the place of the first element; [`Program::location`] decodes it.
    pub place: u64,
    /// The distance between successive elements, in packed numbers; 1 for a single element.
    pub step: u64,
}

impl Run {
    /// The longest prefix of `left` evenly spaced elements that stays in the unit of the first element.
    fn within(element: u64, place: u64, (left, step): (u64, u64), unit: u64) -> Run {
        let inside = match step {
            0 => 1,
            step => (unit - 1 - place % unit) / step + 1,
        };
        let length = left.min(inside);
        Run { element, length, place, step: if length == 1 { 1 } else { step } }
    }

    /// Extends this run by the next one, if that continues with the same step.
    fn takes(&mut self, next: &Run, unit: u64) -> bool {
        let last = self.place + (self.length - 1) * self.step;
        let gap = next.place.checked_sub(last).filter(|gap| *gap > 0);
        let Some(gap) = gap.filter(|_| last / unit == next.place / unit) else { return false };
        let steps = |run: &Run| run.length == 1 || run.step == gap;
        let takes = steps(self) && steps(next);
        if takes {
            (self.length, self.step) = (self.length + next.length, gap);
        }
        takes
    }

    /// The part of this run from element `from` up to `to`, counted from the start of the tensor; it must not
    /// be empty.
    fn cut(&self, from: u64, to: u64) -> Run {
        let first = self.element.max(from);
        let length = (self.element + self.length).min(to) - first;
        let place = self.place + (first - self.element) * self.step;
        let step = if length == 1 { 1 } else { self.step };
        Run { element: first, length, place, step }
    }
}

impl Program {
    /// Iterates over the maximal runs of the first copy, in the order of the elements.
    ///
    /// Law: the runs are disjoint and hold every element once, in its place; none can be joined
    /// with the next.
    /// Cost: constant per run, except for joining runs that meet where vectors end; where axes are fused,
    /// about that of an inverse table for every 2^16 elements.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Placement;
    /// use tensor_layout::program::Run;
    /// let placement = Placement::of("((2_PE, 2:3), (3:1))".parse()?).build()?;
    /// let runs: Vec<Run> = placement.program()?.runs().collect();
    /// assert_eq!(runs, [
    ///     Run { element: 0, length: 6, place: 0, step: 1 },
    ///     Run { element: 6, length: 6, place: 6, step: 1 }, // PE 1
    /// ]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn runs(&self) -> impl Iterator<Item = Run> + '_ {
        let packed = &self.compiled.packed;
        let unit = self.unit();
        let rows = if packed.fused || self.elements() == 0 {
            BoxRows::Boxes(Boxed::new(self))
        } else if let Some(long) = Long::new(packed, &self.shape) {
            BoxRows::Long(long)
        } else {
            BoxRows::VectorRuns(VectorRuns::new(packed, &self.shape, unit))
        };
        Runs { unit, rows, last: None }
    }

    /// Numbers per unit: those with the same quotient share the memory of one unit.
    fn unit(&self) -> u64 {
        let inside = |level: &Level| level.is_in_unit();
        self.columns().filter(|(level, _)| inside(level)).map(|(_, size)| size).product()
    }
}

/// Maximal runs.
struct Runs<'a> {
    unit: u64,
    rows: BoxRows<'a>,
    last: Option<Run>,
}

enum BoxRows<'a> {
    VectorRuns(VectorRuns<'a>),
    Long(Long<'a>),
    Boxes(Boxed<'a>),
}

/// Runs of a vector, for every base that is added to it.
struct VectorRuns<'a> {
    outer: Outer<'a>,
    inner: Inner,
    unit: u64,
    /// The runs of the vector, by the bits that a row flips.
    local: Variants<Vec<Run>>,
    /// The current row.
    row: VectorRow,
    /// The next local run of it.
    next: usize,
    /// The number of its first element.
    element: u64,
}

impl<'a> VectorRuns<'a> {
    fn new(form: &'a WeightedSum, shape: &[Range<u64>], unit: u64) -> VectorRuns<'a> {
        let inner = Inner::new(form, shape);
        let outer = Outer::new(form, shape, &inner);
        let row = VectorRow { base: 0, flips: 0, part: 0..0 };
        VectorRuns { outer, inner, unit, local: Variants::default(), row, next: 0, element: 0 }
    }

    /// The next run within a row, not joined yet.
    fn next(&mut self) -> Option<Run> {
        loop {
            let VectorRow { base, flips, part } = &self.row;
            let (start, end) = (to_u64(part.start), to_u64(part.end));
            let local =
                self.local.of(*flips, || local_runs(&self.inner.flipped(*flips), self.unit));
            while let Some(run) = local.get(self.next).filter(|run| run.element < end) {
                self.next += 1;
                if run.element + run.length > start {
                    // The first and last rows of an axis may begin and end within a run.
                    let run = run.cut(start, end);
                    let element = self.element + (run.element - start);
                    return Some(Run { element, place: base + run.place, ..run });
                }
            }
            self.element += end - start;
            (self.next, self.row) = (0, self.outer.next()?);
        }
    }
}

/// The maximal runs of a vector.
fn local_runs(vector: &[u64], unit: u64) -> Vec<Run> {
    let mut local: Vec<Run> = Vec::new();
    for (element, place) in (0..).zip(vector) {
        let single = Run { element, length: 1, place: *place, step: 1 };
        if !local.last_mut().is_some_and(|run| run.takes(&single, unit)) {
            local.push(single);
        }
    }
    local
}

/// Runs of fused axes: those of the boxes of one window after the other.
struct Boxed<'a> {
    windows: Box<dyn Iterator<Item = Program> + 'a>,
    /// The remaining runs of the current window.
    runs: std::vec::IntoIter<Run>,
    /// The elements of all windows so far.
    elements: u64,
}

impl<'a> Boxed<'a> {
    fn new(program: &'a Program) -> Boxed<'a> {
        let windows = Box::new(program.windows(1 << 16));
        Boxed { windows, runs: Vec::new().into_iter(), elements: 0 }
    }

    /// The next piece, all of which is in one unit.
    fn next(&mut self, unit: u64) -> Option<Run> {
        loop {
            if let Some(run) = self.runs.next() {
                return Some(run);
            }
            let window = self.windows.next()?;
            let mut runs = window.runs_of_boxes(self.elements, unit);
            runs.sort_unstable_by_key(|run| run.element);
            (self.runs, self.elements) = (runs.into_iter(), self.elements + window.elements());
        }
    }
}

impl Program {
    /// All elements of the window, in pieces that each stay in one unit and in no particular order; `first`
    /// is the number of the first element.
    fn runs_of_boxes(&self, first: u64, unit: u64) -> Vec<Run> {
        let mut runs = Vec::new();
        self.compiled.packed.boxes().visit(&self.window_ranges(), &mut |grid| {
            let mut steps = merged(grid.steps.iter().map(|digit| digit.flipped()));
            let even = steps.first().copied().filter(|run| run.stride == 1 && run.weight > 0);
            let (length, step) = even.map_or((1, 1), |run| (run.size, run.weight));
            steps.drain(..usize::from(even.is_some()));
            each(&steps, (grid.place, first + grid.element), &mut |place, element| {
                let mut done = 0;
                while done < length {
                    let left = (length - done, step);
                    runs.push(Run::within(element + done, place + done * step, left, unit));
                    done += runs.last().map_or(1, |run| run.length);
                }
            });
        });
        runs
    }
}

/// Runs longer than vectors: those of the trailing axes, which count as one, for every index of
/// the others.
struct Long<'a> {
    trailing: Trailing,
    outer: Outer<'a>,
    /// The base of the current outer index, and the next value of the trailing axes.
    base: u64,
    at: u64,
    element: u64,
}

impl<'a> Long<'a> {
    /// `None` if runs are short.
    fn new(form: &'a WeightedSum, shape: &[Range<u64>]) -> Option<Long<'a>> {
        let trailing = Trailing::new(form, shape).filter(Trailing::is_long)?;
        let mut outer = trailing.outer(form, shape);
        let base = outer.next()?.base;
        let at = trailing.range.start;
        Some(Long { trailing, outer, base, at, element: 0 })
    }

    /// The next piece, within which no digit wraps and the unit does not change.
    fn next(&mut self, unit: u64) -> Option<Run> {
        if self.at == self.trailing.range.end {
            self.base = self.outer.next()?.base;
            self.at = self.trailing.range.start;
        }
        let (place, step, left) = self.trailing.run(self.at);
        let place = self.base + place;
        let run = Run::within(self.element, place, (left, step), unit);
        self.at += run.length;
        self.element += run.length;
        Some(run)
    }
}

impl Runs<'_> {
    /// The next run, not joined yet.
    fn piece(&mut self) -> Option<Run> {
        work::count(1);
        match &mut self.rows {
            BoxRows::VectorRuns(vectors) => vectors.next(),
            BoxRows::Long(long) => long.next(self.unit),
            BoxRows::Boxes(boxes) => boxes.next(self.unit),
        }
    }
}

impl Iterator for Runs<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        while let Some(piece) = self.piece() {
            if !self.last.as_mut().is_some_and(|run| run.takes(&piece, self.unit)) {
                let done = self.last.replace(piece);
                if done.is_some() {
                    return done;
                }
            }
        }
        self.last.take()
    }
}

#[cfg(test)]
mod tests {
    use super::work;
    use crate::{LayoutText, Placement};

    #[test]
    fn the_first_run_takes_few_steps_however_long_it_is() {
        for (text, length, most) in [
            ("18446744073709551615:1", u64::MAX, 3),
            ("18446744073709551615:0", 1, 3),
            ("f32[3,1099511627776]{1,0:T(*,128)}", 3 << 40, 3),
            ("((2_PE, 1152921504606846976:1))", 1 << 60, 3),
            ("((1152921504606846976:1, 3_PE))", 1, 3),
        ] {
            let layout = LayoutText::parse(text).unwrap().lower().unwrap();
            let program = Placement::of(layout).shared_places().build().unwrap().program().unwrap();
            let (first, steps) = work::of(|| program.runs().next());
            assert_eq!(first.unwrap().length, length, "{text}");
            assert!(steps <= most, "{text}: {steps} steps");
        }
    }
}
