//! A computation: a name, and instructions whose operands are resolved.

use std::borrow::Cow;
use std::fmt;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use memchr::{memchr2, memmem};

use crate::error::Span;
use crate::hlo::instruction::{HloInstruction, OperandList, OperandRecord, Record};
use crate::hlo::module::HloModule;
use crate::hlo::names::hash;

/// The text of a computation, and where its parts are; used again for the next one.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pub(super) text: String,
    pub(super) name: Span,
    pub(super) line: u64,
    pub(super) is_entry: bool,
    pub(super) records: Vec<Record>,
    pub(super) operands: Vec<OperandRecord>,
    /// The instructions by their names, while operands are looked for.
    numbers: Numbers,
}

impl Body {
    /// Starts a computation if `line` is the head of one: `ENTRY %name (..) -> shape {`, or only
    /// `name {`.
    pub(super) fn begin(&mut self, line: &str, number: u64) -> bool {
        let head = line.trim_end();
        let Some(head) = head.strip_suffix('{') else { return false };
        let is_entry = head.starts_with("ENTRY ");
        let start = if is_entry { "ENTRY ".len() } else { 0 };
        let name = head.get(start..).unwrap_or_default();
        let length = memchr2(b' ', b'(', name.as_bytes()).unwrap_or(name.len());
        let rest = name.get(length..).unwrap_or_default().trim();
        let has_arrow = || memmem::find(rest.as_bytes(), b"->").is_some();
        if length == 0 || !(rest.is_empty() || rest.starts_with('(') && has_arrow()) {
            return false;
        }
        let sigil = usize::from(name.starts_with('%'));
        self.text.clear();
        self.records.clear();
        self.operands.clear();
        self.text.push_str(line);
        self.name = Span::new(start + sigil, start + length);
        (self.line, self.is_entry) = (number, is_entry);
        true
    }

    /// Adds text; bytes that are not UTF-8 are replaced.
    pub(super) fn push_text(&mut self, bytes: &[u8]) {
        self.text.push_str(&text(bytes));
    }

    /// Reads on in the operands of the instruction that is to be added next; returns where the
    /// bracket is that closes them.
    pub(super) fn read_operands(&mut self, list: &mut OperandList) -> Option<usize> {
        let text = self.text.as_bytes();
        while let Some((name, end)) = list.next(text) {
            self.operands.push(OperandRecord { name, instruction: None });
            if text.get(end) != Some(&b',') {
                return Some(end);
            }
        }
        None
    }

    /// Adds an instruction whose text is complete, and whose operands end at `close`.
    pub(super) fn push(&mut self, mut record: Record, close: usize) {
        let text = self.text.as_bytes();
        record.close(text, close, text.len());
        if !record.has_operands(text) {
            self.drop_operands();
        }
        let start = self.records.last().map_or(0, |last| last.operands.end);
        record.operands = Span::new(start, self.operands.len());
        self.records.push(record);
    }

    /// Forgets operands that do not belong to an instruction that was added.
    pub(super) fn drop_operands(&mut self) {
        self.operands.truncate(self.records.last().map_or(0, |last| last.operands.end));
    }

    /// Finds the instruction of every operand; returns the lines and names of those that are not
    /// in the computation.
    pub(super) fn resolve(&mut self) -> Vec<(u64, Span)> {
        let Body { text, records, operands, numbers, .. } = self;
        let part = |span: Span| text.get(span.start..span.end).unwrap_or_default();
        let has_table = records.len() > FEW;
        if has_table {
            numbers.fill(records, part);
        }
        let mut missing = Vec::new();
        for record in records.iter() {
            for operand in &mut operands[record.operands.start..record.operands.end] {
                let name = part(operand.name);
                operand.instruction = match has_table {
                    true => numbers.find(name, records, part),
                    false => records.iter().rposition(|record| part(record.name) == name),
                };
                if operand.instruction.is_none() {
                    missing.push((record.line, operand.name));
                }
            }
        }
        missing
    }
}

