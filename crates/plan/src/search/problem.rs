//! The problem: costs of choices, and costs between the choices of two variables.

use serde::{Deserialize, Serialize};
use tensor_layout::LayoutError;
use tensor_layout::error::fault;

use super::memory::Memory;

/// A cost that no solution may have. Larger costs count as this one, and sums end at it.
pub const FORBIDDEN: u64 = u64::MAX / 4096;

/// Variables with choices that have costs, alone and by twos, and usages of memories.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
#[non_exhaustive]
pub struct Problem {
    /// The costs of the choices of each variable: `own[variable][choice]`.
    pub own: Vec<Vec<u64>>,
    /// The costs between two variables. Several edges may have the same ends.
    pub edges: Vec<Edge>,
    /// Limits on usages. A solution that exceeds one costs [`FORBIDDEN`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<Memory>,
}

/// Costs between the choices of two variables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// One of the variables.
    pub from: usize,
    /// The other variable; it may be the same one.
    pub to: usize,
    /// The costs in row-major order: `costs[choice of from * number of choices of to + choice of to]`.
    pub costs: Vec<u64>,
}

/// A text that is a problem once its sizes are checked.
#[derive(Deserialize)]
struct Unchecked {
    own: Vec<Vec<u64>>,
    edges: Vec<Edge>,
    #[serde(default)]
    memories: Vec<Memory>,
}

impl TryFrom<Unchecked> for Problem {
    type Error = LayoutError;

    fn try_from(text: Unchecked) -> Result<Problem, LayoutError> {
        Problem::new(text.own, text.edges)?.with_memories(text.memories)
    }
}

impl Problem {
    /// A problem, after a check of its sizes.
    ///
    /// # Errors
    /// `Invalid` for variables without choices and edges whose ends or costs do not fit.
    pub fn new(own: Vec<Vec<u64>>, edges: Vec<Edge>) -> Result<Problem, LayoutError> {
        if let Some(variable) = own.iter().position(Vec::is_empty) {
            return Err(fault!(Invalid, "variable {variable} has no choices", [variable]));
        }
        edges.iter().enumerate().try_for_each(|(number, edge)| check(&own, number, edge))?;
        Ok(Problem { own, edges, memories: Vec::new() })
    }

    /// The problem with limits on usages, after a check of their sizes.
    ///
    /// # Errors
    /// `Invalid` for usages whose variables or amounts do not fit.
    pub fn with_memories(self, memories: Vec<Memory>) -> Result<Problem, LayoutError> {
        for (number, memory) in memories.iter().enumerate() {
            check_uses(&self.own, number, memory)?;
        }
        Ok(Problem { memories, ..self })
    }

    /// The cost of one choice for each variable: [`FORBIDDEN`] if a limit is exceeded.
    #[must_use]
    pub fn cost(&self, choices: &[usize]) -> u64 {
        match self.fits(choices) {
            true => self.free_cost(choices),
            false => FORBIDDEN,
        }
    }

    /// True if no limit is exceeded.
    #[must_use]
    pub fn fits(&self, choices: &[usize]) -> bool {
        self.memories.iter().all(|memory| {
            memory.limit >= FORBIDDEN || memory.peak(choices) <= u128::from(memory.limit)
        })
    }

    fn free_cost(&self, choices: &[usize]) -> u64 {
        let own = self.own.iter().zip(choices).map(|(own, choice)| own[*choice]);
        let between = self.edges.iter().map(|edge| self.between(edge, choices));
        own.chain(between).fold(0, sum)
    }

    fn between(&self, edge: &Edge, choices: &[usize]) -> u64 {
        edge.costs[choices[edge.from] * self.own[edge.to].len() + choices[edge.to]]
    }

    /// The cheapest choice of each variable, by its own costs.
    #[must_use]
    pub fn naive(&self) -> Vec<usize> {
        self.own.iter().map(|own| least(own.iter().copied())).collect()
    }

    /// The cheapest choice of each variable after those of smaller numbers; edges to larger ones are ignored.
    #[must_use]
    pub fn greedy(&self) -> Vec<usize> {
        let mut behind: Vec<Vec<&Edge>> = vec![Vec::new(); self.own.len()];
        self.edges.iter().for_each(|edge| behind[edge.from.max(edge.to)].push(edge));
        let mut choices = vec![0; self.own.len()];
        for (variable, own) in self.own.iter().enumerate() {
            let costs: Vec<u64> = (0..own.len())
                .map(|choice| {
                    choices[variable] = choice;
                    let between = behind[variable].iter().map(|edge| self.between(edge, &choices));
                    between.fold(own[choice], sum)
                })
                .collect();
            choices[variable] = least(costs.into_iter());
        }
        choices
    }
}

fn check(own: &[Vec<u64>], number: usize, edge: &Edge) -> Result<(), LayoutError> {
    let variables = own.len();
    if let Some(variable) = [edge.from, edge.to].into_iter().find(|end| *end >= variables) {
        return Err(fault!(
            Invalid,
            "edge {edge} has an end at variable {variable}, there are {variables}",
            [edge = number, variable, variables]
        ));
    }
    let (expected, given) = (own[edge.from].len() * own[edge.to].len(), edge.costs.len());
    match expected == given {
        true => Ok(()),
        false => Err(fault!(
            Invalid,
            "edge {edge} needs {expected} costs, one for each two choices, and has {given}",
            [edge = number, expected, given]
        )),
    }
}

fn check_uses(own: &[Vec<u64>], memory: usize, given: &Memory) -> Result<(), LayoutError> {
    for (number, of) in given.uses.iter().enumerate() {
        let (variable, variables) = (of.variable, own.len());
        let Some(own) = own.get(variable) else {
            return Err(fault!(
                Invalid,
                "use {number} of memory {memory} is of variable {variable}, there are {variables}",
                [number, memory, variable, variables]
            ));
        };
        let (expected, given) = (own.len(), of.amounts.len());
        if expected != given {
            return Err(fault!(
                Invalid,
                "use {number} of memory {memory} needs {expected} amounts, one for each choice, and \
                 has {given}",
                [number, memory, expected, given]
            ));
        }
    }
    Ok(())
}

/// A sum that ends at [`FORBIDDEN`].
pub(super) fn sum(one: u64, other: u64) -> u64 {
    one.saturating_add(other).min(FORBIDDEN)
}

/// The rest of a cost after a part of it has moved elsewhere; a forbidden cost has no end.
pub(super) fn rest(cost: u64, part: u64) -> u64 {
    if cost >= FORBIDDEN { FORBIDDEN } else { cost - part }
}

/// The position of the least cost, the first of several.
pub(super) fn least(costs: impl Iterator<Item = u64>) -> usize {
    costs.enumerate().min_by_key(|(_, cost)| *cost).map_or(0, |(position, _)| position)
}
