//! Rows in the order of their places, made without sorting wherever strides nest.

use std::ops::{ControlFlow, Range};

use itertools::Itertools;

use crate::algebra::{Budget, Decoder, Layout, Sum, Target, Term, nests, product};
use crate::error::LayoutError;
use crate::level::Level;
use crate::location::Location;
use crate::placement::Placement;

/// How many rows are sorted at once where strides do not nest.
const MOST_SORTED: u64 = 1 << 24;

/// The rows of an address table: one per element and copy, sorted by place.
///
/// The columns are [`Placement::columns`], first the most significant.
/// Law: the rows are all elements with all their places; with padding also every other slot.
/// Cost: constant per slot and in memory where the strides in each level nest; a level where they
/// do not is listed and sorted, at most 2^24 rows at once.
///
/// ```
/// use std::ops::{ControlFlow, Range};
/// use tensor_layout::{Layout, Placement};
/// let placement = Placement::of("((2_PE, 2:1), (3:2))".parse()?).build()?;
/// let mut rows = Vec::new();
/// let _ = placement.table().for_each(|row| {
///     rows.push((row.place.to_vec(), row.index.map(<[u64]>::to_vec)));
///     ControlFlow::<()>::Continue(())
/// })?;
/// assert_eq!(rows.len(), 12);
/// assert_eq!(rows[1], (vec![0, 1], Some(vec![1, 0]))); // PE 0, Addr 1
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Table<'a> {
    placement: &'a Placement,
    at: Location,
    /// Whether the columns that `at` fixes are left out of what is written.
    partition: bool,
    padding: bool,
    /// The number of the part from 0, and of how many.
    part: (u64, u64),
}

/// One row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row<'a> {
    /// One coordinate per column.
    pub place: &'a [u64],
    /// The element there; `None` for padding.
    pub index: Option<&'a [u64]>,
}

impl Placement {
    /// The address table of this placement.
    #[must_use]
    pub fn table(&self) -> Table<'_> {
        Table {
            placement: self,
            at: Location::default(),
            partition: false,
            padding: false,
            part: (0, 1),
        }
    }
}