/// Among so few instructions a name is found faster by looking at all than in a table.
const FEW: usize = 8;

/// The instructions of a computation by their names; of several with one name the last.
#[derive(Clone, Debug, Default)]
struct Numbers(HashTable<usize>);

impl Numbers {
    fn fill<'t>(&mut self, records: &[Record], part: impl Fn(Span) -> &'t str) {
        // A long computation must not make those behind it dear: to clear a table is to write all of it.
        const MOST_ROOM: usize = 1 << 8;
        if self.0.capacity() > MOST_ROOM {
            self.0 = HashTable::new();
        }
        self.0.clear();
        let name = |number: &usize| records.get(*number).map_or("", |record| part(record.name));
        for (number, record) in records.iter().enumerate() {
            let own = part(record.name);
            match self.0.entry(hash(own), |of| name(of) == own, |of| hash(name(of))) {
                Entry::Occupied(mut of) => *of.get_mut() = number,
                Entry::Vacant(room) => {
                    room.insert(number);
                }
            }
        }
    }

    fn find<'t>(
        &self,
        own: &str,
        records: &[Record],
        part: impl Fn(Span) -> &'t str,
    ) -> Option<usize> {
        let name = |number: &usize| records.get(*number).map_or("", |record| part(record.name));
        self.0.find(hash(own), |of| name(of) == own).copied()
    }
}

/// The text of bytes; those that are not UTF-8 are replaced. Most of it is ASCII, which is checked
/// many bytes at a time.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// A computation of a dump, until the next one is read.
#[derive(Clone, Copy)]
pub struct HloComputation<'a> {
    module: &'a HloModule,
    body: &'a Body,
}

impl fmt::Debug for HloComputation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {{ {} instructions }}", self.name(), self.len())
    }
}

impl<'a> HloComputation<'a> {
    pub(super) fn new(module: &'a HloModule, body: &'a Body) -> HloComputation<'a> {
        HloComputation { module, body }
    }

    /// A stretch of the text.
    pub(super) fn part(&self, span: Span) -> &'a str {
        self.body.text.get(span.start..span.end).unwrap_or_default()
    }

    pub(super) fn operand_records(&self, range: Span) -> &'a [OperandRecord] {
        self.body.operands.get(range.start..range.end).unwrap_or_default()
    }

    /// The module that it belongs to.
    #[must_use]
    pub fn module(&self) -> &'a HloModule {
        self.module
    }

    /// The name, without `%`.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.part(self.body.name)
    }

    /// Whether the module begins here.
    #[must_use]
    pub fn is_entry(&self) -> bool {
        self.body.is_entry
    }

    /// The number of its first line in the dump, from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.body.line
    }

    /// How many instructions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.body.records.len()
    }

    /// Whether it is without instructions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.body.records.is_empty()
    }

    /// The instructions in the order of the text.
    pub fn instructions(&self) -> impl ExactSizeIterator<Item = HloInstruction<'a>> + use<'a> {
        let computation = *self;
        let numbered = self.body.records.iter().enumerate();
        numbered.map(move |(index, record)| HloInstruction { computation, record, index })
    }

    /// The instruction with a number, from 0.
    #[must_use]
    pub fn instruction(&self, index: usize) -> Option<HloInstruction<'a>> {
        let record = self.body.records.get(index)?;
        Some(HloInstruction { computation: *self, record, index })
    }

    /// The instruction with a name, without `%`. Cost: linear in the instructions.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<HloInstruction<'a>> {
        self.instructions().find(|instruction| instruction.name() == name)
    }

    /// The result; where none is marked `ROOT`, the last instruction.
    #[must_use]
    pub fn root(&self) -> Option<HloInstruction<'a>> {
        self.instructions().find(HloInstruction::is_root).or_else(|| self.instructions().last())
    }
}
