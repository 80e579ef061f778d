//! A dump, computation by computation.

#![allow(
    clippy::redundant_closure_for_method_calls,
    reason = "the methods are not general over the lifetime of the text, closures are"
)]

use std::io::{self, BufRead};

use memchr::memchr;
use tensor_layout::error::Span;
use tensor_layout_words::to_u64;

use crate::HloComputation;
use crate::body::Body;
use crate::grammar::{self, ComputationHead, Sentence, sentence};
use crate::heads::contradictions;
use crate::kind::{HloTextKind, begins};
use crate::lexer::{CUT, LexError, Lexed, NO_INSTRUCTION, ShapeIs, Tokens, is_blank, is_name};
use crate::module::HloModule;
use crate::pending::Pending;
use crate::roles::{called, may_be_entry};
use crate::stream::Stream;
use crate::unread::HloReading;

/// The most that is kept of a sentence or a computation, in bytes: its text, and the places of its instructions and
/// operands. What needs more is an error, because a device may have no end.
const MOST_KEPT: usize = 1 << 30;

/// The greatest number of instructions outside computations that are returned together.
const MOST_LOOSE: usize = 1 << 16;

/// The greatest number of computations that a module has or calls.
const MOST_COMPUTATIONS: usize = 1 << 20;

/// The bytes that a row of a table takes beside its text.
const ROW: usize = 64;

/// The distance, in bytes, up to which instructions outside computations are returned together.
const NEAR: usize = 1 << 16;

/// A stream of computations, read from the text of any number of HLO modules.
///
/// The text is read as tokens: line ends are blanks, and brackets nest. Other text between modules and
/// computations is skipped; instructions in it, such as the output of `grep`, are returned as a computation
/// [without a name](HloComputation::is_loose). Parts of a computation that cannot be read are
/// [unread](HloDump::reading).
/// Law: the shapes of all instructions are among those of [`HloReport`](super::HloReport).
/// Law: every instruction of the text is either returned or unread at its line.
/// Cost: one pass; memory for the text of one computation, some 100 bytes for each of its
/// instructions and 56 for each operand, at most 1 GiB in all; and the tables, at most 1 GiB, and the names of
/// computations, at most 1 048 576, of one module. More is an error. Instructions outside computations are returned
/// at most 65 536 at a time.
///
/// ```
/// use tensor_layout_hlo::HloDump;
/// let text = "HloModule m\n\nadd {\n  x = f32[] parameter(0)\n  ROOT y = f32[] add(x, x)\n}\n";
/// let mut dump = HloDump::new(text.as_bytes());
/// while let Some(computation) = dump.next_computation()? {
///     assert_eq!((computation.module().name(), computation.name()), ("m", "add"));
///     assert_eq!(computation.root().map(|root| root.opcode()), Some("add"));
/// }
/// assert_eq!(dump.reading().count, 0);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct HloDump<R> {
    pub(super) stream: Stream<R>,
    /// The position in the text at which reading continues.
    pub(super) at: usize,
    /// Set while spans of a computation point into the text before `at`, so that it has to be kept.
    is_open: bool,
    pub(super) module: HloModule,
    pub(super) body: Body,
    unread: HloReading,
    /// The number of the last line with a word outside of computations.
    last_text: u64,
    /// The last computation of the module.
    last: Option<Last>,
    /// Set if a computation was marked `ENTRY`, and if that word began something that is not the head of one.
    has_entry: bool,
    has_lost_entry: bool,
    /// The computations of the module by name, and those that its instructions call.
    pending: Pending,
    /// The number of computations of the module, and the bytes of the rows of its tables.
    computations: usize,
    rows: usize,
}

/// A computation that may be the last one of its module.
#[derive(Clone, Debug)]
struct Last {
    line: u64,
    name: String,
    may_be_entry: bool,
}

impl<R: BufRead> HloDump<R> {
    /// Creates a dump; nothing is read yet.
    pub fn new(input: R) -> HloDump<R> {
        HloDump {
            stream: Stream::new(input),
            at: 0,
            is_open: false,
            module: HloModule::default(),
            body: Body::default(),
            unread: HloReading::default(),
            last_text: 0,
            last: None,
            has_entry: false,
            has_lost_entry: false,
            pending: Pending::default(),
            computations: 0,
            rows: 0,
        }
    }

