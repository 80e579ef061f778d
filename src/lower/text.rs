//! Text in any notation, detected from its form.

use std::fmt;

use itertools::Itertools;

use crate::algebra::{IndexOrder, Layout};
use crate::error::{LayoutError, ParseError, ParseErrorKind, Span, fault};
use crate::level::Level;
use crate::lower::pad_layout::{MapText, left_out_note};
use crate::lower::sharding::ShardedShape;
use crate::lower::triton::not_bitwise;
use crate::machine::Machine;
use crate::notation::{
    Atom, CuteLayout, Notation, PadLayout, ReplicaText, Strided, TritonLayout, XlaArray, XlaDim,
    XlaDtype, XlaParser, XlaShape,
};

/// The byte at which an unsupported notation begins, and its name.
fn unread(text: &str) -> Option<(usize, &'static str)> {
    let xors = [" xor ", "^"];
    xors.iter().find_map(|mark| Some((text.find(mark)?, "an XOR")))
}

/// A layout in any notation, as written.
///
/// ```
/// use tensor_layout::LayoutText;
/// let layout = LayoutText::parse("f32[3,5]{1,0:T(2,2)}")?.lower()?;
/// assert_eq!(layout.locate(&[2, 3])?.to_string(), "Addr=17");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LayoutText {
    /// TensorLayout and PadLayout.
    PadLayout(PadLayout),
    /// An XLA shape.
    Xla(XlaShape),
    /// A CuTe layout.
    Cute(CuteLayout),
    /// Shape and strides.
    Strided(Strided),
    /// An encoding or a linear layout of Triton.
    Triton(TritonLayout),
    /// A matrix of an instruction.
    Atom(Atom),
    /// An XLA shape with its sharding.
    Sharded(Box<ShardedShape>),
}

impl fmt::Display for LayoutText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayoutText::PadLayout(tree) => tree.fmt(f),
            LayoutText::Xla(shape) => shape.fmt(f),
            LayoutText::Cute(layout) => layout.fmt(f),
            LayoutText::Strided(layout) => layout.fmt(f),
            LayoutText::Triton(layout) => layout.fmt(f),
            LayoutText::Atom(atom) => atom.fmt(f),
            LayoutText::Sharded(shape) => shape.fmt(f),
        }
    }
}

impl LayoutText {
    /// Parses a text in the notation that it looks like.
    ///
    /// # Errors
    /// As the parser of the notation.
    pub fn parse(text: &str) -> Result<LayoutText, ParseError> {
        LayoutText::parse_as(Notation::of(text), XlaParser::strict(), text)
    }

    /// Parses a text in a given notation; `xla` parses XLA shapes.
    ///
    /// # Errors
    /// As the parser of the notation.
    pub fn parse_as(
        notation: Notation,
        xla: XlaParser,
        text: &str,
    ) -> Result<LayoutText, ParseError> {
        let parsed = match notation {
            Notation::PadLayout => text.parse().map(LayoutText::PadLayout),
            Notation::Xla => xla.parse(text).map(LayoutText::Xla),
            Notation::Cute => text.parse().map(LayoutText::Cute),
            Notation::Strided => text.parse().map(LayoutText::Strided),
            Notation::Triton => text.parse().map(LayoutText::Triton),
            Notation::Atom => text.parse().map(LayoutText::Atom),
            Notation::Sharded => {
                ShardedShape::parse(text, xla).map(|shape| LayoutText::Sharded(Box::new(shape)))
            }
        };
        // If the text parses, these marks are in a comment or in metadata, where they mean nothing.
        parsed.map_err(|error| match unread(text) {
            Some((at, what)) => {
                let span = Span::new(at, text.len());
                ParseError::new(ParseErrorKind::OtherNotation(what), span, text)
            }
            None if notation == Notation::PadLayout && !text.trim_start().starts_with('(') => {
                ParseError::new(ParseErrorKind::NotALayout, Span::new(0, text.len()), text)
            }
            None => error,
        })
    }

    /// Returns the layout that the text describes.
    ///
    /// # Errors
    /// As `lower` of the notation, for example [`PadLayout::lower`] and [`XlaShape::lower`].
    pub fn lower(&self) -> Result<Layout, ParseError> {
        match self {
            LayoutText::PadLayout(tree) => tree.lower(),
            LayoutText::Xla(shape) => shape.lower(),
            LayoutText::Cute(layout) => layout.lower(),
            LayoutText::Strided(layout) => layout.lower(),
            LayoutText::Triton(layout) => layout.lower(),
            LayoutText::Atom(atom) => atom.lower(),
            LayoutText::Sharded(shape) => shape.lower(None),
        }
    }

