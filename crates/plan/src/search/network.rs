//! A problem that shrinks: costs move between choices, tables and a constant, and variables leave.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::problem::{Edge, FORBIDDEN, Problem, least, rest, sum};
use super::rows::{Rows, Usage};

/// The most that costs are multiplied by, so that shares of them are whole numbers.
const SCALE: u64 = 1024;

/// The most that they are multiplied by where room has a price.
const PRICED_SCALE: u64 = 1 << 30;

/// Every solution costs the constant, a cost of each live variable and one of each table, all at least zero. The costs
/// of choices include the prices of what they use, and the debt is what all room is worth.
#[derive(Clone, Debug, Default)]
pub(super) struct Network {
    /// The constant: a lower bound.
    pub(super) base: u64,
    /// All costs are multiplied by this.
    pub(super) scale: u64,
    /// The costs of the choices that are left, empty for a variable that has left.
    pub(super) own: Vec<Vec<u64>>,
    /// The choices of the problem that are left, ascending.
    pub(super) values: Vec<Vec<usize>>,
    /// The neighbours of each variable, with the numbers of the tables.
    pub(super) around: Vec<BTreeMap<usize, usize>>,
    /// The limits on what choices use.
    pub(super) rows: Rows,
    /// The constant is a bound of the costs without the prices, once this is subtracted.
    pub(super) debt: u64,
    /// Costs in row-major order; the rows are the choices of the variable with the smaller number.
    tables: Vec<Vec<u64>>,
}

impl Network {
    pub(super) fn new(problem: &Problem) -> Network {
        let scale = scale(problem);
        let own = problem.own.iter().map(|own| scaled(own, scale)).collect();
        let values = problem.own.iter().map(|own| (0..own.len()).collect()).collect();
        let around = vec![BTreeMap::new(); problem.own.len()];
        let rows = Rows::new(&problem.memories, problem.own.len());
        let mut network =
            Network { base: 0, scale, own, values, around, rows, debt: 0, tables: Vec::new() };
        problem.edges.iter().for_each(|edge| network.enter(edge));
        network
    }

    fn enter(&mut self, edge: &Edge) {
        let costs = scaled(&edge.costs, self.scale);
        let width = self.own[edge.to].len();
        if edge.from == edge.to {
            let diagonal: Vec<u64> = costs.into_iter().step_by(width + 1).collect();
            add(&mut self.own[edge.from], &diagonal);
        } else if edge.from < edge.to {
            self.join((edge.from, edge.to), costs);
        } else {
            self.join((edge.to, edge.from), transposed(&costs, width));
        }
    }

    /// Adds a table between two variables, the smaller number first.
    pub(super) fn join(&mut self, (low, high): (usize, usize), costs: Vec<u64>) {
        if let Some(table) = self.around[low].get(&high) {
            return add(&mut self.tables[*table], &costs);
        }
        self.around[low].insert(high, self.tables.len());
        self.around[high].insert(low, self.tables.len());
        self.tables.push(costs);
    }

    /// Adds a table with a row for each choice of the first of two variables.
    pub(super) fn join_rows(&mut self, (one, other): (usize, usize), rows: Vec<u64>) {
        match one < other {
            true => self.join((one, other), rows),
            false => {
                let rows = transposed(&rows, self.own[other].len());
                self.join((other, one), rows);
            }
        }
    }

    /// Replaces the table of two neighbours by one with a row for each choice of the first.
    pub(super) fn replace(&mut self, (one, other): (usize, usize), rows: Vec<u64>) {
        let table = self.around[one][&other];
        self.tables[table] = match one < other {
            true => rows,
            false => transposed(&rows, self.own[other].len()),
        };
    }

    /// The variables that are left.
    pub(super) fn live(&self) -> Vec<usize> {
        (0..self.own.len()).filter(|variable| !self.own[*variable].is_empty()).collect()
    }

    /// The neighbours of a variable.
    pub(super) fn near(&self, variable: usize) -> Vec<usize> {
        self.around[variable].keys().copied().collect()
    }

