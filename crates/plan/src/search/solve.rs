//! The course of a search: reduce, eliminate, and for what is too large, bounds and improvements.

use std::time::Instant;

use super::bound::{prune, raise};
use super::eliminate::best;
use super::improve::{Random, improve};
use super::network::Network;
use super::order::order;
use super::problem::{FORBIDDEN, Problem};
use super::reduce::{Trail, reduce};

/// The most passes that raise the bound of a network.
const PASSES: usize = 100;

/// The most passes after each decision.
const FEW: usize = 4;

/// Ends of a search. With the same numbers and without a deadline, the same problem has the same solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most costs of all tables that elimination makes.
    pub cells: usize,
    /// The most improvements, and the most decisions, where the tables are too large.
    pub rounds: usize,
    /// A seed for the choice of improvements.
    pub seed: u64,
    /// A time at which the search ends with the best solution so far.
    pub until: Option<Instant>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { cells: 1 << 24, rounds: 1000, seed: 0, until: None }
    }
}

impl Limits {
    fn on(&self) -> bool {
        self.until.is_none_or(|until| Instant::now() < until)
    }
}

/// A choice for each variable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Solution {
    /// The choices.
    pub choices: Vec<usize>,
    /// Their cost.
    pub cost: u64,
    /// A cost that no solution is below: equal to the cost if the solution is optimal.
    pub bound: u64,
    /// The most neighbours of a variable in the order of elimination, up to the first one whose table was too large.
    pub width: usize,
}

impl Problem {
    /// The choices of least cost if the tables of elimination have a size within the limits, and otherwise good ones
    /// and a bound.
    ///
    /// # Panics
    /// Only after changes to a problem that [`Problem::new`] would return an error for.
    #[must_use]
    pub fn solve(&self, limits: &Limits) -> Solution {
        let mut search = Search::new(self, limits);
        let mut network = Network::new(self);
        reduce(&mut network, &mut search.trail, limits.cells);
        if !search.exact(&network) {
            search.approach(&mut network);
        }
        let bound = unscaled(search.bound, network.scale).min(search.cost);
        Solution { choices: search.choices, cost: search.cost, bound, width: search.width }
    }
}

/// A bound without the factor of a network.
fn unscaled(bound: u64, scale: u64) -> u64 {
    if bound >= FORBIDDEN { FORBIDDEN } else { bound.div_ceil(scale) }
}

/// The best solution so far, and the work that is left.
struct Search<'a> {
    problem: &'a Problem,
    limits: &'a Limits,
    trail: Trail,
    choices: Vec<usize>,
    cost: u64,
    /// The least bound of the parts that were left open.
    bound: u64,
    width: usize,
    decisions: usize,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, limits: &'a Limits) -> Search<'a> {
        let (naive, greedy) = (problem.naive(), problem.greedy());
        let cost = problem.cost(&greedy);
        let mut search = Search {
            problem,
            limits,
            trail: Trail::default(),
            choices: greedy,
            cost,
            bound: FORBIDDEN,
            width: 0,
            decisions: 0,
        };
        search.offer(naive);
        search
    }

    fn offer(&mut self, choices: Vec<usize>) {
        let cost = self.problem.cost(&choices);
        if cost < self.cost {
            (self.choices, self.cost) = (choices, cost);
        }
    }

    /// The most that a better solution costs in a network; `None` if there is none.
    fn most(&self, network: &Network) -> Option<u64> {
        Some(self.cost.checked_sub(1)?.saturating_mul(network.scale).min(FORBIDDEN - 1))
    }

    /// Solves a network if its tables are small enough.
    fn exact(&mut self, network: &Network) -> bool {
        if network.base >= FORBIDDEN {
            return true;
        }
        let live = network.live();
        let order = order(network, &live, self.limits.cells, false);
        if self.decisions == 0 {
            self.width = self.trail.width.max(order.width);
        }
        if !order.fixed.is_empty() {
            return false;
        }
        let (positions, _) = best(network, &order.variables, &[]);
        let mut at = vec![0; network.own.len()];
        order.variables.iter().zip(positions).for_each(|(of, position)| at[*of] = position);
        self.offer(self.trail.expand(network, &at));
        true
    }

    /// Raises the bound, improves solutions, and closes the gap by decisions as far as the limits allow.
    fn approach(&mut self, network: &mut Network) {
        let limits = self.limits;
        raise(network, PASSES, FORBIDDEN, &|| limits.on());
        let mut at = network.greedy();
        let mut random = Random::new(limits.seed);
        for _ in 0..limits.rounds {
            if !limits.on() {
                break;
            }
            improve(network, &mut at, limits.cells, &mut random);
        }
        self.offer(self.trail.expand(network, &at));
        self.decide(network.clone(), PASSES);
    }

    /// Searches a network for solutions that are better than the best one.
    fn decide(&mut self, mut network: Network, passes: usize) {
        let Some(most) = self.most(&network) else { return };
        let mark = self.trail.mark();
        self.tighten(&mut network, passes, most);
        if network.base <= most && !self.exact(&network) {
            self.split(network);
        }
        self.trail.back(mark);
    }

    fn tighten(&mut self, network: &mut Network, passes: usize, most: u64) {
        let limits = self.limits;
        raise(network, passes, most, &|| limits.on());
        prune(network, most);
        if network.base <= most {
            reduce(network, &mut self.trail, limits.cells);
        }
    }

    /// One choice of a variable, and then all others of it.
    fn split(&mut self, mut network: Network) {
        self.decisions += 1;
        let Some(variable) = widest(&network) else { return };
        if self.decisions > self.limits.rounds || !self.limits.on() {
            self.bound = self.bound.min(network.base);
            return;
        }
        network.collect(variable);
        let own = &network.own[variable];
        let first = (0..own.len()).min_by_key(|at| own[*at]).unwrap_or(0);
        let others: Vec<usize> = (0..own.len()).filter(|at| *at != first).collect();
        let mut one = network.clone();
        one.restrict(variable, &[first]);
        self.decide(one, FEW);
        network.restrict(variable, &others);
        self.decide(network, FEW);
    }
}

/// The variable with the most neighbours of those that have a choice.
fn widest(network: &Network) -> Option<usize> {
    let live = network.live().into_iter().rev();
    live.filter(|of| network.own[*of].len() > 1)
        .max_by_key(|of| (network.around[*of].len(), network.own[*of].len()))
}
