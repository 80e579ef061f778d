//! A placement compiled: whole tables into the caller's memory, at the speed of a hand-written loop.
//!
//! ```text
//! ((16_L2B, 8_L1B, 64:128), (16_MAB, 128:1, 4_PE))    8192 x 8192, packed: unit x 8192 + address
//!
//! row i      base(i)     = L2B and L1B digits of i, 64:128
//! column j   outer(j)    = MAB digit of j            16 of them
//!            inner(j)    = 128:1, 4_PE               512 numbers, made once
//!
//! table[i][j] = base(i) + outer(j) + inner(j)        one addition per element, vectorised
//! ```
//!
//! Without further axes the coordinate in a level is a sum of functions, one per axis, and so is
//! every weighted sum of coordinates. The inner numbers are a vector that stays in the first-level
//! cache; everything else is one number per vector. Layouts with further axes go through the
//! definition, element by element.

use crate::algebra::{Axis, IndexOrder, Indexes, Layout, Target, product};
use crate::error::{LayoutError, Site};
use crate::level::Level;
use crate::placement::Placement;

/// The longest inner vector: 8 KiB of u32 stay in a 32 KiB cache beside the rows.
const LONGEST_VECTOR: u64 = 2048;

/// An unsigned integer that a table holds.
pub trait Cell: Copy + private::Sealed {
    /// The greatest value, which marks holes in inverse tables; one less marks padding.
    const MAX: Self;
}

mod private {
    pub trait Sealed: Sized {
        fn of(value: u64) -> Option<Self>;
        fn plus(self, other: Self) -> Self;
        fn minus_one(self) -> Self;
    }
}

macro_rules! cell {
    ($($int:ty),*) => {$(
        impl private::Sealed for $int {
            fn of(value: u64) -> Option<$int> {
                value.try_into().ok()
            }

            #[inline(always)]
            fn plus(self, other: $int) -> $int {
                self.wrapping_add(other)
            }

            fn minus_one(self) -> $int {
                self - 1
            }
        }

        impl Cell for $int {
            const MAX: $int = <$int>::MAX;
        }
    )*};
}

cell!(u8, u16, u32, u64);

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
    pub(super) layout: Layout,
    columns: Vec<Level>,
    sizes: Vec<u64>,
    pub(super) packed: Form,
}

impl Placement {
    /// Compiles the placement.
    ///
    /// Cost: O(subaxes), and one vector of at most 2048 numbers per table that is filled.
    ///
    /// # Errors
    /// [`TooLarge`](LayoutError::TooLarge) where places do not fit in 64 bits when numbered through.
    pub fn program(&self) -> Result<Program, LayoutError> {
        let columns = self.columns().to_vec();
        let size = |level: &Level| match *level {
            Level::ADDR => self.spread().span(Level::ADDR),
            _ => self.size(*level).unwrap_or_else(|| self.spread().span(*level)),
        };
        let sizes: Vec<u64> = columns.iter().map(size).collect();
        let too_large = LayoutError::too_large(Site::Layout, "the number of places");
        product(sizes.iter().copied()).ok_or(too_large)?;
        let layout = self.spread().simplified()?;
        Program::new(layout, columns, sizes)
    }
}

impl Program {
    /// Numbers the places through, row-major over the columns; the product of the sizes fits.
    fn new(layout: Layout, columns: Vec<Level>, sizes: Vec<u64>) -> Result<Program, LayoutError> {
        let weights = IndexOrder::RowMajor.weights(&sizes)?;
        let packed = Form::new(&layout, |level| {
            let at = columns.iter().position(|column| *column == level);
            at.map_or(0, |at| weights[at])
        });
        Ok(Program { layout, columns, sizes, packed })
    }

    /// The number of elements: the length of a table.
    #[must_use]
    pub fn elements(&self) -> u64 {
        self.layout.elements()
    }

    /// The number of places, holes included: the length of an inverse table.
    #[must_use]
    pub fn places(&self) -> u64 {
        self.sizes.iter().product()
    }