    /// Reads up to the end of the next computation; `None` at the end of the text.
    ///
    /// # Errors
    /// Those of the input. Text that cannot be read is not an error here: see
    /// [`reading`](HloDump::reading).
    pub fn next_computation(&mut self) -> io::Result<Option<HloComputation<'_>>> {
        self.is_open = false;
        self.stream.is_worth_forgetting(self.at).then(|| self.forget());
        while self.skip_to_word()? {
            match self.read(sentence)? {
                Ok(Sentence::Module(head)) => {
                    self.end_module();
                    let line = self.stream.line(self.at);
                    self.module = HloModule::new(&self.stream.text, &head, line);
                    for (key, text) in self.module.unread() {
                        let why = format!("{key} of this module is not a number, and counts as 1");
                        self.unread.push(line, text.as_bytes(), why);
                    }
                    self.at = head.end;
                }
                Ok(Sentence::Table(table, end)) => {
                    self.at = end;
                    while let Ok(row) = self.read(grammar::row)? {
                        let text = self.stream.text.get(row.start..row.end).unwrap_or_default();
                        self.module.push_row(table, text);
                        self.rows += text.len() + ROW;
                        self.at = row.end;
                        self.check_module()?;
                    }
                }
                Ok(Sentence::Computation(head)) => {
                    self.read_computation(head)?;
                    return Ok(Some(self.computation()));
                }
                Ok(Sentence::Instruction) => {
                    self.read_loose()?;
                    return Ok(Some(self.computation()));
                }
                Ok(Sentence::Broken(end)) => {
                    self.end_module();
                    self.module = HloModule::default();
                    let why = "the brackets in the head of this module do not close";
                    self.unread.push(self.stream.line(self.at), b"HloModule", why.into());
                    self.at = end;
                }
                Ok(Sentence::Text(end)) => {
                    self.has_lost_entry |= self.stream.text.get(self.at..end) == Some("ENTRY");
                    self.skip_text(end)?;
                }
                Err(_) => self.at += 1,
            }
        }
        self.end_module();
        Ok(None)
    }

    fn computation(&self) -> HloComputation<'_> {
        HloComputation::new(&self.module, &self.body, &self.stream.text, 0)
    }

    /// The module of the last computation, or the one whose head was read last.
    pub fn module(&self) -> &HloModule {
        &self.module
    }

    /// The parts of computations that could not be read so far.
    pub fn reading(&self) -> &HloReading {
        &self.unread
    }

    /// The number of bytes that were read.
    pub fn bytes(&self) -> u64 {
        self.stream.read
    }

    /// Applies a reader at the current position, and reads as much of the input as it needs.
    fn read<T>(
        &mut self,
        what: impl Fn(Tokens<'_>, usize) -> Lexed<T>,
    ) -> io::Result<Result<T, &'static str>> {
        loop {
            match what(self.stream.tokens(), self.at) {
                Ok(found) => return Ok(Ok(found)),
                Err(LexError::Not(why)) => return Ok(Err(why)),
                Err(LexError::More) => self.fill()?,
            }
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        if !self.is_open {
            self.forget();
        }
        let places = if self.is_open { self.body.bytes() } else { 0 };
        if self.stream.text.len() + places > MOST_KEPT {
            let line = if self.is_open { self.body.line } else { self.stream.line(self.at) };
            let why = format!("what begins in line {line} takes more than 1 GiB of memory");
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        self.stream.fill(self.stream.text.len() - self.at)
    }

    /// Drops the text before the current position.
    fn forget(&mut self) {
        self.at = self.stream.forget(self.at);
    }

    /// Skips to the next word outside of computations; returns `false` at the end of the text.
    fn skip_to_word(&mut self) -> io::Result<bool> {
        loop {
            let rest = self.stream.tokens().rest(self.at);
            let gap = rest.iter().position(|byte| is_name(*byte));
            self.at += gap.unwrap_or(rest.len());
            match self.read(|text, at| text.peek(at))? {
                Ok(Some(byte)) if is_name(byte) => return Ok(true),
                Ok(Some(_)) => {}
                _ => return Ok(false),
            }
        }
    }

    /// Skips a word outside of computations; the first line of each other kind of text is unread.
    fn skip_text(&mut self, end: usize) -> io::Result<()> {
        let (length, number) = (end - self.at, self.stream.line(self.at));
        if number > self.last_text {
            self.last_text = number;
            let line =
                |text: Tokens<'_>, at| Ok(String::from_utf8_lossy(text.line(at)?).into_owned());
            let line = self.read(line)?.unwrap_or_default();
            if let Some(kind) = begins(&line).filter(|kind| *kind != HloTextKind::Dump) {
                let why = kind.elsewhere();
                if self.unread.lines.iter().all(|unread| unread.reason != why) {
                    self.unread.push(number, line.as_bytes(), why);
                }
            }
        }
        self.at += length;
        Ok(())
    }

    /// Skips blanks and comments; returns the byte after them, `None` at the end of the text.
    fn skip_blanks(&mut self) -> io::Result<Option<u8>> {
        self.at = self.read(|text, at| text.blanks(at))?.unwrap_or(self.at);
        Ok(self.read(|text, at| text.peek(at))?.unwrap_or(None))
    }

    /// Returns an error for a module of which too much would be kept.
    fn check_module(&self) -> io::Result<()> {
        let names = self.computations.max(self.pending.len());
        let what = match (names > MOST_COMPUTATIONS, self.rows > MOST_KEPT) {
            (false, false) => return Ok(()),
            (true, _) => format!("has or calls more than {MOST_COMPUTATIONS} computations"),
            (_, true) => "has tables of source lines that take more than 1 GiB of memory".into(),
        };
        let why = format!("the module {} {what}", self.module.name());
        Err(io::Error::new(io::ErrorKind::InvalidData, why))
    }

    fn read_computation(&mut self, head: ComputationHead) -> io::Result<()> {
        self.computations += 1;
        self.check_module()?;
        let (line, before) = (self.stream.line(self.at), self.unread.count);
        self.is_open = true;
        self.body.begin(head.name, line);
        self.body.is_entry = head.is_entry;
        if head.is_entry && std::mem::replace(&mut self.has_entry, true) {
            let why = "this module has an ENTRY before this one".to_owned();
            self.unread.push(line, self.computation().name().to_owned().as_bytes(), why);
        }
        self.at = head.end;
        loop {
            match self.skip_blanks()? {
                None => {
                    self.cut_off(line);
                    break;
                }
                Some(b'}') => {
                    self.at = self.read(grammar::thread)?.unwrap_or(self.at + 1);
                    break;
                }
                Some(_) => {
                    if let Err(why) = self.read_instruction(ShapeIs::Optional)?
                        && !self.recover(why)?
                    {
                        break;
                    }
                }
            }
        }
        for (line, name, why) in self.body.resolve(&self.stream.text) {
            let name = self.stream.text.get(name.start..name.end).unwrap_or_default();
            self.unread.push(line, name.as_bytes(), why.into());
        }
        self.body.may_be_entry = may_be_entry(self.computation());
        let name = self.computation().name().to_owned();
        self.last = Some(Last { line, name, may_be_entry: self.body.may_be_entry });
        // A parameter or a ROOT that cannot be read is unread already.
        if self.unread.count == before {
            for (line, text, why) in contradictions(self.computation(), head.result) {
                self.unread.push(line, text.as_bytes(), why);
            }
        }
        // An operand, a name or a root that cannot be read may be a part of an instruction that is missing.
        self.body.has_gaps |= self.unread.count > before;
        self.note_called();
        Ok(())
    }

    /// Reads instructions outside of computations.
    fn read_loose(&mut self) -> io::Result<()> {
        let line = self.stream.line(self.at);
        self.body.begin(Span::new(self.at, self.at), line);
        (self.body.is_loose, self.is_open) = (true, true);
        let mut behind = self.at;
        while self.at - behind < NEAR && self.body.records.len() < MOST_LOOSE {
            match self.skip_blanks()? {
                None => break,
                Some(b'}') if self.is_first(behind) => {
                    let why = "the head of the computation that ends here is missing";
                    let line = self.stream.line(self.at);
                    self.unread.push(line, b"}", why.into());
                    self.at += 1;
                    break;
                }
                Some(byte) if !is_name(byte) => {
                    self.at += 1;
                    continue;
                }
                Some(_) => {}
            }
            match self.read(sentence)? {
                Ok(Sentence::Instruction) => {
                    if let Err(why) = self.read_instruction(ShapeIs::Written)? {
                        self.recover(why)?;
                    }
                    behind = self.at;
                }
                Ok(Sentence::Text(end)) => self.skip_text(end)?,
                Ok(_) => break,
                Err(_) => self.at += 1,
            }
        }
        self.body.resolve(&self.stream.text);
        Ok(())
    }

    /// Returns whether there are only blanks between `behind` and the current position.
    fn is_first(&self, behind: usize) -> bool {
        let between = self.stream.text.as_bytes().get(behind..self.at).unwrap_or_default();
        between.iter().all(|byte| is_blank(*byte))
    }

    fn read_instruction(&mut self, shape_is: ShapeIs) -> io::Result<Result<(), &'static str>> {
        let count = self.body.operands.len();
        let (mut record, end) = loop {
            let text = self.stream.tokens();
            let head = text.head(self.at, shape_is);
            let operands = &mut self.body.operands;
            match head.and_then(|head| grammar::instruction(text, head, operands)) {
                Err(LexError::More) => {
                    self.fill()?;
                    self.body.operands.truncate(count);
                }
                Err(LexError::Not(why)) => {
                    operands.truncate(count);
                    return Ok(Err(why));
                }
                // Operands and attributes are read again without their comments.
                Ok((record, end)) if self.stream.blank_comments(record.arguments.start, end) => {
                    operands.truncate(record.operands.start);
                }
                Ok(found) => break found,
            }
        };
        record.line = self.stream.line(self.at);
        self.check(&record, end);
        self.body.records.push(record);
        self.at = end;
        Ok(Ok(()))
    }

    /// Reports an instruction without a shape, or with a string whose lines look like instructions.
    fn check(&mut self, record: &crate::body::Record, end: usize) {
        if record.shape.start == record.shape.end {
            let name = &self.stream.text.as_bytes()[record.name.start..record.name.end];
            self.unread.push(record.line, name, "this instruction has no shape".into());
        }
        let text = self.stream.tokens();
        let attributes = record.attributes;
        let behind = text.bytes.get(attributes.start..end).unwrap_or_default();
        if memchr(b'\n', behind).is_some() {
            let lines = text.instructions_within(attributes.start, end);
            if lines > 0 {
                let why = "a string of this instruction has lines that look like instructions";
                let part = &text.bytes[record.name.start..end];
                self.unread.hide(record.line, part, why.into(), lines);
            }
        }
    }

    /// Skips text that is not an instruction; returns whether the computation continues after it.
    fn recover(&mut self, why: &'static str) -> io::Result<bool> {
        if let Ok(Sentence::Module(_) | Sentence::Table(..) | Sentence::Computation(_)) =
            self.read(sentence)?
        {
            let name = self.computation().name().to_owned();
            let why = "the closing brace of this computation is missing";
            self.unread.push(self.body.line, name.as_bytes(), why.into());
            return Ok(false);
        }
        self.body.has_gaps = true;
        let is_named = self.read(|text, at| text.named(at))?.is_ok();
        let (start, line) = (self.at, self.stream.line(self.at));
        self.at = self.read(grammar::resume)?.unwrap_or(self.at + 1);
        let all = self.stream.text.as_bytes();
        if why == CUT && self.at + 1 >= all.trim_ascii_end().len() {
            // The brace that the text ends with closes something in the instruction.
            self.at = all.len();
        }
        let text = all.get(start..self.at).unwrap_or_default().trim_ascii();
        let (why, hidden) = if is_named { (why, 1) } else { (NO_INSTRUCTION, opcodes(text)) };
        self.unread.hide(line, text, why.into(), hidden);
        Ok(true)
    }

    /// Notes that the text ends inside a computation.
    fn cut_off(&mut self, line: u64) {
        (self.body.is_cut, self.body.has_gaps) = (true, true);
        let name = self.computation().name().to_owned();
        let end = self.stream.line(self.stream.text.trim_end().len());
        let entry = if self.has_entry { "" } else { ": no ENTRY, the dump is cut off" };
        let why = format!("the text ends inside {name}, line {end}{entry}");
        self.unread.push(line, name.as_bytes(), why.clone());
        self.unread.cut = Some(why);
    }

    /// Notes a computation and those that its instructions call: a computation that is called is not the entry.
    fn note_called(&mut self) {
        let computation = HloComputation::new(&self.module, &self.body, &self.stream.text, 0);
        for instruction in computation.instructions() {
            for (_, _, name) in called(instruction) {
                self.pending.call(name, instruction.line());
            }
        }
        let name = computation.name();
        if !self.pending.add(name) {
            let why = "a computation before this one has the same name".to_owned();
            self.unread.push(self.body.line, name.as_bytes(), why);
        }
    }

    /// Notes that no computation of the module is marked `ENTRY`: the last one is taken for it, or the text is cut off if that
    /// is not the only one that nothing calls, or cannot be the entry. Notes the callees that are not in the text, too.
    fn end_module(&mut self) {
        let has_entry = std::mem::take(&mut self.has_entry);
        let has_lost_entry = std::mem::take(&mut self.has_lost_entry);
        (self.computations, self.rows) = (0, 0);
        let pending = std::mem::take(&mut self.pending);
        if let Some(Last { line, name, may_be_entry }) = self.last.take()
            && !has_entry
            && self.unread.cut.is_none()
        {
            if may_be_entry && pending.is_entry(&name) && !has_lost_entry {
                let what = format!("no ENTRY: {name}, line {line}, is taken for it");
                self.unread.taken_for_entry.get_or_insert(what);
            } else {
                let why = format!("no ENTRY: the dump is cut off after {name}, line {line}");
                self.unread.push(line, name.as_bytes(), why.clone());
                self.unread.cut = Some(why);
            }
        }
        for (line, name) in pending.missing() {
            let why = "this instruction calls a computation that is not in the text";
            self.unread.push(line, name.as_bytes(), why.into());
        }
    }
}

/// The number of lines with an opcode, `add(`, which only instructions have inside a computation.
fn opcodes(text: &[u8]) -> u64 {
    let is_opcode = |pair: &[u8]| pair.ends_with(b"(") && is_name(pair[0]);
    let lines = text.split(|byte| *byte == b'\n');
    to_u64(lines.filter(|line| line.windows(2).any(is_opcode)).count())
}
