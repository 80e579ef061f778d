//! The tokens and letters of places in assembly, which are data of a machine.

use crate::level::Level;

/// The tokens of memories and the letters of units in the assembly of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Assembly {
    /// For each memory, its name, its token such as `$lm`, and the number of assembly addresses per long
    /// word.
    pub memories: Vec<(String, String, u64)>,
    /// For each letter, from the root down, the letter and the level of the nodes that it counts within those
    /// of the letters above: a level of units, or groups of them such as `L2B/2`.
    pub units: Vec<(char, Level)>,
}

/// The tokens and letters of MN-Core 2.
pub(super) fn mn_core_2() -> Assembly {
    let tokens = [("LM0", "$lm", 2), ("LM1", "$ln", 2), ("L1BM", "$lb", 1)];
    let shared = [("L2BM", "$lc", 1), ("PDM", "$p", 1), ("DRAM", "$d", 1)];
    let token = |(memory, token, step): (&str, &str, u64)| (memory.into(), token.into(), step);
    let memories = tokens.into_iter().chain(shared).map(token).collect();
    let group = Level::L2B.in_groups_of(2);
    let levels = [group, Level::L2B, Level::L1B, Level::MAB, Level::PE];
    Assembly { memories, units: "ncbmp".chars().zip(levels).collect() }
}
