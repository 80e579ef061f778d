//! All slots in the order of their places, block by block.
//!
//! ```text
//! (10,7)/((3:7, 4_PE), (7:1))
//!
//! counter   column  adds    axis 0  axis 1     row = PE, Addr, i0, i1
//! 4_PE      PE        1       1       0
//! 3:7       Addr      7       4       0
//! 7:1       Addr      1       0       1
//! ```
//!
//! The digits of each column, largest stride first, count through its coordinates in order where
//! strides nest: they are counters, and the row is what all counters add. The rows of the last
//! counters are made once; a block of the table is those rows, moved. Where the strides of a column
//! do not nest, its coordinates are listed and sorted; where different digits give one coordinate,
//! the rows from that column on are sorted as a whole.

use std::ops::{ControlFlow, Range};

use itertools::Itertools;

use super::read::{Reader, Run, Width};
use crate::algebra::{Budget, Digit, Indexes, Layout, Sum, Term, nests, product};
use crate::error::LayoutError;
use crate::level::Level;
use crate::location::Location;
use crate::number::{to_index, to_u64};

/// How many rows are sorted at once where strides do not nest.
const MOST_SORTED: u64 = 1 << 24;

/// How many rows a block has at most, so that it stays in the first-level cache.
const BLOCK: u64 = 256;

/// How many rows may lie between those of a run.
const MOST_BETWEEN: u64 = 16;

/// Rows of numbers: the coordinates of the columns, then the values of all axes.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    numbers: Vec<u64>,
    /// Numbers per row, those of the place, and those of the index.
    width: usize,
    columns: usize,
    rank: usize,
    /// Whether each row holds an element; empty where all do.
    real: Vec<bool>,
    rows: usize,
}

/// The place and the index of a row; no index for padding.
pub(super) type RowAt<'a> = (&'a [u64], Option<&'a [u64]>);

impl Block {
    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// One of the rows.
    #[inline]
    pub(super) fn row(&self, at: usize) -> RowAt<'_> {
        let row = &self.numbers[at * self.width..(at + 1) * self.width];
        let (place, values) = row.split_at(self.columns);
        let real = self.real.get(at).copied().unwrap_or(true);
        (place, real.then(|| &values[..self.rank]))
    }

    /// Some rows, all numbers of each.
    #[cfg(feature = "arrow")]
    pub(super) fn rows(&self, rows: Range<usize>) -> std::slice::ChunksExact<'_, u64> {
        self.numbers[rows.start * self.width..rows.end * self.width].chunks_exact(self.width)
    }

    /// Which of some rows hold an element; `None` if all do.
    #[cfg(feature = "arrow")]
    pub(super) fn real(&self, rows: Range<usize>) -> Option<&[bool]> {
        self.real.get(rows)
    }

    fn number(&self, at: usize) -> &[u64] {
        &self.numbers[at * self.width..(at + 1) * self.width]
    }
}

/// A digit of a column, or all of them listed.
#[derive(Clone, Debug)]
struct Counter {
    column: usize,
    count: u64,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// What one step adds to the column, and to the value of an axis, by its number in the row.
    Even {
        stride: u64,
        axis: Option<usize>,
        worth: u64,
    },
    Listed(Listing),
}

/// All settings of some digits, in the order of the coordinates that they give.
#[derive(Clone, Debug)]
struct Listing {
    /// Each with the axis, by its number in the row, in which one step is worth something.
    digits: Vec<(Digit, Option<usize>)>,
    /// (coordinate, the digits as one number): sixteen bytes, as there may be 2^24 of them.
    settings: Vec<(u64, u64)>,
}

impl Listing {
    /// Without settings.
    fn of(digits: &[Digit], columns: usize) -> Listing {
        let axis = |digit: &Digit| digit.axis.map(|axis| columns + axis);
        let digits = digits.iter().map(|digit| (*digit, axis(digit))).collect();
        Listing { digits, settings: Vec::new() }
    }

    fn setting(&self, values: &[u64]) -> (u64, u64) {
        let digits = self.digits.iter().zip(values);
        digits.fold((0, 0), |(coordinate, number), ((digit, _), value)| {
            (coordinate + digit.step * value, number * digit.size + value)
        })
    }

