//! Equations for the agreement of two sums of digits, as small as possible.
//!
//! ```text
//! source  16 a + b      target  a + 8 b      a below 8, b below 16: a transpose
//!
//! a = 4 a2 + 2 a1 + a0, b = 8 b3 + 4 b2 + 2 b1 + b0; on either side 1 2 4 8 16 32 64 carry nothing:
//!   b0 = a0, b1 = a1, b2 = a2, b3 = b0, a0 = b1, a1 = b2, a2 = b3
//! ```
//!
//! Digits are cut into small ones. If, on both sides, everything below a weight adds up to less than the
//! weight, and everything else is a multiple of it, the sums agree if their low and high parts do.

use itertools::Itertools;
use num_integer::Integer;
use smallvec::SmallVec;

use super::digit::{Adds, DigitChoice, NumberDigits, Step, Terms};
use super::system::System;
use crate::algebra::strided::StridedDigit;

/// A list that is made for every priced pair, and is rarely long.
pub(crate) type Few<T> = SmallVec<[T; 12]>;

/// The weights at which the coordinate in a level splits into equations, ascending from 1, and the number of
/// the first of these equations.
#[derive(Debug)]
pub(crate) struct Segments {
    pub(crate) first: usize,
    pub(crate) from: Few<u64>,
}

impl Segments {
    /// The segments of every level: the choices carry nothing from one to the next.
    pub(crate) fn of_levels<'a>(
        start: &[u64],
        choices: impl Iterator<Item = &'a DigitChoice<u64>>,
    ) -> Vec<Segments> {
        let mut weights = vec![Terms::new(); start.len()];
        choices.for_each(|choice| choice.weigh(&mut weights));
        let sides = weights.into_iter().zip(start).map(|(own, start)| Weights::new(*start, own));
        let mut first = 0;
        let levels = sides.tuples().map(|(source, target)| {
            let from = cuts(&[source, target]);
            first += from.len();
            Segments { first: first - from.len(), from }
        });
        levels.collect()
    }

    /// The equation that a weight is in, and its value there.
    pub(crate) fn place(&self, weight: u64) -> (usize, u64) {
        let at = self.from.partition_point(|from| *from <= weight).saturating_sub(1);
        (self.first + at, weight / self.from[at])
    }

    /// Splits a start into its value in each equation.
    pub(crate) fn split(&self, start: u64) -> impl Iterator<Item = u64> + '_ {
        let ends = self.from.iter().skip(1).map(Some).chain([None]);
        self.from
            .iter()
            .zip(ends)
            .map(move |(from, end)| end.map_or(start, |end| start % end) / from)
    }
}

/// The equations that hold where both sides agree in some levels. Copies come with the number of the sum
/// in which they differ.
pub(crate) fn system(
    start: &[u64],
    choices: &[DigitChoice<u64>],
    copies: &[(usize, DigitChoice<u64>)],
) -> System {
    // Most digits fall into a few pieces.
    let mut pieces = Vec::with_capacity(4 * (choices.len() + copies.len()));
    let mut apart = Vec::new();
    choices.iter().for_each(|choice| choice.pieces(|piece| pieces.push(piece)));
    let elements = pieces.len();
    for (sum, choice) in copies {
        choice.pieces(|piece| pieces.push(piece));
        apart.resize(pieces.len() - elements, sum / 2);
    }
    let levels = Segments::of_levels(start, pieces.iter());
    let starts = levels.iter().zip(start.chunks(2)).flat_map(|(level, start)| {
        let [source, target] = [0, 1].map(|side| level.split(start[side]).map(i128::from));
        target.zip(source).map(|(target, source)| target - source)
    });
    let equations_of = |level: &Segments| level.first..level.first + level.from.len();
    let of_levels = levels.iter().map(equations_of).collect();
    let mut system = System::new(of_levels, starts.collect(), pieces.len());
    let mut pieces = pieces.iter().map(|piece| equations(piece, &levels));
    pieces.by_ref().take(elements).for_each(|piece| system.push(piece));
    apart.iter().zip(pieces).for_each(|(level, piece)| system.push_copies(*level, piece));
    system
}

