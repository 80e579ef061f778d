//! Compiled placements: whole tables in the caller's memory, at the speed of a hand-written loop.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::boxes::{AxisRange, Boxes, weights};
use super::cell::{Cell, Steps};
use super::flips::Variants;
use super::lookup::{Backward, Lookup};
use super::numbers::Write;
use super::pieces::{PieceVector, Pieces};
use super::weighted_sum::{Inner, Outer, VectorRow, WeightedSum};
use crate::algebra::{Axis, IndexOrder, Indexes, Layout, digits, product};
use crate::error::{LayoutError, Site, fault};
use crate::level::Level;
use crate::location::Location;
use crate::number::to_u64;
use crate::placement::Placement;

/// A placement compiled for whole tables; made by [`Placement::program`].
///
/// Tables are row-major over the elements, one number each, for the first copy.
/// Law: every number is that of [`Placement::locate`].
///
/// ```
/// use tensor_layout::{Level, Machine, Placement};
/// let layout = "((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))".parse()?;
/// let placement = Placement::of(layout).on(&Machine::mn_core()).build()?;
/// let program = placement.program()?;
/// let mut packed = vec![0_u32; 1024 * 512];
/// program.fill_packed(&mut packed)?;
/// let unit = ((1 * 8 + 4) * 16 + 1) * 4 + 1; // L2B 1, L1B 4, MAB 1, PE 1
/// assert_eq!(packed[100 * 512 + 37], unit * 64 + 33);
/// let mut mab = vec![0_u8; 1024 * 512];
/// program.fill_column(Level::MAB, &mut mab)?;
/// assert_eq!(mab[100 * 512 + 37], 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) compiled: Arc<Compiled>,
    /// The range of indexes per axis that tables hold.
    pub(crate) shape: Vec<Range<u64>>,
    /// Made at the first use.
    lookup: OnceLock<Result<Option<Lookup>, LayoutError>>,
    /// Made when the first tensor is moved, where a layout has XORs.
    pub(super) piece_vector: OnceLock<PieceVector>,
}

/// The parts that all windows of a program share.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// Without digits of size 1.
    pub(crate) layout: Layout,
    /// The layout with its XORs, if there are any: `layout` has sums in their place.
    exact: Option<Layout>,
    /// The layout of the elements alone, where that has fewer derived axes: they have the same places.
    pub(super) bare: Option<Layout>,
    columns: Vec<Level>,
    sizes: Vec<u64>,
    /// The number of units that share the memory, per column: the layout counts memories.
    steps: Vec<u64>,
    places: u64,
    /// The number that one step of each column adds to the packed number.
    weights: Vec<u64>,
    pub(crate) packed: WeightedSum,
    pub(super) backward: Backward,
    /// The error if elements share places, decided at the first use.
    injective: OnceLock<Result<(), LayoutError>>,
}

/// The number that one step in a level adds to the packed number; 0 for a level that is not a column.
fn weight(columns: &[Level], weights: &[u64], level: Level) -> u64 {
    columns.iter().position(|column| *column == level).map_or(0, |at| weights[at])
}

/// Removes digits and copies of size 1, which move nothing, regardless of their strides.
fn without_units(layout: Layout) -> Result<Layout, LayoutError> {
    let moves = |axis: &Axis| axis.subaxes.iter().all(|subaxis| subaxis.size > 1);
    if layout.nodes().all(moves) && layout.replicas().iter().all(|replica| replica.size > 1) {
        return Ok(layout);
    }
    layout.to_builder().without_units().build()
}

/// Returns the layout of the elements alone, if it has fewer derived axes. Those that only pad, such as the tiles of fused axes
/// that follow each other in memory, are needed for places without an element, and slow for elements.
fn bare(layout: &Layout) -> Option<Layout> {
    let count = layout.derived_axes().len();
    if count == 0 || layout.has_xor() || layout.elements() == 0 {
        return None;
    }
    // Where it is not decided, or too large, the derived axes stay.
    let bare = layout.without_padding().and_then(without_units).ok()?;
    (bare.derived_axes().len() < count).then_some(bare)
}

