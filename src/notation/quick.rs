//! Reading the plain case without a grammar.
//!
//! A grammar defines each notation, and words the refusals; it takes a few microseconds. Nearly
//! every text that planners read is plain, so a quick reader goes first: it either reads a text just
//! as the grammar would, spans included, or leaves it to the grammar. It never refuses.
//! Law: whatever a quick reader returns, the grammar returns.

use crate::error::Span;

/// A place in a text; each method takes what it names, or nothing.
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

    /// From `start` up to here.
    pub(super) fn since(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    pub(super) fn takes(&mut self, byte: u8) -> bool {
        let takes = self.peek() == Some(byte);
        self.at += usize::from(takes);
        takes
    }

    pub(super) fn takes_all(&mut self, token: &str) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let takes = rest.starts_with(token.as_bytes());
        self.at += if takes { token.len() } else { 0 };
        takes
    }

    /// `Some` if the byte is there, to be used with `?`.
    pub(super) fn token(&mut self, byte: u8) -> Option<()> {
        self.takes(byte).then_some(())
    }

    /// Blanks as the grammars know them.
    pub(super) fn blanks(&mut self) {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
    }

    fn skip_while(&mut self, matches: impl Fn(u8) -> bool) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        self.at += rest.iter().take_while(|byte| matches(**byte)).count();
    }

    /// Decimal digits; `None` beyond 64 bits.
    pub(super) fn number(&mut self) -> Option<u64> {
        let start = self.at;
        let mut number = 0_u64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            number = number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
            self.at += 1;
        }
        (self.at > start).then_some(number)
    }

    /// A letter, then letters and digits.
    pub(super) fn word(&mut self) -> Option<&'t str> {
        let start = self.at;
        self.peek().filter(u8::is_ascii_alphabetic)?;
        self.skip_while(|byte| byte.is_ascii_alphanumeric());
        self.text.get(start..self.at)
    }

    /// A list between brackets, the opening one taken already: entries separated by commas, blanks
    /// around each.
    pub(super) fn list(
        &mut self,
        close: u8,
        mut entry: impl FnMut(&mut Cursor<'t>) -> Option<()>,
    ) -> Option<()> {
        self.blanks();
        if self.takes(close) {
            return Some(());
        }
        loop {
            entry(self)?;
            self.blanks();
            if self.takes(close) {
                return Some(());
            }
            self.token(b',')?;
            self.blanks();
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    /// The texts of a corpus (up to the tab of each line), and each with a few characters changed.
    pub(in crate::notation) fn mutated(corpus: &str) -> impl Iterator<Item = String> {
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
