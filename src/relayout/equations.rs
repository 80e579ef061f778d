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

use super::solutions::{Choice, count};
use crate::error::LayoutError;

/// Larger factors of a digit stay whole.
const LARGEST_FACTOR: u64 = 64;

/// What a choice adds to the sums of both sides, one sum per level.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// A digit below `size` and what a step adds: the number of a sum, and how much.
    Digit { size: u64, source: Option<(usize, u64)>, target: Option<(usize, u64)> },
    /// One of some additions to all sums, of the source and of the target.
    Table(Vec<(Vec<u64>, Vec<u64>)>),
}

impl Part {
    /// The first options only.
    pub(super) fn first(&self, options: u64) -> Part {
        match self {
            Part::Digit { source, target, .. } => {
                Part::Digit { size: options, source: *source, target: *target }
            }
            Part::Table(rows) => {
                let options = usize::try_from(options).unwrap_or(usize::MAX);
                Part::Table(rows.iter().take(options).cloned().collect())
            }
        }
    }

    /// Adds what an option adds.
    pub(super) fn add(&self, option: u64, start: &mut Start) {
        match self {
            Part::Digit { source, target, .. } => {
                let add = |sums: &mut Vec<u64>, step: &Option<(usize, u64)>| {
                    step.iter().for_each(|(sum, step)| sums[*sum] += step * option);
                };
                add(&mut start.0, source);
                add(&mut start.1, target);
            }
            Part::Table(rows) => {
                let row = usize::try_from(option).ok().and_then(|option| rows.get(option));
                if let Some((a, b)) = row {
                    start.0.iter_mut().zip(a).for_each(|(sum, step)| *sum += step);
                    start.1.iter_mut().zip(b).for_each(|(sum, step)| *sum += step);
                }
            }
        }
    }

    /// The same in smaller digits.
    fn pieces(&self) -> Vec<Part> {
        let Part::Digit { size, source, target } = self else { return vec![self.clone()] };
        let (mut rest, mut place, mut pieces) = (*size, 1, Vec::new());
        let mut push = |size: u64| {
            let times = |step: &Option<(usize, u64)>| step.map(|(sum, step)| (sum, step * place));
            pieces.push(Part::Digit { size, source: times(source), target: times(target) });
            place *= size;
        };
        for factor in 2..=LARGEST_FACTOR {
            while rest > 0 && rest.is_multiple_of(factor) {
                push(factor);
                rest /= factor;
            }
        }
        if rest != 1 {
            push(rest);
        }
        pieces
    }

    /// What an option adds to a sum of one side, as (common divisor, greatest).
    fn weight(&self, side: Side, sum: usize) -> (u64, u64) {
        match self {
            Part::Digit { size, source, target } => {
                let step = if side == Side::Source { source } else { target };
                let step = step.filter(|(of, _)| *of == sum).map_or(0, |(_, step)| step);
                (step, size.saturating_sub(1) * step)
            }
            Part::Table(rows) => {
                let all = || rows.iter().map(|row| side.of(row)[sum]);
                (all().fold(0, |gcd, at| gcd.gcd(&at)), all().max().unwrap_or(0))
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Source,
    Target,
}

impl Side {
    fn of<T>(self, pair: &(T, T)) -> &T {
        if self == Side::Source { &pair.0 } else { &pair.1 }
    }
}

/// The sums of both sides, one per level, where every digit is 0.
pub(super) type Start = (Vec<u64>, Vec<u64>);

/// The number of choices for which all sums agree.
pub(super) fn agreements(start: &Start, parts: &[Part]) -> Result<u128, LayoutError> {
    let parts: Vec<Part> = parts.iter().flat_map(Part::pieces).collect();
    // (the sum, from which weight, below which weight).
    let mut equations: Vec<(usize, u64, Option<u64>)> = Vec::new();
    for sum in 0..start.0.len() {
        let cuts = cuts(start, &parts, sum);
        let ends = cuts.iter().copied().map(Some).chain([None]);
        equations.extend([1].iter().chain(&cuts).zip(ends).map(|(from, end)| (sum, *from, end)));
    }
    let segment =
        |at: u64, from: u64, end: Option<u64>| i128::from(end.map_or(at, |end| at % end) / from);
    let apart = |pair: &(Vec<u64>, Vec<u64>)| -> Vec<i128> {
        let apart = |(sum, from, end): &(usize, u64, Option<u64>)| {
            segment(pair.1[*sum], *from, *end) - segment(pair.0[*sum], *from, *end)
        };
        equations.iter().map(apart).collect()
    };
    let choices = parts.iter().map(|part| match part {
        Part::Digit { size, source, target } => {
            let signed = |step: &Option<(usize, u64)>, sign: i128| {
                let (sum, step) = (*step)?;
                let mut all = equations.iter().enumerate();
                all.find_map(|(number, (of, from, end))| {
                    let step = segment(step, *from, *end);
                    (*of == sum && step > 0).then_some((number, sign * step))
                })
            };
            let (source, target) = (signed(source, -1), signed(target, 1));
            Choice::Digit { size: *size, steps: joined(source, target) }
        }
        Part::Table(rows) => Choice::Table(rows.iter().map(apart).collect()),
    });
    let choices = choices.collect();
    count(apart(start), choices)
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

/// The weights at which a sum falls apart into a low and a high one, on both sides, ascending.
fn cuts(start: &Start, parts: &[Part], sum: usize) -> Vec<u64> {
    let weights = |side| {
        let weights = parts.iter().map(move |part| part.weight(side, sum));
        weights.filter(|(_, greatest)| *greatest > 0).collect::<Vec<_>>()
    };
    let sides = [Side::Source, Side::Target].map(|side| (side.of(start)[sum], weights(side)));
    let carries_nothing = |cut: u64| {
        sides.iter().all(|(start, weights)| {
            let low = weights.iter().filter(|(step, _)| step % cut != 0);
            let reach = low.fold(u128::from(start % cut), |sum, (_, most)| sum + u128::from(*most));
            reach < u128::from(cut)
        })
    };
    let steps = sides.iter().flat_map(|(_, weights)| weights.iter().map(|(step, _)| *step));
    let mut cuts: Vec<u64> = steps.filter(|step| *step > 1 && carries_nothing(*step)).collect();
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}
