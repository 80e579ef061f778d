//! Text in any notation, detected from its form.

use std::fmt;

use itertools::Itertools;

use super::kind::{NotationText, WrittenLayout, notations};
use super::mlir::is_mapped;
use super::pad_layout::left_out_note;
use super::sharding::ShardedShape;
use super::xla::{XlaArray, XlaDtype, XlaParser, XlaShape};
use super::{Atom, CuteLayout, Notation, PadLayout, Strided, TritonLayout};
use crate::algebra::{IndexOrder, Layout};
use crate::error::{LayoutError, ParseError, ParseErrorKind, Span};
use crate::level::Level;
use crate::machine::Machine;

macro_rules! any {
    ($($(#[$doc:meta])* $notation:ident $name:literal $in_messages:literal [$text:ty],)+) => {
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
            $($(#[$doc])* $notation($text),)+
        }

        impl LayoutText {
            fn text(&self) -> &dyn NotationText {
                match self {
                    $(LayoutText::$notation(text) => text,)+
                }
            }

            fn read(notation: Notation, xla: XlaParser, text: &str) -> Result<LayoutText, ParseError> {
                match notation {
                    $(Notation::$notation => {
                        <$text>::read(text, xla).map(LayoutText::$notation)
                    })+
                }
            }

            /// Returns the layout that the text describes.
            ///
            /// # Errors
            /// As `lower` of the notation, for example [`PadLayout::lower`] and [`XlaShape::lower`].
            pub fn lower(&self) -> Result<Layout, ParseError> {
                match self {
                    $(LayoutText::$notation(text) => text.lower(),)+
                }
            }

            /// Wraps `error` in a [`ParseError`] that points at this text.
            pub fn refuse(&self, error: impl Into<LayoutError>) -> ParseError {
                match self {
                    $(LayoutText::$notation(text) => text.refuse(error),)+
                }
            }

            /// The notation.
            #[must_use]
            pub fn notation(&self) -> Notation {
                match self {
                    $(LayoutText::$notation(_) => Notation::$notation,)+
                }
            }
        }

        impl Notation {
            /// The notation that a text looks like, by the first of these rules that applies:
            ///
            /// - Triton: begins with `#` and a name, with a type that has a `#` in it, or with a module; or ends with
            ///   `where out dims are:`.
            /// - An instruction: begins with `SM80_` or `v_mfma_`.
            /// - A memref: strided, an XLA shape where it has `#tpu.tiled`, a PadLayout where it has an affine map.
            /// - Strided: begins with `shape` or `torch.Size`, or is two lists of integers.
            /// - Sharded: an XLA shape with a `sharding=` after it.
            /// - CuTe: has a colon outside all brackets, begins with a swizzle or the name of a CuTe type, or
            ///   contains ` o `.
            /// - XLA: begins with the name of a type, or begins with a letter and contains a `[`.
            /// - PadLayout: all other text.
            ///
            /// ```
            /// use tensor_layout::notation::Notation;
            /// assert_eq!(Notation::of("((), (8_L2B, 4:1))"), Notation::PadLayout);
            /// assert_eq!(Notation::of("((), f32[2])"), Notation::Xla);
            /// assert_eq!(Notation::of("()"), Notation::PadLayout);
            /// assert_eq!(Notation::of("(4,8):(1,4)"), Notation::Cute);
            /// assert_eq!(Notation::of("tensor<128x64xf16, #ttg.slice<..>>"), Notation::Triton);
            /// assert_eq!(Notation::of("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"), Notation::Cute);
            /// ```
            #[must_use]
            pub fn of(text: &str) -> Notation {
                let rows: &[(Notation, fn(&str) -> bool)] =
                    &[$((Notation::$notation, <$text>::is_likely),)+];
                let likely = rows.iter().rev().find(|(_, is_likely)| is_likely(text));
                likely.map_or(Notation::PadLayout, |(notation, _)| *notation)
            }

            /// Writes addresses as they are.
            fn write(
                self,
                layout: &Layout,
                like: Option<&LayoutText>,
                dtype: XlaDtype,
            ) -> Result<WrittenLayout, LayoutError> {
                match self {
                    $(Notation::$notation => {
                        let like = match like {
                            Some(LayoutText::$notation(text)) => Some(text),
                            _ => None,
                        };
                        <$text>::write(layout, like, dtype)
                    })+
                }
            }
        }
    };
}

notations!(any);

impl fmt::Display for LayoutText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl Notation {
    /// Returns whether texts are functions to addresses: elements may share one, and the first may be other than 0.
    fn is_function(self) -> bool {
        matches!(self, Notation::Cute | Notation::Strided)
    }
}

/// The byte at which an unsupported notation begins, and its name.
fn unread(text: &str) -> Option<(usize, &'static str)> {
    let xors = [" xor ", "^"];
    xors.iter().find_map(|mark| Some((text.find(mark)?, "an XOR")))
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
        let parsed = LayoutText::read(notation, xla, text);
        // If the text parses, these marks are in a comment or in metadata, where they mean nothing.
        parsed.map_err(|error| match unread(text) {
            Some((at, what)) => {
                let span = Span::new(at, text.len());
                ParseError::new(ParseErrorKind::OtherNotation(what), span, text)
            }
            None if notation == Notation::PadLayout
                && !text.trim_start().starts_with('(')
                && !is_mapped(text) =>
            {
                ParseError::new(ParseErrorKind::NotALayout, Span::new(0, text.len()), text)
            }
            None => error,
        })
    }

    /// Returns the layout that the text describes on a machine: the devices of a sharding are its units,
    /// numbered through the tree, and the bare replicas of a PadLayout are its levels.
    ///
    /// # Errors
    /// As [`lower`](LayoutText::lower), and those of [`PadLayout::lower_on`].
    pub fn lower_on(&self, machine: &Machine) -> Result<Layout, ParseError> {
        match self {
            LayoutText::PadLayout(text) => text.lower_on(machine),
            LayoutText::Sharded(text) => text.lower_on(machine),
            _ => self.lower(),
        }
    }

    /// The notation that edits of this text are written in: its own, but `PadLayout` for the names of instructions.
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
        self.text().xla_array()
    }

    /// A note on the parts of this text that are not in the map and that `notation` cannot express.
    fn beyond_the_map(&self, notation: Notation) -> Option<String> {
        if notation == self.notation() {
            return None;
        }
        let words = self.text().beyond_the_map(notation);
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
        self.text().xla_dtype()
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
        self.text().element_bits()
    }

    /// The unit of addresses, in the plural.
    #[must_use]
    pub fn address_unit(&self) -> &'static str {
        match self {
            LayoutText::PadLayout(_) => "long words",
            _ => "elements",
        }
    }

    /// Returns whether texts of the notation may let elements share places.
    #[must_use]
    pub fn is_function(&self) -> bool {
        self.notation().is_function()
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
        let (layout, offset) =
            if notation.is_function() { (self.clone(), 0) } else { self.to_origin() };
        let (written, offset) = match notation.write(&layout, like, dtype) {
            Ok(written) => (written, offset),
            // The first error is returned: that of the layout itself.
            Err(error) => {
                let alone = self.without_padding().map(|alone| alone.to_origin());
                let mut others = [Ok(self.to_origin()), alone].into_iter().flatten();
                let written = others.find_map(|(layout, offset)| {
                    Some((notation.write(&layout, like, dtype).ok()?, offset))
                });
                written.ok_or(error)?
            }
        };
        let read_back = written.layout.with_offset(Level::ADDR, offset)?;
        let left_out = match like.is_some_and(LayoutText::is_function) {
            // In a function, anything other than the elements is a leftover of edits.
            true => None,
            false => left_out_note(&self.left_out(&read_back), notation.in_messages()),
        };
        let moved = (offset > 0).then(|| {
            format!("this notation cannot express an offset; add {offset} to every address")
        });
        Ok((written.text, notes([moved, left_out, written.note])))
    }
}

fn notes<const N: usize>(parts: [Option<String>; N]) -> Option<String> {
    let notes = parts.into_iter().flatten().join("; ");
    (!notes.is_empty()).then_some(notes)
}
