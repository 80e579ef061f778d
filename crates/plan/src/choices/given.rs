//! Places of values that are given: layouts in DRAM.

use std::collections::HashSet;

use itertools::Itertools;
use tensor_layout::candidates::{Candidates, Orders, Side};
use tensor_layout::error::fault;
use tensor_layout::relayout::PartId;
use tensor_layout::{Layout, LayoutError, Level};

use super::layouts::{Block, Ending, expanded};
use super::{Choice, Domain, Held, Own, Setting};

impl Setting {
    /// The choices of a value that is given: split over the nodes of DRAM, or over units on a machine without DRAM.
    /// Constants may have copies, which are made once. The choices of an equal value are known.
    pub(crate) fn given(
        &mut self,
        shape: &[u64],
        bits: u64,
        is_constant: bool,
    ) -> Result<Domain, LayoutError> {
        let key = (shape.to_vec(), bits, is_constant);
        if let Some(known) = self.places.get(&key) {
            return Ok(Domain { tried: 0, ..known.clone() });
        }
        let domain = self.new_given(shape, bits, is_constant)?;
        self.places.insert(key, domain.clone());
        Ok(domain)
    }

    /// The choices of a value that is given in one of some layouts.
    pub(crate) fn given_in(
        &mut self,
        layouts: &[Layout],
        bits: u64,
    ) -> Result<Domain, LayoutError> {
        let memory = self.outer.clone().or_else(|| self.local.clone());
        let mut domain = Domain::default();
        for layout in layouts.iter().cloned() {
            let part = self.part(&layout, memory.as_deref(), bits)?;
            domain.choices.push(placed(Held { layout, memory: memory.clone(), bits, part }));
        }
        Ok(domain)
    }

    fn new_given(
        &mut self,
        shape: &[u64],
        bits: u64,
        is_constant: bool,
    ) -> Result<Domain, LayoutError> {
        for (replicate, percent) in [(is_constant, 0), (is_constant, 50), (true, 0), (true, 75)] {
            let mut domain = Domain::default();
            for along in self.alongs(shape, bits) {
                let found = self.given_along(shape, bits, along, (replicate, percent))?;
                domain.tried += found.tried;
                domain.choices.extend(found.choices);
            }
            if !domain.choices.is_empty() {
                domain.choices.sort_by_key(|choice| (choice.words, choice.result.part));
                domain.choices.dedup_by_key(|choice| choice.result.part);
                domain.choices.truncate(self.keep);
                return Ok(domain);
            }
        }
        match self.outer.as_deref().and_then(|memory| self.too_small(memory, shape, bits)) {
            Some(why) => Err(why),
            None => self.everywhere(&[], (shape, bits)),
        }
    }

    /// The error for a memory of inputs that has no room for a value, in long words.
    fn too_small(&self, memory: &str, shape: &[u64], bits: u64) -> Option<LayoutError> {
        let found = self.machine.memory(memory).ok()?;
        let node = self.machine.levels().position(|(level, _)| level == found.owner)?;
        let nodes = self.machine.levels().take(node + 1).map(|(_, size)| size).product::<u64>();
        let memories = nodes.div_ceil(found.group.max(1));
        let elements = shape.iter().copied().fold(1, u64::saturating_mul);
        let needed = elements.div_ceil(self.lanes(bits).max(1)).div_ceil(memories.max(1));
        let capacity = found.capacity.filter(|capacity| needed > *capacity)?;
        let (memory, shape) = (memory.to_owned(), shape.to_vec());
        Some(fault!(
            Limit,
            "a value {shape:?} that is given needs {needed} long words of each {memory}, which has {capacity}",
            [shape, needed, memory, capacity]
        ))
    }

    /// The axes whose innermost digits are lanes, the last one first.
    fn alongs(&self, shape: &[u64], bits: u64) -> Vec<Option<(usize, Block)>> {
        let block = |extent: &u64| Block::of(*extent, self.lanes(bits), self.leaves());
        let blocks = shape.iter().map(block).enumerate().rev();
        let found = blocks.filter_map(|(axis, block)| Some(Some((axis, block?))));
        found.pad_using(1, |_| None).collect()
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
        let along = self.alongs(shape, bits).into_iter().next()?;
        let found = self.given_along(shape, bits, along, (true, 75)).ok()?;
        found.choices.first().map(|choice| choice.result.part)
    }

    fn given_along(
        &mut self,
        shape: &[u64],
        bits: u64,
        along: Option<(usize, Block)>,
        (replicate, percent): (bool, u64),
    ) -> Result<Domain, LayoutError> {
        let block = |axis: usize| along.filter(|(of, _)| *of == axis).map(|(_, block)| block);
        let blocks = shape.iter().enumerate();
        let blocks =
            blocks.map(|(axis, extent)| extent.div_ceil(block(axis).map_or(1, Block::size)));
        let memory = self.outer.clone().or_else(|| self.local.clone());
        let ending = match self.outer {
            Some(_) => Ending::Words,
            None => Ending::Leaves(self.leaf()),
        };
        let levels = self.nodes.levels().map(|(level, _)| level).collect_vec();
        let all = Candidates {
            memory: self.outer.clone(),
            levels: self.outer.is_none().then_some(levels),
            sides: vec![Side::Major],
            orders: Orders::RowMajor,
            tree_order: true,
            replicate,
            padding_percent: percent,
            ..Candidates::new(&self.machine, &blocks.collect_vec())
        };
        let mut domain = Domain::default();
        let Ok(found) = all.iter() else { return Ok(domain) };
        let mut seen = HashSet::new();
        for candidate in found.map_while(Result::ok) {
            domain.tried += 1;
            let with = |axis| block(axis).map(|block| (block, ending));
            let Ok(layout) = expanded(&candidate.layout, shape, with) else { continue };
            let part = self.part(&layout, memory.as_deref(), bits)?;
            if seen.insert(part) {
                let held = Held { layout, memory: memory.clone(), bits, part };
                domain.choices.push(placed(held));
            }
        }
        Ok(domain)
    }
}

/// The choice of a value that is there.
fn placed(result: Held) -> Choice {
    let words = result.layout.extent(Level::ADDR);
    Choice {
        loops: None,
        operands: Vec::new(),
        own: Own::default(),
        taken: Vec::new(),
        words,
        result,
    }
}
