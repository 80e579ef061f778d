//! A better solution: regions of the network are solved exactly while the others keep their choices.

use std::collections::{BTreeSet, VecDeque};

use super::eliminate::best;
use super::network::Network;
use super::order::order;

/// The most costs of all tables of a region.
const CELLS: usize = 1 << 14;

/// The least and the most variables of a region.
const REGION: (usize, usize) = (8, 96);

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

/// Improves one position for each live variable; the cost never grows.
pub(super) fn improve(network: &Network, at: &mut [usize], cells: usize, random: &mut Random) {
    let live = network.live();
    if live.is_empty() {
        return;
    }
    let size = REGION.0 + random.below(REGION.1 - REGION.0);
    let region = region(network, live[random.below(live.len())], size, random);
    let order = order(network, &region, CELLS.min(cells), true);
    let (positions, _) = best(network, &order.variables, at);
    order.variables.iter().zip(positions).for_each(|(variable, position)| at[*variable] = position);
}

/// Some variables around one of them; one in four is left out, with all that is only behind it.
fn region(network: &Network, start: usize, size: usize, random: &mut Random) -> Vec<usize> {
    let (mut seen, mut queue) = (BTreeSet::from([start]), VecDeque::from([start]));
    let mut region = Vec::new();
    while let Some(variable) = queue.pop_front().filter(|_| region.len() < size) {
        region.push(variable);
        for near in network.near(variable) {
            if seen.insert(near) && random.below(4) > 0 {
                queue.push_back(near);
            }
        }
    }
    region
}
