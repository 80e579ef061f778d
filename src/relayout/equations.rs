//! Where two sums of digits agree, as equations that are as small as they can be.
//!
//! ```text
//! source  16 a + b      target  a + 8 b      a below 8, b below 16: a transpose
//!
//! a = 4 a2 + 2 a1 + a0, b = 8 b3 + 4 b2 + 2 b1 + b0; on either side 1 2 4 8 16 32 64 carry nothing:
//!   b0 = a0, b1 = a1, b2 = a2, b3 = b0, a0 = b1, a1 = b2, a2 = b3
//! ```
//!
//! Digits are cut into small ones. Where on both sides everything below a weight adds up to less
//! than it, and everything else is a multiple of it, the sums agree if their low and high parts do.

use num_integer::Integer;

use super::parts::{Part, Rows, Start, Step, Turn};
use super::system::{Addition, Column, System, Unknown};

/// The weights at which the coordinate in a level falls apart, ascending, 1 first, and the number
/// of its first equation.
#[derive(Debug)]
pub(super) struct Segments {
    pub(super) first: usize,
    pub(super) from: Vec<u64>,
}

impl Segments {
    /// The segments of every level: the parts carry nothing from one to the next.
    pub(super) fn of_levels<'a>(
        start: &Start,
        parts: impl Iterator<Item = &'a Part> + Clone,
    ) -> Vec<Segments> {
        let mut first = 0;
        let segments = |level: usize| {
            let from = cuts(start, parts.clone(), level);
            first += from.len();
            Segments { first: first - from.len(), from }
        };
        (0..start.0.len()).map(segments).collect()
    }

    /// The equation that a weight is in, and what it is worth there.
    pub(super) fn place(&self, weight: u64) -> (usize, u64) {
        let at = self.from.partition_point(|from| *from <= weight).saturating_sub(1);
        (self.first + at, weight / self.from[at])
    }

    /// What a start is worth in each equation.
    pub(super) fn split(&self, start: u64) -> impl Iterator<Item = u64> + '_ {
        let ends = self.from.iter().skip(1).map(Some).chain([None]);
        self.from
            .iter()
            .zip(ends)
            .map(move |(from, end)| end.map_or(start, |end| start % end) / from)
    }
}

/// The equations that say that both sides agree in some levels; of copies, in which level they lie
/// apart.
pub(super) fn system(start: &Start, parts: &[Part], copies: &[(usize, Part)]) -> System {
    let digits = parts.iter().flat_map(Part::pieces).map(|part| (None, part));
    let copies = copies
        .iter()
        .flat_map(|(level, part)| part.pieces().into_iter().map(|part| (Some(*level), part)));
    let parts: Vec<(Option<usize>, Part)> = digits.chain(copies).collect();
    let levels = Segments::of_levels(start, parts.iter().map(|(_, part)| part));
    let apart = |level: usize| {
        let (a, b) = (levels[level].split(start.0[level]), levels[level].split(start.1[level]));
        a.zip(b).map(|(a, b)| i128::from(b) - i128::from(a)).collect::<Vec<_>>()
    };
    let mut system = System::new((0..levels.len()).map(apart).collect());
    let signed = |step: &Option<Step>, sign: i128| {
        let (level, weight) = step.filter(|(_, weight)| *weight > 0)?;
        let (equation, worth) = levels[level].place(weight);
        Some((equation, sign * i128::from(worth)))
    };
    for (level, part) in parts {
        match part {
            Part::Digit { size, source, target } => {
                let steps = joined(signed(&source, -1), signed(&target, 1));
                let unknown = Unknown { size, steps };
                match level {
                    Some(level) => system.push_copies(level, unknown),
                    None => system.push(unknown),
                }
            }
            Part::Table(table) => system.push_table(match &table.rows {
                Rows::Split { source, target } => {
                    let addition = |turn: &Turn, sign| Addition {
                        place: turn.place,
                        size: turn.size,
                        step: signed(&Some(turn.step), sign),
                    };
                    let side = |turns: &[Turn], sign| {
                        turns.iter().map(|turn| addition(turn, sign)).collect::<Vec<_>>()
                    };
                    Column::Split {
                        options: table.options,
                        sides: [side(source, -1), side(target, 1)],
                    }
                }
                Rows::Listed(rows) => listed(rows, &levels),
            }),
        }
    }
    system
}

