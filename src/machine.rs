//! The machine: a tree of levels, the memories in it, and the width of a long word.

mod assembly;
mod assembly_place;
mod movement;
mod read;
#[cfg(feature = "serde")]
mod written;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};

use indexmap::IndexMap;
use itertools::Itertools;

use crate::error::{LayoutError, Site, did_you_mean, fault};
use crate::level::Level;
use crate::location::Location;

pub use self::assembly::Assembly;
pub use self::movement::{Direction, Movement, MovementKind};

/// The width of a long word of MN-Core, in which the notation counts addresses.
pub(crate) const WORD_BITS: u64 = 64;

/// A tree of levels with the memories of its units.
///
/// A unit of a level has `size` units of the next one. Presets are [`Machine::mn_core`] and
/// [`Machine::mn_core_2`]; other trees come from [`Machine::builder`], from text such as
/// `L2B=4,L1B=8,MAB=16,PE=4`, or from a TOML file (feature `toml`).
///
/// ```
/// use tensor_layout::{Level, Machine};
/// let machine: Machine = "L2B=4,PE=4".parse()?;
/// assert_eq!(machine.size(Level::PE), Some(4));
/// assert_eq!(machine.units(), 16);
/// assert_eq!(Machine::mn_core().units(), 8192);
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Machine {
    /// Shared: every placement has its machine.
    parts: Arc<MachineParts>,
}

#[derive(Clone, Debug, Default)]
struct MachineParts {
    name: String,
    levels: IndexMap<Level, u64>,
    memories: IndexMap<String, Memory>,
    bandwidth: IndexMap<Level, u64>,
    movements: Vec<Movement>,
    assembly: Assembly,
    word_bits: u64,
}

impl PartialEq for Machine {
    /// Machines whose levels are in a different order are not equal.
    fn eq(&self, other: &Machine) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Machine {}

impl MachineParts {
    /// Adds LM0 and LM1 of unknown capacity at the leaves.
    fn add_local_memories(&mut self) {
        // The memories of a single unit belong to no level.
        let owner = self.levels.last().map_or(Level::ADDR, |(leaf, _)| *leaf);
        let memory = Memory { capacity: None, owner, group: 1 };
        self.memories.extend([("LM0".into(), memory), ("LM1".into(), memory)]);
    }

    fn in_order(&self) -> impl Ord {
        let MachineParts { name, levels, memories, bandwidth, movements, assembly, word_bits } =
            self;
        let (levels, memories) = (levels.iter().collect_vec(), memories.iter().collect_vec());
        // The order in which rates were given does not matter.
        let bandwidth = bandwidth.iter().sorted().collect_vec();
        (name, levels, memories, bandwidth, movements, assembly, word_bits)
    }
}

impl PartialOrd for Machine {
    fn partial_cmp(&self, other: &Machine) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Machine {
    /// An arbitrary order, by name first, for sorted maps and lists.
    fn cmp(&self, other: &Machine) -> Ordering {
        match Arc::ptr_eq(&self.parts, &other.parts) {
            true => Ordering::Equal,
            false => self.parts.in_order().cmp(&other.parts.in_order()),
        }
    }
}

impl Hash for Machine {
    /// Hashes only the name and the levels: machines that differ in nothing but other parts are rare.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts.name.hash(state);
        self.levels().for_each(|level| level.hash(state));
    }
}

/// One kind of memory of a machine, attached to nodes of the tree: to each unit of a level, or to each group
/// of neighbouring units.
///
/// Its content is inside the node and all nodes above it, and outside every unit below: an element in the
/// DRAM that two L2Bs share is in neither of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Memory {
    /// The number of long words that each memory holds, where known.
    pub capacity: Option<u64>,
    /// The level of the units.
    pub owner: Level,
    /// The number of neighbouring units of that level that share one memory; 1 for one per unit.
    pub group: u64,
}

impl Memory {
    /// The level of the nodes: the owner or, for groups, a separate level above it.
    ///
    /// ```
    /// use tensor_layout::Machine;
    /// let machine = Machine::mn_core_2();
    /// let node = |memory| machine.memory(memory).map(|memory| memory.node().to_string());
    /// assert_eq!((node("L1BM")?, node("DRAM")?), ("L1B".into(), "L2B/2".into()));
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn node(&self) -> Level {
        self.owner.in_groups_of(self.group)
    }
}

