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
//! strides nest: they are counters, and the row is the sum of all counters. The rows of the last
//! counters are made once; a block of the table is those rows, moved. Where the strides of a column
//! do not nest, its coordinates are listed and sorted; where different digits give one coordinate,
//! the rows from that column on are sorted as a whole. [`Walk`] names the three ways.

use std::ops::{ControlFlow, Range};

use itertools::Itertools;

use super::Row;
use super::read::{IndexReader, RowRun};
use crate::algebra::strided::StridedDigit;
use crate::algebra::{Budget, Digit, Indexes, Layout, Sum, Term, digits, nests, product};
use crate::error::{LayoutError, fault};
use crate::level::Level;
use crate::location::Location;
use crate::number::{seam, to_index, to_u64};

/// The number of rows that are sorted at once where strides do not nest.
const MOST_SORTED: u64 = 1 << 24;

/// The number of rows a block has at most, so that it stays in the first-level cache.
fn block() -> u64 {
    seam(256, 4)
}

/// The greatest stride of a run, in rows.
fn most_between() -> u64 {
    seam(16, 2)
}

/// Some rows of a table, one after the other.
///
/// Each is the coordinates of the columns, then the values of all axes.
#[derive(Clone, Debug, Default)]
pub struct Block {
    numbers: Vec<u64>,
    /// Numbers per row, those of the place, and those of the index.
    width: usize,
    columns: usize,
    rank: usize,
    /// True for each row that holds an element; empty if all do.
    real: Vec<bool>,
    rows: usize,
}

impl Block {
    /// The rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        (0..self.rows).map(|at| self.row(at))
    }

    /// One of the rows.
    #[inline]
    pub(super) fn row(&self, at: usize) -> Row<'_> {
        let (place, values) = self.number(at).split_at(self.columns);
        let real = self.real.get(at).copied().unwrap_or(true);
        Row { place, index: real.then(|| &values[..self.rank]) }
    }

    /// The numbers of some rows in one column, a level or an axis behind all levels; none where the block ends before.
    ///
    /// Where a row holds no element, its numbers of axes mean nothing.
    pub fn column(&self, at: usize, rows: Range<usize>) -> impl Iterator<Item = u64> + '_ {
        let numbers = self.numbers.get(rows.start * self.width..rows.end * self.width);
        let numbers = numbers.filter(|_| at < self.columns + self.rank).unwrap_or_default();
        numbers.chunks_exact(self.width.max(1)).map(move |row| row[at])
    }

    /// True for each of these rows that holds an element; `None` if all rows of the block do.
    #[must_use]
    pub fn real(&self, rows: Range<usize>) -> Option<&[bool]> {
        self.real.get(rows)
    }

    #[inline]
    fn number(&self, at: usize) -> &[u64] {
        &self.numbers[at * self.width..(at + 1) * self.width]
    }
}

/// A digit, by its stride in a coordinate, and the number in the row of the axis that it adds its weight
/// to; none for copies.
type OfAxis = (StridedDigit, Option<usize>);

/// A digit of a column, or all of its digits, listed.
#[derive(Clone, Debug)]
struct Wheel {
    column: usize,
    count: u64,
    digits: Vec<OfAxis>,
    /// The coordinates in order: (coordinate, the digits as one number), sixteen bytes each, as there
    /// may be 2^24 of them. `None` for one digit, which counts evenly.
    listing: Option<Vec<(u64, u64)>>,
}

impl Wheel {
    /// Adds the counter at `choice`: to the column its coordinate, to the values of the axes the weighted
    /// digits.
    fn add(&self, row: &mut [u64], choice: u64) {
        let even = || self.digits.first().map(|(digit, _)| (choice * digit.stride, choice));
        let listed = self.listing.as_ref().map(|all| all.get(to_index(choice)).copied());
        let Some((coordinate, number)) = listed.unwrap_or_else(even) else { return };
        row[self.column] += coordinate;
        let values = digits(number, self.digits.iter().rev().map(|(digit, _)| digit.size));
        for ((digit, axis), value) in self.digits.iter().rev().zip(values) {
            axis.iter().for_each(|axis| row[*axis] += value * digit.weight);
        }
    }

