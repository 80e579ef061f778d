//! Errors: the problem, the part of the text or layout, the numbers, and the remedy.
//!
//! A [`LayoutError`] describes a fault in the meaning of a layout and does not hold any text; [`fault!`] makes it where the
//! fault is found. A [`ParseError`] describes a fault in a text: it owns the text and a byte [`Span`], and only its
//! `Display` draws the caret.

mod fact;
mod layout;
mod level;
mod site;
mod suggest;
mod text;
mod write;

pub use fact::Fact;
pub use layout::{LayoutError, fault};
pub use site::{Site, Span};
pub(crate) use suggest::{closest, did_you_mean};
pub use text::{Excerpt, ParseError, ParseErrorKind};
pub use write::WriteError;

/// The kind of a [`LayoutError`]: the cases that a caller treats differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A description that contradicts itself or leaves a part out: of a layout, a machine, a sharding, a type.
    Invalid,
    /// An argument that does not fit the layout or the operation.
    Argument,
    /// Shapes, ranks or lengths that differ and must not.
    Shape,
    /// An index, a coordinate or a part beyond the last.
    OutOfRange,
    /// A map, or the digits that feed a derived axis, beyond the extents that they index.
    OutsideDomain,
    /// A name that is not known here: of a level, a memory, a movement, a mesh axis, a dtype.
    Unknown,
    /// Information that the question needs and was not given.
    Missing,
    /// A number beyond 64 bits.
    TooLarge,
    /// More than the machine, its memory or the operation has room for.
    Limit,
    /// A question whose exact answer would take more steps than documented.
    NotDecided,
    /// Two elements, or two copies, in one place.
    Collision,
    /// Two placements that have nothing in common to compare, or between which nothing can move.
    NotComparable,
    /// Digits or copies that do not line up with the groups of units.
    Uneven,
    /// A sharding whose devices, or the places in their shards, are not sums of digits;
    /// [`by_device`](crate::sharding::ShardedShape::by_device) still has answers.
    NoDigits,
    /// A layout or a sharding that a notation cannot express.
    Inexpressible,
    /// A layout whose inverse is not a layout.
    CannotInvert,
    /// A layout without a complement, by which it would be divided or multiplied.
    CannotComplement,
    /// A part of a layout that is not a layout of its own.
    CannotRestrict,
    /// A move between memories that no movements make.
    NoRoute,
    /// A valid input for which the operation has no rule.
    Unsupported,
}