    /// Adds a coordinate to a column, and what its digits are worth to the values of axes.
    fn add(&self, at: usize, column: usize, row: &mut [u64]) {
        let Some((coordinate, number)) = self.settings.get(at) else { return };
        row[column] += coordinate;
        let mut rest = *number;
        for (digit, axis) in self.digits.iter().rev() {
            if let Some(axis) = axis {
                row[*axis] += rest % digit.size * digit.place;
            }
            rest /= digit.size;
        }
    }
}

impl Counter {
    /// Adds what the counter adds at `choice`.
    fn add(&self, row: &mut [u64], choice: u64) {
        match &self.kind {
            Kind::Even { stride, axis, worth } => {
                row[self.column] += choice * stride;
                if let Some(axis) = axis {
                    row[*axis] += choice * worth;
                }
            }
            Kind::Listed(listing) => listing.add(to_index(choice), self.column, row),
        }
    }

    /// The run of this counter, if it steps evenly.
    fn run(&self, columns: usize, step: u64) -> Option<Run> {
        let Kind::Even { axis, worth, .. } = self.kind else { return None };
        let axis = axis.map(|axis| (axis - columns, worth));
        Some(Run { rows: self.count, step, axis })
    }

    /// Whether one coordinate is given by different digits, so that their rows interleave.
    fn repeats(&self) -> bool {
        let Kind::Listed(listing) = &self.kind else { return false };
        listing.settings.windows(2).any(|pair| pair[0].0 == pair[1].0)
    }
}

/// What the slots are made of.
struct Parts<'a> {
    layout: &'a Layout,
    columns: &'a [Level],
    padding: bool,
}

impl Parts<'_> {
    /// The counters of a column; `None` where no slot has the coordinate.
    fn counters(
        &self,
        column: usize,
        fixed: Option<u64>,
    ) -> Result<Option<Vec<Counter>>, LayoutError> {
        let level = self.columns[column];
        let all = self.layout.digits();
        // Without padding a digit stops at the greatest value that a real index gives it.
        let size = |digit: &Digit| if self.padding { digit.size } else { digit.top + 1 };
        let digits = all.in_level(level).map(|(_, digit)| Digit { size: size(digit), ..*digit });
        let digits: Vec<Digit> = digits
            .filter(|digit| digit.size > 1)
            .sorted_by_key(|digit| std::cmp::Reverse(digit.step))
            .collect();
        let listing = match fixed.map(|at| at.checked_sub(self.layout.offset(level))) {
            Some(None) => return Ok(None),
            Some(Some(target)) => self.solutions(&digits, target)?,
            None if nests(digits.iter().map(|d| (d.size - 1, d.step))) => {
                let even = |digit: &Digit| Counter {
                    column,
                    count: digit.size,
                    kind: Kind::Even {
                        stride: digit.step,
                        axis: digit.axis.map(|axis| self.columns.len() + axis),
                        worth: digit.place,
                    },
                };
                return Ok(Some(digits.iter().map(even).collect()));
            }
            None => self.listed(&digits)?,
        };
        let count = to_u64(listing.settings.len());
        let counter = Counter { column, count, kind: Kind::Listed(listing) };
        Ok((count > 0).then(|| vec![counter]))
    }

    fn listed(&self, digits: &[Digit]) -> Result<Listing, LayoutError> {
        let rows = product(digits.iter().map(|digit| digit.size)).unwrap_or(u64::MAX);
        check_rows(rows)?;
        let mut listing = Listing::of(digits, self.columns.len());
        let sizes = digits.iter().map(|digit| digit.size).collect();
        listing.settings = Indexes::new(sizes).map(|values| listing.setting(&values)).collect();
        listing.settings.sort_unstable();
        Ok(listing)
    }

    /// All ways to give one coordinate.
    fn solutions(&self, digits: &[Digit], target: u64) -> Result<Listing, LayoutError> {
        let term = |(digit, d): (usize, &Digit)| Term { digit, size: d.size, weight: d.step };
        let sum = Sum::new(digits.iter().enumerate().map(term).collect());
        let mut listing = Listing::of(digits, self.columns.len());
        let mut budget = Budget::new("which digits give a coordinate");
        let mut values = vec![0; digits.len()];
        let outcome = sum.solve(target, &mut values, &mut budget, &mut |values, _| {
            listing.settings.push(listing.setting(values));
            Ok(ControlFlow::<()>::Continue(()))
        });
        outcome.map(|_| listing)
    }
}

