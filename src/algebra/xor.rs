//! XOR axes: the bits of digits that flip the bits of a value.
//!
//! ```text
//! (8,64), rows feed 72, columns 1         value = 72 row ^ column, bit by bit
//!
//! source bit   row 0   row 1   row 2   column 0 .. 2   3    4    5
//! flips        8, 64   16,128  32,256       1 .. 4     8   16   32
//! ```
//!
//! The flipped bits are the columns of a matrix over the field of two elements: a digit of 2^b values has b
//! columns, each twice the one before. Finding the digits of a value is a linear system, which is solved once
//! by elimination.
//!
//! Law: agrees with trying every combination of digits.

use std::ops::ControlFlow;

use crate::algebra::digits::{Destination, Digit, Digits};
use crate::algebra::layout::{Axis, DerivedAxis, Layout, Subaxis, Target};
use crate::algebra::solve::{Budget, OnSolution};
use crate::error::{LayoutError, fault};
use crate::level::Level;

/// Returns the bits that a digit flips: the XOR of `weight << k` over its bits k that are set.
#[inline]
pub(crate) fn xor_product(weight: u64, digit: u64) -> u64 {
    let (mut rest, mut flipped) = (digit, 0);
    while rest != 0 {
        flipped ^= weight << rest.trailing_zeros();
        rest &= rest - 1;
    }
    flipped
}

/// Returns whether some bit is in two of these numbers: a sum of them may carry, an XOR does not.
pub(crate) fn is_carried(start: u64, numbers: impl IntoIterator<Item = u64>) -> bool {
    let mut taken = start;
    numbers.into_iter().any(|number| {
        let is_taken = taken & number != 0;
        taken |= number;
        is_taken
    })
}

impl Layout {
    /// Returns the XOR axis that a digit feeds, and the weight.
    pub(crate) fn fed_xor(&self, subaxis: &Subaxis) -> Option<(&DerivedAxis, u64)> {
        let Target::Feed { derived, weight } = subaxis.target else { return None };
        let derived = self.derived.get(derived)?;
        derived.is_xor().then_some((derived, weight))
    }

    /// Returns the layout in which digits that feed an XOR move nothing.
    pub(crate) fn without_xors(&self) -> Layout {
        let nowhere = Target::Land { level: Level::ADDR, stride: 0 };
        let digit = |subaxis: &Subaxis| match self.fed_xor(subaxis) {
            Some(_) => Subaxis { target: nowhere, ..*subaxis },
            None => *subaxis,
        };
        let derived = |derived: &DerivedAxis| match derived.is_xor() {
            true => DerivedAxis::none(),
            false => derived.with(digit),
        };
        Layout {
            axes: self.axes.iter().map(|axis| axis.with(digit)).collect(),
            derived: self.derived.iter().map(derived).collect(),
            ..self.clone()
        }
    }
}

/// A bit of a digit, and the bits of the value that it flips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    /// The number of the digit.
    pub(crate) digit: usize,
    pub(crate) bit: u32,
    pub(crate) flips: u64,
}

/// A vector and the columns whose XOR it is, as a mask.
#[derive(Clone, Copy, Debug)]
struct PivotRow {
    vector: u64,
    columns: u64,
}

/// The bits that feed an XOR axis, by elimination: finds the columns whose XOR is a value.
#[derive(Clone, Debug)]
pub(crate) struct BitSystem {
    columns: Vec<Column>,
    /// The rows by highest bit, descending; no two have the same.
    pivots: Vec<PivotRow>,
    /// Masks of columns whose XOR is 0.
    kernel: Vec<u64>,
}

impl BitSystem {
    /// Builds the system of the digits that feed a derived axis, with `bits` bits of each.
    fn of(digits: &Digits, derived: usize, bits: impl Fn(&Digit) -> u32) -> BitSystem {
        let to = digits.to(Destination::Derived(derived));
        let columns = to.flat_map(|(number, digit)| {
            let (stride, bits) = (digit.stride, bits(digit));
            (0..bits).map(move |bit| Column { digit: number, bit, flips: stride << bit })
        });
        BitSystem::new(columns.collect())
    }

    /// Builds the system of all bits that feed a derived axis.
    pub(crate) fn of_slots(digits: &Digits, derived: usize) -> BitSystem {
        BitSystem::of(digits, derived, |digit| digit.size.ilog2())
    }

    /// Builds the system of the bits that real indexes set.
    pub(crate) fn of_elements(digits: &Digits, derived: usize) -> BitSystem {
        BitSystem::of(digits, derived, |digit| u64::BITS - digit.top.leading_zeros())
    }

    /// Builds the system of these columns, at most 64.
    pub(crate) fn new(columns: Vec<Column>) -> BitSystem {
        let mut system = BitSystem { columns, pivots: Vec::new(), kernel: Vec::new() };
        for at in 0..system.columns.len() {
            let (rest, made_of) = system.reduced(system.columns[at].flips);
            let columns = made_of ^ 1 << at;
            match rest {
                0 => system.kernel.push(columns),
                vector => system.insert(PivotRow { vector, columns }),
            }
        }
        system
    }