    /// Returns whether one coordinate is given by different digits, so that their rows interleave.
    fn repeats(&self) -> bool {
        let repeats = |pair: &[(u64, u64)]| pair[0].0 == pair[1].0;
        self.listing.as_ref().is_some_and(|listing| listing.windows(2).any(repeats))
    }
}

/// The counters of a column; `None` if no slot has the coordinate.
fn counters(
    layout: &Layout,
    columns: &[Level],
    column: usize,
    fixed: Option<u64>,
    padding: bool,
) -> Result<Option<Vec<Wheel>>, LayoutError> {
    let level = columns[column];
    // Without padding a digit stops at the greatest value that a real index gives it.
    let size = |digit: &Digit| if padding { digit.size } else { digit.top + 1 };
    let of_axis = |(_, digit): (usize, &Digit)| {
        let axis = digit.axis.map(|axis| columns.len() + axis);
        (StridedDigit { size: size(digit), ..digit.into() }, axis)
    };
    let digits: Vec<OfAxis> = layout
        .digits()
        .in_level(level)
        .map(of_axis)
        .filter(|(digit, _)| digit.size > 1)
        .sorted_by_key(|(digit, _)| std::cmp::Reverse(digit.stride))
        .collect();
    let counter = |count, digits, listing| Wheel { column, count, digits, listing };
    let listing = match fixed.map(|at| at.checked_sub(layout.offset(level))) {
        Some(None) => return Ok(None),
        Some(Some(target)) => solutions(&digits, target)?,
        None if nests(digits.iter().map(|(digit, _)| (digit.size - 1, digit.stride))) => {
            let even = |digit: OfAxis| counter(digit.0.size, vec![digit], None);
            return Ok(Some(digits.into_iter().map(even).collect()));
        }
        None => listed(&digits)?,
    };
    let count = to_u64(listing.len());
    Ok((count > 0).then(|| vec![counter(count, digits, Some(listing))]))
}

/// The coordinate that digits give, and the digits as one number.
fn setting(digits: &[OfAxis], values: &[u64]) -> (u64, u64) {
    digits.iter().zip(values).fold((0, 0), |(coordinate, number), ((digit, _), value)| {
        (coordinate + digit.stride * value, number * digit.size + value)
    })
}

fn listed(digits: &[OfAxis]) -> Result<Vec<(u64, u64)>, LayoutError> {
    let sizes = digits.iter().map(|(digit, _)| digit.size);
    check_rows(product(sizes.clone()).unwrap_or(u64::MAX))?;
    let all = Indexes::new(sizes.collect()).map(|values| setting(digits, &values));
    Ok(all.sorted_unstable().collect())
}

/// All ways to reach one coordinate, as (coordinate, the digits as one number).
fn solutions(digits: &[OfAxis], target: u64) -> Result<Vec<(u64, u64)>, LayoutError> {
    let term = |(digit, (d, _)): (usize, &OfAxis)| Term { digit, size: d.size, weight: d.stride };
    let sum = Sum::new(digits.iter().enumerate().map(term).collect());
    let (mut listing, mut values) = (Vec::new(), vec![0; digits.len()]);
    let mut budget = Budget::new("finding the digits that give a coordinate");
    let outcome = sum.solve(target, &mut values, &mut budget, &mut |values, _| {
        listing.push(setting(digits, values));
        Ok(ControlFlow::<()>::Continue(()))
    });
    outcome.map(|_| listing)
}

fn check_rows(rows: u64) -> Result<(), LayoutError> {
    let too_many = || {
        fault!(
            Limit,
            "cannot sort the table: {rows} rows have coordinates whose strides \
         overlap (the limit is {limit})",
            [rows, limit = MOST_SORTED]
        )
    };
    if rows > MOST_SORTED { Err(too_many()) } else { Ok(()) }
}

/// Walks the slots; slots that are sorted together count as one, by the first of them.
#[derive(Clone, Debug)]
pub(super) struct Slots<'a> {
    counters: Vec<Wheel>,
    /// The number of counters outside, and the number of slots of those inside.
    outer: usize,
    inner: u64,
    walk: RowWalk,
    /// The row where all counters are 0.
    base: Vec<u64>,
    padding: bool,
    reader: IndexReader<'a>,
    run: RowRun,
    /// The slots that are left.
    slots: Range<u64>,
    block: Block,
}

