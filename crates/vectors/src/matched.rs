//! Checks a line of a tensor against its layout: the long words that it is about, and its faults.

use super::coverage::Coverage;
use super::fault::Fault;
use super::header::TensorDirection;
use super::line::{VectorComment, VectorLine};
use super::place::VectorPlace;
use super::tensor::{Covered, Tensor, Word};
use super::value;
use tensor_layout::LayoutError;

/// The faults of a line, and the places, long words and copies that it counts for.
#[derive(Debug, Default)]
pub(super) struct Matched {
    pub(super) faults: Vec<Fault>,
    /// The places that it sets or reads, or the one that it should name instead; empty if not known.
    pub(super) places: Vec<VectorPlace>,
    /// Their long words.
    pub(super) words: Vec<Word>,
    /// The elements that other lanes or lines may set, too, with their bits.
    pub(super) copies: Vec<(u64, u64)>,
}

impl Matched {
    /// A line of which nothing but a fault is known.
    pub(super) fn of(fault: Fault) -> Matched {
        Matched { faults: vec![fault], ..Matched::default() }
    }
}

/// A line with the long words of the tensor that it covers.
struct Line<'a> {
    tensor: &'a Tensor,
    base: u64,
    line: &'a VectorLine,
    covered: Vec<Covered>,
}

/// Matches a line with the tensor. A line at a wrong place counts for the first copy that no line has.
pub(super) fn matched(
    tensor: &Tensor,
    base: u64,
    line: &VectorLine,
    taken: &Coverage,
) -> Result<Matched, LayoutError> {
    let name = || tensor.header.name();
    let reads = line.verb.reads();
    if reads != (tensor.header.direction == TensorDirection::Out) {
        return Ok(Matched::of(Fault::Direction { tensor: name(), reads }));
    }
    let covered = tensor.covered(line, base)?;
    let read = Line { tensor, base, line, covered };
    let Some(comment) = &line.comment else { return Ok(read.without_comment()) };
    if comment.dtype != tensor.dtype {
        let (found, wanted) = (comment.dtype, tensor.dtype);
        return Ok(Matched::of(Fault::Dtype { found, wanted }));
    }
    let mut numbers = Vec::with_capacity(comment.indexes.len());
    for index in &comment.indexes {
        let Some(number) = tensor.number(index) else {
            let (index, shape) = (index.clone(), tensor.shape().to_vec());
            return Ok(Matched::of(Fault::Index { index, shape }));
        };
        numbers.push(number);
    }
    read.with_comment(comment, &numbers, taken)
}

