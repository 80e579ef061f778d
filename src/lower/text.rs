//! Any notation, recognised by its look.

use std::fmt;

use crate::algebra::{IndexOrder, Layout};
use crate::error::{LayoutError, ParseError, ParseErrorKind, Span};
use crate::notation::{
    CuteLayout, PadLayout, ReplicaText, Strided, XlaArray, XlaDim, XlaDtype, XlaParser, XlaShape,
};

/// A notation that layouts are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Notation {
    /// TensorLayout and PadLayout.
    PadLayout,
    /// XLA shapes.
    Xla,
    /// CuTe layouts `shape:stride`.
    Cute,
    /// `shape=(..), strides=(..)`.
    Strided,
}

impl Notation {
    /// The notation that a text looks like: strided text begins with `shape`; CuTe text has a colon
    /// outside of all brackets; the first letter or digit of an XLA shape is a letter, that of a
    /// PadLayout a digit.
    ///
    /// ```
    /// use tensor_layout::notation::Notation;
    /// assert_eq!(Notation::of("((), (8_L2B, 4:1))"), Notation::PadLayout);
    /// assert_eq!(Notation::of("((), f32[2])"), Notation::Xla);
    /// assert_eq!(Notation::of("()"), Notation::PadLayout);
    /// assert_eq!(Notation::of("(4,8):(1,4)"), Notation::Cute);
    /// ```
    #[must_use]
    pub fn of(text: &str) -> Notation {
        if text.trim_start().starts_with("shape") {
            return Notation::Strided;
        }
        let first = text.chars().find(|c| c.is_alphanumeric());
        let is_cute = first.is_none_or(|c| c.is_ascii_digit()) && has_outer_colon(text);
        if is_cute {
            return Notation::Cute;
        }
        match first.is_some_and(char::is_alphabetic) && !text.contains("B@[") {
            true => Notation::Xla,
            false => Notation::PadLayout,
        }
    }
}

/// Where a notation begins that is known and not read.
fn unread(text: &str) -> Option<(usize, &'static str)> {
    let swizzles = ["Sw<", "Swizzle<", "S<", " xor ", "^"];
    let swizzle = swizzles.iter().find_map(|mark| Some((text.find(mark)?, "a swizzle (XOR)")));
    let triton = ["#ttg.", "#triton_gpu.", "#ttng."];
    let encoding = || triton.iter().find_map(|mark| Some((text.find(mark)?, "a Triton encoding")));
    swizzle.or_else(encoding)
}

fn has_outer_colon(text: &str) -> bool {
    let mut depth = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        byte == b':' && depth == 0
    })
}

/// A layout in any notation, as it was written.
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
}

impl fmt::Display for LayoutText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayoutText::PadLayout(tree) => tree.fmt(f),
            LayoutText::Xla(shape) => shape.fmt(f),
            LayoutText::Cute(layout) => layout.fmt(f),
            LayoutText::Strided(layout) => layout.fmt(f),
        }
    }
}

impl LayoutText {
    /// Parses a text in the notation that it looks like.
    ///
    /// # Errors
    /// Those of the notation.
    pub fn parse(text: &str) -> Result<LayoutText, ParseError> {
        LayoutText::parse_as(Notation::of(text), XlaParser::strict(), text)
    }

    /// Parses a text in a given notation; XLA shapes as `xla` says.
    ///
    /// # Errors
    /// Those of the notation.
    pub fn parse_as(
        notation: Notation,
        xla: XlaParser,
        text: &str,
    ) -> Result<LayoutText, ParseError> {
        if let Some((at, what)) = unread(text) {
            let span = Span::new(at, text.len());
            return Err(ParseError::new(ParseErrorKind::OtherNotation(what), span, text));
        }
        match notation {
            Notation::PadLayout => text.parse().map(LayoutText::PadLayout),
            Notation::Xla => xla.parse(text).map(LayoutText::Xla),
            Notation::Cute => text.parse().map(LayoutText::Cute),
            Notation::Strided => text.parse().map(LayoutText::Strided),
        }
    }