impl Placement {
    /// Compiles the placement.
    ///
    /// Cost: O(subaxes), plus a vector for each filled table, of at most 2048 numbers (65 536 where an axis
    /// has derived axes).
    ///
    /// # Errors
    /// `TooLarge` where the packed numbers of places do not fit in 64 bits.
    pub fn program(&self) -> Result<Program, LayoutError> {
        // Places are numbered through, row-major over the columns.
        let columns = self.columns().to_vec();
        let steps: Vec<u64> = columns.iter().map(|level| self.units_per_memory(*level)).collect();
        let size = |(level, step): (&Level, &u64)| self.coordinates(*level).div_ceil(*step);
        let sizes: Vec<u64> = columns.iter().zip(&steps).map(size).collect();
        let too_large = || LayoutError::too_large(Site::Layout, "the number of places");
        let places = product(sizes.iter().copied()).ok_or_else(too_large)?;
        let numbered = self.memory().filter(|(_, memory)| memory.group > 1);
        let numbered =
            numbered.map(|(_, memory)| memory.numbered(self.with_copies())).transpose()?;
        let layout = numbered.as_ref().unwrap_or(self.with_copies()).simplified();
        let layout = without_units(layout)?;
        let weights = IndexOrder::RowMajor.weights(&sizes)?;
        let weight = |level| weight(&columns, &weights, level);
        let bare = bare(&layout);
        let packed = WeightedSum::over(&layout, bare.as_ref(), weight);
        let (layout, exact) = match layout.has_xor() {
            true => (without_units(layout.in_sums().into_owned())?, Some(layout)),
            false => (layout, None),
        };
        let backward = Backward::new(&layout, weight);
        let shape = layout.shape().into_iter().map(|extent| 0..extent).collect();
        let injective = self.injective.clone();
        let compiled = Compiled {
            layout,
            exact,
            bare,
            columns,
            sizes,
            steps,
            places,
            weights,
            packed,
            backward,
            injective,
        };
        Ok(Program::of_parts(Arc::new(compiled), shape))
    }
}

impl Program {
    fn of_parts(compiled: Arc<Compiled>, shape: Vec<Range<u64>>) -> Program {
        let (lookup, piece_vector) = (OnceLock::new(), OnceLock::new());
        Program { compiled, shape, lookup, piece_vector }
    }

    /// The program for a box of the tensor; its tables hold and number only the elements of the box.
    ///
    /// There is one range per axis, in indexes of the tensor. Places keep their numbers; elements outside the
    /// box are holes of inverse tables.
    ///
    /// # Errors
    /// `Shape`, and `OutOfRange` for a range that ends beyond the extent.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Placement;
    /// let placement = Placement::of("((4_PE, 2:3), (3:1))".parse()?).build()?;
    /// let rows = placement.program()?.window(&[2..4, 1..3])?;
    /// let mut table = [0_u32; 4];
    /// rows.fill_packed(&mut table)?;
    /// assert_eq!(table, [7, 8, 10, 11]); // PE 1, addresses 1 2 4 5
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn window(&self, ranges: &[Range<u64>]) -> Result<Program, LayoutError> {
        let layout = &self.compiled.layout;
        if ranges.len() != layout.rank() {
            return Err(LayoutError::index_rank(ranges.len(), layout.rank()));
        }
        for (axis, (range, extent)) in ranges.iter().zip(layout.shape()).enumerate() {
            if range.end > extent {
                return Err(LayoutError::index_out_of_range(axis, range.end - 1, extent));
            }
        }
        let shape = ranges.iter().map(|range| range.start.min(range.end)..range.end).collect();
        Ok(self.over(shape))
    }

    /// Returns another window of the program; both share the compiled parts.
    fn over(&self, shape: Vec<Range<u64>>) -> Program {
        Program::of_parts(self.compiled.clone(), shape)
    }

    /// Returns whether the window is the tensor.
    pub(super) fn is_whole(&self) -> bool {
        let axes = self.compiled.layout.axes().iter();
        axes.zip(&self.shape).all(|(axis, range)| *range == (0..axis.extent))
    }

    /// `None` if places have to be looked up by the definition; an error if elements share
    /// places.
    #[inline]
    pub(super) fn lookup(&self) -> Result<Option<&Lookup>, LayoutError> {
        let make = || {
            let Compiled { backward, layout, exact, columns, weights, .. } = &*self.compiled;
            self.check_injective()?;
            let flipped = exact.as_ref().and_then(|exact| {
                let backward = Backward::new(exact, |level| weight(columns, weights, level));
                Lookup::new(&backward, exact, &self.shape, self.places())
            });
            Ok(flipped.or_else(|| Lookup::new(backward, layout, &self.shape, self.places())))
        };
        match self.lookup.get_or_init(make) {
            Ok(lookup) => Ok(lookup.as_ref()),
            Err(refusal) => Err(refusal.clone()),
        }
    }

