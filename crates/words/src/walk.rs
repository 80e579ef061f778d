//! Text with quotes and brackets.

use memchr::memchr2;

/// A walk over text that skips quotes and whole brackets, and can continue when the text has grown.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    at: usize,
    depth: usize,
    quoted: bool,
}

impl Walk {
    /// A walk that begins at a byte outside quotes; brackets before it do not count.
    pub fn from(at: usize) -> Walk {
        Walk { at, depth: 0, quoted: false }
    }

    /// The next bracket that closes one opened before the walk began, or the next `stop` outside all
    /// brackets; `None` at the end of the text. The next call continues after it.
    pub fn next(&mut self, text: &[u8], stop: Option<u8>) -> Option<usize> {
        let table = match stop {
            None => &MARKS,
            Some(b',') => &MARKS_AND_COMMA,
            Some(b' ') => &MARKS_AND_BLANK,
            Some(b'=') => &MARKS_AND_EQUALS,
            Some(other) => &marks_and(other),
        };
        loop {
            let rest = text.get(self.at..)?;
            let found = match self.quoted {
                true => memchr2(b'"', b'\\', rest),
                false => rest.iter().position(|b| table[usize::from(*b)]),
            };
            let at = self.at + found.unwrap_or(rest.len());
            self.at = at + 1;
            match text.get(at) {
                None => {
                    self.at = at;
                    return None;
                }
                Some(b'"') => self.quoted = !self.quoted,
                Some(b'\\') if self.quoted => self.at += 1,
                Some(b'(' | b'[' | b'{') => self.depth += 1,
                Some(b')' | b']' | b'}') if self.depth > 0 => self.depth -= 1,
                Some(b')' | b']' | b'}') => return Some(at),
                Some(_) if self.depth == 0 => return Some(at),
                Some(_) => {}
            }
        }
    }
}

/// Returns the position after the `>` that closes the first `<`.
pub fn behind_angled(text: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let closes = |byte: u8| {
        match byte {
            b'<' => depth += 1,
            b'>' => depth = depth.saturating_sub(1),
            _ => return false,
        }
        depth == 0
    };
    Some(text.iter().copied().position(closes)? + 1)
}

/// Quotes and brackets.
const MARKS: [bool; 256] = marks_and(b'"');

const MARKS_AND_COMMA: [bool; 256] = marks_and(b',');

const MARKS_AND_BLANK: [bool; 256] = marks_and(b' ');

const MARKS_AND_EQUALS: [bool; 256] = marks_and(b'=');

/// Quotes and brackets, and another byte.
const fn marks_and(other: u8) -> [bool; 256] {
    let (mut table, mut byte, mut at) = ([false; 256], 0_u8, 0);
    while at < table.len() {
        table[at] = byte == other || matches!(byte, b'"' | b'(' | b')' | b'[' | b']' | b'{' | b'}');
        (byte, at) = (byte.wrapping_add(1), at + 1);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{Walk, behind_angled};

    #[test]
    fn quotes_and_whole_brackets_are_skipped() {
        let text = br#"a("x)", [1,2]), b], c"#;
        let mut walk = Walk::from(0);
        let comma = walk.next(text, Some(b','));
        assert_eq!(comma, Some(14));
        assert_eq!(walk.next(text, Some(b',')), Some(17));
        assert_eq!(Walk::from(2).next(text, None), Some(13));
    }

    #[test]
    fn a_walk_continues_where_the_text_has_grown() {
        let mut walk = Walk::from(0);
        assert_eq!(walk.next(b"(a", Some(b',')), None);
        assert_eq!(walk.next(b"(a,b),c", Some(b',')), Some(5));
    }

    #[test]
    fn angle_brackets_nest() {
        assert_eq!(behind_angled(b"tensor<4x!a<b>>, c>"), Some(15));
        assert_eq!(behind_angled(b"tensor<4"), None);
    }
}
