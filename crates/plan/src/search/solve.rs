//! The course of a search: reduce, eliminate, and for what is too large, bounds and improvements.

use std::collections::BTreeSet;
use std::time::Instant;

use super::bound::{prune, raise};
use super::eliminate::best;
use super::improve::{Climb, Random, region};
use super::network::Network;
use super::order::order;
use super::problem::{FORBIDDEN, Problem, least, sum};
use super::reduce::{Trail, reduce};

/// The most passes that raise the bound of a network.
const PASSES: usize = 100;

/// The most passes after each decision.
const FEW: usize = 4;

/// The parts of the bound by which a solution is first guessed to be above it.
const GUESSES: [u64; 3] = [1024, 128, 16];

/// The most costs of all tables after each decision.
const SMALL: usize = 1 << 18;

/// The rounds of improvements before the first search, and before larger regions.
const FIRST: [usize; 2] = [3, 10];

/// The variables of a larger region, and the most decisions there.
const PATCH: (usize, usize) = (200, 10);

/// The most costs in the parts of a search that wait.
const HELD: usize = 1 << 25;

/// Ends of a search. With the same numbers and without a deadline, the same problem has the same solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most costs of all tables that elimination makes.
    pub cells: usize,
    /// The most rounds of improvements where the tables are too large; a round visits each variable about once.
    pub rounds: usize,
    /// The most decisions between a choice and the others of its variable, where a gap is left after all rounds.
    pub decisions: usize,
    /// A seed for the choice of improvements.
    pub seed: u64,
    /// A time at which rounds and decisions end; what comes before them is not interrupted.
    pub until: Option<Instant>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { cells: 1 << 24, rounds: 100, decisions: 1000, seed: 0, until: None }
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
        let bound = match search.exact(&network, limits.cells) {
            true => search.cost,
            false => {
                search.approach(network);
                search.bound.min(search.cost)
            }
        };
        Solution {
            choices: search.choices,
            cost: search.cost,
            bound,
            width: search.width.unwrap_or(0),
        }
    }
}

/// A bound without the factor of a network.
fn unscaled(bound: u64, scale: u64) -> u64 {
    if bound >= FORBIDDEN { FORBIDDEN } else { bound.div_ceil(scale) }
}

/// The best solution so far.
struct Search<'a> {
    problem: &'a Problem,
    limits: &'a Limits,
    trail: Trail,
    choices: Vec<usize>,
    cost: u64,
    /// A solution that is better than the best one costs at least this.
    bound: u64,
    /// The most that solutions cost that are searched for, times the scale of the network.
    guess: u64,
    width: Option<usize>,
}

/// A part of the solutions that is still to be searched.
struct Part {
    network: Network,
    /// The steps of the trail that belong to it.
    mark: usize,
    /// The number of costs of its tables.
    size: usize,
    passes: usize,
    cells: usize,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, limits: &'a Limits) -> Search<'a> {
        let choices = problem.greedy();
        let (cost, trail) = (problem.cost(&choices), Trail::default());
        let (bound, guess, width) = (0, FORBIDDEN - 1, None);
        let mut search = Search { problem, limits, trail, choices, cost, bound, guess, width };
        search.offer(problem.naive());
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
        Some(self.cost.checked_sub(1)?.saturating_mul(network.scale).min(self.guess))
    }

    /// Solves a network if its tables are small enough.
    fn exact(&mut self, network: &Network, cells: usize) -> bool {
        if network.base >= FORBIDDEN {
            return true;
        }
        let order = order(network, &network.live(), cells, false);
        self.width.get_or_insert(self.trail.width.max(order.width));
        if !order.fixed.is_empty() {
            return false;
        }
        let mut at = vec![0; network.own.len()];
        let positions = best(network, &order.variables, &at);
        order.variables.iter().zip(positions).for_each(|(of, position)| at[*of] = position);
        self.offer(self.trail.expand(network, &at));
        true
    }

    /// Raises the bound, improves solutions, and closes the gap by decisions as far as the limits allow.
    fn approach(&mut self, mut network: Network) {
        let limits = self.limits;
        raise(&mut network, PASSES, FORBIDDEN, &|| limits.on());
        let mut at = network.greedy();
        let mut random = Random::new(limits.seed);
        self.improve(&network, &mut at, FIRST[0], &mut random);
        self.guess(&network);
        self.prove(network.clone(), 0);
        if self.bound < self.cost {
            network.adopt(&self.choices, &mut at);
            self.improve(&network, &mut at, FIRST[1], &mut random);
            self.patch(&network, &mut at, &mut random);
            self.improve(&network, &mut at, limits.rounds, &mut random);
            self.prove(network, limits.decisions);
        }
    }

