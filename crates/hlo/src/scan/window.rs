//! A window over a text of any length.

use std::io::{self, Read};

use memchr::memchr;
use tensor_layout_words::to_u64;

use crate::escapes::{LONGEST_ESCAPE, undo};

/// The number of bytes that are read at a time.
const STEP: u64 = 1 << 18;

/// The longest layout, in bytes, that is in the window as a whole; a longer one may not be found.
pub(super) const LONGEST_LAYOUT: usize = 1 << 16;

/// The part of a text that is looked at, with the escapes of quoted strings undone.
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
        let escaped = self.bytes.split_off(self.plain.min(self.bytes.len()));
        let (mut rest, length) = (&escaped[..], end.saturating_sub(self.plain));
        while let Some(next) = memchr(b'\\', rest)
            && escaped.len() - rest.len() + next < length
        {
            let (plain, escape) = rest.split_at_checked(next).unwrap_or_default();
            self.bytes.extend_from_slice(plain);
            rest = undo(escape, &mut self.bytes);
        }
        let left = rest.len().min(escaped.len().saturating_sub(length));
        self.plain = self.bytes.len() + rest.len() - left;
        self.bytes.extend_from_slice(rest);
    }
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
    fn escapes_become_what_they_stand_for() {
        assert_eq!(
            undone(r#"{"a\/b": "x\ny\\n\u003c=8\q \"x\" \\\"y\\\" \'z\'"}"#),
            "{\"a/b\": \"x\u{b}y\u{b}<=8 q \"x\" \"y\" 'z'\"}"
        );
        assert_eq!(undone("\\"), " ");
        assert_eq!(undone("\\u12"), " u12");
        assert_eq!(undone("\\u00e9 \\\n"), " u00e9  \n");
    }

    #[test]
    fn escapes_are_undone_wherever_the_window_ends() {
        for shift in 0..12 {
            let head = "x".repeat((1 << 18) - shift);
            let text = format!(r#"{head}\u003c\"a\n"#);
            let mut window = TextWindow::new(text.as_bytes());
            while !window.is_last() {
                window.advance(0).unwrap();
            }
            assert_eq!(window.bytes(), format!("{head}<\"a\u{b}").as_bytes(), "{shift}");
        }
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
