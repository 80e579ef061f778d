//! The layouts of a text of any length, one after the other.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::io::{self, Read};

use itertools::Itertools;
use memchr::{memchr2, memrchr2};

use crate::escapes::SOFT_BREAK;
use crate::mlir::{laid_out, mesh_of_line};
use crate::scan::beside::{outer_bracket, shape_beside};
use crate::scan::bracket::{Stretch, stretch, strided};
use crate::scan::code::{InCode, in_code};
use crate::scan::composed::{composed, type_end};
use crate::scan::known::{Known, Verdict};
use crate::scan::name;
use crate::scan::sharded::{self, LineAhead};
use crate::scan::triton::TritonTypes;
use crate::scan::window::TextWindow;
use crate::{HloModule, behind_bracket, broken, shape_end, type_before};
use tensor_layout::notation::Notation;
use tensor_layout::xla::XlaParser;
use tensor_layout_words::to_u64;

/// The number of bytes of a line before a layout that are kept for its name.
const CONTEXT: usize = 4096;

/// Returns whether a layout may begin at a byte, or a line ends.
fn is_mark(byte: &u8) -> bool {
    matches!(*byte, b'(' | b'[' | b'<' | b'\n' | SOFT_BREAK)
}

/// A stream of the layouts in a text: PadLayouts, XLA shapes with or without a sharding, CuTe
/// layouts, shapes with strides, types of Triton with an encoding.
///
/// A PadLayout is found if it names a level or has a stride, and is more than one bracket: `((4:1))` and
/// `(2:3, 3:1)`, but not `(12:30)`. A CuTe layout is two brackets with a colon between them, without blanks.
/// Escapes in quoted strings are decoded. A layout may span several lines, up to 16 lines or 64 KiB. A
/// `sharding=` applies to the shape before it, and to the result of its instruction, except in modules that
/// are partitioned and scheduled, whose shapes are those of one device; it has to be within 64 KiB.
///
/// Law: every layout of the corpus is found in any text around it, with its line.
/// Cost: one pass; memory for a window of less than 1 MiB and the distinct layouts.
///
/// ```
/// use tensor_layout_hlo::scan::LayoutScan;
/// let log = "start\n# == In(0): ((8_L2B:1, 4:2))@LM0 / Float ==\n{\"w\": \"f32[8]{0}\"}\n";
/// let mut scan = LayoutScan::new(log.as_bytes());
/// let mut found = Vec::new();
/// while let Some(layout) = scan.next_layout()? {
///     found.push((layout.line(), layout.name().unwrap_or_default(), layout.text().to_owned()));
/// }
/// assert_eq!(found, [
///     (2, "In(0)".to_owned(), "((8_L2B:1, 4:2))@LM0 / Float".to_owned()),
///     (3, "w".to_owned(), "f32[8]{0}".to_owned()),
/// ]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LayoutScan<R> {
    window: TextWindow<R>,
    at: usize,
    /// The end of the last layout in brackets: brackets before it are part of that.
    taken: usize,
    line: u64,
    /// The start of the line in the window, or of the rest of the line.
    line_start: usize,
    /// Arrays of a sharded tuple that are still to be handed out.
    queued: VecDeque<String>,
    /// The rest of the line.
    ahead: LineAhead,
    known: Known,
    triton: TritonTypes,
    /// The meshes of Shardy, by their names.
    meshes: HashMap<String, String>,
    per_device: bool,
    heading: Option<Heading>,
    passed_over: Option<PassedOver>,
    /// The number of shardings that are written as JAX prints them.
    shardings: u64,
}

/// Layouts in source code that were passed over, because they are made of names of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PassedOver {
    /// The number of times one was seen.
    pub count: u64,
    /// The line where the first was seen, from 1.
    pub line: u64,
    /// The first, on one line.
    pub text: String,
}

/// Parts of layouts that need the shape of a tensor to become layouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parts {
    /// The number of aliases of Triton's encodings: `#blocked = #ttg.blocked<{..}>`.
    pub encodings: u64,
    /// The number of shardings as JAX prints them: `NamedSharding(..)`.
    pub shardings: u64,
}

