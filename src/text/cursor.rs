//! A cursor over text, to read plain cases of a notation without its grammar, and line-based formats.
//!
//! A grammar defines each notation and reports its errors; it takes a few microseconds. Nearly every text
//! that planners read is plain, so a quick reader tries it first: it either reads a text exactly as the
//! grammar would, including spans, or leaves it to the grammar. It never reports an error.
//! Law: the grammar returns the same result as a quick reader that does not give up.

use crate::error::{ParseError, ParseErrorKind, Span};

/// A position in a text; each method reads the token that it is named after, or nothing.
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
    pub fn at(&self) -> usize {
        self.at
    }

    /// The span from `start` up to here.
    pub fn since(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    /// The next byte, without reading it.
    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Returns whether the whole text has been read.
    pub fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// Takes a byte, if it is next.
    pub fn takes(&mut self, byte: u8) -> bool {
        let takes = self.peek() == Some(byte);
        self.at += usize::from(takes);
        takes
    }

    /// Takes a token, if it is next.
    pub fn takes_all(&mut self, token: &str) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let takes = rest.starts_with(token.as_bytes());
        self.at += if takes { token.len() } else { 0 };
        takes
    }

    /// `Some` if the byte is there, to be used with `?`.
    pub fn token(&mut self, byte: u8) -> Option<()> {
        self.takes(byte).then_some(())
    }

    /// Skips blanks, as the grammars define them.
    pub fn blanks(&mut self) {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    }

    fn skip_while(&mut self, matches: impl Fn(u8) -> bool) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        self.at += rest.iter().take_while(|byte| matches(**byte)).count();
    }

    /// The text that has not been read.
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
impl Cursor<'_> {
    /// Reads `word`.
    pub fn expect(&mut self, word: &str, name: &'static str) -> Result<(), ParseError> {
        if self.takes_all(word) { Ok(()) } else { Err(self.expected(name)) }
    }

    /// A decimal number.
    pub fn expect_number(&mut self, name: &'static str) -> Result<u64, ParseError> {
        let start = self.at;
        let digits = self.take(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.expected(name));
        }
        digits.parse().map_err(|_| self.refuse_from(start, ParseErrorKind::NumberTooLarge))
    }

    /// A hexadecimal number of exactly `digits` digits.
    pub fn expect_hex(&mut self, digits: usize, name: &'static str) -> Result<u64, ParseError> {
        let start = self.at;
        let word = self.take(|c| c.is_ascii_alphanumeric());
        u64::from_str_radix(word, 16)
            .ok()
            .filter(|_| word.len() == digits)
            .ok_or_else(|| ParseError::expected(name, self.since(start), self.text))
    }

    /// Checks that only blanks follow.
    pub fn expect_end(&mut self) -> Result<(), ParseError> {
        self.blanks();
        if self.is_at_end() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }

    /// The error for the character at this place, where `name` is expected.
    pub fn expected(&self, name: &'static str) -> ParseError {
        let next = self.rest().chars().next().map_or(0, char::len_utf8);
        let span = Span::new(self.at, self.at + next);
        ParseError::expected(name, span, self.text)
    }

    /// The error for the text from `start` to here.
    pub fn refuse_from(&self, start: usize, kind: ParseErrorKind) -> ParseError {
        ParseError::new(kind, self.since(start), self.text)
    }
}

#[cfg(test)]
pub(super) mod tests {
    /// The texts of a corpus (up to the tab of each line), and each with a few characters changed.
    pub(in crate::text) fn mutated(corpus: &str) -> impl Iterator<Item = String> {
        const JUNK: &[u8] = b"-019aTLPESx(){}[],:;*#<=? /_@B.\t\n";
        let lines = corpus.lines().filter(|line| !line.starts_with('#'));
        let texts: Vec<String> =
            lines.filter_map(|line| line.split('\t').next()).map(String::from).collect();
        let mut state = 1_u64;
        let mut draw = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(state >> 33).unwrap_or(0) % below
        };
        (0..40).flat_map(move |round| {
            let changed = texts.iter().map(|text| {
                let mut chars: Vec<char> = text.chars().collect();
                for _ in 0..round % 4 {
                    let at = draw(chars.len() + 1);
                    match draw(3) {
                        0 if at < chars.len() => drop(chars.remove(at)),
                        1 => chars.insert(at, char::from(JUNK[draw(JUNK.len())])),
                        _ => chars.iter_mut().skip(at).take(1).for_each(|c| {
                            *c = char::from(JUNK[draw(JUNK.len())]);
                        }),
                    }
                }
                chars.into_iter().collect()
            });
            changed.collect::<Vec<String>>()
        })
    }
}