    /// Says what the text means.
    ///
    /// # Errors
    /// Those of [`PadLayout::lower`] and [`XlaShape::lower`].
    pub fn lower(&self) -> Result<Layout, ParseError> {
        match self {
            LayoutText::PadLayout(tree) => tree.lower(),
            LayoutText::Xla(shape) => shape.lower(),
            LayoutText::Cute(layout) => layout.lower(),
            LayoutText::Strided(layout) => layout.lower(),
        }
    }

    /// The refusal of this text for what it means.
    #[must_use]
    pub fn refuse(&self, error: LayoutError) -> ParseError {
        match self {
            LayoutText::PadLayout(tree) => tree.refuse(error),
            LayoutText::Xla(shape) => shape.refuse_layout(error),
            LayoutText::Cute(layout) => layout.refuse(error),
            LayoutText::Strided(layout) => layout.refuse(error),
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
        }
    }

    /// How the notation numbers the elements of a tensor.
    #[must_use]
    pub fn index_order(&self) -> IndexOrder {
        match self {
            LayoutText::Cute(_) => IndexOrder::Colexicographic,
            _ => IndexOrder::RowMajor,
        }
    }

    /// Writes a layout that was made from this one, as [`Layout::write`]; a bare broadcast that was
    /// written here is kept where it still holds, and so is the type of an XLA shape.
    ///
    /// # Errors
    /// [`Inexpressible`](LayoutError::Inexpressible) with the reason.
    pub fn write_edited(
        &self,
        edited: &Layout,
        notation: Notation,
        dtype: XlaDtype,
    ) -> Result<(String, Option<String>), LayoutError> {
        match self {
            LayoutText::PadLayout(tree) if notation == Notation::PadLayout => {
                let (mut text, lost) = edited.to_pad_layout_map()?;
                let still = |level| !edited.used_levels().contains(&level);
                let bare = tree
                    .broadcast()
                    .iter()
                    .filter(|entry| matches!(entry, ReplicaText::Bare(level) if still(*level)));
                text.broadcast.extend(bare);
                let text = PadLayout { memory: tree.memory, dtype: tree.dtype, ..text };
                Ok((text.to_string(), lost))
            }
            LayoutText::Xla(shape) => match (shape.arrays().first(), notation) {
                (Some((_, source)), Notation::Xla) => {
                    let array = edited.to_xla_array_like(source)?;
                    let lost = lost_attributes(source, &array);
                    Ok((array.to_string(), lost))
                }
                _ => edited.write(notation, dtype),
            },
            _ => edited.write(notation, dtype),
        }
    }

    /// What addresses count.
    #[must_use]
    pub fn address_unit(&self) -> &'static str {
        if matches!(self, LayoutText::PadLayout(_)) { "long words" } else { "elements" }
    }

    /// Whether texts of the notation may let elements share places.
    #[must_use]
    pub fn is_function(&self) -> bool {
        matches!(self, LayoutText::Cute(_) | LayoutText::Strided(_))
    }
}

/// Names what an edit of the index does not leave valid, where it is gone.
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
    /// Writes the layout in a notation; the second part says what of padding and span the text
    /// cannot say, if anything.
    ///
    /// `dtype` is the element type of an XLA shape.
    ///
    /// # Errors
    /// [`Inexpressible`](LayoutError::Inexpressible) with the reason.
    pub fn write(
        &self,
        notation: Notation,
        dtype: XlaDtype,
    ) -> Result<(String, Option<String>), LayoutError> {
        match notation {
            Notation::PadLayout => {
                self.to_pad_layout_map().map(|(text, lost)| (text.to_string(), lost))
            }
            Notation::Xla => self.to_xla_array(dtype).map(|array| (array.to_string(), None)),
            Notation::Cute => self.to_cute().map(|layout| (layout.to_string(), None)),
            Notation::Strided => {
                let lost = || "shape and strides do not say the padding".to_owned();
                let is_padded = self.slots() != self.elements();
                self.to_strided().map(|layout| (layout.to_string(), is_padded.then(lost)))
            }
        }
    }
}
