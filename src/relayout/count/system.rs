//! Counting the solutions of equations in digits, level by level.
//!
//! Levels add their equations one after the other, from the outermost in. Digits that an earlier level
//! settled stay settled, so counting for all levels of a path costs little more than for the last.
//!
//! 1. An equation with one digit gives its value; an equation between two digits of equal weight
//!    says that they are the same, and one takes the place of the other.
//! 2. Digits that no equation is left for are free: their sizes multiply.
//! 3. What remains falls into parts that share no digit; each is packed into one sum and
//!    [searched](super::search).
//!
//! A number that both sides split in their own ways is a choice like a digit, but is never settled.

use std::cmp::Reverse;

use itertools::Itertools;
use smallvec::SmallVec;

use super::digit::{Adds, DigitChoice, NumberDigits};
use super::options::not_decided;
use super::options::{BUDGET, Options};
use super::search::count_zeros;
use crate::algebra::Groups;
use crate::error::LayoutError;

impl DigitChoice<i128> {
    /// The least and the greatest amount that it adds to an equation.
    fn bounds(&self, equation: usize) -> (i128, i128) {
        match &self.adds {
            Adds::Digits(digits) => {
                let own = digits.iter().filter(|digit| digit.stride.0 == equation);
                let most = own.map(|d| d.stride.1 * i128::from(d.greatest(self.options)));
                most.fold((0, 0), |(low, high), most| (low + most.min(0), high + most.max(0)))
            }
            Adds::Listed(rows) => {
                let added = || rows.iter().map(|row| row[equation]);
                (added().min().unwrap_or(0), added().max().unwrap_or(0))
            }
        }
    }

    /// Returns whether all amounts that it adds to an equation are multiples of `grain`.
    fn is_multiple_of(&self, equation: usize, grain: i128) -> bool {
        match &self.adds {
            Adds::Digits(digits) => {
                digits.iter().all(|digit| digit.stride.0 != equation || digit.stride.1 % grain == 0)
            }
            Adds::Listed(rows) => rows.iter().all(|row| row[equation] % grain == 0),
        }
    }

    /// Calls `take` with the equations that it adds to, some more than once.
    fn each_equation(&self, mut take: impl FnMut(usize)) {
        match &self.adds {
            Adds::Digits(digits) => digits.iter().for_each(|digit| take(digit.stride.0)),
            Adds::Listed(rows) => {
                let adds = |of: &usize| rows.iter().any(|row| row[*of] != 0);
                (0..rows.first().map_or(0, Vec::len)).filter(adds).for_each(take);
            }
        }
    }

    /// The contributions of its numbers to a packed sum, restricted to the numbers for which the equations
    /// that only this choice is in add up to `wanted`.
    fn packed(&self, sum: &Packed, own: &Packed, wanted: i128) -> Options<i128> {
        if let Some(digits) = self.as_digit() {
            let step = digits.iter().map(|digit| digit.stride.1 * sum.weight(digit.stride.0)).sum();
            return Options::digit(self.options, step);
        }
        let weights = |of| [sum.weight(of), own.weight(of)];
        let step = |(of, step): (usize, i128)| weights(of).map(|weight| weight * step);
        let mut sums = Vec::new();
        self.each(
            step,
            |row| [sum.sum(row), own.sum(row)],
            |[added, choice], numbers| {
                sums.extend((choice == wanted).then_some((added, numbers.into())));
            },
        );
        Options::listed(sums)
    }
}

/// Some equations as fields of one number.
struct Packed {
    /// (equation, weight of its field).
    fields: Vec<(usize, i128)>,
}

impl Packed {
    fn sum(&self, values: &[i128]) -> i128 {
        self.fields.iter().map(|(equation, weight)| values[*equation] * weight).sum()
    }

    fn weight(&self, equation: usize) -> i128 {
        self.fields.iter().find(|(of, _)| *of == equation).map_or(0, |(_, weight)| *weight)
    }
}

/// The numbers of a few choices or equations: a list is made for every priced pair, and most are short.
pub(crate) type Numbers = SmallVec<[usize; 6]>;

/// Equations and the choices that are left in them.
#[derive(Clone, Debug)]
pub(crate) struct System {
    /// The equations of every level.
    levels: Vec<std::ops::Range<usize>>,
    /// The constant of every equation, which a solution brings to 0.
    start: Vec<i128>,
    /// The choices by number; `None` if settled, joined with another or dropped.
    pub(crate) choices: Vec<Option<DigitChoice<i128>>>,
    /// The copies in every level, added together with its equations.
    copies: Vec<Vec<DigitChoice<i128>>>,
    /// The choices in every equation.
    pub(crate) members: Vec<Numbers>,
    /// Equations that are not settled, of the levels so far.
    pub(crate) kept: Vec<usize>,
    pub(crate) impossible: bool,
}

