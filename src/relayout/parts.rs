//! What choices add to the coordinates of both sides: digits and tables.

use crate::number::to_index;
use num_integer::Integer;

/// Larger factors of a digit stay whole.
const LARGEST_FACTOR: u64 = 64;

/// The number of a level, and how much is added to the coordinate in it.
pub(super) type Step = (usize, u64);

/// The coordinates of both sides, one per level, where every digit is 0.
pub(super) type Start = (Vec<u64>, Vec<u64>);

/// What a choice adds to the coordinates of both sides.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// A digit below `size` and what a step adds.
    Digit { size: u64, source: Option<Step>, target: Option<Step> },
    /// Some values, which the two sides use differently.
    Table(Table),
}

/// Values from 0, and what each adds.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) options: u64,
    pub(super) rows: Rows,
}

#[derive(Clone, Debug)]
pub(super) enum Rows {
    /// Both sides split the value into digits, each in its own way; minor to major.
    Split { source: Vec<Turn>, target: Vec<Turn> },
    /// What every value adds, to the source and to the target.
    Listed(Vec<(Vec<u64>, Vec<u64>)>),
}

/// A digit of a value: `value / place % size`, and what a step adds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) place: u64,
    pub(super) size: u64,
    pub(super) step: Step,
}

impl Turn {
    fn add(&self, value: u64, sums: &mut [u64]) {
        sums[self.step.0] += value / self.place % self.size * self.step.1;
    }

    /// How often it turns at most below some value.
    fn greatest(&self, options: u64) -> u64 {
        (self.size - 1).min(options.saturating_sub(1) / self.place)
    }
}

impl Part {
    /// The first options only.
    pub(super) fn first(&self, options: u64) -> Part {
        match self {
            Part::Digit { source, target, .. } => {
                Part::Digit { size: options, source: *source, target: *target }
            }
            Part::Table(table) => {
                let mut table = Table { options, ..table.clone() };
                if let Rows::Listed(rows) = &mut table.rows {
                    rows.truncate(to_index(options));
                }
                Part::Table(table)
            }
        }
    }

    /// Adds what an option adds.
    pub(super) fn add(&self, option: u64, start: &mut Start) {
        match self {
            Part::Digit { source, target, .. } => {
                let add = |sums: &mut Vec<u64>, step: &Option<Step>| {
                    step.iter().for_each(|(level, step)| sums[*level] += step * option);
                };
                add(&mut start.0, source);
                add(&mut start.1, target);
            }
            Part::Table(Table { rows: Rows::Split { source, target }, .. }) => {
                source.iter().for_each(|turn| turn.add(option, &mut start.0));
                target.iter().for_each(|turn| turn.add(option, &mut start.1));
            }
            Part::Table(Table { rows: Rows::Listed(rows), .. }) => {
                let row = usize::try_from(option).ok().and_then(|option| rows.get(option));
                if let Some((a, b)) = row {
                    start.0.iter_mut().zip(a).for_each(|(sum, step)| *sum += step);
                    start.1.iter_mut().zip(b).for_each(|(sum, step)| *sum += step);
                }
            }
        }
    }

    /// The same in smaller digits.
    pub(super) fn pieces(&self) -> Vec<Part> {
        let Part::Digit { size, source, target } = self else { return vec![self.clone()] };
        let (mut rest, mut place, mut pieces) = (*size, 1, Vec::new());
        let mut push = |size: u64| {
            let times = |step: &Option<Step>| step.map(|(level, step)| (level, step * place));
            pieces.push(Part::Digit { size, source: times(source), target: times(target) });
            place *= size;
        };
        let mut factor = 2;
        while factor <= LARGEST_FACTOR.min(rest) {
            while rest.is_multiple_of(factor) {
                push(factor);
                rest /= factor;
            }
            factor += 1;
        }
        if rest != 1 {
            push(rest);
        }
        pieces
    }

    /// Appends what it may add to a level on both sides, as (common divisor, greatest).
    pub(super) fn weights(
        &self,
        level: usize,
        source: &mut Vec<(u64, u64)>,
        target: &mut Vec<(u64, u64)>,
    ) {
        let push = |into: &mut Vec<(u64, u64)>, weight: u64, greatest: u64| {
            into.extend((greatest > 0).then_some((weight, greatest)));
        };
        match self {
            Part::Digit { size, source: a, target: b } => {
                for (into, step) in [(source, a), (target, b)] {
                    let step = step.filter(|(of, _)| *of == level);
                    // An empty box has no values.
                    let top = size.saturating_sub(1);
                    step.iter().for_each(|(_, step)| push(into, *step, top * step));
                }
            }
            Part::Table(Table { options, rows: Rows::Split { source: a, target: b } }) => {
                for (into, turns) in [(source, a), (target, b)] {
                    for turn in turns.iter().filter(|turn| turn.step.0 == level) {
                        push(into, turn.step.1, turn.greatest(*options) * turn.step.1);
                    }
                }
            }
            Part::Table(Table { rows: Rows::Listed(rows), .. }) => {
                let all = |into: &mut Vec<(u64, u64)>, values: Vec<u64>| {
                    let divisor = values.iter().fold(0, |gcd: u64, at| gcd.gcd(at));
                    push(into, divisor, values.into_iter().max().unwrap_or(0));
                };
                all(source, rows.iter().map(|row| row.0[level]).collect());
                all(target, rows.iter().map(|row| row.1[level]).collect());
            }
        }
    }
}
