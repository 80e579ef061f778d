//! The course of a search: reduce, eliminate, and for what is too large, bounds and improvements.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::bound::raise;
use super::control::{Control, Limits, Progress};
use super::improve::{Climb, Random, region};
use super::limited;
use super::network::Network;
use super::problem::{FORBIDDEN, Problem, sum};
use super::reduce::reduce;
use super::tree::{PASSES, Tree, Whole, unscaled};

/// The parts of the bound by which a solution is first guessed to be above it.
const GUESSES: [u64; 3] = [1024, 128, 16];

/// The rounds of improvements before the first search, and before larger regions.
const FIRST: [usize; 2] = [3, 10];

/// The variables of a larger region, and the most decisions there.
const PATCH: (usize, usize) = (200, 10);

/// A choice for each variable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Solution {
    /// The choices.
    pub choices: Vec<usize>,
    /// Their cost: [`FORBIDDEN`] if no solution was found.
    pub cost: u64,
    /// A lower bound on the cost of every solution: equal to the cost if the solution is optimal, and [`FORBIDDEN`] if
    /// it is proved that there is none.
    pub bound: u64,
    /// The most neighbours of a variable in the order of elimination, up to the first one whose table was too large.
    pub width: usize,
}

/// The outcome of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The choices are permitted, and no others cost less.
    Optimal,
    /// The choices are permitted.
    Feasible,
    /// No choices are permitted: some cost is forbidden or some limit exceeded, whatever is chosen.
    Impossible,
    /// The search has ended before it met permitted choices.
    NotFound,
}

impl Solution {
    /// Returns whether the choices are optimal, or permitted at all.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        match (self.cost < FORBIDDEN, self.bound >= self.cost) {
            (true, true) => Outcome::Optimal,
            (true, false) => Outcome::Feasible,
            (false, true) => Outcome::Impossible,
            (false, false) => Outcome::NotFound,
        }
    }
}

impl Problem {
    /// The choices of least cost if the tables of elimination have a size within the limits, and otherwise good ones
    /// and a bound.
    ///
    /// # Panics
    /// Only after changes to a problem that [`Problem::new`] would return an error for.
    #[must_use]
    pub fn solve(&self, limits: &Limits) -> Solution {
        self.solve_watched(limits, &|_| ControlFlow::Continue(()))
    }

    /// [`Problem::solve`] with a function that is called after each step and may end the search.
    ///
    /// # Panics
    /// Only after changes to a problem that [`Problem::new`] would return an error for.
    #[must_use]
    pub fn solve_watched(
        &self,
        limits: &Limits,
        watch: &dyn Fn(Progress) -> ControlFlow<()>,
    ) -> Solution {
        let control = Control::new(limits, watch);
        let mut network = Network::new(self);
        let whole = Whole::Problem(self, network.scale);
        let mut search = Search { tree: Tree::new(whole, self.greedy(), &control), bound: 0 };
        search.tree.offer(self.naive());
        reduce(&mut network, &mut search.tree.trail, limits.cells);
        search.run(network);
        let (tree, scale) = (search.tree, whole.scale());
        let cost = unscaled(tree.cost, scale);
        Solution {
            bound: search.bound.min(cost),
            cost,
            choices: tree.choices,
            width: tree.width.unwrap_or(0),
        }
    }
}

/// The course of a search.
struct Search<'a> {
    tree: Tree<'a>,
    /// A solution that is better than the best one costs at least this.
    bound: u64,
}

impl Search<'_> {
    fn run(&mut self, network: Network) {
        let limits = self.tree.control.limits;
        if self.tree.exact(&network, limits.cells) {
            self.bound = FORBIDDEN;
        } else if network.is_limited() {
            self.bound = limited::approach(&mut self.tree, network);
        } else {
            self.approach(network);
        }
    }

    /// Raises the bound, improves solutions, and closes the gap by decisions as far as the limits allow.
    fn approach(&mut self, mut network: Network) {
        let (control, limits) = (self.tree.control, self.tree.control.limits);
        raise(&mut network, PASSES, FORBIDDEN, &|| control.on());
        let mut at = network.greedy();
        let mut random = Random::new(limits.seed);
        self.improve(&network, &mut at, FIRST[0], &mut random);
        self.guess(&network);
        self.prove(network.clone(), 0);
        if self.is_open() {
            network.adopt(&self.tree.choices, &mut at);
            self.improve(&network, &mut at, FIRST[1], &mut random);
            self.patch(&network, &mut at, &mut random);
            self.improve(&network, &mut at, limits.rounds, &mut random);
            self.prove(network, limits.decisions);
        }
    }

    /// Searches for solutions a little above the bound: few choices are left then, and there may be one.
    fn guess(&mut self, network: &Network) {
        for share in GUESSES {
            if !self.is_open() || !self.tree.control.on() {
                return;
            }
            let guess = sum(network.base, network.base / share);
            let open = self.tree.prove_below(network.clone(), guess, 0);
            self.note(open);
        }
    }

    fn is_open(&self) -> bool {
        self.bound < unscaled(self.tree.cost, self.tree.whole.scale())
    }

    fn note(&mut self, open: u64) {
        self.bound = self.bound.max(unscaled(open, self.tree.whole.scale()));
        self.tree.control.proved(self.bound);
    }

    /// Searches a network that has all solutions, for a better one and for a better bound.
    fn prove(&mut self, network: Network, decisions: usize) {
        if self.is_open() {
            let open = self.tree.prove(network, decisions);
            self.note(open);
        }
    }

    /// Searches larger regions for better solutions, until about each variable was in one and nothing was found.
    fn patch(&mut self, network: &Network, at: &mut [usize], random: &mut Random) {
        let mut left = self.tree.control.limits.rounds * network.live().len() / PATCH.0;
        let mut idle = 0;
        while left > 0 && idle <= network.live().len() / PATCH.0 && self.tree.control.on() {
            let before = self.tree.cost;
            self.patch_one(network, at, random);
            network.adopt(&self.tree.choices, at);
            idle = if self.tree.cost < before { 0 } else { idle + 1 };
            left -= 1;
        }
    }

    /// Searches one region while the others keep their choices.
    fn patch_one(&mut self, network: &Network, at: &[usize], random: &mut Random) {
        let mark = self.tree.trail.mark();
        let live = network.live();
        let inside: BTreeSet<usize> =
            region(network, &live, (PATCH.0, 0), random).into_iter().collect();
        let outside = live.into_iter().filter(|variable| !inside.contains(variable));
        outside.for_each(|of| self.tree.trail.fix(of, network.values[of][at[of]]));
        let mut part = network.part(&inside, at);
        reduce(&mut part, &mut self.tree.trail, self.tree.control.limits.cells);
        self.tree.close(part, PATCH.1);
        self.tree.trail.back(mark);
    }

    /// Some rounds of improvements.
    fn improve(&mut self, network: &Network, at: &mut [usize], rounds: usize, random: &mut Random) {
        let (control, limits) = (self.tree.control, self.tree.control.limits);
        let mut climb = Climb::new(network, at);
        for _ in 0..rounds.min(limits.rounds) {
            if !control.on() {
                break;
            }
            climb.round(random, &|| control.on());
        }
        at.copy_from_slice(climb.best());
        self.tree.propose(network, at);
    }
}
