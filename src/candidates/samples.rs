//! Random candidates, where there are too many to walk.

use std::sync::Arc;

use super::candidate::Candidate;
use super::options::Candidates;
use super::orders::AddressOrders;
use super::space::Space;
use super::walk::Layouts;
use crate::error::LayoutError;
use crate::number::{to_index, to_u64};

/// An endless iterator over random candidates.
#[derive(Clone, Debug)]
struct Samples {
    space: Arc<Space>,
    random: Random,
    is_over: bool,
}

impl Candidates {
    /// Returns random candidates, possibly with repetitions; equal seeds produce equal candidates.
    ///
    /// At every step of a walk the possible choices are equally likely, so every candidate occurs eventually,
    /// though not equally often. The iterator is endless: take as many as you want. It ends only with
    /// `NotDecided`, if [`BUDGET`](Candidates::BUDGET) choices in a row lead to no
    /// candidate; without candidates it is empty.
    ///
    /// # Errors
    /// As [`iter`](Candidates::iter) and its first item.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Machine;
    /// use tensor_layout::candidates::Candidates;
    /// let all = Candidates { level_parts: 2, ..Candidates::new(&Machine::mn_core_2(), &[1024, 1024]) };
    /// let some = all.samples(7)?.take(100).collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(some.len(), 100);
    /// assert_eq!(Ok(&some[0]), all.samples(7)?.next().unwrap().as_ref());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn samples(
        &self,
        seed: u64,
    ) -> Result<impl Iterator<Item = Result<Candidate, LayoutError>> + use<>, LayoutError> {
        let space = Arc::new(Space::new(self)?);
        let first = Layouts::new(space.clone()).next().transpose()?;
        Ok(Samples { space, random: Random(seed), is_over: first.is_none() })
    }
}

impl Samples {
    /// One walk down: a random choice at every step among those that can be made.
    fn descend(&mut self, tried: &mut u64) -> Option<Candidate> {
        let mut walk = Layouts::new(self.space.clone());
        let mut first = walk.next.take();
        while let Some(choice) = first {
            let mut siblings = vec![choice];
            while let Some(next) = siblings.last().and_then(|last| walk.other(*last)) {
                siblings.push(next);
            }
            let made = loop {
                *tried += 1;
                if siblings.is_empty() {
                    return None;
                }
                let choice = siblings.swap_remove(self.random.below(siblings.len()));
                if walk.state.make(&self.space, choice) {
                    break choice;
                }
            };
            first = walk.deeper(made);
        }
        let orders = AddressOrders::new(&self.space, &walk.state)?;
        orders.random(&self.space, &walk.state, |count| self.random.below(count))
    }
}

impl Iterator for Samples {
    type Item = Result<Candidate, LayoutError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut tried = 0;
        while !self.is_over {
            if let Some(candidate) = self.descend(&mut tried) {
                return Some(Ok(candidate));
            }
            if tried > Candidates::BUDGET {
                self.is_over = true;
                let (question, budget) = ("whether there is another candidate", Candidates::BUDGET);
                return Some(Err(LayoutError::not_decided(question, budget)));
            }
        }
        None
    }
}

/// A pseudorandom number generator (SplitMix64).
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `count`, which is not 0.
    fn below(&mut self, count: usize) -> usize {
        to_index(self.next() % to_u64(count).max(1))
    }
}
