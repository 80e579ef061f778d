//! A file of test vectors, item by item, with the numbers of its lines.

use std::collections::VecDeque;
use std::io::{BufRead, Read};

use itertools::Itertools;

use super::error::VectorError;
use super::header::{Mark, VectorHeader};
use super::line::VectorLine;
use super::tensor::Tensor;
use tensor_layout::error::{LayoutError, ParseError, ParseErrorKind, Span};
use tensor_layout_words::to_u64;

/// The longest line, in bytes.
const LONGEST: u64 = 1 << 20;

/// The number of lines that vote on the base of a tensor.
const VOTERS: usize = 16;
/// The greatest number of lines that are looked at where none has a comment, or several bases fit.
const MOST_VOTERS: usize = 1 << 16;

/// The beginnings of comments that list elements of a tensor.
const SAYS: [&str; 2] = ["values=[", "expect=["];

/// A header or a line, or the error that keeps it from being read.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Header(Result<VectorHeader, ParseError>),
    Line(Result<VectorLine, ParseError>),
}

/// A line with its number, from 1; comments and the kernel are left out.
#[derive(Clone, Debug)]
pub(super) struct NumberedItem {
    pub(super) line: u64,
    pub(super) item: Item,
}

/// The number of a line, from 1, with the line or its error.
pub(super) type NumberedLine = (u64, Result<VectorLine, ParseError>);

/// The items of a file, some of which can be looked at ahead of their turn.
#[derive(Debug)]
pub(super) struct ItemSource<R> {
    input: R,
    /// The number of the line read last, and the bytes up to its end.
    line: u64,
    bytes: u64,
    text: Vec<u8>,
    in_kernel: bool,
    /// Set once a header was read; the kernel may also be above the first one.
    has_header: bool,
    ahead: VecDeque<NumberedItem>,
}

impl<R: BufRead> ItemSource<R> {
    pub(super) fn new(input: R) -> ItemSource<R> {
        let (text, ahead) = (Vec::new(), VecDeque::new());
        ItemSource { input, line: 0, bytes: 0, text, in_kernel: true, has_header: false, ahead }
    }

    /// The number of bytes that have been read.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number of the last line that was read.
    pub(super) fn last_line(&self) -> u64 {
        self.line
    }

    pub(super) fn next(&mut self) -> Result<Option<NumberedItem>, VectorError> {
        match self.ahead.pop_front() {
            Some(item) => Ok(Some(item)),
            None => self.read(),
        }
    }

    /// Returns the item that comes after `at` others, without taking it.
    pub(super) fn peek(&mut self, at: usize) -> Result<Option<&NumberedItem>, VectorError> {
        while self.ahead.len() <= at {
            let Some(item) = self.read()? else { return Ok(None) };
            self.ahead.push_back(item);
        }
        Ok(self.ahead.get(at))
    }

    /// Takes the next line, unless a header comes first: the lines of one tensor.
    pub(super) fn next_line(&mut self) -> Result<Option<NumberedLine>, VectorError> {
        if !matches!(self.peek(0)?, Some(NumberedItem { item: Item::Line(_), .. })) {
            return Ok(None);
        }
        Ok(match self.next()? {
            Some(NumberedItem { line, item: Item::Line(read) }) => Some((line, read)),
            _ => None,
        })
    }

    /// Returns the base of the tensor whose lines come next: the one that most of the first lines imply;
    /// if none has a comment, their least address.
    pub(super) fn base(&mut self, tensor: &Tensor) -> Result<u64, VectorError> {
        let mut votes: Vec<(u64, usize)> = Vec::new();
        let mut least = None;
        for at in 0..MOST_VOTERS {
            if at >= VOTERS && !votes.is_empty() {
                break;
            }
            let line = match self.peek(at)? {
                Some(NumberedItem { item: Item::Line(Ok(line)), .. }) => line,
                Some(NumberedItem { item: Item::Line(Err(_)), .. }) => continue,
                _ => break,
            };
            let address = line.place.address;
            least = Some(least.map_or(address, |least: u64| least.min(address)));
            for base in bases(tensor, line)? {
                match votes.iter_mut().find(|(known, _)| *known == base) {
                    Some((_, count)) => *count += 1,
                    None => votes.push((base, 1)),
                }
            }
        }
        let likely = votes.iter().max_set_by_key(|(_, count)| *count);
        match likely.into_iter().map(|(base, _)| *base).collect_vec()[..] {
            [] => Ok(least.unwrap_or(0)),
            [base] => Ok(base),
            ref bases => self.fitting(tensor, bases),
        }
    }