    fn insert(&mut self, pivot: PivotRow) {
        let at = self.pivots.partition_point(|other| other.vector > pivot.vector);
        self.pivots.insert(at, pivot);
    }

    /// The number of bits of the greatest value that columns make.
    pub(super) fn value_bits(&self) -> u32 {
        self.pivots.first().map_or(0, |pivot| u64::BITS - pivot.vector.leading_zeros())
    }

    /// Takes columns off a value: returns the rest, and a mask of the columns.
    pub(crate) fn reduced(&self, value: u64) -> (u64, u64) {
        self.pivots.iter().fold((value, 0), |(rest, columns), pivot| {
            match rest ^ pivot.vector < rest {
                true => (rest ^ pivot.vector, columns ^ pivot.columns),
                false => (rest, columns),
            }
        })
    }

    /// Returns whether different bits always give different values.
    pub(crate) fn is_injective(&self) -> bool {
        self.kernel.is_empty()
    }

    /// Returns whether every value below `extent`, a power of two, is given by exactly one choice of bits.
    pub(crate) fn is_bijective(&self, extent: u64) -> bool {
        let bits = crate::number::to_u64(self.columns.len());
        self.is_injective() && bits == u64::from(extent.ilog2())
    }

    /// Returns bits whose XOR is 0, if there are any.
    pub(crate) fn dependent(&self) -> Option<Vec<Column>> {
        self.kernel.first().map(|columns| self.chosen(*columns).collect())
    }

