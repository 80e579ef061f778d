//! Human-readable numbers and names.

use std::borrow::Cow;
use std::fmt::Display;

/// `part` of `whole` in per cent, with one decimal, rounded half up.
pub fn percent(part: u64, whole: u64) -> String {
    let whole = u128::from(whole.max(1));
    let tenths = (u128::from(part) * 2000 + whole) / (2 * whole);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Replaces control characters in a page by `?`: names in a file may contain terminal escape sequences.
pub fn printable(page: &str) -> Cow<'_, str> {
    let is_hidden = |c: char| c.is_control() && c != '\n';
    // Bytes that control characters have; 0xC2 begins others, too.
    let may_be = |byte: u8| byte < b' ' && byte != b'\n' || matches!(byte, 0x7F | 0xC2);
    let has_some = page.bytes().fold(false, |has_some, byte| has_some | may_be(byte));
    if has_some { page.replace(is_hidden, "?").into() } else { page.into() }
}

/// A text on one line: line ends and tabs as `\n`, `\r` and `\t`.
pub fn in_one_line(text: &str) -> Cow<'_, str> {
    const ENDS: [(char, &str); 3] = [('\n', "\\n"), ('\r', "\\r"), ('\t', "\\t")];
    let has_end = ENDS.iter().any(|(end, _)| text.contains(*end));
    let written =
        || ENDS.iter().fold(text.to_owned(), |text, (end, as_text)| text.replace(*end, as_text));
    if has_end { written().into() } else { text.into() }
}

/// A text as a field of CSV.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", printable(text).replace('"', "\"\""))
}

/// `1 layout`, `2 layouts`; `2 entries`, `2 axes`.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    if count == N::from(1) {
        return format!("{count} {noun}");
    }
    let (stem, end) = match noun {
        "axis" => ("ax", "es"),
        _ if noun.ends_with('x') => (noun, "es"),
        _ => noun.strip_suffix('y').map_or((noun, "s"), |stem| (stem, "ies")),
    };
    format!("{count} {stem}{end}")
}

/// Formats a number of bytes in the largest binary unit of which there is at least one, with two decimals, rounded
/// as in logs of XLA: what is less than one of the next smaller unit is dropped, and the rest is rounded to nearest,
/// half to even; `> 15.99 EiB` for the greatest number, at which sums stop.
///
/// Source: openxla/xla, `HumanReadableNumBytes` of `numbers.cc`.
pub fn readable_bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    if bytes == u64::MAX {
        return "> 15.99 EiB".into();
    }
    let steps = bytes.ilog2() / 10;
    let parts = (bytes >> (10 * (steps - 1))) * 100;
    let (whole, rest) = (parts >> 10, parts % 1024);
    let hundredths = whole + u64::from(rest > 512 || rest == 512 && whole % 2 == 1);
    let unit = UNITS.iter().zip(1..).find(|(_, n)| *n == steps).map_or("B", |(unit, _)| unit);
    format!("{}.{:02} {unit}", hundredths / 100, hundredths % 100)
}

/// At most `most` characters, `..` where cut.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}..", text.get(..end).unwrap_or_default()),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{counted, cut, in_one_line, percent, printable, quoted, readable_bytes};

    #[test]
    fn nouns_are_plural_except_for_1() {
        let counts = [counted(1_u64, "axis"), counted(2_u64, "axis"), counted(0_u64, "entry")];
        assert_eq!(counts, ["1 axis", "2 axes", "0 entries"]);
        assert_eq!(counted(2_u8, "box"), "2 boxes");
        assert_eq!(counted(2_usize, "layout"), "2 layouts");
    }

    #[test]
    fn per_cent_are_rounded_half_up() {
        assert_eq!(percent(1, 3), "33.3 %");
        assert_eq!(percent(1, 2000), "0.1 %");
        assert_eq!(percent(u64::MAX, u64::MAX), "100.0 %");
        assert_eq!(percent(0, 0), "0.0 %");
    }

    #[test]
    fn control_characters_are_hidden() {
        assert_eq!(printable("a\u{1b}[1m\nb"), "a?[1m\nb");
        assert_eq!(quoted("a \"b\"\t"), "\"a \"\"b\"\"?\"");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(cut("äöü", 2), "äö..");
        assert_eq!(cut("äöü", 3), "äöü");
    }

    #[test]
    fn sizes_are_rounded_as_in_logs_of_xla() {
        for (bytes, text) in [
            (1023, "1023 B"),
            (9600, "9.38 KiB"),
            (1_048_575, "1024.00 KiB"),
            // Half to even.
            ((1 << 30) + (1 << 27), "1.12 GiB"),
            ((1 << 30) + (3 << 27), "1.38 GiB"),
            // 8.7695, and 8.765 less what is dropped.
            (8980 << 20, "8.77 GiB"),
            ((8975 << 20) + (900 << 10), "8.76 GiB"),
            (u64::MAX - 1, "16.00 EiB"),
            (u64::MAX, "> 15.99 EiB"),
        ] {
            assert_eq!(readable_bytes(bytes), text, "{bytes}");
        }
    }

    #[test]
    fn line_ends_are_written_as_escapes() {
        assert_eq!(in_one_line("a\nb\tc\r"), "a\\nb\\tc\\r");
        assert_eq!(in_one_line("a"), "a");
    }
}
