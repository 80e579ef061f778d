//! Counting the solutions of equations in digits, level by level.
//!
//! The equations of a level come when the level does, from the outermost in: what earlier levels
//! have settled stays settled, so that all counts of a path cost little more than the last.
//!
//! 1. An equation with one digit gives its value; an equation between two digits of equal weight
//!    says that they are the same, and one takes the place of the other.
//! 2. Digits that no equation is left for are free: their sizes multiply.
//! 3. What remains falls into parts that share no digit; each is packed into one sum and
//!    [searched](super::search).

use super::listing::{Turn, sums};
use super::refuse::not_decided;
use super::search::{BUDGET, Term, count_zeros};
use crate::error::LayoutError;
use crate::number::to_u64;

/// A digit, and (equation, step) of what it adds.
#[derive(Clone, Debug)]
pub(super) struct Unknown {
    pub(super) size: u64,
    pub(super) steps: Vec<(usize, i128)>,
}

impl Unknown {
    fn step_in(&self, equation: usize) -> i128 {
        self.steps.iter().find(|(of, _)| *of == equation).map_or(0, |(_, step)| *step)
    }
}

/// A digit of a value that is listed: `value / place % size`, and what a step adds where.
#[derive(Clone, Debug)]
pub(super) struct Addition {
    pub(super) place: u64,
    pub(super) size: u64,
    pub(super) step: Option<(usize, i128)>,
}

/// A choice among values, which source and target use differently.
#[derive(Clone, Debug)]
pub(super) enum Column {
    /// By the digits of each side, minor to major.
    Split { options: u64, sides: [Vec<Addition>; 2] },
    /// What every value adds to every equation.
    Listed(Vec<Vec<i128>>),
}

impl Column {
    pub(super) fn options(&self) -> u64 {
        match self {
            Column::Split { options, .. } => *options,
            Column::Listed(rows) => to_u64(rows.len()),
        }
    }

    /// Which equations it adds to.
    fn touched(&self, equations: usize) -> Vec<bool> {
        let mut touched = vec![false; equations];
        match self {
            Column::Split { sides, .. } => {
                let turns = sides.iter().flatten();
                turns.filter_map(|turn| turn.step).for_each(|(of, _)| touched[of] = true);
            }
            Column::Listed(rows) => {
                for row in rows {
                    touched.iter_mut().zip(row).for_each(|(any, sum)| *any |= *sum != 0);
                }
            }
        }
        touched
    }

    /// The least and the most that it adds.
    fn bounds(&self, equation: usize) -> (i128, i128) {
        match self {
            Column::Split { options, sides } => {
                let most = |turn: &Addition| {
                    let (_, step) = turn.step.filter(|(of, _)| *of == equation)?;
                    let digit = (turn.size - 1).min(options.saturating_sub(1) / turn.place);
                    Some(step * i128::from(digit))
                };
                let all = sides.iter().flatten().filter_map(most);
                all.fold((0, 0), |(low, high), most| (low + most.min(0), high + most.max(0)))
            }
            Column::Listed(rows) => {
                let added = || rows.iter().map(|row| row[equation]);
                (added().min().unwrap_or(0), added().max().unwrap_or(0))
            }
        }
    }

    /// Whether all that it adds is a multiple.
    fn is_multiple_of(&self, equation: usize, grain: i128) -> bool {
        match self {
            Column::Split { sides, .. } => sides
                .iter()
                .flatten()
                .filter_map(|turn| turn.step)
                .all(|(of, step)| of != equation || step % grain == 0),
            Column::Listed(rows) => rows.iter().all(|row| row[equation] % grain == 0),
        }
    }

    /// The most that it adds or takes away.
    fn reach(&self, equation: usize) -> i128 {
        match self {
            Column::Split { options, sides } => {
                let turns = sides.iter().flatten();
                let steps = turns.filter_map(|turn| {
                    let (_, step) = turn.step.filter(|(of, _)| *of == equation)?;
                    let most = (turn.size - 1).min(options.saturating_sub(1) / turn.place);
                    Some(step.abs() * i128::from(most))
                });
                steps.sum()
            }
            Column::Listed(rows) => rows.iter().map(|row| row[equation].abs()).max().unwrap_or(0),
        }
    }

    /// What every value adds to a packed sum, with how many values add it; only those that bring
    /// the equations that nothing else adds to to `wanted`.
    fn sums(&self, packed: &Packed, own: &Packed, wanted: i128) -> Vec<(i128, u64)> {
        match self {
            Column::Split { options, sides } => split_sums(*options, sides, packed, own, wanted),
            Column::Listed(rows) => {
                let sum = |row: &Vec<i128>, packed: &Packed| -> i128 {
                    packed.fields.iter().map(|(equation, weight)| row[*equation] * weight).sum()
                };
                let kept = rows.iter().filter(|row| sum(row, own) == wanted);
                kept.map(|row| (sum(row, packed), 1)).collect()
            }
        }
    }
}