/// The way to make the rows of a block.
#[derive(Clone, Debug)]
enum RowWalk {
    /// The rows of the counters inside, for as many values of the last one outside as fit, made once:
    /// they move by the sum of the other counters.
    Odometer(Vec<u64>),
    /// Row by row: one listing is inside.
    Listed,
    /// The rows of the counters inside, the first of which repeats coordinates, all at once.
    Sorted,
}

impl RowWalk {
    /// The walk, the number of counters outside, and the slots of those inside.
    fn new(counters: &[Wheel], width: usize) -> (RowWalk, usize, u64) {
        let slots = |from: usize| counters[from..].iter().map(|counter| counter.count).product();
        if let Some(outer) = counters.iter().position(Wheel::repeats) {
            // All counters of that column: it has one.
            return (RowWalk::Sorted, outer, slots(outer));
        }
        let mut outer = counters.len();
        while outer > 0 && slots(outer - 1) <= block() {
            outer -= 1;
        }
        let (last, inner) = (outer.checked_sub(1).map(|last| &counters[last]), slots(outer));
        let together = match last.map(|last| last.listing.is_some()) {
            Some(true) if inner == 1 => return (RowWalk::Listed, outer - 1, slots(outer - 1)),
            Some(false) => block() / inner,
            None | Some(true) => 1,
        };
        let mut template = vec![0; to_index(together * inner) * width];
        for (slot, row) in (0..).zip(template.chunks_mut(width.max(1))) {
            add_all(&counters[outer..], slot % inner, row);
            if let Some(last) = last.filter(|_| slot >= inner) {
                last.add(row, slot / inner);
            }
        }
        (RowWalk::Odometer(template), outer, inner)
    }
}

