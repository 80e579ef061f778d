//! Sets of numbers that mostly neighbour each other.

use std::collections::HashMap;
use tensor_layout_words::to_index;

/// The number of numbers that share a block of bits: as many as MN-Core 2 has PEs.
pub(super) const BLOCK: u64 = 4096;

/// A set of numbers, a bit each in blocks of 4096: as much memory as there are members, in any
/// range.
#[derive(Clone, Debug, Default)]
pub(super) struct WordSet {
    blocks: HashMap<u64, Box<[u64; 64]>>,
}

/// Numbers of one block: the words of 64 bits that have some, with their bits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WordBlock {
    pub(super) block: u64,
    pub(super) words: Vec<(usize, u64)>,
}

impl WordBlock {
    pub(super) fn count(&self) -> u64 {
        self.words.iter().map(|(_, bits)| u64::from(bits.count_ones())).sum()
    }
}

impl WordSet {
    /// Adds a number; returns whether it is new.
    pub(super) fn insert(&mut self, number: u64) -> bool {
        let block = self.blocks.entry(number / BLOCK).or_insert_with(|| Box::new([0; 64]));
        let (word, bit) = Self::bit(number);
        let is_new = block[word] & bit == 0;
        block[word] |= bit;
        is_new
    }

    pub(super) fn contains(&self, number: u64) -> bool {
        let (word, bit) = Self::bit(number);
        self.blocks.get(&(number / BLOCK)).is_some_and(|block| block[word] & bit != 0)
    }

    /// Adds numbers of one block.
    pub(super) fn insert_bits(&mut self, bits: &WordBlock) {
        let block = self.blocks.entry(bits.block).or_insert_with(|| Box::new([0; 64]));
        bits.words.iter().for_each(|(word, bits)| block[*word] |= bits);
    }

    /// Returns how many of the numbers in `bits` are members.
    pub(super) fn count_of(&self, bits: &WordBlock) -> u64 {
        let Some(block) = self.blocks.get(&bits.block) else { return 0 };
        bits.words.iter().map(|(word, bits)| u64::from((block[*word] & bits).count_ones())).sum()
    }

    fn bit(number: u64) -> (usize, u64) {
        let at = number % BLOCK;
        (to_index(at / 64), 1 << (at % 64))
    }
}
