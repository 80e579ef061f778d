//! The map from the values of axes, as the landing digits give them, to the index of the tensor.

use crate::error::LayoutError;
use std::sync::Arc;

use crate::algebra::decode::Feeders;
use crate::algebra::strided::StridedDigit;
use crate::algebra::{Decoder, DerivedAxis, Layout};
use crate::number::to_index;

/// Reads the index of every row of a block.
#[derive(Clone, Debug)]
pub(super) struct IndexReader<'a> {
    layout: &'a Layout,
    /// The number of coordinates that a row begins with, and the length of a row.
    columns: usize,
    width: usize,
    how: How<'a>,
    /// The tensor axes whose extent their digits can exceed: (number, extent).
    open: Vec<(usize, u64)>,
    /// The values that derived axes add to the index: (axis, value).
    added: Vec<(usize, u64)>,
}

/// Rows in which one digit counts and all others stay: a digit by rows and by the values of an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowRun {
    /// Its stride is in rows, its weight in the value of its axis.
    pub(super) digit: StridedDigit,
    /// The axis, by its number among all.
    pub(super) axis: Option<usize>,
}

/// The first rows of a run, as far as their indexes are even steps.
struct RowPrefix {
    rows: usize,
    /// The number of them that are real, from the first on.
    real: usize,
    /// The axis whose entry changes from row to row, and the number that is added to it.
    steps: Option<(usize, u64)>,
}

impl RowRun {
    /// Every row on its own.
    pub(super) const ALONE: RowRun =
        RowRun { digit: StridedDigit { size: 1, weight: 0, stride: 1 }, axis: None };

    /// The number of rows that it spans, those in between included.
    pub(super) fn length(&self) -> u64 {
        self.digit.size.saturating_mul(self.digit.stride)
    }
}

#[derive(Clone, Debug)]
enum How<'a> {
    /// The values are the index.
    Direct,
    /// Through derived axes, digit by digit.
    Fed(Feeders),
    /// By search, if different digits may feed a derived axis the same value.
    Search(Arc<Decoder<'a>>),
}

