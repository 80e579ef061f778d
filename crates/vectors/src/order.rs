//! Whether the lines of a tensor are all there, once, and in order.

use super::fault::{Fault, Finding};
use super::tensor::{Tensor, Word, Words};
use super::words::WordSet;
use tensor_layout::LayoutError;

/// How many long words of gaps are looked at for lines that stand elsewhere.
const MOST_GAP: u64 = 1 << 20;

/// The lines of a tensor in their order, and where the file is in it.
#[derive(Debug)]
pub(super) struct Order<'a> {
    tensor: &'a Tensor,
    words: Words<'a>,
    /// The long word whose line is expected next.
    expected: Option<Word>,
    seen: WordSet,
    gaps: Vec<Gap>,
    /// How many lines since the last one cannot be told apart.
    unread: u64,
}

/// Lines that were skipped before a line: from one long word up to another, or to the end.
#[derive(Debug)]
struct Gap {
    line: u64,
    from: (u64, usize),
    to: Option<(u64, usize)>,
    /// How many lines stand here that cannot be told apart, and may be those.
    unread: u64,
}

impl<'a> Order<'a> {
    pub(super) fn new(tensor: &'a Tensor) -> Result<Order<'a>, LayoutError> {
        let mut words = tensor.words_from(0);
        let expected = words.next().transpose()?;
        let (seen, gaps) = (WordSet::default(), Vec::new());
        Ok(Order { tensor, words, expected, seen, gaps, unread: 0 })
    }

    pub(super) fn expected(&self) -> Option<&Word> {
        self.expected.as_ref()
    }

    /// Takes a line that cannot be matched with a long word.
    pub(super) fn take_unread(&mut self) {
        self.unread += 1;
    }

    /// Takes the line of a long word; `following` is that of the next line, which tells a line
    /// that stands too early from lines that are missing.
    pub(super) fn take(
        &mut self,
        line: u64,
        word: &Word,
        following: Option<&Word>,
    ) -> Result<Option<Fault>, LayoutError> {
        let unread = std::mem::take(&mut self.unread);
        if !self.seen.insert(word.word) {
            let (tensor, place) = (self.tensor.header.name(), self.tensor.place(word.word, 0));
            return Ok(Some(Fault::Doubled { tensor, place }));
        }
        let Some(expected) = self.expected else {
            // All that comes after the last line was skipped before.
            return Ok(Some(self.misplaced(word, None)));
        };
        if word.key() == expected.key() {
            self.advance()?;
            return Ok(None);
        }
        let is_early = following.is_some_and(|next| next.key() == expected.key());
        if word.key() < expected.key() || is_early {
            return Ok(Some(self.misplaced(word, Some(&expected))));
        }
        self.gaps.push(Gap { line, from: expected.key(), to: Some(word.key()), unread });
        self.words = self.tensor.words_from(word.element);
        while {
            self.expected = self.words.next().transpose()?;
            self.expected.is_some_and(|expected| expected.key() <= word.key())
        } {}
        self.skip_seen()?;
        Ok(None)
    }

    fn misplaced(&self, word: &Word, expected: Option<&Word>) -> Fault {
        let index = |word: &Word| self.tensor.index(word.element);
        Fault::Order { found: index(word), wanted: expected.map(index) }
    }

    fn advance(&mut self) -> Result<(), LayoutError> {
        self.expected = self.words.next().transpose()?;
        self.skip_seen()
    }

    fn skip_seen(&mut self) -> Result<(), LayoutError> {
        while self.expected.is_some_and(|expected| self.seen.contains(expected.word)) {
            self.expected = self.words.next().transpose()?;
        }
        Ok(())
    }

    /// What is missing, once the lines have ended before line `end`.
    pub(super) fn missing(mut self, end: u64) -> Result<Vec<Finding>, LayoutError> {
        if let Some(expected) = self.expected {
            let unread = self.unread;
            self.gaps.push(Gap { line: end, from: expected.key(), to: None, unread });
        }
        let (mut findings, mut budget) = (Vec::new(), MOST_GAP);
        for gap in &self.gaps {
            self.missing_in(gap, &mut budget, &mut findings)?;
        }
        Ok(findings)
    }

    fn missing_in(
        &self,
        gap: &Gap,
        budget: &mut u64,
        findings: &mut Vec<Finding>,
    ) -> Result<(), LayoutError> {
        let mut runs: Vec<(u64, u64, u64)> = Vec::new();
        let mut is_run = false;
        for word in self.tensor.words_from(gap.from.0) {
            let word = word?;
            if gap.to.is_some_and(|to| word.key() >= to) || *budget == 0 {
                break;
            }
            if word.key() < gap.from {
                continue;
            }
            *budget -= 1;
            let is_missing = !self.seen.contains(word.word);
            match runs.last_mut() {
                Some((words, _, last)) if is_missing && is_run => {
                    *words += 1;
                    *last = word.element;
                }
                _ if is_missing => runs.push((1, word.element, word.element)),
                _ => {}
            }
            is_run = is_missing;
        }
        let missing: u64 = runs.iter().map(|(words, ..)| words).sum();
        if missing > gap.unread {
            findings.extend(runs.into_iter().map(|run| self.run(gap.line, run)));
        }
        Ok(())
    }

    fn run(&self, line: u64, (words, first, last): (u64, u64, u64)) -> Finding {
        let (first, last) = (self.tensor.index(first), self.tensor.index(last));
        let tensor = self.tensor.header.name();
        Finding { line, fault: Fault::Missing { tensor, words, first, last } }
    }
}
