//! The errors of routes.

use itertools::Itertools;

use crate::error::{Diagnostic, LayoutError, Site};
use crate::level::Level;
use crate::relayout::Move;

/// The reason no route exists, or a search for one is impossible.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum RouteError {
    /// A layout without a memory of a machine.
    #[error("a route needs to know the memory of each layout, and {which} names none")]
    NoMemory {
        /// `the source`, `the target` or `stop 1` and so on.
        which: String,
    },
    /// Tensors of different shapes.
    #[error("the shapes are ({}) and ({}): a route moves one tensor", listed(.source_shape), listed(.target_shape))]
    Shapes {
        /// The shape of the source.
        source_shape: Vec<u64>,
        /// The shape of the target.
        target_shape: Vec<u64>,
    },
    /// An invalid map of a movement.
    #[error("the map of movement `{movement}` does not fit the machine: {why}")]
    Map {
        /// The movement.
        movement: String,
        /// The reason.
        why: String,
    },
    /// A name that no movement has.
    #[error("`{name}` is not a movement of this machine, {known}")]
    MovementUnknown {
        /// The name.
        name: String,
        /// The movements that the machine has, in words.
        known: String,
    },
    /// A movement that routes cannot use.
    #[error("movement `{name}` cannot be used: {why}")]
    Unusable {
        /// The movement.
        name: String,
        /// Its map is not public, or it changes values.
        why: &'static str,
    },
    /// Memories that the movement does not connect.
    #[error("`{name}` moves {between}, and the layouts are in {source_memory} and {target_memory}")]
    NotBetween {
        /// The movement.
        name: String,
        /// The pairs of memories that the movement works between, in words.
        between: String,
        /// The memory of the source.
        source_memory: String,
        /// The memory of the target.
        target_memory: String,
    },
    /// Memories that no movements connect.
    #[error(
        "no route of up to {hops} hops leads from {source_memory} to {target_memory}; movements lead from {source_memory} to {reached}"
    )]
    Unreachable {
        /// The greatest number of hops that are tried.
        hops: usize,
        /// The memory of the source.
        source_memory: String,
        /// The memory of the target.
        target_memory: String,
        /// The memories that can be reached.
        reached: String,
    },
    /// A digit of the tensor that no movements bring to its place, however many of those whose maps are known.
    #[error("{}", out_of_reach(.0))]
    OutOfReach(Box<OutOfReach>),
    /// The first hop that no movement can make.
    #[error("{}", refused(.hop, .budget))]
    Refused {
        /// The hop.
        hop: Box<MissingHop>,
        /// The extent of the search, in words.
        budget: String,
    },
    /// An error of a layout.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

/// A digit that no movements bring to its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct OutOfReach {
    /// The digit, in the source and in the target.
    pub digit: Move,
    /// The memory of the source.
    pub source_memory: String,
    /// The memory of the target.
    pub target_memory: String,
    /// The levels and steps of the target memory to which movements bring it.
    pub reached: Vec<String>,
}

impl OutOfReach {
    /// Returns whether elements would have to change their lanes.
    #[must_use]
    pub fn changes_lanes(&self) -> bool {
        let is_lane =
            |place: Option<(Level, u64)>| place.is_some_and(|(level, _)| level == Level::W);
        is_lane(self.digit.from) || is_lane(self.digit.to)
    }
}

/// A hop that no movement can make.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MissingHop {
    /// Its number, from 1 on.
    pub number: usize,
    /// The memory that it leaves.
    pub source_memory: String,
    /// The memory that it enters.
    pub target_memory: String,
    /// The layout that the rest of the route needs there.
    pub needed: String,
    /// The nearest movement, and the layout that it produces there.
    pub nearest: Option<(String, String)>,
}

fn listed(numbers: &[u64]) -> String {
    crate::words::cut(&numbers.iter().join(","), 80)
}

fn out_of_reach(fault: &OutOfReach) -> String {
    let OutOfReach { digit, source_memory, target_memory, reached } = fault;
    let from = digit.from.map_or(Level::ADDR, |(level, _)| level);
    let only = match &reached[..] {
        [] => format!("nowhere in {target_memory}"),
        reached => format!("only to {} of {target_memory}", reached.iter().join(", ")),
    };
    format!(
        "no movements bring a digit to its place: {digit}; from this {from} of {source_memory} they lead {only}"
    )
}

fn refused(hop: &MissingHop, budget: &str) -> String {
    let MissingHop { number, source_memory, target_memory, needed, nearest } = hop;
    let given = match nearest {
        Some((name, layout)) => format!("`{name}` gives {layout}"),
        None => "no movement gives a layout there".into(),
    };
    format!(
        "no movement makes hop {number}, {source_memory} to {target_memory}: {given}, and {needed} is \
         needed ({budget})"
    )
}

impl Diagnostic for RouteError {
    fn help(&self) -> Option<String> {
        Some(match self {
            RouteError::NoMemory { .. } => {
                "write it after the layout, as in `((8_L2B, 64:1))@L2BM / Float`".into()
            }
            RouteError::Unreachable { .. } => {
                "if one of these memories leads to the target, give a layout in it to `Route::through`"
                    .into()
            }
            RouteError::Refused { .. } => {
                "give a layout on the way to `Route::through`".into()
            }
            RouteError::OutOfReach(fault) if fault.changes_lanes() => {
                "movements carry whole words (MN-Core's matrix registers change lanes): agree in `W`"
                    .into()
            }
            RouteError::OutOfReach(_) => {
                "beats stay whole, however many movements follow: agree in this digit"
                    .into()
            }
            RouteError::Layout(error) => return error.help(),
            _ => return None,
        })
    }

    fn site(&self) -> Site {
        match self {
            RouteError::Layout(error) => error.site(),
            _ => Site::Layout,
        }
    }
}
