//! Machines, their levels and memories.

use tensor_layout::Machine;

use self::ffi::{tl0_Machine, tl0_Memory};
use crate::level::ffi::tl0_Level;

/// The functions of [`tl0_Machine`] and [`tl0_Memory`].
#[diplomat::bridge]
pub mod ffi {
    use tensor_layout::Machine;
    use tensor_layout::machine::Memory;

    use crate::error::ffi::tl0_Error;
    use crate::level::ffi::tl0_Level;
    use crate::words::text;

    /// A tree of levels with sizes and memories.
    #[derive(Debug)]
    #[diplomat::opaque]
    #[diplomat::attr(cpp, rename = "Machine")]
    pub struct tl0_Machine {
        pub(crate) machine: Machine,
        pub(crate) levels: Vec<tl0_Level>,
        pub(crate) memories: Vec<tl0_Memory>,
    }

    /// A kind of memory of a machine.
    #[derive(Debug)]
    #[diplomat::opaque]
    #[diplomat::attr(cpp, rename = "Memory")]
    pub struct tl0_Memory {
        pub(crate) name: String,
        pub(crate) memory: Memory,
        pub(crate) owner: tl0_Level,
    }

    impl tl0_Machine {
        /// Reads the name of a preset, `mn-core` or `mn-core-2`, or levels with their sizes from the root down, such as
        /// `L2B=4,PE=4`. Cost: a few microseconds.
        pub fn parse(text: &DiplomatStr) -> Result<Box<tl0_Machine>, Box<tl0_Error>> {
            Ok(crate::words::text(text)?.parse::<Machine>().map(tl0_Machine::boxed)?)
        }

        /// Reads the text of a TOML file. Cost: linear in the text.
        pub fn from_toml(toml: &DiplomatStr) -> Result<Box<tl0_Machine>, Box<tl0_Error>> {
            Ok(Machine::from_toml(text(toml)?).map(tl0_Machine::boxed)?)
        }

        /// A copy that lives on its own. Cost: an allocation per level and per memory.
        pub fn clone(&self) -> Box<tl0_Machine> {
            tl0_Machine::boxed(self.machine.clone())
        }

        /// The machine with another bandwidth: the long words that enter or leave one unit of `level` per step. Cost: as
        /// `clone`.
        pub fn with_bandwidth(
            &self,
            level: &tl0_Level,
            words: u64,
        ) -> Result<Box<tl0_Machine>, Box<tl0_Error>> {
            let machine = self.machine.clone().with_bandwidth([(level.0, words)])?;
            Ok(tl0_Machine::boxed(machine))
        }

        /// The name of the preset, that of the TOML file, or the text. Cost: no allocation.
        pub fn name<'a>(&'a self) -> &'a str {
            self.machine.name()
        }

        /// Returns whether two machines are equal. Cost: linear in the levels and memories.
        pub fn equals(&self, other: &tl0_Machine) -> bool {
            self.machine == other.machine
        }

        /// The number of leaves.
        pub fn units(&self) -> u64 {
            self.machine.units()
        }

        /// The bits of a long word.
        pub fn word_bits(&self) -> u64 {
            self.machine.word_bits()
        }

        /// The number of levels.
        pub fn level_count(&self) -> usize {
            self.levels.len()
        }

        /// The level of this number, from the root down; null beyond the last. It lives as long as the machine.
        pub fn level<'a>(&'a self, at: usize) -> Option<&'a tl0_Level> {
            self.levels.get(at)
        }

        /// The number of units of a level in one unit of the next higher level.
        pub fn level_size(&self, level: &tl0_Level) -> Option<u64> {
            self.machine.size(level.0)
        }

        /// The number of memories.
        pub fn memory_count(&self) -> usize {
            self.memories.len()
        }

        /// The memory of this number; null beyond the last. It lives as long as the machine.
        pub fn memory<'a>(&'a self, at: usize) -> Option<&'a tl0_Memory> {
            self.memories.get(at)
        }

        /// The memory of this name; null if there is none. It lives as long as the machine.
        pub fn memory_named<'a>(&'a self, name: &DiplomatStr) -> Option<&'a tl0_Memory> {
            self.memories.iter().find(|memory| memory.name.as_bytes() == name)
        }
    }

    impl tl0_Memory {
        /// The name. Cost: no allocation.
        pub fn name<'a>(&'a self) -> &'a str {
            &self.name
        }

        /// The level whose units own it.
        pub fn owner<'a>(&'a self) -> &'a tl0_Level {
            &self.owner
        }

        /// The number of neighbouring units that share one.
        pub fn group(&self) -> u64 {
            self.memory.group
        }

        /// The capacity in long words, if it is known.
        pub fn capacity(&self) -> Option<u64> {
            self.memory.capacity
        }
    }
}

impl tl0_Machine {
    fn boxed(machine: Machine) -> Box<tl0_Machine> {
        let levels = machine.levels().map(|(level, _)| tl0_Level(level)).collect();
        let memories = machine.memories().map(|(name, memory)| tl0_Memory {
            name: name.to_owned(),
            memory,
            owner: tl0_Level(memory.owner),
        });
        let memories = memories.collect();
        Box::new(tl0_Machine { machine, levels, memories })
    }
}
