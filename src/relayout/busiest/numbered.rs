//! The units of elements and copies as sums of numbers, on both sides.
//!
//! ```text
//! ((4_PE, 3:8), (8:1))  ->  ((12:2), (4_PE, 2:1))      PE=4: one field of two bits
//!
//! axis 0, 4 at 3    adds 0 1 2 3 to the source and nothing to the target
//! axis 1, 4 at 2    adds nothing to the source and 0 1 2 3 to the target
//! axis 0, 3; axis 1, 2    12 elements that are in the same units
//! ```
//!
//! A coordinate splits into fields between which neither side [carries](Segments) anything. Each field has
//! bits of its own in the number of a unit, those of the outermost level on top. The numbers are therefore in
//! the order of the units, adding two numbers adds all fields at once, and fields can be compared one by one.

use std::ops::{Add, AddAssign};

use crate::error::{LayoutError, Site};
use crate::level::Level;
use crate::number::{to_index, to_u64};
use crate::relayout::count::counter::{AxisGroup, Counter, both};
use crate::relayout::count::digit::{DigitChoice, Step};
use crate::relayout::count::equations::Segments;
use crate::relayout::count::options::{Options, merge, spend};
use crate::relayout::pair::{Relayout, Role};

/// The most bits of a number.
const MOST_BITS: u32 = 127;

/// The fields of a unit in one number, or an amount that is added to them.
pub(crate) type UnitNumber = i128;

/// Some bits of a number: a part of the coordinate in a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Field {
    shift: u32,
    mask: UnitNumber,
}

impl Field {
    pub(crate) fn value(self, number: UnitNumber) -> UnitNumber {
        number >> self.shift & self.mask
    }

    pub(crate) fn number(self, value: UnitNumber) -> UnitNumber {
        value << self.shift
    }
}

/// A number for each side: a unit, or an amount that is added to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BothNumbers {
    pub(crate) target: UnitNumber,
    pub(crate) source: UnitNumber,
}

impl BothNumbers {
    pub(crate) fn of(self, side: Role) -> UnitNumber {
        *side.of(&(self.source, self.target))
    }

    /// These numbers, with less on one side.
    pub(crate) fn less(mut self, side: Role, number: UnitNumber) -> BothNumbers {
        match side {
            Role::Source => self.source -= number,
            Role::Target => self.target -= number,
        }
        self
    }
}

impl Add for BothNumbers {
    type Output = BothNumbers;

    fn add(self, other: BothNumbers) -> BothNumbers {
        BothNumbers { target: self.target + other.target, source: self.source + other.source }
    }
}

impl AddAssign for BothNumbers {
    fn add_assign(&mut self, other: BothNumbers) {
        *self = *self + other;
    }
}

/// Amounts, each with the number of elements that add it.
pub(crate) type Rows = Vec<(BothNumbers, u128)>;

/// A digit of the elements, or of the copies of one side.
#[derive(Clone, Debug)]
pub(crate) struct NumberPart {
    pub(crate) copies_of: Option<Role>,
    pub(crate) options: Options<BothNumbers>,
}

/// The units of elements and copies along a path, as numbers.
#[derive(Debug)]
pub(crate) struct NumberedSides {
    /// The parts of the coordinate in every level.
    levels: Vec<Segments>,
    pub(crate) fields: Vec<Field>,
    /// The unit of the first copy of element 0.
    pub(crate) start: BothNumbers,
    pub(crate) parts: Vec<NumberPart>,
}

impl NumberedSides {
    pub(crate) fn new(
        relayout: &Relayout,
        path: &[Level],
        budget: &mut u64,
    ) -> Result<NumberedSides, LayoutError> {
        let counter = Counter::new(relayout, path.iter().copied().map(both).collect())?;
        let mut pieces = Vec::new();
        let all = counter.groups.iter().flat_map(|group| &group.choices);
        all.chain(counter.copies.iter().map(|(_, copies)| copies))
            .for_each(|choice| choice.pieces(|piece| pieces.push(piece)));
        let levels = Segments::of_levels(&counter.start, pieces.iter());
        let fields = fields(relayout, path, &levels)?;
        let mut numbered =
            NumberedSides { levels, fields, start: BothNumbers::default(), parts: Vec::new() };
        numbered.start = numbered.both(&counter.start);
        for group in &counter.groups {
            numbered.add(group, budget)?;
        }
        for (sum, copies) in &counter.copies {
            let side = if sum.is_multiple_of(2) { Role::Source } else { Role::Target };
            numbered.push(Some(side), copies, budget)?;
        }
        Ok(numbered)
    }

    /// The coordinates of a unit in the levels of the path.
    pub(crate) fn unit(&self, number: UnitNumber) -> Vec<u64> {
        let coordinate = |level: &Segments| {
            let fields = self.fields.iter().skip(level.first).zip(&level.from);
            let values = fields.map(|(field, from)| field.value(number) * UnitNumber::from(*from));
            u64::try_from(values.sum::<UnitNumber>()).unwrap_or(u64::MAX)
        };
        self.levels.iter().map(coordinate).collect()
    }

    /// Adds the parts that the digits of a group make.
    fn add(&mut self, group: &AxisGroup, budget: &mut u64) -> Result<(), LayoutError> {
        if group.is_full() {
            return group.choices.iter().try_for_each(|choice| self.push(None, choice, budget));
        }
        let mut all = Vec::new();
        for at in 0..group.boxes() {
            let (mut start, mut choices) = (vec![0; 2 * self.levels.len()], Vec::new());
            group.take(at, &mut start, &mut choices);
            let mut rows = vec![(self.both(&start), 1)];
            for choice in choices {
                rows = sums(&rows, &self.listed(&choice, budget)?, budget)?;
            }
            all.extend(rows);
        }
        self.parts.push(NumberPart { copies_of: None, options: Options::listed(all) });
        Ok(())
    }

