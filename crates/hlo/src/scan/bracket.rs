//! Brackets that may be layouts, by their characters alone.

use crate::escapes::SOFT_BREAK;
use tensor_layout::notation::{Dtype, Notation};

/// The greatest depth to which the brackets of a CuTe layout may nest.
const DEEPEST: usize = 64;

/// The greatest number of lines of a layout.
pub(super) const MOST_LINES: usize = 16;

/// A stretch of text that may be a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) notation: Notation,
    /// Set if it is meant as a layout for certain, because it names levels or follows a swizzle.
    pub(super) is_certain: bool,
}

/// A bracket whose characters all may be those of a layout.
#[derive(Clone, Copy, Debug)]
struct BracketPart {
    end: usize,
    height: usize,
    /// Set if it has a term such as `4_PE`, or the slip `4-PE`.
    has_level: bool,
    has_colon: bool,
    has_comma: bool,
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | SOFT_BREAK)
}

/// Returns the position after bytes of one kind.
fn behind(bytes: &[u8], at: usize, is: impl Fn(&u8) -> bool) -> usize {
    at + bytes.get(at..).unwrap_or_default().iter().take_while(|byte| is(byte)).count()
}

/// Returns the position after blanks.
pub(super) fn behind_blanks(bytes: &[u8], at: usize) -> usize {
    behind(bytes, at, |byte| is_blank(*byte))
}

/// Reads the bracket that opens at `open`.
///
/// Cost: O(its length). Brackets that nest more than 64 deep are given up, so all brackets of a text together
/// cost O(64 x its length).
fn group(bytes: &[u8], open: usize) -> Option<BracketPart> {
    let first = *bytes.get(behind_blanks(bytes, open + 1))?;
    // Nearly all brackets of a dump are rejected here.
    if !(first.is_ascii_digit() || matches!(first, b'(' | b')' | b'_')) {
        return None;
    }
    let mut found =
        BracketPart { end: open, height: 0, has_level: false, has_colon: false, has_comma: false };
    let (mut depth, mut lines, mut before) = (0, 0, [0, 0]);
    for (byte, end) in bytes.get(open..)?.iter().zip(open + 1..) {
        match *byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b':' => found.has_colon = true,
            b',' => found.has_comma = true,
            b'\n' | SOFT_BREAK => lines += 1,
            b'_' | b'-' | b';' | b'@' | b'[' | b']' | b' ' | b'\t' | b'\r' | b'0'..=b'9' => {}
            letter if letter.is_ascii_alphabetic() => {
                // `4-PE` is a slip to be reported.
                found.has_level |= matches!(before, [b'0'..=b'9', b'_' | b'-']);
            }
            _ => return None,
        }
        (before, found.height) = ([before[1], *byte], found.height.max(depth));
        if depth == 0 {
            return Some(BracketPart { end, ..found });
        }
        if depth > DEEPEST || lines >= MOST_LINES {
            return None;
        }
    }
    None
}

/// Returns the stretch that begins with the bracket at `open`, if it may be a layout.
pub(super) fn stretch(bytes: &[u8], open: usize) -> Option<Stretch> {
    let head = group(bytes, open)?;
    let tuple = |at: usize| (bytes.get(at) == Some(&b'(')).then(|| group(bytes, at))?;
    if bytes.get(head.end) == Some(&b':')
        && let Some(strides) = tuple(head.end + 1)
        && !head.has_colon
        && !strides.has_colon
    {
        let notation = Notation::Cute;
        return Some(Stretch { start: open, end: strides.end, notation, is_certain: false });
    }
    let slash = behind_blanks(bytes, head.end);
    let shaped = (bytes.get(slash) == Some(&b'/')).then(|| behind_blanks(bytes, slash + 1));
    let body = shaped.and_then(tuple).filter(|_| head.height == 1 && !head.has_colon);
    let (body, has_shape) = (body.unwrap_or(head), body.is_some());
    let has_terms = body.has_level || body.has_colon;
    let is_tree = body.height == 2 || has_shape || is_list(bytes, open, body);
    (has_terms && is_tree && body.height <= 2).then(|| Stretch {
        start: open,
        end: suffix_end(bytes, body.end),
        notation: Notation::PadLayout,
        is_certain: body.has_level,
    })
}

/// `(2:3, 3:1)`: bare axes; `x(1:3, 2:4)` is the slice of an array, and after `(` it is the rest of a
/// layout that was cut off.
fn is_list(bytes: &[u8], open: usize, body: BracketPart) -> bool {
    let before = open.checked_sub(1).and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
    let is_called = before.is_ascii_alphanumeric() || matches!(before, b'_' | b']' | b')' | b'(');
    body.height == 1 && body.has_comma && !is_called
}

/// Returns the end of `@LM0 / Float` after a layout; `end` if it is missing.
fn suffix_end(bytes: &[u8], end: usize) -> usize {
    let word_end = |at: usize| behind(bytes, at, u8::is_ascii_alphanumeric);
    let word = |from: usize, to: usize| bytes.get(from..to).unwrap_or_default();
    let at = behind_blanks(bytes, end);
    if bytes.get(at) != Some(&b'@') {
        return end;
    }
    let memory = behind_blanks(bytes, at + 1);
    let memory_end = word_end(memory);
    if !matches!(word(memory, memory_end), b"LM0" | b"LM1" | b"DRAM") {
        return end;
    }
    let slash = behind_blanks(bytes, memory_end);
    let dtype = behind_blanks(bytes, slash + 1);
    let name = word(dtype, word_end(dtype));
    let is_dtype = Dtype::ALL.iter().any(|known| known.name().as_bytes() == name);
    if bytes.get(slash) == Some(&b'/') && is_dtype { word_end(dtype) } else { memory_end }
}