    /// The columns with their sizes, which the packed number of a place is made of, row-major:
    /// units by the machine, addresses by the footprint, so that it is unit x words + address.
    pub fn columns(&self) -> impl Iterator<Item = (Level, u64)> + '_ {
        self.columns.iter().copied().zip(self.sizes.iter().copied())
    }

    /// The packed number of the place of one element.
    ///
    /// # Errors
    /// As [`Layout::locate`].
    pub fn place(&self, index: &[u64]) -> Result<u64, LayoutError> {
        self.layout.check_index(index)?;
        Ok(match self.layout.further.is_empty() {
            true => self.packed.at(index),
            false => self.packed.through(&self.layout, index),
        })
    }

    /// Writes the packed number of every element's place.
    ///
    /// # Errors
    /// [`BufferLength`](LayoutError::BufferLength), [`CellTooNarrow`](LayoutError::CellTooNarrow).
    pub fn fill_packed<T: Cell>(&self, table: &mut [T]) -> Result<(), LayoutError> {
        self.fill(&self.packed, table)
    }

    /// Writes every element's coordinate in `level`; 0 for a level that has no column.
    ///
    /// # Errors
    /// As [`fill_packed`](Program::fill_packed).
    pub fn fill_column<T: Cell>(&self, level: Level, table: &mut [T]) -> Result<(), LayoutError> {
        self.fill(&Form::new(&self.layout, |of| u64::from(of == level)), table)
    }

    /// Writes, for every place by its packed number, the row-major number of the element there:
    /// `T::MAX` for holes, `T::MAX - 1` for padding. All copies are written.
    ///
    /// # Errors
    /// As [`fill_packed`](Program::fill_packed); [`NotDecided`](LayoutError::NotDecided) as
    /// [`Layout::element`].
    pub fn fill_inverse<T: Cell>(&self, table: &mut [T]) -> Result<(), LayoutError> {
        check_length(table.len(), self.places())?;
        let padding = T::MAX.minus_one();
        narrow::<T>(self.elements().saturating_add(1))?;
        if let Some(inverse) = self.bijection() {
            return inverse.fill(&inverse.packed, table);
        }
        table.fill(T::MAX);
        let slots = self.slots()?;
        if slots.elements() != self.elements() {
            slots.scatter(table, |_| Some(padding))?;
        }
        self.scatter(table, T::of)
    }

    /// The program from places to elements, where every place holds exactly one element.
    fn bijection(&self) -> Option<Program> {
        if self.elements() != self.places() || !self.layout.further.is_empty() {
            return None;
        }
        let inverse = self.layout.left_inverse().ok()?;
        // Its axes are the used levels; columns of size 1 may be missing.
        let used = self.layout.used_levels();
        let shape = self.columns().filter(|(level, _)| used.contains(level)).map(|(_, size)| size);
        let order = self.columns.iter().filter_map(|c| used.binary_search(c).ok());
        let inverse = inverse.permute(&order.collect::<Vec<_>>()).ok()?;
        if !inverse.shape().into_iter().eq(shape) || inverse.elements() != self.places() {
            return None;
        }
        let linear = inverse.linearised(IndexOrder::RowMajor, &self.layout.shape()).ok()?;
        let linear = linear.simplified().ok().filter(|layout| layout.further.is_empty())?;
        Placement::of(linear).build().ok()?.program().ok()
    }

    /// The same with every slot as an element.
    fn slots(&self) -> Result<Program, LayoutError> {
        let mut builder = Layout::builder();
        for landing in self.layout.landings() {
            let digit = crate::Subaxis::land(landing.size, landing.level, landing.stride);
            builder = builder.axis(landing.size, [digit]);
        }
        for level in self.layout.used_levels() {
            builder = builder.used(*level).offset(*level, self.layout.offset(*level));
        }
        Program::new(builder.build()?, self.columns.clone(), self.sizes.clone())
    }

    /// Writes `value(number of the element)` at every place of every element.
    pub(super) fn scatter<T: Copy>(
        &self,
        table: &mut [T],
        value: impl Fn(u64) -> Option<T>,
    ) -> Result<(), LayoutError> {
        let copies = self.packed.copies();
        let mut number = 0;
        self.visit(&self.packed, |base, vector: &[u64]| {
            for step in vector {
                let element = value(number);
                for copy in &copies {
                    let place = usize::try_from(base + step + copy).unwrap_or(usize::MAX);
                    if let (Some(cell), Some(element)) = (table.get_mut(place), element) {
                        *cell = element;
                    }
                }
                number += 1;
            }
        })
    }

    fn fill<T: Cell>(&self, form: &Form, table: &mut [T]) -> Result<(), LayoutError> {
        check_length(table.len(), self.elements())?;
        narrow::<T>(form.reach)?;
        let mut rest = table;
        let mut cells: Vec<T> = Vec::new();
        self.visit(form, |base, vector: &[u64]| {
            // The vector is the same every time, but for the length of the last ones of an axis.
            if cells.len() < vector.len() {
                cells = vector.iter().filter_map(|step| T::of(*step)).collect();
            }
            // That all sums fit was checked above.
            let Some(base) = T::of(base) else { return };
            let (row, after) = std::mem::take(&mut rest).split_at_mut(vector.len());
            for (cell, step) in row.iter_mut().zip(&cells) {
                *cell = base.plus(*step);
            }
            rest = after;
        })
    }

    /// Calls `row(base, vector)` over all elements, row-major: their numbers are base + vector.
    pub(super) fn visit(
        &self,
        form: &Form,
        mut row: impl FnMut(u64, &[u64]),
    ) -> Result<(), LayoutError> {
        if self.elements() == 0 {
            return Ok(());
        }
        if !self.layout.further.is_empty() {
            for index in Indexes::new(self.layout.shape()) {
                row(form.through(&self.layout, &index), &[0]);
            }
            return Ok(());
        }
        let inner = Inner::new(form, &self.layout);
        let mut outer = Outer::new(form, &self.layout, &inner);
        while let Some((base, length)) = outer.next() {
            row(base, &inner.vector[..length]);
        }
        Ok(())
    }
}

