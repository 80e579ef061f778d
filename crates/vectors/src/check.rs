//! Checking a file: every line against its header.

use std::collections::HashSet;
use std::io::BufRead;

use super::error::VectorError;
use super::fault::{Fault, Finding};
use super::header::{Direction, VectorHeader};
use super::line::{VectorComment, VectorLine};
use super::order::Order;
use super::place::{LETTERS, VectorPlace};
use super::source::{Item, Numbered, Source};
use super::tensor::{Tensor, Word};
use super::value;
use super::words::{BLOCK, WordSet};
use tensor_layout::LayoutError;
use tensor_layout::notation::MemoryText;

/// How many findings are kept; all are counted.
const MOST_FINDINGS: usize = 10_000;

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct VectorCheck {
    /// How many tensors were checked.
    pub tensors: u64,
    /// How many lines they have.
    pub lines: u64,
    /// What is wrong, by line; the first 10 000 of them.
    pub findings: Vec<Finding>,
    /// How many findings there are.
    pub count: u64,
}

/// Checks every line of a file against its header: memory, address, units, lanes, the long word
/// against the values in the comment; lines that are missing, twice or out of order; tensors that
/// overlap; capacity.
///
/// The base of a tensor is the one that most of its first lines have. Tensors that are set must not
/// overlap each other, nor those that are read; a result may stand where an input stood.
/// `progress` is called with the number of bytes read.
///
/// # Errors
/// [`Read`](VectorError::Read); [`Layout`](VectorError::Layout) where it is not decided what a long
/// word holds. What is wrong in the file is a finding, not an error.
///
/// # Example
/// ```
/// use tensor_layout_vectors::{Fault, check_vectors};
/// let file = "# ======= In(0): ((2:1, 2_W:1))@LM0 / Float =======
/// d set $lm0 1 3F800000C0000000 # values=[1.0, -2.0] / Float @[0],[1]
/// d set $lm2 1 3F800000C0000000 # values=[-2.0, 1.0] / Float @[2],[3]
/// ";
/// let check = check_vectors(file.as_bytes(), &mut |_| {})?;
/// assert_eq!((check.count, check.findings[0].line), (1, 3));
/// assert_eq!(check.findings[0].fault.to_string(),
///     "lane 0 holds 1.0 (3F800000), but the comment says -2.0 for [2]");
/// # Ok::<(), tensor_layout_vectors::VectorError>(())
/// ```
pub fn check_vectors(
    input: impl BufRead,
    progress: &mut dyn FnMut(u64),
) -> Result<VectorCheck, VectorError> {
    let mut checker = Checker::new(Source::new(input));
    while let Some(Numbered { line, item }) = checker.source.next()? {
        match item {
            Item::Header(Ok(header)) => checker.tensor(line, header, progress)?,
            Item::Header(Err(error)) => {
                checker.find(line, Fault::Text(error));
                checker.skip_lines()?;
            }
            Item::Line(Ok(_)) => checker.find(line, Fault::NoHeader),
            Item::Line(Err(error)) => checker.find(line, Fault::Text(error)),
        }
    }
    let mut check = checker.check;
    check.findings.sort_by_key(|finding| finding.line);
    Ok(check)
}

/// The long words that a tensor has taken.
struct Taken {
    name: String,
    memory: MemoryText,
    direction: Direction,
    words: WordSet,
    /// The tensors that it overlaps; each is reported once.
    overlaps: Vec<String>,
}

struct Checker<R> {
    source: Source<R>,
    check: VectorCheck,
    taken: Vec<Taken>,
    names: HashSet<String>,
}

impl<R: BufRead> Checker<R> {
    fn new(source: Source<R>) -> Checker<R> {
        let (check, taken, names) = (VectorCheck::default(), Vec::new(), HashSet::new());
        Checker { source, check, taken, names }
    }

    fn find(&mut self, line: u64, fault: Fault) {
        self.check.count += 1;
        if self.check.findings.len() < MOST_FINDINGS {
            self.check.findings.push(Finding { line, fault });
        }
    }

    /// Checks the tensor of a header, up to the next one.
    fn tensor(
        &mut self,
        line: u64,
        header: VectorHeader,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), VectorError> {
        self.check.tensors += 1;
        let name = header.name();
        if !self.names.insert(name.clone()) {
            self.find(line, Fault::Repeated { tensor: name.clone() });
        }
        let direction = header.direction;
        let tensor = match Tensor::new(header) {
            Ok(tensor) => tensor,
            Err(error) => {
                self.find(line, Fault::Layout(error));
                return self.skip_lines();
            }
        };
        let base = self.source.base(&tensor)?;
        if let Some(error) = tensor.refused_at(base) {
            self.find(line, Fault::Layout(error));
        }
        let memory = tensor.memory;
        let (words, overlaps) = (WordSet::default(), Vec::new());
        self.taken.push(Taken { name, memory, direction, words, overlaps });
        self.lines(&tensor, base, progress)
    }