impl<'a> Slots<'a> {
    /// The slots with some coordinates; `None` if there are none.
    pub(super) fn new(
        layout: &'a Layout,
        columns: &[Level],
        at: &Location,
        padding: bool,
    ) -> Result<Option<Slots<'a>>, LayoutError> {
        let column = |(column, level): (usize, &Level)| {
            counters(layout, columns, column, at.get(*level), padding)
        };
        let all = columns.iter().enumerate().map(column);
        let Some(counters) = all.collect::<Result<Option<Vec<_>>, _>>()? else { return Ok(None) };
        let counters: Vec<Wheel> = counters.into_iter().flatten().collect();
        let mut base: Vec<u64> = columns.iter().map(|level| layout.offset(*level)).collect();
        base.resize(columns.len() + layout.nodes().count(), 0);
        let (rank, width) = (layout.rank(), base.len());
        let (walk, outer, inner) = RowWalk::new(&counters, width);
        let slots = 0..counters.iter().map(|counter| counter.count).product();
        let reader = IndexReader::new(layout, columns.len());
        let block = Block { width, columns: columns.len(), rank, ..Block::default() };
        let run = longest_run(&counters, &reader, columns.len());
        Ok(Some(Slots { counters, outer, inner, walk, base, padding, reader, run, slots, block }))
    }

    /// Returns whether a slot can hold one element of several.
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
        if matches!(self.walk, RowWalk::Sorted) {
            // The groups whose first slot is in the part.
            let first = |slot: u64| slot.div_ceil(self.inner) * self.inner;
            self.slots = first(self.slots.start)..first(self.slots.end);
        }
    }

    /// The next block, in order; `None` after the last, when the current block is empty.
    pub(super) fn next_block(&mut self) -> Result<Option<&Block>, LayoutError> {
        while self.slots.start < self.slots.end {
            match &self.walk {
                RowWalk::Odometer(_) => self.move_template()?,
                RowWalk::Listed => {
                    let left = self.inner - self.slots.start % self.inner;
                    let end = self.slots.end.min(self.slots.start + left.min(block()));
                    self.make_rows(self.slots.start..end)?;
                    self.slots.start = end;
                }
                RowWalk::Sorted => self.sort_group()?,
            }
            if self.block.rows > 0 {
                return Ok(Some(&self.block));
            }
        }
        self.block.rows = 0;
        Ok(None)
    }

    /// The row of the outer counters.
    fn outer_row(&self, slot: u64) -> Vec<u64> {
        let mut row = self.base.clone();
        add_all(&self.counters[..self.outer], slot / self.inner, &mut row);
        row
    }

    fn move_template(&mut self) -> Result<(), LayoutError> {
        let (start, width) = (self.slots.start, self.base.len());
        let RowWalk::Odometer(template) = &self.walk else { return Ok(()) };
        // A block begins anew with each turn of the last counter outside.
        let last = self.outer.checked_sub(1).map_or(1, |last| self.counters[last].count);
        let (within, most) = (start % (last * self.inner), to_u64(template.len() / width));
        let skipped = within % most;
        let rows = (most - skipped).min(last * self.inner - within).min(self.slots.end - start);
        let base = self.outer_row(start - skipped);
        let template = &template[to_index(skipped) * width..to_index(skipped + rows) * width];
        moved(template, &base, &mut self.block.numbers);
        self.block.rows = to_index(rows);
        self.read(start)?;
        self.slots.start += rows;
        Ok(())
    }

    /// Makes the rows of slots with one row of the outer counters.
    fn make_rows(&mut self, slots: Range<u64>) -> Result<(), LayoutError> {
        let base = self.outer_row(slots.start);
        let Block { numbers, rows, .. } = &mut self.block;
        *rows = to_index(slots.end - slots.start);
        numbers.clear();
        for slot in slots.clone() {
            let from = numbers.len();
            numbers.extend_from_slice(&base);
            add_all(&self.counters[self.outer..], slot % self.inner, &mut numbers[from..]);
        }
        self.read(slots.start)
    }

    /// Reads the indexes of the block, which begins with this slot, and drops padding that is not
    /// wanted.
    fn read(&mut self, slot: u64) -> Result<(), LayoutError> {
        let Block { numbers, width, real, rows, .. } = &mut self.block;
        self.reader.read(numbers, real, (self.run, slot % self.run.length()))?;
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
        let (mut numbers, mut real) = (Vec::new(), Vec::new());
        let group = self.slots.start..self.slots.start + self.inner;
        while self.slots.start < group.end {
            let end = group.end.min(self.slots.start + block());
            self.make_rows(self.slots.start..end)?;
            numbers.extend_from_slice(&self.block.numbers);
            match self.block.real.is_empty() {
                true => real.extend(std::iter::repeat_n(true, self.block.rows)),
                false => real.extend_from_slice(&self.block.real),
            }
            check_rows(to_u64(real.len()))?;
            self.slots.start = end;
        }
        self.block = Block { numbers, rows: real.len(), real, ..self.block };
        self.sort_block();
        Ok(())
    }

    fn sort_block(&mut self) {
        let block = &self.block;
        let key = |at: &usize| {
            let Row { place, index } = block.row(*at);
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
fn longest_run(counters: &[Wheel], reader: &IndexReader, columns: usize) -> RowRun {
    let (mut longest, mut step) = (RowRun::ALONE, 1);
    for counter in counters.iter().rev().take_while(|counter| counter.listing.is_none()) {
        let run =
            counter.digits.first().filter(|_| step <= most_between()).map(|(digit, axis)| RowRun {
                digit: StridedDigit { stride: step, ..*digit },
                axis: axis.map(|axis| axis - columns),
            });
        let run = run.filter(|run| reader.rows_of(*run) > reader.rows_of(longest));
        longest = run.unwrap_or(longest);
        step = step.saturating_mul(counter.count);
    }
    longest
}

/// Decodes `slot` in mixed radix, the last counter fastest, and adds each counter's contribution to `row`.
fn add_all(counters: &[Wheel], slot: u64, row: &mut [u64]) {
    let choices = digits(slot, counters.iter().rev().map(|counter| counter.count));
    counters.iter().rev().zip(choices).for_each(|(counter, choice)| counter.add(row, choice));
}

/// Every row of the template plus the base; quicker for a width that the compiler knows.
fn moved(template: &[u64], base: &[u64], rows: &mut Vec<u64>) {
    rows.resize(template.len(), 0);
    macro_rules! widths {
        ($($width:literal)*) => {
            match base.len() {
                $($width => {
                    let Some(base) = base.first_chunk::<$width>() else { return };
                    let rows = rows.as_chunks_mut::<$width>().0.iter_mut();
                    for (row, steps) in rows.zip(template.as_chunks::<$width>().0) {
                        *row = std::array::from_fn(|at| steps[at] + base[at]);
                    }
                })*
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