    /// Returns the layout that the text describes on a machine: the devices of a sharding are its units,
    /// numbered through the tree, and the bare replicas of a PadLayout are its levels.
    ///
    /// # Errors
    /// As [`lower`](LayoutText::lower), and those of [`PadLayout::lower_on`].
    pub fn lower_on(&self, machine: &Machine) -> Result<Layout, ParseError> {
        match self {
            LayoutText::PadLayout(tree) => tree.lower_on(machine),
            LayoutText::Sharded(shape) => shape.lower(Some(machine)),
            _ => self.lower(),
        }
    }

    /// Wraps `error` in a [`ParseError`] that points at this text.
    pub fn refuse(&self, error: impl Into<LayoutError>) -> ParseError {
        match self {
            LayoutText::PadLayout(tree) => tree.refuse(error),
            LayoutText::Xla(shape) => shape.refuse_layout(error),
            LayoutText::Cute(layout) => layout.refuse(error),
            LayoutText::Strided(layout) => layout.refuse(error),
            LayoutText::Triton(layout) => layout.refuse(error),
            LayoutText::Atom(atom) => atom.refuse(error),
            LayoutText::Sharded(shape) => shape.refuse(error),
        }
    }

    /// The notation.
    #[must_use]
    pub fn notation(&self) -> Notation {
        match self {
            LayoutText::PadLayout(_) => Notation::PadLayout,
            LayoutText::Xla(_) => Notation::Xla,
            LayoutText::Cute(_) => Notation::Cute,
            LayoutText::Strided(_) => Notation::Strided,
            LayoutText::Triton(_) => Notation::Triton,
            LayoutText::Atom(_) => Notation::Atom,
            LayoutText::Sharded(_) => Notation::Sharded,
        }
    }

    /// The notation that edits of this text are written in: its own, except for names, which are only read.
    #[must_use]
    pub fn edited_notation(&self) -> Notation {
        match self {
            LayoutText::Atom(_) => Notation::PadLayout,
            _ => self.notation(),
        }
    }

    /// The order in which the notation numbers the elements of a tensor.
    #[must_use]
    pub fn index_order(&self) -> IndexOrder {
        match self {
            LayoutText::Cute(_) => IndexOrder::Colexicographic,
            _ => IndexOrder::RowMajor,
        }
    }

    /// Writes a layout that was made from this one, like [`Layout::write`]; a bare broadcast in this text is
    /// kept if it is still valid, as are the attributes of an XLA shape. The second part also names the parts
    /// of this text that another notation cannot express.
    ///
    /// # Errors
    /// `Inexpressible` with the reason.
    pub fn write_edited(
        &self,
        edited: &Layout,
        notation: Notation,
        dtype: XlaDtype,
    ) -> Result<(String, Option<String>), LayoutError> {
        let (text, left_out) = edited.write_like(Some(self), notation, dtype)?;
        Ok((text, notes([left_out, self.beyond_the_map(notation)])))
    }

    /// The array of an XLA shape, sharded or not.
    #[must_use]
    pub fn xla_array(&self) -> Option<&XlaArray> {
        match self {
            LayoutText::Xla(shape) => shape.as_array(),
            LayoutText::Sharded(shape) => Some(shape.array()),
            _ => None,
        }
    }

    /// A note on the parts of this text that are not in the map and that `notation` cannot express.
    fn beyond_the_map(&self, notation: Notation) -> Option<String> {
        if notation == self.notation() {
            return None;
        }
        let words = match self {
            LayoutText::PadLayout(tree) => suffix(tree, notation == Notation::Xla),
            LayoutText::Xla(_) => self.xla_array().map_or_else(Vec::new, attributes),
            _ => Vec::new(),
        };
        (!words.is_empty()).then(|| format!("the notation cannot express {}", words.join(", ")))
    }

    /// The element type that the text names, if any, as XLA's type.
    ///
    /// ```
    /// use tensor_layout::LayoutText;
    /// let name = |text| LayoutText::parse(text).unwrap().xla_dtype().map(|dtype| dtype.name());
    /// assert_eq!(name("((4:8), (8:1))@LM0 / Half"), Some("f16"));
    /// assert_eq!(name("bf16[8]{0}, sharding={replicated}"), Some("bf16"));
    /// assert_eq!(name("(4,8):(8,1)"), None);
    /// ```
    #[must_use]
    pub fn xla_dtype(&self) -> Option<XlaDtype> {
        match self {
            LayoutText::PadLayout(tree) => XlaDtype::from_name(tree.dtype()?.xla_name()),
            LayoutText::Xla(shape) => Some(shape.as_array()?.dtype),
            LayoutText::Sharded(shape) => Some(shape.array().dtype),
            LayoutText::Triton(layout) => layout.xla_dtype(),
            LayoutText::Cute(_) | LayoutText::Strided(_) | LayoutText::Atom(_) => None,
        }
    }

