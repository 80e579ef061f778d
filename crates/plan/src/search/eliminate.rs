//! The exact minimum by elimination: each variable in turn becomes a table of its neighbours.

use std::collections::BTreeMap;

use super::network::Network;
use super::problem::{FORBIDDEN, least, sum};

/// Costs between variables, which are numbered in the order of elimination.
#[derive(Debug)]
struct Table {
    /// The variables, ascending: the one to eliminate first has the outermost axis.
    scope: Vec<usize>,
    /// Costs in row-major order.
    costs: Vec<u64>,
}

/// The tables of each variable that is the first of their scopes.
struct Buckets {
    own: Vec<Vec<u64>>,
    tables: Vec<Vec<Table>>,
}

/// The best positions of some variables, which are eliminated in the order given; all others stay where they are.
pub(super) fn best(network: &Network, order: &[usize], at: &[usize]) -> Vec<usize> {
    let mut buckets = Buckets::new(network, order, at);
    (0..order.len()).for_each(|variable| buckets.eliminate(variable));
    buckets.choices()
}

impl Buckets {
    fn new(network: &Network, order: &[usize], at: &[usize]) -> Buckets {
        let ranks: BTreeMap<usize, usize> =
            order.iter().enumerate().map(|(rank, variable)| (*variable, rank)).collect();
        let own = order.iter().map(|variable| network.own[*variable].clone()).collect();
        let mut buckets = Buckets { own, tables: Vec::new() };
        buckets.tables.resize_with(order.len(), Vec::new);
        for (rank, variable) in order.iter().enumerate() {
            for near in network.around[*variable].keys() {
                match ranks.get(near) {
                    Some(other) if *other > rank => {
                        let costs = network.rows(*variable, *near).into_owned();
                        buckets.add(Table { scope: vec![rank, *other], costs });
                    }
                    Some(_) => {}
                    None => buckets.condition(rank, network, (*variable, *near), at[*near]),
                }
            }
        }
        buckets
    }

    /// Adds the costs between a variable and the choice of one that stays.
    fn condition(&mut self, rank: usize, network: &Network, ends: (usize, usize), at: usize) {
        for (choice, own) in self.own[rank].iter_mut().enumerate() {
            *own = sum(*own, network.between((ends.0, choice), (ends.1, at)));
        }
    }

    /// Adds a table to the one with the same scope, if there is one.
    fn add(&mut self, table: Table) {
        let [first, rest @ ..] = table.scope.as_slice() else { return };
        let known = self.tables[*first].iter_mut().find(|known| known.scope == table.scope);
        let to = if rest.is_empty() {
            Some(&mut self.own[*first])
        } else {
            known.map(|known| &mut known.costs)
        };
        match to {
            Some(to) => {
                to.iter_mut().zip(&table.costs).for_each(|(to, cost)| *to = sum(*to, *cost));
            }
            None => self.tables[*first].push(table),
        }
    }

    fn eliminate(&mut self, variable: usize) {
        let tables = &self.tables[variable];
        let mut scope: Vec<usize> =
            tables.iter().flat_map(|table| &table.scope[1..]).copied().collect();
        scope.sort_unstable();
        scope.dedup();
        if !scope.is_empty() {
            let costs = self.fold(variable, &scope);
            self.add(Table { scope, costs });
        }
    }

    /// The least costs over the choices of a variable, for all choices of the other variables of its tables.
    fn fold(&self, variable: usize, scope: &[usize]) -> Vec<u64> {
        let sizes: Vec<usize> = scope.iter().map(|of| self.own[*of].len()).collect();
        let width = sizes.last().copied().unwrap_or(1);
        let mut out = vec![FORBIDDEN; sizes.iter().product()];
        let mut sweep = Sweep::new(&self.tables[variable], scope, &sizes);
        for line in out.chunks_exact_mut(width) {
            for (choice, own) in self.own[variable].iter().enumerate() {
                sweep.lower(line, choice, *own);
            }
            sweep.advance();
        }
        out
    }

    /// The best choices, from the last variable back.
    fn choices(&self) -> Vec<usize> {
        let mut choices = vec![0; self.own.len()];
        for variable in (0..self.own.len()).rev() {
            let costs = self.own[variable].iter().enumerate().map(|(choice, own)| {
                let tables = self.tables[variable].iter();
                tables.fold(*own, |cost, table| sum(cost, self.cost(table, choice, &choices)))
            });
            choices[variable] = least(costs);
        }
        choices
    }

