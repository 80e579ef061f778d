//! Addresses in the memories of a PE for everything that is there at some time.
//!
//! ```text
//! LM0   | x ========= |  y =======================  |
//! LM1   |    W ====   |        x as z wants it ==== |          address, over time
//! ```
//!
//! Law: what is there at one time has different addresses, within its memory.

use serde::{Deserialize, Serialize};

use super::lifetimes::{self, Buffer};
use super::solved::Plan;

/// A tensor in a memory of a PE.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The value.
    pub value: String,
    /// The node that reads it there as an operand; `None` for the value itself.
    pub reader: Option<String>,
    /// The memory.
    pub memory: String,
    /// Its first long word.
    pub address: u64,
    /// The number of its long words.
    pub words: u64,
    /// The time from which it is there. An operation has three times, in the order of the plan: its operands come, it
    /// computes, its result goes where it is kept.
    pub from: u64,
    /// The first time after it.
    pub to: u64,
}

/// The number of shuffled orders that are tried after the sorted ones.
const SHUFFLES: u64 = 64;

impl Plan<'_> {
    /// A place for every tensor in the memories of a PE; `None` if none were found, or on a machine without memories.
    ///
    /// Cost: up to 67 times the square of the number of tensors.
    #[must_use]
    pub fn places(&self) -> Option<Vec<Place>> {
        let memories = self.setting.local_memories();
        let buffers = lifetimes::buffers(&self.graph, &self.variables, &self.setting, &self.chosen);
        let sizes: Vec<u64> = memories.iter().map(|(_, words)| *words).collect();
        let found = allocated(&buffers, &sizes)?;
        let place = |(buffer, (memory, address)): (&Buffer, (usize, u64))| {
            let variable = &self.variables[buffer.variable];
            let operation = variable.operation().map(|of| &self.graph.operations[of]);
            let read = buffer.operand.and_then(|number| Some((operation?, number)));
            let value = read.map_or(variable.value, |(of, number)| of.reads()[number]);
            Place {
                value: self.graph.value(value).name.clone(),
                reader: read.map(|(of, _)| of.name.clone()),
                memory: memories[memory].0.clone(),
                address,
                words: buffer.words,
                from: buffer.from,
                to: buffer.to,
            }
        };
        Some(buffers.iter().zip(found).map(place).collect())
    }
}

/// The rank of a buffer: the least come first.
type Key = fn(&Buffer) -> (u64, u64);

/// A memory and an address for each buffer.
fn allocated(buffers: &[Buffer], sizes: &[u64]) -> Option<Vec<(usize, u64)>> {
    if sizes.is_empty() {
        return None;
    }
    let keys: [Key; 3] = [
        |of| (u64::MAX - of.words, of.from),
        |of| (u64::MAX - of.words.saturating_mul(of.time()), of.from),
        |of| (u64::MAX - of.time(), u64::MAX - of.words),
    ];
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    for key in keys {
        order.sort_by_key(|at| (key(&buffers[*at]), *at));
        if let Some(found) = in_order(buffers, &order, sizes) {
            return Some(found);
        }
    }
    order.sort_by_key(|at| u64::MAX - buffers[*at].words);
    (1..=SHUFFLES).find_map(|seed| in_order(buffers, &shuffled(&order, seed), sizes))
}

/// The lowest free address for each buffer in turn, in the memory where it is lowest.
fn in_order(buffers: &[Buffer], order: &[usize], sizes: &[u64]) -> Option<Vec<(usize, u64)>> {
    let mut found: Vec<Option<(usize, u64)>> = vec![None; buffers.len()];
    for at in order {
        let own = &buffers[*at];
        let lowest = |memory: usize| {
            let others = buffers.iter().zip(&found).filter_map(|(of, place)| {
                let (other, address) = (*place)?;
                (other == memory && own.meets(of)).then_some((address, of.words))
            });
            let address = free(others.collect(), own.words);
            (address.checked_add(own.words)? <= sizes[memory]).then_some((address, memory))
        };
        let (address, memory) = (0..sizes.len()).filter_map(lowest).min()?;
        found[*at] = Some((memory, address));
    }
    found.into_iter().collect()
}

/// The lowest address at which some words are free.
fn free(mut taken: Vec<(u64, u64)>, words: u64) -> u64 {
    taken.sort_unstable();
    let mut address = 0;
    for (from, length) in taken {
        if from >= address && from - address >= words {
            break;
        }
        address = address.max(from.saturating_add(length));
    }
    address
}

/// An order in which neighbours have changed places, by a linear congruential generator.
fn shuffled(order: &[usize], seed: u64) -> Vec<usize> {
    let mut order = order.to_vec();
    let mut state = seed;
    for at in 1..order.len() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let back = usize::try_from((state >> 33) % 8).unwrap_or(0).min(at);
        order.swap(at, at - back);
    }
    order
}
