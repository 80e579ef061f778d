//! Steps that keep an optimum: choices that another one beats leave, and variables with few neighbours.

use std::collections::{BTreeSet, VecDeque};

use super::network::Network;
use super::problem::{FORBIDDEN, least, sum};

/// The visits for each variable, after which reduction ends.
const VISITS: usize = 30;

/// The variables that have left, in order, with all that their best choice depends on.
#[derive(Debug, Default)]
pub(super) struct Trail {
    steps: Vec<Step>,
    /// The most neighbours of a variable that left with a table.
    pub(super) width: usize,
}

#[derive(Debug)]
struct Step {
    variable: usize,
    values: Vec<usize>,
    own: Vec<u64>,
    near: Vec<Near>,
}

/// A neighbour of a variable when it left.
#[derive(Debug)]
struct Near {
    variable: usize,
    values: Vec<usize>,
    rows: Vec<u64>,
}

impl Trail {
    /// The number of steps so far, to come back to.
    pub(super) fn mark(&self) -> usize {
        self.steps.len()
    }

    /// Forgets the steps after a mark.
    pub(super) fn back(&mut self, mark: usize) {
        self.steps.truncate(mark);
    }

    /// Adds a variable that has a certain choice.
    pub(super) fn fix(&mut self, variable: usize, choice: usize) {
        let (values, own, near) = (vec![choice], vec![0], Vec::new());
        self.steps.push(Step { variable, values, own, near });
    }

    /// A choice of the problem for each variable, from the positions of the live ones.
    pub(super) fn expand(&self, network: &Network, at: &[usize]) -> Vec<usize> {
        let mut choices = vec![0; network.own.len()];
        network.live().into_iter().for_each(|live| choices[live] = network.values[live][at[live]]);
        for step in self.steps.iter().rev() {
            choices[step.variable] = step.best(&choices);
        }
        choices
    }
}

impl Step {
    fn best(&self, choices: &[usize]) -> usize {
        let cost = |(choice, own): (usize, &u64)| {
            self.near.iter().fold(*own, |cost, near| sum(cost, near.cost(choice, choices)))
        };
        self.values[least(self.own.iter().enumerate().map(cost))]
    }
}

impl Near {
    fn cost(&self, row: usize, choices: &[usize]) -> u64 {
        let column = self.values.binary_search(&choices[self.variable]).unwrap_or(0);
        self.rows[row * self.values.len() + column]
    }
}

/// Reduces a network until nothing changes; tables that it makes have at most `cells` costs.
pub(super) fn reduce(network: &mut Network, trail: &mut Trail, cells: usize) {
    let mut work = Work::new(network.live());
    let visits = VISITS * network.own.len();
    for _ in 0..visits {
        let Some(variable) = work.next().or_else(|| again(network, &mut work)) else { return };
        if network.own[variable].is_empty() {
            continue;
        }
        visit(network, variable, &mut work);
        if network.base >= FORBIDDEN {
            return;
        }
        let follows = follow(network, variable, cells);
        if let Some((near, function)) = follows {
            network.near(variable).into_iter().for_each(|near| work.add(near));
            merge(network, variable, (near, &function), trail);
        } else if leaves(network, variable, cells) {
            network.near(variable).into_iter().for_each(|near| work.add(near));
            leave(network, variable, trail);
        }
    }
}

/// After room has become less, the choices of the variables that use some may no longer fit.
fn again(network: &mut Network, work: &mut Work) -> Option<usize> {
    if !std::mem::take(&mut network.rows.changed) {
        return None;
    }
    network.rows.thin();
    let uses = network.rows.uses.iter().enumerate().filter(|(_, uses)| !uses.is_empty());
    uses.for_each(|(variable, _)| work.add(variable));
    work.next()
}

/// Variables to visit, each once at a time.
struct Work {
    queue: VecDeque<usize>,
    queued: BTreeSet<usize>,
}

impl Work {
    fn new(variables: Vec<usize>) -> Work {
        Work { queued: variables.iter().copied().collect(), queue: variables.into() }
    }

    fn next(&mut self) -> Option<usize> {
        let next = self.queue.pop_front()?;
        self.queued.remove(&next);
        Some(next)
    }

    fn add(&mut self, variable: usize) {
        if self.queued.insert(variable) {
            self.queue.push_back(variable);
        }
    }
}

/// Moves costs to a variable and drops those of its choices that another one beats.
fn visit(network: &mut Network, variable: usize, work: &mut Work) {
    for near in network.near(variable) {
        network.project(variable, near);
        if network.project(near, variable) {
            work.add(near);
        }
    }
    network.ground(variable);
    network.settle(variable);
    if network.base >= FORBIDDEN {
        return;
    }
    let keep = kept(network, variable);
    if keep.is_empty() {
        network.base = FORBIDDEN;
        return;
    }
    if keep.len() < network.own[variable].len() {
        network.restrict(variable, &keep);
        network.near(variable).into_iter().for_each(|near| work.add(near));
        work.add(variable);
    }
}

