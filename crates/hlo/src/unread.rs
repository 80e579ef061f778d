//! The lines of a dump that could not be read.

/// How many unread lines are kept; all are counted.
const MOST_UNREAD: usize = 1000;

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadLine {
    /// Its number, from 1.
    pub line: u64,
    /// The text at fault, cut where long.
    pub text: String,
    /// Why it is refused.
    pub reason: String,
}

/// The first thousand unread lines, and how many there are.
#[derive(Clone, Debug, Default)]
pub(super) struct Unread {
    lines: Vec<UnreadLine>,
    count: u64,
}

impl Unread {
    pub(super) fn push(&mut self, line: u64, text: &[u8], reason: String) {
        self.count += 1;
        if self.lines.len() < MOST_UNREAD {
            let text = tensor_layout::internals::cut(&String::from_utf8_lossy(text), 120);
            self.lines.push(UnreadLine { line, text, reason });
        }
    }

    pub(super) fn lines(&self) -> &[UnreadLine] {
        &self.lines
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }
}