/// The key of a list or block, and how far its line is indented.
#[derive(Clone, Debug)]
struct Heading {
    key: String,
    indent: usize,
}

/// The number of a text and where it begins.
type Find = (usize, usize);

impl<R: Read> LayoutScan<R> {
    /// Creates a scan; nothing is read yet.
    pub fn new(input: R) -> LayoutScan<R> {
        LayoutScan::with_parser(input, XlaParser::strict())
    }

    /// Creates a scan that parses XLA shapes with `xla`.
    pub fn with_parser(input: R, xla: XlaParser) -> LayoutScan<R> {
        LayoutScan {
            window: TextWindow::new(input),
            at: 0,
            taken: 0,
            line: 0,
            line_start: 0,
            queued: VecDeque::new(),
            ahead: LineAhead::default(),
            known: Known::new(xla),
            triton: TritonTypes::default(),
            meshes: HashMap::new(),
            per_device: false,
            heading: None,
            passed_over: None,
            shardings: 0,
        }
    }

    /// Returns the next layout, or text that was meant as a layout but [cannot be read](SeenLayout::refusal);
    /// `None` at the end.
    ///
    /// # Errors
    /// Those of the input.
    pub fn next_layout(&mut self) -> io::Result<Option<SeenLayout<'_>>> {
        loop {
            if self.line == 0 {
                self.window.advance(0)?;
                while self.is_cut_head(0) {
                    self.window.advance(0)?;
                }
                self.line = 1;
                self.read_head(0);
            }
            if let Some((number, start)) = self.search() {
                return Ok(self.seen(number, start));
            }
            if self.window.is_last() {
                return Ok(None);
            }
            let gone = self.at.saturating_sub(CONTEXT);
            self.at -= gone;
            self.taken = self.taken.saturating_sub(gone);
            self.line_start = self.line_start.saturating_sub(gone);
            self.ahead.move_on(gone);
            self.window.advance(gone)?;
        }
    }

    /// The number of bytes that were read.
    pub fn bytes(&self) -> u64 {
        self.window.read()
    }

    /// The layouts in source code that were passed over so far: those whose numbers the text alone does not have.
    pub fn passed_over(&self) -> Option<&PassedOver> {
        self.passed_over.as_ref()
    }

    /// The encodings of Triton and the shardings of JAX that were seen, with or without the shape that they need.
    pub(super) fn parts(&self) -> Parts {
        Parts { encodings: self.triton.defined(), shardings: self.shardings }
    }

    pub(super) fn into_known(self) -> Known {
        self.known
    }

    fn seen(&self, number: usize, start: usize) -> Option<SeenLayout<'_>> {
        let (text, verdict) = self.known.get(number)?;
        let bytes = self.window.bytes();
        let near = bytes.get(start.saturating_sub(CONTEXT)..start)?;
        let line_start = memrchr2(b'\n', SOFT_BREAK, near).map_or(0, |end| end + 1);
        let before = near.get(line_start..)?;
        // The line is that of the last bracket; what it is a part of may begin before.
        let ends = bytes.get(start..self.line_start).unwrap_or_default();
        let line = self.line - to_u64(ends.iter().filter(|byte| **byte == b'\n').count());
        let heading = self.heading.as_ref();
        Some(SeenLayout { text, verdict, number, line, before, heading })
    }

    /// The next layout that begins in the window.
    fn search(&mut self) -> Option<Find> {
        loop {
            while let Some(text) = self.queued.pop_front() {
                if let Some(number) = self.known.classify(&text, Notation::Sharded, true) {
                    return Some((number, self.at));
                }
            }
            let rest = self.window.bytes().get(self.at..self.window.limit())?;
            let Some(next) = rest.iter().position(is_mark) else {
                self.at = self.window.limit();
                return None;
            };
            let mark = self.at + next;
            self.at = mark + 1;
            let found = match self.window.bytes().get(mark)? {
                b'[' | b'(' | b'<' if mark < self.taken => None,
                b'<' => self.type_of(mark),
                b'[' => self.shape(mark).or_else(|| {
                    let found = strided(self.window.bytes(), mark)?;
                    self.take(found)
                }),
                b'(' => self.bracket(mark),
                _ if self.is_cut_head(mark + 1) => {
                    self.at = mark;
                    return None;
                }
                _ => {
                    self.end_line(mark);
                    None
                }
            };
            if found.is_some() {
                return found;
            }
        }
    }

    /// The shape whose dimensions begin at `open`, with its sharding if there is one.
    fn shape(&mut self, open: usize) -> Option<Find> {
        let bytes = self.window.bytes();
        let start = type_before(bytes, open)?;
        let (end, is_closed) = shape_end(bytes, open);
        self.at = end.max(open + 1);
        if !is_closed {
            // `u8[i]` is not meant as a shape.
            let is_letter = bytes.get(end).is_some_and(u8::is_ascii_alphabetic);
            let text = bytes.get(start..behind_bracket(bytes, end))?;
            let why = broken(text);
            let text = String::from_utf8_lossy(text).into_owned();
            let is_meant = end > open + 1 || !is_letter;
            return is_meant.then(|| (self.known.refuse(&text, why), start));
        }
        let text = String::from_utf8_lossy(bytes.get(start..end)?);
        let before = bytes.get(..start)?;
        let is_buffer = before.ends_with(b" = b(") && bytes.get(end) == Some(&b')');
        let is_result = !self.per_device && (before.ends_with(b" = ") || is_buffer);
        let mut sharding = sharded::behind(bytes, end);
        if is_result && sharding.is_none() {
            let attribute = self.ahead.attribute(bytes, end + usize::from(is_buffer));
            sharding = attribute.map(|attribute| attribute.sharding(bytes, end));
        }
        if let Some(sharding) = sharding {
            let whole = format!("{text}, sharding={sharding}");
            return Some((self.known.classify(&whole, Notation::Sharded, true)?, start));
        }
        Some((self.known.classify(&one_line(&text), Notation::Xla, true)?, start))
    }

    /// The type of Triton, or of CuTe in C++, whose `<` is at `open`.
    fn type_of(&mut self, open: usize) -> Option<Find> {
        let bytes = self.window.bytes();
        if let Some((number, start, end)) = self.triton.classify(bytes, open, &mut self.known) {
            self.taken = end;
            return Some((number, start));
        }
        if let Some((start, end, found)) = laid_out_tensor(bytes, open, &self.meshes) {
            self.taken = end;
            let text = match found {
                Ok(text) => text,
                Err(why) => {
                    let tensor = String::from_utf8_lossy(bytes.get(start..end)?).into_owned();
                    return Some((self.known.refuse(&tensor, &why), start));
                }
            };
            let is_sharded = text.contains(", sharding=");
            let notation = if is_sharded { Notation::Sharded } else { Notation::Xla };
            return Some((self.known.classify(&text, notation, true)?, start));
        }
        if let Some((start, end, notation)) = memref(bytes, open) {
            let text = String::from_utf8_lossy(bytes.get(start..end)?).into_owned();
            self.taken = end;
            return Some((self.known.classify(&text, notation, true)?, start));
        }
        self.in_code(open)
    }

    /// The layout in source code whose bracket is at `open`.
    fn in_code(&mut self, open: usize) -> Option<Find> {
        let bytes = self.window.bytes();
        let found = in_code(bytes, open)?;
        let text = |of: Stretch| {
            let text = String::from_utf8_lossy(bytes.get(of.start..of.end).unwrap_or_default());
            one_line(&text).into_owned()
        };
        match found {
            InCode::Layout(found) => self.take(found),
            InCode::Refused(found, why) => {
                let number = self.known.refuse(&text(found), &why);
                self.taken = found.end;
                Some((number, found.start))
            }
            InCode::PassedOver(found) => {
                let first = PassedOver { count: 0, line: self.line, text: text(found) };
                self.passed_over.get_or_insert(first).count += 1;
                self.taken = found.end;
                None
            }
        }
    }

    /// The layout, or the sharded tuple, that begins with a bracket.
    fn bracket(&mut self, open: usize) -> Option<Find> {
        let bytes = self.window.bytes();
        if bytes.get(..open)?.ends_with(b" = ")
            && !self.per_device
            && let Some(attribute) = self.ahead.attribute(bytes, open)
            && let Some(tuple) = sharded::of_tuple(bytes, open, attribute)
        {
            self.at = tuple.end.max(open + 1);
            return match tuple.arrays {
                Ok(arrays) => {
                    self.queued = arrays.into();
                    None
                }
                Err((text, why)) => Some((self.known.refuse(&text, &why), open)),
            };
        }
        if bytes.get(..open)?.ends_with(b"Sharding") {
            self.shardings += 1;
            return None;
        }
        match strided(bytes, open).or_else(|| stretch(bytes, open)) {
            Some(found) => self.take(found),
            None => self.in_code(open),
        }
    }

    /// The layout in a stretch of the text, if it is one.
    fn take(&mut self, found: Stretch) -> Option<Find> {
        let bytes = self.window.bytes();
        let found = composed(bytes, self.taken, found);
        let Stretch { start, end, notation, is_certain } = found;
        let text = std::str::from_utf8(bytes.get(start..end)?).ok()?;
        let text = one_line(text);
        let shape = (notation == Notation::PadLayout).then(|| shape_beside(bytes, start, end));
        let (text, is_certain) = match shape.flatten() {
            Some(shape) => with_shape(&text, &shape, is_certain),
            None => (text, is_certain),
        };
        let number = self.known.classify(&text, notation, is_certain)?;
        self.taken = end;
        Some((number, start))
    }

    /// Returns whether the head of a module begins at `start` and is not in the window as a whole.
    fn is_cut_head(&self, start: usize) -> bool {
        let rest = self.window.bytes().get(start..).unwrap_or_default();
        let is_head = rest.starts_with(b"HloModule ");
        is_head && !self.window.is_last() && memchr2(b'\n', SOFT_BREAK, rest).is_none()
    }

    fn end_line(&mut self, end: usize) {
        let line = self.window.bytes().get(self.line_start..end).unwrap_or_default();
        if let Some(heading) = Heading::of(line) {
            self.heading = Some(heading);
        }
        self.line += u64::from(self.window.bytes().get(end) == Some(&b'\n'));
        self.line_start = end + 1;
        self.read_head(end + 1);
    }

    /// Finds out, at the head of a module, whether its shapes are those of one device.
    fn read_head(&mut self, start: usize) {
        let rest = self.window.bytes().get(start..).unwrap_or_default();
        self.triton.read_line(rest);
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if rest.get(blanks..).is_some_and(|rest| rest.starts_with(b"sdy.mesh ")) {
            let end = memchr2(b'\n', SOFT_BREAK, rest).unwrap_or(rest.len());
            let line = String::from_utf8_lossy(rest.get(..end).unwrap_or_default());
            self.meshes.extend(mesh_of_line(&line));
        }
        if rest.starts_with(b"HloModule ") {
            let end = memchr2(b'\n', SOFT_BREAK, rest).unwrap_or(rest.len());
            let line = String::from_utf8_lossy(rest.get(..end).unwrap_or_default());
            let module = HloModule::begin(&line, self.line);
            self.per_device = module.is_some_and(|module| module.is_per_device());
        }
    }
}