    /// The digits with bits that depend on others, by their numbers.
    pub(crate) fn dependent_digits(&self) -> impl Iterator<Item = usize> + '_ {
        self.kernel.iter().flat_map(|columns| self.chosen(*columns)).map(|column| column.digit)
    }

    fn chosen(&self, columns: u64) -> impl Iterator<Item = Column> + '_ {
        let numbered = self.columns.iter().enumerate();
        numbered.filter(move |(at, _)| columns >> at & 1 == 1).map(|(_, column)| *column)
    }

    /// Returns the mask of the columns that are taken off a value. It is a linear function, and the inverse
    /// of the columns if they are injective.
    pub(crate) fn made_of(&self, value: u64) -> u64 {
        self.reduced(value).1
    }

    /// The digits with their numbers of bits, in the order of the columns.
    pub(crate) fn digits(&self) -> Vec<(usize, u32)> {
        let runs = self.columns.chunk_by(|a, b| a.digit == b.digit);
        runs.map(|run| (run[0].digit, run[run.len() - 1].bit + 1)).collect()
    }

    /// Calls `go_on` with every choice of digits that gives the value.
    pub(crate) fn solve<B>(
        &self,
        value: u64,
        digits: &mut [u64],
        budget: &mut Budget,
        go_on: &mut OnSolution<'_, B>,
    ) -> Result<ControlFlow<B>, LayoutError> {
        let (0, mut columns) = self.reduced(value) else { return Ok(ControlFlow::Continue(())) };
        for step in 1_u64.. {
            budget.step()?;
            self.columns.iter().for_each(|column| digits[column.digit] = 0);
            self.chosen(columns).for_each(|column| digits[column.digit] |= 1 << column.bit);
            if let ControlFlow::Break(found) = go_on(digits, budget)? {
                return Ok(ControlFlow::Break(found));
            }
            // Gray code: every sum of the kernel once.
            let Some(next) = self.kernel.get(crate::number::to_index(step.trailing_zeros().into()))
            else {
                break;
            };
            columns ^= next;
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl Layout {
    /// Returns whether some derived axis is an XOR.
    pub(crate) fn has_xor(&self) -> bool {
        self.derived.iter().any(DerivedAxis::is_xor)
    }

    /// Returns whether an XOR among these derived axes may differ from a sum for real indexes.
    pub(crate) fn flips_in(&self, derived: &[usize]) -> bool {
        let mut xors = derived.iter().filter(|number| self.derived[**number].is_xor()).peekable();
        xors.peek().is_some() && {
            let digits = self.digits();
            xors.any(|number| {
                let start = self.derived[*number].start;
                let columns = BitSystem::of_elements(&digits, *number).columns;
                is_carried(start, columns.into_iter().map(|column| column.flips))
            })
        }
    }

    /// Checks what XOR axes need: powers of two.
    pub(crate) fn check_xors(&self) -> Result<(), LayoutError> {
        if !self.has_xor() {
            return Ok(());
        }
        for (number, derived) in self.derived.iter().enumerate().filter(|(_, d)| d.is_xor()) {
            derived.check_xor(number)?;
        }
        let mut bits = vec![0; self.derived.len()];
        for subaxis in self.subaxes() {
            let Target::Feed { derived, weight } = subaxis.target else { continue };
            if self.derived[derived].is_xor() {
                let extent = self.derived[derived].axis.extent;
                bits[derived] += flipping_bits(subaxis, (derived, weight), extent)?;
                if bits[derived] > u64::BITS {
                    return Err(fault!(
                        Invalid,
                        "derived axis {derived} is an XOR, but more than 64 bits feed it",
                        [derived]
                    ));
                }
            }
        }
        Ok(())
    }

    /// Returns two indexes that dependent bits put in one place, if the bits are those of tensor axes.
    pub(crate) fn flipped_together(&self, digits: &Digits) -> Option<[Vec<u64>; 2]> {
        let xors = (0..self.derived.len()).filter(|number| self.derived[*number].is_xor());
        xors.filter_map(|number| BitSystem::of_elements(digits, number).dependent())
            .find_map(|columns| self.both_sides(digits, &columns))
    }

    /// Returns the highest of some bits per axis, and the others, as two indexes; `None` unless both are
    /// elements in one place.
    fn both_sides(&self, digits: &Digits, columns: &[Column]) -> Option<[Vec<u64>; 2]> {
        let mut together = vec![0_u64; self.rank()];
        for column in columns {
            let digit = digits.digit(column.digit);
            let entry = together.get_mut(digit.axis?)?;
            *entry += (1_u64 << column.bit).checked_mul(digit.weight)?;
        }
        let mut highest = vec![0_u64; self.rank()];
        for column in columns {
            let digit = digits.digit(column.digit);
            let value = digit.weight << column.bit;
            let entry = highest.get_mut(digit.axis?)?;
            *entry = value.max(*entry);
        }
        let others = together.iter().zip(&highest).map(|(all, high)| all - high).collect();
        let sides = [highest, others];
        let meet = sides.iter().all(|index| self.check_index(index).is_ok())
            && self.slot(&sides[0]) == self.slot(&sides[1]);
        meet.then_some(sides)
    }
}

impl DerivedAxis {
    fn check_xor(&self, derived: usize) -> Result<(), LayoutError> {
        let DerivedAxis { start, axis: Axis { extent, subaxes }, .. } = self;
        let odd = subaxes.iter().map(|subaxis| subaxis.size).find(|size| !size.is_power_of_two());
        match odd {
            Some(size) => Err(fault!(
                Invalid,
                "derived axis {derived} is an XOR, but one of its subaxes has size \
                 {size}, which is not a power of two",
                [derived, size]
            )),
            None if !extent.is_power_of_two() || *extent != self.axis.slots() => Err(fault!(
                Invalid,
                "derived axis {derived} is an XOR, but its extent {extent} is not the \
                 power of two that its subaxes write",
                [derived, extent = *extent]
            )),
            None if start >= extent => Err(fault!(
                Invalid,
                "derived axis {derived} is an XOR, but its start {start} is not below \
                 its extent {extent}",
                [derived, start = *start, extent = *extent]
            )),
            None => Ok(()),
        }
    }
}

/// Returns the number of bits of a digit that feeds an XOR of this extent, with a weight.
fn flipping_bits(
    digit: &Subaxis,
    (derived, weight): (usize, u64),
    extent: u64,
) -> Result<u32, LayoutError> {
    if !digit.size.is_power_of_two() {
        return Err(fault!(
            Invalid,
            "derived axis {derived} is an XOR, but a digit of size {size} feeds it, \
             which is not a power of two",
            [derived, size = digit.size]
        ));
    }
    let top = weight.checked_mul(digit.size / 2).filter(|top| *top < extent);
    match digit.size > 1 && top.is_none() {
        true => Err(fault!(
            Invalid,
            "derived axis {derived} is an XOR, but a digit of size {size} and weight \
             {weight} flips bits beyond its extent {extent}",
            [derived, size = digit.size, weight, extent]
        )),
        false => Ok(digit.size.ilog2()),
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::{BitSystem, Column, xor_product};
    use crate::algebra::solve::Budget;

    #[test]
    fn a_value_is_made_by_the_columns_that_every_combination_finds() {
        let mut seed = 7_u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            seed >> 40
        };
        for _ in 0..300 {
            let column = |digit| Column { digit, bit: 0, flips: random() % 32 };
            let columns: Vec<Column> = (0..5).map(column).collect();
            let system = BitSystem::new(columns.clone());
            for value in 0..32 {
                let makes = |choice: &u64| {
                    let set = columns.iter().filter(|column| choice >> column.digit & 1 == 1);
                    set.fold(0, |sum, column| sum ^ column.flips) == value
                };
                let wanted: Vec<u64> = (0..32).filter(makes).collect();
                let (mut found, mut digits) = (Vec::new(), vec![0; 5]);
                let mut budget = Budget::new("a test");
                let flow = system.solve(value, &mut digits, &mut budget, &mut |digits, _| {
                    let bits = digits.iter().enumerate();
                    found.push(bits.map(|(at, bit)| bit << at).sum::<u64>());
                    Ok(ControlFlow::<()>::Continue(()))
                });
                assert!(flow.is_ok());
                found.sort_unstable();
                assert_eq!(found, wanted);
            }
        }
    }

    #[test]
    fn a_digit_flips_its_weight_shifted_by_each_bit() {
        assert_eq!(xor_product(72, 3), 72 ^ 144);
        assert_eq!(xor_product(3, 3), 3 ^ 6);
        assert_eq!(xor_product(5, 0), 0);
    }
}
