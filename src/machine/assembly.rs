//! The tokens and letters of places in assembly, which are data of a machine.

use crate::error::Diagnostic;
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

/// The reason a text is not a place of a machine in assembly, or a place cannot be written in assembly.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum AssemblyError {
    /// A machine without tokens.
    #[error("{machine} has no assembly: its memories have no tokens")]
    NoTokens {
        /// The machine.
        machine: String,
    },
    /// A memory without a token, or a placement without a memory.
    #[error("{memory} is not written in assembly; its memories are {known}")]
    NoToken {
        /// The memory, or `a layout without a memory`.
        memory: String,
        /// The memories that have tokens.
        known: String,
    },
    /// A text that begins with no token.
    #[error("`{text}` does not begin with a memory; expected {known}")]
    Token {
        /// The text.
        text: String,
        /// The tokens.
        known: String,
    },
    /// A text that continues with something other than a letter and a number.
    #[error(
        "`{rest}` is not the number of a unit of {memory}; its letters are {known}, each at most once, in this order and followed by a number"
    )]
    Letter {
        /// The text from the error on.
        rest: String,
        /// The memory.
        memory: String,
        /// The letters.
        known: String,
    },
    /// An address or number beyond the last.
    #[error("`{what}` is invalid: {of} runs from 0 to {last}")]
    Range {
        /// The text of the address or number.
        what: String,
        /// The memory or level that it counts in.
        of: String,
        /// The last.
        last: u64,
    },
    /// An address inside a long word.
    #[error(
        "`{what}` is inside a long word: {memory} counts {step} addresses for each, so it begins at a multiple of {step}, from 0{to}"
    )]
    Inside {
        /// The text of the address.
        what: String,
        /// The memory.
        memory: String,
        /// The number of addresses per long word.
        step: u64,
        /// The last address, if known.
        to: String,
    },
    /// A number for a level without the number for the level above it.
    #[error("`{given}` counts within `{missing}`, which is left out")]
    Incomplete {
        /// The letter that is present.
        given: char,
        /// The letter that is missing.
        missing: char,
    },
}

impl Diagnostic for AssemblyError {}

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
