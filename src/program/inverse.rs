//! Whole inverse tables, in the order of the places.

use std::cmp::Ordering;
use std::ops::Range;

use super::boxes::{AxisRange, Boxes, StepGrid};
use super::cell::Cell;
use super::compiled::{Compiled, Program, check_length, narrow};
use super::numbers::Write;
use crate::algebra::decode::DigitDecoder;
use crate::algebra::strided::NodeDigit;
use crate::algebra::strided::StridedDigit;
use crate::algebra::{Digit, Layout, digits, product};
use crate::error::LayoutError;
use crate::level::Level;
use crate::location::Location;
use crate::number::to_index;
use crate::placement::check_columns;

impl Program {
    /// Writes, for every place by its packed number, the row-major number of the element there:
    /// `T::MAX` for holes, `T::PADDING`, one less, for padding. All copies are written.
    ///
    /// # Errors
    /// As [`fill_packed`](Program::fill_packed); `Collision` where elements share places.
    pub fn fill_inverse<T: Cell>(&self, table: &mut [T]) -> Result<(), LayoutError> {
        self.fill_inverse_within(0..self.places(), table)
    }

    /// Fills a range of places, so that the table of a tensor of any length can be made part by part.
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
        self.fill_part(&FillPart::new(self, &Location::default())?, places, table)
    }

    /// Fills the places of one unit or subtree: those with the coordinates of `at`,
    /// numbered row-major over the other columns.
    ///
    /// # Errors
    /// As [`fill_packed`](Program::fill_packed); `Unknown` for a level that is not a column, `OutOfRange` for a
    /// coordinate out of range.
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
        let part = FillPart::new(self, at)?;
        let places = 0..part.places();
        self.fill_part(&part, places, table)
    }

    /// Fills the table of a range of the places of a part.
    fn fill_part<T: Cell>(
        &self,
        part: &FillPart,
        places: Range<u64>,
        table: &mut [T],
    ) -> Result<(), LayoutError> {
        check_length(table.len(), places.end.saturating_sub(places.start))?;
        // The markers are numbers of no element.
        narrow::<T>(self.elements().saturating_add(1))?;
        self.check_injective()?;
        let is_whole = part.columns.iter().all(|column| column.fixed.is_none());
        if let Some(pieces) = self
            .movable_pieces(&places)
            .filter(|pieces| is_whole && pieces.are_long() && self.fills_all_places())
        {
            pieces.number(table);
            return Ok(());
        }
        let Compiled { layout, bare, backward, .. } = &*self.compiled;
        // Without nesting digits, fixed coordinates fix no digits: all places are visited.
        let looks = !backward.nests && part.columns.iter().any(|column| column.fixed.is_some());
        let whole = looks.then(|| FillPart::new(self, &Location::default())).transpose()?;
        let walked = whole.as_ref().unwrap_or(part);
        let Some(fixed) = walked.fixed(layout) else {
            table.fill(T::MAX);
            return Ok(());
        };
        let slots = walked.slots(layout);
        let size = product(slots.steps.iter().map(|digit| digit.size));
        let plan = Plan::new(self, backward.nests && size == Some(part.places()));
        plan.background.into_iter().for_each(|cell| table.fill(cell));
        let write = |what: Write<T>, grid: &StepGrid, table: &mut [T]| match looks {
            false => what.within(grid, &places, table),
            true => grid.each(&mut |element, place| {
                let cell = part.number(place).and_then(|at| table.get_mut(at));
                cell.into_iter().for_each(|cell| *cell = what.cell(element, place));
            }),
        };
        // Derived axes leave no padding to the boxes, and fixed digits are numbered as those of `layout`.
        let of_boxes = bare.as_ref().filter(|_| fixed.is_empty()).unwrap_or(layout);
        let boxes = walked.boxes(of_boxes, &fixed);
        for (over, what) in plan.layers {
            match over {
                Over::Slots => write(what, &slots, table),
                Over::Boxes(ranges) => boxes.visit(&ranges, &mut |grid| write(what, grid, table)),
            }
        }
        Ok(())
    }

    /// The number of places with the coordinates of `at`: the length of their inverse table.
    ///
    /// # Errors
    /// As [`fill_inverse_at`](Program::fill_inverse_at).
    pub fn places_at(&self, at: &Location) -> Result<u64, LayoutError> {
        Ok(FillPart::new(self, at)?.places())
    }
}

/// The content of an inverse table: a cell everywhere, then layer over layer.
struct Plan<T> {
    background: Option<T>,
    layers: Vec<(Over, Write<T>)>,
}

/// The places that a layer is written over.
enum Over {
    /// All places that digits reach, elements and padding.
    Slots,
    /// The places of some values of the axes.
    Boxes(Vec<AxisRange>),
}

impl<T: Cell> Plan<T> {
    /// `full`: every place of the part is a slot.
    fn new(program: &Program, full: bool) -> Plan<T> {
        let Compiled { layout, backward, .. } = &*program.compiled;
        let (hole, padding) = (T::MAX, T::PADDING);
        // Without holes nothing needs to be cleared.
        let clear = !(full && program.is_whole());
        let pads = layout.slots() != layout.elements() * layout.copies();
        let derived = !layout.derived_axes().is_empty();
        let mut layers = Vec::new();
        match derived {
            _ if !pads => {}
            // Slots that no element overwrites stay padding.
            true if clear => layers.push((Over::Slots, Write::Mark(padding))),
            true => {}
            false => layers.extend(tails(layout).map(|tail| (tail, Write::Mark(padding)))),
        }
        // Padding has been written over elements that the window does not show.
        if pads && !program.is_whole() && (derived || !backward.nests) {
            let elements = layout.axes().iter().map(|axis| AxisRange::new(0..axis.extent, 0));
            layers.push((Over::Boxes(elements.collect()), Write::Mark(hole)));
        }
        layers.push((Over::Boxes(program.window_ranges()), Write::Elements));
        let background = if clear { Some(hole) } else { (derived && pads).then_some(padding) };
        Plan { background, layers }
    }
}

