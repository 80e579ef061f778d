//! A choice and what it adds: the one digit of a relayout, from the layouts to the sums.
//!
//! ```text
//! n below 12, in a source (3:1, 4_PE) and a target (2_PE, 6:1)
//!
//! digit           weight   size   stride
//! n / 4 % 3          4       3    1 in the source's Addr
//! n / 1 % 4          1       4    1 in the source's PE
//! n / 6 % 2          6       2    1 in the target's PE
//! n / 1 % 6          1       6    1 in the target's Addr
//! ```
//!
//! On the way, only the target of a stride changes: a level of one side, the sum of a coordinate that is
//! compared, an equation, a number that several equations are packed in.

use num_integer::Integer;
use smallvec::{SmallVec, smallvec};

use crate::algebra::strided::StridedDigit;
use crate::number::to_index;

/// The largest factor that is split off a digit; larger ones stay whole.
const LARGEST_FACTOR: u64 = 64;

/// One step of a digit: the number of the sum that it adds to, and the amount.
pub(crate) type Step<N> = (usize, N);

/// The digits of a number: one for either side where the sides split it alike.
pub(crate) type NumberDigits<N> = SmallVec<[StridedDigit<Step<N>>; 2]>;

/// The common divisors and the greatest amounts of some terms.
pub(crate) type Terms = SmallVec<[(u64, u64); 12]>;

/// A number below `options`, and the amounts that it adds to some sums.
#[derive(Clone, Debug)]
pub(crate) struct DigitChoice<N> {
    pub(crate) options: u64,
    pub(crate) adds: Adds<N>,
}

#[derive(Clone, Debug)]
pub(crate) enum Adds<N> {
    /// Digits of the number, each of which adds its value times its step to one sum.
    Digits(NumberDigits<N>),
    /// A row for every number: the amounts that it adds, one for each sum.
    Listed(Vec<Vec<N>>),
}

impl<N> DigitChoice<N> {
    /// A digit by itself.
    pub(crate) fn digit(size: u64, step: Step<N>) -> DigitChoice<N> {
        DigitChoice {
            options: size,
            adds: Adds::Digits(smallvec![StridedDigit { size, weight: 1, stride: step }]),
        }
    }

    /// Returns the digits if each of them is the number itself.
    pub(crate) fn as_digit(&self) -> Option<&NumberDigits<N>> {
        match &self.adds {
            Adds::Digits(digits) => {
                digits.iter().all(|digit| digit.is_whole(self.options)).then_some(digits)
            }
            Adds::Listed(_) => None,
        }
    }
}

impl DigitChoice<u64> {
    /// The first options only.
    pub(crate) fn first(&self, options: u64) -> DigitChoice<u64> {
        let mut first = DigitChoice { options, ..self.clone() };
        if let Adds::Listed(rows) = &mut first.adds {
            rows.truncate(to_index(options));
        }
        first
    }

    /// Adds the amounts of `number` to `sums`.
    pub(crate) fn add(&self, number: u64, sums: &mut [u64]) {
        match &self.adds {
            Adds::Digits(digits) => digits.iter().for_each(|digit| {
                sums[digit.stride.0] += digit.of(number) * digit.stride.1;
            }),
            Adds::Listed(rows) => {
                let row = rows.get(to_index(number)).into_iter().flatten();
                sums.iter_mut().zip(row).for_each(|(sum, step)| *sum += step);
            }
        }
    }

    /// Calls `take` with smaller digits that together equal this one, or with the choice as it is if it is
    /// not a single digit or has no options.
    pub(crate) fn pieces(&self, mut take: impl FnMut(DigitChoice<u64>)) {
        let digit = self.as_digit().filter(|_| self.options > 0);
        let Some(digits) = digit else { return take(self.clone()) };
        let mut place = 1;
        let mut piece = |size: u64| {
            let step = |digit: &StridedDigit<Step<u64>>| (digit.stride.0, digit.stride.1 * place);
            let digits =
                digits.iter().map(|digit| StridedDigit { size, weight: 1, stride: step(digit) });
            take(DigitChoice { options: size, adds: Adds::Digits(digits.collect()) });
            place *= size;
        };
        let (mut rest, mut factor) = (self.options, 2);
        while factor <= LARGEST_FACTOR.min(rest) {
            while rest.is_multiple_of(factor) {
                piece(factor);
                rest /= factor;
            }
            factor += 1;
        }
        if rest != 1 {
            piece(rest);
        }
    }

    /// Appends (common divisor, greatest) of the amounts that it may add, to the list of each sum.
    pub(crate) fn weigh(&self, weights: &mut [Terms]) {
        match &self.adds {
            Adds::Digits(digits) => digits.iter().for_each(|digit| {
                let (sum, step) = digit.stride;
                let greatest = digit.greatest(self.options) * step;
                weights[sum].extend((greatest > 0).then_some((step, greatest)));
            }),
            Adds::Listed(rows) => weights.iter_mut().enumerate().for_each(|(sum, weights)| {
                let added = || rows.iter().map(|row| row[sum]);
                let greatest = added().max().unwrap_or(0);
                let divisor = added().fold(0, |divisor: u64, at| divisor.gcd(&at));
                weights.extend((greatest > 0).then_some((divisor, greatest)));
            }),
        }
    }
}
