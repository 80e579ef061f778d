//! Places of values that are given: layouts in DRAM.

use std::collections::HashMap;

use itertools::Itertools;
use tensor_layout::candidates::{Candidates, Orders, Side};
use tensor_layout::relayout::PartId;
use tensor_layout::{LayoutError, Level};

use super::{Choice, Domain, Held, Own, Setting};

impl Setting {
    /// The choices of a value that is given: split over the nodes of DRAM, or over units on a machine without DRAM.
    /// Constants may have copies, which are made once.
    pub(crate) fn given(
        &mut self,
        shape: &[u64],
        bits: u64,
        is_constant: bool,
    ) -> Result<Domain, LayoutError> {
        for (replicate, percent) in [(is_constant, 0), (is_constant, 50), (true, 0), (true, 75)] {
            let domain =
                self.given_by(&self.given_candidates(shape, bits, replicate, percent), bits)?;
            if !domain.choices.is_empty() {
                return Ok(domain);
            }
        }
        self.everywhere(&[], (shape, bits))
    }

    /// Returns whether a value can be priced on its way from the memory of inputs: its copies fill the groups of units
    /// that share that memory.
    pub(super) fn is_reached(&mut self, held: &Held) -> bool {
        if self.outer.is_none() {
            return true;
        }
        let key = (held.layout.shape(), held.bits);
        let outside = match self.outside.get(&key) {
            Some(known) => *known,
            None => {
                let part = self.somewhere_outside(&key.0, held.bits);
                self.outside.insert(key, part);
                part
            }
        };
        outside.is_none_or(|outside| self.pricer.cost(outside, held.part).is_ok())
    }

    fn somewhere_outside(&mut self, shape: &[u64], bits: u64) -> Option<PartId> {
        let first = self.given_candidates(shape, bits, true, 75).iter().ok()?.next()?.ok()?;
        let memory = self.outer.clone();
        self.part(&first.layout, memory.as_deref(), bits).ok()
    }

    fn given_candidates(
        &self,
        shape: &[u64],
        bits: u64,
        replicate: bool,
        percent: u64,
    ) -> Candidates {
        let all = Candidates::new(&self.machine, shape)
            .sides(&[Side::Major])
            .orders(Orders::RowMajor)
            .tree_order(true)
            .replicate(replicate)
            .element_bits(bits)
            .padding_percent(percent);
        let lanes = self.machine.word_bits() / bits.max(1);
        let has_lanes = lanes > 1 && shape.iter().any(|extent| extent.is_multiple_of(lanes));
        let all = if has_lanes { all.split(&[Level::W]) } else { all };
        self.outer.iter().fold(all, |all, memory| all.memory(memory))
    }

    fn given_by(&mut self, all: &Candidates, bits: u64) -> Result<Domain, LayoutError> {
        let mut domain = Domain::default();
        let mut best: HashMap<PartId, Choice> = HashMap::new();
        let Ok(found) = all.iter() else { return Ok(domain) };
        let memory = self.outer.clone().or_else(|| self.local.clone());
        for candidate in found.map_while(Result::ok) {
            domain.tried += 1;
            let layout = candidate.layout;
            let part = self.part(&layout, memory.as_deref(), bits)?;
            let words = candidate.footprint_words;
            let result = Held { layout, memory: memory.clone(), bits, part };
            let choice =
                Choice { loops: None, operands: Vec::new(), result, own: Own::default(), words };
            let other = best.entry(part).or_insert_with(|| choice.clone());
            if choice.words < other.words {
                *other = choice;
            }
        }
        domain.classes = best.len();
        domain.choices =
            best.into_values().sorted_by_key(|choice| (choice.words, choice.result.part)).collect();
        domain.choices.truncate(self.keep);
        Ok(domain)
    }
}
