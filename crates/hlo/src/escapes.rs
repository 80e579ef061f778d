//! The escapes of quoted strings, as JSON, Python and C++ write them: the one place where they are undone.

use std::borrow::Cow;

use itertools::Either;
use memchr::{memchr2, memmem};

/// A line break within a quoted string: it separates, and is not counted as a line.
pub(super) const SOFT_BREAK: u8 = 0x0B;

/// `\u003c`, and a backslash before it.
pub(super) const LONGEST_ESCAPE: usize = 8;

/// Writes the character that the escape at the start of a text encodes; returns the text after it.
///
/// Any number of backslashes is one escape: a string within a string is escaped again. A backslash that does
/// not belong to an escape of JSON separates, as a blank does.
pub(super) fn undo<'t>(escape: &'t [u8], into: &mut Vec<u8>) -> &'t [u8] {
    let slashes = escape.iter().take_while(|byte| **byte == b'\\').count();
    let rest = escape.get(slashes..).unwrap_or_default();
    let (plain, length) = match rest.first() {
        Some(b'n' | b'r') => (SOFT_BREAK, 1),
        Some(b't') => (b' ', 1),
        Some(quote @ (b'"' | b'\'' | b'/')) => (*quote, 1),
        _ => code(rest).map_or((b' ', 0), |code| (code, "u003c".len())),
    };
    into.push(plain);
    rest.get(length..).unwrap_or_default()
}

/// The ASCII character of `u003c`.
fn code(text: &[u8]) -> Option<u8> {
    let hex = std::str::from_utf8(text.strip_prefix(b"u")?.get(..4)?).ok()?;
    u8::from_str_radix(hex, 16).ok().filter(u8::is_ascii)
}

/// The lines of a log, each with the number of the line that it is in: the strings of a record of JSON, and a message
/// on one line, have lines of their own. `is_message` returns whether a line has a message.
///
/// ```text
/// {"log":"     Shape: f32[8]\n","stream":"stderr"}      each string is a line
/// XlaRuntimeError('Ran out of memory ..\n  1. Size: 8.00G\n')      each \n ends a line
/// ```
pub(super) fn log_lines(
    log: &str,
    is_message: impl Fn(&str) -> bool,
) -> impl Iterator<Item = (u64, Cow<'_, str>)> {
    (1..).zip(log.lines()).flat_map(move |(number, line)| {
        let has = |part: &str| memmem::find(line.as_bytes(), part.as_bytes()).is_some();
        let is_record = has("\":\"") || has("\": \"");
        let is_encoded = is_record || (has("\\n") && is_message(line));
        if !is_encoded {
            return Either::Left(std::iter::once((number, Cow::Borrowed(line))));
        }
        let text = undone(line, is_record);
        let lines: Vec<String> = text.split(char::from(SOFT_BREAK)).map(str::to_owned).collect();
        Either::Right(lines.into_iter().map(move |line| (number, Cow::Owned(line))))
    })
}

/// A line with its escapes undone; each quote of a record ends a line.
fn undone(line: &str, is_record: bool) -> String {
    let (mut plain, mut rest) = (Vec::with_capacity(line.len()), line.as_bytes());
    while let Some(next) = memchr2(b'\\', b'"', rest) {
        let (before, found) = rest.split_at_checked(next).unwrap_or_default();
        plain.extend_from_slice(before);
        rest = match found.strip_prefix(b"\"") {
            Some(behind) => {
                plain.push(if is_record { SOFT_BREAK } else { b'"' });
                behind
            }
            None => undo(found, &mut plain),
        };
    }
    plain.extend_from_slice(rest);
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests {
    use super::log_lines;

    fn lines(log: &str) -> Vec<(u64, String)> {
        let lines = log_lines(log, |line| line.contains("OOM"));
        lines
            .map(|(number, line)| (number, line.trim().to_owned()))
            .filter(|(_, line)| line.len() > 1)
            .collect()
    }

    #[test]
    fn a_string_on_one_line_has_the_lines_that_it_encodes() {
        for (log, expected) in [
            ("aa\nbb", vec![(1, "aa"), (2, "bb")]),
            (r#"x="a\nb""#, vec![(1, r#"x="a\nb""#)]),
            (r#"E('OOM\n  f="x"\n')"#, vec![(1, "E('OOM"), (1, r#"f="x""#), (1, "')")]),
            (
                "{\"log\":\"aa \\\"x\\\"\\n\",\"s\":\"e2\"}",
                vec![(1, "log"), (1, "aa \"x\""), (1, "e2")],
            ),
        ] {
            let expected: Vec<(u64, String)> =
                expected.into_iter().map(|(number, line)| (number, line.to_owned())).collect();
            assert_eq!(lines(log), expected, "{log}");
        }
    }
}
