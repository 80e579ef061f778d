//! The kinds of notations, and the detection of the notation of a text.

use super::{Atom, Strided, TritonLayout, XlaDtype, sharding};
use crate::error::LayoutError;

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
    /// Encodings and linear layouts of Triton.
    Triton,
    /// Matrices of matrix instructions: `SM80_16x8x16_F32F16F16F32_TN:A`.
    Atom,
    /// An XLA shape with its sharding: `f32[8]{0}, sharding={devices=[4]<=[4]}`.
    Sharded,
}

impl Notation {
    /// The name, as `--from` and `--to` take it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Notation::PadLayout => "pad-layout",
            Notation::Xla => "xla",
            Notation::Cute => "cute",
            Notation::Strided => "strided",
            Notation::Triton => "triton",
            Notation::Atom => "atom",
            Notation::Sharded => "sharded",
        }
    }

    /// The name in messages, with its article.
    pub(crate) const fn in_messages(self) -> &'static str {
        match self {
            Notation::PadLayout => "a PadLayout",
            Notation::Xla => "an XLA shape",
            Notation::Cute => "a CuTe layout",
            Notation::Strided => "shape and strides",
            Notation::Triton => "a Triton layout",
            Notation::Atom => "an instruction",
            Notation::Sharded => "a sharded shape",
        }
    }

    /// The error for a layout that the notation cannot express.
    pub(crate) fn cannot_express(self, reason: LayoutError) -> LayoutError {
        reason.of_task(format!("{} cannot express this layout", self.in_messages()))
    }

    /// The notation that a text looks like, by the first of these rules that applies:
    ///
    /// - Triton: begins with `#` and a name, with a type that has a `#` in it, or with a module; or ends with
    ///   `where out dims are:`.
    /// - An instruction: begins with `SM80_` or `v_mfma_`.
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
        if TritonLayout::is_likely(text) {
            return Notation::Triton;
        }
        if Atom::is_likely(text) {
            return Notation::Atom;
        }
        if Strided::is_likely(text) {
            return Notation::Strided;
        }
        if sharding::sharded_parts(text).is_some() {
            return Notation::Sharded;
        }
        if is_composed(text) {
            return Notation::Cute;
        }
        // The text after `@` is the memory of a PadLayout.
        let body = text.split('@').next().unwrap_or(text);
        let first = body.find(char::is_alphanumeric).and_then(|at| body.get(at..));
        let starts_with = |is: fn(char) -> bool| first.is_some_and(|first| first.starts_with(is));
        if !starts_with(|c| !c.is_ascii_digit()) && has_outer_colon(text) {
            return Notation::Cute;
        }
        let is_shape = body.contains('[') || first.is_some_and(begins_with_type);
        match starts_with(char::is_alphabetic) && is_shape && !text.contains("B@[") {
            true => Notation::Xla,
            false => Notation::PadLayout,
        }
    }
}

/// Returns whether a text begins with the name of an XLA type.
fn begins_with_type(text: &str) -> bool {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    let name = text.get(..end).unwrap_or_default().to_ascii_lowercase();
    XlaDtype::from_name(&name).is_some() || matches!(&*name, "token" | "opaque")
}

/// Returns whether a text is a composed CuTe layout, or a CuTe layout spelled as in C++, Python or MLIR.
fn is_composed(text: &str) -> bool {
    const WORDS: &str = "S< Sw< SW_ Swizzle ComposedLayout Layout( Layout< cute:: \
                         !cute. gmem_ptr[ smem_ptr[ rmem_ptr[ ptr[ ArithTuple( \
                         tensor<ptr< ptr< tensor<raw_ptr( raw_ptr( \
                         smem_sparse tmem_ MMA_Atom TiledMMA Copy_Atom TiledCopy";
    let letters = text.chars().filter(|c| !c.is_whitespace());
    let first: String = letters.skip_while(|c| matches!(c, '(' | ':')).take(16).collect();
    WORDS.split(' ').any(|word| first.starts_with(word))
        || first.starts_with(|c: char| c.is_ascii_digit() || c == '_')
            && text.split_whitespace().any(|word| word == "o")
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
