//! Rows in the order of their places, made without sorting wherever strides nest.

use std::ops::ControlFlow;

use itertools::Itertools;

use crate::algebra::{Budget, Decoder, Layout, Location, Sum, Target, Term, nests, product};
use crate::error::{LayoutError, Site};
use crate::level::Level;
use crate::machine::Machine;
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
/// use std::ops::ControlFlow;
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
    padding: bool,
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
        Table { placement: self, at: Location::default(), padding: false }
    }
}

impl<'a> Table<'a> {
    /// Keeps the rows of a unit or subtree: those with these coordinates.
    ///
    /// # Errors
    /// [`LevelUnknown`](LayoutError::LevelUnknown) for a level that is no column.
    pub fn at(mut self, place: &Location) -> Result<Table<'a>, LayoutError> {
        let columns = self.placement.columns();
        for (level, at) in place.iter() {
            if !columns.contains(&level) {
                let machine = self.placement.machine();
                let machine = machine.map_or("table".into(), Machine::described);
                let known = columns.iter().join(", ");
                let site = Site::Layout;
                return Err(LayoutError::LevelUnknown { level, machine, known, site });
            }
            self.at.set(level, at);
        }
        Ok(self)
    }

    /// Adds the slots that hold no element.
    #[must_use]
    pub fn with_padding(mut self, padding: bool) -> Table<'a> {
        self.padding = padding;
        self
    }

    /// The levels of the columns.
    #[must_use]
    pub fn columns(&self) -> &'a [Level] {
        self.placement.columns()
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
        let mut walk = Walk { columns, sorted_from, decoder, padding, place, digits, visit };
        walk.column(0)
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
        let tops = layout.digit_tops()?;
        let mut landing = Vec::new();
        let mut digits = 0;
        let subaxes = layout.nodes().flat_map(|axis| &axis.subaxes);
        for (digit, (subaxis, top)) in subaxes.zip(tops.iter().flatten()).enumerate() {
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

    /// Whether one coordinate is given by different digits, so that their rows interleave.
    fn repeats(&self) -> bool {
        let listed = self.listed.as_deref().unwrap_or_default();
        listed.iter().tuple_windows().any(|(a, b)| a.0 == b.0)
    }
}

fn check_rows(rows: u64) -> Result<(), LayoutError> {
    let too_many = LayoutError::TooManyRows { rows, limit: MOST_SORTED };
    if rows > MOST_SORTED { Err(too_many) } else { Ok(()) }
}

type OwnedRow = (Vec<u64>, bool, Vec<u64>);

/// Walks the columns, the last fastest; from `sorted_from` on rows are collected and sorted.
struct Walk<'a, F> {
    columns: Vec<Column>,
    sorted_from: usize,
    decoder: Decoder<'a>,
    padding: bool,
    place: Vec<u64>,
    digits: Vec<u64>,
    visit: F,
}

impl<B, F: FnMut(Row<'_>) -> ControlFlow<B>> Walk<'_, F> {
    fn column(&mut self, at: usize) -> Result<ControlFlow<B>, LayoutError> {
        if at < self.sorted_from {
            return self.choices(at, &mut |walk| walk.column(at + 1));
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
            self.choices(at, &mut |walk| {
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

    /// Calls `then` for every choice of the column, in the order of its coordinates.
    fn choices<C>(
        &mut self,
        at: usize,
        then: &mut dyn FnMut(&mut Self) -> Result<ControlFlow<C>, LayoutError>,
    ) -> Result<ControlFlow<C>, LayoutError> {
        let start = self.place[self.columns[at].at];
        let mut choice = 0;
        while let Some(coordinate) = self.choose(at, choice) {
            self.place[self.columns[at].at] = start + coordinate;
            if let ControlFlow::Break(value) = then(self)? {
                return Ok(ControlFlow::Break(value));
            }
            choice += 1;
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
