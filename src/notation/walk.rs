//! Text with quotes and brackets.

/// A walk over text that steps over quotes and whole brackets, and can go on when the text has
/// grown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    at: usize,
    depth: usize,
    quoted: bool,
}

impl Walk {
    /// A walk that begins at a byte outside of quotes; brackets before it do not count.
    pub(crate) fn from(at: usize) -> Walk {
        Walk { at, depth: 0, quoted: false }
    }

    /// The next bracket that closes what was open before the walk began, or the next `stop`
    /// outside of all brackets; `None` at the end of the text. Goes on behind it when asked again.
    pub(crate) fn next(&mut self, text: &[u8], stop: Option<u8>) -> Option<usize> {
        while let Some(byte) = text.get(self.at) {
            let at = self.at;
            self.at += 1;
            match byte {
                b'"' => self.quoted = !self.quoted,
                b'\\' if self.quoted => self.at += 1,
                _ if self.quoted => {}
                b'(' | b'[' | b'{' => self.depth += 1,
                b')' | b']' | b'}' if self.depth == 0 => return Some(at),
                b')' | b']' | b'}' => self.depth -= 1,
                byte if self.depth == 0 && Some(*byte) == stop => return Some(at),
                _ => {}
            }
        }
        None
    }
}
