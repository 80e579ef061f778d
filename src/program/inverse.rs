//! Whole inverse tables, in the order of the places.

use std::ops::Range;
use std::sync::OnceLock;

use super::boxes::{AxisRange, Boxes, Grid, Step};
use super::cell::Cell;
use super::compiled::{Program, check_length, narrow};
use super::lookup::{Backward, PlaceDigit};
use super::numbers::Write;
use crate::algebra::{IndexOrder, Layout, product};
use crate::error::LayoutError;
use crate::level::Level;
use crate::location::Location;
use crate::placement::check_columns;

impl Program {
    /// Writes, for every place by its packed number, the row-major number of the element there:
    /// `T::MAX` for holes, `T::MAX - 1` for padding. All copies are written.
    ///
    /// # Errors
    /// As [`fill_packed`](Program::fill_packed); [`Collision`](LayoutError::Collision) where elements
    /// share places.
    pub fn fill_inverse<T: Cell>(&self, table: &mut [T]) -> Result<(), LayoutError> {
        self.fill_inverse_within(0..self.places(), table)
    }

    /// The same for a range of places: the table of a tensor of any length, part by part.
    ///
    /// # Errors
    /// As [`fill_inverse`](Program::fill_inverse).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Placement;
    /// let program = Placement::of("(10,7)/((3:7, 4_PE), (7:1))".parse()?).build()?.program()?;
    /// let mut part = [0_u8; 4];
    /// program.fill_inverse_within(75..79, &mut part)?; // PE 3, addresses 12 to 15
    /// assert_eq!(part, [54, 55, u8::MAX - 1, u8::MAX - 1]); // row 7, then row 11, padding
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fill_inverse_within<T: Cell>(
        &self,
        places: Range<u64>,
        table: &mut [T],
    ) -> Result<(), LayoutError> {
        self.fill_part(&Part::new(self, &Location::default())?, places, table)
    }

    /// The same for the places of one unit or subtree: those with the coordinates of `at`,
    /// numbered row-major over the other columns.
    ///
    /// # Errors
    /// As [`fill_packed`](Program::fill_packed); [`LevelUnknown`](LayoutError::LevelUnknown) for a
    /// level that is not a column, [`PlaceBeyond`](LayoutError::PlaceBeyond) for a coordinate that no
    /// place has.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Placement;
    /// let placement = Placement::of("(10,7)/((3:7, 4_PE), (7:1))".parse()?).build()?;
    /// let mut unit = [0_u8; 21];
    /// placement.program()?.fill_inverse_at(&"PE=3".parse()?, &mut unit)?;
    /// assert_eq!(unit[..8], [21, 22, 23, 24, 25, 26, 27, 49]); // row 3, then row 7
    /// assert_eq!(unit[14], u8::MAX - 1); // row 11 is padding
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fill_inverse_at<T: Cell>(
        &self,
        at: &Location,
        table: &mut [T],
    ) -> Result<(), LayoutError> {
        let part = Part::new(self, at)?;
        let places = 0..part.places();
        self.fill_part(&part, places, table)
    }

    /// Fills the table of a range of the places of a part.
    fn fill_part<T: Cell>(
        &self,
        part: &Part,
        places: Range<u64>,
        table: &mut [T],
    ) -> Result<(), LayoutError> {
        check_length(table.len(), places.end.saturating_sub(places.start))?;
        // The markers are numbers of no element.
        narrow::<T>(self.elements().saturating_add(1))?;
        self.check_injective()?;
        let backward = &self.compiled.backward;
        if !backward.nests && part.is_cut() {
            table.fill(T::MAX);
            return part.scatter(self, table);
        }
        let Some((fixed, free)) = part.split(&self.compiled.layout, backward) else {
            table.fill(T::MAX);
            return Ok(());
        };
        let slots = product(free.iter().map(|free| free.digit.size));
        let full = backward.nests && slots == Some(part.places());
        let boxes = part.boxes(&self.compiled.layout, &fixed);
        match full && self.is_whole() {
            // What no element is written over is padding.
            true if self.pads_derived() => table.fill(T::MAX.minus_one()),
            true => self.fill_padding(part, &free, &boxes, &places, table),
            false => {
                table.fill(T::MAX);
                self.fill_padding(part, &free, &boxes, &places, table);
            }
        }
        let write = &mut |grid: &Grid| Write::Elements.within(grid, &places, table);
        boxes.visit(&self.window_ranges(), write);
        Ok(())
    }

