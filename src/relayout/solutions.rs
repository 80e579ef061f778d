//! Counting the solutions of linear equations in digits.
//!
//! ```text
//! 4 a + b - 4 c - d = 0    a, c below 8, b, d below 4        32 solutions
//!
//! after  a       sums 0 4 8 .. 28
//!        a c     sums -4 0 4 only: b and d can add at most 3
//!        a c b   ..
//! ```
//!
//! Digits are taken in the order of their weights, heaviest first; a partial sum that the rest
//! cannot bring back to 0 is dropped, and equal ones are counted together. So the number of sums
//! at a time does not grow with the digits, but with how far their weights are from lining up.

use std::ops::Range;

use num_integer::Integer;

use crate::error::LayoutError;

/// How many partial sums may be made before the answer is "not decided".
const BUDGET: u64 = 1 << 22;

/// A choice that adds to the sums of some equations.
#[derive(Clone, Debug)]
pub(super) enum Choice {
    /// A digit below `size`: adds digit x step to an equation, for each (equation, step).
    Digit { size: u64, steps: Vec<(usize, i128)> },
    /// One of some additions to all equations.
    Table(Vec<Vec<i128>>),
}

impl Choice {
    fn options(&self) -> u64 {
        match self {
            Choice::Digit { size, .. } => *size,
            Choice::Table(rows) => u64::try_from(rows.len()).unwrap_or(u64::MAX),
        }
    }

    /// Adds what an option adds.
    fn add(&self, option: u64, sums: &mut [i128]) {
        match self {
            Choice::Digit { steps, .. } => {
                for (equation, step) in steps {
                    sums[*equation] += i128::from(option) * step;
                }
            }
            Choice::Table(rows) => {
                let row = usize::try_from(option).ok().and_then(|option| rows.get(option));
                let row = row.into_iter().flatten();
                sums.iter_mut().zip(row).for_each(|(sum, step)| *sum += step);
            }
        }
    }

    fn touches(&self, equation: usize) -> bool {
        match self {
            Choice::Digit { steps, .. } => steps.iter().any(|(of, _)| *of == equation),
            Choice::Table(rows) => rows.iter().any(|row| row[equation] != 0),
        }
    }

    /// What a step of a digit adds to an equation.
    fn step_in(steps: &[(usize, i128)], equation: usize) -> i128 {
        steps.iter().find(|(of, _)| *of == equation).map_or(0, |(_, step)| *step)
    }

    /// The least and the greatest addition to an equation.
    fn bounds(&self, equation: usize) -> (i128, i128) {
        match self {
            Choice::Digit { size, steps } => {
                let most = i128::from(size - 1) * Choice::step_in(steps, equation);
                (most.min(0), most.max(0))
            }
            Choice::Table(rows) => {
                let all = || rows.iter().map(|row| row[equation]);
                (all().min().unwrap_or(0), all().max().unwrap_or(0))
            }
        }
    }

    /// What divides every addition to an equation.
    fn step(&self, equation: usize) -> i128 {
        match self {
            Choice::Digit { steps, .. } => Choice::step_in(steps, equation).abs(),
            Choice::Table(rows) => rows.iter().fold(0, |gcd, row| gcd.gcd(&row[equation])),
        }
    }
}

/// The number of ways to choose so that `start` plus all additions is 0 in every equation.
///
/// # Errors
/// [`NotDecided`](LayoutError::NotDecided) past the budget.
pub(super) fn count(mut start: Vec<i128>, choices: Vec<Choice>) -> Result<u128, LayoutError> {
    if choices.iter().any(|choice| choice.options() == 0) {
        return Ok(0);
    }
    let Some((equations, choices)) = eliminated(&mut start, choices) else { return Ok(0) };
    let mut count = 1_u128;
    let mut rest: Vec<&Choice> = Vec::new();
    for choice in &choices {
        match equations.iter().any(|equation| choice.touches(*equation)) {
            true => rest.push(choice),
            false => count *= u128::from(choice.options()),
        }
    }
    let mut budget = BUDGET;
    for (equations, choices) in components(&equations, rest) {
        let start: Vec<i128> = equations.iter().map(|equation| start[*equation]).collect();
        let choices = choices.into_iter().map(|choice| restrict(choice, &equations)).collect();
        count *= Search::new(start.len(), choices).count(start, &mut budget)?;
        if count == 0 {
            break;
        }
    }
    Ok(count)
}

