//! A better solution: regions of the network are solved exactly while the others keep their choices.

use std::collections::{BTreeSet, VecDeque};

use super::eliminate::best;
use super::network::Network;
use super::order::order;

/// The most costs of all tables of a region, doubled after each round that found nothing, up to some times.
const CELLS: usize = 1 << 13;
const DOUBLED: usize = 6;

/// The least and the most variables of a region.
const REGION: (usize, usize) = (8, 96);

/// Rounds that found nothing, after which some variables are changed at random.
const IDLE: usize = 12;

/// The variables that are changed.
const SHAKEN: usize = 12;

/// Random numbers, the same for the same seed: SplitMix64.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below an end that is not zero.
    fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX);
        usize::try_from(self.next() % end).unwrap_or(0)
    }
}

/// A way through the positions of all variables, with the best ones that it met.
#[derive(Debug)]
pub(super) struct Climb<'a> {
    network: &'a Network,
    live: Vec<usize>,
    at: Vec<usize>,
    cost: u64,
    best: Vec<usize>,
    least: u64,
    /// The rounds since the cost fell.
    idle: usize,
}

impl<'a> Climb<'a> {
    pub(super) fn new(network: &'a Network, at: &[usize]) -> Climb<'a> {
        let (cost, best) = (network.cost(at), at.to_vec());
        Climb { network, live: network.live(), at: best.clone(), cost, best, least: cost, idle: 0 }
    }

    /// The best positions so far.
    pub(super) fn best(&self) -> &[usize] {
        &self.best
    }

    /// Solves regions until about each variable was in one.
    pub(super) fn round(&mut self, random: &mut Random, on: &dyn Fn() -> bool) {
        let mut visited = 0;
        while visited < self.live.len() && on() {
            let size = REGION.0 + random.below(REGION.1 - REGION.0);
            visited += self.solve(&self.region(size, random));
        }
        let cost = self.network.cost(&self.at);
        self.idle = if cost < self.cost { 0 } else { self.idle + 1 };
        self.cost = cost;
        if cost < self.least {
            (self.least, self.best) = (cost, self.at.clone());
        }
        if self.idle == IDLE {
            self.shake(random);
        }
    }

    /// Solves a region while the others keep their choices. Returns its size.
    fn solve(&mut self, region: &[usize]) -> usize {
        let cells = CELLS << self.idle.min(DOUBLED);
        let order = order(self.network, region, cells, true).variables;
        let positions = best(self.network, &order, &self.at);
        order.iter().zip(positions).for_each(|(of, position)| self.at[*of] = position);
        region.len()
    }

    /// Goes back to the best positions and changes some that are near each other.
    fn shake(&mut self, random: &mut Random) {
        self.at.clone_from(&self.best);
        for variable in self.region(SHAKEN, random) {
            self.at[variable] = random.below(self.network.own[variable].len());
        }
        (self.cost, self.idle) = (self.network.cost(&self.at), 0);
    }

    fn region(&self, size: usize, random: &mut Random) -> Vec<usize> {
        region(self.network, &self.live, (size, 4), random)
    }
}

/// Some variables around one of them; one in `skip` is left out, with all that is only behind it.
pub(super) fn region(
    network: &Network,
    live: &[usize],
    (size, skip): (usize, usize),
    random: &mut Random,
) -> Vec<usize> {
    let start = live[random.below(live.len())];
    let (mut seen, mut queue) = (BTreeSet::from([start]), VecDeque::from([start]));
    let mut region = Vec::new();
    while let Some(variable) = queue.pop_front().filter(|_| region.len() < size) {
        region.push(variable);
        for near in network.near(variable) {
            if seen.insert(near) && (skip == 0 || random.below(skip) > 0) {
                queue.push_back(near);
            }
        }
    }
    region
}
