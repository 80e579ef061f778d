//! The course of a search with limits: prices, guesses, regions that are searched exactly, and bounds of parts.

use super::bound::both_ways;
use super::control::Control;
use super::excerpt::chunks;
use super::improve::{Random, region};
use super::network::Network;
use super::price::{Auction, STEPS, fitting};
use super::problem::{FORBIDDEN, sum};
use super::reduce::reduce;
use super::tree::{Tree, Whole, unscaled};

/// The rounds of changes of prices for the whole network, and after how many of them choices are tried.
const ROUNDS: (usize, usize) = (120, 10);

/// The parts of the gap by which a solution is guessed to be above the bound, and the most decisions for each.
const GUESSES: ([u64; 9], usize) = ([1024, 256, 64, 32, 16, 8, 4, 2, 1], 10);

/// The gap before there is a solution, in bounds.
const UNKNOWN: u64 = 8;

/// The least and the most variables of a region, the regions without better choices after which they are larger, and
/// the decisions in each.
const REGION: (usize, usize) = (30, 120);
const IDLE: usize = 100;
const DECISIONS: usize = 20;

/// The variables of the first parts whose bounds are raised, and the decisions for each; doubled up to some times.
const CHUNK: (usize, usize) = (400, 100);
const DOUBLED: usize = 20;

/// Searches a network with limits. Returns a cost that better solutions are not below.
pub(super) fn approach(tree: &mut Tree, mut network: Network) -> u64 {
    let mut course = Course { bound: 0, tree };
    course.begin(&mut network);
    if course.is_open() {
        course.alternate(&network);
    }
    unscaled(course.bound, network.scale)
}

struct Course<'a, 'b> {
    tree: &'a mut Tree<'b>,
    bound: u64,
}

impl Course<'_, '_> {
    fn is_open(&self) -> bool {
        self.tree.control.on() && self.tree.most().is_some_and(|most| self.bound <= most)
    }

    fn note(&mut self, open: u64) {
        self.bound = self.bound.max(open.min(self.tree.cost));
        if let Whole::Problem(_, scale) = self.tree.whole {
            self.tree.control.proved(unscaled(self.bound, scale));
        }
    }

    /// Prices, and solutions a little above the bound.
    fn begin(&mut self, network: &mut Network) {
        let (rounds, step) = match self.tree.whole {
            Whole::Problem(..) => (ROUNDS.0, STEPS.0),
            Whole::Part(_) => (ROUNDS.0 / 4, STEPS.1),
        };
        self.price(network, rounds, step);
        let before = self.tree.cost;
        for share in GUESSES.0 {
            let done = before < FORBIDDEN && network.live().len() > CHUNK.0;
            if done || !self.is_open() || self.tree.cost < before {
                return;
            }
            self.guess(network, share);
        }
    }

    /// Finds good prices, and tries choices that cost little with them.
    fn price(&mut self, network: &mut Network, rounds: usize, step: f64) {
        let mut auction = Auction::new(network, step);
        for round in 1..=rounds {
            let most = self.tree.most();
            auction.round(network, most.unwrap_or(0));
            if round % ROUNDS.1 == 0 {
                self.note(auction.best);
                self.tree.propose(network, &fitting(network));
            }
            if most.is_none_or(|most| auction.best > most) || !self.tree.control.on() {
                break;
            }
        }
        self.note(auction.best);
        auction.settle(network);
        let mut order = network.live();
        (0..ROUNDS.1).for_each(|_| both_ways(network, &mut order));
        self.note(network.bound());
    }

    /// Searches for solutions that are above the bound by a share of the gap.
    fn guess(&mut self, network: &Network, share: u64) {
        let gap = match self.tree.cost {
            FORBIDDEN.. => network.bound().saturating_mul(UNKNOWN),
            cost => cost.saturating_sub(network.bound()),
        };
        let guess = sum(network.bound(), gap / share);
        let open = self.tree.prove_below(network.clone(), guess, GUESSES.1);
        self.note(open);
    }

    /// Searches regions and raises the bound, with more of both each time.
    fn alternate(&mut self, network: &Network) {
        let limits = self.tree.control.limits;
        let mut patches = Patches::new(network, self.position(network));
        let mut random = Random::new(limits.seed);
        let large = patches.live.len() > CHUNK.0;
        let (mut rounds, mut decisions) = (limits.rounds, limits.decisions);
        let mut level = 0;
        while self.is_open() && (rounds > 0 || decisions > 0) {
            let more = rounds.min(if large { 2 } else { 8 } << level);
            if large && more > 0 {
                self.sweep(&mut patches);
            }
            self.patch(&mut patches, more, &mut random);
            rounds -= more;
            let more = decisions.min(CHUNK.1 << level);
            if more > 0 && self.is_open() {
                self.raise(&patches, CHUNK.0 << level, more);
            }
            decisions -= more;
            level = (level + 1).min(DOUBLED);
        }
    }

