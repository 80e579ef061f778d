//! An instruction: `%name = shape opcode(operands), attributes`.

use std::borrow::Cow;
use std::fmt;

use memchr::memchr;

use crate::error::{ParseError, Span};
use crate::hlo::attributes::{HloAttributes, entry, unquoted};
use crate::hlo::computation::HloComputation;
use crate::hlo::scan::shape_end;
use crate::notation::{Walk, XlaParser, XlaShape, outer_bracket};

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

/// An instruction of a computation.
///
/// Its parts are read when they are asked for.
///
/// ```
/// use tensor_layout::hlo::HloDump;
/// let text = "ENTRY %e (a: f32[2]) -> f32[2] {
///   %a = f32[2]{0} parameter(0)
///   ROOT %b.1 = f32[2]{0} add(f32[2]{0} %a, %a), metadata={op_name=\"f/add\" source_file=\"f.py\" source_line=7}
/// }";
/// let mut dump = HloDump::new(text.as_bytes());
/// let entry = dump.next_computation()?.unwrap();
/// let add = entry.instruction(1).unwrap();
/// assert_eq!((add.name(), add.opcode(), add.shape_text(), add.line()), ("b.1", "add", "f32[2]{0}", 3));
/// assert!(add.operands().all(|operand| operand.instruction().map(|i| i.name()) == Some("a")));
/// assert_eq!(add.op_name().as_deref(), Some("f/add"));
/// assert_eq!(add.source().unwrap().to_string(), "f.py:7");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct HloInstruction<'a> {
    pub(super) computation: HloComputation<'a>,
    pub(super) record: &'a Record,
    pub(super) index: usize,
}

/// An operand of an instruction.
#[derive(Clone, Copy)]
pub struct HloOperand<'a> {
    computation: HloComputation<'a>,
    record: OperandRecord,
}

/// A line of the program that a dump was compiled from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HloSource<'a> {
    /// The file.
    pub file: Cow<'a, str>,
    /// The line, from 1.
    pub line: u64,
}

impl fmt::Display for HloSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl fmt::Debug for HloInstruction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {} {}(..)", self.name(), self.shape_text(), self.opcode())
    }
}

impl fmt::Debug for HloOperand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The operation that a `metadata` attribute names.
pub(super) fn op_name(metadata: &str) -> Option<Cow<'_, str>> {
    entry(metadata, "op_name").and_then(unquoted)
}

impl<'a> HloInstruction<'a> {
    /// The name, without `%`.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.computation.part(self.record.name)
    }

    /// The text of the shape.
    #[must_use]
    pub fn shape_text(&self) -> &'a str {
        self.computation.part(self.record.shape)
    }

    /// The shape.
    ///
    /// # Errors
    /// Those of [`XlaShape`].
    pub fn shape(&self) -> Result<XlaShape, ParseError> {
        XlaParser::strict().parse(self.shape_text())
    }

    /// The opcode, as `add` or `all-gather-start`.
    #[must_use]
    pub fn opcode(&self) -> &'a str {
        self.computation.part(self.record.opcode)
    }

    /// What stands between the brackets: operands as written, a literal or the number of a
    /// parameter.
    #[must_use]
    pub fn arguments(&self) -> &'a str {
        self.computation.part(self.record.arguments)
    }

    /// The number of a parameter.
    #[must_use]
    pub fn parameter(&self) -> Option<usize> {
        (self.opcode() == "parameter").then(|| self.arguments().trim().parse().ok())?
    }

    /// The operands, in order.
    pub fn operands(&self) -> impl ExactSizeIterator<Item = HloOperand<'a>> + use<'a> {
        let computation = self.computation;
        let records = computation.operand_records(self.record.operands);
        records.iter().map(move |record| HloOperand { computation, record: *record })
    }

    /// Operand `at`, as an instruction of the same computation.
    #[must_use]
    pub fn operand(&self, at: usize) -> Option<HloInstruction<'a>> {
        self.operands().nth(at)?.instruction()
    }

    /// The attributes.
    #[must_use]
    pub fn attributes(&self) -> HloAttributes<'a> {
        HloAttributes::new(self.computation.part(self.record.attributes))
    }

    /// The value of an attribute.
    #[must_use]
    pub fn attribute(&self, key: &str) -> Option<&'a str> {
        self.attributes().get(key)
    }

    /// The operation of the program that this comes from.
    #[must_use]
    pub fn op_name(&self) -> Option<Cow<'a, str>> {
        op_name(self.attribute("metadata")?)
    }

    /// The line of the program that this comes from: written here, or in the tables of the module.
    #[must_use]
    pub fn source(&self) -> Option<HloSource<'a>> {
        self.computation.module().source(self.attribute("metadata")?)
    }

    /// Whether it is the result of its computation.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.record.is_root
    }

    /// Its number in its computation, from 0.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// The number of its first line in the dump, from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.record.line
    }

    /// The computation that it belongs to.
    #[must_use]
    pub fn computation(&self) -> HloComputation<'a> {
        self.computation
    }
}

impl<'a> HloOperand<'a> {
    /// The name, without `%`.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.computation.part(self.record.name)
    }

    /// The instruction of that name in the same computation.
    #[must_use]
    pub fn instruction(&self) -> Option<HloInstruction<'a>> {
        self.computation.instruction(self.record.instruction?)
    }
}
