//! Any notation, recognised by its look.

use crate::algebra::Layout;
use crate::error::{LayoutError, ParseError};
use crate::notation::{PadLayout, XlaParser, XlaShape};

/// A notation that layouts are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Notation {
    /// TensorLayout and PadLayout.
    PadLayout,
    /// XLA shapes.
    Xla,
}

impl Notation {
    /// The notation that a text looks like: the first letter or digit of an XLA shape is a letter,
    /// that of a PadLayout a digit.
    ///
    /// ```
    /// use tensor_layout::Notation;
    /// assert_eq!(Notation::of("((), (8_L2B, 4:1))"), Notation::PadLayout);
    /// assert_eq!(Notation::of("((), f32[2])"), Notation::Xla);
    /// assert_eq!(Notation::of("()"), Notation::PadLayout);
    /// ```
    #[must_use]
    pub fn of(text: &str) -> Notation {
        let first = text.chars().find(|c| c.is_alphanumeric());
        match first.is_some_and(char::is_alphabetic) && !text.contains("B@[") {
            true => Notation::Xla,
            false => Notation::PadLayout,
        }
    }
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
        match notation {
            Notation::PadLayout => text.parse().map(LayoutText::PadLayout),
            Notation::Xla => xla.parse(text).map(LayoutText::Xla),
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
        }
    }

    /// The refusal of this text for what it means.
    #[must_use]
    pub fn refuse(&self, error: LayoutError) -> ParseError {
        match self {
            LayoutText::PadLayout(tree) => tree.refuse(error),
            LayoutText::Xla(shape) => shape.refuse_layout(error),
        }
    }
}