    /// Chooses among bases with equally many votes the one with which most lines are within the tensor, or
    /// the first such. They differ where an element has copies at several addresses: where the first lines
    /// fit several bases, those after them decide.
    fn fitting(&mut self, tensor: &Tensor, bases: &[u64]) -> Result<u64, VectorError> {
        let mut fits = vec![0_u64; bases.len()];
        for at in 0..MOST_VOTERS {
            if at >= VOTERS && fits.iter().max_set().len() == 1 {
                break;
            }
            let line = match self.peek(at)? {
                Some(NumberedItem { item: Item::Line(Ok(line)), .. }) => line,
                Some(NumberedItem { item: Item::Line(Err(_)), .. }) => continue,
                _ => break,
            };
            for (base, fits) in bases.iter().zip(&mut fits) {
                let covered = tensor.covered(line, *base)?;
                *fits += u64::from(covered.iter().all(|covered| covered.word.is_some()));
            }
        }
        let likely = bases.iter().zip(&fits).max_set_by_key(|(_, fits)| **fits);
        Ok(likely.first().map_or(0, |(base, _)| **base))
    }

    fn read(&mut self) -> Result<Option<NumberedItem>, VectorError> {
        while self.read_text()? {
            self.line += 1;
            let item = match self.is_cut() {
                true => {
                    let refused = Item::Line(Err(self.skip_long()?));
                    (!self.in_kernel).then_some(refused)
                }
                false => self.item(),
            };
            if let Some(item) = item {
                return Ok(Some(NumberedItem { line: self.line, item }));
            }
        }
        Ok(None)
    }

    /// Reads the next line, or the next part of a long one; returns `false` at the end.
    fn read_text(&mut self) -> Result<bool, VectorError> {
        self.text.clear();
        let read = self.input.by_ref().take(LONGEST).read_until(b'\n', &mut self.text);
        self.bytes += to_u64(read.map_err(VectorError::Read)?);
        Ok(!self.text.is_empty())
    }

    /// Returns whether the text is only the first part of a long line.
    fn is_cut(&self) -> bool {
        to_u64(self.text.len()) == LONGEST && !self.text.ends_with(b"\n")
    }

    /// Reads the current line; `None` for blank lines, comments, markers and the kernel.
    fn item(&mut self) -> Option<Item> {
        let Ok(text) = std::str::from_utf8(&self.text) else {
            let refused = || Item::Line(Err(refusal(ParseErrorKind::NotUtf8, &self.text)));
            return (!self.in_kernel).then(refused);
        };
        let text = if self.line == 1 { text.trim_start_matches('\u{feff}') } else { text };
        let text = text.trim_end();
        if !text.trim_start().starts_with('#') {
            // A line that lists elements of a tensor is not one of a kernel.
            let is_lost = !self.has_header && SAYS.iter().any(|says| text.contains(says));
            let skip = (self.in_kernel && !is_lost) || text.is_empty();
            return (!skip).then(|| Item::Line(text.parse()));
        }
        let header = match Mark::read(text) {
            Ok(Mark::Header(header)) => Ok(header),
            Err(error) => Err(error),
            Ok(Mark::Kernel) => {
                self.in_kernel = true;
                return None;
            }
            Ok(Mark::Comment) => return None,
        };
        (self.in_kernel, self.has_header) = (false, true);
        Some(Item::Header(header))
    }

    /// Skips to the end of a line that is too long; returns its error.
    fn skip_long(&mut self) -> Result<ParseError, VectorError> {
        let why = format!("the line is longer than {LONGEST} bytes");
        let error = refusal(ParseErrorKind::Invalid(why), &self.text[..200]);
        while self.read_text()? && !self.text.ends_with(b"\n") {}
        Ok(error)
    }
}

fn refusal(kind: ParseErrorKind, text: &[u8]) -> ParseError {
    let text = String::from_utf8_lossy(text);
    let text = text.trim_end();
    ParseError::new(kind, Span::new(0, text.len()), text)
}

/// Returns the bases with which the first index of a line is at the address of the line.
fn bases(tensor: &Tensor, line: &VectorLine) -> Result<Vec<u64>, LayoutError> {
    let index = line.comment.as_ref().and_then(|comment| comment.indexes.first());
    let words = match index.filter(|index| tensor.number(index).is_some()) {
        Some(index) => tensor.words_of(index)?,
        None => Vec::new(),
    };
    let base = |word| line.place.address.checked_sub(tensor.place(word, 0).address);
    Ok(words.into_iter().filter_map(base).sorted_unstable().dedup().collect())
}
