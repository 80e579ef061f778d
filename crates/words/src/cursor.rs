//! A cursor over text, for formats that are read token by token.

use std::ops::Range;

/// A position in a text; each method reads the token that it is named after, or nothing. Methods that planners call
/// millions of times are inlined.
#[derive(Clone, Debug)]
pub struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    /// A cursor at the beginning of a text.
    pub fn new(text: &'t str) -> Cursor<'t> {
        Cursor { text, at: 0 }
    }

    /// The position of the next byte.
    #[inline]
    pub fn at(&self) -> usize {
        self.at
    }

    /// The whole text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The bytes from `start` up to here, as the caller's type of spans.
    pub fn since<S: From<Range<usize>>>(&self, start: usize) -> S {
        S::from(start..self.at)
    }

    /// The next byte, without reading it.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Returns whether the whole text has been read.
    #[inline]
    pub fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// Takes a byte, if it is next.
    #[inline]
    pub fn takes(&mut self, byte: u8) -> bool {
        let takes = self.peek() == Some(byte);
        self.at += usize::from(takes);
        takes
    }

    /// Takes a token, if it is next.
    #[inline]
    pub fn takes_all(&mut self, token: &str) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let takes = rest.starts_with(token.as_bytes());
        self.at += if takes { token.len() } else { 0 };
        takes
    }

    /// Reads a byte, for use with `?`: `Some` if it is next.
    #[inline]
    pub fn token(&mut self, byte: u8) -> Option<()> {
        self.takes(byte).then_some(())
    }

    /// Skips blanks, as the grammars define them.
    #[inline]
    pub fn blanks(&mut self) {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    }

    fn skip_while(&mut self, matches: impl Fn(u8) -> bool) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        self.at += rest.iter().take_while(|byte| matches(**byte)).count();
    }

    /// The text that has not been read.
    #[inline]
    pub fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Reads the characters that `is` accepts.
    pub fn take(&mut self, is: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let word = &rest[..rest.find(|c| !is(c)).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    /// Reads a decimal number; `None` if there is none, or if it exceeds 64 bits.
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let start = self.at;
        let mut number = 0_u64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            number = number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
            self.at += 1;
        }
        (self.at > start).then_some(number)
    }

    /// Reads a word: a letter, then letters and digits.
    #[inline]
    pub fn word(&mut self) -> Option<&'t str> {
        let start = self.at;
        self.peek().filter(u8::is_ascii_alphabetic)?;
        self.skip_while(|byte| byte.is_ascii_alphanumeric());
        self.text.get(start..self.at)
    }

    /// Reads the rest of a list whose opening bracket has already been taken: entries separated by commas,
    /// with optional blanks around each.
    pub fn list<T>(
        &mut self,
        close: u8,
        mut entry: impl FnMut(&mut Cursor<'t>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut entries = Vec::new();
        self.blanks();
        if self.takes(close) {
            return Some(entries);
        }
        loop {
            entries.push(entry(self)?);
            self.blanks();
            if self.takes(close) {
                return Some(entries);
            }
            self.token(b',')?;
            self.blanks();
        }
    }
}

/// Tokens that are required here; an error calls them by `name`.
impl<'t> Cursor<'t> {
    /// Reads `word`.
    pub fn expect(&mut self, word: &str, name: &'static str) -> Result<(), Unexpected<'t>> {
        if self.takes_all(word) { Ok(()) } else { Err(self.unexpected(name)) }
    }

    /// Reads a decimal number.
    pub fn expect_number(&mut self, name: &'static str) -> Result<u64, Unexpected<'t>> {
        let start = self.at;
        let digits = self.take(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.unexpected(name));
        }
        digits.parse().map_err(|_| self.refuse(None, start..self.at))
    }

    /// Reads a hexadecimal number of exactly `digits` digits.
    pub fn expect_hex(&mut self, digits: usize, name: &'static str) -> Result<u64, Unexpected<'t>> {
        let start = self.at;
        let word = self.take(|c| c.is_ascii_alphanumeric());
        let number = u64::from_str_radix(word, 16).ok().filter(|_| word.len() == digits);
        number.ok_or_else(|| self.refuse(Some(name), start..self.at))
    }

    /// Checks that only blanks follow.
    pub fn expect_end(&mut self) -> Result<(), Unexpected<'t>> {
        self.blanks();
        if self.is_at_end() { Ok(()) } else { Err(self.unexpected("the end of the line")) }
    }

    /// The caller's error for the character at this place, where `name` is expected.
    pub fn expected<E: From<Unexpected<'t>>>(&self, name: &'static str) -> E {
        self.unexpected(name).into()
    }

    fn unexpected(&self, name: &'static str) -> Unexpected<'t> {
        let next = self.rest().chars().next().map_or(0, char::len_utf8);
        self.refuse(Some(name), self.at..self.at + next)
    }

    fn refuse(&self, expected: Option<&'static str>, bytes: Range<usize>) -> Unexpected<'t> {
        Unexpected { expected, bytes, text: self.text }
    }
}

/// The bytes of a text that are not what was expected; readers turn them into their own errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unexpected<'t> {
    /// The name of the expected token; `None` if the bytes are a number beyond 64 bits.
    pub expected: Option<&'static str>,
    /// The bytes, none at the end of the text.
    pub bytes: Range<usize>,
    /// The whole text.
    pub text: &'t str,
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::{Cursor, Unexpected};

    #[test]
    fn tokens_are_read_one_after_another() {
        let mut cursor = Cursor::new("ab1 = (3, 14 )x");
        assert_eq!(cursor.word(), Some("ab1"));
        cursor.blanks();
        assert_eq!(cursor.expect("=", "`=`"), Ok(()));
        cursor.blanks();
        assert_eq!(cursor.token(b'('), Some(()));
        assert_eq!(cursor.list(b')', Cursor::number), Some(vec![3, 14]));
        assert_eq!(cursor.since::<Range<usize>>(4), 4..14);
        assert_eq!((cursor.rest(), cursor.is_at_end()), ("x", false));
    }

    #[test]
    fn a_quick_number_beyond_64_bits_is_left_to_others() {
        assert_eq!(Cursor::new("18446744073709551616").number(), None);
        assert_eq!(Cursor::new("18446744073709551615").number(), Some(u64::MAX));
    }

    #[test]
    fn errors_point_at_what_is_there_instead() {
        let at = |error: Unexpected| (error.expected, error.bytes);
        let mut cursor = Cursor::new("é");
        assert_eq!(cursor.expect_number("a number").map_err(at), Err((Some("a number"), 0..2)));
        let mut cursor = Cursor::new("18446744073709551616");
        assert_eq!(cursor.expect_number("a number").map_err(at), Err((None, 0..20)));
        let mut cursor = Cursor::new("0fg");
        assert_eq!(cursor.expect_hex(2, "a byte").map_err(at), Err((Some("a byte"), 0..3)));
        let mut cursor = Cursor::new("0f  ");
        assert_eq!(cursor.expect_hex(2, "a byte"), Ok(15));
        assert_eq!(cursor.expect_end(), Ok(()));
        assert_eq!(at(cursor.expected("more")), (Some("more"), 4..4));
    }
}