    /// Passes over the lines of a tensor whose header is refused.
    fn skip_lines(&mut self) -> Result<(), VectorError> {
        // What they say is not judged: the header tells the type of their values.
        while self.source.next_line()?.is_some() {
            self.check.lines += 1;
        }
        Ok(())
    }

    fn lines(
        &mut self,
        tensor: &Tensor,
        base: u64,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), VectorError> {
        let mut order = Order::new(tensor)?;
        let mut end = None;
        while let Some((line, read)) = self.source.next_line()? {
            progress(self.source.bytes());
            self.check.lines += 1;
            end = Some(line + 1);
            let read = match read {
                Ok(read) => read,
                Err(error) => {
                    self.find(line, Fault::Text(error));
                    order.take_unread();
                    continue;
                }
            };
            let found = Line { tensor, base, line: &read }.check(order.expected())?;
            found.faults.into_iter().for_each(|fault| self.find(line, fault));
            let Some(word) = found.word else {
                order.take_unread();
                continue;
            };
            let following = self.following(tensor, base, order.expected(), &word)?;
            let place = tensor.place(word.word, base);
            match order.take(line, &word, following.as_ref())? {
                Some(Fault::Doubled { tensor, .. }) => {
                    self.find(line, Fault::Doubled { tensor, place });
                }
                fault => {
                    fault.into_iter().for_each(|fault| self.find(line, fault));
                    self.occupy(line, &place);
                }
            }
        }
        let end = end.unwrap_or(self.source.last_line());
        for finding in order.missing(end)? {
            self.find(finding.line, finding.fault);
        }
        Ok(())
    }

    /// The long word of the next line, where it matters: this one is not the expected one.
    fn following(
        &mut self,
        tensor: &Tensor,
        base: u64,
        expected: Option<&Word>,
        word: &Word,
    ) -> Result<Option<Word>, VectorError> {
        if expected.is_none_or(|expected| expected.key() == word.key()) {
            return Ok(None);
        }
        match self.source.peek(0)? {
            Some(Numbered { item: Item::Line(Ok(line)), .. }) => {
                Ok(Line { tensor, base, line }.check(expected)?.word)
            }
            _ => Ok(None),
        }
    }

    /// Marks the long words of a line, and refuses those of other tensors.
    fn occupy(&mut self, line: u64, place: &VectorPlace) {
        let Some((own, others)) = self.taken.split_last_mut() else { return };
        let words = physical(place);
        own.words.insert_block(&words);
        let clash = others.iter().find(|other| {
            let is_near = other.memory == own.memory && other.direction == own.direction;
            is_near && other.words.contains_any(&words)
        });
        let clash = clash.map(|other| other.name.clone());
        if let Some(other) = clash.filter(|name| !own.overlaps.contains(name)) {
            own.overlaps.push(other.clone());
            let tensor = own.name.clone();
            self.find(line, Fault::Overlap { tensor, other, place: *place });
        }
    }
}

/// The long words that a place means, numbered: those of all units that its letters leave open.
/// They are in one block of a [`WordSet`]; addresses are below 2^36.
fn physical(place: &VectorPlace) -> Vec<u64> {
    if place.memory == MemoryText::DRAM {
        return vec![place.units[0].unwrap_or(0) << 40 | place.address];
    }
    let mut units = vec![0];
    for (unit, (_, count)) in place.units.iter().zip(LETTERS) {
        let range = unit.map_or(0..count, |at| at..at + 1);
        let below = |unit: u64| range.clone().map(move |at| unit * count + at);
        units = units.into_iter().flat_map(below).collect();
    }
    units.into_iter().map(|unit| place.address * BLOCK + unit).collect()
}

/// A line against its tensor.
struct Line<'a> {
    tensor: &'a Tensor,
    base: u64,
    line: &'a VectorLine,
}

/// What is wrong in a line, and which long word it is about, if that is known.
#[derive(Default)]
struct Checked {
    faults: Vec<Fault>,
    word: Option<Word>,
}