/// Converts a choice that adds to sums into one that adds to equations.
fn equations(choice: &DigitChoice<u64>, levels: &[Segments]) -> DigitChoice<i128> {
    let adds = match &choice.adds {
        Adds::Digits(digits) => Adds::Digits(steps(digits, levels)),
        Adds::Listed(rows) => Adds::Listed(listed(rows, levels)),
    };
    DigitChoice { options: choice.options, adds }
}

/// The sign of a sum in the equations: the target adds, the source subtracts.
fn sign(sum: usize) -> i128 {
    if sum.is_multiple_of(2) { -1 } else { 1 }
}

/// Converts the steps of digits; equal digits of both sides in one equation become one.
fn steps(digits: &NumberDigits<u64>, levels: &[Segments]) -> NumberDigits<i128> {
    let mut steps = NumberDigits::<i128>::new();
    for digit in digits.iter().filter(|digit| digit.stride.1 > 0) {
        let (sum, weight) = digit.stride;
        let (equation, worth) = levels[sum / 2].place(weight);
        let worth = sign(sum) * i128::from(worth);
        let same = |known: &&mut StridedDigit<Step<i128>>| {
            (known.weight, known.size, known.stride.0) == (digit.weight, digit.size, equation)
        };
        match steps.iter_mut().find(same) {
            Some(known) => known.stride.1 += worth,
            None => steps.push(digit.with((equation, worth))),
        }
    }
    steps.retain(|digit| digit.stride.1 != 0);
    steps
}

/// Converts listed rows into amounts for the equations: each side adds to one equation of every level.
fn listed(rows: &[Vec<u64>], levels: &[Segments]) -> Vec<Vec<i128>> {
    let equations = levels.iter().map(|segments| segments.from.len()).sum::<usize>();
    let sums = rows.first().map_or(0, Vec::len);
    let place = |sum: usize| {
        let segments = &levels[sum / 2];
        let (equation, _) = segments.place(rows.iter().map(|row| row[sum]).max().unwrap_or(0));
        (equation, sign(sum), segments.from[equation - segments.first])
    };
    let places: Vec<_> = (0..sums).map(place).collect();
    let added = |row: &Vec<u64>| {
        let mut added = vec![0_i128; equations];
        for (at, (equation, sign, from)) in row.iter().zip(&places) {
            added[*equation] += sign * i128::from(at / from);
        }
        added
    };
    rows.iter().map(added).collect()
}

/// The weights of one side in a level, ascending; for each, the greatest sum of the lighter terms and the
/// common divisor of the weights from it on.
struct Weights {
    start: u64,
    weights: Few<u64>,
    below: Few<u128>,
    divisor: Few<u64>,
}

impl Weights {
    fn new(start: u64, mut terms: Terms) -> Weights {
        terms.sort_unstable();
        let mut below = Few::with_capacity(terms.len() + 1);
        below.push(0);
        for (_, reach) in &terms {
            below.push(below[below.len() - 1] + u128::from(*reach));
        }
        let mut divisor = Few::from_elem(0, terms.len() + 1);
        for (at, (weight, _)) in terms.iter().enumerate().rev() {
            divisor[at] = weight.gcd(&divisor[at + 1]);
        }
        Weights { start, weights: terms.iter().map(|term| term.0).collect(), below, divisor }
    }

    /// Returns whether the terms below a cut add up to less than it, and all others are multiples of it.
    fn carries_nothing(&self, cut: u64) -> bool {
        let at = self.weights.partition_point(|weight| *weight < cut);
        self.divisor[at].is_multiple_of(cut)
            && self.below[at] + u128::from(self.start % cut) < u128::from(cut)
    }
}

/// The weights at which the coordinates of both sides split into a low and a high part, ascending from 1.
fn cuts(sides: &[Weights; 2]) -> Few<u64> {
    let weights = sides.iter().flat_map(|side| side.weights.iter().copied());
    let mut cuts: Few<u64> = weights.filter(|weight| *weight > 1).collect();
    cuts.sort_unstable();
    cuts.dedup();
    cuts.retain(|cut: &mut u64| sides.iter().all(|side| side.carries_nothing(*cut)));
    cuts.insert(0, 1);
    cuts
}