/// The padding, split by the first axis in which an index is padding: axes before it are real, axes after it
/// arbitrary.
fn tails(layout: &Layout) -> impl Iterator<Item = Over> {
    (0..layout.rank()).map(|tail| {
        let ranges = layout.axes().iter().enumerate().map(|(at, axis)| match at.cmp(&tail) {
            Ordering::Less => AxisRange::new(0..axis.extent, 0),
            Ordering::Equal => AxisRange::new(axis.extent..axis.slots(), 0),
            Ordering::Greater => AxisRange::new(0..axis.slots(), 0),
        });
        Over::Boxes(ranges.collect())
    })
}

/// The places with some coordinates fixed; columns minor to major.
struct FillPart {
    columns: Vec<PlaceColumn>,
}

/// A column as a digit: of the packed number, and of that within the part.
struct PlaceColumn {
    level: Level,
    fixed: Option<u64>,
    /// A step adds `weight` to the number among the places of the part, 0 if the column is fixed, and
    /// `stride` to the packed number.
    digit: StridedDigit,
}

impl FillPart {
    fn new(program: &Program, at: &Location) -> Result<FillPart, LayoutError> {
        let known: Vec<Level> = program.columns().map(|(level, _)| level).collect();
        check_columns(&known, at, None)?;
        let beyond = |(level, size): (Level, u64)| {
            let size = size.saturating_mul(program.units_per_memory(level));
            at.get(level).filter(|at| *at >= size).map(|at| (level, at, size))
        };
        if let Some((level, at, size)) = program.columns().find_map(beyond) {
            return Err(LayoutError::coordinate_out_of_range(level, at, size));
        }
        let (mut places, mut stride) = (1, 1);
        let column = |(level, size)| {
            let fixed = at.get(level).map(|at| at / program.units_per_memory(level));
            let weight = if fixed.is_some() { 0 } else { places };
            let digit = StridedDigit { size, weight, stride };
            places *= if fixed.is_some() { 1 } else { size };
            stride *= size;
            PlaceColumn { level, fixed, digit }
        };
        Ok(FillPart { columns: program.columns().rev().map(column).collect() })
    }

    fn places(&self) -> u64 {
        let free = self.columns.iter().filter(|column| column.fixed.is_none());
        free.map(|column| column.digit.size).product()
    }

    /// The number that a step in a level adds to the number within the part.
    fn weight(&self, level: Level) -> u64 {
        let own = self.columns.iter().find(|column| column.level == level);
        own.map_or(0, |column| column.digit.weight)
    }

    /// The number of a place within the part.
    fn number(&self, place: u64) -> Option<usize> {
        let coordinates = digits(place, self.columns.iter().map(|column| column.digit.size));
        let number = self.columns.iter().zip(coordinates).try_fold(0, |number, (column, at)| {
            let inside = column.fixed.is_none_or(|fixed| fixed == at);
            inside.then_some(number + at * column.digit.weight)
        });
        number.map(to_index)
    }

    /// The number within the part where all digits are 0.
    fn base(&self, layout: &Layout) -> u64 {
        layout.weighed_offset(|level| self.weight(level))
    }

    /// The digits that are free, numbered within the part.
    fn slots(&self, layout: &Layout) -> StepGrid {
        let free = self.columns.iter().filter(|column| column.fixed.is_none());
        let landings = free.flat_map(|column| {
            let own = layout.landings().filter(|landing| landing.level == column.level);
            let stride = |stride| stride * column.digit.weight;
            own.map(move |own| StridedDigit {
                size: own.size,
                weight: 0,
                stride: stride(own.stride),
            })
        });
        StepGrid { element: 0, place: self.base(layout), steps: landings.collect() }
    }

    /// All copies, numbered within the part.
    fn boxes<'a>(&self, layout: &'a Layout, fixed: &[(usize, u64)]) -> Boxes<'a> {
        let stride = |level, stride| self.weight(level) * stride;
        let mut boxes = Boxes::new(layout, self.base(layout), stride);
        boxes.copies = true;
        fixed.iter().for_each(|(digit, value)| boxes.fixed[*digit] = Some(*value));
        boxes
    }

    /// The numbers of the digits in fixed columns, which nest, with their values; `None` if no digits
    /// give a coordinate.
    fn fixed(&self, layout: &Layout) -> Option<Vec<(usize, u64)>> {
        let (all, mut steps, mut own) = (layout.digits(), 0, Vec::new());
        for (column, at) in self.columns.iter().filter_map(|column| Some((column, column.fixed?))) {
            let StridedDigit { stride, .. } = column.digit;
            steps += at.checked_sub(layout.offset(column.level))? * stride;
            let packed = |digit: &Digit| StridedDigit {
                stride: digit.stride * stride,
                weight: 1,
                ..digit.into()
            };
            own.extend(all.in_level(column.level).map(|(number, digit)| (number, packed(digit))));
        }
        own.sort_by_key(|(_, digit)| digit.stride);
        let single = |(node, (_, digit)): (usize, &(usize, _))| NodeDigit { node, digit: *digit };
        let places = self.columns.iter().map(|column| column.digit.size).product();
        let mut values = vec![0; own.len()];
        let split = DigitDecoder::new(own.iter().enumerate().map(single), places);
        split.add(steps, &mut values).then_some(())?;
        Some(own.into_iter().map(|(number, _)| number).zip(values).collect())
    }
}