    /// Lists the amount of every value of a choice. The digits of a box are not cut into pieces, so their
    /// steps may carry from one field into the next.
    fn listed(
        &self,
        choice: &DigitChoice<u64>,
        budget: &mut u64,
    ) -> Result<Options<BothNumbers>, LayoutError> {
        spend(budget, choice.options)?;
        let row = |value: u64| {
            let mut at = vec![0; 2 * self.levels.len()];
            choice.add(value, &mut at);
            (self.both(&at), 1)
        };
        Ok(Options::listed((0..choice.options).map(row).collect()))
    }

    fn push(
        &mut self,
        copies_of: Option<Role>,
        choice: &DigitChoice<u64>,
        budget: &mut u64,
    ) -> Result<(), LayoutError> {
        let mut pieces = Vec::new();
        choice.pieces(|piece| pieces.push(piece));
        for piece in pieces {
            let options = self.options(&piece, budget)?;
            self.parts.push(NumberPart { copies_of, options });
        }
        Ok(())
    }

    /// The amounts of a choice: one digit, or listed in runs.
    fn options(
        &self,
        choice: &DigitChoice<u64>,
        budget: &mut u64,
    ) -> Result<Options<BothNumbers>, LayoutError> {
        if let Some(digits) = choice.as_digit() {
            let step = digits.iter().map(|digit| self.step(digit.stride));
            return Ok(Options::digit(
                choice.options,
                step.fold(BothNumbers::default(), BothNumbers::add),
            ));
        }
        let pair = |both: BothNumbers| [both.target, both.source];
        let (step, row) = (|step| pair(self.step(step)), |row: &[u64]| pair(self.both(row)));
        let mut rows = Vec::new();
        choice.each(step, row, |[target, source], count| {
            rows.push((BothNumbers { target, source }, count.into()));
        });
        spend(budget, to_u64(rows.len()))?;
        Ok(Options::listed(rows))
    }

    /// The amount of one step of a digit, all of whose steps are in one field.
    fn step(&self, (sum, weight): Step<u64>) -> BothNumbers {
        if weight == 0 {
            return BothNumbers::default();
        }
        let (field, worth) = self.levels[sum / 2].place(weight);
        let number = self.fields[field].number(worth.into());
        match sum.is_multiple_of(2) {
            true => BothNumbers { source: number, target: 0 },
            false => BothNumbers { source: 0, target: number },
        }
    }

    /// Packs the sums of both sides into numbers.
    fn both(&self, sums: &[u64]) -> BothNumbers {
        let side = |first: usize| self.number(sums.iter().skip(first).step_by(2).copied());
        BothNumbers { source: side(0), target: side(1) }
    }

    fn number(&self, coordinates: impl Iterator<Item = u64>) -> UnitNumber {
        let levels = self.levels.iter().zip(coordinates).filter(|(_, at)| *at > 0);
        let values = levels.flat_map(|(level, at)| {
            let fields = self.fields.iter().skip(level.first);
            fields.zip(level.split(at)).map(|(field, value)| field.number(value.into()))
        });
        values.sum()
    }
}

/// Gives every segment bits of its own, those of the outermost level on top.
fn fields(
    relayout: &Relayout,
    path: &[Level],
    levels: &[Segments],
) -> Result<Vec<Field>, LayoutError> {
    let mut fields = Vec::new();
    let mut shift = 0;
    for (level, segments) in path.iter().zip(levels).rev() {
        let extent = |side: Role| relayout.layout(side).extent(*level);
        let greatest = extent(Role::Source).max(extent(Role::Target)) - 1;
        let own = segments.from.iter().enumerate().map(|(at, from)| {
            let end = segments.from.get(at + 1).map_or(greatest / from, |next| next / from - 1);
            let bits = u64::BITS - end.leading_zeros();
            let field = Field { shift, mask: (1 << bits) - 1 };
            shift += bits;
            field
        });
        let own: Vec<Field> = own.collect();
        // The outermost level has the first fields.
        fields.splice(0..0, own);
    }
    match shift {
        ..=MOST_BITS => Ok(fields),
        _ => Err(LayoutError::too_large(Site::Layout, "the number of units")),
    }
}

/// All sums of a row and an option.
///
/// The longer of both lists is read once for every entry of the shorter one, so the result is in few
/// ascending runs, which a stable sort merges.
pub(crate) fn sums(
    rows: &[(BothNumbers, u128)],
    options: &Options<BothNumbers>,
    budget: &mut u64,
) -> Result<Rows, LayoutError> {
    let count = options.count().saturating_mul(to_u64(rows.len()));
    spend(budget, count)?;
    let mut all = Vec::with_capacity(to_index(count));
    let mut add = |row: &(BothNumbers, u128), added, options| {
        all.push((row.0 + added, row.1 * options));
        Ok::<(), LayoutError>(())
    };
    if to_u64(rows.len()) < options.count() {
        rows.iter().try_for_each(|row| options.each(|added, count| add(row, added, count)))?;
    } else {
        options.each(|added, count| rows.iter().try_for_each(|row| add(row, added, count)))?;
    }
    merge(&mut all);
    Ok(all)
}