/// What the values of an axis add that both sides split in their own ways.
fn split_sums(
    options: u64,
    sides: &[Vec<Addition>; 2],
    packed: &Packed,
    own: &Packed,
    wanted: i128,
) -> Vec<(i128, u64)> {
    let turn = |turn: &Addition| {
        let (equation, step) = turn.step?;
        let (choice, step) = (step * own.weight(equation), step * packed.weight(equation));
        Some(Turn { place: turn.place, size: turn.size, step, choice })
    };
    let turns: Vec<Turn> = sides.iter().flatten().filter_map(turn).collect();
    sums(options, &turns, wanted)
}

/// A choice among values, and which equations it adds to.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) column: Column,
    touched: Vec<bool>,
}

impl Listed {
    pub(super) fn touches(&self, equation: usize) -> bool {
        self.touched[equation]
    }
}

/// Some equations as fields of one number.
struct Packed {
    /// (equation, weight of its field).
    fields: Vec<(usize, i128)>,
}

impl Packed {
    fn sum(&self, start: &[i128]) -> i128 {
        self.fields.iter().map(|(equation, weight)| start[*equation] * weight).sum()
    }

    fn weight(&self, equation: usize) -> i128 {
        self.fields.iter().find(|(of, _)| *of == equation).map_or(0, |(_, weight)| *weight)
    }
}

/// Equations and the digits that are left in them.
#[derive(Clone, Debug)]
pub(super) struct System {
    /// The equations of every level.
    levels: Vec<std::ops::Range<usize>>,
    /// What every equation starts from.
    start: Vec<i128>,
    pub(super) unknowns: Vec<Option<Unknown>>,
    /// Copies within a level: they count when the level does.
    copies: Vec<Vec<Unknown>>,
    pub(super) columns: Vec<Listed>,
    /// The unknowns in every equation.
    pub(super) members: Vec<Vec<usize>>,
    /// Equations that are not settled, of the levels so far.
    pub(super) kept: Vec<usize>,
    pub(super) impossible: bool,
}

impl System {
    /// Equations without digits: what they start from, level by level.
    pub(super) fn new(starts: Vec<Vec<i128>>) -> System {
        let (mut levels, mut start) = (Vec::new(), Vec::new());
        for level in starts {
            levels.push(start.len()..start.len() + level.len());
            start.extend(level);
        }
        let members = vec![Vec::new(); start.len()];
        System {
            copies: vec![Vec::new(); levels.len()],
            levels,
            start,
            unknowns: Vec::new(),
            columns: Vec::new(),
            members,
            kept: Vec::new(),
            impossible: false,
        }
    }

    pub(super) fn push(&mut self, unknown: Unknown) {
        let number = self.unknowns.len();
        self.impossible |= unknown.size == 0;
        unknown.steps.iter().for_each(|(equation, _)| self.members[*equation].push(number));
        self.unknowns.push(Some(unknown));
    }

    /// Adds a digit of copies that lie apart in a level.
    pub(super) fn push_copies(&mut self, level: usize, unknown: Unknown) {
        self.copies[level].push(unknown);
    }

    pub(super) fn push_table(&mut self, column: Column) {
        self.impossible |= column.options() == 0;
        let touched = column.touched(self.start.len());
        self.columns.push(Listed { column, touched });
    }

    /// Adds the equations of a level.
    pub(super) fn add(&mut self, level: usize) {
        for copies in std::mem::take(&mut self.copies[level]) {
            self.push(copies);
        }
        let mut waiting: Vec<usize> = self.levels[level].clone().collect();
        // A digit that is settled may leave one digit in an equation seen before.
        while let Some(equation) = waiting.pop() {
            if self.impossible {
                return;
            }
            let in_table = self.columns.iter().any(|column| column.touches(equation));
            match self.members[equation][..] {
                _ if in_table && self.is_always_solved(equation) => self.forget(equation),
                _ if in_table => self.kept.push(equation),
                [] => self.impossible |= self.start[equation] != 0,
                [only] => self.settle(only, equation, &mut waiting),
                [a, b] if self.are_equal(a, b, equation) => self.join(a, b, equation, &mut waiting),
                _ if self.is_always_solved(equation) => self.forget(equation),
                _ => self.kept.push(equation),
            }
        }
    }