/// A memref with a layout whose `<` is at `open`: its start, its end and the notation that it is read in.
fn memref(bytes: &[u8], open: usize) -> Option<(usize, usize, Notation)> {
    let start = bytes.get(..open)?.strip_suffix(b"memref")?.len();
    let end = type_end(bytes, open)?;
    let text = std::str::from_utf8(bytes.get(start..end)?).ok()?;
    let has_layout =
        ["strided<", "#tpu.tiled<", "affine_map<"].iter().any(|has| text.contains(has));
    has_layout.then(|| (start, end, Notation::of(text)))
}

/// A tensor of StableHLO whose `<` is at `open`, with the layout or the sharding in the attributes after it, as XLA's shape.
fn laid_out_tensor(
    bytes: &[u8],
    open: usize,
    meshes: &HashMap<String, String>,
) -> Option<(usize, usize, Result<String, String>)> {
    let start = bytes.get(..open)?.strip_suffix(b"tensor")?.len();
    let end = type_end(bytes, open)?;
    let rest = bytes.get(end..)?.strip_prefix(b" {")?;
    let rest = rest.get(..CONTEXT).unwrap_or(rest);
    let line = rest.get(..memchr2(b'\n', SOFT_BREAK, rest).unwrap_or(rest.len()))?;
    let line = line.get(..outer_bracket(line.iter().copied(), b"{[(", b"}])")?)?;
    let text = std::str::from_utf8(bytes.get(start..end)?).ok()?;
    let mesh = |name: &str| meshes.get(name).cloned();
    Some((start, end, laid_out(text, std::str::from_utf8(line).ok()?, mesh)?))
}

