//! The parts of a dump that could not be read.

use rustc_hash::FxHashSet;

use tensor_layout_words::{counted, cut, in_one_line, to_u64};

/// The number of unread places that are kept; all are counted.
const MOST_UNREAD: usize = 1000;

/// The number of unread places whose lines are kept: beyond it, a line that two readers list counts twice.
const MOST_PLACES: usize = 1 << 20;

/// A place that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadLine {
    /// The number of its line, from 1.
    pub line: u64,
    /// The text that could not be read, truncated if long.
    pub text: String,
    /// The reason it could not be read.
    pub reason: String,
    /// The number of instructions that are known to be missing because of it.
    pub hidden: u64,
}

impl UnreadLine {
    /// The reason and the text, in one line.
    #[must_use]
    pub fn why(&self) -> String {
        match &*self.text {
            "" => self.reason.clone(),
            text => format!("{}: {text}", self.reason),
        }
    }
}

/// The parts of a dump that a reader could not read. Each reader returns them: [`HloDump::reading`](crate::HloDump::reading),
/// [`HloMemory::reading`](crate::HloMemory::reading) and others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HloReading {
    /// The place where the text is cut off, if it is, in words.
    pub cut: Option<String>,
    /// The computation that is taken for the entry although it is not marked `ENTRY`, if one is, in words.
    pub taken_for_entry: Option<String>,
    /// The first thousand places that could not be read.
    pub lines: Vec<UnreadLine>,
    /// The number of such places.
    pub count: u64,
    /// The number of instructions that are known to be missing because of them.
    pub hidden: u64,
    /// The lines of the first million places: another reader may list those beyond the first thousand, too.
    places: Vec<u64>,
}

impl HloReading {
    pub(super) fn push(&mut self, line: u64, text: &[u8], reason: String) {
        self.hide(line, text, reason, 0);
    }

    /// Adds a place that hides instructions.
    pub(super) fn hide(&mut self, line: u64, text: &[u8], reason: String, hidden: u64) {
        self.count += 1;
        self.hidden += hidden;
        if self.places.len() < MOST_PLACES {
            self.places.push(line);
        }
        if self.lines.len() < MOST_UNREAD {
            let near = text.get(..1 << 10).unwrap_or(text);
            let text = cut(&in_one_line(&String::from_utf8_lossy(near)), 120);
            self.lines.push(UnreadLine { line, text, reason, hidden });
        }
    }

    /// Returns the parts that this reader or the other could not read, in the order of lines; a line that both list counts
    /// once, with the reason of this one.
    #[must_use]
    pub fn and(&self, other: &HloReading) -> HloReading {
        let known: FxHashSet<u64> = self.places.iter().copied().collect();
        let new_places: Vec<u64> =
            other.places.iter().filter(|line| !known.contains(line)).copied().collect();
        let again = other.places.len() - new_places.len();
        let places = self.places.iter().copied().chain(new_places).take(MOST_PLACES).collect();
        let listed: FxHashSet<u64> = self.lines.iter().map(|unread| unread.line).collect();
        let new = other.lines.iter().filter(|unread| !listed.contains(&unread.line));
        let mut lines: Vec<UnreadLine> = self.lines.iter().chain(new).cloned().collect();
        lines.sort_by_key(|unread| unread.line);
        lines.truncate(MOST_UNREAD);
        HloReading {
            cut: self.cut.as_ref().or(other.cut.as_ref()).cloned(),
            taken_for_entry: self
                .taken_for_entry
                .as_ref()
                .or(other.taken_for_entry.as_ref())
                .cloned(),
            lines,
            count: self.count + other.count - to_u64(again),
            hidden: self.hidden + other.hidden,
            places,
        }
    }

    /// Returns whether everything was read.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.count == 0
    }

    /// The end of the text and the entry, where they are not what they should be, in words.
    pub fn doubts(&self) -> impl Iterator<Item = &str> {
        self.cut.iter().chain(&self.taken_for_entry).map(String::as_str)
    }

    /// A summary in one line: `2 places could not be read, first line 712; 1 instruction is known to be missing`; `None` if
    /// everything was read as it is written.
    #[must_use]
    pub fn summary(&self) -> Option<String> {
        let places = counted(self.count, "place");
        let missing = match self.hidden {
            0 => "no instruction is".to_owned(),
            1 => "1 instruction is".to_owned(),
            many => format!("{many} instructions are"),
        };
        let unread = self.lines.first().map(|first| {
            format!(
                "{places} could not be read, first line {}; {missing} known to be missing",
                first.line
            )
        });
        let parts: Vec<&str> = self.doubts().chain(unread.as_deref()).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}