impl System {
    /// Equations without choices yet: those of every level, and their constants; `choices` is a capacity.
    pub(crate) fn new(
        levels: Vec<std::ops::Range<usize>>,
        start: Vec<i128>,
        choices: usize,
    ) -> System {
        System {
            copies: vec![Vec::new(); levels.len()],
            members: vec![Numbers::new(); start.len()],
            levels,
            choices: Vec::with_capacity(choices),
            kept: Vec::with_capacity(start.len()),
            start,
            impossible: false,
        }
    }

    pub(crate) fn push(&mut self, choice: DigitChoice<i128>) {
        self.impossible |= choice.options == 0;
        let number = self.choices.len();
        choice.each_equation(|of| {
            if self.members[of].last() != Some(&number) {
                self.members[of].push(number);
            }
        });
        self.choices.push(Some(choice));
    }

    /// Adds a digit of copies that differ in a level.
    pub(crate) fn push_copies(&mut self, level: usize, copies: DigitChoice<i128>) {
        self.copies[level].push(copies);
    }

    /// Adds the equations of a level.
    pub(crate) fn add(&mut self, level: usize) {
        for copies in std::mem::take(&mut self.copies[level]) {
            self.push(copies);
        }
        let mut waiting: Numbers = self.levels[level].clone().collect();
        // A digit that is settled may leave one digit in an equation seen before.
        while let Some(equation) = waiting.pop() {
            if self.impossible {
                return;
            }
            match self.members[equation][..] {
                [] => self.impossible |= self.start[equation] != 0,
                [only] if self.digit(only).is_some() => self.settle(only, equation, &mut waiting),
                [a, b] if self.are_equal(a, b, equation) => self.join(a, b, equation, &mut waiting),
                _ if self.is_always_solved(equation) => self.forget(equation),
                _ => self.kept.push(equation),
            }
        }
    }

    /// The steps of a choice that is one digit.
    pub(crate) fn digit(&self, number: usize) -> Option<&NumberDigits<i128>> {
        self.choices[number].as_ref()?.as_digit()
    }

    /// The step of a digit in an equation.
    fn step(&self, number: usize, equation: usize) -> Option<i128> {
        let digits = self.digit(number)?.iter();
        let own = digits.filter(|digit| digit.stride.0 == equation);
        Some(own.map(|digit| digit.stride.1).sum())
    }

    /// The choices in an equation with their numbers.
    fn members(&self, equation: usize) -> impl Iterator<Item = (usize, &DigitChoice<i128>)> {
        let members = self.members[equation].iter();
        members.filter_map(|at| Some((*at, self.choices[*at].as_ref()?)))
    }

    /// Returns whether the digits that only this equation has solve it in exactly one way, whatever the other
    /// digits are. An example is a side with a copy in every unit: exactly one of the copies is in the unit
    /// in which the other side has the element.
    fn is_always_solved(&self, equation: usize) -> bool {
        let own =
            self.members(equation).filter_map(|(_, choice)| Some((own_step(choice)?, choice)));
        let mut own: SmallVec<[(i128, i128); 4]> =
            own.map(|(step, choice)| (step, choice.options.into())).collect();
        own.sort_unstable_by_key(|(step, _)| step.abs());
        let Some(&(grain, _)) = own.first() else { return false };
        // Together they reach every multiple of the smallest step below some end exactly once.
        let end =
            own.iter().try_fold(grain, |next, (step, size)| (*step == next).then_some(next * size));
        let Some(end) = end else { return false };
        let others = || self.members(equation).map(|(_, c)| c).filter(|c| own_step(c).is_none());
        let (low, high) = self.range(equation, others());
        let (low, high) = if grain > 0 { (-high, -low) } else { (low, high) };
        low >= 0
            && high < end.abs()
            && self.start[equation] % grain == 0
            && others().all(|choice| choice.is_multiple_of(equation, grain))
    }

