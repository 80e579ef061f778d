//! A choice, and its parts.

use tensor_layout::relayout::PartId;
use tensor_layout::{Layout, Level};

/// A way to have a value: how it is computed, or where it is given.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The layout of the loops: it places each product; `None` for a value that is given.
    pub loops: Option<Layout>,
    /// The operands, in the order of the reads.
    pub operands: Vec<Held>,
    /// The value.
    pub result: Held,
    /// The cycles of the operation without switches.
    pub own: Own,
    /// The long words of a PE that each operand takes, in one time slice.
    pub taken: Vec<u64>,
    /// The long words of a PE that the operands and the result of one time slice take.
    pub words: u64,
}

impl Choice {
    /// The long words of a PE that the result takes, in one time slice.
    #[must_use]
    pub fn given(&self) -> u64 {
        self.words.saturating_sub(self.taken.iter().copied().fold(0, u64::saturating_add))
    }
}

/// A value in a memory.
#[derive(Clone, Debug)]
pub struct Held {
    /// The layout.
    pub layout: Layout,
    /// The memory; `None` on a machine without memories.
    pub memory: Option<String>,
    /// The width of an element.
    pub bits: u64,
    /// The part that determines prices.
    pub part: PartId,
}

impl Held {
    /// Returns whether each time slice has its own part: the others are not in memory then.
    #[must_use]
    pub fn is_sliced(&self) -> bool {
        is_sliced(&self.layout)
    }

    /// Returns whether a value is where another one is.
    #[must_use]
    pub fn is_at(&self, other: &Held) -> bool {
        (&self.layout, &self.memory) == (&other.layout, &other.memory)
    }
}

/// Returns whether an axis of a layout has digits of time.
pub(super) fn is_sliced(layout: &Layout) -> bool {
    layout.nodes().flat_map(|axis| &axis.subaxes).any(|digit| digit.lands() == Some(Level::TIME))
}

/// A lower bound on the cycles of an operation, without switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Own {
    /// Computing, in the PE that computes most.
    pub compute: u64,
    /// Adding up partial sums of different units.
    pub sums: u64,
    /// Fetching halos of windows.
    pub halos: u64,
}

impl Own {
    /// All cycles.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.compute.saturating_add(self.sums).saturating_add(self.halos)
    }
}