    /// The width of an element in bits, if the text gives it by a type, `E(..)` or `itemsize`.
    ///
    /// ```
    /// use tensor_layout::LayoutText;
    /// let bits = |text| LayoutText::parse(text).unwrap().element_bits();
    /// assert_eq!(bits("((4:8), (8:1))@LM0 / Half"), Some(16));
    /// assert_eq!(bits("s4[8]{0:E(4)}"), Some(4));
    /// assert_eq!(bits("shape=(8,), strides=(4,), itemsize=4"), Some(32));
    /// assert_eq!(bits("(4,8):(8,1)"), None);
    /// ```
    #[must_use]
    pub fn element_bits(&self) -> Option<u64> {
        match self {
            LayoutText::Strided(strided) => strided.itemsize?.checked_mul(8),
            _ => match self.xla_array() {
                Some(array) => Some(array.element_bits()),
                None => self.xla_dtype().map(XlaDtype::bits),
            },
        }
    }

    /// The unit of addresses, in the plural.
    #[must_use]
    pub fn address_unit(&self) -> &'static str {
        if matches!(self, LayoutText::PadLayout(_)) { "long words" } else { "elements" }
    }

    /// Returns whether texts of the notation may let elements share places.
    #[must_use]
    pub fn is_function(&self) -> bool {
        matches!(self, LayoutText::Cute(_) | LayoutText::Strided(_))
    }
}

/// The parts of a PadLayout that are not in its map.
fn suffix(tree: &PadLayout, names_types: bool) -> Vec<String> {
    let memory = tree.memory().map(|memory| format!("@{}", memory.name()));
    let dtype = tree.dtype().filter(|_| !names_types).map(|dtype| format!("/ {dtype}"));
    let bare = tree.broadcast().iter().filter_map(|entry| match entry {
        ReplicaText::Bare(level) => Some(format!("B@[{level}]")),
        ReplicaText::Sized { .. } => None,
    });
    memory.into_iter().chain(dtype).chain(bare).collect()
}

/// The attributes of an array that are not in its map, apart from its type.
fn attributes(array: &XlaArray) -> Vec<String> {
    let is_bounded = |dim: &&XlaDim| matches!(dim, XlaDim::Bounded(_));
    let bounds = array.dims.iter().filter(is_bounded).map(ToString::to_string);
    let attributes = array.layout.iter().flat_map(|layout| {
        let split = (!layout.splits.is_empty()).then(|| "split configurations".into());
        let numbers = [("S", layout.memory_space), ("M", layout.prefix_bytes)];
        let numbers = numbers.into_iter().filter(|(_, number)| *number != 0);
        numbers.map(|(name, number)| format!("{name}({number})")).chain(split)
    });
    bounds.chain(attributes).collect()
}

/// Names the attributes that were lost because an edit of the index made them invalid.
fn lost_attributes(source: &XlaArray, edited: &XlaArray) -> Option<String> {
    let has_bounds = |array: &XlaArray| array.dims.iter().any(|d| matches!(d, XlaDim::Bounded(_)));
    let splits = |array: &XlaArray| array.layout.as_ref().is_some_and(|l| !l.splits.is_empty());
    let bounds = has_bounds(source) && !has_bounds(edited);
    match (bounds, splits(source) && !splits(edited)) {
        (false, false) => None,
        (true, false) => Some("dynamic bounds are not kept".into()),
        (false, true) => Some("split configurations are not kept".into()),
        (true, true) => Some("split configurations and dynamic bounds are not kept".into()),
    }
}