impl Machine {
    /// MN-Core, a board: 16 L2B > 8 L1B > 16 MAB > 4 PE. Capacities are not public.
    ///
    /// Source: "MN-Core におけるテンソルのメモリ配置レイアウト表現", Preferred Networks, figure 3.
    #[must_use]
    pub fn mn_core() -> Machine {
        static MADE: LazyLock<Machine> = LazyLock::new(|| {
            let levels = [(Level::L2B, 16), (Level::L1B, 8), (Level::MAB, 16), (Level::PE, 4)];
            let mut parts = Machine::builder("mn-core").parts;
            parts.levels.extend(levels);
            parts.add_local_memories();
            Machine { parts: Arc::new(parts) }
        });
        MADE.clone()
    }

    /// MN-Core 2: 8 L2B > 8 L1B > 16 MAB > 4 PE, with a memory at every node.
    ///
    /// | memory | one per | long words |
    /// |---|---|---|
    /// | LM0, LM1 | PE | 2048 |
    /// | L1BM | L1B | 8192 |
    /// | L2BM | L2B | 32 768 |
    /// | PDM | group of 2 L2Bs | 524 288 (4 MiB) |
    /// | DRAM | group of 2 L2Bs | 536 870 912 (4 GiB) |
    #[must_use]
    pub fn mn_core_2() -> Machine {
        static MADE: LazyLock<Machine> = LazyLock::new(made_mn_core_2);
        MADE.clone()
    }

    /// A preset by its name, `mn-core` or `mn-core-2`.
    #[must_use]
    pub fn preset(name: &str) -> Option<Machine> {
        [Machine::mn_core(), Machine::mn_core_2()].into_iter().find(|m| m.name() == name)
    }

    /// The presets with a name.
    pub const PRESETS: [&str; 2] = ["mn-core", "mn-core-2"];

