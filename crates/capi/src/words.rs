//! Arguments of C as those of the library.

use tensor_layout::error::{ParseErrorKind, Span, fault};
use tensor_layout::{LayoutError, ParseError};

use crate::error::ffi::tl0_Error;

/// A text as UTF-8.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, ParseError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let text = String::from_utf8_lossy(bytes);
        ParseError::new(ParseErrorKind::NotUtf8, Span::new(at, at), &text)
    })
}

/// Checks the length of the caller's buffer.
pub(crate) fn check_length(
    buffer: &'static str,
    found: usize,
    wanted: usize,
) -> Result<(), LayoutError> {
    match found == wanted {
        true => Ok(()),
        false => Err(fault!(
            Shape,
            "the length of {buffer} is {found}, but {wanted} is needed",
            [buffer, found, wanted]
        )),
    }
}

/// An answer on the heap, where handles are.
pub(crate) fn boxed<T>(
    answer: Result<T, impl Into<Box<tl0_Error>>>,
) -> Result<Box<T>, Box<tl0_Error>> {
    answer.map(Box::new).map_err(Into::into)
}
