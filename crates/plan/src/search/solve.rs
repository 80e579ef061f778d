//! The course of a search: reduce, eliminate, and for what is too large, bounds and improvements.

use std::collections::BTreeSet;
use std::time::Instant;

use super::bound::{prune, raise};
use super::eliminate::best;
use super::improve::{Climb, Random, region};
static mut TRACE: bool = false;
static mut UB: u64 = 0;
static mut DONE: f64 = 0.0;
use super::network::Network;
use super::price::{Auction, fitting};
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
    weight: f64,
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
        if network.is_limited() {
            return network.live().is_empty();
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
        if network.is_limited() {
            return self.approach_limited(network);
        }
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

    fn approach_limited(&mut self, mut network: Network) {
        let t = Instant::now();
        let scale = network.scale;
        if unsafe { UB } > 0 { self.cost = unsafe { UB }; }
        let mut auction = Auction::new(&network);
        let mut order = network.live();
        let target = self.most(&network).unwrap_or(0);
        for round in 0..400 {
            let known = self.most(&network).unwrap_or(0).min(network.bound() + auction.best / 5);
            auction.round(&mut network, &mut order, known);
            if round % 10 == 9 {
                let at = fitting(&network, &order);
                self.offer(self.trail.expand(&network, &at));
                if round % 50 == 49 { eprintln!("{round} {:.2}s {} cost {}", t.elapsed().as_secs_f64(), unscaled(auction.best, scale), self.cost); }
            }
            if auction.best > self.most(&network).unwrap_or(0) || !self.limits.on() { break; }
        }
        super::price::set(&mut network, auction.prices.clone());
        for _ in 0..20 { super::bound::pass(&mut network, &order); order.reverse(); }
        self.bound = self.bound.max(unscaled(network.bound(), scale));
        eprintln!("{:.2}s bound {} cost {}", t.elapsed().as_secs_f64(), self.bound, self.cost);
        for share in [1024, 128, 32, 16, 8, 4, 2, 1] {
            if self.bound >= self.cost || !self.limits.on() {
                break;
            }
            self.guess = sum(network.bound(), network.bound() / share).min(FORBIDDEN - 1);
            self.prove(network.clone(), if share < 128 && self.cost >= FORBIDDEN {1000} else {10});
            self.guess = FORBIDDEN - 1;
            eprintln!("guess {share} {:.2}s bound {} cost {}", t.elapsed().as_secs_f64(), self.bound, self.cost);
        }
        if self.bound < self.cost {
            let mut at = vec![0; network.own.len()];
            let mut random = Random::new(self.limits.seed);
            if unsafe { UB } > 0 {
            unsafe { TRACE = true };
            self.prove(network, 1_000_000_000);
            return
            }
            let mut n = 0; let mut idle = 0;
            let mut size = 30;
            while self.limits.on() && self.bound < self.cost && n < 1500 {
                self.position(&network, &mut at);
                let before = self.cost;
                self.patch_limited(&network, &at, size, &mut random);
                n += 1;
                if self.cost < before { idle = 0; eprintln!("patch {n} size {size} {:.2}s cost {}", t.elapsed().as_secs_f64(), self.cost); } else { idle += 1; }
                if idle > 100 { idle = 0; size = if size > 120 { 20 } else { size + 10 } }
            }
            eprintln!("{:.2}s bound {} cost {}", t.elapsed().as_secs_f64(), self.bound, self.cost);
            unsafe { TRACE = true };
            self.prove(network, 1_000_000_000);
            eprintln!("{:.2}s bound {} cost {}", t.elapsed().as_secs_f64(), self.bound, self.cost);
        }
    }

    fn position(&self, network: &Network, at: &mut [usize]) {
        for variable in network.live() {
            at[variable] = network.values[variable].binary_search(&self.choices[variable]).unwrap_or(0);
        }
    }

    fn patch_limited(&mut self, network: &Network, at: &[usize], size: usize, random: &mut Random) {
        let mark = self.trail.mark();
        let live = network.live();
        let inside: BTreeSet<usize> =
            region(network, &live, (size, 0), random).into_iter().collect();
        let outside = live.into_iter().filter(|variable| !inside.contains(variable));
        outside.for_each(|of| self.trail.fix(of, network.values[of][at[of]]));
        let mut part = network.part(&inside, at);
        reduce(&mut part, &mut self.trail, self.limits.cells);
        self.close(part, 20);
        self.trail.back(mark);
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
        let mut open = vec![Part { network, mark, size, passes: PASSES, cells, weight: 1.0 }];
        let (mut bound, mut left) = (FORBIDDEN, decisions);
        while let Some(part) = open.pop() {
            self.trail.back(part.mark);
            let weight = part.weight; let Some(network) = self.tighten(part) else { if unsafe { TRACE } { unsafe {DONE += weight}}; continue };
            if left == 0
                || !self.limits.on()
                || open.iter().map(|part| part.size).sum::<usize>() > HELD
            {
                let bases = open.iter().map(|part| part.network.bound());
                bound = bases.fold(network.bound(), u64::min);
                break;
            }
            left -= 1;
            if unsafe { TRACE } && left % 100 == 0 {
                let low = open.iter().map(|part| part.network.bound()).fold(network.bound(), u64::min);
                let live = network.live();
                eprintln!("done {:.6} left {left} open {} low {} here {} live {} uses {}", unsafe {DONE}, open.len(), unscaled(low, network.scale), unscaled(network.bound(), network.scale), live.len(), network.rows.uses.iter().filter(|u| !u.is_empty()).count());
            }
            open.extend(split(network, self.trail.mark(), cells.min(SMALL), weight));
        }
        self.trail.back(mark);
        bound
    }

    fn bid(&mut self, network: &mut Network, rounds: usize, most: u64) {
        let mut auction = Auction::new(network);
        let mut order = network.live();
        for _ in 0..super::price::tune(4) as usize {
            for _ in 0..2 { super::bound::pass(network, &order); order.reverse(); }
            if network.bound() > most {
                return;
            }
        }
        auction.step = super::price::tune(5);
        for _ in 0..super::price::tune(6) as usize {
            auction.round(network, &mut order, most);
            if network.bound() > most {
                return;
            }
        }
        super::price::set(network, auction.prices.clone());
        for _ in 0..super::price::tune(7) as usize {
            for _ in 0..2 { super::bound::pass(network, &order); order.reverse(); }
            if network.bound() > most {
                return;
            }
        }
        let at = fitting(network, &order);
        self.offer(self.trail.expand(network, &at));
    }

    /// A smaller network with all better solutions; `None` if there are none after the best of them is known.
    fn tighten(&mut self, part: Part) -> Option<Network> {
        let limits = self.limits;
        let Part { mut network, passes, cells, .. } = part;
        let most = self.most(&network)?;
        match network.is_limited() {
            false => raise(&mut network, passes, most, &|| limits.on()),
            true => self.bid(&mut network, passes.min(10), most),
        }
        let most = self.most(&network)?;
        prune(&mut network, most);
        if network.bound() <= most {
            reduce(&mut network, &mut self.trail, cells);
        }
        (network.bound() <= most && !self.exact(&network, cells)).then_some(network)
    }
}