/// Returns the stretch that may be shape and strides of NumPy or PyTorch, if the bracket at `open` follows
/// `shape=` or `torch.Size`; a shape alone is not a layout.
pub(super) fn strided(bytes: &[u8], open: usize) -> Option<Stretch> {
    let before = bytes.get(..open)?;
    let size = before.strip_suffix(b"torch.Size").map(<[u8]>::len);
    let start = shape_key(size.map_or(before, |size| &before[..size])).or(size)?;
    let (mut end, mut seen) = (list_end(bytes, open)?, Vec::new());
    loop {
        let comma = behind_blanks(bytes, end);
        let has_comma = bytes.get(comma) == Some(&b',');
        let next = behind_blanks(bytes, comma + usize::from(has_comma));
        let is_bare = size == Some(start) && seen.is_empty() && bytes.get(next) == Some(&b'(');
        let found = if is_bare { Some(("strides", next)) } else { keyed(bytes, next) };
        let Some((key, value)) = found.filter(|_| is_bare || has_comma) else { break };
        end = match key {
            "strides" => list_end(bytes, value)?,
            _ => behind(bytes, value, |byte| byte.is_ascii_digit() || *byte == b'-'),
        };
        seen.push(key);
    }
    let notation = Notation::Strided;
    // Behind its key, a list of strides is meant as one.
    let is_certain = size != Some(start);
    seen.contains(&"strides").then_some(Stretch { start, end, notation, is_certain })
}

/// Returns the start of `shape=` at the end of a text, with blanks around its sign or without.
fn shape_key(before: &[u8]) -> Option<usize> {
    let sign = before.trim_ascii_end().strip_suffix(b"=")?;
    sign.trim_ascii_end().strip_suffix(b"shape").map(<[u8]>::len)
}

/// The key of an attribute of a strided layout at `at`, and the position of its value.
fn keyed(bytes: &[u8], at: usize) -> Option<(&'static str, usize)> {
    let rest = bytes.get(at..)?;
    let key = ["strides", "offset", "itemsize"]
        .into_iter()
        .find(|key| rest.starts_with(key.as_bytes()))?;
    let sign = behind_blanks(bytes, at + key.len());
    (bytes.get(sign) == Some(&b'=')).then(|| (key, behind_blanks(bytes, sign + 1)))
}

/// Returns the end of a list of integers in brackets.
pub(super) fn list_end(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (byte, end) in bytes.get(open..)?.iter().zip(open + 1..) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b'0'..=b'9' | b',' | b'-' => {}
            byte if is_blank(*byte) => {}
            _ => return None,
        }
        if depth == 0 {
            return Some(end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{stretch, strided};

    fn found(text: &str) -> Option<&str> {
        let bytes = text.as_bytes();
        let open = (0..bytes.len()).filter(|at| bytes[*at] == b'(');
        let found =
            open.filter_map(|at| strided(bytes, at).or_else(|| stretch(bytes, at))).next()?;
        text.get(found.start..found.end)
    }

    #[test]
    fn brackets_with_levels_strides_or_a_shape_may_be_layouts() {
        for (text, layout) in [
            ("In(0): ((8_L2B:1, 4:2))@LM0 / Float ==", "((8_L2B:1, 4:2))@LM0 / Float"),
            ("$lm[0:16], (256,16)/((4:1)) / 7", "(256,16)/((4:1))"),
            ("x ((4:1)) @ DRAM, ", "((4:1)) @ DRAM"),
            ("((4:1))@LM2", "((4:1))"),
            ("f(((4_PE,\n  2:1); B@[PE]))", "((4_PE,\n  2:1); B@[PE])"),
            ("a=(2:3, 3:1)", "(2:3, 3:1)"),
            ("tv ((2,2),3):((24,2),8)!", "((2,2),3):((24,2),8)"),
            (
                "shape=(2, 3), strides=(3, 1), itemsize=4)",
                "shape=(2, 3), strides=(3, 1), itemsize=4",
            ),
            ("torch.Size([2, 3]) (3, 1)", "torch.Size([2, 3]) (3, 1)"),
            (
                "shape = (2, 3), strides = (12, 4), itemsize=4, offset=8, x",
                "shape = (2, 3), strides = (12, 4), itemsize=4, offset=8",
            ),
            (
                "shape=torch.Size([2, 3]), strides=(3, 1)",
                "shape=torch.Size([2, 3]), strides=(3, 1)",
            ),
        ] {
            assert_eq!(found(text), Some(layout), "{text}");
        }
    }

    #[test]
    fn tuples_times_slices_and_calls_are_text() {
        for text in [
            "((2, 3), (4, 5))",
            "(12:30)",
            "x(1:3, 2:4)",
            "(4, 8): (1, 2)",
            "(3)/(4)",
            "f(%a, (b))",
            "torch.Size([2, 3])",
            "((4_PE, 2:1)",
            "(1)",
            "()",
            "(a/b)",
            "(((4:1)))x",
        ] {
            let expected = if text.starts_with("(((") { Some("((4:1))") } else { None };
            assert_eq!(found(text), expected, "{text}");
        }
    }
}
