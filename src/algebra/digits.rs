//! All digits of a layout in one list, from which every query starts.
//!
//! ```text
//! (10,7)/((3:7, 4_PE), (7:1))
//!
//! number  axis  weight  size  top  stride  goes to
//!   0       0       4     3    2       7   Addr
//!   1       0       1     4    3       1   PE
//!   2       1       1     7    6       1   Addr
//! ```

use num_integer::Integer;

use crate::algebra::layout::{Axis, Combine, Layout, Subaxis, Target};
use crate::algebra::radix::split;
use crate::algebra::solve::{Sum, Term};
use crate::level::Level;

/// A digit of an axis, or of a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digit {
    /// The axis that it belongs to, the tensor's first, derived ones after them; `None` for a
    /// replica, which belongs to none.
    pub(crate) axis: Option<usize>,
    /// The change of the value of its axis per step; 0 for a replica.
    pub(crate) weight: u64,
    /// The number of values it has.
    pub(crate) size: u64,
    /// The greatest value that a real index gives it; for a digit of a derived axis, an upper bound.
    pub(crate) top: u64,
    /// The change of the coordinate or derived value in `to` per step.
    pub(crate) stride: u64,
    /// The level or derived axis that it contributes to.
    pub(crate) to: Destination,
}

/// The level or derived axis that a digit contributes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// The coordinate in a level.
    Level(Level),
    /// The value of a derived axis, by its number.
    Derived(usize),
}

impl Digit {
    fn new(axis: usize, weight: u64, top: u64, subaxis: &Subaxis) -> Digit {
        let (stride, to) = match subaxis.target {
            Target::Land { level, stride } => (stride, Destination::Level(level)),
            Target::Feed { derived, weight } => (weight, Destination::Derived(derived)),
        };
        Digit { axis: Some(axis), weight, size: subaxis.size, top, stride, to }
    }
}

/// The digits of a layout, numbered: those of the axes, major to minor, axis by axis, then the
/// replicas.
#[derive(Clone, Debug)]
pub(crate) struct Digits {
    all: Vec<Digit>,
    /// The number of the first digit of every axis, and of the first replica.
    first: Vec<usize>,
}

impl Layout {
    /// Returns all digits.
    ///
    /// Cost: O(subaxes).
    pub(crate) fn digits(&self) -> Digits {
        let count = self.nodes().map(|axis| axis.subaxes.len()).sum::<usize>();
        let mut digits = Digits {
            all: Vec::with_capacity(count + self.replicas.len()),
            first: Vec::with_capacity(self.rank() + self.derived.len() + 1),
        };
        let divisors = self.divisors();
        for ((number, axis), greatest) in self.nodes().enumerate().zip(self.greatest_values()) {
            digits.first.push(digits.all.len());
            let common = number.checked_sub(self.rank()).map_or(1, |derived| divisors[derived]);
            digits.push_axis(number, axis, greatest, common);
        }
        digits.first.push(digits.all.len());
        digits.all.extend(self.replicas.iter().map(|replica| Digit {
            axis: None,
            weight: 0,
            size: replica.size,
            top: replica.size - 1,
            stride: replica.stride,
            to: Destination::Level(replica.level),
        }));
        digits
    }

    /// The greatest divisor of all values of each derived axis: a power of two for an XOR.
    fn divisors(&self) -> Vec<u64> {
        let mut divisors: Vec<u64> = self.derived.iter().map(|derived| derived.start).collect();
        for subaxis in self.subaxes().filter(|s| s.size > 1) {
            let Target::Feed { derived, weight } = subaxis.target else { continue };
            divisors[derived] = match self.derived[derived].combine {
                Combine::Sum => divisors[derived].gcd(&weight),
                Combine::Xor => divisors[derived] | weight,
            };
        }
        for (divisor, _) in divisors.iter_mut().zip(&self.derived).filter(|(_, d)| d.is_xor()) {
            // The lowest bit that is ever set.
            *divisor &= divisor.wrapping_neg();
        }
        divisors
    }
}

impl Digits {
    /// Adds the digits of an axis whose values are multiples of `common`, up to `greatest`.
    fn push_axis(&mut self, number: usize, axis: &Axis, greatest: u64, common: u64) {
        let from = self.all.len();
        let tops = axis.reaches(greatest);
        self.all
            .extend(axis.subaxes.iter().zip(tops).map(|(s, top)| Digit::new(number, 1, top, s)));
        let mut place = 1;
        for digit in self.all[from..].iter_mut().rev() {
            digit.weight = place;
            // The slots of an axis fit.
            place *= digit.size;
            if common.is_multiple_of(place) {
                digit.top = 0;
            }
        }
    }

    /// The number of digits.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The digit with this number.
    pub(crate) fn digit(&self, number: usize) -> &Digit {
        &self.all[number]
    }

    /// All digits, in the order of their numbers.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Digit> + Clone {
        self.all.iter()
    }

    /// The numbers of the digits of an axis, major to minor; of the replicas, after the last axis.
    pub(crate) fn numbers_of(&self, axis: usize) -> std::ops::Range<usize> {
        self.first[axis]..self.first.get(axis + 1).copied().unwrap_or(self.all.len())
    }

    /// The digits of an axis, major to minor.
    pub(crate) fn of(&self, axis: usize) -> &[Digit] {
        &self.all[self.numbers_of(axis)]
    }

    /// The digits that contribute to `to`, with their numbers.
    pub(crate) fn to(&self, to: Destination) -> impl Iterator<Item = (usize, &Digit)> + Clone {
        self.all.iter().enumerate().filter(move |(_, digit)| digit.to == to)
    }

    /// The sum of digit x stride in `to`, prepared for being solved.
    pub(crate) fn sum(&self, to: Destination) -> Sum {
        let term = |(digit, d): (usize, &Digit)| Term { digit, size: d.size, weight: d.stride };
        Sum::new(self.to(to).map(term).collect())
    }

    /// The digits that land in a level, replicas included, with their numbers.
    pub(crate) fn in_level(&self, level: Level) -> impl Iterator<Item = (usize, &Digit)> + Clone {
        self.to(Destination::Level(level))
    }
}

impl Axis {
    /// Writes the digits of `value` into `digits`, major to minor.
    pub(crate) fn digits(&self, value: u64, digits: &mut [u64]) {
        split(value, self.sizes(), digits);
    }

    /// The greatest value that each digit takes while the value stays at most `greatest`, major to
    /// minor: the digits of `greatest` up to the first that moves, then every value.
    pub(crate) fn reaches(&self, greatest: u64) -> impl Iterator<Item = u64> + '_ {
        let (mut place, mut moves) = (self.slots(), false);
        self.sizes().map(move |size| {
            place /= size;
            let top = if moves { size - 1 } else { greatest / place % size };
            moves |= top > 0;
            top
        })
    }
}
