//! The shape that is written beside a layout: `{"shape": [151936, 1536], "layout": "((75_Time:4, ..), ..)"}`.

use itertools::Itertools;

use crate::scan::bracket::{behind_blanks, list_end};

/// The distance, in bytes, within which the shape of a layout is sought.
const NEAR: usize = 1 << 12;

/// Returns the shape beside the layout in `start..end` as `(151936,1536)`: that of the key `shape` in the same object of
/// JSON, dictionary or call, if the layout is the value of another key, in quotes.
pub(super) fn shape_beside(bytes: &[u8], start: usize, end: usize) -> Option<String> {
    let (before, opening) = bytes.get(..start)?.split_at_checked(start.checked_sub(1)?)?;
    let (closing, after) = bytes.get(end..)?.split_at_checked(1)?;
    if opening != closing || !matches!(opening, b"\"" | b"'") {
        return None;
    }
    before.trim_ascii_end().strip_suffix(b":").or(before.trim_ascii_end().strip_suffix(b"="))?;
    let before = before.get(before.len().saturating_sub(NEAR)..)?;
    let after = after.get(..NEAR).unwrap_or(after);
    let own = before.len() - outer_bracket(before.iter().rev().copied(), b"}])", b"{[(")?;
    let rest = outer_bracket(after.iter().copied(), b"{[(", b"}])")?;
    shape_among(before.get(own..)?).or_else(|| shape_among(after.get(..rest)?))
}

/// Returns the position of the first bracket that closes what was opened before, outside quotes.
pub(super) fn outer_bracket(
    bytes: impl Iterator<Item = u8>,
    open: &[u8],
    close: &[u8],
) -> Option<usize> {
    let (mut depth, mut quote) = (0_usize, None);
    for (at, byte) in bytes.enumerate() {
        match quote {
            Some(own) => quote = Some(own).filter(|own| *own != byte),
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            None if open.contains(&byte) => depth += 1,
            None if close.contains(&byte) && depth == 0 => return Some(at),
            None if close.contains(&byte) => depth -= 1,
            None => {}
        }
    }
    None
}

/// The shape among the members of an object, outside brackets.
fn shape_among(members: &[u8]) -> Option<String> {
    let (mut depth, mut quote, mut before) = (0_usize, None, b' ');
    for (at, byte) in members.iter().copied().enumerate() {
        let rest = members.get(at..)?;
        if depth == 0
            && quote.is_none()
            && !before.is_ascii_alphanumeric()
            && before != b'_'
            && let Some(shape) = shape_at(rest)
        {
            return Some(shape);
        }
        match (quote, byte) {
            (Some(own), _) => quote = Some(own).filter(|own| *own != byte),
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'{' | b'[' | b'(') => depth += 1,
            (None, b'}' | b']' | b')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = byte;
    }
    None
}

/// The shape of `"shape": [2, 3]` or `shape=(2, 3)` at the start of a text.
fn shape_at(text: &[u8]) -> Option<String> {
    let key =
        [&b"\"shape\""[..], b"'shape'", b"shape"].into_iter().find(|key| text.starts_with(key))?;
    let sign = behind_blanks(text, key.len());
    let list = behind_blanks(text, sign + 1);
    let opens = matches!(text.get(sign)?, b':' | b'=') && matches!(text.get(list)?, b'[' | b'(');
    let inner = text.get(list + 1..opens.then(|| list_end(text, list))?? - 1)?;
    let extents =
        std::str::from_utf8(inner).ok()?.split(',').map(|part| part.trim_matches(is_blank));
    let extents = extents.filter(|extent| !extent.is_empty()).join(",");
    let is_plain = extents.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    is_plain.then(|| format!("({extents})"))
}

fn is_blank(c: char) -> bool {
    c.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::shape_beside;

    fn beside(text: &str) -> Option<String> {
        let start = text.find("((").unwrap();
        shape_beside(text.as_bytes(), start, text.rfind("))").unwrap() + 2)
    }

    #[test]
    fn the_shape_of_the_same_object_is_that_of_the_layout() {
        for (text, shape) in [
            (r#"{"shape": [8, 3], "layout": "((4:1))"}"#, Some("(8,3)")),
            (r#"{"layout":"((4:1))","op":"a}","shape":[8]}"#, Some("(8)")),
            ("Spec(shape=(8, 3,), layout='((4:1))')", Some("(8,3)")),
            ("{'shape': (8,\n 3), 'layout': '((4:1))'}", Some("(8,3)")),
            (r#"{"shape": [], "layout": "((4:1))"}"#, Some("()")),
            (r#"{"a": {"shape": [8]}, "layout": "((4:1))"}"#, None),
            (r#"{"shape": [8]}, {"layout": "((4:1))"}"#, None),
            (r#"{"layout": "((4:1))", "b": {"shape": [8]}}"#, None),
            (r#"{"shape": [["a"]], "layout": "((4:1))"}"#, None),
            (r#"{"my_shape": [8], "layout": "((4:1))"}"#, None),
            ("shape: [8] layout: ((4:1))", None),
        ] {
            assert_eq!(beside(text).as_deref(), shape, "{text}");
        }
    }
}
