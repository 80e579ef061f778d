//! Sets of numbers that mostly neighbour each other.

use std::collections::HashMap;
use tensor_layout::internals::to_index;

/// How many numbers share a block of bits: as many as MN-Core 2 has PEs.
pub(super) const BLOCK: u64 = 4096;

/// A set of numbers, a bit each in blocks of 4096: as much memory as there are members, in any
/// range.
#[derive(Clone, Debug, Default)]
pub(super) struct WordSet {
    blocks: HashMap<u64, Box<[u64; 64]>>,
}

impl WordSet {
    /// Adds a number; whether it is new.
    pub(super) fn insert(&mut self, number: u64) -> bool {
        let block = self.blocks.entry(number / BLOCK).or_insert_with(|| Box::new([0; 64]));
        let (word, bit) = Self::bit(number);
        let is_new = block[word] & bit == 0;
        block[word] |= bit;
        is_new
    }

    /// Adds numbers of one block.
    pub(super) fn insert_block(&mut self, numbers: &[u64]) {
        let Some(first) = numbers.first() else { return };
        let block = self.blocks.entry(first / BLOCK).or_insert_with(|| Box::new([0; 64]));
        for (word, bit) in numbers.iter().map(|number| Self::bit(*number)) {
            block[word] |= bit;
        }
    }

    /// Whether one of some numbers of one block is a member.
    pub(super) fn contains_any(&self, numbers: &[u64]) -> bool {
        let block = numbers.first().and_then(|first| self.blocks.get(&(first / BLOCK)));
        block.is_some_and(|block| {
            let mut bits = numbers.iter().map(|number| Self::bit(*number));
            bits.any(|(word, bit)| block[word] & bit != 0)
        })
    }

    pub(super) fn contains(&self, number: u64) -> bool {
        let (word, bit) = Self::bit(number);
        self.blocks.get(&(number / BLOCK)).is_some_and(|block| block[word] & bit != 0)
    }

    fn bit(number: u64) -> (usize, u64) {
        let at = number % BLOCK;
        (to_index(at / 64), 1 << (at % 64))
    }
}
