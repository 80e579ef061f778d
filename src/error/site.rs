//! The places that errors point at: bytes of a text, parts of a layout.

use std::fmt;
use std::ops::Range;

/// A range of bytes in a text, `start <= end <= text.len()`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// The bytes from `start` up to `end`.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// The span moved by `offset` bytes.
    pub(crate) const fn shifted(self, offset: usize) -> Span {
        Span::new(self.start + offset, self.end + offset)
    }
}

impl From<Range<usize>> for Span {
    fn from(bytes: Range<usize>) -> Span {
        Span::new(bytes.start, bytes.end)
    }
}

/// The part of a layout that an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Site {
    /// The layout as a whole.
    Layout,
    /// The shape in front of the axes.
    Shape,
    /// An axis, by its number.
    Axis(usize),
    /// A subaxis: the number of its axis, and its own number in it, major to minor.
    Subaxis(usize, usize),
    /// An entry of the broadcast, by its number.
    Replica(usize),
    /// The memory suffix.
    Memory,
}

impl Site {
    /// ` of axis 1`; nothing for the layout as a whole.
    pub(super) fn of_part(self) -> String {
        if self == Site::Layout { String::new() } else { format!(" of {self}") }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Site::Layout => write!(f, "the layout"),
            Site::Shape => write!(f, "the shape"),
            Site::Axis(axis) => write!(f, "axis {axis}"),
            Site::Subaxis(axis, subaxis) => write!(f, "axis {axis}, subaxis {subaxis}"),
            Site::Replica(replica) => write!(f, "replica {replica}"),
            Site::Memory => write!(f, "the memory"),
        }
    }
}