/// A neighbour's table with a row for each choice, and for each row the column of a least cost.
struct Face<'a> {
    rows: std::borrow::Cow<'a, [u64]>,
    width: usize,
    witnesses: Vec<usize>,
}

impl<'a> Face<'a> {
    fn new(network: &'a Network, variable: usize, near: usize) -> Face<'a> {
        let (rows, width) = (network.rows(variable, near), network.own[near].len());
        let witnesses = rows.chunks_exact(width).map(|row| least(row.iter().copied())).collect();
        Face { rows, width, witnesses }
    }

    fn row(&self, choice: usize) -> &[u64] {
        &self.rows[choice * self.width..][..self.width]
    }

    /// The least that a choice may cost more than another one, seen at one column.
    fn glance(&self, other: usize, choice: usize) -> u64 {
        let column = self.witnesses[choice];
        self.row(other)[column].saturating_sub(self.row(choice)[column])
    }

    /// The most that the other choice costs more than a choice.
    fn excess(&self, other: usize, choice: usize) -> u64 {
        let both = self.row(other).iter().zip(self.row(choice));
        both.map(|(other, cost)| other.saturating_sub(*cost)).fold(0, u64::max)
    }
}

/// The choices of a variable that no other one can replace at any choice of the neighbours.
fn kept(network: &Network, variable: usize) -> Vec<usize> {
    let own = &network.plain(variable);
    let near = network.near(variable);
    let faces: Vec<Face> = near.iter().map(|near| Face::new(network, variable, *near)).collect();
    let fits = network.rows.fitting(variable, own.len());
    let mut keep: Vec<usize> =
        (0..own.len()).filter(|at| own[*at] < FORBIDDEN && fits[*at]).collect();
    // From the last one down, so that the first of equal choices is kept.
    for choice in (0..own.len()).rev() {
        let beaten = |other: &usize| {
            *other != choice
                && network.rows.covers(variable, *other, choice)
                && beats(own, &faces, *other, choice)
        };
        if keep.iter().any(beaten) {
            keep.retain(|kept| *kept != choice);
        }
    }
    keep
}

/// True if `other` costs at most as much as `choice`, at any choice of the neighbours.
fn beats(own: &[u64], faces: &[Face], other: usize, choice: usize) -> bool {
    let Some(slack) = own[choice].checked_sub(own[other]) else { return false };
    let covers = |excess: &dyn Fn(&Face) -> u64| {
        faces.iter().try_fold(slack, |slack, face| slack.checked_sub(excess(face))).is_some()
    };
    covers(&|face| face.glance(other, choice)) && covers(&|face| face.excess(other, choice))
}

/// True for a variable with one choice, or with at most two neighbours whose table is small enough.
fn leaves(network: &Network, variable: usize, cells: usize) -> bool {
    let near = network.near(variable);
    let product: usize = near.iter().take(3).map(|near| network.own[*near].len()).product();
    let free = network.rows.uses[variable].is_empty();
    network.own[variable].len() == 1
        || free && (near.len() < 2 || near.len() == 2 && product <= cells)
}

/// Takes a variable away, and moves the cost of its best choice to its neighbours.
fn leave(network: &mut Network, variable: usize, trail: &mut Trail) {
    let near = network.near(variable);
    let alone = network.own[variable].len() == 1;
    trail.width = trail.width.max(if alone { 0 } else { near.len() });
    let step = step(network, variable, &near);
    if alone {
        let uses = std::mem::take(&mut network.rows.uses[variable]);
        network.spend(&uses, 0);
    }
    match step.near.as_slice() {
        _ if alone => absorb(network, &step),
        [] => network.base = sum(network.base, step.own.iter().copied().fold(FORBIDDEN, u64::min)),
        [one] => network.charge(one.variable, &folded(&step.own, one)),
        [one, other, ..] => {
            let table = product(&step.own, one, other);
            network.join((one.variable, other.variable), table);
        }
    }
    network.remove(variable);
    let near = if alone { Vec::new() } else { step.near };
    trail.steps.push(Step { near, ..step });
}

fn step(network: &Network, variable: usize, near: &[usize]) -> Step {
    let rows = |near: &usize| network.rows(variable, *near).into_owned();
    let values = |near: &usize| network.values[*near].clone();
    let near =
        near.iter().map(|near| Near { variable: *near, values: values(near), rows: rows(near) });
    let (values, own) = (network.values[variable].clone(), network.own[variable].clone());
    Step { variable, values, own, near: near.collect() }
}

/// Gives the costs of an only choice to all neighbours.
fn absorb(network: &mut Network, step: &Step) {
    step.near.iter().for_each(|near| network.charge(near.variable, &near.rows));
    network.base = sum(network.base, step.own[0]);
}

/// The least costs over the choices of a variable, for each choice of its only neighbour.
fn folded(own: &[u64], near: &Near) -> Vec<u64> {
    let mut least = vec![FORBIDDEN; near.values.len()];
    for (row, own) in near.rows.chunks_exact(near.values.len()).zip(own) {
        lower(&mut least, row, *own);
    }
    least
}

/// The least costs over the choices of a variable, for each two choices of its two neighbours.
fn product(own: &[u64], one: &Near, other: &Near) -> Vec<u64> {
    let (height, width) = (one.values.len(), other.values.len());
    let mut table = vec![FORBIDDEN; height * width];
    for (line, out) in table.chunks_exact_mut(width).enumerate() {
        for (choice, row) in other.rows.chunks_exact(width).enumerate() {
            lower(out, row, sum(own[choice], one.rows[choice * height + line]));
        }
    }
    table
}

/// Lowers costs to those of a row plus a start. No sum of two wraps, and the costs are at most forbidden before.
fn lower(least: &mut [u64], row: &[u64], start: u64) {
    if start < FORBIDDEN {
        least.iter_mut().zip(row).for_each(|(least, cost)| *least = (*least).min(start + cost));
    }
}

/// A neighbour whose choice leaves one for the variable, with that one for each of its choices.
fn follow(network: &mut Network, variable: usize, cells: usize) -> Option<(usize, Vec<usize>)> {
    if network.rows.uses[variable].is_empty() {
        return None;
    }
    let near = network.near(variable);
    if let [near] = near.as_slice() {
        forbid_beaten(network, variable, *near);
    }
    let width = |of: &usize| network.own[*of].len();
    let total: usize = near.iter().map(width).sum();
    let fits = |of: &&usize| {
        let (before, after) = (width(&variable) * total, width(of) * (total - width(of)));
        after <= 2 * before && after <= cells
    };
    let mut choices = near.iter().filter(fits);
    choices
        .find_map(|near| Some((*near, function(&network.rows(*near, variable), width(&variable))?)))
}

/// Forbids choices of a variable that another one beats at a choice of its only neighbour.
fn forbid_beaten(network: &mut Network, variable: usize, near: usize) {
    let own = network.plain(variable).into_owned();
    let all = 0..own.len();
    let covers = |choice: usize| {
        let others = all.clone().filter(|other| *other != choice);
        others.filter(|other| network.rows.covers(variable, *other, choice)).collect()
    };
    let covers: Vec<Vec<usize>> = all.clone().map(covers).collect();
    let mut rows = network.rows(near, variable).into_owned();
    for row in rows.chunks_exact_mut(own.len()) {
        let costs: Vec<u64> = row.iter().zip(&own).map(|(row, own)| sum(*row, *own)).collect();
        // From the last one down, so that the first of equal choices is kept.
        for choice in all.clone().rev() {
            let beats = |other: &usize| row[*other] < FORBIDDEN && costs[*other] <= costs[choice];
            if covers[choice].iter().any(beats) {
                row[choice] = FORBIDDEN;
            }
        }
    }
    network.replace((near, variable), rows);
}

/// The only choice in each row that is not forbidden.
fn function(rows: &[u64], width: usize) -> Option<Vec<usize>> {
    let only = |row: &[u64]| {
        let mut open = row.iter().enumerate().filter(|(_, cost)| **cost < FORBIDDEN);
        let (first, more) = (open.next(), open.next());
        first.filter(|_| more.is_none()).map(|(at, _)| at)
    };
    rows.chunks_exact(width).map(only).collect()
}

/// Takes away a variable whose choice is a function of that of a neighbour.
fn merge(network: &mut Network, variable: usize, to: (usize, &[usize]), trail: &mut Trail) {
    let (into, function) = to;
    let step = step(network, variable, &network.near(variable));
    for near in &step.near {
        let costs = |choice: &usize| &near.rows[choice * near.values.len()..][..near.values.len()];
        if near.variable == into {
            let costs =
                function.iter().enumerate().map(|(at, of)| sum(step.own[*of], costs(of)[at]));
            network.charge(into, &costs.collect::<Vec<u64>>());
        } else {
            let rows: Vec<u64> = function.iter().flat_map(costs).copied().collect();
            network.join_rows((into, near.variable), rows);
        }
    }
    network.rows.merge(variable, into, function);
    network.remove(variable);
    trail.steps.push(step);
}
