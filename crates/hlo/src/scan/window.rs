//! A window over a text of any length.

use std::io::{self, Read};

use memchr::memchr;
use tensor_layout::internals::to_u64;

/// The number of bytes that are read at a time.
const STEP: u64 = 1 << 18;

/// The longest layout, in bytes, that is in the window as a whole; a longer one may not be found.
pub(super) const LONGEST_LAYOUT: usize = 1 << 16;

/// A line break within a quoted string: it separates, and is not counted as a line.
pub(super) const SOFT_BREAK: u8 = 0x0B;

/// `\u003c`, and a backslash before it.
const LONGEST_ESCAPE: usize = 8;

/// The part of a text that is looked at, with the escapes of quoted strings undone in place.
#[derive(Clone, Debug)]
pub(super) struct TextWindow<R> {
    input: R,
    bytes: Vec<u8>,
    /// The end of the part in which escapes are undone.
    plain: usize,
    ended: bool,
    read: u64,
}

impl<R: Read> TextWindow<R> {
    pub(super) fn new(input: R) -> TextWindow<R> {
        TextWindow { input, bytes: Vec::new(), plain: 0, ended: false, read: 0 }
    }

    /// The text in the window.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The position before which a layout is whole in the window: from there on it may be cut off.
    pub(super) fn limit(&self) -> usize {
        match self.ended {
            true => self.bytes.len(),
            false => self.bytes.len().saturating_sub(LONGEST_LAYOUT),
        }
    }

    /// Returns whether the text ends with the window.
    pub(super) fn is_last(&self) -> bool {
        self.ended
    }

    /// The number of bytes that were read.
    pub(super) fn read(&self) -> u64 {
        self.read
    }

    /// Forgets the first `gone` bytes and reads more.
    pub(super) fn advance(&mut self, gone: usize) -> io::Result<()> {
        self.bytes.drain(..gone.min(self.bytes.len()));
        self.plain = self.plain.saturating_sub(gone);
        let read = self.input.by_ref().take(STEP).read_to_end(&mut self.bytes)?;
        let read = to_u64(read);
        self.read += read;
        self.ended = read < STEP;
        self.undo_escapes();
        Ok(())
    }

    fn undo_escapes(&mut self) {
        let kept = if self.ended { 0 } else { LONGEST_ESCAPE };
        let end = self.bytes.len().saturating_sub(kept);
        let mut at = self.plain;
        while let Some(next) = self.bytes.get(at..end).and_then(|rest| memchr(b'\\', rest)) {
            at = undo_escape(&mut self.bytes, at + next);
        }
        self.plain = end.max(at);
    }
}

/// Replaces an escape by blanks and the character that it encodes; returns the position behind it.
fn undo_escape(bytes: &mut [u8], start: usize) -> usize {
    let slashes = bytes.get(start..).unwrap_or_default().iter().take_while(|b| **b == b'\\');
    let at = start + slashes.count();
    bytes.get_mut(start..at).unwrap_or_default().fill(b' ');
    match bytes.get(at) {
        Some(b'n' | b'r') => bytes[at] = SOFT_BREAK,
        Some(b't') => bytes[at] = b' ',
        Some(b'u') => {
            let code = bytes.get(at + 1..at + 5).and_then(|hex| std::str::from_utf8(hex).ok());
            let code = code.and_then(|hex| u8::from_str_radix(hex, 16).ok());
            if let Some(code) = code.filter(u8::is_ascii) {
                bytes[at..at + 4].fill(b' ');
                bytes[at + 4] = code;
                return at + 5;
            }
        }
        _ => {}
    }
    (at + 1).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_LAYOUT, TextWindow};

    fn undone(text: &str) -> String {
        let mut window = TextWindow::new(text.as_bytes());
        window.advance(0).unwrap();
        String::from_utf8(window.bytes().to_vec()).unwrap()
    }

    #[test]
    fn escapes_become_what_they_stand_for_at_the_same_length() {
        assert_eq!(
            undone(r#"{"a\/b": "x\ny\\n\u003c=8\q"}"#),
            "{\"a /b\": \"x \u{b}y  \u{b}     <=8 q\"}"
        );
        assert_eq!(undone("\\"), " ");
        assert_eq!(undone("\\u12"), " u12");
    }

    #[test]
    fn a_window_moves_over_the_whole_text() {
        let text: String = (0..200_000).map(|n| format!("{n} ")).collect();
        let mut window = TextWindow::new(text.as_bytes());
        let (mut seen, mut start) = (Vec::new(), 0);
        loop {
            window.advance(start).unwrap();
            seen.extend_from_slice(&window.bytes()[..window.limit()]);
            start = window.limit();
            assert!(window.bytes().len() <= LONGEST_LAYOUT + (1 << 18) + 1);
            if window.is_last() {
                break;
            }
        }
        assert!(seen == text.as_bytes());
        assert_eq!(window.read(), u64::try_from(text.len()).unwrap());
    }
}
