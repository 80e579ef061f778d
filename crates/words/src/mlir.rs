//! MLIR's brackets: groups, types in angle brackets, and the parts between commas.

use crate::walk::{Walk, behind_angled};

/// Splits a text that begins with a bracket into the part up to the closing one, and the rest after it.
pub fn bracketed(text: &str) -> Option<(&str, &str)> {
    let close = Walk::from(1).next(text.as_bytes(), None)?;
    Some((text.get(1..close)?, text.get(close + 1..)?))
}

/// Returns the text up to the `>` that closes its first `<`.
pub fn angled(text: &str) -> Option<&str> {
    text.get(..behind_angled(text.as_bytes())?)
}

/// Returns the parts between commas outside of brackets, types and quotes, trimmed, without empty ones.
pub fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut start = Some(0);
    let parts = std::iter::from_fn(move || {
        let from = start?;
        let (mut walk, mut at, mut open) = (Walk::from(from), from, 0);
        loop {
            let end = walk.next(text.as_bytes(), Some(b','));
            let behind = end.unwrap_or(text.len());
            open += types_left_open(text.get(at..behind)?);
            if end.is_none() || open <= 0 {
                start = end.map(|end| end + 1);
                return text.get(from..behind);
            }
            at = behind;
        }
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// The number of types whose angle brackets open in a text, less those that close: 1 for `%a: tensor<64xf32`.
fn types_left_open(part: &str) -> i64 {
    let (mut depth, mut last) = (0_i64, 0);
    for (_, byte) in outside_strings(part) {
        depth += match byte {
            b'<' => 1,
            b'>' if last != b'-' => -1,
            b'=' if last == b'<' => -1,
            _ => 0,
        };
        last = byte;
    }
    depth
}

/// The bytes of a line outside strings, each with its position.
pub fn outside_strings(line: &str) -> impl Iterator<Item = (usize, u8)> {
    let (mut bytes, mut is_quoted) = ((0..).zip(line.bytes()), false);
    std::iter::from_fn(move || {
        loop {
            match bytes.next()? {
                (_, b'\\') if is_quoted => drop(bytes.next()),
                (_, b'"') => is_quoted = !is_quoted,
                found if !is_quoted => return Some(found),
                _ => {}
            }
        }
    })
}