impl Layout {
    /// Writes the layout in a notation; the second part is a note on the padding, spans, used levels and
    /// offset that the text leaves out, if any.
    ///
    /// If a notation cannot express the layout, or lacks padding, only the layout of the elements is written
    /// ([`without_padding`](Layout::without_padding)). Addresses count from 0 in every notation
    /// except CuTe and shape and strides. `dtype` is the element type of an XLA shape.
    /// Law: without the second part the text describes the same map, if it can be read back.
    ///
    /// # Errors
    /// `Inexpressible` with the reason.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// use tensor_layout::notation::Notation;
    /// use tensor_layout::xla::XlaDtype;
    /// let rows = "((4:8), (8:1))".parse::<Layout>()?.slice(0, 1, 3, 1)?;
    /// let f32 = XlaDtype::from_name("f32").unwrap();
    /// let (text, left_out) = rows.write(Notation::Xla, f32)?;
    /// assert_eq!(text, "f32[2,8]{1,0}");
    /// assert_eq!(left_out.unwrap(),
    ///     "this notation cannot express an offset; add 8 to every address; \
    ///     padding is omitted (16 of 32 slots are kept)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write(
        &self,
        notation: Notation,
        dtype: XlaDtype,
    ) -> Result<(String, Option<String>), LayoutError> {
        self.write_like(None, notation, dtype)
    }

    fn write_like(
        &self,
        like: Option<&LayoutText>,
        notation: Notation,
        dtype: XlaDtype,
    ) -> Result<(String, Option<String>), LayoutError> {
        let (layout, offset) = match notation {
            // These can have an offset.
            Notation::Strided | Notation::Cute => (self.clone(), 0),
            _ => self.to_origin(),
        };
        let (written, offset) = match layout.write_as_is(like, notation, dtype) {
            Ok(written) => (written, offset),
            // The first error is returned: that of the layout itself.
            Err(error) => {
                let alone = self.without_padding().map(|alone| alone.to_origin());
                let mut others = [Ok(self.to_origin()), alone].into_iter().flatten();
                let written = others.find_map(|(layout, offset)| {
                    Some((layout.write_as_is(like, notation, dtype).ok()?, offset))
                });
                written.ok_or(error)?
            }
        };
        let said = written.said.with_offset(Level::ADDR, offset)?;
        let left_out = match like.is_some_and(LayoutText::is_function) {
            // In a function, anything other than the elements is a leftover of edits.
            true => None,
            false => left_out_note(&self.left_out(&said), notation.in_messages()),
        };
        let moved = (offset > 0).then(|| {
            format!("this notation cannot express an offset; add {offset} to every address")
        });
        Ok((written.text, notes([moved, left_out, written.note])))
    }

    /// Writes addresses as they are.
    fn write_as_is(
        &self,
        like: Option<&LayoutText>,
        notation: Notation,
        dtype: XlaDtype,
    ) -> Result<TextOfMap, LayoutError> {
        let plainly = |text: String, said: Layout| TextOfMap { text, said, note: None };
        match notation {
            Notation::PadLayout => self.write_pad_layout_like(like),
            Notation::Xla => self.write_xla_like(like, dtype),
            Notation::Sharded => Err(notation.cannot_express(fault!(
                Inexpressible,
                "it is a shape and a sharding; `Sharding::of_layout` reads the sharding"
            ))),
            Notation::Atom => Err(notation.cannot_express(fault!(
                Inexpressible,
                "it is a name from a table, and such names can only be read"
            ))),
            Notation::Strided => {
                let text = self.to_strided()?;
                Ok(plainly(text.to_string(), text.to_layout()?))
            }
            Notation::Triton => {
                let text = self.to_triton()?;
                let not_bitwise = || notation.cannot_express(not_bitwise());
                let said = text.lower().map_err(|_| not_bitwise())?;
                Ok(plainly(text.to_string(), said))
            }
            Notation::Cute => {
                let text = self.to_cute()?;
                Ok(plainly(text.to_string(), text.to_layout()?))
            }
        }
    }

    fn write_pad_layout_like(&self, like: Option<&LayoutText>) -> Result<TextOfMap, LayoutError> {
        let MapText { mut text, said } = self.closest_pad_layout()?;
        if let Some(LayoutText::PadLayout(tree)) = like {
            let still = |level| !self.used_levels().contains(&level);
            let bare = tree
                .broadcast()
                .iter()
                .filter(|entry| matches!(entry, ReplicaText::Bare(level) if still(*level)));
            text.broadcast.extend(bare);
            text = PadLayout { memory: tree.memory, dtype: tree.dtype, ..text };
        }
        Ok(TextOfMap { text: text.to_string(), note: said.unread_note(), said })
    }

    fn write_xla_like(
        &self,
        like: Option<&LayoutText>,
        dtype: XlaDtype,
    ) -> Result<TextOfMap, LayoutError> {
        let source = match like {
            Some(LayoutText::Xla(shape)) => shape.arrays().first().map(|(_, array)| *array),
            _ => None,
        };
        let array = match source.map(|source| (source, self.resized_like(source))) {
            None => self.to_xla_array(dtype)?,
            Some((_, Some(array))) => array,
            Some((source, None)) => self.to_xla_array_like(source)?,
        };
        let note = source.and_then(|source| lost_attributes(source, &array));
        Ok(TextOfMap { text: array.to_string(), said: array.to_layout()?, note })
    }
}

/// A text, the layout that it describes, and further notes.
struct TextOfMap {
    text: String,
    said: Layout,
    note: Option<String>,
}

fn notes<const N: usize>(parts: [Option<String>; N]) -> Option<String> {
    let notes = parts.into_iter().flatten().join("; ");
    (!notes.is_empty()).then_some(notes)
}
