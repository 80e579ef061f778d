//! The distinct texts that are layouts, or were meant as such: each is parsed once.

use indexmap::IndexMap;

use tensor_layout::LayoutText;
use tensor_layout::notation::Notation;
use tensor_layout::xla::XlaParser;

/// The notation of a layout, or the reason a text that was meant as one cannot be read.
pub(super) type Verdict = Result<Notation, String>;

/// The distinct layouts, and the texts that were meant as layouts.
#[derive(Clone, Debug)]
pub(super) struct Known {
    verdicts: IndexMap<Box<str>, Verdict>,
    xla: XlaParser,
}

impl Known {
    pub(super) fn new(xla: XlaParser) -> Known {
        Known { verdicts: IndexMap::new(), xla }
    }

    /// The id of `text` if it is a layout or a rejected layout; `None`, with nothing stored, otherwise.
    pub(super) fn classify(
        &mut self,
        text: &str,
        notation: Notation,
        is_certain: bool,
    ) -> Option<usize> {
        if let Some(number) = self.verdicts.get_index_of(text) {
            return Some(number);
        }
        let verdict = match LayoutText::parse_as(notation, self.xla, text) {
            Ok(layout) => Ok(layout.notation()),
            Err(error) if is_certain => Err(error.kind().to_string()),
            Err(_) => return None,
        };
        Some(self.verdicts.insert_full(text.into(), verdict).0)
    }

    /// Keeps a text that is rejected without being parsed; returns its id.
    pub(super) fn refuse(&mut self, text: &str, reason: &str) -> usize {
        match self.verdicts.get_index_of(text) {
            Some(number) => number,
            None => self.verdicts.insert_full(text.into(), Err(reason.into())).0,
        }
    }

    pub(super) fn get(&self, number: usize) -> Option<(&str, &Verdict)> {
        self.verdicts.get_index(number).map(|(text, verdict)| (&**text, verdict))
    }

    pub(super) fn parser(&self) -> XlaParser {
        self.xla
    }
}
