//! Sums of digit x step as sums of quotient x change.
//!
//! ```text
//! digits of 96, 8, 1    n = 96 a + 8 b + c     a = n / 96    b = n / 8 - 12 (n / 96)
//!
//! 5 a + 2 b             (n / 8) x 2 + (n / 96) x (5 - 12 x 2)
//! ```
//!
//! If the weights of the digits divide each other, no digit depends on another: each takes one division by
//! a constant and one multiplication.

use crate::number::seam;
use strength_reduce::StrengthReducedU64;

/// A sum of quotient x change, modulo 2^64.
#[derive(Clone, Debug)]
pub(crate) enum QuotientSum {
    /// Terms for numbers below 2^31.
    Near(Vec<(Near, u64)>),
    Far(Vec<(StrengthReducedU64, u64)>),
}

impl QuotientSum {
    /// Prepares the sum for numbers below `limit`; digits are (weight, step), minor to major, and each weight
    /// divides the next. The change of a digit is its step minus the amount that the digit before it has
    /// already added.
    pub(crate) fn new(digits: impl Iterator<Item = (u64, u64)>, limit: u64) -> QuotientSum {
        let mut minor = (1, 0_u64);
        let term = |(weight, step): (u64, u64)| {
            let (before, carried) = std::mem::replace(&mut minor, (weight, step));
            (weight, step.wrapping_sub((weight / before).wrapping_mul(carried)))
        };
        let terms = digits.map(term).filter(|(divisor, change)| *divisor < limit && *change != 0);
        match limit <= seam(Near::LIMIT, 50) {
            true => QuotientSum::Near(terms.map(|(d, change)| (Near::new(d), change)).collect()),
            false => {
                let far = |(divisor, change)| (StrengthReducedU64::new(divisor), change);
                QuotientSum::Far(terms.map(far).collect())
            }
        }
    }

    #[inline]
    pub(crate) fn value(&self, number: u64) -> u64 {
        let add = |sum: u64, quotient: u64, change: &u64| {
            sum.wrapping_add(quotient.wrapping_mul(*change))
        };
        match self {
            QuotientSum::Near(terms) => terms
                .iter()
                .fold(0, |sum, (divisor, change)| add(sum, divisor.quotient(number), change)),
            QuotientSum::Far(terms) => {
                terms.iter().fold(0, |sum, (divisor, change)| add(sum, number / *divisor, change))
            }
        }
    }
}

/// A divisor of numbers below 2^31: 2^bits / divisor, rounded up.
///
/// `bits` is 31 more than those of the divisor: rounding adds less than the number to a product, which is
/// less than 2^bits / divisor and does not change the quotient.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    inverse: u64,
    bits: u32,
}

impl Near {
    const LIMIT: u64 = 1 << 31;

    fn new(divisor: u64) -> Near {
        let bits = Near::LIMIT.ilog2() + divisor.next_power_of_two().ilog2();
        Near { inverse: (1_u64 << bits).div_ceil(divisor), bits }
    }

    #[inline]
    fn quotient(self, number: u64) -> u64 {
        (number * self.inverse) >> self.bits
    }
}

#[cfg(test)]
mod tests {
    use super::QuotientSum;

    #[test]
    fn a_quotient_is_the_quotient_up_to_every_limit() {
        let divisors = (0..32).flat_map(|bits| [(1 << bits) - 1, 1 << bits, (1 << bits) + 1]);
        for divisor in divisors.chain([3, 7, 641, 999_983, 6_700_417]).filter(|d| *d > 0) {
            for limit in [1 << 16, 1 << 31, (1 << 31) + 1, 1 << 40, u64::MAX] {
                let sum = QuotientSum::new([(divisor, 1)].into_iter(), limit);
                let multiples = [1, 2, 3, limit / divisor / 2, (limit - 1) / divisor];
                let edges = multiples.map(|n| n * divisor).into_iter();
                for number in edges.flat_map(|n| [n.saturating_sub(1), n, n + 1, limit - 1]) {
                    if number < limit {
                        assert_eq!(sum.value(number), number / divisor, "{number} / {divisor}");
                    }
                }
            }
        }
    }
}
