//! Walks a line of text, and says where it stopped.

use crate::error::{ParseError, ParseErrorKind, Span};

/// A place in a line.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Cursor<'t> {
        Cursor { text, at: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Goes past `word`, if it stands here.
    pub(super) fn eat(&mut self, word: &str) -> bool {
        let here = self.rest().starts_with(word);
        self.at += if here { word.len() } else { 0 };
        here
    }

    /// Goes past `word`; `name` is what a refusal calls it.
    pub(super) fn expect(&mut self, word: &str, name: &'static str) -> Result<(), ParseError> {
        if self.eat(word) { Ok(()) } else { Err(self.expected(name)) }
    }

    /// Goes past the characters that `is` accepts.
    pub(super) fn take(&mut self, is: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let word = &rest[..rest.find(|c| !is(c)).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    /// A decimal number.
    pub(super) fn number(&mut self, name: &'static str) -> Result<u64, ParseError> {
        let start = self.at;
        let digits = self.take(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.expected(name));
        }
        digits.parse().map_err(|_| self.refuse_from(start, ParseErrorKind::NumberTooLarge))
    }

    /// A hexadecimal number of exactly as many digits.
    pub(super) fn hex(&mut self, digits: usize, name: &'static str) -> Result<u64, ParseError> {
        let start = self.at;
        let word = self.take(|c| c.is_ascii_alphanumeric());
        u64::from_str_radix(word, 16)
            .ok()
            .filter(|_| word.len() == digits)
            .ok_or_else(|| self.refuse_from(start, ParseErrorKind::Expected(vec![name])))
    }

    /// Blanks and nothing else may follow.
    pub(super) fn end(&mut self) -> Result<(), ParseError> {
        self.blanks();
        if self.rest().is_empty() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }

    /// The refusal of what stands here.
    pub(super) fn expected(&self, name: &'static str) -> ParseError {
        let next = self.rest().chars().next().map_or(0, char::len_utf8);
        let span = Span::new(self.at, self.at + next);
        ParseError::new(ParseErrorKind::Expected(vec![name]), span, self.text)
    }

    /// The refusal of what stands between `start` and here.
    pub(super) fn refuse_from(&self, start: usize, kind: ParseErrorKind) -> ParseError {
        ParseError::new(kind, Span::new(start, self.at), self.text)
    }
}