impl Line<'_> {
    fn words(&self) -> Vec<Word> {
        self.covered.iter().filter_map(|covered| covered.word).collect()
    }

    /// The elements in the order of units, long words and lanes, each once.
    fn elements(&self) -> Vec<u64> {
        let mut elements = Vec::new();
        for word in self.words() {
            let is_copy = word.elements().all(|element| elements.contains(&element));
            elements.extend(word.elements().filter(|_| !is_copy));
        }
        elements
    }

    /// The places of the line that hold elements.
    fn places(&self) -> Vec<VectorPlace> {
        let is_whole = self.covered.iter().all(|covered| covered.word.is_some());
        let whole = (0..self.line.count).map(|number| self.line.place.after(number));
        let held = self.covered.iter().filter(|covered| covered.word.is_some());
        match is_whole {
            true => whole.collect(),
            // Units of levels that the layout does not use count, too: the line sets or reads them as well.
            false => held.map(|covered| self.widened(covered.place)).collect(),
        }
    }

    /// A place of one unit with the letters that the line leaves out and the layout does not use.
    fn widened(&self, place: VectorPlace) -> VectorPlace {
        let open = self.tensor.everywhere(0, 0).units;
        let mut units = place.units;
        for ((unit, open), written) in units.iter_mut().zip(open).zip(self.line.place.units) {
            if open.is_none() && unit.is_some() {
                *unit = written;
            }
        }
        VectorPlace { units, ..place }
    }

    fn without_comment(&self) -> Matched {
        let mut faults = self.beside();
        faults.extend(self.hole());
        self.known(faults)
    }

    /// Returns the faults with the places, long words and copies that the line itself names.
    fn known(&self, faults: Vec<Fault>) -> Matched {
        let (places, words, copies) = (self.places(), self.words(), self.copies());
        Matched { faults, places, words, copies }
    }

    /// Returns the elements that other lanes or lines may set as well, with the bits that this line sets.
    fn copies(&self) -> Vec<(u64, u64)> {
        let set = self.covered.iter().filter_map(|covered| {
            let word = covered.word.filter(|_| !self.line.verb.reads())?;
            let all = self.tensor.everywhere(word.word, self.base).unit_count();
            let is_alone = self.widened(covered.place).unit_count() == all
                && word.elements().count() == word.filled().count()
                && !self.tensor.has_copies();
            let payload = self.payload(covered).filter(|_| !is_alone)?;
            let bits = move |(lane, element)| (element, self.tensor.lane(payload, lane));
            Some(word.filled().map(bits))
        });
        set.flatten().collect()
    }

    /// Returns a fault for the first place without an element, if there is one.
    fn beside(&self) -> Vec<Fault> {
        let beside = self.covered.iter().find(|covered| covered.word.is_none());
        let Some(beside) = beside else { return Vec::new() };
        let (tensor, memory) = (self.tensor.header.name(), self.tensor.memory);
        let found = self.widened(beside.place);
        vec![match found.memory == memory {
            true => Fault::NoElement { tensor, found },
            false => Fault::Memory { tensor, found, memory },
        }]
    }

    /// Checks a line whose elements are known by their numbers.
    fn with_comment(
        &self,
        comment: &VectorComment,
        numbers: &[u64],
        taken: &Coverage,
    ) -> Result<Matched, LayoutError> {
        let elements = self.elements();
        let is_said = elements == numbers;
        let one_of_many =
            |word: &Word| self.line.count == 1 && word.elements().eq(numbers.iter().copied());
        let is_whole = self.covered.iter().all(|covered| covered.word.is_some());
        let is_here = is_whole
            && elements.iter().any(|element| numbers.contains(element))
            && !self.words().iter().any(one_of_many);
        let mut faults = match (is_said && !elements.is_empty(), is_here) {
            (true, _) => self.beside(),
            (false, true) => {
                let wanted = elements.iter().map(|element| self.tensor.index(*element)).collect();
                vec![Fault::Lanes { found: comment.indexes.clone(), wanted }]
            }
            (false, false) => return self.elsewhere(comment, taken),
        };
        faults.extend(self.count(comment, numbers));
        faults.extend(self.value(comment, numbers));
        faults.extend(self.hole());
        Ok(self.known(faults))
    }

    /// Reports that the elements of a line are elsewhere; the line then counts for their place by the layout.
    fn elsewhere(&self, comment: &VectorComment, taken: &Coverage) -> Result<Matched, LayoutError> {
        let first = comment.indexes.first().cloned().unwrap_or_default();
        let copies = self.tensor.words_of(&first)?;
        let everywhere = |word: u64| self.tensor.everywhere(word, self.base);
        let free = copies.iter().find(|word| !taken.has_any(&everywhere(**word)));
        let number = free.or(copies.first()).copied().unwrap_or(0);
        let (found, memory) = (self.line.place, self.tensor.memory);
        let fault = match found.memory == memory {
            true => {
                let wanted = self.tensor.place(number, self.base);
                Fault::Place { index: first, found, wanted }
            }
            false => Fault::Memory { tensor: self.tensor.header.name(), found, memory },
        };
        let place = everywhere(number);
        let unit = place.each_unit().next().unwrap_or(place);
        let word = self.tensor.held(&unit, self.base)?;
        let words = word.into_iter().collect();
        Ok(Matched { faults: vec![fault], places: vec![place], words, ..Matched::default() })
    }

    /// Returns a fault if there is neither one value per index nor one per lane.
    fn count(&self, comment: &VectorComment, numbers: &[u64]) -> Option<Fault> {
        let lanes =
            self.words().iter().map(|word| word.lanes.iter().flatten().count()).sum::<usize>();
        let (values, indexes) = (comment.values.len(), numbers.len());
        (values != indexes && values != lanes).then_some(Fault::Count { values, indexes })
    }

    /// Returns a fault for the first lane with another value than the comment.
    fn value(&self, comment: &VectorComment, numbers: &[u64]) -> Option<Fault> {
        let said = CommentValues::new(comment, numbers);
        let mut before = 0;
        for covered in &self.covered {
            let (Some(word), Some(payload)) = (covered.word, self.payload(covered)) else {
                continue;
            };
            for (lane, element) in word.filled() {
                let (bits, dtype) = (self.tensor.lane(payload, lane), comment.dtype);
                let said = said.of(element, before);
                before += 1;
                if let Some(said) = said.filter(|said| !value::is_same(dtype, bits, *said)) {
                    let index = self.tensor.index(element);
                    let (held, said) = (value::shown(dtype, bits), value::shown(dtype, said));
                    return Some(Fault::Value { lane, index, bits, held, said });
                }
            }
        }
        None
    }

    fn payload(&self, covered: &Covered) -> Option<u64> {
        self.line.payload.get(usize::try_from(covered.number).ok()?).copied()
    }

    /// Returns a fault for the first lane without an element that the line does not set to 0.
    fn hole(&self) -> Option<Fault> {
        let is_set = !self.line.verb.reads();
        let words = self.covered.iter().filter(|_| is_set);
        let mut words = words
            .filter_map(|covered| Some((covered.place, covered.word?, self.payload(covered)?)));
        words.find_map(|(place, word, payload)| {
            let mut holes = (0..self.tensor.lanes).zip(word.lanes);
            let (lane, _) = holes
                .find(|(lane, held)| held.is_none() && self.tensor.lane(payload, *lane) != 0)?;
            let (tensor, bits) = (self.tensor.header.name(), self.tensor.lane(payload, lane));
            let place = self.widened(place);
            Some(Fault::Hole { tensor, place, lane, bits })
        })
    }
}

/// The values of a comment: one for each of its elements, or one for each lane.
pub(super) struct CommentValues<'a> {
    values: &'a [u64],
    numbers: &'a [u64],
}

impl<'a> CommentValues<'a> {
    pub(super) fn new(comment: &'a VectorComment, numbers: &'a [u64]) -> CommentValues<'a> {
        CommentValues { values: &comment.values, numbers }
    }

    /// The value of an element in the lane that comes after `before` others with an element.
    pub(super) fn of(&self, element: u64, before: usize) -> Option<u64> {
        let at = self.numbers.iter().position(|number| *number == element)?;
        let is_per_lane = self.values.len() > self.numbers.len();
        self.values.get(if is_per_lane { before % self.values.len() } else { at }).copied()
    }
}