    /// Searches parts that have no variable in common, each while the others keep their choices.
    fn sweep(&mut self, patches: &mut Patches) {
        for inside in chunks(patches.network, &patches.live, CHUNK.0) {
            if !self.is_open() {
                return;
            }
            patches.solve(&inside, self.tree.control, |tree, mut part| {
                Course { bound: 0, tree }.begin(&mut part);
            });
            self.tree.propose(patches.network, &patches.at);
        }
    }

    /// The positions of the best choices, the first one for a choice that has left.
    fn position(&self, network: &Network) -> Vec<usize> {
        let mut at = vec![0; network.own.len()];
        for variable in network.live() {
            let choice = self.tree.choices[variable];
            at[variable] = network.values[variable].binary_search(&choice).unwrap_or(0);
        }
        at
    }

    /// Searches regions until each variable was in one about some times.
    fn patch(&mut self, patches: &mut Patches, rounds: usize, random: &mut Random) {
        let mut left = rounds.saturating_mul(patches.live.len());
        let mut since = 0;
        while left > 0 && self.is_open() {
            let size = patches.size;
            patches.patch(self.tree.control, random);
            left = left.saturating_sub(size);
            since += size;
            if since > patches.live.len() / 4 {
                since = 0;
                self.tree.propose(patches.network, &patches.at);
            }
        }
        self.tree.propose(patches.network, &patches.at);
    }

    /// Raises the bound by those of parts that have no variable in common.
    fn raise(&mut self, patches: &Patches, size: usize, decisions: usize) {
        let network = patches.network;
        if patches.live.len() <= size {
            let open = self.tree.prove(network.clone(), decisions);
            return self.note(open);
        }
        let users = network.rows.users();
        let mut all = network.base;
        for inside in chunks(network, &patches.live, size) {
            if !self.is_open() {
                return;
            }
            let part = network.cut_out(&inside, &users);
            let now = inside.iter().map(|of| patches.at[*of]).collect();
            all = sum(all, self.raise_part(&part, now, decisions));
            if all >= FORBIDDEN {
                return self.note(FORBIDDEN);
            }
            self.note(all.saturating_sub(network.debt));
        }
    }

    /// A cost that no solution of a part is below.
    fn raise_part(&mut self, part: &Network, now: Vec<usize>, decisions: usize) -> u64 {
        let mut tree = Tree::new(Whole::Part(part), now, self.tree.control);
        let mut reduced = part.clone();
        reduce(&mut reduced, &mut tree.trail, tree.control.limits.cells);
        let mut course = Course { bound: 0, tree: &mut tree };
        course.begin(&mut reduced);
        for share in 1..=4 {
            let (most, bound) = (course.tree.cost, course.bound);
            let guess = bound + (most - bound) / 4 * share;
            let open = course.tree.prove_below(reduced.clone(), guess, decisions);
            course.note(open);
            if open <= guess || !course.is_open() {
                break;
            }
        }
        course.bound
    }
}

/// Choices that become better in one region after another.
struct Patches<'a> {
    network: &'a Network,
    live: Vec<usize>,
    at: Vec<usize>,
    /// The usage of each row.
    used: Vec<u64>,
    size: usize,
    idle: usize,
}

impl<'a> Patches<'a> {
    fn new(network: &'a Network, at: Vec<usize>) -> Patches<'a> {
        let (live, used) = (network.live(), network.rows.used(&at));
        Patches { network, live, at, used, size: REGION.0, idle: 0 }
    }

    /// Searches a region while the others keep their choices.
    fn patch(&mut self, control: &Control, random: &mut Random) {
        let mut inside = region(self.network, &self.live, (self.size, 0), random);
        inside.sort_unstable();
        let better = self.solve(&inside, control, |tree, part| _ = tree.close(part, DECISIONS));
        self.idle = if better { 0 } else { self.idle + 1 };
        if self.idle > IDLE {
            self.idle = 0;
            self.size = if self.size >= REGION.1 { REGION.0 } else { self.size + REGION.0 / 3 };
        }
    }

    /// Searches some variables while the others keep their choices. Returns true if there are better choices.
    fn solve(
        &mut self,
        inside: &[usize],
        control: &Control,
        search: impl FnOnce(&mut Tree, Network),
    ) -> bool {
        let part = self.network.around_fixed(inside, &self.at, &self.used);
        let now: Vec<usize> = inside.iter().map(|of| self.at[*of]).collect();
        let mut tree = Tree::new(Whole::Part(&part), now, control);
        let before = tree.cost;
        let mut reduced = part.clone();
        reduce(&mut reduced, &mut tree.trail, control.limits.cells);
        search(&mut tree, reduced);
        let better = tree.cost < before;
        if better {
            self.take(inside, &tree.choices);
        }
        better
    }

    fn take(&mut self, inside: &[usize], better: &[usize]) {
        for (of, at) in inside.iter().zip(better) {
            let rows = &self.network.rows;
            rows.change(*of, (self.at[*of], *at), &mut self.used);
            self.at[*of] = *at;
        }
    }
}
