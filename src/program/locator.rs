//! The coordinates of many elements: sums of what every axis adds, looked up.
//!
//! Law: those of [`Placement::locate`](crate::Placement::locate).

#[cfg(feature = "simd")]
use multiversion::multiversion;

use super::compiled::{Program, check_length};
use super::weighted_sum::{AxisTerm, WeightedSum};
use crate::error::{LayoutError, fault};
use crate::number::{seam, to_index, to_u64};

/// The points of a pass over all columns: their indexes stay in the first-level cache.
fn block() -> usize {
    to_index(seam(1 << 10, 3))
}

/// Finds the coordinates of many elements; made by [`Program::locator`].
#[derive(Debug)]
pub struct Locator<'p> {
    program: &'p Program,
    columns: Vec<Column>,
}

/// A column as a function of the index.
#[derive(Debug)]
enum Column {
    /// The base, and what axes add.
    Terms(u64, Vec<(usize, AxisTerm)>),
    /// Where axes do not add up one by one.
    Defined(Box<WeightedSum>),
}

impl Program {
    /// Prepares the search for the coordinates of `points` elements.
    ///
    /// Cost: at most `points` numbers for each axis and level, which are made here and looked up for every element. An axis that has
    /// more values takes as long as in [`place`](Program::place).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Placement;
    /// let placement = Placement::of("((4_PE, 3:8), (8:1))".parse()?).build()?;
    /// let program = placement.program()?;
    /// let (mut units, mut addresses) = ([0; 2], [0; 2]);
    /// let indexes: [&[u64]; 2] = [&[5, 11], &[1, 7]]; // the elements (5, 1) and (11, 7)
    /// program.locator(2).locate(&indexes, &mut [&mut units, &mut addresses])?;
    /// assert_eq!((units, addresses), ([1, 3], [17, 23]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn locator(&self, points: u64) -> Locator<'_> {
        let column = |level| {
            let sum = self.column(level);
            let shape = self.compiled.layout.shape();
            match sum.terms(&shape, points) {
                Some((base, terms)) => Column::Terms(base, terms),
                None => Column::Defined(Box::new(sum)),
            }
        };
        Locator { program: self, columns: self.columns().map(|(level, _)| column(level)).collect() }
    }
}

impl Locator<'_> {
    /// Writes the coordinates of elements into one slice per column of the [program](Program::columns). There is a slice of
    /// indexes per axis, in the whole tensor.
    ///
    /// # Errors
    /// `Shape` for another number of slices, or slices of different lengths; `OutOfRange` as [`Program::place`]. Columns may be
    /// written in part.
    pub fn locate(
        &self,
        indexes: &[&[u64]],
        columns: &mut [&mut [u64]],
    ) -> Result<(), LayoutError> {
        let shape = self.program.compiled.layout.shape();
        if indexes.len() != shape.len() {
            return Err(LayoutError::index_rank(indexes.len(), shape.len()));
        }
        let (given, wanted) = (columns.len(), self.columns.len());
        if given != wanted {
            return Err(fault!(
                Shape,
                "places have {wanted} coordinates, but there are slices for {given}",
                [wanted, given]
            ));
        }
        let first = columns.first().map(|column| column.len());
        let points = first.or(indexes.first().map(|index| index.len())).unwrap_or(0);
        let lengths = indexes.iter().map(|index| index.len());
        let mut lengths = lengths.chain(columns.iter().map(|column| column.len()));
        lengths.try_for_each(|length| check_length(length, to_u64(points)))?;
        for start in (0..points).step_by(block()) {
            let range = start..points.min(start + block());
            for (axis, (index, extent)) in indexes.iter().zip(&shape).enumerate() {
                check_entries(axis, &index[range.clone()], *extent)?;
            }
            for (of, column) in self.columns.iter().zip(&mut *columns) {
                of.fill(start, indexes, &mut column[range.clone()]);
            }
        }
        Ok(())
    }
}

fn check_entries(axis: usize, entries: &[u64], extent: u64) -> Result<(), LayoutError> {
    if beyond(entries, extent) == 0 {
        return Ok(());
    }
    let first = entries.iter().find(|entry| **entry >= extent);
    Err(LayoutError::index_out_of_range(axis, first.copied().unwrap_or(extent), extent))
}

impl Column {
    /// Writes the coordinates of the points from `start` on.
    fn fill(&self, start: usize, indexes: &[&[u64]], cells: &mut [u64]) {
        let (base, terms) = match self {
            Column::Terms(base, terms) => (base, terms),
            Column::Defined(sum) => {
                let mut index = vec![0; indexes.len()];
                for (at, cell) in (start..).zip(cells) {
                    index.iter_mut().zip(indexes).for_each(|(entry, axis)| *entry = axis[at]);
                    *cell = sum.at(&index);
                }
                return;
            }
        };
        cells.fill(*base);
        for (axis, term) in terms {
            let entries = &indexes[*axis][start..];
            match term {
                AxisTerm::Even(stride) => add_multiples(cells, entries, *stride),
                AxisTerm::Table(table) => add_entries(cells, entries, table),
                AxisTerm::Function(function) => {
                    let pairs = cells.iter_mut().zip(entries);
                    pairs.for_each(|(cell, entry)| *cell += function.value(*entry));
                }
            }
        }
    }
}

/// The number of entries that are not below the extent: a loop to the first one has no vectors.
#[cfg_attr(feature = "simd", multiversion(targets("x86_64+avx2")))]
fn beyond(entries: &[u64], extent: u64) -> usize {
    entries.iter().filter(|entry| **entry >= extent).count()
}

#[cfg_attr(feature = "simd", multiversion(targets("x86_64+avx2")))]
fn add_multiples(cells: &mut [u64], entries: &[u64], stride: u64) {
    cells.iter_mut().zip(entries).for_each(|(cell, entry)| *cell += entry * stride);
}

#[cfg_attr(feature = "simd", multiversion(targets("x86_64+avx2")))]
fn add_entries(cells: &mut [u64], entries: &[u64], table: &[u64]) {
    cells.iter_mut().zip(entries).for_each(|(cell, entry)| *cell += table[to_index(*entry)]);
}