pub(super) fn check_length(found: usize, wanted: u64) -> Result<(), LayoutError> {
    let found = u64::try_from(found).unwrap_or(u64::MAX);
    if found == wanted { Ok(()) } else { Err(LayoutError::BufferLength { found, wanted }) }
}

fn narrow<T: Cell>(reach: u64) -> Result<(), LayoutError> {
    match T::of(reach) {
        Some(_) => Ok(()),
        None => Err(LayoutError::CellTooNarrow { reach, bits: 8 * size_of::<T>() }),
    }
}

/// A weighted sum of coordinates: what each digit adds, axis by axis.
#[derive(Clone, Debug)]
pub(super) struct Form {
    base: u64,
    /// (size, step) of the digits, minor to major.
    axes: Vec<Vec<(u64, u64)>>,
    replicas: Vec<(u64, u64)>,
    /// (level, weight), for layouts with further axes.
    weights: Vec<(Level, u64)>,
    /// The greatest value, padding included.
    reach: u64,
}

impl Form {
    fn new(layout: &Layout, weight: impl Fn(Level) -> u64) -> Form {
        let step = |target: Target| match target {
            Target::Land { level, stride } => weight(level) * stride,
            Target::Feed { .. } => 0,
        };
        let digits =
            |axis: &Axis| merged(axis.subaxes.iter().rev().map(|s| (s.size, step(s.target))));
        let used = layout.used_levels().iter();
        let weights: Vec<(Level, u64)> = used.map(|level| (*level, weight(*level))).collect();
        let reach = weights.iter().map(|(level, weight)| (layout.extent(*level) - 1) * weight);
        Form {
            base: weights.iter().map(|(level, weight)| layout.offset(*level) * weight).sum(),
            axes: layout.axes().iter().map(digits).collect(),
            replicas: layout
                .replicas()
                .iter()
                .map(|r| (r.size, weight(r.level) * r.stride))
                .collect(),
            reach: reach.sum(),
            weights,
        }
    }

    /// By the definition, through further axes.
    pub(super) fn through(&self, layout: &Layout, index: &[u64]) -> u64 {
        let mut sum = self.base;
        layout.land(index, |level, step| {
            let weight = self.weights.iter().find(|(of, _)| *of == level);
            sum += step * weight.map_or(0, |(_, weight)| *weight);
        });
        sum
    }

    fn at(&self, index: &[u64]) -> u64 {
        self.axes.iter().zip(index).fold(self.base, |sum, (axis, entry)| sum + value(axis, *entry))
    }

    /// What each copy adds.
    pub(super) fn copies(&self) -> Vec<u64> {
        self.replicas.iter().fold(vec![0], |copies, (size, step)| {
            (0..*size)
                .flat_map(|digit| copies.iter().map(move |copy| copy + digit * step))
                .collect()
        })
    }
}

/// Digits, minor to major, with neighbours that step evenly merged and unit digits dropped.
fn merged(digits: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, u64)> {
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (size, step) in digits.filter(|(size, _)| *size > 1) {
        match merged.last_mut() {
            Some((n, minor)) if minor.checked_mul(*n) == Some(step) => *n *= size,
            _ => merged.push((size, step)),
        }
    }
    merged
}

