//! Whole inverse tables, in the order of the places.

use std::ops::Range;

use super::cell::{Cell, Steps};
use super::compiled::{Program, check_length, narrow};
use super::lookup::{Backward, Digit, OpenAxis, either, origin, weights};
use super::weighted_sum::{Inner, Outer, WeightedSum};
use crate::algebra::{Found, IndexOrder, Layout};
use crate::error::LayoutError;
use crate::level::Level;
use crate::location::Location;

impl Program {
    /// Writes, for every place by its packed number, the row-major number of the element there:
    /// `T::MAX` for holes, `T::MAX - 1` for padding. All copies are written.
    ///
    /// # Errors
    /// As [`fill_packed`](Program::fill_packed).
    pub fn fill_inverse<T: Cell>(&self, table: &mut [T]) -> Result<(), LayoutError> {
        self.fill_inverse_at(&Location::default(), table)
    }

    /// The same for the places of one unit or subtree: those with the coordinates of `at`,
    /// numbered row-major over the other columns.
    ///
    /// # Errors
    /// As [`fill_packed`](Program::fill_packed); [`LevelUnknown`](LayoutError::LevelUnknown) for a
    /// level that is no column, [`PlaceBeyond`](LayoutError::PlaceBeyond) for a coordinate that no
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
        check_length(table.len(), part.places())?;
        // The markers are numbers of no element.
        narrow::<T>(self.elements().saturating_add(1))?;
        let sweep = self.backward.as_ref().map(|backward| Sweep::new(&part, self, backward));
        if !matches!(&sweep, Some(Some(sweep)) if sweep.slots() == part.places()) {
            table.fill(T::MAX);
        }
        match sweep {
            Some(sweep) => sweep.iter().for_each(|sweep| sweep.fill(table)),
            None => part.scatter(self, table)?,
        }
        Ok(())
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
        for landing in self.layout.landings() {
            let digit = crate::algebra::Subaxis::land(landing.size, landing.level, landing.stride);
            builder = builder.axis(landing.size, [digit]);
        }
        for level in self.layout.used_levels() {
            builder = builder.used(*level).offset(*level, self.layout.offset(*level));
        }
        let (columns, sizes) = self.columns().unzip();
        Program::new(builder.build()?, columns, sizes)
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
        crate::rows::check_columns(&known, at, None)?;
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
    fn step(&self, digit: &Digit) -> u64 {
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

    /// Where strides do not nest: every slot, then every element over it.
    fn scatter<T: Cell>(&self, program: &Program, table: &mut [T]) -> Result<(), LayoutError> {
        let mut write = |place: u64, value: T| {
            if let Some(cell) = self.number(place).and_then(|at| table.get_mut(at)) {
                *cell = value;
            }
        };
        let slots = program.slots()?;
        if slots.elements() != program.layout.elements() {
            slots.visit(|base, vector| {
                vector.iter().for_each(|step| write(base + step, T::MAX.minus_one()));
            });
        }
        let whole = program.whole();
        for copies in program.packed.copies() {
            let mut indexes = whole.indexes();
            whole.visit(|base, vector| {
                for (step, index) in vector.iter().zip(&mut indexes) {
                    let value = program.number(&index).and_then(T::of).unwrap_or(T::MAX);
                    copies.iter().for_each(|copy| write(base + step + copy, value));
                }
            });
        }
        Ok(())
    }
}

/// The digits that are free in a part, with what each adds to the place, to the number of the
/// element, and to the axes that have to be compared with their extents.
struct Sweep {
    shape: Vec<Range<u64>>,
    place: WeightedSum,
    number: WeightedSum,
    /// The number of the element where all free digits are 0, modulo 2^64.
    origin: u64,
    checks: Vec<(OpenAxis, WeightedSum)>,
}

impl Sweep {
    /// `None` where no slot has the fixed coordinates.
    fn new(part: &Part, program: &Program, backward: &Backward) -> Option<Sweep> {
        let (window, layout) = (&program.shape, &program.layout);
        let weights = weights(window);
        let (fixed, free) = part.split(layout, backward)?;
        let sum = |adds: &dyn Fn(&Digit) -> u64| -> u64 {
            fixed.iter().fold(0, |sum, (digit, at)| sum.wrapping_add(at.wrapping_mul(adds(digit))))
        };
        let form = |base: u64, adds: &dyn Fn(&Digit) -> u64| {
            WeightedSum::of_digits(base, free.iter().map(|digit| (digit.size, adds(digit))))
        };
        let checks = OpenAxis::all(layout, window).into_iter().map(|open| {
            let adds = |digit: &Digit| digit.adds_to(open.axis);
            let form = form(sum(&adds), &adds);
            (open, form)
        });
        let number = |digit: &Digit| digit.adds(&weights);
        let columns = part.columns.iter().filter(|column| column.fixed.is_none());
        let base = columns.map(|column| layout.offset(column.level) * column.weight).sum();
        Some(Sweep {
            checks: checks.collect(),
            place: form(base, &|digit| part.step(digit)),
            number: form(0, &number),
            origin: origin(&weights, window).wrapping_add(sum(&number)),
            shape: free.iter().map(|digit| 0..digit.size).collect(),
        })
    }

