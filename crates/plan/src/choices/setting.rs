//! The machine of a plan, and what all choices share.

use std::collections::HashMap;
use std::sync::Arc;

use itertools::Itertools;
use tensor_layout::error::fault;
use tensor_layout::placement::PlacementBuilder;
use tensor_layout::relayout::{CostModel, PartId, Pricer};
use tensor_layout::{Layout, LayoutError, Level, Machine, Placement};

use super::{Domain, Held, Rates};

/// The parts of the rows and of the columns of a table of prices.
type Sides = (Vec<Option<PartId>>, Vec<PartId>);

/// The machine of a plan with its prices.
#[derive(Debug)]
pub struct Setting {
    pub(super) machine: Machine,
    /// The machine without its leaves: nodes of leaves multiply matrices.
    pub(super) nodes: Machine,
    leaf: Level,
    leaves: u64,
    pub(super) pricer: Pricer,
    pub(super) rates: Rates,
    /// The memory at the leaves, and the long words of all memories there.
    pub(super) local: Option<String>,
    pub(super) capacity: Option<u64>,
    /// The memories at the leaves with their long words.
    memories: Vec<(String, u64)>,
    /// The memory of inputs and constants.
    pub(super) outer: Option<String>,
    /// True if choices that take less room are kept, too.
    pub(super) is_tight: bool,
    /// The most choices of an operation.
    pub(super) keep: usize,
    /// The choices of nests, by all that decides about them.
    pub(super) domains: HashMap<(bool, String), Domain>,
    /// The places of given values, by shape, width and whether they are constants.
    pub(super) places: HashMap<(Vec<u64>, u64, bool), Domain>,
    /// The prices from each of some parts to each of others.
    tables: HashMap<Sides, Arc<[u64]>>,
    parts: HashMap<(Layout, Option<String>, u64), PartId>,
    /// A part in the memory of inputs for each shape and width.
    pub(super) outside: HashMap<(Vec<u64>, u64), Option<PartId>>,
}

impl Setting {
    /// The setting of a machine. `penalty` is the additional cost of a switch in which elements change lanes,
    /// which no movement does; `keep` is the greatest number of choices of an operation.
    ///
    /// # Errors
    /// As [`CostModel::new`].
    pub fn new(machine: &Machine, penalty: u64, keep: usize) -> Result<Setting, LayoutError> {
        let model = CostModel::new(machine, machine.word_bits())?;
        let last = machine.levels().last().map(|(level, _)| level);
        let at_leaf = machine.memories().filter(|(_, memory)| Some(memory.node()) == last);
        let locals: Vec<_> = at_leaf.collect();
        let above = machine.levels().len().saturating_sub(1);
        if above == 0 {
            let machine = machine.name().to_owned();
            return Err(fault!(
                Invalid,
                "machine `{machine}` has one level: a plan needs the PEs of each node as the last one and a level above it, \
                 as in `NODE=1,PE=4`",
                [machine]
            ));
        }
        let levels = machine.levels().take(above);
        let nodes =
            levels.fold(Machine::builder("nodes"), |of, (level, size)| of.level(level, size));
        let (leaf, leaves) = machine.levels().last().unwrap_or((Level::PE, 1));
        let words =
            locals.iter().map(|(name, memory)| Some(((*name).to_owned(), memory.capacity?)));
        let memories = words.collect::<Option<Vec<_>>>().unwrap_or_default();
        let outer = machine.memory("DRAM").is_ok().then(|| "DRAM".to_owned());
        Ok(Setting {
            pricer: Pricer::new(model).with_price_of_lanes(penalty),
            rates: Rates::of(machine),
            local: locals.first().map(|(name, _)| (*name).to_owned()),
            capacity: (!memories.is_empty()).then(|| memories.iter().map(|(_, words)| words).sum()),
            memories,
            outer,
            is_tight: false,
            keep,
            machine: machine.clone(),
            nodes: nodes.word_bits(machine.word_bits()).build()?,
            leaf,
            leaves,
            domains: HashMap::new(),
            places: HashMap::new(),
            tables: HashMap::new(),
            parts: HashMap::new(),
            outside: HashMap::new(),
        })
    }