    /// Returns an error if elements share places; decided once.
    pub(crate) fn check_injective(&self) -> Result<(), LayoutError> {
        let compiled = &self.compiled;
        compiled.injective.get_or_init(|| compiled.layout.check_injective()).clone()
    }

    /// Programs for consecutive windows, in row-major order, of at most `most` elements each (but at least
    /// one).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Placement;
    /// let program = Placement::of("((4_PE, 2:3), (3:1))".parse()?).build()?.program()?;
    /// let rows: Vec<_> = program.windows(10).map(|part| part.ranges()[0].clone()).collect();
    /// assert_eq!(rows, [0..3, 3..6, 6..8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn windows(&self, most: u64) -> impl Iterator<Item = Program> + '_ {
        let length = |range: &Range<u64>| range.end - range.start;
        // The axes from `whole` on fit, and so do `step` values of the one before.
        let (mut whole, mut inner) = (self.shape.len(), 1);
        while whole > 0 && length(&self.shape[whole - 1]) <= most / inner {
            whole -= 1;
            inner *= length(&self.shape[whole]).max(1);
        }
        let step = (most / inner).max(1);
        let mut counts: Vec<u64> = self.shape[..whole].iter().map(length).collect();
        if let Some(last) = counts.last_mut() {
            *last = last.div_ceil(step);
        }
        if self.elements() == 0 {
            counts = vec![0];
        }
        Indexes::new(counts).map(move |block| {
            let mut shape = self.shape.clone();
            for (at, (range, block)) in shape.iter_mut().zip(&block).enumerate() {
                let step = if at + 1 == whole { step } else { 1 };
                let start = range.start + block * step;
                *range = start..range.end.min(start.saturating_add(step));
            }
            self.over(shape)
        })
    }

    /// Converts the coordinate of a memory to that of its first unit.
    fn in_units(&self, (level, at): (Level, u64)) -> (Level, u64) {
        (level, at * self.units_per_memory(level))
    }

    /// The number of units of a level that share the memory; one step in its column is that many units.
    #[must_use]
    pub fn units_per_memory(&self, level: Level) -> u64 {
        let Compiled { columns, steps, .. } = &*self.compiled;
        let column = columns.iter().position(|column| *column == level);
        column.and_then(|column| steps.get(column)).copied().unwrap_or(1)
    }

    /// The units, in order: the coordinates of all columns but `Addr` and `W`.
    pub fn units(&self) -> impl Iterator<Item = Location> + '_ {
        let Compiled { columns, sizes, .. } = &*self.compiled;
        let units = columns.iter().filter(|level| !level.is_in_unit()).count();
        let place =
            |index| columns.iter().copied().zip(index).map(|at| self.in_units(at)).collect();
        Indexes::new(sizes[..units].to_vec()).map(place)
    }

    /// The ranges of indexes that tables hold: those of the [`window`](Program::window).
    #[must_use]
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.shape
    }

    /// The number of elements: the length of a table.
    #[must_use]
    pub fn elements(&self) -> u64 {
        product(self.shape.iter().map(|range| range.end - range.start)).unwrap_or(u64::MAX)
    }

    /// The pieces of a layout with XORs; `None` unless moving them fills the table, that is, for all places
    /// of a layout without copies.
    pub(crate) fn movable_pieces(&self, places: &Range<u64>) -> Option<Pieces<'_>> {
        let (packed, ranges) = (&self.compiled.packed, self.ranges());
        let is_whole = *places == (0..self.places()) && self.compiled.layout.copies() == 1;
        if !is_whole || packed.flips.is_none() || self.elements() == 0 {
            return None;
        }
        let vector = self.piece_vector.get_or_init(|| PieceVector::new(packed, ranges));
        vector.pieces(packed, ranges)
    }

    /// The number of places, holes included: the length of an inverse table.
    #[must_use]
    pub fn places(&self) -> u64 {
        self.compiled.places
    }

    /// The columns, with their sizes, that make up the packed number of a place, row-major: units by the
    /// machine, addresses by the footprint, so that the number is unit x words + address. A memory of
    /// a group of units counts once.
    pub fn columns(&self) -> impl DoubleEndedIterator<Item = (Level, u64)> + '_ {
        let Compiled { columns, sizes, .. } = &*self.compiled;
        columns.iter().copied().zip(sizes.iter().copied())
    }

    /// The packed number of the place of one element, by its index in the whole tensor.
    ///
    /// # Errors
    /// As [`Layout::locate`].
    #[inline]
    pub fn place(&self, index: &[u64]) -> Result<u64, LayoutError> {
        self.compiled.layout.check_index(index)?;
        Ok(self.compiled.packed.at(index))
    }

    /// The place with a packed number.
    #[must_use]
    pub fn location(&self, place: u64) -> Location {
        self.numbers(place).iter().map(|at| self.in_units(at)).collect()
    }

    /// The place with a packed number; its coordinates count memories, not units.
    pub(super) fn numbers(&self, place: u64) -> Location {
        let sizes = self.columns().rev().map(|(_, size)| size.max(1));
        self.columns().rev().map(|(level, _)| level).zip(digits(place, sizes)).collect()
    }

    /// Writes the packed number of every element's place.
    ///
    /// # Errors
    /// `Shape`, `Limit`.
    pub fn fill_packed<T: Cell>(&self, table: &mut [T]) -> Result<(), LayoutError> {
        self.fill(&self.compiled.packed, table)
    }

    /// Writes every element's coordinate in `level`; 0 for a level that is not a column.
    ///
    /// # Errors
    /// As [`fill_packed`](Program::fill_packed).
    pub fn fill_column<T: Cell>(&self, level: Level, table: &mut [T]) -> Result<(), LayoutError> {
        self.fill(&self.column(level), table)
    }

    pub(crate) fn column(&self, level: Level) -> WeightedSum {
        let step = self.units_per_memory(level);
        let Compiled { layout, exact, bare, .. } = &*self.compiled;
        let weight = |of| if of == level { step } else { 0 };
        WeightedSum::over(exact.as_ref().unwrap_or(layout), bare.as_ref(), weight)
    }

    pub(crate) fn fill<T: Cell>(
        &self,
        form: &WeightedSum,
        table: &mut [T],
    ) -> Result<(), LayoutError> {
        check_length(table.len(), self.elements())?;
        narrow::<T>(form.reach)?;
        if table.is_empty() {
            return Ok(());
        }
        if form.fused {
            form.boxes()
                .visit(&self.window_ranges(), &mut |grid| Write::Places.grid(grid, 0, table));
            return Ok(());
        }
        let inner = Inner::new(form, &self.shape);
        let mut outer = Outer::new(form, &self.shape, &inner);
        let mut steps = Variants::<Steps<T>>::default();
        let mut rest = table;
        while let Some(VectorRow { base, flips, part }) = outer.next() {
            let (row, after) = std::mem::take(&mut rest).split_at_mut(part.len());
            let steps = steps.of(flips, || Steps::new(&inner.flipped(flips)));
            steps.write(row, T::wrapped(base), part.start);
            rest = after;
        }
        Ok(())
    }

    /// The window, in row-major numbers.
    pub(crate) fn window_ranges(&self) -> Vec<AxisRange> {
        let ranges = self.shape.iter().zip(weights(&self.shape));
        ranges.map(|(range, weight)| AxisRange::new(range.clone(), weight)).collect()
    }

    /// The places of the program as boxes of digits, with all copies or the first.
    pub(crate) fn boxes(&self, copies: bool) -> Boxes<'_> {
        let Compiled { layout, bare, columns, weights, .. } = &*self.compiled;
        let (layout, weight) =
            (bare.as_ref().unwrap_or(layout), |level| weight(columns, weights, level));
        let stride = |level, stride| weight(level) * stride;
        let mut boxes = Boxes::new(layout, layout.weighed_offset(weight), stride);
        boxes.copies = copies;
        boxes
    }
}

pub(crate) fn check_length(found: usize, wanted: u64) -> Result<(), LayoutError> {
    let found = to_u64(found);
    if found == wanted {
        Ok(())
    } else {
        Err(fault!(
            Shape,
            "the table has {wanted} entries, but the buffer has {found}",
            [wanted, found]
        ))
    }
}

pub(crate) fn narrow<T: Cell>(reach: u64) -> Result<(), LayoutError> {
    let bits = 8 * size_of::<T>();
    T::try_from(reach).map(|_| ()).map_err(|_| {
        fault!(
            Limit,
            "the table holds numbers up to {reach}, which do not fit in {bits} bits",
            [reach, bits]
        )
    })
}
