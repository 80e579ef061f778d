//! A dump, computation by computation.

use std::io::{self, BufRead};

use memchr::memchr;

use crate::HloComputation;
use crate::body::{Body, OperandList, Record, text};
use crate::module::HloModule;
use crate::unread::{Unread, UnreadLine};
use tensor_layout::internals::to_u64;

/// Outside of computations, where any text may stand, a longer line is read in pieces.
const LONGEST_LINE: usize = 64 << 20;

/// In a computation a longer line is an error: a device may have no end.
const LONGEST_INSTRUCTION: usize = 1 << 30;

/// A stream of computations, read from the text of any number of HLO modules.
///
/// Text between modules and computations is skipped. Inside a computation every line is an
/// instruction, the continuation of one, or [unread](HloDump::unread_lines).
/// Law: the shapes of all instructions are among those of [`HloReport`](super::HloReport).
/// Cost: one pass; memory for one computation and the tables of one module.
///
/// ```
/// use tensor_layout_hlo::HloDump;
/// let text = "HloModule m\n\nadd {\n  x = f32[] parameter(0)\n  ROOT y = f32[] add(x, x)\n}\n";
/// let mut dump = HloDump::new(text.as_bytes());
/// while let Some(computation) = dump.next_computation()? {
///     assert_eq!((computation.module().name(), computation.name()), ("m", "add"));
///     assert_eq!(computation.root().map(|root| root.opcode()), Some("add"));
/// }
/// assert_eq!(dump.unread_count(), 0);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct HloDump<R> {
    input: R,
    piece: Vec<u8>,
    /// A line that was read and belongs to what comes next.
    held: bool,
    lines: u64,
    bytes: u64,
    module: HloModule,
    body: Body,
    unread: Unread,
}

/// What became of an instruction.
enum Ending {
    Complete,
    /// The computation or the text ends within it.
    CutShort,
}

impl<R: BufRead> HloDump<R> {
    /// A dump; nothing is read yet.
    pub fn new(input: R) -> HloDump<R> {
        HloDump {
            input,
            piece: Vec::new(),
            held: false,
            lines: 0,
            bytes: 0,
            module: HloModule::default(),
            body: Body::default(),
            unread: Unread::default(),
        }
    }

    /// Reads up to the end of the next computation; `None` at the end of the text.
    ///
    /// # Errors
    /// What the input fails with. Lines that cannot be read are not errors here:
    /// [`unread_lines`](HloDump::unread_lines).
    pub fn next_computation(&mut self) -> io::Result<Option<HloComputation<'_>>> {
        while self.next_line(LONGEST_LINE)? {
            let line = text(&self.piece);
            if let Some(module) = HloModule::begin(&line, self.lines) {
                self.module = module;
            } else if self.body.begin(&line, self.lines) {
                self.read_body()?;
                return Ok(Some(HloComputation::new(&self.module, &self.body)));
            } else {
                self.module.read_table(&line);
            }
        }
        Ok(None)
    }

    /// The module of the last computation, or the one whose head was read last.
    pub fn module(&self) -> &HloModule {
        &self.module
    }

    /// The first thousand lines of computations that could not be read.
    pub fn unread_lines(&self) -> &[UnreadLine] {
        self.unread.lines()
    }

    /// How many lines of computations could not be read.
    pub fn unread_count(&self) -> u64 {
        self.unread.count()
    }

    /// How many bytes were read.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn next_line(&mut self, longest: usize) -> io::Result<bool> {
        if std::mem::take(&mut self.held) {
            return Ok(true);
        }
        self.piece.clear();
        let read = read_line(&mut self.input, longest, &mut self.piece)?;
        self.bytes += to_u64(read);
        self.lines += 1;
        Ok(read > 0)
    }

    /// Reads the next line of a computation, all of it.
    fn next_line_of_body(&mut self) -> io::Result<bool> {
        let found = self.next_line(LONGEST_INSTRUCTION)?;
        if self.piece.len() == LONGEST_INSTRUCTION && !self.piece.ends_with(b"\n") {
            let why = format!("line {} is longer than 1 GiB", self.lines);
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        Ok(found)
    }

    /// Reads lines up to the closing brace of a computation.
    fn read_body(&mut self) -> io::Result<()> {
        while self.next_line_of_body()? {
            if self.ends_body() {
                break;
            }
            let line = self.piece.trim_ascii();
            if line.is_empty() || line.starts_with(b"//") {
                continue;
            }
            let start = self.body.text.len();
            let number = self.lines;
            self.body.push_text(&self.piece);
            let head = Record::head(self.body.text.as_bytes(), start, number);
            let reason = match head {
                Some(record) => match self.read_rest(record)? {
                    Ending::Complete => continue,
                    Ending::CutShort => "the brackets of this instruction do not close",
                },
                None => "this is not an instruction: `name = shape opcode(operands)`",
            };
            let text = self.body.text.as_bytes().get(start..).unwrap_or_default();
            self.unread.push(number, text.trim_ascii(), reason.into());
            self.body.text.truncate(start);
        }
        for (line, name) in self.body.resolve() {
            let name = self.body.text.get(name.start..name.end).unwrap_or_default();
            let reason = "this operand is not an instruction of the computation";
            self.unread.push(line, name.as_bytes(), reason.into());
        }
        Ok(())
    }

    /// Whether the line closes the computation, or does not belong to one; then it is kept.
    fn ends_body(&mut self) -> bool {
        self.held = self.piece.starts_with(b"HloModule ");
        self.held || self.piece.starts_with(b"}")
    }

    /// Reads the operands, over as many lines as they take, and the attributes.
    fn read_rest(&mut self, record: Record) -> io::Result<Ending> {
        let mut list = OperandList::of(&record);
        loop {
            if let Some(close) = self.body.read_operands(&mut list) {
                self.body.push(record, close);
                return Ok(Ending::Complete);
            }
            if !self.next_line_of_body()? {
                break;
            }
            // Brackets of a constant may close at the beginning of a line.
            let closes = self.piece.starts_with(b"}") && !is_end(&self.piece);
            if !closes && self.ends_body() {
                // The next line read is this one again.
                self.held = true;
                break;
            }
            self.body.push_text(&self.piece);
        }
        self.body.drop_operands();
        Ok(Ending::CutShort)
    }
}

/// Whether a line that begins with `}` has nothing of an instruction behind it.
fn is_end(line: &[u8]) -> bool {
    let rest = line.get(1..).unwrap_or_default().trim_ascii();
    rest.is_empty() || rest.starts_with(b", execution_thread=")
}

/// Adds a line to `line`, its end included, or as much of it as makes `longest` bytes; returns how
/// many bytes were read.
fn read_line(input: &mut impl BufRead, longest: usize, line: &mut Vec<u8>) -> io::Result<usize> {
    let start = line.len();
    loop {
        let available = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            available => available?,
        };
        let room = longest.saturating_sub(line.len() - start).min(available.len());
        let room = available.get(..room).unwrap_or_default();
        let end = memchr(b'\n', room);
        let taken = end.map_or(room.len(), |end| end + 1);
        line.extend_from_slice(room.get(..taken).unwrap_or_default());
        input.consume(taken);
        if end.is_some() || taken == 0 {
            return Ok(line.len() - start);
        }
    }
}
