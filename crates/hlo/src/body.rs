//! The text of a computation, and where in it the names, shapes and operands of its instructions stand.

use std::borrow::Cow;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use memchr::{memchr, memchr2, memmem};
use tensor_layout::error::Span;
use tensor_layout::internals::{Walk, outer_bracket};

use crate::candidates::shape_end;
use crate::names::hash;

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

/// Where the parts of an instruction stand in the text of its computation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) name: Span,
    pub(super) shape: Span,
    pub(super) opcode: Span,
    pub(super) arguments: Span,
    pub(super) attributes: Span,
    /// A range of operands of the computation.
    pub(super) operands: Span,
    pub(super) line: u64,
    pub(super) is_root: bool,
}

/// Where an operand stands, and which instruction it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperandRecord {
    pub(super) name: Span,
    pub(super) instruction: Option<usize>,
}

impl Record {
    /// Reads an instruction from `start` up to the bracket before its operands.
    pub(super) fn head(text: &[u8], start: usize, line: u64) -> Option<Record> {
        let from = |at: usize| text.get(at..).unwrap_or_default();
        let until = |at: usize, byte: u8| Some(at + memchr(byte, from(at))?);
        let mut at = start + from(start).iter().take_while(|b| **b == b' ').count();
        let is_root = from(at).starts_with(b"ROOT ");
        at += if is_root { 5 } else { 0 };
        let end = until(at, b' ')?;
        let name = unsigiled(text, Span::new(at, end));
        if !from(end).starts_with(b" = ") || name.start == name.end {
            return None;
        }
        let shape = Span::new(end + 3, end_of_shape(text, end + 3)?);
        if text.get(shape.end) != Some(&b' ') {
            return None;
        }
        let open = until(shape.end + 1, b'(')?;
        let opcode = Span::new(shape.end + 1, open);
        let is_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
        let is_opcode = opcode.start < opcode.end && text[opcode.start..open].iter().all(is_word);
        let none = Span::default();
        let arguments = Span::new(open + 1, open + 1);
        let (operands, attributes) = (none, none);
        is_opcode.then_some(Record {
            name,
            shape,
            opcode,
            arguments,
            attributes,
            operands,
            line,
            is_root,
        })
    }

    /// Takes what follows the operands, whose bracket closes at `close`, up to `end`.
    pub(super) fn close(&mut self, text: &[u8], close: usize, end: usize) {
        self.arguments.end = close;
        let is_gap = |b: &&u8| matches!(b, b',' | b' ');
        let start = close + 1;
        let start = start + text[start..end].iter().take_while(is_gap).count();
        let blanks = text[start..end].iter().rev().take_while(|b| b.is_ascii_whitespace()).count();
        self.attributes = Span::new(start, end - blanks);
    }

    /// Whether operands stand between the brackets, and not a literal or the number of a parameter.
    pub(super) fn has_operands(&self, text: &[u8]) -> bool {
        let opcode = text.get(self.opcode.start..self.opcode.end).unwrap_or_default();
        let Span { start, end } = self.arguments;
        start < end && !matches!(opcode, b"parameter" | b"constant" | b"iota")
    }
}

/// The operands of an instruction that is being read, which may go on over many lines.
pub(super) struct OperandList {
    walk: Walk,
    from: usize,
}

impl OperandList {
    pub(super) fn of(record: &Record) -> OperandList {
        let from = record.arguments.start;
        OperandList { walk: Walk::from(from), from }
    }

    /// The name of the next operand, and the comma or the bracket behind it.
    pub(super) fn next(&mut self, text: &[u8]) -> Option<(Span, usize)> {
        let end = self.walk.next(text, Some(b','))?;
        let name = last_word(text, Span::new(self.from, end));
        self.from = end + 1;
        Some((name, end))
    }
}

/// The name without its `%`.
fn unsigiled(text: &[u8], name: Span) -> Span {
    let has_sigil = text.get(name.start) == Some(&b'%') && name.start < name.end;
    Span::new(name.start + usize::from(has_sigil), name.end)
}

/// An operand is its name, with its shape or a comment in front of it or not.
fn last_word(text: &[u8], part: Span) -> Span {
    let part_text = &text[part.start..part.end];
    let blanks = part_text.iter().rev().take_while(|b| b.is_ascii_whitespace()).count();
    let end = part.end - blanks;
    let is_name = |b: &&u8| !b.is_ascii_whitespace() && **b != b'/';
    let length = text[part.start..end].iter().rev().take_while(is_name).count();
    unsigiled(text, Span::new(end - length, end))
}

/// Where a shape ends that begins at `start`: a tuple, a buffer, or a type with its dimensions.
fn end_of_shape(text: &[u8], start: usize) -> Option<usize> {
    if let Some(bracket) = outer_bracket(text, start) {
        return Walk::from(bracket + 1).next(text, None).map(|close| close + 1);
    }
    let rest = text.get(start..)?;
    let dtype = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    if rest.get(dtype) != Some(&b'[') {
        return None;
    }
    let (end, closed) = shape_end(text, start + dtype);
    closed.then_some(end)
}