impl Line<'_> {
    fn check(&self, expected: Option<&Word>) -> Result<Checked, LayoutError> {
        let VectorLine { reads, place, comment, .. } = self.line;
        let tensor = || self.tensor.header.name();
        let only = |fault| Ok(Checked { faults: vec![fault], word: None });
        if *reads != (self.tensor.header.direction == Direction::Out) {
            return only(Fault::Direction { tensor: tensor(), reads: *reads });
        }
        let Some(comment) = comment else {
            let word = self.word_at_place()?;
            let mut faults = vec![Fault::NoComment];
            let elsewhere = || Fault::NoElement { tensor: tensor(), found: *place };
            faults.extend(word.is_none().then(elsewhere));
            return Ok(Checked { faults, word });
        };
        if comment.dtype != self.tensor.dtype {
            return only(Fault::Dtype { found: comment.dtype, wanted: self.tensor.dtype });
        }
        let mut numbers = Vec::with_capacity(comment.indexes.len());
        for index in &comment.indexes {
            let Some(number) = self.tensor.number(index) else {
                let (index, shape) = (index.clone(), self.tensor.shape().to_vec());
                return only(Fault::Index { index, shape });
            };
            numbers.push(number);
        }
        self.elements(comment, &numbers, expected)
    }

    /// Checks a line whose elements are known by their numbers.
    fn elements(
        &self,
        comment: &VectorComment,
        numbers: &[u64],
        expected: Option<&Word>,
    ) -> Result<Checked, LayoutError> {
        let mut faults = Vec::new();
        let word = match expected.filter(|word| self.is_at(word)) {
            Some(expected) => *expected,
            None => self.find_word(comment, numbers, expected, &mut faults)?,
        };
        if !word.elements().eq(numbers.iter().copied()) {
            let wanted = word.elements().map(|element| self.tensor.index(element)).collect();
            faults.push(Fault::Lanes { found: comment.indexes.clone(), wanted });
        }
        let (values, indexes) = (comment.values.len(), comment.indexes.len());
        if values != indexes {
            faults.push(Fault::Count { values, indexes });
        }
        faults.extend(self.value(comment, numbers, &word));
        Ok(Checked { faults, word: Some(word) })
    }

    fn is_at(&self, word: &Word) -> bool {
        self.tensor.place(word.word, self.base) == self.line.place
    }

    /// The long word at the place of the line, if it holds an element of the tensor and the line
    /// names it rightly.
    fn word_at_place(&self) -> Result<Option<Word>, LayoutError> {
        let Some(word) = self.tensor.word_at(&self.line.place, self.base) else { return Ok(None) };
        Ok(self.word(word)?.filter(|word| self.is_at(word)))
    }

    /// A long word with its place in the order of the lines.
    fn word(&self, word: u64) -> Result<Option<Word>, LayoutError> {
        let lanes = self.tensor.contents(word)?;
        let Some(element) = lanes.iter().copied().flatten().min() else { return Ok(None) };
        let copies = self.tensor.words_of(&self.tensor.index(element))?;
        let copy = copies.iter().position(|copy| *copy == word);
        Ok(copy.map(|copy| Word { element, copy, word, lanes }))
    }

    /// The long word of a line that is not the expected one: that at its place, if it has one of
    /// the elements; else that of the first element, which is then in the wrong place.
    fn find_word(
        &self,
        comment: &VectorComment,
        numbers: &[u64],
        expected: Option<&Word>,
        faults: &mut Vec<Fault>,
    ) -> Result<Word, LayoutError> {
        if let Some(word) = self.word_at_place()?
            && word.elements().any(|element| numbers.contains(&element))
        {
            return Ok(word);
        }
        let first = comment.indexes.first().cloned().unwrap_or_default();
        let copies = self.tensor.words_of(&first)?;
        let is_expected = |word: &u64| expected.is_some_and(|expected| expected.word == *word);
        let likely = copies.iter().find(|word| is_expected(word)).or(copies.first());
        let number = likely.copied().unwrap_or(0);
        let wanted = self.tensor.place(number, self.base);
        let (found, memory) = (self.line.place, self.tensor.memory);
        faults.push(match found.memory == memory {
            true => Fault::Place { index: first, found, wanted },
            false => Fault::Memory { tensor: self.tensor.header.name(), found, memory },
        });
        let nothing = Word { element: 0, copy: 0, word: number, lanes: [None; 8] };
        Ok(self.word(number)?.unwrap_or(nothing))
    }

    /// The first lane that does not hold what the comment says.
    fn value(&self, comment: &VectorComment, numbers: &[u64], word: &Word) -> Option<Fault> {
        let payload = self.line.payload?;
        for ((element, index), said) in numbers.iter().zip(&comment.indexes).zip(&comment.values) {
            let lanes = (0..).zip(word.lanes).filter(|(_, held)| *held == Some(*element));
            for (lane, _) in lanes {
                let (bits, dtype) = (self.tensor.lane(payload, lane), comment.dtype);
                if !value::is_same(dtype, bits, *said) {
                    let shown = |bits| {
                        let mut text = String::new();
                        value::write(&mut text, dtype, bits);
                        text
                    };
                    let (held, said) = (shown(bits), shown(*said));
                    return Some(Fault::Value { lane, index: index.clone(), bits, held, said });
                }
            }
        }
        None
    }
}
