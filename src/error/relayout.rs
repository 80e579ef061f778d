//! Errors of relayouts, which move a tensor from one placement to another.

use itertools::Itertools;

use crate::level::Level;
use crate::location::assigned;

/// The reason a relayout, or a question about one, cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum RelayoutFault {
    /// Copies that do not line up with the groups of units that share a memory.
    #[error(
        "there is one memory for every {group} units of `{level}`, and the copies of an element do not \
         line up with these groups"
    )]
    UnevenCopies {
        /// The level of the units.
        level: Level,
        /// The number of units that share a memory.
        group: u64,
    },
    /// Digits that do not line up with the groups of units that share a memory.
    #[error(
        "there is one memory for every {group} units of `{level}`, and the digits in `{level}` do not \
         line up with these groups"
    )]
    UnevenDigits {
        /// The level of the units.
        level: Level,
        /// The number of units that share a memory.
        group: u64,
    },
    /// A level that is on no path between the units or, for a question about both ends, not on both sides.
    #[error("`{level}` is not a level of the paths{}", those(.known))]
    NotOnPaths {
        /// The level.
        level: Level,
        /// The levels that are.
        known: Vec<Level>,
    },
    /// A part that another pricer numbered.
    #[error("this part was numbered by another pricer")]
    OtherPricer,
    /// A question about transfers in a relayout that ignores time.
    #[error("transfers need time slices, but this relayout ignores time (`TimeOrder::Aside`)")]
    TimeAside,
    /// A number beyond the time slices.
    #[error("time slice {slice} does not exist: there are {slices}")]
    NoSlice {
        /// The number.
        slice: u64,
        /// The number of slices.
        slices: u64,
    },
    /// Elements that several units of the source could send.
    #[error(
        "several units of `{level}` hold copies of an element, so it is open which of them sends it"
    )]
    SeveralSenders {
        /// The level of the units.
        level: Level,
    },
    /// A level with more units than flows can be counted between.
    #[error("flows are counted between at most {most} units of a level, but `{level}` has more")]
    ManyUnits {
        /// The level of the units.
        level: Level,
        /// The greatest number of units.
        most: u64,
    },
    /// A placement on a machine whose levels are not those of a cost model.
    #[error("`{level}` has {given} units in this machine, but {model} in that of the cost model")]
    OtherMachine {
        /// The first level that differs.
        level: Level,
        /// The number of its units in the machine of the placement.
        given: u64,
        /// The number of its units in the model; 0 if it lacks the level.
        model: u64,
    },
    /// The rate of a level, for a model whose costs are those of movements.
    #[error("this model has the rates of the machine's movements, and none of `{level}` by itself")]
    RatesOfMovements {
        /// The level.
        level: Level,
    },
    /// A level for which the rate into its units is not known.
    #[error("the rate into the units of `{level}` is not known")]
    NoBandwidth {
        /// The level.
        level: Level,
    },
}

/// The difference between two placements that makes a move from one to the other impossible.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Incomparable {
    /// Tensors of different shapes.
    #[error("the shapes differ: {from:?} and {to:?}")]
    Shapes {
        /// The shape of the source placement.
        from: Vec<u64>,
        /// The shape of the destination placement.
        to: Vec<u64>,
    },
    /// Machines with different levels or memories.
    #[error("the machines differ: {} and {}", or_none(.from), or_none(.to))]
    Machines {
        /// The machine of the source placement, if it is on one.
        from: Option<String>,
        /// The machine of the destination placement, if it is on one.
        to: Option<String>,
    },
    /// A placement without a machine, where units are compared.
    #[error("without a machine there are no units to compare")]
    NoMachine,
    /// Units of different levels, or of levels of different sizes.
    #[error("the levels differ: {} and {}", assigned(.from.iter().copied()), assigned(.to.iter().copied()))]
    Levels {
        /// The levels of the units to move from, with their sizes.
        from: Vec<(Level, u64)>,
        /// The levels of the units to move to, with their sizes.
        to: Vec<(Level, u64)>,
    },
    /// Different memories, or a memory on one side only.
    #[error("the memories differ: {} and {}", or_none(.from), or_none(.to))]
    Memories {
        /// The memory to move from.
        from: Option<String>,
        /// The memory to move to.
        to: Option<String>,
    },
    /// Memories that are shared in groups that do not nest.
    #[error("the memories are shared by {from} and by {to} units, and neither divides the other")]
    Groups {
        /// The number of units that share the memory to move from.
        from: u64,
        /// The number of units that share the memory to move to.
        to: u64,
    },
    /// Long words of different numbers of lanes.
    #[error("the numbers of lanes differ: {} and {}", or_none(.from), or_none(.to))]
    Lanes {
        /// The number of lanes of the source placement, if its elements have a width.
        from: Option<u64>,
        /// The number of lanes of the destination placement, if its elements have a width.
        to: Option<u64>,
    },
}

fn or_none(what: &Option<impl ToString>) -> String {
    what.as_ref().map_or_else(|| "none".into(), ToString::to_string)
}

/// `: they go through L2B, PE`; nothing if there are none.
fn those(known: &[Level]) -> String {
    if known.is_empty() {
        String::new()
    } else {
        format!(": they go through {}", known.iter().join(", "))
    }
}
