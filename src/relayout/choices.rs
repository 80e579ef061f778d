//! What elements and copies add to the numbers of the units that have them, on both sides.
//!
//! ```text
//! ((4_PE, 3:8), (8:1))  ->  ((12:2), (4_PE, 2:1))      PE=4: one field of two bits
//!
//! axis 0, 4 at 3    adds 0 1 2 3 to the source and nothing to the target
//! axis 1, 4 at 2    adds nothing to the source and 0 1 2 3 to the target
//! axis 0, 3; axis 1, 2    12 elements that are in the same units
//! ```
//!
//! A coordinate falls apart into fields between which neither side [carries](Segments) anything;
//! each has bits of its own in the number of a unit, the outermost level on top. So numbers are
//! in the order of the units, adding them adds all fields, and fields are compared one by one.

use super::counter::{Counter, both};
use super::equations::Segments;
use super::listing::{Turn, each};
use super::pair::{Relayout, Side};
use super::parts::{Part, Rows, Start, Step, Table, Turn as Digit};
use super::refine::Group;
use super::refuse::not_decided;
use crate::algebra::work;
use crate::error::{LayoutError, Site};
use crate::level::Level;
use crate::number::{to_index, to_u64};

/// How many sums may be made before the answer is "not decided".
pub(super) const BUDGET: u64 = 1 << 22;

/// The most bits of a number.
const MOST_BITS: u32 = 127;

/// The fields of a unit, or what is added to them.
pub(super) type Number = i128;

/// Some bits of a number: a part of the coordinate in a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    shift: u32,
    mask: Number,
}

impl Field {
    pub(super) fn value(self, number: Number) -> Number {
        number >> self.shift & self.mask
    }

    pub(super) fn number(self, value: Number) -> Number {
        value << self.shift
    }
}

/// What an option adds, and how many options add it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Row {
    pub(super) target: Number,
    pub(super) source: Number,
    pub(super) count: u128,
}

#[derive(Clone, Debug)]
pub(super) enum Options {
    /// What a step of a digit adds, to one side at least.
    Digit { size: u64, source: Number, target: Number },
    /// Each once, ascending.
    Rows(Vec<Row>),
}

impl Options {
    pub(super) fn count(&self) -> u64 {
        match self {
            Options::Digit { size, .. } => *size,
            Options::Rows(rows) => to_u64(rows.len()),
        }
    }

    pub(super) fn each(&self, mut take: impl FnMut(Row)) {
        match self {
            Options::Rows(rows) => rows.iter().copied().for_each(take),
            Options::Digit { size, source, target } => {
                let mut row = Row { target: 0, source: 0, count: 1 };
                for _ in 0..*size {
                    take(row);
                    row.source += source;
                    row.target += target;
                }
            }
        }
    }
}

/// A digit of the elements, or of the copies of one side.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) copies_of: Option<Side>,
    pub(super) options: Options,
}

/// Where elements and copies are along a path, in numbers.
#[derive(Debug)]
pub(super) struct Numbered {
    /// The parts of the coordinate in every level.
    levels: Vec<Segments>,
    pub(super) fields: Vec<Field>,
    /// The unit of the first copy of element 0.
    pub(super) start: Row,
    pub(super) choices: Vec<Choice>,
}

impl Numbered {
    pub(super) fn new(
        relayout: &Relayout,
        path: &[Level],
        budget: &mut u64,
    ) -> Result<Numbered, LayoutError> {
        let counter = Counter::new(relayout, path.iter().copied().map(both).collect())?;
        let digits = counter.parts.iter().flatten();
        let parts: Vec<Part> = digits
            .chain(counter.copies.iter().map(|copies| &copies.1))
            .flat_map(Part::pieces)
            .collect();
        let levels = Segments::of_levels(&counter.start, parts.iter());
        let fields = fields(relayout, path, &levels)?;
        let start = Row { target: 0, source: 0, count: 1 };
        let mut numbered = Numbered { levels, fields, start, choices: Vec::new() };
        numbered.start = numbered.row(&counter.start, 1);
        for (group, parts) in counter.groups.iter().zip(&counter.parts) {
            numbered.add(group, parts, budget)?;
        }
        for (_, copies) in &counter.copies {
            let of = if matches!(copies, Part::Digit { source: Some(_), .. }) {
                Side::Source
            } else {
                Side::Target
            };
            for piece in copies.pieces() {
                numbered.push(Some(of), &piece, budget)?;
            }
        }
        Ok(numbered)
    }

    /// The coordinates of a unit in the levels of the path.
    pub(super) fn unit(&self, number: Number) -> Vec<u64> {
        let coordinate = |level: &Segments| {
            let fields = self.fields.iter().skip(level.first).zip(&level.from);
            let values = fields.map(|(field, from)| field.value(number) * Number::from(*from));
            u64::try_from(values.sum::<Number>()).unwrap_or(u64::MAX)
        };
        self.levels.iter().map(coordinate).collect()
    }

