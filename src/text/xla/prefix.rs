//! A shape at the head of a longer text.

use super::XlaShape;
use crate::error::ParseError;
use crate::text::Walk;

impl XlaShape {
    /// Parses the shape at the head of a longer text, such as the rest of an HLO line, and returns it with
    /// the byte at which it ends.
    ///
    /// # Errors
    /// Those of parsing the head alone, up to and including its last bracket.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::xla::XlaShape;
    /// let text = "bf16[8,128]{1,0:T(8,128)(2,1)} fusion(bf16[8,128]{1,0} %p), kind=kLoop";
    /// let (shape, end) = XlaShape::parse_prefix(text)?;
    /// assert_eq!(shape.to_string(), "bf16[8,128]{1,0:T(8,128)(2,1)}");
    /// assert_eq!(&text[end..end + 7], " fusion");
    /// assert!(XlaShape::parse_prefix("fusion(f32[2])").is_err());
    /// # Ok::<(), tensor_layout::ParseError>(())
    /// ```
    pub fn parse_prefix(text: &str) -> Result<(XlaShape, usize), ParseError> {
        let end = end(text);
        let head = text.get(..end).unwrap_or(text);
        head.parse().map(|shape| (shape, end))
    }
}

/// The byte at which the head ends: after the brackets of a tuple, or of dimensions and of the layout.
fn end(text: &str) -> usize {
    let start = text.len() - text.trim_start().len();
    let bytes = text.as_bytes();
    if let Some(bracket) = outer_bracket(bytes, start) {
        return after_bracket(bytes, bracket);
    }
    let name = bytes.iter().skip(start).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let mut end = start + name;
    for open in [b'[', b'{'] {
        if bytes.get(end) == Some(&open) {
            end = after_bracket(bytes, end);
        }
    }
    end
}

/// The byte of the bracket that encloses the whole shape at `start`: of a tuple, or of a buffer,
/// `b(f32[2])`.
fn outer_bracket(text: &[u8], start: usize) -> Option<usize> {
    match text.get(start..)? {
        [b'(', ..] => Some(start),
        [b'b', b'(', ..] => Some(start + 1),
        _ => None,
    }
}

/// The place after the bracket that closes the one at `start`, or the end.
fn after_bracket(bytes: &[u8], start: usize) -> usize {
    Walk::from(start + 1).next(bytes, None).map_or(bytes.len(), |close| close + 1)
}