/// Solves equations in which one digit is left, or two that must be the same: the digit is put in
/// place of the other. Gives the equations and the choices that are left; `None` without solution.
fn eliminated(start: &mut [i128], choices: Vec<Choice>) -> Option<(Vec<usize>, Vec<Choice>)> {
    let in_table = |equation: &usize| {
        choices.iter().any(|c| matches!(c, Choice::Table(_)) && c.touches(*equation))
    };
    let (tables, mut waiting): (Vec<usize>, Vec<usize>) = (0..start.len()).partition(in_table);
    let mut kept: Vec<usize> = Vec::new();
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); start.len()];
    for (at, choice) in choices.iter().enumerate() {
        if let Choice::Digit { steps, .. } = choice {
            steps.iter().for_each(|(equation, _)| members[*equation].push(at));
        }
    }
    let mut choices: Vec<Option<Choice>> = choices.into_iter().map(Some).collect();
    // A digit that is put in place of another may leave one digit in an equation seen before.
    while let Some(equation) = waiting.pop() {
        match members[equation][..] {
            [] if start[equation] != 0 => return None,
            [] => {}
            [at] => {
                let Some(Choice::Digit { size, steps }) = choices[at].take() else { continue };
                let step = Choice::step_in(&steps, equation);
                let digit = u64::try_from(-start[equation] / step).ok()?;
                if digit >= size || start[equation] % step != 0 {
                    return None;
                }
                for (of, step) in steps {
                    start[of] += i128::from(digit) * step;
                    members[of].retain(|member| *member != at);
                    revisit(of, equation, &mut kept, &mut waiting);
                }
            }
            [a, b] if start[equation] == 0 => {
                let (
                    Some(Choice::Digit { size, steps }),
                    Some(Choice::Digit { size: n, steps: other }),
                ) = (&choices[a], &choices[b])
                else {
                    continue;
                };
                if Choice::step_in(steps, equation) != -Choice::step_in(other, equation) {
                    kept.push(equation);
                    continue;
                }
                let (size, joined) = (*size.min(n), sum(steps, other));
                let touched: Vec<usize> = other.iter().chain(steps).map(|(of, _)| *of).collect();
                for of in touched {
                    members[of].retain(|member| *member != a && *member != b);
                    if joined.iter().any(|(left, _)| *left == of) {
                        members[of].push(a);
                    }
                    revisit(of, equation, &mut kept, &mut waiting);
                }
                choices[b] = None;
                choices[a] = Some(Choice::Digit { size, steps: joined });
            }
            _ => kept.push(equation),
        }
    }
    kept.extend(tables);
    Some((kept, choices.into_iter().flatten().collect()))
}

fn revisit(equation: usize, solved: usize, kept: &mut Vec<usize>, waiting: &mut Vec<usize>) {
    if equation != solved
        && let Some(at) = kept.iter().position(|of| *of == equation)
    {
        waiting.push(kept.swap_remove(at));
    }
}

/// What two digits that are the same add together.
fn sum(a: &[(usize, i128)], b: &[(usize, i128)]) -> Vec<(usize, i128)> {
    let mut joined = a.to_vec();
    for (equation, step) in b {
        match joined.iter_mut().find(|(of, _)| of == equation) {
            Some((_, sum)) => *sum += step,
            None => joined.push((*equation, *step)),
        }
    }
    joined.retain(|(_, step)| *step != 0);
    joined
}

/// The choice as some equations see it.
fn restrict(choice: &Choice, equations: &[usize]) -> Choice {
    match choice {
        Choice::Digit { size, steps } => {
            let number = |of: usize| equations.iter().position(|equation| *equation == of);
            let steps = steps.iter().filter_map(|(of, step)| Some((number(*of)?, *step)));
            Choice::Digit { size: *size, steps: steps.collect() }
        }
        Choice::Table(rows) => {
            let kept = |row: &Vec<i128>| equations.iter().map(|of| row[*of]).collect();
            Choice::Table(rows.iter().map(kept).collect())
        }
    }
}

/// Equations that share choices, with those choices.
type Component<'a> = (Vec<usize>, Vec<&'a Choice>);

/// Sets of equations, each independent of the others.
fn components<'a>(equations: &[usize], choices: Vec<&'a Choice>) -> Vec<Component<'a>> {
    let mut sets: Vec<Component<'a>> =
        equations.iter().map(|equation| (vec![*equation], Vec::new())).collect();
    for choice in choices {
        let touched = |set: &Component<'a>| set.0.iter().any(|e| choice.touches(*e));
        let (joined, apart): (Vec<_>, Vec<_>) = sets.into_iter().partition(touched);
        let mut set = (Vec::new(), vec![choice]);
        for (equations, choices) in joined {
            set.0.extend(equations);
            set.1.extend(choices);
        }
        sets = apart;
        sets.push(set);
    }
    sets
}

