//! Checking a file: every line against its header.

use std::collections::{HashMap, HashSet};
use std::io::BufRead;

use super::coverage::Coverage;
use super::error::VectorError;
use super::fault::{Fault, Finding};
use super::header::{TensorDirection, VectorHeader};
use super::matched::{Matched, matched};
use super::place::VectorPlace;
use super::source::{Item, ItemSource, NumberedItem};
use super::tensor::{Tensor, Word};
use super::value;
use tensor_layout::notation::MemoryText;

/// The number of findings that are kept; all are counted.
const MOST_FINDINGS: usize = 10_000;

/// The result of [`check_vectors`]: totals and findings.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct VectorCheck {
    /// The number of tensors that were checked.
    pub tensors: u64,
    /// The number of their lines.
    pub lines: u64,
    /// The first 10 000 findings that the check came across, sorted by line.
    pub findings: Vec<Finding>,
    /// The number of all findings, kept or not.
    pub count: u64,
}

/// Checks every line of a file against its header: memory, address, units, lanes, the long words
/// against the values in the comment; places that no line or more than one line sets or reads; tensors
/// that overlap; capacity.
///
/// Lines may come in any order, leave out letters and comments, and hold several long words: only
/// their effect on the memories counts. Text above the first header belongs to a kernel. The base of a tensor
/// is the one that most of its first 16 lines imply; on a tie, the base that fits most of the later lines.
/// Tensors that are set must not overlap each other, and neither may tensors that are read; a result may take
/// the place of an input. `progress` is called with the number of bytes read.
///
/// # Errors
/// [`Read`](VectorError::Read); [`Layout`](VectorError::Layout) where the contents of a long word cannot be
/// decided. A fault of the file is a finding, not an error.
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
    let mut checker = Checker::new(ItemSource::new(input));
    while let Some(NumberedItem { line, item }) = checker.source.next()? {
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
    if checker.check.tensors == 0 && checker.check.count == 0 {
        checker.find(1, Fault::NoTensor);
    }
    let mut check = checker.check;
    check.findings.sort_by_key(|finding| finding.line);
    Ok(check)
}

/// The places that a tensor has taken.
struct Taken {
    name: String,
    memory: MemoryText,
    direction: TensorDirection,
    places: Coverage,
    /// The bits of elements that several lanes or lines set.
    copies: HashMap<u64, u64>,
    /// The tensors that it overlaps; each is reported once.
    overlaps: Vec<String>,
}

struct Checker<R> {
    source: ItemSource<R>,
    check: VectorCheck,
    taken: Vec<Taken>,
    names: HashSet<String>,
}

impl<R: BufRead> Checker<R> {
    fn new(source: ItemSource<R>) -> Checker<R> {
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
        let (places, copies, overlaps) = (Coverage::default(), HashMap::new(), Vec::new());
        self.taken.push(Taken { name, memory, direction, places, copies, overlaps });
        self.lines(&tensor, base, progress)
    }

    /// Skips the lines of a tensor with an invalid header, and counts them.
    fn skip_lines(&mut self) -> Result<(), VectorError> {
        // They are not checked: without a valid header the type of their values is unknown.
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
        let mut end = None;
        while let Some((line, read)) = self.source.next_line()? {
            progress(self.source.bytes());
            self.check.lines += 1;
            end = Some(line + 1);
            let Some(taken) = self.taken.last() else { break };
            let found = match read {
                Ok(read) => matched(tensor, base, &read, &taken.places)?,
                Err(error) => Matched::of(Fault::Text(error)),
            };
            if found.faults.is_empty() {
                self.compare_copies(line, tensor, &found.copies);
            }
            found.faults.into_iter().for_each(|fault| self.find(line, fault));
            self.take(line, &found.places, &found.words);
        }
        let end = end.unwrap_or(self.source.last_line());
        let Some(taken) = self.taken.last_mut() else { return Ok(()) };
        for finding in taken.places.missing(tensor, base, end)? {
            self.find(finding.line, finding.fault);
        }
        Ok(())
    }

    /// Reports the first element with another value than an earlier lane or line gives it.
    fn compare_copies(&mut self, line: u64, tensor: &Tensor, copies: &[(u64, u64)]) {
        let Some(own) = self.taken.last_mut() else { return };
        let other = copies.iter().find_map(|(element, bits)| {
            let known = *own.copies.entry(*element).or_insert(*bits);
            (!value::is_same(tensor.dtype, known, *bits)).then_some((*element, *bits, known))
        });
        if let Some((element, bits, known)) = other {
            let shown = |bits| value::shown(tensor.dtype, bits);
            let (index, held, known) = (tensor.index(element), shown(bits), shown(known));
            self.find(line, Fault::Copy { index, held, known });
        }
    }

    /// Marks the places of a line as taken; reports one that an earlier line or another tensor has.
    fn take(&mut self, line: u64, places: &[VectorPlace], words: &[Word]) {
        let Some((own, others)) = self.taken.split_last_mut() else { return };
        if places.is_empty() {
            return own.places.take_unread();
        }
        let tensor = own.name.clone();
        if let Some(place) = own.places.take(line, places, words) {
            return self.find(line, Fault::Doubled { tensor, place });
        }
        let is_near = |other: &&Taken| {
            other.memory == own.memory
                && other.direction == own.direction
                && !own.overlaps.contains(&other.name)
        };
        let clash = others.iter().filter(is_near).find_map(|other| {
            let place = places.iter().find(|place| other.places.has_any(place))?;
            Some((other.name.clone(), *place))
        });
        if let Some((other, place)) = clash {
            own.overlaps.push(other.clone());
            self.find(line, Fault::Overlap { tensor, other, place });
        }
    }
}