    /// The preset with the name closest to a misspelt one, if one is near.
    ///
    /// ```
    /// assert_eq!(tensor_layout::Machine::meant_by("mncore2"), Some("mn-core-2"));
    /// ```
    #[must_use]
    pub fn meant_by(name: &str) -> Option<&'static str> {
        crate::error::closest(name, Machine::PRESETS)
    }

    /// Starts a machine without levels; long words have 64 bits.
    pub fn builder(name: &str) -> MachineBuilder {
        let (name, word_bits) = (name.into(), WORD_BITS);
        let parts = MachineParts { name, word_bits, ..MachineParts::default() };
        MachineBuilder { parts, repeated: None }
    }

    /// A machine of one unit, which no level counts, with LM0 and LM1.
    pub(crate) fn one_unit() -> Machine {
        let mut parts = Machine::builder("one unit").parts;
        parts.add_local_memories();
        Machine { parts: Arc::new(parts) }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.parts.name
    }

    /// Levels with their sizes, from the root down.
    pub fn levels(&self) -> impl ExactSizeIterator<Item = (Level, u64)> + Clone + '_ {
        self.parts.levels.iter().map(|(level, size)| (*level, *size))
    }

    /// The number of units of `level` in one unit of the next higher level.
    #[must_use]
    pub fn size(&self, level: Level) -> Option<u64> {
        // For few levels, a linear search is quicker than hashing the name.
        const FEW: usize = 16;
        match self.parts.levels.len() <= FEW {
            true => self.levels().find(|(of, _)| *of == level).map(|(_, size)| size),
            false => self.parts.levels.get(&level).copied(),
        }
    }

    /// The number of levels that are above `level`.
    pub(crate) fn depth(&self, level: Level) -> Option<usize> {
        self.parts.levels.get_index_of(&level)
    }

    /// The number of leaves in the whole tree.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.parts.levels.values().product()
    }

    /// Memories by name.
    pub fn memories(&self) -> impl ExactSizeIterator<Item = (&str, Memory)> + '_ {
        self.parts.memories.iter().map(|(name, memory)| (name.as_str(), *memory))
    }

    /// The memory with this name.
    ///
    /// # Errors
    /// `Unknown`.
    pub fn memory(&self, name: &str) -> Result<Memory, LayoutError> {
        self.parts.memories.get(name).copied().ok_or_else(|| {
            let memory = crate::words::cut(name, 40);
            let known = match self.parts.memories.is_empty() {
                true => "none".into(),
                false => self.parts.memories.keys().join(", "),
            };
            let advice = did_you_mean(&memory, known.split(", "));
            fault!(
                Unknown,
                "`{memory}` is not a memory of the {machine}, whose memories are {known}",
                [memory, machine = self.described(), known]
            )
            .at(Site::Memory)
            .with_advice(advice)
        })
    }

    /// The instructions that move long words from one memory to another, for [routes](crate::route::Route).
    #[must_use]
    pub fn movements(&self) -> &[Movement] {
        &self.parts.movements
    }

    /// The rates of a movement; where one has no figure, the greatest known between its two memories in its direction.
    pub(crate) fn rates_at_most(&self, movement: &Movement) -> (Option<u64>, Option<u64>) {
        self.rates_or(movement, |known| known.iter().copied().max())
    }

    /// The rates of a movement; where one has no figure, the least known between its two memories in its direction.
    #[cfg(feature = "text")]
    pub(crate) fn rates_at_least(&self, movement: &Movement) -> (Option<u64>, Option<u64>) {
        self.rates_or(movement, |known| known.iter().copied().min())
    }

    /// The rates of a movement; where one has no figure, one of those known between its two memories in its direction.
    fn rates_or(
        &self,
        movement: &Movement,
        choose: impl Fn(&[u64]) -> Option<u64>,
    ) -> (Option<u64>, Option<u64>) {
        let between = |other: &&Movement| {
            let is_there = (&other.upper, &other.lower) == (&movement.upper, &movement.lower);
            is_there && movement.direction.shares(other.direction)
        };
        let others = || self.movements().iter().filter(between);
        let upper = || {
            let known =
                others().flat_map(|other| other.rates.0.into_iter().chain(other.across_rate));
            choose(&known.collect::<Vec<_>>())
        };
        match movement.rates {
            (Some(upper), lower) => (Some(upper), lower),
            (None, None) => {
                let lower: Vec<u64> = others().filter_map(|other| other.rates.1).collect();
                (upper(), choose(&lower))
            }
            (None, lower) => (upper(), lower),
        }
    }

    /// The number of long words that enter or leave one unit of a level in a step, where known; the presets
    /// do not define it. [Groups](Memory::node) that share a memory have their own rate.
    #[must_use]
    pub fn bandwidth(&self, level: Level) -> Option<u64> {
        self.parts.bandwidth.get(&level).copied()
    }

    /// Sets the bandwidth of some levels, for example of a preset: the number of long words that enter or
    /// leave one unit in a step.
    ///
    /// # Errors
    /// `Invalid` for an unknown level and a bandwidth of 0.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Level, Machine};
    /// let machine = Machine::mn_core_2().with_bandwidth([(Level::L2B, 32), (Level::PE, 1)])?;
    /// assert_eq!(machine.bandwidth(Level::PE), Some(1));
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    pub fn with_bandwidth(
        mut self,
        rates: impl IntoIterator<Item = (Level, u64)>,
    ) -> Result<Machine, LayoutError> {
        Arc::make_mut(&mut self.parts).bandwidth.extend(rates);
        self.check()?;
        Ok(self)
    }

    /// The width of a long word.
    #[must_use]
    pub fn word_bits(&self) -> u64 {
        self.parts.word_bits
    }

    /// The number of the leaf at a place, counted through the tree; absent levels count as 0. For
    /// coordinates out of range the result is not a valid leaf number; it saturates at `u64::MAX`.
    #[must_use]
    pub fn unit(&self, place: &Location) -> u64 {
        self.levels().fold(0, |unit: u64, (level, size)| {
            unit.saturating_mul(size).saturating_add(place.get(level).unwrap_or(0))
        })
    }

    /// The machine as messages describe it: its kind and its name.
    pub(crate) fn described(&self) -> String {
        format!("machine `{}`", crate::words::cut(&self.parts.name, 80))
    }

    pub(crate) fn level_names(&self) -> String {
        crate::words::cut(&self.parts.levels.keys().join(", "), 200)
    }
}