    /// Searches for solutions a little above the bound: few choices are left then, and there may be one.
    fn guess(&mut self, network: &Network) {
        for share in GUESSES {
            if self.bound >= self.cost || !self.limits.on() {
                return;
            }
            self.guess = sum(network.base, network.base / share).min(FORBIDDEN - 1);
            self.prove(network.clone(), 0);
            self.guess = FORBIDDEN - 1;
        }
    }

    /// Searches a network that has all solutions, for a better one and for a better bound.
    fn prove(&mut self, network: Network, decisions: usize) {
        let (scale, guess) = (network.scale, self.guess);
        if self.bound < self.cost {
            let open = self.close(network, decisions).min(guess + 1);
            self.bound = self.bound.max(unscaled(open, scale));
        }
    }

    /// Searches larger regions for better solutions, until about each variable was in one and nothing was found.
    fn patch(&mut self, network: &Network, at: &mut [usize], random: &mut Random) {
        let mut left = self.limits.rounds * network.live().len() / PATCH.0;
        let mut idle = 0;
        while left > 0 && idle <= network.live().len() / PATCH.0 && self.limits.on() {
            let before = self.cost;
            self.patch_one(network, at, random);
            network.adopt(&self.choices, at);
            idle = if self.cost < before { 0 } else { idle + 1 };
            left -= 1;
        }
    }

    /// Searches one region while the others keep their choices.
    fn patch_one(&mut self, network: &Network, at: &[usize], random: &mut Random) {
        let mark = self.trail.mark();
        let live = network.live();
        let inside: BTreeSet<usize> =
            region(network, &live, (PATCH.0, 0), random).into_iter().collect();
        let outside = live.into_iter().filter(|variable| !inside.contains(variable));
        outside.for_each(|of| self.trail.fix(of, network.values[of][at[of]]));
        let mut part = network.part(&inside, at);
        reduce(&mut part, &mut self.trail, self.limits.cells);
        self.close(part, PATCH.1);
        self.trail.back(mark);
    }

    /// Some rounds of improvements.
    fn improve(&mut self, network: &Network, at: &mut [usize], rounds: usize, random: &mut Random) {
        let limits = self.limits;
        let mut climb = Climb::new(network, at);
        for _ in 0..rounds.min(limits.rounds) {
            if !limits.on() {
                break;
            }
            climb.round(random, &|| limits.on());
        }
        at.copy_from_slice(climb.best());
        self.offer(self.trail.expand(network, at));
    }

    /// Searches a network for solutions that are better than the best one. Returns a bound of those that were not found,
    /// [`FORBIDDEN`] if there are none.
    fn close(&mut self, network: Network, decisions: usize) -> u64 {
        let mark = self.trail.mark();
        let (size, cells) = (network.size(), self.limits.cells);
        let mut open = vec![Part { network, mark, size, passes: PASSES, cells }];
        let (mut bound, mut left) = (FORBIDDEN, decisions);
        while let Some(part) = open.pop() {
            self.trail.back(part.mark);
            let Some(network) = self.tighten(part) else { continue };
            if left == 0
                || !self.limits.on()
                || open.iter().map(|part| part.size).sum::<usize>() > HELD
            {
                let bases = open.iter().map(|part| part.network.base);
                bound = bases.fold(network.base, u64::min);
                break;
            }
            left -= 1;
            open.extend(split(network, self.trail.mark(), cells.min(SMALL)));
        }
        self.trail.back(mark);
        bound
    }

    /// A smaller network with all better solutions; `None` if there are none after the best of them is known.
    fn tighten(&mut self, part: Part) -> Option<Network> {
        let limits = self.limits;
        let Part { mut network, passes, cells, .. } = part;
        let most = self.most(&network)?;
        raise(&mut network, passes, most, &|| limits.on());
        prune(&mut network, most);
        if network.base <= most {
            reduce(&mut network, &mut self.trail, cells);
        }
        (network.base <= most && !self.exact(&network, cells)).then_some(network)
    }
}

/// All choices of a variable but the best one, and that one, which is searched first.
fn split(mut others: Network, mark: usize, cells: usize) -> Vec<Part> {
    let Some(variable) = widest(&others) else { return Vec::new() };
    others.collect(variable);
    let own = &others.own[variable];
    let first = least(own.iter().copied());
    let rest: Vec<usize> = (0..own.len()).filter(|at| *at != first).collect();
    let mut one = others.clone();
    one.restrict(variable, &[first]);
    others.restrict(variable, &rest);
    let part = |network: Network| {
        let size = network.size();
        Part { network, mark, size, passes: FEW, cells }
    };
    [others, one].map(part).into()
}

/// The variable with the most neighbours of those that have a choice, the first of several.
fn widest(network: &Network) -> Option<usize> {
    let live = network.live().into_iter().rev();
    live.filter(|of| network.own[*of].len() > 1)
        .max_by_key(|of| (network.around[*of].len(), network.own[*of].len()))
}
