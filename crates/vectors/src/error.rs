//! The reason test vectors cannot be written or read.

use std::io;

use super::place::VectorPlace;
use super::value::npy_descr;
use tensor_layout::error::{ParseErrorKind, Span};
use tensor_layout::notation::Dtype;
use tensor_layout::{LayoutError, ParseError};
use tensor_layout_words::Cursor;

/// The error for what a cursor has read from `start` on.
pub(crate) fn refuse_from(cursor: &Cursor<'_>, start: usize, kind: ParseErrorKind) -> ParseError {
    ParseError::new(kind, cursor.since(start), cursor.text())
}

/// The reason test vectors cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VectorError {
    /// Writing failed.
    #[error("{0}")]
    Write(io::Error),
    /// Reading failed.
    #[error("{0}")]
    Read(io::Error),
    /// An invalid layout that the caller passed, rather than one in a file.
    #[error("{0}")]
    Header(ParseError),
    /// An invalid line of a file.
    #[error("line {line}: {error}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// The reason, pointing into the line.
        error: ParseError,
    },
    /// An invalid line in the output of a simulator.
    #[error("line {line} of the result: {error}")]
    Result {
        /// Its number, from 1.
        line: u64,
        /// The reason, pointing into the line.
        error: ParseError,
    },
    /// A list with more or fewer long words than the lines read.
    #[error("the result has {found} long words, but the lines of the file read {wanted}")]
    ResultLength {
        /// The number of long words in the list.
        found: usize,
        /// The number of long words that the lines read.
        wanted: usize,
    },
    /// A failed operation on a layout.
    #[error("{0}")]
    Layout(#[from] LayoutError),
    /// An array whose type differs from that of its tensor.
    #[error("the array has entries `{found}`, but {dtype} takes `{}`{}", npy_descr(*.dtype), also(*.dtype))]
    Entries {
        /// The type of the entries, as NumPy writes it.
        found: String,
        /// The type of the tensor.
        dtype: Dtype,
    },
    /// An array whose shape differs from that of its tensor.
    #[error("the array has the shape {found:?}, but the layout has {wanted:?}")]
    Shape {
        /// The shape of the array.
        found: Vec<u64>,
        /// The shape of the layout.
        wanted: Vec<u64>,
    },
    /// A number greater than every Half.
    #[error(
        "element {element} (row-major) is {value}, but the greatest Half of MN-Core is 4290772992.0"
    )]
    BeyondHalf {
        /// The row-major number of the element.
        element: usize,
        /// Its value.
        value: String,
    },
    /// Two tensors in one place.
    #[error("`{place}` of {tensor} also belongs to {other}")]
    Overlap {
        /// The tensor that comes later.
        tensor: String,
        /// The other tensor.
        other: String,
        /// The place.
        place: Box<VectorPlace>,
    },
    /// A tolerance that is not a finite number of 0 or more.
    #[error("the tolerance is {tolerance}, but it must be a finite number of 0 or more")]
    Tolerance {
        /// The tolerance.
        tolerance: f64,
    },
    /// A tensor that does not fit in memory.
    #[error("a tensor of shape {shape:?} does not fit in memory")]
    Memory {
        /// The shape.
        shape: Vec<u64>,
    },
}

/// Returns an error that points at a whole text.
pub(super) fn invalid(text: &str, why: impl Into<String>) -> ParseError {
    ParseError::new(ParseErrorKind::Invalid(why.into()), Span::new(0, text.len()), text)
}

fn also(dtype: Dtype) -> &'static str {
    if dtype == Dtype::Half { ", `<f2`, or `<u2` for its bits" } else { "" }
}