    /// The table of two neighbours, with a row for each choice of the first.
    pub(super) fn rows(&self, variable: usize, neighbour: usize) -> Cow<'_, [u64]> {
        let table = &self.tables[self.around[variable][&neighbour]];
        match variable < neighbour {
            true => Cow::Borrowed(table),
            false => Cow::Owned(transposed(table, self.own[variable].len())),
        }
    }

    /// The cost between the choices of two neighbours.
    pub(super) fn between(&self, one: (usize, usize), other: (usize, usize)) -> u64 {
        let (low, high) = (one.min(other), one.max(other));
        let table = &self.tables[self.around[low.0][&high.0]];
        table[low.1 * self.own[high.0].len() + high.1]
    }

    /// The number of costs of all tables.
    pub(super) fn size(&self) -> usize {
        self.tables.iter().map(Vec::len).sum()
    }

    /// The cost of one choice of each live variable, by their positions, with prices and without the debt.
    pub(super) fn cost(&self, at: &[usize]) -> u64 {
        self.live().into_iter().fold(self.base, |cost, variable| {
            let larger = self.around[variable].range(variable + 1..).map(|(other, _)| *other);
            let between =
                larger.map(|other| self.between((variable, at[variable]), (other, at[other])));
            between.fold(sum(cost, self.own[variable][at[variable]]), sum)
        })
    }

    /// The cost of one choice of each live variable, by their positions: without prices, and forbidden if a limit is
    /// exceeded.
    pub(super) fn true_cost(&self, at: &[usize]) -> u64 {
        let used = self.rows.used(at);
        let rows = self.rows.room.iter().zip(used).zip(&self.rows.prices);
        let mut free = rows.map(|((room, used), price)| Some(room.checked_sub(used)? * price));
        let free = free.try_fold(0, |all, free| Some(sum(all, free?)));
        match free.map(|free| sum(self.cost(at), free)) {
            Some(cost) if cost < FORBIDDEN => cost.saturating_sub(self.debt),
            _ => FORBIDDEN,
        }
    }

    /// Adds to the costs of a variable those between it and the position of a neighbour, or the least ones.
    pub(super) fn toward(
        &self,
        variable: usize,
        (near, at): (usize, Option<usize>),
        costs: &mut [u64],
    ) {
        let table = &self.tables[self.around[variable][&near]];
        let width = self.own[variable.max(near)].len();
        match (variable < near, at) {
            (true, Some(column)) => {
                costs.iter_mut().zip(table[column..].iter().step_by(width)).for_each(into);
            }
            (false, Some(row)) => costs.iter_mut().zip(&table[row * width..]).for_each(into),
            (true, None) => costs.iter_mut().zip(&row_minima(table, width)).for_each(into),
            (false, None) => costs.iter_mut().zip(&column_minima(table, width)).for_each(into),
        }
    }

    /// Takes over the positions of choices of the problem if they cost less. A choice that has left counts as the first.
    pub(super) fn adopt(&self, choices: &[usize], at: &mut [usize]) {
        let mut other = at.to_vec();
        for variable in self.live() {
            other[variable] = self.values[variable].binary_search(&choices[variable]).unwrap_or(0);
        }
        if self.cost(&other) < self.cost(at) {
            at.copy_from_slice(&other);
        }
    }

    /// The cheapest choice of each live variable after those of smaller numbers, by position.
    pub(super) fn greedy(&self) -> Vec<usize> {
        let mut at = vec![0; self.own.len()];
        for variable in self.live() {
            let costs = self.own[variable].iter().enumerate().map(|(choice, own)| {
                let smaller = self.around[variable].range(..variable);
                let between = smaller
                    .map(|(other, _)| self.between((variable, choice), (*other, at[*other])));
                between.fold(*own, sum)
            });
            at[variable] = least(costs);
        }
        at
    }

    /// Moves costs that a choice has with every choice of a neighbour to the choice. Returns true if there were any.
    pub(super) fn project(&mut self, variable: usize, neighbour: usize) -> bool {
        let table = &mut self.tables[self.around[variable][&neighbour]];
        let width = self.own[variable.max(neighbour)].len();
        let by_rows = variable < neighbour;
        let minima = if by_rows { row_minima(table, width) } else { column_minima(table, width) };
        if minima.iter().all(|least| *least == 0) {
            return false;
        }
        change(table, width, by_rows, &minima, rest);
        add(&mut self.own[variable], &minima);
        true
    }

    /// Moves a part of the cost of each choice to the table with a neighbour.
    pub(super) fn extend(&mut self, variable: usize, neighbour: usize, parts: &[u64]) {
        let table = &mut self.tables[self.around[variable][&neighbour]];
        let width = self.own[variable.max(neighbour)].len();
        change(table, width, variable < neighbour, parts, sum);
        let own = self.own[variable].iter_mut().zip(parts);
        own.for_each(|(own, part)| *own = rest(*own, *part));
    }

    /// Moves the cost that all choices of a variable have to the constant.
    pub(super) fn ground(&mut self, variable: usize) {
        let least = self.own[variable].iter().copied().min().unwrap_or(0);
        self.own[variable].iter_mut().for_each(|own| *own = rest(*own, least));
        self.base = sum(self.base, least);
    }

    /// Collects at a variable all that its tables and choices share.
    pub(super) fn collect(&mut self, variable: usize) {
        for neighbour in self.near(variable) {
            self.project(variable, neighbour);
        }
        self.ground(variable);
    }

    /// Adds costs to the choices of a variable.
    pub(super) fn charge(&mut self, variable: usize, costs: &[u64]) {
        add(&mut self.own[variable], costs);
    }

    /// Keeps some choices of a variable, given by ascending positions.
    pub(super) fn restrict(&mut self, variable: usize, keep: &[usize]) {
        for neighbour in self.near(variable) {
            let length = self.own[neighbour].len();
            let rows = self.rows(variable, neighbour);
            let kept = keep.iter().flat_map(|row| &rows[row * length..][..length]);
            let kept: Vec<u64> = kept.copied().collect();
            let table = self.around[variable][&neighbour];
            self.tables[table] =
                if variable < neighbour { kept } else { transposed(&kept, length) };
        }
        self.own[variable] = keep.iter().map(|at| self.own[variable][*at]).collect();
        self.values[variable] = keep.iter().map(|at| self.values[variable][*at]).collect();
        self.rows.restrict(variable, keep);
    }

    /// Some variables without limits, while the others are fixed at their positions.
    pub(super) fn part(&self, inside: &BTreeSet<usize>, at: &[usize]) -> Network {
        let mut part = self.hollow();
        for low in self.live() {
            match inside.contains(&low) {
                true => part.copy(self, low),
                false => part.base = sum(part.base, self.own[low][at[low]]),
            }
        }
        for low in self.live() {
            for high in self.around[low].range(low + 1..).map(|(high, _)| *high) {
                let fixed = |variable: usize| (variable, at[variable]);
                match (inside.contains(&low), inside.contains(&high)) {
                    (true, true) => part.join((low, high), self.rows(low, high).into_owned()),
                    (true, false) => part.condition(self, low, fixed(high)),
                    (false, true) => part.condition(self, high, fixed(low)),
                    (false, false) => {
                        part.base = sum(part.base, self.between(fixed(low), fixed(high)));
                    }
                }
            }
        }
        part
    }

    /// The constant alone, without variables.
    fn hollow(&self) -> Network {
        let count = self.own.len();
        Network {
            base: self.base,
            scale: self.scale,
            own: vec![Vec::new(); count],
            values: vec![Vec::new(); count],
            around: vec![BTreeMap::new(); count],
            rows: Rows::new(&[], count),
            debt: 0,
            tables: Vec::new(),
        }
    }

    fn copy(&mut self, whole: &Network, variable: usize) {
        self.own[variable].clone_from(&whole.own[variable]);
        self.values[variable].clone_from(&whole.values[variable]);
    }

    /// Adds the costs between a variable and one that is fixed in the whole.
    fn condition(&mut self, whole: &Network, variable: usize, fixed: (usize, usize)) {
        for (choice, own) in self.own[variable].iter_mut().enumerate() {
            *own = sum(*own, whole.between((variable, choice), fixed));
        }
    }

    /// Takes a variable and its tables away; its costs must have gone elsewhere.
    pub(super) fn remove(&mut self, variable: usize) {
        for (neighbour, table) in std::mem::take(&mut self.around[variable]) {
            self.around[neighbour].remove(&variable);
            self.tables[table] = Vec::new();
        }
        self.own[variable] = Vec::new();
        self.rows.uses[variable] = Vec::new();
    }

    /// Takes what one choice uses from the room; no solution is left if there is less.
    pub(super) fn spend(&mut self, uses: &[Usage], choice: usize) {
        if !self.rows.spend(uses, choice) {
            self.base = FORBIDDEN;
        }
    }

    /// Takes what all choices of a variable use from the room; no solution is left if there is less.
    pub(super) fn settle(&mut self, variable: usize) {
        if !self.rows.settle(variable) {
            self.base = FORBIDDEN;
        }
    }

    /// The costs of the choices of a variable without prices, but for a constant.
    pub(super) fn plain(&self, variable: usize) -> Cow<'_, [u64]> {
        let mut own = Cow::Borrowed(&self.own[variable][..]);
        for of in &self.rows.uses[variable] {
            let price: u64 = self.rows.prices[of.rows.clone()].iter().sum();
            if price > 0 {
                let open = |at: &usize| self.own[variable][*at] < FORBIDDEN;
                let open = (0..of.amounts.len()).filter(open);
                let most = open.map(|at| of.amounts[at]).max().unwrap_or(0);
                let saved = of.amounts.iter().map(|amount| {
                    most.saturating_sub(*amount).saturating_mul(price).min(FORBIDDEN)
                });
                add(own.to_mut(), &saved.collect::<Vec<u64>>());
            }
        }
        own
    }

    /// True if a variable that is left uses something.
    pub(super) fn is_limited(&self) -> bool {
        self.rows.uses.iter().any(|uses| !uses.is_empty())
    }

    /// A cost that no solution is below.
    pub(super) fn bound(&self) -> u64 {
        if self.base >= FORBIDDEN { FORBIDDEN } else { self.base.saturating_sub(self.debt) }
    }

    /// Cancels what constant and debt share.
    pub(super) fn cancel(&mut self) {
        if self.base < FORBIDDEN {
            let both = self.base.min(self.debt);
            (self.base, self.debt) = (self.base - both, self.debt - both);
        }
    }

    /// Forbids choices of two neighbours that cost more than `most` with all that is known.
    pub(super) fn forbid(&mut self, low: usize, high: usize, most: u64) {
        let table = &mut self.tables[self.around[low][&high]];
        let rows = table.chunks_exact_mut(self.own[high].len()).zip(&self.own[low]);
        for (row, own) in rows {
            let start = sum(self.base, *own);
            for (cost, other) in row.iter_mut().zip(&self.own[high]) {
                let over = sum(sum(start, *other), *cost) > most;
                *cost = if over { FORBIDDEN } else { *cost };
            }
        }
    }
}