/// A PadLayout with the shape that is written beside it, and whether it is meant as a layout for certain: one that has
/// another shape of its own is not read.
fn with_shape<'t>(text: &str, shape: &str, is_certain: bool) -> (Cow<'t, str>, bool) {
    match text.split_once('/').map(|(own, _)| own.split_whitespace().collect::<String>()) {
        Some(own) if own == shape => (text.to_owned().into(), is_certain),
        Some(own) if own.starts_with('(') && !own.contains(':') => {
            (format!("{shape}/{text}").into(), true)
        }
        _ => (format!("{shape}/{text}").into(), is_certain),
    }
}

/// A text that was broken over lines, on one.
fn one_line(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_broken =
        bytes.iter().any(u8::is_ascii_control) || memchr::memmem::find(bytes, b"  ").is_some();
    if is_broken { text.split_whitespace().join(" ").into() } else { text.into() }
}

impl Heading {
    fn of(line: &[u8]) -> Option<Heading> {
        let last = *line.trim_ascii_end().last()?;
        if !matches!(last, b'[' | b'{' | b'(' | b':' | b'|' | b'>' | b'=') {
            return None;
        }
        let line = String::from_utf8_lossy(line);
        let key = name::heading(&line)?;
        Some(Heading { key, indent: line.len() - line.trim_start().len() })
    }
}