impl<'a> IndexReader<'a> {
    pub(super) fn new(layout: &'a Layout, columns: usize) -> IndexReader<'a> {
        let how = match layout.derived_axes() {
            [] => How::Direct,
            _ => Feeders::new(layout)
                .map_or_else(|| How::Search(Arc::new(Decoder::new(layout))), How::Fed),
        };
        let axes = layout.axes().iter().enumerate();
        let open = axes.filter(|(_, axis)| axis.extent < axis.slots());
        let open = open.map(|(number, axis)| (number, axis.extent)).collect();
        let width = columns + layout.nodes().count();
        IndexReader { layout, columns, width, how, open, added: Vec::new() }
    }

    /// Returns whether indexes are found by search, which gives one for each slot.
    pub(super) fn searches(&self) -> bool {
        matches!(self.how, How::Search(_))
    }

    /// Completes the values after the columns of every row, and sets `real` for each row: whether it holds
    /// an element; `real` is empty if all do. The block begins with row `phase` of the length of a run.
    ///
    /// Only the first row of a run is read: derived axes add the same values in all of them, and
    /// they are real up to some row.
    pub(super) fn read(
        &mut self,
        mut numbers: &mut [u64],
        real: &mut Vec<bool>,
        (run, phase): (RowRun, u64),
    ) -> Result<(), LayoutError> {
        real.clear();
        if matches!(self.how, How::Direct) && self.open.is_empty() {
            return Ok(());
        }
        if let How::Search(decoder) = &self.how {
            for row in numbers.chunks_mut(self.width) {
                real.push(Self::search(decoder, &mut row[self.columns..])?);
            }
            return Ok(());
        }
        let mut rows = to_index(run.length() - phase);
        while !numbers.is_empty() {
            let most = rows.saturating_mul(self.width).min(numbers.len());
            let (now, rest) = numbers.split_at_mut(most);
            let from = real.len();
            real.resize(from + most / self.width, false);
            self.read_runs(now, &mut real[from..], run);
            numbers = rest;
            rows = to_index(run.length());
        }
        Ok(())
    }

    /// Reads runs whose rows are interleaved.
    fn read_runs(&mut self, rows: &mut [u64], real: &mut [bool], run: RowRun) {
        let (width, columns) = (self.width, self.columns);
        let (step, count) = (to_index(run.digit.stride), real.len());
        for first in 0..step.min(count) {
            let mut at = first;
            while at < count {
                let index = &mut rows[at * width..][columns..width];
                let piece = self.piece(index, run, (count - at).div_ceil(step));
                for (later, at) in (0..).zip((at..count).step_by(step).take(piece.real)) {
                    real[at] = true;
                    if later > 0 {
                        let index = &mut rows[at * width..][columns..width];
                        self.added.iter().for_each(|(axis, value)| index[*axis] += value);
                        piece.steps.iter().for_each(|(axis, add)| index[*axis] += later * add);
                    }
                }
                at += piece.rows * step;
            }
        }
    }

    /// Reads the first index of a run, and returns the number of rows whose indexes follow from it.
    fn piece(&mut self, values: &mut [u64], run: RowRun, left: usize) -> RowPrefix {
        let (inside, worth) = (self.resolve(values), run.digit.weight);
        let Some((node, DerivedAxis { axis, .. })) = self.derived(run) else {
            let run = run.axis.map(|axis| (axis, worth));
            let real = if inside { self.reached(values, run, left) } else { 0 };
            return RowPrefix { rows: left, real, steps: None };
        };
        if !inside {
            // Rows beyond the axis stay beyond it; any other padding may end with the next row.
            let beyond = values[node] >= axis.extent;
            return RowPrefix { rows: if beyond { left } else { 1 }, real: 0, steps: None };
        }
        let (steps, most) = match self.steps(node, values[node], worth) {
            Some((axis, add, rows)) => (Some((axis, add)), to_index(rows).clamp(1, left)),
            None => (None, 1),
        };
        RowPrefix { rows: most, real: self.reached(values, steps, most), steps }
    }

    /// The change of the index while the value of a derived axis grows; see [`Feeders::run`].
    fn steps(&self, node: usize, value: u64, worth: u64) -> Option<(usize, u64, u64)> {
        match &self.how {
            How::Fed(feeders) => feeders.run(node, value, worth),
            How::Direct | How::Search(_) => None,
        }
    }

    /// The number of rows of a run that can follow from its first one.
    pub(super) fn rows_of(&self, run: RowRun) -> u64 {
        let StridedDigit { size, weight, .. } = run.digit;
        self.derived(run).map_or(size, |(node, derived)| {
            self.steps(node, derived.start, weight).map_or(1, |(_, _, rows)| rows.min(size))
        })
    }

    /// The derived axis that a run counts in, and its number among all axes.
    fn derived(&self, run: RowRun) -> Option<(usize, &'a DerivedAxis)> {
        let number = run.axis?.checked_sub(self.layout.rank())?;
        Some((run.axis?, &self.layout.derived_axes()[number]))
    }

    /// Adds the values of derived axes to an index; `false` for their padding.
    fn resolve(&mut self, values: &mut [u64]) -> bool {
        let How::Fed(feeders) = &self.how else { return true };
        let axes = 0..self.layout.rank();
        self.added.clear();
        self.added.extend(axes.clone().zip(values.iter().copied()));
        let inside = feeders.resolve(values);
        self.added.iter_mut().for_each(|(axis, value)| *value = values[*axis] - *value);
        self.added.retain(|(_, value)| *value > 0);
        inside
    }

    /// The number of rows of a run with this first index that are real.
    fn reached(&self, first: &[u64], run: Option<(usize, u64)>, rows: usize) -> usize {
        let mut reached = rows;
        for (axis, extent) in &self.open {
            let left = extent.saturating_sub(first[*axis]);
            let rows = match run.filter(|(of, worth)| of == axis && *worth > 0) {
                Some((_, worth)) => left.div_ceil(worth),
                None if left > 0 => u64::MAX,
                None => 0,
            };
            reached = reached.min(to_index(rows));
        }
        reached
    }

    fn search(decoder: &Decoder<'_>, values: &mut [u64]) -> Result<bool, LayoutError> {
        let index = decoder.index(values)?;
        if let Some(index) = &index {
            values.iter_mut().zip(index).for_each(|(value, entry)| *value = *entry);
        }
        Ok(index.is_some())
    }
}
