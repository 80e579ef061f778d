//! XLA shapes and their tiled layouts: `bf16[8,128]{1,0:T(8,128)(2,1)S(1)}`.

use std::fmt;
use std::sync::Arc;

use itertools::Itertools;

use super::dtype::XlaDtype;
use crate::error::Span;
use crate::text::written::NotCompared;

/// An XLA shape as written: an array, a tuple of shapes, a buffer, a token or opaque.
///
/// `Display` prints XLA's own text. Parsing is strict: it accepts XLA's notation and nothing that XLA only
/// accepts by accident; [`XlaParser::lenient`](super::XlaParser::lenient) accepts the text that people write. It
/// does not check that the numbers make sense: see [`validate`](XlaShape::validate).
/// Law: printing a parsed text is a fixed point.
/// Source: openxla/xla, `hlo_parser.cc`, `layout.cc`, `shape_util.cc`, as of 2026-08.
///
/// ```
/// use tensor_layout::xla::XlaShape;
/// let shape: XlaShape = "bf16[ 8, 128 ]{1,0: T(8,128)(2,1) L(1)}".parse()?;
/// assert_eq!(shape.to_string(), "bf16[8,128]{1,0:T(8,128)(2,1)}");
/// assert!("F32[3,5]{1,0:T(2,2)}".parse::<XlaShape>().is_err());
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum XlaShape {
    /// `f32[3,5]{1,0}`
    Array(XlaArray),
    /// `(f32[3]{0}, s32[])`
    Tuple(Vec<XlaShape>),
    /// `b(f32[3]{0})`
    Buffer(XlaArray),
    /// `token[]`
    Token,
    /// `opaque[]`
    Opaque,
}

/// An array shape: type, dimensions, layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct XlaArray {
    /// The element type.
    pub dtype: XlaDtype,
    /// The dimensions, major to minor in the logical order.
    pub dims: Vec<XlaDim>,
    /// The layout; `None` if none was written, which means the descending order.
    pub layout: Option<XlaLayout>,
    pub(crate) source: NotCompared<Arc<ArraySource>>,
}

/// A dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum XlaDim {
    /// `5`
    Static(u64),
    /// `<=5`: at most this many, with room for all of them.
    Bounded(u64),
    /// `?`
    Unbounded,
}

/// A layout: the order of the dimensions and everything after the colon.
///
/// Numbers are as written; [`XlaShape::validate`] checks that they make sense. Defaults that XLA does not
/// print are parsed as if they were absent: `L(1)`, `M` of 0 or less, `{:}` of rank 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct XlaLayout {
    /// The dimensions, the fastest-running one first.
    pub minor_to_major: Vec<i64>,
    /// `T(8,128)(2,1)`: tiles, each with its entries major to minor.
    pub tiles: Vec<Vec<TileDim>>,
    /// `L(1024)`: the size is rounded up to a multiple, in elements.
    pub tail_padding: Option<i64>,
    /// `#(u32)`, of sparse arrays in older dumps.
    pub index_type: Option<XlaDtype>,
    /// `*(u32)`, of sparse arrays in older dumps.
    pub pointer_type: Option<XlaDtype>,
    /// `E(4)`: the width of an element in bits; 0 is the width of the type.
    pub element_bits: i64,
    /// `S(1)`: the memory space.
    pub memory_space: i64,
    /// `SC(0:3)(1:4,5)`: cuts of physical dimensions.
    pub splits: Vec<XlaSplit>,
    /// `M(123)`: prefix bytes in front of the data.
    pub prefix_bytes: i64,
}

/// An entry of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TileDim {
    /// The extent of the tile.
    Size(i64),
    /// `*`: the dimension is combined with the next more minor one.
    Combine,
}

/// A physical dimension (0 is the major-most) and the indexes at which it is cut.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct XlaSplit {
    /// The physical dimension.
    pub dimension: i64,
    /// Ascending.
    pub indices: Vec<i64>,
}

/// The spans of the parts of an array in its text.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArraySource {
    pub(crate) text: Arc<str>,
    pub(crate) whole: Span,
    pub(crate) dims: Span,
    pub(crate) minor_to_major: Span,
    pub(crate) tiles: Vec<Span>,
    pub(crate) tail: Span,
    pub(crate) index_type: Span,
    pub(crate) pointer_type: Span,
    pub(crate) bits: Span,
    pub(crate) splits: Vec<Span>,
}

impl XlaArray {
    /// An array in the default, descending order.
    #[must_use]
    pub fn new(dtype: XlaDtype, dims: Vec<XlaDim>, layout: Option<XlaLayout>) -> XlaArray {
        XlaArray { dtype, dims, layout, source: NotCompared::default() }
    }

    /// The shape without its layout, as XLA's messages name it.
    pub(super) fn without_layout(&self) -> XlaArray {
        XlaArray { layout: None, ..self.clone() }
    }

    /// The layout, or the descending order if none was written.
    #[must_use]
    pub fn layout_or_default(&self) -> XlaLayout {
        self.layout.clone().unwrap_or_else(|| XlaLayout {
            minor_to_major: (0..self.dims.len()).rev().filter_map(|d| d.try_into().ok()).collect(),
            ..XlaLayout::default()
        })
    }
}

impl XlaShape {
    /// The array, if the shape is an array or a buffer of one.
    #[must_use]
    pub fn as_array(&self) -> Option<&XlaArray> {
        match self {
            XlaShape::Array(array) | XlaShape::Buffer(array) => Some(array),
            XlaShape::Tuple(_) | XlaShape::Token | XlaShape::Opaque => None,
        }
    }