fn check_rows(rows: u64) -> Result<(), LayoutError> {
    let too_many = LayoutError::TooManyRows { rows, limit: MOST_SORTED };
    if rows > MOST_SORTED { Err(too_many) } else { Ok(()) }
}

/// Walks the slots; what is sorted together counts as one, by its first slot.
#[derive(Clone, Debug)]
pub(super) struct Slots<'a> {
    counters: Vec<Counter>,
    /// The row where all counters are 0.
    base: Vec<u64>,
    padding: bool,
    reader: Reader<'a>,
    run: Run,
    shape: Shape,
    /// The rows of the inner counters, row after row.
    template: Vec<u64>,
    /// The slots that are left.
    slots: Range<u64>,
    block: Block,
}

/// How the counters are cut into blocks.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// The counters outside; the last of them counts in blocks of `per_block`.
    outer: usize,
    per_block: u64,
    /// How many slots the counters inside have.
    inner: u64,
    /// Whether the counters inside are sorted as a whole.
    sorted: bool,
}

impl Shape {
    fn new(counters: &[Counter]) -> Shape {
        let slots = |from: usize| counters[from..].iter().map(|counter| counter.count).product();
        if let Some(outer) = counters.iter().position(Counter::repeats) {
            // All counters of that column: it has one.
            return Shape { outer, per_block: 1, inner: slots(outer), sorted: true };
        }
        let mut outer = counters.len();
        while outer > 0 && slots(outer - 1) <= BLOCK {
            outer -= 1;
        }
        let inner = slots(outer);
        let listed = |last: usize| matches!(counters[last].kind, Kind::Listed(_));
        let per_block = match outer.checked_sub(1) {
            None => 1,
            Some(last) if listed(last) && inner > 1 => 1,
            Some(_) => (BLOCK / inner).max(1),
        };
        Shape { outer, per_block, inner, sorted: false }
    }
}