/// The value of an axis function; digits are minor to major.
fn value(digits: &[(u64, u64)], entry: u64) -> u64 {
    let mut rest = entry;
    let mut sum = 0;
    for (size, step) in digits {
        let digit = if size.is_power_of_two() { rest & (size - 1) } else { rest % size };
        rest = if size.is_power_of_two() { rest >> size.trailing_zeros() } else { rest / size };
        sum += digit * step;
    }
    sum
}

/// The inner vector: all trailing axes that fit, and a block of minor digits of the next one.
pub(super) struct Inner {
    pub(super) vector: Vec<u64>,
    /// How many axes lie outside; the last of them may be cut into blocks.
    outside: usize,
    /// How many values of that axis the vector holds; 1 if it lies outside as a whole.
    block: u64,
}

impl Inner {
    pub(super) fn new(form: &Form, layout: &Layout) -> Inner {
        let mut vector = vec![0_u64];
        let mut outside = form.axes.len();
        // Without elements the vector is empty.
        let room =
            |vector: &[u64]| LONGEST_VECTOR / u64::try_from(vector.len()).unwrap_or(1).max(1);
        while let Some(axis) = outside.checked_sub(1) {
            let extent = layout.axes()[axis].extent;
            if extent > room(&vector) {
                let block = block(&form.axes[axis], extent, room(&vector));
                extend(&mut vector, &form.axes[axis], block);
                return Inner { vector, outside, block };
            }
            extend(&mut vector, &form.axes[axis], extent);
            outside = axis;
        }
        Inner { vector, outside: 0, block: 1 }
    }
}

/// The largest block of an axis that has room and begins at a boundary of digits; a part of a long
/// even run is as good.
fn block(digits: &[(u64, u64)], extent: u64, room: u64) -> u64 {
    let mut block = 1_u64;
    for (at, (size, _)) in digits.iter().enumerate() {
        match block.checked_mul(*size).filter(|next| *next <= room && *next < extent) {
            Some(next) => block = next,
            // The major-most digit does not wrap: any part of it is even.
            None if at + 1 == digits.len() => return block * (room / block),
            // A divisor of the digit keeps blocks aligned.
            None => {
                let part = (1..=room / block).rev().find(|part| size.is_multiple_of(*part));
                return block * part.unwrap_or(1);
            }
        }
    }
    block
}

/// Every number plus every value below `extent` of an axis that runs slower.
fn extend(vector: &mut Vec<u64>, digits: &[(u64, u64)], extent: u64) {
    let inner = std::mem::take(vector);
    for entry in 0..extent {
        let base = value(digits, entry);
        vector.extend(inner.iter().map(|step| base + step));
    }
}

/// The outer loop: one base per vector.
#[derive(Debug)]
pub(super) struct Outer<'a> {
    form: &'a Form,
    /// (extent, step) of each outer axis, the last one in blocks.
    loops: Vec<(u64, u64)>,
    index: Vec<u64>,
    values: Vec<u64>,
    /// Numbers per value of the last outer axis.
    unit: usize,
    done: bool,
}

impl<'a> Outer<'a> {
    pub(super) fn new(form: &'a Form, layout: &Layout, inner: &Inner) -> Outer<'a> {
        let extents = layout.axes()[..inner.outside].iter().map(|axis| axis.extent);
        let mut loops: Vec<(u64, u64)> = extents.map(|extent| (extent, 1)).collect();
        if let Some((_, step)) = loops.last_mut() {
            *step = inner.block;
        }
        let block = usize::try_from(inner.block).unwrap_or(1);
        let (index, values) = (vec![0; loops.len()], vec![0; loops.len()]);
        Outer { form, loops, index, values, unit: inner.vector.len() / block, done: false }
    }

    /// The next base, and how much of the vector belongs to it.
    pub(super) fn next(&mut self) -> Option<(u64, usize)> {
        if self.done {
            return None;
        }
        let base = self.values.iter().fold(self.form.base, |sum, value| sum + value);
        let length = match (self.loops.last(), self.index.last()) {
            (Some((extent, step)), Some(at)) => {
                usize::try_from((extent - at).min(*step)).unwrap_or(0) * self.unit
            }
            _ => self.unit,
        };
        self.advance();
        Some((base, length))
    }

    fn advance(&mut self) {
        for at in (0..self.loops.len()).rev() {
            let (extent, step) = self.loops[at];
            self.index[at] += step;
            if self.index[at] < extent {
                self.values[at] = value(&self.form.axes[at], self.index[at]);
                return;
            }
            (self.index[at], self.values[at]) = (0, 0);
        }
        self.done = true;
    }
}
