//! Candidate rows, whose role (inside a fusion or not) is not known until the module ends.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt::Write;
use std::ops::Range;

use crate::module::Metadata;
use crate::names::{MOST_KNOWN, Outcomes};
use crate::{HloComputation, HloInstruction, HloModule, HloSource};

/// The number of rows that are held before those inside fusions are looked for.
const LEAST_ROOM: usize = 1024;

/// Instructions of a module that may be listed: whether they are follows from calls that come later.
///
/// Their names, opcodes and metadata are in one text, which is read only for the rows that are listed.
#[derive(Clone, Debug)]
pub(super) struct Held<K> {
    rows: Vec<HeldRow<K>>,
    text: String,
    /// The number of rows above which those inside fusions are dropped; 0 before the first time.
    room: usize,
}

/// An instruction of a computation that may be held: its rank, its number in the computation, and the number
/// of its shape or of its change.
pub(super) type Candidate<K> = (Reverse<K>, usize, usize);

/// An instruction that is held.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldRow<K> {
    pub(super) computation: u32,
    pub(super) line: u64,
    /// The number of its shape, or of its change.
    pub(super) number: usize,
    /// The rank by which rows are listed, or other data of the caller.
    pub(super) key: K,
    /// The start of its text, and the lengths of its name, opcode and `metadata`.
    start: usize,
    lengths: [usize; 3],
}

/// The texts of an instruction that is held.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldText<'a> {
    pub(super) name: &'a str,
    pub(super) opcode: &'a str,
    metadata: &'a str,
}

impl<K> Default for Held<K> {
    fn default() -> Held<K> {
        Held { rows: Vec::new(), text: String::new(), room: 0 }
    }
}

impl<K: Copy> Held<K> {
    /// Makes room for so many rows.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.rows.reserve_exact(rows);
    }

    pub(super) fn push(
        &mut self,
        from: HloInstruction<'_>,
        computation: u32,
        number: usize,
        key: K,
    ) {
        let texts = [from.name(), from.opcode(), from.metadata()];
        let (start, lengths) = (self.text.len(), texts.map(str::len));
        texts.iter().for_each(|text| self.text.push_str(text));
        self.rows.push(HeldRow { computation, line: from.line(), number, key, start, lengths });
    }

    /// Takes the `top` greatest instructions of a computation, or all of them.
    pub(super) fn take(
        &mut self,
        found: &mut Vec<Candidate<K>>,
        top: Option<usize>,
        number: u32,
        computation: HloComputation<'_>,
    ) where
        K: Ord,
    {
        if let Some(top) = top.filter(|top| *top < found.len()) {
            found.sort_unstable();
            found.truncate(top);
        }
        for (Reverse(key), index, of) in found.drain(..) {
            if let Some(instruction) = computation.instruction(index) {
                self.push(instruction, number, of, key);
            }
        }
    }

    /// Returns whether there are so many rows that those inside fusions should be dropped.
    pub(super) fn is_crowded(&self) -> bool {
        self.rows.len() > self.room.max(LEAST_ROOM)
    }

    /// Returns whether some were dropped because a fusion calls their computation.
    pub(super) fn has_dropped(&self) -> bool {
        self.room > 0
    }

    /// Without rows, with the memory for those of the next module.
    pub(super) fn cleared(mut self) -> Held<K> {
        self.rows.clear();
        self.text.clear();
        Held { room: 0, ..self }
    }

    pub(super) fn rows(&self) -> &[HeldRow<K>] {
        &self.rows
    }

    /// Forgets the outcomes that no row has, once there are many.
    pub(super) fn forget<T: Clone>(&mut self, known: &mut Outcomes<T>) {
        if known.len() <= MOST_KNOWN.max(2 * self.rows.len()) {
            return;
        }
        let all = std::mem::take(known);
        for row in &mut self.rows {
            if let Some((text, outcome)) = all.get_index(row.number) {
                row.number = known.insert_full(text.clone(), outcome.clone()).0;
            }
        }
    }

    /// Keeps the rows that `is_kept` accepts, and drops the others with their texts.
    pub(super) fn retain(&mut self, is_kept: impl FnMut(&HeldRow<K>) -> bool) {
        self.rows.retain(is_kept);
        let (mut text, mut end) = (std::mem::take(&mut self.text).into_bytes(), 0);
        for row in &mut self.rows {
            let range = row.range();
            row.start = end;
            end += range.len();
            text.copy_within(range, row.start);
        }
        text.truncate(end);
        self.text = String::from_utf8(text).unwrap_or_default();
        self.room = self.rows.len() + (self.rows.len() / 4).max(LEAST_ROOM);
    }

    pub(super) fn text(&self, row: &HeldRow<K>) -> HeldText<'_> {
        let all = self.text.get(row.range()).unwrap_or_default();
        let [name, opcode, _] = row.lengths;
        let (name, rest) = all.split_at_checked(name).unwrap_or_default();
        let (opcode, metadata) = rest.split_at_checked(opcode).unwrap_or_default();
        HeldText { name, opcode, metadata }
    }
}

impl<K> HeldRow<K> {
    fn range(&self) -> Range<usize> {
        self.start..self.start + self.lengths.iter().sum::<usize>()
    }
}

impl<'a> HeldText<'a> {
    /// The operation and the line of the program that it comes from.
    pub(super) fn origin(
        &self,
        module: &HloModule,
    ) -> (Option<Cow<'a, str>>, Option<HloSource<'a>>) {
        let metadata = Metadata::of(self.metadata);
        (metadata.op_name(), module.source(&metadata))
    }

    /// The same as texts.
    pub(super) fn origin_texts(&self, module: &HloModule) -> (Option<String>, Option<String>) {
        let (op_name, source) = self.origin(module);
        (op_name.map(Cow::into_owned), source.map(|source| source.to_string()))
    }
}

/// The texts of a row that is listed, in one allocation: name, opcode, and the operation and the line of the program that it
/// comes from.
#[derive(Clone, Debug)]
pub(super) struct RowTexts {
    all: Box<str>,
    /// The ends of the name, of the opcode, and of the operation if there is one.
    name: usize,
    opcode: usize,
    op_name: Option<usize>,
    has_source: bool,
}

impl RowTexts {
    /// Puts them together in `room`, which is kept from row to row.
    pub(super) fn of(text: &HeldText<'_>, module: &HloModule, room: &mut String) -> RowTexts {
        let (op_name, source) = text.origin(module);
        room.clear();
        let mut push = |part: &str| {
            room.push_str(part);
            room.len()
        };
        let (name, opcode) = (push(text.name), push(text.opcode));
        let op_name = op_name.as_deref().map(&mut push);
        let has_source = source.is_some_and(|source| write!(room, "{source}").is_ok());
        RowTexts { all: room.as_str().into(), name, opcode, op_name, has_source }
    }

    fn part(&self, range: Range<usize>) -> &str {
        self.all.get(range).unwrap_or_default()
    }

    pub(super) fn name(&self) -> &str {
        self.part(0..self.name)
    }

    pub(super) fn opcode(&self) -> &str {
        self.part(self.name..self.opcode)
    }

    pub(super) fn op_name(&self) -> Option<&str> {
        self.op_name.map(|end| self.part(self.opcode..end))
    }

    pub(super) fn source(&self) -> Option<&str> {
        let start = self.op_name.unwrap_or(self.opcode);
        self.has_source.then(|| self.part(start..self.all.len()))
    }
}