/// Builds a new [`Machine::mn_core_2`].
fn made_mn_core_2() -> Machine {
    let levels = [(Level::L2B, 8), (Level::L1B, 8), (Level::MAB, 16), (Level::PE, 4)];
    let memory = |owner, group, words| Memory { capacity: Some(words), owner, group };
    let memories = [
        ("LM0", memory(Level::PE, 1, 2048)),
        ("LM1", memory(Level::PE, 1, 2048)),
        ("L1BM", memory(Level::L1B, 1, 1 << 13)),
        ("L2BM", memory(Level::L2B, 1, 1 << 15)),
        ("PDM", memory(Level::L2B, 2, 1 << 19)),
        ("DRAM", memory(Level::L2B, 2, 1 << 29)),
    ];
    let mut parts = Machine::builder("mn-core-2").parts;
    parts.levels.extend(levels);
    parts.memories.extend(memories.map(|(name, memory)| (name.into(), memory)));
    parts.movements = movement::mn_core_2();
    parts.assembly = assembly::mn_core_2();
    Machine { parts: Arc::new(parts) }
}

/// Collects the parts of a [`Machine`]; [`build`](MachineBuilder::build) checks them.
#[derive(Clone, Debug)]
#[must_use]
pub struct MachineBuilder {
    parts: MachineParts,
    repeated: Option<Level>,
}

impl MachineBuilder {
    /// Adds a level below the existing ones.
    pub fn level(mut self, level: Level, size: u64) -> Self {
        if self.parts.levels.insert(level, size).is_some() {
            self.repeated = Some(level);
        }
        self
    }

    /// Adds a memory; without any, the machine gets LM0 and LM1 of unknown capacity at its leaves.
    pub fn memory(mut self, name: &str, memory: Memory) -> Self {
        self.parts.memories.insert(name.into(), memory);
        self
    }

    /// Sets the number of long words that enter or leave one unit of a level in a step.
    pub fn bandwidth(mut self, level: Level, words: u64) -> Self {
        self.parts.bandwidth.insert(level, words);
        self
    }

    /// Adds movements between memories.
    pub fn movements(mut self, movements: impl IntoIterator<Item = Movement>) -> Self {
        self.parts.movements.extend(movements);
        self
    }

    /// Sets the tokens and letters of assembly.
    pub fn assembly(mut self, assembly: Assembly) -> Self {
        self.parts.assembly = assembly;
        self
    }

    /// Sets the width of a long word.
    pub fn word_bits(mut self, bits: u64) -> Self {
        self.parts.word_bits = bits;
        self
    }

    /// Checks the machine.
    ///
    /// # Errors
    /// `Invalid` for missing levels, a level that repeats or is not hardware, a size, group, word, rate or
    /// bandwidth of 0, more units than `u64` can count, a memory or bandwidth of an unknown level, and a
    /// movement of an unknown memory.
    pub fn build(self) -> Result<Machine, LayoutError> {
        let MachineBuilder { mut parts, repeated } = self;
        if let Some(level) = repeated {
            return Err(named_twice(level));
        }
        if parts.memories.is_empty() {
            parts.add_local_memories();
        }
        let machine = Machine { parts: Arc::new(parts) };
        machine.check()?;
        Ok(machine)
    }
}

impl Machine {
    fn check(&self) -> Result<(), LayoutError> {
        self.check_levels()?;
        if self.parts.word_bits == 0 {
            return Err(fault!(Invalid, "invalid machine: a long word has 0 bits"));
        }
        self.parts
            .memories
            .iter()
            .try_for_each(|(name, memory)| self.check_memory(name, memory))?;
        self.check_movements()?;
        self.check_assembly()?;
        self.check_bandwidth()
    }