    /// Whether there are slots without an element; no two elements share one.
    fn pads(&self) -> bool {
        let layout = &self.compiled.layout;
        layout.slots() != layout.elements() * layout.copies()
    }

    /// The same of slots that derived axes may hold.
    fn pads_derived(&self) -> bool {
        !self.compiled.layout.derived_axes().is_empty() && self.pads()
    }

    /// Marks the slots that hold no element, over holes; elements may be written over them.
    fn fill_padding<T: Cell>(
        &self,
        part: &Part,
        free: &[PlaceDigit],
        boxes: &Boxes<'_>,
        places: &Range<u64>,
        table: &mut [T],
    ) {
        let layout = &self.compiled.layout;
        let mark = |ranges: &[AxisRange], cell: T, table: &mut [T]| {
            boxes.visit(ranges, &mut |grid| Write::Mark(cell).within(grid, places, table));
        };
        let range = |start, end| AxisRange { start, count: end - start, weight: 0 };
        let real: Vec<AxisRange> = layout.axes().iter().map(|a| range(0, a.extent)).collect();
        if layout.derived_axes().is_empty() {
            // Padding by its first axis: real before it, anything behind it.
            for (at, axis) in layout.axes().iter().enumerate() {
                let rest = layout.axes()[at + 1..].iter().map(|axis| range(0, axis.slots()));
                let tail = range(axis.extent, axis.slots());
                let ranges: Vec<AxisRange> =
                    real[..at].iter().copied().chain([tail]).chain(rest).collect();
                mark(&ranges, T::MAX.minus_one(), table);
            }
            if !self.is_whole() && !self.compiled.backward.nests {
                mark(&real, T::MAX, table);
            }
        } else if self.pads_derived() {
            let step = |digit: &PlaceDigit| Step {
                count: digit.digit.size,
                element: 0,
                place: part.step(digit),
            };
            let place = part.base(layout);
            let all = Grid { element: 0, place, steps: free.iter().map(step).collect() };
            Write::Mark(T::MAX.minus_one()).within(&all, places, table);
            if !self.is_whole() {
                mark(&real, T::MAX, table);
            }
        }
    }

    /// The number of places with the coordinates of `at`: the length of their inverse table.
    ///
    /// # Errors
    /// As [`fill_inverse_at`](Program::fill_inverse_at).
    pub fn places_at(&self, at: &Location) -> Result<u64, LayoutError> {
        Ok(Part::new(self, at)?.places())
    }

    /// The same with every slot as an element.
    fn slots(&self) -> Result<Program, LayoutError> {
        let mut builder = Layout::builder();
        let layout = &self.compiled.layout;
        for landing in layout.landings() {
            let digit = crate::algebra::Subaxis::land(landing.size, landing.level, landing.stride);
            builder = builder.axis(landing.size, [digit]);
        }
        for level in layout.used_levels() {
            builder = builder.used(*level).offset(*level, layout.offset(*level));
        }
        let (columns, sizes) = self.columns().unzip();
        Program::new(builder.build()?, columns, sizes, OnceLock::new())
    }
}

/// The places with some coordinates fixed.
struct Part {
    columns: Vec<Column>,
}

struct Column {
    level: Level,
    size: u64,
    /// What a step adds to the packed number, and to the number among the places of the part.
    packed: u64,
    weight: u64,
    fixed: Option<u64>,
}

impl Part {
    fn new(program: &Program, at: &Location) -> Result<Part, LayoutError> {
        let known: Vec<Level> = program.columns().map(|(level, _)| level).collect();
        check_columns(&known, at, None)?;
        let all: Vec<u64> = program.columns().map(|(_, size)| size).collect();
        let free = |(level, size)| if at.get(level).is_some() { 1 } else { size };
        let open: Vec<u64> = program.columns().map(free).collect();
        let weights = IndexOrder::RowMajor.weights(&all)?.into_iter();
        let weights = weights.zip(IndexOrder::RowMajor.weights(&open)?);
        let column = |((level, size), (packed, weight))| match at.get(level) {
            Some(at) if at >= size => Err(LayoutError::PlaceBeyond { level, at, size }),
            fixed => Ok(Column { level, size, packed, weight, fixed }),
        };
        Ok(Part { columns: program.columns().zip(weights).map(column).collect::<Result<_, _>>()? })
    }