/// The largest power of two that keeps the sum of the largest costs well below a forbidden one.
fn scale(problem: &Problem) -> u64 {
    let costs = problem.own.iter().chain(problem.edges.iter().map(|edge| &edge.costs));
    let largest = costs
        .map(|costs| costs.iter().copied().filter(|cost| *cost < FORBIDDEN).max().unwrap_or(0));
    let total = largest.fold(0, sum);
    let fits = |scale: &u64| total.saturating_mul(*scale) < FORBIDDEN / 2;
    let most = if problem.memories.is_empty() { SCALE } else { PRICED_SCALE };
    let powers = std::iter::successors(Some(most), |scale| Some(scale / 2));
    powers.take_while(|scale| *scale > 1).find(fits).unwrap_or(1)
}

fn scaled(costs: &[u64], scale: u64) -> Vec<u64> {
    costs.iter().map(|cost| cost.saturating_mul(scale).min(FORBIDDEN)).collect()
}

fn add(to: &mut [u64], costs: &[u64]) {
    to.iter_mut().zip(costs).for_each(into);
}

fn into((to, cost): (&mut u64, &u64)) {
    *to = sum(*to, *cost);
}

/// A table with rows of some width, its columns as rows.
fn transposed(table: &[u64], width: usize) -> Vec<u64> {
    (0..width).flat_map(|column| table[column..].iter().step_by(width).copied()).collect()
}

fn row_minima(table: &[u64], width: usize) -> Vec<u64> {
    table.chunks_exact(width).map(|row| row.iter().copied().fold(FORBIDDEN, u64::min)).collect()
}

fn column_minima(table: &[u64], width: usize) -> Vec<u64> {
    let mut minima = vec![FORBIDDEN; width];
    for row in table.chunks_exact(width) {
        minima.iter_mut().zip(row).for_each(|(least, cost)| *least = (*least).min(*cost));
    }
    minima
}

/// Changes every cost of a table by the amount of its row or of its column.
fn change(
    table: &mut [u64],
    width: usize,
    by_rows: bool,
    amounts: &[u64],
    by: impl Fn(u64, u64) -> u64,
) {
    for (row, cells) in table.chunks_exact_mut(width).enumerate() {
        match by_rows {
            true => cells.iter_mut().for_each(|cost| *cost = by(*cost, amounts[row])),
            false => cells.iter_mut().zip(amounts).for_each(|(cost, of)| *cost = by(*cost, *of)),
        }
    }
}