    /// Digits of an equation that no other equation has.
    fn own(&self, equation: usize) -> impl Iterator<Item = (usize, &Unknown)> {
        let members = self.members[equation].iter();
        let unknowns = members.filter_map(|at| Some((*at, self.unknowns[*at].as_ref()?)));
        unknowns.filter(|(_, unknown)| unknown.steps.len() == 1)
    }

    /// Whether digits that no other equation has solve this one in exactly one way, whatever the
    /// others are. So it is where one side has a copy in every unit: one of them is where the other
    /// side has the element.
    fn is_always_solved(&self, equation: usize) -> bool {
        let mut own: Vec<(i128, i128)> = self
            .own(equation)
            .map(|(_, unknown)| (unknown.step_in(equation), i128::from(unknown.size)))
            .collect();
        own.sort_unstable_by_key(|(step, _)| step.abs());
        let Some(&(grain, _)) = own.first() else { return false };
        // They write every multiple of the smallest step up to some end, once.
        let end =
            own.iter().try_fold(grain, |next, (step, size)| (*step == next).then_some(next * size));
        let Some(end) = end else { return false };
        let (low, high) = self.rest(equation);
        let (low, high) = if grain > 0 { (-high, -low) } else { (low, high) };
        low >= 0 && high < end.abs() && self.rest_is_multiple_of(equation, grain)
    }

    /// What the others add to an equation, at least and at most.
    fn rest(&self, equation: usize) -> (i128, i128) {
        let start = self.start[equation];
        let columns = self.columns.iter().map(|listed| listed.column.bounds(equation));
        let others = self.others(equation).map(|(size, step)| {
            let most = (size - 1) * step;
            (most.min(0), most.max(0))
        });
        columns.chain(others).fold((start, start), |(low, high), (a, b)| (low + a, high + b))
    }

    fn rest_is_multiple_of(&self, equation: usize, grain: i128) -> bool {
        self.start[equation] % grain == 0
            && self.others(equation).all(|(_, step)| step % grain == 0)
            && self.columns.iter().all(|listed| listed.column.is_multiple_of(equation, grain))
    }

    /// Size and step of the digits that other equations have, too.
    fn others(&self, equation: usize) -> impl Iterator<Item = (i128, i128)> {
        let members = self.members[equation].iter().filter_map(|at| self.unknowns[*at].as_ref());
        let shared = members.filter(|unknown| unknown.steps.len() > 1);
        shared.map(move |unknown| (i128::from(unknown.size), unknown.step_in(equation)))
    }

    /// Drops an equation with the digits that only it has.
    fn forget(&mut self, equation: usize) {
        let own: Vec<usize> = self.own(equation).map(|(number, _)| number).collect();
        own.into_iter().for_each(|number| self.unknowns[number] = None);
    }

    /// The one digit of an equation has the value that it asks for.
    fn settle(&mut self, number: usize, equation: usize, waiting: &mut Vec<usize>) {
        let Some(unknown) = self.unknowns[number].take() else { return };
        let (wanted, step) = (-self.start[equation], unknown.step_in(equation));
        let digit = wanted / step;
        if wanted % step != 0 || digit < 0 || digit >= i128::from(unknown.size) {
            self.impossible = true;
            return;
        }
        for (of, step) in unknown.steps {
            self.start[of] += digit * step;
            self.members[of].retain(|member| *member != number);
            self.revisit(of, equation, waiting);
        }
    }

    fn are_equal(&self, a: usize, b: usize, equation: usize) -> bool {
        let step = |number: usize| self.unknowns[number].as_ref().map(|u| u.step_in(equation));
        self.start[equation] == 0 && step(a) == step(b).map(|step| -step)
    }

    /// Puts one digit in the place of another that is the same.
    fn join(&mut self, a: usize, b: usize, equation: usize, waiting: &mut Vec<usize>) {
        let Some(other) = self.unknowns[b].take() else { return };
        let Some(joined) = self.unknowns[a].as_mut() else { return };
        joined.size = joined.size.min(other.size);
        for (of, step) in &other.steps {
            match joined.steps.iter_mut().find(|(known, _)| known == of) {
                Some((_, sum)) => *sum += step,
                None => joined.steps.push((*of, *step)),
            }
        }
        let touched: Vec<(usize, bool)> =
            joined.steps.iter().map(|(of, step)| (*of, *step != 0)).collect();
        joined.steps.retain(|(_, step)| *step != 0);
        for (of, stays) in touched {
            self.members[of].retain(|member| *member != a && *member != b);
            if stays {
                self.members[of].push(a);
            }
            self.revisit(of, equation, waiting);
        }
    }

