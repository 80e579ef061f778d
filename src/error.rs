//! Errors: the problem, the part of the text or layout, the numbers, and the remedy.
//!
//! A [`LayoutError`] describes a fault in the meaning of a layout and does not hold any text. A
//! [`ParseError`] describes a fault in a text: it owns the text and a byte [`Span`], and only its `Display`
//! draws the caret.

mod diagnostic;
mod fault;
pub(crate) mod help;
mod inexpressible;
mod relayout;
mod site;
mod suggest;
mod text;

use itertools::Itertools;

use crate::level::Level;
use crate::location::Location;
use crate::words::counted;

pub use crate::level::LevelNameError;
pub use diagnostic::{Cause, Diagnostic};
pub use fault::{
    ComplementError, EditError, InverseError, MachineError, RestrictionError, XorError,
};
pub use inexpressible::Inexpressible;
pub use relayout::{Incomparable, RelayoutFault};
pub use site::{Site, Span};
pub(crate) use suggest::{closest, did_you_mean};
pub use text::{Excerpt, ParseError, ParseErrorKind};

/// The reason a layout or a placement is invalid, or a question about one cannot be answered.
///
/// `Display` is one line without a final stop; [`help`](LayoutError::help) names the remedy.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// A name that is not valid for a level: not letters, digits and `_`, or too long.
    #[error(transparent)]
    LevelName(#[from] LevelNameError),
    /// A subaxis or replica of size 0.
    #[error("{site} has size 0")]
    ZeroSize {
        /// The part of the layout.
        site: Site,
    },
    /// A product, extent or coordinate beyond `u64`.
    #[error("{what}{} does not fit in 64 bits", site.of_part())]
    TooLarge {
        /// The part of the layout.
        site: Site,
        /// The name of the quantity.
        what: &'static str,
    },
    /// An axis that has fewer slots than elements.
    #[error("axis {axis} has extent {extent}, but the product of its sizes is {slots}")]
    ExtentTooLarge {
        /// The axis.
        axis: usize,
        /// Its logical extent.
        extent: u64,
        /// The product of the sizes of its subaxes.
        slots: u64,
    },
    /// A digit that feeds a derived axis in front of its own, or one that does not exist.
    #[error("{site} feeds derived axis {derived}, which does not come after it")]
    FeedOrder {
        /// The part of the layout.
        site: Site,
        /// The number of the derived axis.
        derived: usize,
    },
    /// A real index would reach a derived axis beyond its extent.
    #[error("derived axis {derived} has extent {extent}, but is fed values up to {reach}")]
    DerivedOutOfRange {
        /// The number of the derived axis.
        derived: usize,
        /// Its extent.
        extent: u64,
        /// The greatest value that a real index feeds it.
        reach: u64,
    },
    /// A derived axis that is an XOR, with parts that do not fit it.
    #[error("derived axis {derived} is an XOR, but {error}")]
    Xor {
        /// The number of the derived axis.
        derived: usize,
        /// The reason.
        error: XorError,
    },
    /// A shape whose number of extents is not the number of axes.
    #[error("the shape has rank {shape}, but the layout has rank {axes}")]
    RankMismatch {
        /// The number of extents.
        shape: usize,
        /// The number of axes.
        axes: usize,
    },
    /// A shape given separately that contradicts the one in the text.
    #[error("the shape ({}) is not the shape ({}) in the text", .given.iter().join(","), .written.iter().join(","))]
    ShapeConflict {
        /// The one given.
        given: Vec<u64>,
        /// The one in the text.
        written: Vec<u64>,
    },
    /// A level that occurs more than once and lacks a stride.
    #[error("level `{level}` occurs more than once, and this one lacks a stride")]
    Ambiguous {
        /// The level.
        level: Level,
        /// The occurrence without a stride.
        site: Site,
        /// Another occurrence.
        other: Site,
    },
    /// Address subaxes without a stride.
    #[error("the layout is incomplete: an address subaxis or copy lacks a stride")]
    Incomplete {
        /// The first of them.
        site: Site,
        /// The layout with row-major strides, if none was written.
        row_major: Option<String>,
    },
    /// Two elements in one place.
    #[error("{}", stored_together("elements", .first, .second, .place))]
    Collision {
        /// An index.
        first: Vec<u64>,
        /// Another index.
        second: Vec<u64>,
        /// The place that both are stored at.
        place: Location,
    },
    /// A replica that lands on another copy.
    #[error("{}", stored_together("copies of elements", .first, .second, .place))]
    ReplicaOverlap {
        /// An index.
        first: Vec<u64>,
        /// An index, the same or another.
        second: Vec<u64>,
        /// The place that both copies are stored at.
        place: Location,
    },
    /// A bare replica of a level that subaxes use.
    #[error("level `{level}` cannot be replicated: a subaxis uses it")]
    ReplicaOfUsed {
        /// The level.
        level: Level,
        /// The replica.
        site: Site,
    },
    /// A level that is named twice in the broadcast, or cannot be used there.
    #[error("level `{level}` cannot appear here in `B@[..]`")]
    ReplicaLevel {
        /// The level.
        level: Level,
        /// The replica.
        site: Site,
    },
    /// A question whose exact answer would take more steps than documented.
    #[error("not decided: {question} takes more than {budget} steps")]
    NotDecided {
        /// The task that would answer the question, as the subject: `counting the candidates`.
        question: &'static str,
        /// The number of steps that were tried.
        budget: u64,
    },
    /// An index with the wrong number of entries.
    #[error("the index has {}, but the layout has {}", counted(*.found, "entry"), counted(*.rank, "axis"))]
    IndexRank {
        /// The number of entries.
        found: usize,
        /// The number of axes.
        rank: usize,
    },
    /// An index beyond the extent of its axis.
    #[error("index {index} is out of range for axis {axis}: it must be below {extent}")]
    IndexOutOfRange {
        /// The axis.
        axis: usize,
        /// The entry.
        index: u64,
        /// The extent.
        extent: u64,
    },
    /// A location without a coordinate in a level that the layout uses.
    #[error("the location lacks a coordinate in `{level}`, which the layout uses")]
    LevelMissing {
        /// The level.
        level: Level,
    },
    /// A location with a level that the machine lacks.
    #[error("`{level}` is not a level of the {machine}, whose levels are {known}")]
    LevelUnknown {
        /// The level.
        level: Level,
        /// The name of the machine.
        machine: String,
        /// The levels it has.
        known: String,
        /// The part of the layout that names the level.
        site: Site,
    },
    /// Coordinates beyond the size of a level.
    #[error("level `{level}` of the {machine} has {size} units, but {site} reaches unit {reach}")]
    LevelTooSmall {
        /// The level.
        level: Level,
        /// The name of the machine.
        machine: String,
        /// The number of units.
        size: u64,
        /// The greatest coordinate.
        reach: u64,
        /// The subaxis that takes the coordinate past the size.
        site: Site,
    },
    /// Addresses beyond the capacity of the memory.
    #[error("memory `{memory}` holds {capacity} long words, but {site} reaches address {reach}")]
    CapacityExceeded {
        /// The memory.
        memory: String,
        /// Its capacity in long words.
        capacity: u64,
        /// The greatest address.
        reach: u64,
        /// The subaxis that takes the address past the capacity.
        site: Site,
    },
    /// More levels than a placement can have.
    #[error("the layout uses {levels} levels, but a placement has at most {}", Level::MOST)]
    TooManyLevels {
        /// The number of levels.
        levels: usize,
    },
    /// Lanes beyond the long word.
    #[error(
        "a long word of {word_bits} bits has {} of {element_bits} bits, but {site} reaches lane {reach}",
        counted(*.lanes, "lane")
    )]
    LaneOutOfRange {
        /// Width of a long word.
        word_bits: u64,
        /// Width of an element.
        element_bits: u64,
        /// The number of lanes.
        lanes: u64,
        /// The greatest lane.
        reach: u64,
        /// The subaxis that takes the lane past the word.
        site: Site,
    },
    /// A memory that the machine lacks.
    #[error("`{memory}` is not a memory of the {machine}, whose memories are {known}")]
    MemoryUnknown {
        /// The name of the memory.
        memory: String,
        /// The name of the machine.
        machine: String,
        /// The memories it has.
        known: String,
    },
    /// A level below the memory: its units do not have the memory to themselves.
    #[error("level `{level}` is below the memory `{memory}`, which belongs to `{owner}`")]
    BelowMemory {
        /// The level.
        level: Level,
        /// The memory.
        memory: String,
        /// The level that owns the memory.
        owner: Level,
        /// The part of the layout that names the level.
        site: Site,
    },
    /// A machine that contradicts itself.
    #[error("invalid machine: {0}")]
    Machine(MachineError),
    /// A dtype that the notation does not know.
    #[error("`{name}` is not a known dtype")]
    DtypeUnknown {
        /// The name.
        name: String,
        /// The most similar dtype, or a list of all.
        help: String,
    },
    /// A stride or an offset in bytes that does not count whole elements.
    #[error("the {} is not a multiple of itemsize {itemsize}", match .axis {
        Some(axis) => format!("stride {bytes} of axis {axis}"),
        None => format!("offset {bytes}"),
    })]
    PartOfElement {
        /// The axis of a stride, `None` for the offset.
        axis: Option<usize>,
        /// The stride or the offset.
        bytes: u64,
        /// The number of bytes of an element.
        itemsize: u64,
    },
    /// An unbounded dimension, whose elements do not have fixed places.
    #[error("dimension {axis} is unbounded, so the places of its elements are not fixed")]
    Unbounded {
        /// The dimension.
        axis: usize,
    },
    /// An index map that does not land in the axes of the layout, or lands in two kinds of levels.
    #[error("level `{level}` cannot be used here: {}", map_levels(*.rank))]
    MapLevel {
        /// The level.
        level: Level,
        /// The rank of the layout that it should index; 0 where only `Addr` can be used.
        rank: usize,
    },
    /// An index map with copies, although an index map must give each element a single index.
    #[error(
        "the map has {copies} copies along `{level}`; an index map gives each element one index"
    )]
    MapCopies {
        /// The level that the copies are in.
        level: Level,
        /// The number.
        copies: u64,
    },
    /// An index map that leaves the extents of the layout.
    #[error("the map produces index {reach} for {}, which has extent {extent}", .axis.map_or("the linear index".into(), |axis| format!("axis {axis}")))]
    OutsideDomain {
        /// The axis, `None` for the linear index.
        axis: Option<usize>,
        /// Its extent.
        extent: u64,
        /// The greatest value that the map gives.
        reach: u64,
    },
    /// A coordinate at or beyond the size of its level.
    #[error("`{level}={at}` is out of range: `{level}` has {size} coordinates, from 0")]
    CoordinateOutOfRange {
        /// The level.
        level: Level,
        /// The coordinate.
        at: u64,
        /// The number of them.
        size: u64,
    },
    /// Two placements between which nothing can move.
    #[error(transparent)]
    NotComparable(Incomparable),
    /// More copies of each element than moves are listed for.
    #[error("each element has {copies} copies, and moves are listed for at most {limit}")]
    TooManyCopies {
        /// The number of them.
        copies: u64,
        /// The greatest number that is allowed.
        limit: u64,
    },
    /// A layout whose inverse this algebra cannot express, or that is not injective.
    #[error("the layout cannot be inverted: {0}")]
    CannotInvert(InverseError),
    /// A layout without a complement in the space.
    #[error("the layout cannot be complemented in this space: {0}")]
    CannotComplement(ComplementError),
    /// A tile without a complement in the layout, which would number the tiles.
    #[error("this tile cannot divide the layout: {0}")]
    CannotDivide(ComplementError),
    /// A layout without a complement, which would hold its copies.
    #[error("the layout cannot be multiplied: {0}")]
    CannotMultiply(ComplementError),
    /// A part of a layout that cannot be written as a layout of its own.
    #[error("cannot restrict the layout: {0}")]
    CannotRestrict(RestrictionError),
    /// An edit that the axes or extents do not allow.
    #[error("cannot edit the layout: {0}")]
    Edit(EditError),
    /// A relayout, or a question about one, that the placements do not allow.
    #[error("{0}")]
    Relayout(RelayoutFault),
    /// A layout that a notation cannot express.
    #[error("{notation} cannot express this layout: {reason}")]
    Inexpressible {
        /// A text of the notation, with its article: `a PadLayout`.
        notation: &'static str,
        /// The part that cannot be expressed, and why.
        reason: Inexpressible,
    },
}

impl LayoutError {
    pub(crate) fn too_large(site: Site, what: &'static str) -> LayoutError {
        LayoutError::TooLarge { site, what }
    }
}

/// The levels that a map into a layout of this rank may land in.
fn map_levels(rank: usize) -> String {
    match rank {
        0 => "only `Addr` can".into(),
        1 => "a map targets either `Addr` or the axis `i0`".into(),
        rank => format!("a map targets either `Addr` or the axes `i0` to `i{}`", rank - 1),
    }
}

/// `elements (0, 2) and (1, 0) are both stored at Addr=2`: two of `what`, or two copies of one.
pub(crate) fn stored_together(
    what: &str,
    first: &[u64],
    second: &[u64],
    place: &Location,
) -> String {
    let both = match first == second {
        true => format!("two copies of element ({})", list(first)),
        false => format!("{what} ({}) and ({})", list(first), list(second)),
    };
    format!("{both} are both stored at {place}")
}

/// The entries of an index, cut so that a message stays short.
fn list(index: &[u64]) -> String {
    const MOST: usize = 16;
    let head = index.iter().take(MOST).join(", ");
    if index.len() > MOST { format!("{head}, ..") } else { head }
}