    fn check_levels(&self) -> Result<(), LayoutError> {
        if self.parts.levels.is_empty() {
            return Err(fault!(
                Invalid,
                "invalid machine: it lacks levels; name at least one, as in `PE=4`"
            ));
        }
        let levels = self.parts.levels.len();
        if levels > Level::MOST {
            return Err(fault!(
                Invalid,
                "invalid machine: it has {levels} levels, but a machine has at most {most}",
                [levels, most = Level::MOST]
            ));
        }
        if let Some(level) = self.parts.levels.keys().find(|level| !level.is_unit()) {
            return Err(fault!(
                Invalid,
                "invalid machine: `{level}` does not name hardware, so a machine cannot have it",
                [level = *level]
            ));
        }
        if let Some((level, _)) = self.parts.levels.iter().find(|(_, size)| **size == 0) {
            return Err(fault!(
                Invalid,
                "invalid machine: level `{level}` has size 0",
                [level = *level]
            ));
        }
        match crate::algebra::product(self.parts.levels.values().copied()) {
            Some(_) => Ok(()),
            None => Err(fault!(
                Invalid,
                "invalid machine: the number of its units does not fit in 64 bits"
            )),
        }
    }

    /// Checks that a memory belongs to units of the machine, and that no other one has the name of its groups.
    fn check_memory(&self, name: &str, memory: &Memory) -> Result<(), LayoutError> {
        let name = crate::words::cut(name, 40);
        if memory.group == 0 {
            return Err(fault!(
                Invalid,
                "invalid machine: memory `{memory}` is shared by 0 units",
                [memory = name]
            ));
        }
        if !self.parts.levels.contains_key(&memory.owner) {
            return Err(fault!(
                Invalid,
                "invalid machine: memory `{memory}` belongs to the unknown level `{owner}`",
                [memory = name, owner = memory.owner]
            ));
        }
        if memory.group > 1 && self.shares_its_name(memory) {
            return Err(named_twice(memory.node()));
        }
        Ok(())
    }

    fn check_bandwidth(&self) -> Result<(), LayoutError> {
        let is_node = |level: &Level| self.units_of(*level).is_some();
        match self.parts.bandwidth.iter().find(|(level, words)| !is_node(level) || **words == 0) {
            Some((level, words)) => Err(fault!(
                Invalid,
                "invalid machine: `{level}` has a bandwidth of {words}; it must be a \
                 level of the machine, and at least 1",
                [level = *level, words = *words]
            )),
            None => Ok(()),
        }
    }

    /// Checks that a movement is between two memories of the machine, with rates that are not 0.
    fn check_movements(&self) -> Result<(), LayoutError> {
        for Movement { name, upper, lower, rates, across_rate, issue, .. } in self.movements() {
            let movement = || crate::words::cut(name, 40);
            let unknown = |memory: &&String| !self.parts.memories.contains_key(*memory);
            if let Some(memory) = [upper, lower].into_iter().find(unknown) {
                let memory = crate::words::cut(memory, 40);
                return Err(fault!(
                    Invalid,
                    "invalid machine: movement `{movement}` is between memories, and the \
                     machine has no memory `{memory}`",
                    [movement = movement(), memory]
                ));
            }
            if [rates.0, rates.1, *across_rate, Some(*issue)].contains(&Some(0)) {
                return Err(fault!(
                    Invalid,
                    "invalid machine: movement `{movement}` passes 0 long words in a cycle; \
                     leave out a rate that is not known",
                    [movement = movement()]
                ));
            }
        }
        Ok(())
    }

    /// Returns whether the groups of a memory and those of another have the same name, which is cut where it is
    /// too long.
    fn shares_its_name(&self, memory: &Memory) -> bool {
        let same = |other: &Memory| (other.owner, other.group) == (memory.owner, memory.group);
        let mut others = self.parts.memories.values().filter(|other| !same(other));
        others.any(|other| other.node() == memory.node())
    }

    /// The number of nodes in a level of the whole tree, or of groups that share a memory.
    pub(crate) fn units_of(&self, level: Level) -> Option<u64> {
        let (owner, group) = self.unit_and_group(level);
        let above: u64 = self.parts.levels.values().take(self.depth(owner)?).product();
        Some(above * self.size(owner)?.div_ceil(group))
    }

    /// The level of the units of a node, and their number: that of the group that shares a memory, or 1.
    fn unit_and_group(&self, node: Level) -> (Level, u64) {
        let memory = self.parts.memories.values().find(|memory| memory.node() == node);
        memory.map_or((node, 1), |memory| (memory.owner, memory.group))
    }
}

fn named_twice(level: Level) -> LayoutError {
    fault!(Invalid, "invalid machine: level `{level}` is named twice", [level])
}