impl<'a> Slots<'a> {
    /// The slots with some coordinates; `None` where there are none.
    pub(super) fn new(
        layout: &'a Layout,
        columns: &[Level],
        at: &Location,
        padding: bool,
    ) -> Result<Option<Slots<'a>>, LayoutError> {
        let parts = Parts { layout, columns, padding };
        let mut counters = Vec::new();
        for (column, level) in columns.iter().enumerate() {
            let Some(more) = parts.counters(column, at.get(*level))? else { return Ok(None) };
            counters.extend(more);
        }
        let mut base: Vec<u64> = columns.iter().map(|level| layout.offset(*level)).collect();
        base.resize(columns.len() + layout.nodes().count(), 0);
        let shape = Shape::new(&counters);
        let slots = 0..counters.iter().map(|counter| counter.count).product();
        let reader = Reader::new(layout);
        let (rank, width) = (layout.rank(), base.len());
        let block = Block { width, columns: columns.len(), rank, ..Block::default() };
        let run = longest_run(&counters, &reader, columns.len());
        let template = Vec::new();
        let mut slots =
            Slots { counters, base, padding, reader, run, shape, template, slots, block };
        slots.make_template();
        Ok(Some(slots))
    }

    /// Whether a slot can hold one element of several.
    pub(super) fn searches(&self) -> bool {
        self.reader.searches()
    }

    /// Keeps part `part` of `parts`.
    pub(super) fn keep_part(&mut self, part: u64, parts: u64) {
        let all = self.slots.end;
        let bound = |part: u64| {
            let bound = u128::from(all) * u128::from(part) / u128::from(parts);
            u64::try_from(bound).unwrap_or(all)
        };
        self.slots = bound(part)..bound(part + 1);
        if self.shape.sorted {
            // Groups whose first slot lies in the part.
            let first = |slot: u64| slot.div_ceil(self.shape.inner) * self.shape.inner;
            self.slots = first(self.slots.start)..first(self.slots.end);
        }
    }

    fn make_template(&mut self) {
        let Shape { outer, per_block, inner, sorted } = self.shape;
        if sorted {
            return;
        }
        let (cut, even) = (outer.saturating_sub(1), self.listed().is_none());
        let cut_count = self.counters.get(cut).map_or(1, |cut| cut.count.min(per_block));
        for slot in 0..cut_count * inner {
            let from = self.template.len();
            self.template.resize(from + self.base.len(), 0);
            let row = &mut self.template[from..];
            add_all(&self.counters[outer..], slot % inner, row);
            if per_block > 1 && even {
                self.counters[cut].add(row, slot / inner);
            }
        }
    }

    /// The last counter outside, if its coordinates are listed and nothing counts inside it.
    fn listed(&self) -> Option<&Counter> {
        let last = self.shape.outer.checked_sub(1).map(|last| &self.counters[last])?;
        let listed = matches!(last.kind, Kind::Listed(_)) && self.shape.inner == 1;
        listed.then_some(last)
    }

    /// The next block, in order; `None` after the last.
    pub(super) fn next_block(&mut self) -> Result<Option<&Block>, LayoutError> {
        while self.slots.start < self.slots.end {
            match self.shape.sorted {
                true => self.sort_group()?,
                false => self.move_template()?,
            }
            if self.block.rows > 0 {
                return Ok(Some(&self.block));
            }
        }
        Ok(None)
    }

    /// The block at hand.
    pub(super) fn block(&self) -> &Block {
        &self.block
    }

    /// Leaves no rows in the block at hand.
    pub(super) fn clear(&mut self) {
        self.block.rows = 0;
    }

    /// The row of the outer counters.
    fn outer_row(&self, slot: u64) -> Vec<u64> {
        let mut row = self.base.clone();
        add_all(&self.counters[..self.shape.outer], slot, &mut row);
        row
    }

    fn move_template(&mut self) -> Result<(), LayoutError> {
        let Shape { outer, per_block, inner, .. } = self.shape;
        let last = outer.checked_sub(1).map_or(1, |last| self.counters[last].count);
        // The choice of the last outer counter that the block begins with, and where in it.
        let choice = self.slots.start / inner;
        let first_choice = choice - choice % last % per_block;
        let skipped = self.slots.start - first_choice * inner;
        let choices = per_block.min(last - first_choice % last);
        let rows = (choices * inner - skipped).min(self.slots.end - self.slots.start);
        let width = self.base.len();
        let mut numbers = std::mem::take(&mut self.block.numbers);
        if let Some(listed) = self.listed() {
            let mut base = self.base.clone();
            add_all(&self.counters[..outer - 1], first_choice / last, &mut base);
            numbers.clear();
            for at in 0..rows {
                let from = numbers.len();
                numbers.extend_from_slice(&base);
                listed.add(&mut numbers[from..], first_choice % last + skipped + at);
            }
        } else {
            let base = self.outer_row(first_choice);
            let template =
                &self.template[to_index(skipped) * width..to_index(skipped + rows) * width];
            moved(template, &base, &mut numbers);
        }
        self.block.numbers = numbers;
        self.block.rows = to_index(rows);
        self.read(self.slots.start)?;
        self.slots.start += rows;
        Ok(())
    }

    /// Reads the indexes of the block, which begins with this slot, and drops padding that nobody
    /// asked for.
    fn read(&mut self, slot: u64) -> Result<(), LayoutError> {
        let Block { numbers, width, columns, real, rows, .. } = &mut self.block;
        let form = Width { row: *width, columns: *columns };
        self.reader.read(numbers, form, real, (self.run, slot % self.run.length()))?;
        if self.padding || real.is_empty() {
            return Ok(());
        }
        let (mut at, mut kept) = (0, 0);
        for same in real.chunk_by(|one, next| one == next) {
            if same[0] {
                numbers.copy_within(at * *width..(at + same.len()) * *width, kept * *width);
                kept += same.len();
            }
            at += same.len();
        }
        numbers.truncate(kept * *width);
        real.clear();
        *rows = kept;
        Ok(())
    }

    /// Sorts the rows of one setting of the outer counters: by place, elements before padding,
    /// by index.
    fn sort_group(&mut self) -> Result<(), LayoutError> {
        let Shape { outer, inner, .. } = self.shape;
        let base = self.outer_row(self.slots.start / inner);
        let width = self.base.len();
        let (mut numbers, mut real) = (Vec::new(), Vec::new());
        let mut slots = 0..inner;
        while slots.start < slots.end {
            let end = slots.end.min(slots.start + BLOCK);
            self.block.numbers.clear();
            for slot in slots.start..end {
                let from = self.block.numbers.len();
                self.block.numbers.extend_from_slice(&base);
                add_all(&self.counters[outer..], slot, &mut self.block.numbers[from..]);
            }
            self.block.rows = self.block.numbers.len() / width;
            self.read(slots.start)?;
            numbers.extend_from_slice(&self.block.numbers);
            let all = std::iter::repeat_n(true, self.block.rows);
            match self.block.real.is_empty() {
                true => real.extend(all),
                false => real.extend_from_slice(&self.block.real),
            }
            check_rows(to_u64(real.len()))?;
            slots.start = end;
        }
        self.slots.start += inner;
        self.block.numbers = numbers;
        self.block.rows = real.len();
        self.block.real = real;
        self.sort_block();
        Ok(())
    }

    fn sort_block(&mut self) {
        let block = &self.block;
        let key = |at: &usize| {
            let (place, index) = block.row(*at);
            (place, index.is_none(), index)
        };
        let mut order: Vec<usize> = (0..block.rows).collect();
        order.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
        let numbers = order.iter().flat_map(|at| block.number(*at)).copied().collect();
        let real = order.iter().map(|at| block.real[*at]).collect();
        (self.block.numbers, self.block.real) = (numbers, real);
    }
}