impl<'a> Table<'a> {
    /// Keeps the rows of a unit or subtree: those with these coordinates.
    ///
    /// # Errors
    /// [`LevelUnknown`](LayoutError::LevelUnknown) for a level that is no column.
    pub fn at(mut self, place: &Location) -> Result<Table<'a>, LayoutError> {
        super::check_columns(self.placement.columns(), place, self.placement.machine())?;
        place.iter().for_each(|(level, at)| self.at.set(level, at));
        Ok(self)
    }

    /// The same, and leaves those columns out of what is written: one file of a table that is
    /// partitioned in the hive convention, `L2B=0/L1B=3/part.parquet`.
    ///
    /// # Errors
    /// As [`at`](Table::at).
    pub fn partition(mut self, place: &Location) -> Result<Table<'a>, LayoutError> {
        self.partition = true;
        self.at(place)
    }

    /// Adds the slots that hold no element.
    #[must_use]
    pub fn with_padding(mut self, padding: bool) -> Table<'a> {
        self.padding = padding;
        self
    }

    /// Keeps one of `parts` parts, `part` counted from 0: about as many slots each.
    ///
    /// Law: the parts in order are the table. A part starts at once, wherever it lies.
    ///
    /// # Errors
    /// [`PartBeyond`](LayoutError::PartBeyond) unless `part < parts`.
    pub fn part(mut self, part: u64, parts: u64) -> Result<Table<'a>, LayoutError> {
        if part >= parts {
            return Err(LayoutError::PartBeyond { part, parts });
        }
        self.part = (part, parts);
        Ok(self)
    }

    /// The levels of the columns.
    #[must_use]
    pub fn columns(&self) -> &'a [Level] {
        self.placement.columns()
    }

    /// The numbers of the columns that are written.
    pub(super) fn written_columns(&self) -> Vec<usize> {
        let written = |at: &usize| !self.partition || self.at.get(self.columns()[*at]).is_none();
        (0..self.columns().len()).filter(written).collect()
    }

    #[cfg(feature = "arrow")]
    pub(super) fn placement(&self) -> &'a Placement {
        self.placement
    }

    #[cfg(feature = "arrow")]
    pub(super) fn has_padding(&self) -> bool {
        self.padding
    }

    /// The number of axes, and so of entries in an index.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.placement.layout().rank()
    }

    /// An upper bound of the number of rows, exact without restriction.
    #[must_use]
    pub fn most_rows(&self) -> u64 {
        let layout = self.placement.spread();
        if self.padding { layout.slots() } else { layout.elements() * layout.copies() }
    }

    /// Calls `visit` with every row, in order, until it breaks.
    ///
    /// # Errors
    /// [`TooManyRows`](LayoutError::TooManyRows) where more rows would have to be sorted than
    /// fit, [`NotDecided`](LayoutError::NotDecided) as [`Layout::element`].
    pub fn for_each<B>(
        &self,
        visit: impl FnMut(Row<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, LayoutError> {
        if !self.padding && self.placement.layout().elements() == 0 {
            return Ok(ControlFlow::Continue(()));
        }
        let layout = self.placement.spread();
        let wheels = Wheels::new(layout, self.padding)?;
        let mut columns = Vec::new();
        let mut place = Vec::new();
        for (at, &level) in self.columns().iter().enumerate() {
            place.push(layout.offset(level));
            let terms = wheels.in_level(level);
            let fixed = self.at.get(level).map(|at| at.checked_sub(layout.offset(level)));
            match fixed {
                None if terms.is_empty() => {}
                None => columns.push(Column::free(at, terms)?),
                Some(None) => return Ok(ControlFlow::Continue(())),
                Some(Some(target)) => columns.push(Column::fixed(at, terms, target)?),
            }
        }
        let sorted_from = columns.iter().position(Column::repeats).unwrap_or(columns.len());
        let digits = vec![0; wheels.digits];
        let decoder = Decoder::new(layout);
        let padding = self.padding;
        let below = slots_below(&columns);
        let slots = self.slots_of_part(below[0]);
        if slots.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        let mut walk = Walk {
            columns,
            sorted_from,
            below,
            slots,
            first: 0,
            decoder,
            padding,
            place,
            digits,
            visit,
        };
        walk.column(0)
    }

    /// The slots of the part, numbered in the order of the places.
    fn slots_of_part(&self, all: u64) -> Range<u64> {
        let (part, parts) = self.part;
        let bound = |part: u64| {
            let bound = u128::from(all) * u128::from(part) / u128::from(parts);
            u64::try_from(bound).unwrap_or(all)
        };
        bound(part)..bound(part + 1)
    }
}

/// The digits that move, and where they land.
struct Wheels {
    landing: Vec<(Level, Term)>,
    digits: usize,
}

impl Wheels {
    /// Without padding a digit stops at the greatest value that a real index gives it.
    fn new(layout: &Layout, padding: bool) -> Result<Wheels, LayoutError> {
        let tops = layout.digits();
        let mut landing = Vec::new();
        let mut digits = 0;
        let subaxes = layout.nodes().flat_map(|axis| &axis.subaxes);
        for (digit, (subaxis, top)) in subaxes.zip(tops.iter().map(|digit| &digit.top)).enumerate()
        {
            let size = if padding { subaxis.size } else { top + 1 };
            if let Target::Land { level, stride: weight } = subaxis.target {
                landing.push((level, Term { digit, size, weight }));
            }
            digits = digit + 1;
        }
        for (replica, digit) in layout.replicas().iter().zip(digits..) {
            let (size, weight) = (replica.size, replica.stride);
            landing.push((replica.level, Term { digit, size, weight }));
            digits = digit + 1;
        }
        landing.retain(|(_, term)| term.size > 1);
        Ok(Wheels { landing, digits })
    }

    /// Descending by stride: the order in which coordinates grow, last fastest.
    fn in_level(&self, level: Level) -> Vec<Term> {
        let terms = self.landing.iter().filter(|(of, _)| *of == level).map(|(_, term)| *term);
        terms.sorted_by_key(|term| std::cmp::Reverse(term.weight)).collect()
    }
}

/// A column whose coordinate moves.
struct Column {
    at: usize,
    terms: Vec<Term>,
    /// Coordinates with their digits, ascending; `None` where the terms nest and so count upward.
    listed: Option<Vec<(u64, Vec<u64>)>>,
}

impl Column {
    fn free(at: usize, terms: Vec<Term>) -> Result<Column, LayoutError> {
        if nests(terms.iter().map(|term| (term.size - 1, term.weight)).collect()) {
            return Ok(Column { at, terms, listed: None });
        }
        let rows = product(terms.iter().map(|term| term.size)).unwrap_or(u64::MAX);
        check_rows(rows)?;
        let digits = terms.iter().map(|term| 0..term.size).multi_cartesian_product();
        let coordinate = |digits: &Vec<u64>| {
            terms.iter().zip(digits).map(|(term, digit)| term.weight * digit).sum::<u64>()
        };
        let listed = digits.map(|digits| (coordinate(&digits), digits)).sorted().collect();
        Ok(Column { at, terms, listed: Some(listed) })
    }

    fn fixed(at: usize, terms: Vec<Term>, target: u64) -> Result<Column, LayoutError> {
        let ranked = terms.iter().enumerate();
        let sum = Sum::new(ranked.map(|(digit, term)| Term { digit, ..*term }).collect());
        let mut listed = Vec::new();
        let mut budget = Budget::new("which digits give a coordinate");
        let mut digits = vec![0; terms.len()];
        let outcome = sum.solve(target, &mut digits, &mut budget, &mut |digits, _| {
            listed.push((target, digits.to_vec()));
            Ok(ControlFlow::<()>::Continue(()))
        });
        outcome.map(|_| Column { at, terms, listed: Some(listed) })
    }

    /// How many choices of digits it has.
    fn choices(&self) -> u64 {
        let listed = self.listed.as_ref().map(|listed| u64::try_from(listed.len()).unwrap_or(0));
        listed.unwrap_or_else(|| self.terms.iter().map(|term| term.size).product())
    }

    /// Whether one coordinate is given by different digits, so that their rows interleave.
    fn repeats(&self) -> bool {
        let listed = self.listed.as_deref().unwrap_or_default();
        listed.iter().tuple_windows().any(|(a, b)| a.0 == b.0)
    }
}

/// For every column, the number of slots from it on; at the end, 1.
fn slots_below(columns: &[Column]) -> Vec<u64> {
    let mut below = vec![1; columns.len() + 1];
    for (at, column) in columns.iter().enumerate().rev() {
        below[at] = below[at + 1] * column.choices();
    }
    below
}

fn check_rows(rows: u64) -> Result<(), LayoutError> {
    let too_many = LayoutError::TooManyRows { rows, limit: MOST_SORTED };
    if rows > MOST_SORTED { Err(too_many) } else { Ok(()) }
}

/// What to do with a choice: go on, or stop with a value.
type OnChoice<'a, W, C> = dyn FnMut(&mut W, u64) -> Result<ControlFlow<C>, LayoutError> + 'a;

type OwnedRow = (Vec<u64>, bool, Vec<u64>);

/// Walks the columns, the last fastest; from `sorted_from` on rows are collected and sorted.
struct Walk<'a, F> {
    columns: Vec<Column>,
    sorted_from: usize,
    /// The number of slots from each column on.
    below: Vec<u64>,
    /// The slots to show; what is sorted together counts as one, by its first slot.
    slots: Range<u64>,
    /// The number of the first slot with the choices made so far.
    first: u64,
    decoder: Decoder<'a>,
    padding: bool,
    place: Vec<u64>,
    digits: Vec<u64>,
    visit: F,
}