    /// How many places the digits give, all different.
    fn slots(&self) -> u64 {
        self.shape.iter().map(|digit| digit.end).product()
    }

    /// Writes over holes, vector by vector.
    fn fill<T: Cell>(&self, table: &mut [T]) {
        let mut place = Track::new(&self.place, &self.shape);
        let mut number = Track::new(&self.number, &self.shape);
        let checks = self.checks.iter();
        let mut checks: Vec<(&OpenAxis, Track<'_>)> =
            checks.map(|(open, form)| (open, Track::new(form, &self.shape))).collect();
        let dense = place.vector.iter().copied().eq(0..place.length());
        let steps = Steps::<T>::new(&number.vector);
        while let (Some((to, length)), Some((first, _))) = (place.next(), number.next()) {
            let to = usize::try_from(to).unwrap_or(usize::MAX);
            let first = T::wrapped(self.origin.wrapping_add(first));
            let mut plain = true;
            for (open, track) in &mut checks {
                track.next();
                plain &= open.holds(track.base, track.base + track.top);
            }
            if plain && dense {
                steps.write(&mut table[to..to + length], first, 0);
                continue;
            }
            for (at, step) in place.vector[..length].iter().enumerate() {
                let held = checks.iter().map(|(open, t)| open.held(t.base + t.vector[at]));
                let cell = match held.fold(None, either) {
                    None => steps.number(first, at),
                    Some(Found::Padding) => T::MAX.minus_one(),
                    Some(_) => T::MAX,
                };
                table[to + usize::try_from(*step).unwrap_or(usize::MAX)] = cell;
            }
        }
    }
}

impl Part {
    /// The digits in fixed columns with their values, and the free ones; `None` where no digits
    /// give a fixed coordinate.
    fn split(&self, layout: &Layout, backward: &Backward) -> Option<Split> {
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
        let beyond = fixed.iter().any(|(digit, at)| *at >= digit.size);
        (!left && !beyond).then_some((fixed, free))
    }
}

/// Digits with their values, and digits that are free.
type Split = (Vec<(Digit, u64)>, Vec<Digit>);

/// One form, walked vector by vector in step with others of the same digits.
struct Track<'a> {
    vector: Vec<u64>,
    top: u64,
    base: u64,
    outer: Outer<'a>,
}

impl<'a> Track<'a> {
    fn new(form: &'a WeightedSum, shape: &[Range<u64>]) -> Track<'a> {
        let inner = Inner::new(form, shape);
        let outer = Outer::new(form, shape, &inner);
        let top = inner.vector.iter().max().copied().unwrap_or(0);
        Track { vector: inner.vector, top, base: 0, outer }
    }

    fn length(&self) -> u64 {
        u64::try_from(self.vector.len()).unwrap_or(u64::MAX)
    }

    /// The base, and the length of the vector that goes with it.
    fn next(&mut self) -> Option<(u64, usize)> {
        let (base, part) = self.outer.next()?;
        self.base = base;
        Some((base, part.len()))
    }
}