    /// The arrays in the shape, depth first, each with its path of tuple indexes.
    #[must_use]
    pub fn arrays(&self) -> Vec<(Vec<usize>, &XlaArray)> {
        let mut arrays = Vec::new();
        self.collect_arrays(&mut Vec::new(), &mut arrays);
        arrays
    }

    /// The members, depth first through nested tuples; `None` for members that are not arrays.
    #[must_use]
    pub fn leaves(&self) -> Vec<Option<&XlaArray>> {
        match self {
            XlaShape::Array(array) | XlaShape::Buffer(array) => vec![Some(array)],
            XlaShape::Tuple(members) => members.iter().flat_map(XlaShape::leaves).collect(),
            XlaShape::Token | XlaShape::Opaque => vec![None],
        }
    }

    fn collect_arrays<'a>(
        &'a self,
        path: &mut Vec<usize>,
        arrays: &mut Vec<(Vec<usize>, &'a XlaArray)>,
    ) {
        match self {
            XlaShape::Array(array) | XlaShape::Buffer(array) => arrays.push((path.clone(), array)),
            XlaShape::Tuple(members) => {
                for (at, member) in members.iter().enumerate() {
                    path.push(at);
                    member.collect_arrays(path, arrays);
                    path.pop();
                }
            }
            XlaShape::Token | XlaShape::Opaque => {}
        }
    }

    /// Returns the shape with the default order written out where it was absent: XLA's canonical text.
    #[must_use]
    pub fn canonical(&self) -> XlaShape {
        let fill = |array: &XlaArray| XlaArray {
            layout: Some(array.layout_or_default()),
            ..array.clone()
        };
        match self {
            XlaShape::Array(array) => XlaShape::Array(fill(array)),
            XlaShape::Buffer(array) => XlaShape::Buffer(fill(array)),
            XlaShape::Tuple(members) => {
                XlaShape::Tuple(members.iter().map(XlaShape::canonical).collect())
            }
            XlaShape::Token | XlaShape::Opaque => self.clone(),
        }
    }
}

/// XLA's text before a member of a tuple: a comma, and the number of every fifth.
pub(in crate::text) fn before_member(at: usize) -> String {
    match at {
        0 => String::new(),
        _ if at.is_multiple_of(5) => format!(", /*index={at}*/"),
        _ => ", ".into(),
    }
}

impl fmt::Display for XlaShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            XlaShape::Array(array) => array.fmt(f),
            XlaShape::Buffer(array) => write!(f, "b({array})"),
            XlaShape::Token => f.write_str("token[]"),
            XlaShape::Opaque => f.write_str("opaque[]"),
            XlaShape::Tuple(members) => {
                f.write_str("(")?;
                for (at, member) in members.iter().enumerate() {
                    write!(f, "{}{member}", before_member(at))?;
                }
                f.write_str(")")
            }
        }
    }
}

impl fmt::Display for XlaArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.dtype, self.dims.iter().format(","))?;
        let is_shown = |layout: &&XlaLayout| !self.dims.is_empty() || layout.has_attributes();
        let layout = self.layout.as_ref().filter(is_shown);
        layout.map_or(Ok(()), |layout| write!(f, "{{{layout}}}"))
    }
}

impl fmt::Display for XlaDim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            XlaDim::Static(size) => write!(f, "{size}"),
            XlaDim::Bounded(size) => write!(f, "<={size}"),
            XlaDim::Unbounded => f.write_str("?"),
        }
    }
}

impl XlaLayout {
    /// `L(1)` is the default, and is not printed.
    pub(super) fn set_tail_padding(&mut self, elements: i64) {
        self.tail_padding = (elements != 1).then_some(elements);
    }

    /// Returns the layout as it would be read back: `None` for rank 0 without attributes, which is not
    /// printed.
    pub(super) fn into_printed(self) -> Option<XlaLayout> {
        let is_printed = !self.minor_to_major.is_empty() || self.has_attributes();
        is_printed.then_some(self)
    }

    fn has_attributes(&self) -> bool {
        !self.attributes().is_empty()
    }

    /// The attributes after the colon, in XLA's order; defaults are left out.
    fn attributes(&self) -> String {
        let number = |mark: &str, value: i64, shown: bool| match shown {
            true => format!("{mark}({value})"),
            false => String::new(),
        };
        let dtype = |mark: &str, dtype: Option<XlaDtype>| match dtype {
            Some(dtype) => format!("{mark}({dtype})"),
            None => String::new(),
        };
        let tiles = self.tiles.iter().map(|tile| format!("({})", tile.iter().format(",")));
        let tail = self.tail_padding.unwrap_or(1);
        let parts = [
            marked("T", tiles.collect()),
            number("L", tail, tail != 1),
            dtype("#", self.index_type),
            dtype("*", self.pointer_type),
            number("E", self.element_bits, self.element_bits != 0),
            number("S", self.memory_space, self.memory_space != 0),
            marked("SC", self.splits.iter().join("")),
            number("M", self.prefix_bytes, self.prefix_bytes > 0),
        ];
        parts.concat()
    }
}

/// A list after its mark; nothing for an empty list.
fn marked(mark: &str, list: String) -> String {
    if list.is_empty() { list } else { format!("{mark}{list}") }
}

impl fmt::Display for XlaLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.minor_to_major.iter().format(","))?;
        let attributes = self.attributes();
        if attributes.is_empty() { Ok(()) } else { write!(f, ":{attributes}") }
    }
}

impl fmt::Display for XlaSplit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}:{})", self.dimension, self.indices.iter().format(","))
    }
}

impl fmt::Display for TileDim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TileDim::Size(size) => write!(f, "{size}"),
            TileDim::Combine => f.write_str("*"),
        }
    }
}
