//! The notations: a row each, and what each answers.

use std::fmt::Display;

use super::xla::{XlaArray, XlaDtype, XlaParser};
use crate::algebra::Layout;
use crate::error::{LayoutError, ParseError};

/// Gives the table of notations to a macro: the name in options, the name in messages, the type of a text.
///
/// A text is of the last notation that it is [likely](NotationText::is_likely) of.
macro_rules! notations {
    ($take:ident) => {
        $take! {
            /// TensorLayout and PadLayout.
            PadLayout "pad-layout" "a PadLayout" [PadLayout],
            /// XLA shapes.
            Xla "xla" "an XLA shape" [XlaShape],
            /// CuTe layouts `shape:stride`.
            Cute "cute" "a CuTe layout" [CuteLayout],
            /// An XLA shape with its sharding: `f32[8]{0}, sharding={devices=[4]<=[4]}`.
            Sharded "sharded" "a sharded shape" [Box<ShardedShape>],
            /// `shape=(..), strides=(..)`.
            Strided "strided" "shape and strides" [Strided],
            /// Matrices of matrix instructions: `SM80_16x8x16_F32F16F16F32_TN:A`.
            Atom "atom" "an instruction" [Atom],
            /// Encodings and linear layouts of Triton.
            Triton "triton" "a Triton layout" [TritonLayout],
        }
    };
}
pub(super) use notations;

macro_rules! names {
    ($($(#[$doc:meta])* $notation:ident $name:literal $in_messages:literal $text:tt,)+) => {
        /// A notation that layouts are written in.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Notation {
            $($(#[$doc])* $notation,)+
        }

        impl Notation {
            /// The name, as `--from` and `--to` take it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Notation::$notation => $name,)+
                }
            }

            /// The name in messages, with its article.
            pub(crate) const fn in_messages(self) -> &'static str {
                match self {
                    $(Notation::$notation => $in_messages,)+
                }
            }
        }
    };
}

notations!(names);

impl Notation {
    /// The error for a layout that the notation cannot express.
    pub(crate) fn cannot_express(self, reason: LayoutError) -> LayoutError {
        reason.of_task(format!("{} cannot express this layout", self.in_messages()))
    }
}

/// What a notation answers; the notation itself is a row of [`notations`].
pub(super) trait NotationText: Display {
    /// Returns whether a text looks like this notation, given that it looks like none of a later row.
    fn is_likely(text: &str) -> bool
    where
        Self: Sized;

    /// Reads a text; `xla` reads the shapes of XLA in it.
    fn read(text: &str, xla: XlaParser) -> Result<Self, ParseError>
    where
        Self: Sized;

    /// Writes a layout. The attributes of `like` are kept as far as they are still valid; the type is that of an XLA
    /// shape without another.
    fn write(
        layout: &Layout,
        like: Option<&Self>,
        dtype: XlaDtype,
    ) -> Result<WrittenLayout, LayoutError>
    where
        Self: Sized;

    /// The array of an XLA shape.
    fn xla_array(&self) -> Option<&XlaArray> {
        None
    }

    /// The type of the elements, as XLA's type.
    fn xla_dtype(&self) -> Option<XlaDtype> {
        self.xla_array().map(|array| array.dtype)
    }

    /// The width of an element in bits.
    fn element_bits(&self) -> Option<u64> {
        let of_array = self.xla_array().map(XlaArray::element_bits);
        of_array.or_else(|| self.xla_dtype().map(XlaDtype::bits))
    }

    /// The parts of the text that are not in its map and that another notation cannot express.
    fn beyond_the_map(&self, _other: Notation) -> Vec<String> {
        Vec::new()
    }
}

/// A text of a layout, the layout that it describes, and a note.
pub(super) struct WrittenLayout {
    pub(super) text: String,
    pub(super) layout: Layout,
    pub(super) note: Option<String>,
}

impl WrittenLayout {
    /// A text without a note.
    pub(super) fn new(text: &impl Display, layout: Layout) -> WrittenLayout {
        WrittenLayout { text: text.to_string(), layout, note: None }
    }
}