/// Rows that are listed, as what they add to the equations.
fn listed(rows: &[(Vec<u64>, Vec<u64>)], levels: &[Segments]) -> Column {
    let equations = levels.iter().map(|segments| segments.from.len()).sum::<usize>();
    let places: Vec<_> = levels
        .iter()
        .enumerate()
        .map(|(level, segments)| {
            let at = |greatest: u64| {
                let (equation, _) = segments.place(greatest);
                (equation, segments.from[equation - segments.first])
            };
            let (a, b) =
                rows.iter().fold((0, 0), |(a, b), row| (row.0[level].max(a), row.1[level].max(b)));
            (at(a), at(b))
        })
        .collect();
    let added = |(a, b): &(Vec<u64>, Vec<u64>)| {
        let mut sums = vec![0_i128; equations];
        for ((a, b), ((x, from), (y, other))) in a.iter().zip(b).zip(&places) {
            sums[*x] -= i128::from(a / from);
            sums[*y] += i128::from(b / other);
        }
        sums
    };
    Column::Listed(rows.iter().map(added).collect())
}

/// The steps of both sides, as one where they are in one equation.
fn joined(source: Option<(usize, i128)>, target: Option<(usize, i128)>) -> Vec<(usize, i128)> {
    match (source, target) {
        (Some((a, x)), Some((b, y))) if a == b => {
            let sum = Some((a, x + y)).filter(|(_, step)| *step != 0);
            sum.into_iter().collect()
        }
        _ => source.into_iter().chain(target).collect(),
    }
}

/// The weights of one side in a level, ascending, with what those below each add at most and what
/// divides those from each one on.
struct Weights {
    start: u64,
    weights: Vec<u64>,
    below: Vec<u128>,
    divisor: Vec<u64>,
}

impl Weights {
    fn new(start: u64, mut terms: Vec<(u64, u64)>) -> Weights {
        terms.sort_unstable();
        let mut below = Vec::with_capacity(terms.len() + 1);
        below.push(0);
        for (_, reach) in &terms {
            below.push(below[below.len() - 1] + u128::from(*reach));
        }
        let mut divisor = vec![0; terms.len() + 1];
        for (at, (weight, _)) in terms.iter().enumerate().rev() {
            divisor[at] = weight.gcd(&divisor[at + 1]);
        }
        Weights { start, weights: terms.iter().map(|term| term.0).collect(), below, divisor }
    }

    /// Whether everything below a cut adds up to less than it, and all else is a multiple.
    fn carries_nothing(&self, cut: u64) -> bool {
        let at = self.weights.partition_point(|weight| *weight < cut);
        self.divisor[at].is_multiple_of(cut)
            && self.below[at] + u128::from(self.start % cut) < u128::from(cut)
    }
}

/// The weights at which a coordinate falls apart into a low and a high part, on both sides,
/// ascending, 1 first.
fn cuts<'a>(start: &Start, parts: impl Iterator<Item = &'a Part>, level: usize) -> Vec<u64> {
    let (mut source, mut target) = (Vec::new(), Vec::new());
    for part in parts {
        part.weights(level, &mut source, &mut target);
    }
    let mut cuts: Vec<u64> = source.iter().chain(&target).map(|term| term.0).collect();
    let sides = [Weights::new(start.0[level], source), Weights::new(start.1[level], target)];
    cuts.sort_unstable();
    cuts.dedup();
    cuts.retain(|cut| *cut > 1 && sides.iter().all(|side| side.carries_nothing(*cut)));
    cuts.insert(0, 1);
    cuts
}