    fn revisit(&mut self, equation: usize, settled: usize, waiting: &mut Vec<usize>) {
        if equation != settled
            && let Some(at) = self.kept.iter().position(|of| *of == equation)
        {
            waiting.push(self.kept.swap_remove(at));
        }
    }

    /// The number of solutions of the equations of the levels so far.
    ///
    /// # Errors
    /// [`NotDecided`](LayoutError::NotDecided) past the budget.
    pub(super) fn count(&self) -> Result<u128, LayoutError> {
        if self.impossible {
            return Ok(0);
        }
        let mut count = 1_u128;
        let mut kept = vec![false; self.start.len()];
        self.kept.iter().for_each(|equation| kept[*equation] = true);
        for unknown in self.unknowns.iter().flatten() {
            if unknown.steps.iter().all(|(equation, _)| !kept[*equation]) {
                count *= u128::from(unknown.size);
            }
        }
        for column in &self.columns {
            if self.kept.iter().all(|equation| !column.touches(*equation)) {
                count *= u128::from(column.column.options());
            }
        }
        let mut budget = BUDGET;
        for equations in self.components() {
            count *= self.count_together(&equations, &mut budget)?;
            if count == 0 {
                break;
            }
        }
        Ok(count)
    }

    /// Sets of equations that share digits.
    fn components(&self) -> Vec<Vec<usize>> {
        let mut sets: Vec<Vec<usize>> = self.kept.iter().map(|equation| vec![*equation]).collect();
        let mut join = |touches: &dyn Fn(usize) -> bool| {
            let touched = |set: &Vec<usize>| set.iter().any(|equation| touches(*equation));
            if sets.iter().filter(|set| touched(set)).count() > 1 {
                let (joined, apart): (Vec<_>, Vec<_>) =
                    std::mem::take(&mut sets).into_iter().partition(touched);
                sets = apart;
                sets.push(joined.concat());
            }
        };
        for unknown in self.unknowns.iter().flatten() {
            join(&|equation| unknown.steps.iter().any(|(of, _)| *of == equation));
        }
        for column in &self.columns {
            join(&|equation| column.touches(equation));
        }
        sets
    }

    fn count_together(&self, equations: &[usize], budget: &mut u64) -> Result<u128, LayoutError> {
        // What one table alone adds to chooses among its values before anything is combined.
        let owner = |of: usize| {
            let mut columns = (0..self.columns.len()).filter(|at| self.columns[*at].touches(of));
            let only = columns.next().filter(|_| self.members[of].is_empty());
            only.filter(|_| columns.next().is_none())
        };
        let (own, shared): (Vec<usize>, Vec<usize>) =
            equations.iter().partition(|of| owner(**of).is_some());
        let packed = self.packed(&shared)?;
        let start = packed.sum(&self.start);
        let mut terms = Vec::new();
        for unknown in self.unknowns.iter().flatten() {
            if unknown.steps.iter().any(|(of, _)| shared.contains(of)) {
                let steps = unknown.steps.iter();
                let step = steps.map(|(of, step)| step * packed.weight(*of)).sum();
                terms.push(Term::digit(unknown.size, step));
            }
        }
        for (number, column) in self.columns.iter().enumerate() {
            if equations.iter().any(|equation| column.touches(*equation)) {
                let own = own.iter().copied().filter(|of| owner(*of) == Some(number));
                let own = self.packed(&own.collect::<Vec<_>>())?;
                let wanted = -own.sum(&self.start);
                terms.push(Term::listed(column.column.sums(&packed, &own, wanted)));
            }
        }
        count_zeros(start, terms, budget)
    }

    /// Fields wide enough for all that can be added, equations with few digits at the top.
    fn packed(&self, equations: &[usize]) -> Result<Packed, LayoutError> {
        let mut order = equations.to_vec();
        let in_columns = |of: usize| self.columns.iter().filter(|c| c.touches(of)).count();
        order.sort_by_cached_key(|of| {
            std::cmp::Reverse((self.members[*of].len() + in_columns(*of), *of))
        });
        let (mut weight, mut fields) = (1_i128, Vec::new());
        for equation in order {
            let digits = self.members[equation].iter().filter_map(|at| self.unknowns[*at].as_ref());
            let digits = digits.map(|u| u.step_in(equation).abs() * i128::from(u.size - 1));
            let columns = self.columns.iter().map(|listed| listed.column.reach(equation));
            let reach = self.start[equation].abs() + digits.chain(columns).sum::<i128>();
            fields.push((equation, weight));
            weight = weight
                .checked_mul(2 * reach + 1)
                .filter(|w| *w < 1 << 120)
                .ok_or_else(|| not_decided(BUDGET))?;
        }
        Ok(Packed { fields })
    }
}
