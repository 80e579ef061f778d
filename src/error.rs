//! Errors: the problem, the part of the text or layout, the numbers, and the remedy.
//!
//! A [`LayoutError`] describes a fault in the meaning of a layout and does not hold any text; [`fault!`] makes it where the
//! fault is found. A [`ParseError`] describes a fault in a text: it owns the text and a byte [`Span`], and only its
//! `Display` draws the caret.

mod fact;
mod kind;
mod layout;
mod site;
mod suggest;
mod text;

pub use crate::level::LevelNameError;
pub use fact::Fact;
pub use kind::ErrorKind;
pub use layout::{LayoutError, fault};
pub use site::{Site, Span};
pub(crate) use suggest::{closest, did_you_mean};
pub use text::{Excerpt, ParseError, ParseErrorKind};