impl<B, F: FnMut(Row<'_>) -> ControlFlow<B>> Walk<'_, F> {
    fn column(&mut self, at: usize) -> Result<ControlFlow<B>, LayoutError> {
        if at < self.sorted_from {
            let (first, below) = (self.first, self.below[at + 1]);
            let from = self.slots.start.saturating_sub(first) / below;
            let until = self.slots.end.saturating_sub(first).div_ceil(below);
            return self.choices(at, from..until, &mut |walk, choice| {
                walk.first = first + choice * below;
                walk.column(at + 1)
            });
        }
        if !self.slots.contains(&self.first) {
            return Ok(ControlFlow::Continue(()));
        }
        if at == self.columns.len() {
            let mut visit = |row: Row<'_>, walk: &mut Self| (walk.visit)(row);
            return self.row(&mut visit);
        }
        let mut rows: Vec<OwnedRow> = Vec::new();
        self.collect(at, &mut rows)?;
        rows.sort_unstable();
        for (place, is_padding, index) in &rows {
            let row = Row { place, index: (!is_padding).then_some(index) };
            if let ControlFlow::Break(value) = (self.visit)(row) {
                return Ok(ControlFlow::Break(value));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn collect(&mut self, at: usize, rows: &mut Vec<OwnedRow>) -> Result<(), LayoutError> {
        let outcome = if at < self.columns.len() {
            self.choices(at, 0..u64::MAX, &mut |walk, _| {
                walk.collect(at + 1, rows)?;
                Ok(ControlFlow::<()>::Continue(()))
            })
        } else {
            let row = self.row(&mut |row, _| {
                let index = row.index.map(<[u64]>::to_vec);
                rows.push((row.place.to_vec(), index.is_none(), index.unwrap_or_default()));
                ControlFlow::<()>::Continue(())
            });
            check_rows(u64::try_from(rows.len()).unwrap_or(u64::MAX))?;
            row
        };
        outcome.map(|_| ())
    }

    /// Calls `then` for some choices of the column, in the order of its coordinates.
    fn choices<C>(
        &mut self,
        at: usize,
        range: Range<u64>,
        then: &mut OnChoice<'_, Self, C>,
    ) -> Result<ControlFlow<C>, LayoutError> {
        let start = self.place[self.columns[at].at];
        for choice in range {
            let Some(coordinate) = self.choose(at, choice) else { break };
            self.place[self.columns[at].at] = start + coordinate;
            if let ControlFlow::Break(value) = then(self, choice)? {
                return Ok(ControlFlow::Break(value));
            }
        }
        self.place[self.columns[at].at] = start;
        Ok(ControlFlow::Continue(()))
    }

    /// Turns the digits of a column to their `choice`th setting and tells the coordinate.
    fn choose(&mut self, at: usize, choice: u64) -> Option<u64> {
        let column = &self.columns[at];
        if let Some(listed) = &column.listed {
            let (coordinate, digits) = listed.get(usize::try_from(choice).ok()?)?;
            for (term, digit) in column.terms.iter().zip(digits) {
                self.digits[term.digit] = *digit;
            }
            return Some(*coordinate);
        }
        let (mut rest, mut coordinate) = (choice, 0);
        for term in column.terms.iter().rev() {
            let digit = rest % term.size;
            rest /= term.size;
            self.digits[term.digit] = digit;
            coordinate += digit * term.weight;
        }
        (rest == 0).then_some(coordinate)
    }

    /// Shows the row of the digits as they stand, unless it is padding that was not asked for.
    fn row<C>(
        &mut self,
        show: &mut dyn FnMut(Row<'_>, &mut Self) -> ControlFlow<C>,
    ) -> Result<ControlFlow<C>, LayoutError> {
        let mut budget = Budget::new("which element has these digits");
        let index = self.decoder.index(&mut self.digits, &mut budget)?;
        if index.is_none() && !self.padding {
            return Ok(ControlFlow::Continue(()));
        }
        let place = std::mem::take(&mut self.place);
        let outcome = show(Row { place: &place, index: index.as_deref() }, self);
        self.place = place;
        Ok(outcome)
    }
}