    /// The setting with a share of the memories of a PE, in percent.
    #[must_use]
    pub fn with_budget(mut self, percent: u64) -> Setting {
        let share = |words: u64| u128::from(words) * u128::from(percent) / 100;
        let share = |words: u64| u64::try_from(share(words)).unwrap_or(words);
        self.memories.iter_mut().for_each(|(_, words)| *words = share(*words));
        self.capacity = self.capacity.map(share);
        self
    }

    /// Decides about room: where values do not fit beside each other, operations may have choices that take less of it.
    pub(crate) fn set_tight(&mut self, is_tight: bool) {
        self.is_tight = is_tight;
    }

    /// The machine.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The prices.
    #[must_use]
    pub fn pricer(&self) -> &Pricer {
        &self.pricer
    }

    /// The long words of the memories of a PE that values may take.
    #[must_use]
    pub fn local_capacity(&self) -> Option<u64> {
        self.capacity
    }

    /// The memories of a PE with the long words that values may take.
    pub(crate) fn local_memories(&self) -> &[(String, u64)] {
        &self.memories
    }

    /// The long words of the largest of them.
    pub(crate) fn largest_memory(&self) -> Option<u64> {
        self.memories.iter().map(|(_, words)| *words).max()
    }

    /// Returns whether the machine has a memory for inputs, besides those of PEs.
    pub(crate) fn has_outer_memory(&self) -> bool {
        self.outer.is_some()
    }

    /// Returns whether a value takes room in a PE.
    pub(crate) fn is_local(&self, held: &Held) -> bool {
        held.memory == self.local
    }

    /// A layout in a memory, whatever its size.
    ///
    /// # Errors
    /// As [`PlacementBuilder::build`](tensor_layout::placement::PlacementBuilder::build).
    pub fn placement(
        &self,
        layout: &Layout,
        memory: Option<&str>,
        bits: u64,
    ) -> Result<Placement, LayoutError> {
        let placement = Placement::of(layout.clone()).on(&self.machine).oversized();
        memory.into_iter().fold(placement, PlacementBuilder::memory).element_bits(bits).build()
    }

    /// A value in its memory, whatever its size.
    ///
    /// # Errors
    /// As [`placement`](Setting::placement).
    pub fn placed(&self, held: &Held) -> Result<Placement, LayoutError> {
        self.placement(&held.layout, held.memory.as_deref(), held.bits)
    }

    /// The part of a layout in a memory.
    ///
    /// # Errors
    /// As [`placement`](Setting::placement) and [`Pricer::part`].
    pub fn part(
        &mut self,
        layout: &Layout,
        memory: Option<&str>,
        bits: u64,
    ) -> Result<PartId, LayoutError> {
        let key = (layout.clone(), memory.map(str::to_owned), bits);
        if let Some(part) = self.parts.get(&key) {
            return Ok(*part);
        }
        let part = self.pricer.part(&self.placement(layout, memory, bits)?)?;
        self.parts.insert(key, part);
        Ok(part)
    }

    /// The prices from each of some parts to each of others, in row-major order; [`u64::MAX`] where there is none, such as
    /// for copies that do not fill the groups of a memory.
    pub(crate) fn prices(&mut self, from: &[Option<PartId>], to: &[PartId]) -> Arc<[u64]> {
        let pricer = &self.pricer;
        let price = |from: PartId, to| pricer.cost(from, to).ok().map(|cost| cost.steps);
        let table = self.tables.entry((from.to_vec(), to.to_vec())).or_insert_with(|| {
            let pairs = from.iter().cartesian_product(to);
            let prices = pairs.map(|(from, to)| from.and_then(|from| price(from, *to)));
            prices.map(|price| price.unwrap_or(u64::MAX)).collect()
        });
        Arc::clone(table)
    }

    /// The level of the leaves.
    pub(super) fn leaf(&self) -> Level {
        self.leaf
    }

    /// The leaves of a node.
    pub(super) fn leaves(&self) -> u64 {
        self.leaves
    }

    /// The elements of this width in a long word.
    pub(super) fn lanes(&self, bits: u64) -> u64 {
        (self.machine.word_bits() / bits.max(1)).max(1)
    }

    /// A layout in the local memory.
    pub(crate) fn held(&mut self, layout: Layout, bits: u64) -> Result<Held, LayoutError> {
        let memory = self.local.clone();
        let part = self.part(&layout, memory.as_deref(), bits)?;
        Ok(Held { layout, memory, bits, part })
    }
}