/// Choices in the order in which they are made, and what those from each one on can add.
struct Search {
    choices: Vec<Choice>,
    /// (least, greatest, common divisor) per equation.
    rest: Vec<Vec<(i128, i128, i128)>>,
}

/// Partial sums with their counts, sorted.
type Sums = Vec<(Vec<i128>, u128)>;

impl Search {
    fn new(equations: usize, choices: Vec<Choice>) -> Search {
        let choices = in_order(equations, choices);
        let mut rest = vec![vec![(0, 0, 0); equations]; choices.len() + 1];
        for (at, choice) in choices.iter().enumerate().rev() {
            let more = |(equation, (low, high, step)): (usize, &(i128, i128, i128))| {
                let (least, greatest) = choice.bounds(equation);
                (low + least, high + greatest, step.gcd(&choice.step(equation)))
            };
            rest[at] = rest[at + 1].iter().enumerate().map(more).collect();
        }
        Search { choices, rest }
    }

    fn count(&self, start: Vec<i128>, budget: &mut u64) -> Result<u128, LayoutError> {
        let mut sums: Sums = vec![(start, 1)];
        sums.retain(|(sum, _)| self.can_close(0, sum));
        for (at, choice) in self.choices.iter().enumerate() {
            let mut next: Sums = Vec::new();
            for (sum, count) in &sums {
                let range = self.range(at, sum);
                let made = range.end.saturating_sub(range.start);
                let spent =
                    LayoutError::NotDecided { question: "how many elements move", budget: BUDGET };
                *budget = budget.checked_sub(made).ok_or(spent)?;
                for option in range {
                    let mut sum = sum.clone();
                    choice.add(option, &mut sum);
                    if self.can_close(at + 1, &sum) {
                        next.push((sum, *count));
                    }
                }
            }
            sums = merged(next);
        }
        Ok(sums.iter().map(|(_, count)| count).sum())
    }

    /// Whether the choices from `at` on may bring every sum to 0.
    fn can_close(&self, at: usize, sum: &[i128]) -> bool {
        sum.iter().zip(&self.rest[at]).all(|(sum, (low, high, step))| {
            *low <= -sum && -sum <= *high && (*step == 0 || sum % step == 0)
        })
    }

    /// The options of a choice that the rest can bring back.
    fn range(&self, at: usize, sum: &[i128]) -> Range<u64> {
        let choice = &self.choices[at];
        let Choice::Digit { size, steps } = choice else { return 0..choice.options() };
        let (mut least, mut most) = (0, i128::from(*size) - 1);
        for (equation, step) in steps {
            let (sum, (low, high, _)) = (sum[*equation], self.rest[at + 1][*equation]);
            // low <= -(sum + step x digit) <= high
            let (a, b) = (-sum - high, -sum - low);
            let (from, to) = if *step > 0 { (a, b) } else { (-b, -a) };
            least = least.max(Integer::div_ceil(&from, &step.abs()));
            most = most.min(Integer::div_floor(&to, &step.abs()));
        }
        let number = |at: i128| u64::try_from(at).unwrap_or(0);
        if most < least { 0..0 } else { number(least)..number(most + 1) }
    }
}

fn merged(mut sums: Sums) -> Sums {
    sums.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    sums.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    sums
}

/// Equation by equation, the one with the fewest choices first; in each the heaviest first, so that
/// sums close early and stay few.
fn in_order(equations: usize, mut choices: Vec<Choice>) -> Vec<Choice> {
    let mut order = Vec::with_capacity(choices.len());
    while !choices.is_empty() {
        let open = |equation: &usize| choices.iter().filter(|c| c.touches(*equation)).count();
        let next = (0..equations).filter(|e| open(e) > 0).min_by_key(open).unwrap_or(0);
        let (mut now, later): (Vec<_>, Vec<_>) =
            choices.into_iter().partition(|choice| choice.touches(next));
        now.sort_by_key(|choice| {
            let (least, greatest) = choice.bounds(next);
            std::cmp::Reverse((choice.step(next), greatest - least))
        });
        order.extend(now);
        choices = later;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_at_the_top_is_true() {
        let digit = |size, step| Choice::Digit { size, steps: vec![(0, step)] };
        let choices = vec![digit(8, 4), digit(4, 1), digit(8, -4), digit(4, -1)];
        assert_eq!(count(vec![0], choices), Ok(32));
        assert_eq!(count(vec![1], vec![digit(8, 4)]), Ok(0));
        assert_eq!(count(vec![-28], vec![digit(8, 4)]), Ok(1));
        assert_eq!(count(vec![0], vec![digit(8, 4), digit(6, -4)]), Ok(6));
    }
}
