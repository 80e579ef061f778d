//! Errors as values: their words are written when they are asked for.

use std::sync::OnceLock;

use tensor_layout::error::{ErrorKind, ParseErrorKind};
use tensor_layout::{LayoutError, ParseError};

use self::ffi::{tl0_Error, tl0_ErrorKind, tl0_Span};

/// An error of the library.
#[derive(Debug)]
pub(crate) enum Failure {
    Layout(LayoutError),
    Text(ParseError),
}

/// The words of an error.
#[derive(Debug)]
pub(crate) struct Words {
    message: String,
    help: Option<String>,
    report: String,
}

/// The functions of [`tl0_Error`].
#[diplomat::bridge]
pub mod ffi {
    use std::sync::OnceLock;

    use super::{Failure, Words};

    /// The kind of an error: the cases that a caller treats differently.
    #[derive(Debug)]
    #[diplomat::attr(cpp, rename = "ErrorKind")]
    pub enum tl0_ErrorKind {
        /// A kind that this version of the header does not know.
        Other = 0,
        /// A text that cannot be read.
        Syntax = 1,
        /// A description that contradicts itself or leaves a part out.
        Invalid = 2,
        /// An argument that does not fit the layout or the operation.
        Argument = 3,
        /// Shapes, ranks or lengths, those of buffers included, that differ and must not.
        Shape = 4,
        /// An index, a coordinate or a part beyond the last.
        OutOfRange = 5,
        /// A map beyond the extents that it indexes.
        OutsideDomain = 6,
        /// A name that is not known here.
        Unknown = 7,
        /// Information that the question needs and was not given.
        Missing = 8,
        /// A number beyond 64 bits.
        TooLarge = 9,
        /// More than the machine, its memory or the operation has room for.
        Limit = 10,
        /// A question whose exact answer would take more steps than documented.
        NotDecided = 11,
        /// Two elements, or two copies, in one place.
        Collision = 12,
        /// Two placements that have nothing in common to compare, or between which nothing can move.
        NotComparable = 13,
        /// Digits or copies that do not line up with the groups of units.
        Uneven = 14,
        /// A sharding that is not sums of digits.
        NoDigits = 15,
        /// A layout that a notation cannot express.
        Inexpressible = 16,
        /// A layout whose inverse is not a layout.
        CannotInvert = 17,
        /// A layout without a complement.
        CannotComplement = 18,
        /// A part of a layout that is not a layout of its own.
        CannotRestrict = 19,
        /// A move between memories that no movements make.
        NoRoute = 20,
        /// A valid input for which the operation has no rule.
        Unsupported = 21,
    }

    /// Bytes of a text, from the first to one past the last.
    #[derive(Debug)]
    #[diplomat::attr(cpp, rename = "Span")]
    pub struct tl0_Span {
        /// The first byte.
        pub start: usize,
        /// One past the last byte.
        pub end: usize,
    }

    /// The reason that a call has no answer.
    #[derive(Debug)]
    #[diplomat::opaque]
    #[diplomat::attr(cpp, rename = "Error")]
    pub struct tl0_Error {
        pub(crate) failure: Failure,
        pub(crate) words: OnceLock<Words>,
    }

    impl tl0_Error {
        /// The kind. Cost: no allocation.
        pub fn kind(&self) -> tl0_ErrorKind {
            self.failure.kind()
        }

        /// The problem, in one line without a final stop, as long as the error lives. Cost: written at the first call
        /// for any of the texts.
        pub fn message<'a>(&'a self) -> &'a str {
            &self.words().message
        }

        /// The remedy, if one is known.
        pub fn help<'a>(&'a self) -> Option<&'a str> {
            self.words().help.as_deref()
        }

        /// All that is known, for people: the message, the text with a caret below the fault, the help.
        pub fn report<'a>(&'a self) -> &'a str {
            &self.words().report
        }

        /// The bytes of the text at fault, if the error is about a text.
        pub fn span(&self) -> Option<tl0_Span> {
            self.failure.span()
        }
    }
}

impl tl0_Error {
    fn words(&self) -> &Words {
        self.words.get_or_init(|| self.failure.words())
    }
}

impl Failure {
    fn kind(&self) -> tl0_ErrorKind {
        match self {
            Failure::Layout(error) => error.kind().into(),
            Failure::Text(error) => match error.kind() {
                ParseErrorKind::Meaning(cause) => cause.kind().into(),
                _ => tl0_ErrorKind::Syntax,
            },
        }
    }

    fn words(&self) -> Words {
        match self {
            Failure::Layout(error) => {
                let (message, help) = (error.to_string(), error.help());
                let remedy = help.iter().map(|help| format!("\n  = help: {help}"));
                let report = std::iter::once(message.clone()).chain(remedy).collect();
                Words { message, help, report }
            }
            Failure::Text(error) => Words {
                message: error.kind().to_string(),
                help: error.help().map(str::to_owned),
                report: error.to_string(),
            },
        }
    }

    fn span(&self) -> Option<tl0_Span> {
        let Failure::Text(error) = self else { return None };
        Some(tl0_Span { start: error.span().start, end: error.span().end })
    }
}

impl From<Failure> for Box<tl0_Error> {
    fn from(failure: Failure) -> Box<tl0_Error> {
        Box::new(tl0_Error { failure, words: OnceLock::new() })
    }
}

impl From<LayoutError> for Box<tl0_Error> {
    fn from(error: LayoutError) -> Box<tl0_Error> {
        Failure::Layout(error).into()
    }
}

impl From<ParseError> for Box<tl0_Error> {
    fn from(error: ParseError) -> Box<tl0_Error> {
        Failure::Text(error).into()
    }
}

macro_rules! kinds {
    ($($kind:ident),+) => {
        impl From<ErrorKind> for tl0_ErrorKind {
            fn from(kind: ErrorKind) -> tl0_ErrorKind {
                match kind {
                    $(ErrorKind::$kind => tl0_ErrorKind::$kind,)+
                    _ => tl0_ErrorKind::Other,
                }
            }
        }
    };
}

kinds!(
    Invalid,
    Argument,
    Shape,
    OutOfRange,
    OutsideDomain,
    Unknown,
    Missing,
    TooLarge,
    Limit,
    NotDecided,
    Collision,
    NotComparable,
    Uneven,
    NoDigits,
    Inexpressible,
    CannotInvert,
    CannotComplement,
    CannotRestrict,
    NoRoute,
    Unsupported
);