    /// Adds what the digits of some axes add.
    fn add(&mut self, group: &Group, parts: &[Part], budget: &mut u64) -> Result<(), LayoutError> {
        if group.is_full() {
            let mut pieces = parts.iter().flat_map(Part::pieces);
            return pieces.try_for_each(|piece| self.push(None, &piece, budget));
        }
        let mut all = Vec::new();
        for at in 0..group.boxes() {
            let zeros = || vec![0; self.levels.len()];
            let (mut start, mut choices) = ((zeros(), zeros()), Vec::new());
            group.take(parts, at, &mut start, &mut choices);
            let mut rows = vec![self.row(&start, 1)];
            for part in choices {
                rows = sums(&rows, &Options::Rows(self.rows(&part, budget)?), budget)?;
            }
            all.extend(rows);
        }
        merge(&mut all);
        self.choices.push(Choice { copies_of: None, options: Options::Rows(all) });
        Ok(())
    }

    fn push(
        &mut self,
        copies_of: Option<Side>,
        part: &Part,
        budget: &mut u64,
    ) -> Result<(), LayoutError> {
        let options = match part {
            Part::Digit { size, source, target } => {
                let (source, target) = (self.step(*source), self.step(*target));
                match (source, target) {
                    (0, 0) => Options::Rows(vec![Row { target, source, count: (*size).into() }]),
                    _ => Options::Digit { size: *size, source, target },
                }
            }
            Part::Table(_) => Options::Rows(self.rows(part, budget)?),
        };
        self.choices.push(Choice { copies_of, options });
        Ok(())
    }

    /// What every option of a part adds, however far it reaches.
    fn rows(&self, part: &Part, budget: &mut u64) -> Result<Vec<Row>, LayoutError> {
        let options = match part {
            Part::Digit { size, source: None, target: None } => {
                return Ok(vec![Row { target: 0, source: 0, count: (*size).into() }]);
            }
            Part::Table(Table { options, rows: Rows::Split { source, target } }) => {
                return self.runs(*options, source, target, budget);
            }
            Part::Digit { size: options, .. } | Part::Table(Table { options, .. }) => *options,
        };
        spend(budget, options)?;
        let zeros = || vec![0; self.levels.len()];
        let added = |option| {
            let mut start = (zeros(), zeros());
            part.add(option, &mut start);
            self.row(&start, 1)
        };
        let mut rows: Vec<Row> = (0..options).map(added).collect();
        merge(&mut rows);
        Ok(rows)
    }

    /// What the values of an axis add that both sides split in their own ways.
    fn runs(
        &self,
        options: u64,
        source: &[Digit],
        target: &[Digit],
        budget: &mut u64,
    ) -> Result<Vec<Row>, LayoutError> {
        let turn = |digit: &Digit, step, choice| Turn {
            place: digit.place,
            size: digit.size,
            step,
            choice,
        };
        let to_target = target.iter().map(|digit| turn(digit, self.step(Some(digit.step)), 0));
        let to_source = source.iter().map(|digit| turn(digit, 0, self.step(Some(digit.step))));
        let turns: Vec<Turn> = to_target.chain(to_source).collect();
        let mut rows = Vec::new();
        each(options, &turns, |target, source, count| {
            rows.push(Row { target, source, count: count.into() });
        });
        spend(budget, to_u64(rows.len()))?;
        merge(&mut rows);
        Ok(rows)
    }

    /// What a step of a digit adds: all of its steps are in one field.
    fn step(&self, step: Option<Step>) -> Number {
        let Some((level, weight)) = step.filter(|(_, weight)| *weight > 0) else { return 0 };
        let (field, worth) = self.levels[level].place(weight);
        self.fields[field].number(worth.into())
    }

    fn row(&self, (source, target): &Start, count: u128) -> Row {
        Row { target: self.number(target), source: self.number(source), count }
    }

    fn number(&self, coordinates: &[u64]) -> Number {
        let levels = self.levels.iter().zip(coordinates).filter(|(_, at)| **at > 0);
        let values = levels.flat_map(|(level, at)| {
            let fields = self.fields.iter().skip(level.first);
            fields.zip(level.split(*at)).map(|(field, value)| field.number(value.into()))
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
        let extent = |side: Side| relayout.layout(side).extent(*level);
        let greatest = extent(Side::Source).max(extent(Side::Target)) - 1;
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
pub(super) fn sums(
    rows: &[Row],
    options: &Options,
    budget: &mut u64,
) -> Result<Vec<Row>, LayoutError> {
    spend(budget, options.count().saturating_mul(to_u64(rows.len())))?;
    let mut all = Vec::new();
    for row in rows {
        options.each(|option| {
            all.push(Row {
                target: row.target + option.target,
                source: row.source + option.source,
                count: row.count * option.count,
            });
        });
    }
    merge(&mut all);
    Ok(all)
}

/// Counts equal rows together.
pub(super) fn merge(rows: &mut Vec<Row>) {
    rows.sort_unstable();
    rows.dedup_by(|next, kept| {
        let same = (next.target, next.source) == (kept.target, kept.source);
        if same {
            kept.count += next.count;
        }
        same
    });
}

/// Takes some sums off the budget.
pub(super) fn spend(budget: &mut u64, sums: u64) -> Result<(), LayoutError> {
    *budget = budget.checked_sub(sums).ok_or_else(|| not_decided(BUDGET))?;
    work::count(to_index(sums));
    Ok(())
}
