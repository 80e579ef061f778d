//! Groups of units that share a memory: levels such as `L2B/2`, which no layout names.

use tensor_layout::machine::Memory;
use tensor_layout::{Level, Machine, Placement};

/// Returns the memory whose groups of units are this level, of the machine of any of the placements.
pub(super) fn memory_of_groups<'a>(
    level: Level,
    placements: impl IntoIterator<Item = &'a Placement>,
) -> Option<Memory> {
    let machines = placements.into_iter().filter_map(|placement| placement.machine());
    let mut memories = machines.flat_map(Machine::memories).map(|(_, memory)| memory);
    memories.find(|memory| memory.group > 1 && memory.node() == level)
}

/// Says in words which units a group has.
pub(super) fn words(memory: &Memory) -> String {
    let (node, size, unit) = (memory.node(), memory.group, memory.owner);
    format!("{node} is a group of {size} {unit}s that share a memory, named after the first")
}
