//! The needs of a layout, compared with the memories and levels of its machine.

use super::Placement;
use crate::level::Level;
use crate::machine::Memory;

/// The amount of a memory, or the units of a level, that a placement needs, and the capacity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The memory or the level.
    pub name: String,
    /// The long words per unit that the layout needs, or 1 + its greatest coordinate.
    pub needed: u64,
    /// The long words that the memory holds, or the units that the level has.
    pub capacity: u64,
}

impl Fit {
    /// Returns whether it fits.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.needed <= self.capacity
    }
}

impl Placement {
    /// Returns the needs of the layout and the capacities: for the chosen memory (or every memory that
    /// belongs to a single unit), and for the levels that are too small.
    ///
    /// Only a placement built with [`oversized`](crate::placement::PlacementBuilder::oversized) can exceed anything.
    ///
    /// ```
    /// use tensor_layout::{Layout, Machine, Placement};
    /// let layout: Layout = "((4608:1))".parse()?;
    /// let on = Placement::of(layout).on(&Machine::mn_core_2());
    /// let placement = on.oversized().build()?;
    /// let fit = &placement.fits()[0];
    /// assert_eq!((&*fit.name, fit.needed, fit.capacity, fit.fits()), ("LM0", 4608, 2048, false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn fits(&self) -> Vec<Fit> {
        let Some(machine) = &self.machine else { return Vec::new() };
        let depth = |level: Level| machine.depth(level);
        let used = self.layout.used_levels().iter();
        let lowest = used.filter_map(|level| depth(*level)).max();
        let own = |memory: &Memory| memory.group == 1 && depth(memory.owner) >= lowest;
        let memories: Vec<(&str, Memory)> = match self.memory() {
            Some(chosen) => vec![chosen],
            None => machine.memories().filter(|(_, memory)| own(memory)).collect(),
        };
        let memories = memories.into_iter().filter_map(|(name, memory)| {
            let (name, needed) = (name.to_owned(), self.footprint_words());
            memory.capacity.map(|capacity| Fit { name, needed, capacity })
        });
        let levels = machine.levels().map(|(level, capacity)| {
            let (name, needed) = (level.to_string(), self.layout.span(level));
            Fit { name, needed, capacity }
        });
        levels.filter(|level| !level.fits()).chain(memories).collect()
    }
}