    /// The least and the greatest sum of an equation's constant and some of its choices.
    fn range<'a>(
        &self,
        equation: usize,
        choices: impl Iterator<Item = &'a DigitChoice<i128>>,
    ) -> (i128, i128) {
        let start = self.start[equation];
        let bounds = choices.map(|choice| choice.bounds(equation));
        bounds.fold((start, start), |(low, high), (a, b)| (low + a, high + b))
    }

    /// Drops an equation with the digits that only it has.
    fn forget(&mut self, equation: usize) {
        let own = self.members(equation).filter(|(_, choice)| own_step(choice).is_some());
        let own: Numbers = own.map(|(number, _)| number).collect();
        own.into_iter().for_each(|number| self.choices[number] = None);
    }

    /// Gives the only digit of an equation the value that solves it.
    fn settle(&mut self, number: usize, equation: usize, waiting: &mut Numbers) {
        let Some(step) = self.step(number, equation) else { return };
        let Some(choice) = self.choices[number].take() else { return };
        let (wanted, digit) = (-self.start[equation], -self.start[equation] / step);
        if wanted % step != 0 || digit < 0 || digit >= i128::from(choice.options) {
            self.impossible = true;
            return;
        }
        for (of, step) in choice.as_digit().into_iter().flatten().map(|digit| digit.stride) {
            self.start[of] += digit * step;
            self.members[of].retain(|member| *member != number);
            self.revisit(of, equation, waiting);
        }
    }

    fn are_equal(&self, a: usize, b: usize, equation: usize) -> bool {
        let [a, b] = [a, b].map(|number| self.step(number, equation));
        self.start[equation] == 0 && a.zip(b).is_some_and(|(a, b)| a == -b)
    }

    /// Replaces digit `b` by digit `a`, which is equal.
    fn join(&mut self, a: usize, b: usize, equation: usize, waiting: &mut Numbers) {
        let Some(other) = self.choices[b].take() else { return };
        let Some(DigitChoice { options, adds: Adds::Digits(joined) }) = self.choices[a].as_mut()
        else {
            return;
        };
        *options = other.options.min(*options);
        for digit in other.as_digit().into_iter().flatten() {
            match joined.iter_mut().find(|known| known.stride.0 == digit.stride.0) {
                Some(known) => known.stride.1 += digit.stride.1,
                None => joined.push(*digit),
            }
        }
        let touched: SmallVec<[(usize, i128); 6]> =
            joined.iter().map(|digit| digit.stride).collect();
        joined.retain(|digit| digit.stride.1 != 0);
        for (of, step) in touched {
            self.members[of].retain(|member| *member != a && *member != b);
            if step != 0 {
                self.members[of].push(a);
            }
            self.revisit(of, equation, waiting);
        }
    }

    fn revisit(&mut self, equation: usize, settled: usize, waiting: &mut Numbers) {
        if equation != settled
            && let Some(at) = self.kept.iter().position(|of| *of == equation)
        {
            waiting.push(self.kept.swap_remove(at));
        }
    }

    /// The number of solutions of the equations of the levels so far.
    pub(crate) fn count(&self) -> Result<u128, LayoutError> {
        if self.impossible {
            return Ok(0);
        }
        if self.kept.is_empty() {
            let left = self.choices.iter().flatten();
            return Ok(left.map(|choice| u128::from(choice.options)).product());
        }
        let mut groups = Groups::new(self.kept.len());
        // The first equation that has a choice.
        let mut first: Vec<Option<usize>> = vec![None; self.choices.len()];
        for (at, equation) in self.kept.iter().enumerate() {
            for member in &self.members[*equation] {
                groups.join(*first[*member].get_or_insert(at), at);
            }
        }
        let free = self.choices.iter().zip(&first).filter(|(_, first)| first.is_none());
        let free = free.filter_map(|(choice, _)| choice.as_ref());
        let mut count: u128 = free.map(|choice| u128::from(choice.options)).product();
        let mut budget = BUDGET;
        for set in groups.sets() {
            let equations: Vec<usize> = set.into_iter().map(|at| self.kept[at]).collect();
            count *= self.count_together(&equations, &mut budget)?;
            if count == 0 {
                break;
            }
        }
        Ok(count)
    }

    /// The number of solutions of equations that share choices.
    fn count_together(&self, equations: &[usize], budget: &mut u64) -> Result<u128, LayoutError> {
        // Equations of one choice alone restrict its numbers before anything is combined.
        let is_own = |of: &usize| self.members[*of].len() == 1;
        let (own, shared): (Vec<usize>, Vec<usize>) = equations.iter().partition(|of| is_own(of));
        let packed = self.packed(&shared)?;
        let members = equations.iter().flat_map(|of| self.members(*of));
        let members = members.sorted_unstable_by_key(|(number, _)| *number);
        let terms = members.dedup_by(|(a, _), (b, _)| a == b).map(|(number, choice)| {
            let own = own.iter().copied().filter(|of| self.members[*of][..] == [number]);
            let own = self.packed(&own.collect::<Vec<_>>())?;
            Ok(choice.packed(&packed, &own, -own.sum(&self.start)))
        });
        let terms = terms.collect::<Result<_, LayoutError>>()?;
        count_zeros(packed.sum(&self.start), terms, budget)
    }

    /// Fields wide enough for all that can be added, equations with few members at the top.
    fn packed(&self, equations: &[usize]) -> Result<Packed, LayoutError> {
        let mut order = equations.to_vec();
        order.sort_by_cached_key(|of| Reverse((self.members[*of].len(), *of)));
        let (mut weight, mut fields) = (1_i128, Vec::with_capacity(order.len()));
        for equation in order {
            let members = self.members(equation).map(|(_, choice)| choice);
            let (least, most) = self.range(equation, members);
            fields.push((equation, weight));
            let next = weight.checked_mul(2 * most.max(-least) + 1).filter(|w| *w < 1 << 120);
            weight = next.ok_or_else(|| not_decided(BUDGET))?;
        }
        Ok(Packed { fields })
    }
}

/// The step of a digit that only one equation has.
fn own_step(choice: &DigitChoice<i128>) -> Option<i128> {
    match choice.as_digit()?.as_slice() {
        [digit] => Some(digit.stride.1),
        _ => None,
    }
}