/// All choices of a variable but the best one, and that one, which is searched first.
fn split(mut others: Network, mark: usize, cells: usize, weight: f64) -> Vec<Part> {
    let Some(variable) = heaviest(&others).or_else(|| widest(&others)) else { return Vec::new() };
    others.collect(variable);
    let own = &others.own[variable];
    let first = least(own.iter().copied());
    let rest: Vec<usize> = (0..own.len()).filter(|at| *at != first).collect();
    let mut one = others.clone();
    one.restrict(variable, &[first]);
    others.restrict(variable, &rest);
    let part = |network: Network| {
        let size = network.size();
        Part { network, mark, size, passes: FEW, cells, weight: weight / 2.0 }
    };
    [others, one].map(part).into()
}

/// The variable that may use the most of the room of a row.
fn heaviest(network: &Network) -> Option<usize> {
    let share = |variable: &usize| {
        let uses = network.rows.uses[*variable].iter();
        let share = uses.flat_map(|of| {
            let most = of.amounts.iter().copied().max().unwrap_or(0);
            of.rows.clone().map(move |row| (most.saturating_mul(1 << 12)) / network.rows.room[row].max(1))
        });
        share.max().unwrap_or(0)
    };
    let live = network.live().into_iter().filter(|of| network.own[*of].len() > 1);
    live.filter(|of| !network.rows.uses[*of].is_empty()).max_by_key(share)
}

/// The variable with the most neighbours of those that have a choice, the first of several.
fn widest(network: &Network) -> Option<usize> {
    let live = network.live().into_iter().rev();
    live.filter(|of| network.own[*of].len() > 1)
        .max_by_key(|of| (network.around[*of].len(), network.own[*of].len()))
}
pub fn dev(problem: &Problem, args: &[f64], ub: u64) -> Solution {
    unsafe { UB = ub };
    unsafe { super::price::TUNE[..8].copy_from_slice(&args[..8]) };
    let until = Instant::now() + std::time::Duration::from_secs_f64(args[8]);
    problem.solve(&Limits { until: Some(until), ..Limits::default() })
}