    fn cost(&self, table: &Table, first: usize, choices: &[usize]) -> u64 {
        let rest = table.scope[1..].iter();
        table.costs[rest.fold(first, |at, of| at * self.own[*of].len() + choices[*of])]
    }
}

/// A place in a table that moves with the line of the result.
struct Reader<'a> {
    costs: &'a [u64],
    /// The costs of one choice of the variable that is eliminated.
    length: usize,
    /// The steps along the axes of the result before the last one, zero for axes that the table does not have.
    strides: Vec<usize>,
    offset: usize,
}

impl<'a> Reader<'a> {
    fn new(table: &'a Table, scope: &[usize], sizes: &[usize]) -> Reader<'a> {
        let (mut strides, mut length) = (vec![0; scope.len()], 1);
        for axis in (0..scope.len()).rev().filter(|axis| table.scope.contains(&scope[*axis])) {
            strides[axis] = length;
            length *= sizes[axis];
        }
        Reader { costs: &table.costs, length, strides, offset: 0 }
    }

    fn start(&self, choice: usize) -> usize {
        choice * self.length + self.offset
    }

    fn row(&self, choice: usize, width: usize) -> &'a [u64] {
        &self.costs[self.start(choice)..][..width]
    }
}

/// The lines of a result in order, with the places in all tables.
struct Sweep<'a> {
    /// Tables that have the last axis of the result: a line of theirs for each line of it.
    rows: Vec<Reader<'a>>,
    /// The others: one cost for each line.
    single: Vec<Reader<'a>>,
    sizes: &'a [usize],
    at: Vec<usize>,
    line: Vec<u64>,
}

impl<'a> Sweep<'a> {
    fn new(tables: &'a [Table], scope: &[usize], sizes: &'a [usize]) -> Sweep<'a> {
        let readers = tables.iter().map(|table| Reader::new(table, scope, sizes));
        let (rows, single) = readers.partition(|reader| reader.strides.last() == Some(&1));
        let line = vec![0; sizes.last().copied().unwrap_or(1)];
        Sweep { rows, single, sizes, at: vec![0; sizes.len()], line }
    }

    /// Lowers a line of the result to the costs of a choice of the variable that is eliminated.
    fn lower(&mut self, out: &mut [u64], choice: usize, own: u64) {
        let cost = |reader: &Reader| reader.costs[reader.start(choice)];
        let start = self.single.iter().fold(own, |start, reader| sum(start, cost(reader)));
        if start >= FORBIDDEN {
            return;
        }
        match self.rows.as_slice() {
            [] => out.iter_mut().for_each(|out| *out = (*out).min(start)),
            [one] => lower_one(out, one.row(choice, out.len()), start),
            [one, other] => {
                lower_two(out, one.row(choice, out.len()), other.row(choice, out.len()), start);
            }
            [one, others @ ..] => {
                self.line.copy_from_slice(one.row(choice, out.len()));
                others.iter().for_each(|other| add(&mut self.line, other.row(choice, out.len())));
                lower_one(out, &self.line, start);
            }
        }
    }

    /// Goes to the next line.
    fn advance(&mut self) {
        for axis in (0..self.sizes.len() - 1).rev() {
            self.at[axis] += 1;
            let ends = self.at[axis] == self.sizes[axis];
            let readers = self.rows.iter_mut().chain(&mut self.single);
            if !ends {
                return readers.for_each(|reader| reader.offset += reader.strides[axis]);
            }
            let back = self.sizes[axis] - 1;
            readers.for_each(|reader| reader.offset -= reader.strides[axis] * back);
            self.at[axis] = 0;
        }
    }
}

// Each cost is at most forbidden, and so is a result: no sum of three wraps.

fn lower_one(out: &mut [u64], row: &[u64], start: u64) {
    out.iter_mut().zip(row).for_each(|(out, cost)| *out = (*out).min(start + cost));
}

fn lower_two(out: &mut [u64], one: &[u64], other: &[u64], start: u64) {
    let costs = one.iter().zip(other).map(|(one, other)| start + one + other);
    out.iter_mut().zip(costs).for_each(|(out, cost)| *out = (*out).min(cost));
}

fn add(line: &mut [u64], row: &[u64]) {
    line.iter_mut().zip(row).for_each(|(line, cost)| *line = sum(*line, *cost));
}