/// The longest run among those with few rows between: only its first row need be read.
fn longest_run(counters: &[Counter], reader: &Reader, columns: usize) -> Run {
    let (mut longest, mut step) = (Run::ALONE, 1);
    for counter in counters.iter().rev().take_while(|c| matches!(c.kind, Kind::Even { .. })) {
        let run = counter.run(columns, step).filter(|_| step <= MOST_BETWEEN);
        let run = run.filter(|run| reader.rows_of(*run) > reader.rows_of(longest));
        longest = run.unwrap_or(longest);
        step = step.saturating_mul(counter.count);
    }
    longest
}

/// Adds what counters add at their `slot`th setting, the last fastest.
fn add_all(counters: &[Counter], slot: u64, row: &mut [u64]) {
    let mut rest = slot;
    for counter in counters.iter().rev() {
        counter.add(row, rest % counter.count);
        rest /= counter.count;
    }
}

/// Every row of the template plus the base.
fn moved(template: &[u64], base: &[u64], rows: &mut Vec<u64>) {
    rows.resize(template.len(), 0);
    macro_rules! widths {
        ($($width:literal)*) => {
            match base.len() {
                $($width => moved_by::<$width>(template, base, rows),)*
                width => {
                    for (row, steps) in rows.chunks_mut(width).zip(template.chunks(width)) {
                        let cells = row.iter_mut().zip(steps).zip(base);
                        cells.for_each(|((cell, step), base)| *cell = step + base);
                    }
                }
            }
        };
    }
    widths!(1 2 3 4 5 6 7 8 9 10 11 12);
}

/// The same for a width that the compiler knows.
fn moved_by<const WIDTH: usize>(template: &[u64], base: &[u64], rows: &mut [u64]) {
    let Some(base) = base.first_chunk::<WIDTH>() else { return };
    let rows = rows.as_chunks_mut::<WIDTH>().0;
    for (row, steps) in rows.iter_mut().zip(template.as_chunks::<WIDTH>().0) {
        for ((cell, step), base) in row.iter_mut().zip(steps).zip(base) {
            *cell = step + base;
        }
    }
}