    fn places(&self) -> u64 {
        let free = self.columns.iter().filter(|column| column.fixed.is_none());
        free.map(|column| column.size).product()
    }

    /// What a step in the level adds to the number within the part, per packed number.
    fn step(&self, digit: &PlaceDigit) -> u64 {
        let own = self.columns.iter().find(|column| column.level == digit.level);
        own.map_or(0, |column| digit.stride / column.packed * column.weight)
    }

    /// The number of a place within the part.
    fn number(&self, place: u64) -> Option<usize> {
        let number = self.columns.iter().try_fold(0, |number, column| {
            let at = place / column.packed % column.size;
            let inside = column.fixed.is_none_or(|fixed| fixed == at);
            inside.then(|| number + if column.fixed.is_some() { 0 } else { at * column.weight })
        });
        usize::try_from(number?).ok()
    }

    /// Whether some coordinate is fixed.
    fn is_cut(&self) -> bool {
        self.columns.iter().any(|column| column.fixed.is_some())
    }

    /// The number within the part where all digits are 0.
    fn base(&self, layout: &Layout) -> u64 {
        let free = self.columns.iter().filter(|column| column.fixed.is_none());
        free.map(|column| layout.offset(column.level) * column.weight).sum()
    }

    /// All copies, numbered within the part.
    fn boxes<'a>(&self, layout: &'a Layout, fixed: &[(PlaceDigit, u64)]) -> Boxes<'a> {
        let stride = |level, stride| {
            let own = self.columns.iter().find(|column| column.level == level);
            own.filter(|own| own.fixed.is_none()).map_or(0, |own| own.weight * stride)
        };
        let mut boxes = Boxes::new(layout, self.base(layout), stride).with_copies();
        for (digit, value) in fixed {
            boxes.fix(digit.number, *value);
        }
        boxes
    }

    /// Where strides do not nest and coordinates are fixed: every slot, then every element over it.
    fn scatter<T: Cell>(&self, program: &Program, table: &mut [T]) -> Result<(), LayoutError> {
        let write = |place: u64, value: T, table: &mut [T]| {
            if let Some(cell) = self.number(place).and_then(|at| table.get_mut(at)) {
                *cell = value;
            }
        };
        let slots = program.slots()?;
        if program.pads() {
            slots.boxes(true).visit(&slots.window_ranges(), &mut |grid| {
                grid.each(&mut |_, place| write(place, T::MAX.minus_one(), table));
            });
        }
        let whole = program.compiled.layout.shape().into_iter().map(|extent| 0..extent);
        let whole: Vec<_> = whole.collect();
        let whole = program.window(&whole)?;
        if !program.is_whole() {
            whole.boxes(true).visit(&whole.window_ranges(), &mut |grid| {
                grid.each(&mut |_, place| write(place, T::MAX, table));
            });
        }
        program.boxes(true).visit(&program.window_ranges(), &mut |grid| {
            grid.each(&mut |element, place| {
                write(place, T::of(element).unwrap_or(T::MAX), table);
            });
        });
        Ok(())
    }

    /// The digits in fixed columns with their values, and the free ones; `None` where no digits
    /// give a fixed coordinate. Without fixed columns digits need not nest.
    fn split(&self, layout: &Layout, backward: &Backward) -> Option<Chosen> {
        let fixed = self.columns.iter().filter_map(|column| Some((column, column.fixed?)));
        let rest = |(column, at): (&Column, u64)| {
            let steps = at.checked_sub(layout.offset(column.level))?;
            Some((column.level, steps * column.packed))
        };
        let mut rest: Vec<(Level, u64)> = fixed.map(rest).collect::<Option<_>>()?;
        let (mut fixed, mut free) = (Vec::new(), Vec::new());
        for digit in &backward.digits {
            match rest.iter_mut().find(|(level, _)| *level == digit.level) {
                None => free.push(*digit),
                Some((_, rest)) => {
                    fixed.push((*digit, *rest / digit.stride));
                    *rest %= digit.stride;
                }
            }
        }
        let left = rest.iter().any(|(_, rest)| *rest > 0);
        let beyond = fixed.iter().any(|(place, at)| *at >= place.digit.size);
        (!left && !beyond).then_some((fixed, free))
    }
}

/// Digits with their values, and digits that are free.
type Chosen = (Vec<(PlaceDigit, u64)>, Vec<PlaceDigit>);
