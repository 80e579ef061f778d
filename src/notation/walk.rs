//! Text with quotes and brackets.

use memchr::memchr2;

/// A walk over text that steps over quotes and whole brackets, and can go on when the text has
/// grown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    at: usize,
    depth: usize,
    quoted: bool,
}

impl Walk {
    /// A walk that begins at a byte outside quotes; brackets before it do not count.
    pub(crate) fn from(at: usize) -> Walk {
        Walk { at, depth: 0, quoted: false }
    }

    /// The next bracket that closes what was open before the walk began, or the next `stop`
    /// outside all brackets; `None` at the end of the text. Goes on behind it when asked again.
    pub(crate) fn next(&mut self, text: &[u8], stop: Option<u8>) -> Option<usize> {
        // A quote is looked at anyway.
        let sought = stop.unwrap_or(b'"');
        loop {
            let rest = text.get(self.at..)?;
            let found = match self.quoted {
                true => memchr2(b'"', b'\\', rest),
                false => rest.iter().position(|b| MARKS[usize::from(*b)] || *b == sought),
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

/// Quotes and brackets.
const MARKS: [bool; 256] = {
    let mut marks = [false; 256];
    let mut at = 0;
    while at < marks.len() {
        marks[at] = matches!(at, 0x22 | 0x28 | 0x29 | 0x5b | 0x5d | 0x7b | 0x7d);
        at += 1;
    }
    marks
};
