//! A computation and its instructions, as a dump returns them: `%name = shape opcode(operands), attributes`.

use std::borrow::Cow;
use std::fmt;

use tensor_layout::error::{ParseError, Span};
use tensor_layout::xla::{XlaParser, XlaShape};

use crate::attributes::{HloAttributes, entry, unquoted};
use crate::body::{Body, OperandRecord, Record};
use crate::module::{HloModule, HloSource, Metadata};
use tensor_layout_words::mlir::{bracketed, parts};

/// A computation of a dump, until the next one is read.
#[derive(Clone, Copy)]
pub struct HloComputation<'a> {
    module: &'a HloModule,
    body: &'a Body,
    text: &'a str,
    /// The position of the text in that of the spans.
    start: usize,
}

impl fmt::Debug for HloComputation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {{ {} instructions }}", self.name(), self.len())
    }
}

impl<'a> HloComputation<'a> {
    pub(super) fn new(
        module: &'a HloModule,
        body: &'a Body,
        text: &'a str,
        start: usize,
    ) -> HloComputation<'a> {
        HloComputation { module, body, text, start }
    }

    /// A stretch of the text.
    pub(super) fn part(&self, span: Span) -> &'a str {
        let within = |at: usize| at.checked_sub(self.start);
        let range = within(span.start).zip(within(span.end));
        range.and_then(|(start, end)| self.text.get(start..end)).unwrap_or_default()
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

    /// Returns whether it is marked `ENTRY`: the module begins here.
    #[must_use]
    pub fn is_entry(&self) -> bool {
        self.body.is_entry
    }

    /// Returns whether this is not a computation but instructions outside any, such as the output of `grep`.
    #[must_use]
    pub fn is_loose(&self) -> bool {
        self.body.is_loose
    }

    /// Returns whether the text ends inside it.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.body.is_cut
    }

    /// Returns whether it may be the entry of its module, marked or not.
    pub(super) fn may_be_entry(&self) -> bool {
        self.body.may_be_entry
    }

    /// Returns whether an instruction of it is missing: it could not be read, or the text ends before it.
    pub(super) fn has_gaps(&self) -> bool {
        self.body.has_gaps
    }

    /// The number of its first line in the dump, from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.body.line
    }

    /// The number of instructions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.body.records.len()
    }

    /// Returns whether it has no instructions.
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

    /// The instruction that is marked `ROOT`; if none is, the last one.
    #[must_use]
    pub fn root(&self) -> Option<HloInstruction<'a>> {
        self.instructions().find(HloInstruction::is_root).or_else(|| self.instructions().last())
    }
}

/// An instruction of a computation.
///
/// Its parts are parsed on demand.
///
/// ```
/// use tensor_layout_hlo::HloDump;
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

    /// The opcode, such as `add` or `all-gather-start`.
    #[must_use]
    pub fn opcode(&self) -> &'a str {
        self.computation.part(self.record.opcode)
    }

    /// The text between the brackets: operands as written, a literal, or the number of a parameter; comments are blanks.
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

    /// The value of the attribute `metadata`; empty without one.
    pub(super) fn metadata(&self) -> &'a str {
        match self.record.metadata {
            Some(span) => self.computation.part(span),
            None => self.attribute("metadata").unwrap_or_default(),
        }
    }

    /// The operation of the program that this comes from.
    #[must_use]
    pub fn op_name(&self) -> Option<Cow<'a, str>> {
        entry(self.metadata(), "op_name").and_then(unquoted)
    }

    /// The line of the program that this comes from: written here, or in the tables of the module.
    #[must_use]
    pub fn source(&self) -> Option<HloSource<'a>> {
        self.computation.module().source(&Metadata::of(self.metadata()))
    }

    /// Returns whether it is the result of its computation.
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

    /// The member of the tuple of its instruction that it is, as in `%t#1`.
    #[must_use]
    pub fn element(&self) -> Option<usize> {
        self.record.element
    }

    /// The shape: that of its instruction, or of the member of it, or, where the instruction is not known, the
    /// shape written before the name, as in lines of a log.
    #[must_use]
    pub fn shape_text(&self) -> Option<&'a str> {
        let without_comment = |text: &'a str| text.rsplit("*/").next().unwrap_or_default().trim();
        let whole = self.instruction().map(|instruction| instruction.shape_text());
        match (whole, self.element()) {
            (Some(tuple), Some(at)) => Some(without_comment(parts(bracketed(tuple)?.0).nth(at)?)),
            (Some(whole), None) => Some(whole),
            (None, _) => {
                let written = without_comment(self.computation.part(self.record.shape));
                (!written.is_empty()).then_some(written)
            }
        }
    }
}
