//! A text of any length, of which only the part that is still needed is held.

use std::io::{self, BufRead};

use tensor_layout_words::to_u64;

use crate::comments::blanked;
use crate::lexer::Tokens;

/// The least number of bytes that are read at a time.
const STEP: usize = 1 << 18;

/// The part of a text that is held; bytes that are not UTF-8 are replaced.
#[derive(Clone, Debug)]
pub(super) struct Stream<R> {
    input: R,
    pub(super) text: String,
    /// The beginning of a character whose end was not read yet.
    raw: Vec<u8>,
    is_last: bool,
    pub(super) read: u64,
    /// A position in the held text, and the number of its line.
    place: usize,
    line: u64,
}

impl<R: BufRead> Stream<R> {
    pub(super) fn new(input: R) -> Stream<R> {
        let (text, raw) = (String::new(), Vec::new());
        Stream { input, text, raw, is_last: false, read: 0, place: 0, line: 1 }
    }

    pub(super) fn tokens(&self) -> Tokens<'_> {
        Tokens { bytes: self.text.as_bytes(), is_last: self.is_last }
    }

    /// Returns the number of the line of a position; positions only grow.
    pub(super) fn line(&mut self, at: usize) -> u64 {
        let between = self.text.as_bytes().get(self.place..at).unwrap_or_default();
        self.line += line_ends(between);
        self.place = self.place.max(at);
        self.line
    }

    /// Turns the comments of a stretch into blanks; returns whether there were any.
    pub(super) fn blank_comments(&mut self, start: usize, end: usize) -> bool {
        let Some(blank) = self.text.get(start..end).and_then(blanked) else { return false };
        self.text.replace_range(start..end, &blank);
        true
    }

    /// Returns whether so much text is before a position that moving the rest is cheap in comparison.
    pub(super) fn is_worth_forgetting(&self, before: usize) -> bool {
        before > STEP && before > self.text.len() / 4 * 3
    }

    /// Drops the text before a position; returns the position that its end has then.
    pub(super) fn forget(&mut self, before: usize) -> usize {
        self.line(before);
        // Positions are those of tokens, which begin a character.
        if before == 0 || !self.text.is_char_boundary(before) {
            return before;
        }
        self.text.drain(..before);
        self.place -= before;
        0
    }

    /// Reads as many bytes as are `held` of the current item, and at least `STEP`, so that starting it again
    /// after every step costs only a constant factor.
    pub(super) fn fill(&mut self, held: usize) -> io::Result<()> {
        let mut room = held.max(STEP);
        while room > 0 {
            let available = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                available => available?,
            };
            let new = available.get(..room).unwrap_or(available);
            let count = new.len();
            let new = if self.read == 0 { new.strip_prefix(BOM).unwrap_or(new) } else { new };
            if self.raw.is_empty() && cut_character(new) == 0 {
                push(&mut self.text, new);
            } else {
                self.raw.extend_from_slice(new);
                let kept = if count == 0 { 0 } else { cut_character(&self.raw) };
                let whole = self.raw.len() - kept;
                push(&mut self.text, self.raw.get(..whole).unwrap_or_default());
                self.raw.drain(..whole);
            }
            self.input.consume(count);
            self.read += to_u64(count);
            self.is_last = count == 0;
            room = if count == 0 { 0 } else { room - count };
        }
        Ok(())
    }
}

/// The byte order mark, which some editors put before a text.
const BOM: &[u8] = "\u{feff}".as_bytes();

/// Adds text; bytes that are not UTF-8 are replaced.
fn push(text: &mut String, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(new) => text.push_str(new),
        Err(_) => text.push_str(&String::from_utf8_lossy(bytes)),
    }
}

/// Returns the number of line ends, summed in bytes over short stretches, as compilers vectorize that.
fn line_ends(bytes: &[u8]) -> u64 {
    let is_end = |byte: &u8| u8::from(*byte == b'\n');
    bytes.chunks(255).map(|part| u64::from(part.iter().map(is_end).sum::<u8>())).sum()
}

/// The number of bytes at the end of a text that are the beginning of a character.
fn cut_character(bytes: &[u8]) -> usize {
    let tail = bytes.iter().rev().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    match bytes.len().checked_sub(tail + 1).and_then(|at| bytes.get(at)) {
        Some(lead) if *lead >= 0xC0 => tail + 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::{STEP, Stream};

    #[test]
    fn characters_are_whole_wherever_a_step_ends() {
        for shift in 0..4 {
            let text = "x".repeat(shift) + &"\u{1F600}".repeat(STEP / 2);
            let mut stream = Stream::new(text.as_bytes());
            while !stream.tokens().is_last {
                stream.fill(0).unwrap();
            }
            assert_eq!(
                (stream.text == text, stream.read),
                (true, tensor_layout_words::to_u64(text.len()))
            );
        }
    }
}