/// A layout at its place in the text, valid until the next one is read.
#[derive(Clone, Copy, Debug)]
pub struct SeenLayout<'a> {
    text: &'a str,
    verdict: &'a Verdict,
    number: usize,
    line: u64,
    before: &'a [u8],
    heading: Option<&'a Heading>,
}

impl<'a> SeenLayout<'a> {
    /// The text as written, on one line, with the sharding after the shape that it applies to.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The notation; `None` for text that cannot be read.
    #[must_use]
    pub fn notation(&self) -> Option<Notation> {
        self.verdict.as_ref().ok().copied()
    }

    /// The reason a text that was meant as a layout cannot be read.
    #[must_use]
    pub fn refusal(&self) -> Option<&'a str> {
        self.verdict.as_ref().err().map(String::as_str)
    }

    /// The number of the line on which it begins, from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Its name in the text: the instruction, the key of the value or of the list that it is in, or the word
    /// before it.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        let before = String::from_utf8_lossy(self.before);
        let indent = before.len() - before.trim_start().len();
        let is_item = before.trim_start().starts_with('-');
        let is_below =
            |heading: &&Heading| indent > heading.indent || (is_item && indent == heading.indent);
        let heading = || self.heading.filter(is_below).map(|heading| heading.key.clone());
        name::name(&before).or_else(heading)
    }

    pub(super) fn number(&self) -> usize {
        self.number
    }
}
