//! Comparing the values that a simulator read with those that a file expects.

use std::collections::BTreeMap;
use std::io::BufRead;

use super::error::VectorError;
use super::header::{TensorDirection, VectorHeader};
use super::line::{VectorComment, VectorLine};
use super::matched::CommentValues;
use super::place::VectorPlace;
use super::read::{next_header, next_line, whole};
use super::result::Results;
use super::source::ItemSource;
use super::spread::Spread;
use super::tensor::{Tensor, Word};
use super::value;
use super::words::WordSet;
use tensor_layout_show::Picture;

/// The number of differences of a tensor that are kept; all are counted.
const MOST_DIFFERENCES: usize = 1000;

/// The comparison of a tensor that was read with its expected values.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VectorComparison {
    /// The header of the tensor.
    pub header: VectorHeader,
    /// The number of values that were compared: one for each element, line and unit that reads it.
    pub compared: u64,
    /// The number of compared values that are wrong.
    pub wrong: u64,
    /// The number of elements that were compared, each counted once.
    pub tested: u64,
    /// The number of elements of the tensor for which no line gives an expected value.
    pub untested: u64,
    /// The first 1000 wrong values, in the order of the lines.
    pub differences: Vec<VectorDifference>,
    /// The number of wrong values by unit (group, L2B, L1B, MAB, PE); units without wrong values are left out.
    pub units: BTreeMap<[Option<u64>; 5], u64>,
    spread: Spread,
    seen: WordSet,
}

/// An element whose value is not as expected.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct VectorDifference {
    /// The line that expects it.
    pub line: u64,
    /// The index of the element.
    pub index: Vec<u64>,
    /// The long word that was read: its memory, unit and address.
    pub place: VectorPlace,
    /// Its lane.
    pub lane: u64,
    /// The expected value, as Python prints it.
    pub expected: String,
    /// The value that was read; `None` where the result lacks the long word at the place.
    pub found: Option<String>,
}

impl VectorComparison {
    /// Draws the wrong elements on a grid over the tensor.
    ///
    /// Rows are all axes but the last, columns the last. A large tensor is drawn in blocks, each with
    /// the number of wrong elements in it.
    #[must_use]
    pub fn picture(&self) -> Picture {
        let title = format!("{}: {} of {} wrong", self.header.name(), self.wrong, self.compared);
        self.spread.picture(&title)
    }
}

/// Compares the tensors that a file reads with the output of a simulator: the dump of the emulator, long
/// words in hexadecimal, one per line, in the order in which the lines read them, or lines with a place.
///
/// Two values are equal if they differ by at most the `atol` of their line, or by at most its `rtol` times
/// the expected value; on lines without either, only if they are identical. `progress` is called with the
/// number of bytes read.
///
/// # Errors
/// [`Read`](VectorError::Read), [`Line`](VectorError::Line), [`Result`](VectorError::Result);
/// [`ResultLength`](VectorError::ResultLength) for a list of another length.
///
/// # Example
/// ```
/// use tensor_layout_vectors::compare_vectors;
/// let file = "# ======= Out(0): ((2:1, 2_W:1))@LM1 / Int =======
/// d getd $ln0n0c0b0m0p0 1 # expect=[1, 2] / Int @[0],[1]
/// d getd $ln2n0c0b0m0p0 1 # expect=[3, 4] / Int @[2],[3]
/// ";
/// let result = "0000000100000002\n0000000300000005\n";
/// let compared = compare_vectors(file.as_bytes(), result.as_bytes(), &mut |_| {})?;
/// let [difference] = &compared[0].differences[..] else { panic!() };
/// assert_eq!((&difference.index[..], difference.found.as_deref()), (&[3][..], Some("5")));
/// # Ok::<(), tensor_layout_vectors::VectorError>(())
/// ```
pub fn compare_vectors(
    file: impl BufRead,
    result: impl BufRead,
    progress: &mut dyn FnMut(u64),
) -> Result<Vec<VectorComparison>, VectorError> {
    let results = Results::read(result)?;
    let mut source = ItemSource::new(file);
    let (mut compared, mut reads) = (Vec::new(), 0);
    while let Some(tensor) = next_header(&mut source)? {
        let base = source.base(&tensor)?;
        let mut comparison = VectorComparison::new(&tensor);
        while let Some((number, line)) = next_line(&mut source)? {
            if line.verb.reads() {
                let read = ReadLine { tensor: &tensor, base, number, line: &line, reads };
                comparison.line(&read, &results)?;
                reads += line.place.unit_count() * line.count;
            }
            progress(source.bytes());
        }
        if tensor.header.direction == TensorDirection::Out {
            compared.push(comparison);
        }
    }
    results.check_length(reads)?;
    Ok(compared)
}

/// A line that reads, of a tensor.
struct ReadLine<'a> {
    tensor: &'a Tensor,
    base: u64,
    /// The number of the line.
    number: u64,
    line: &'a VectorLine,
    /// The number of long words the lines before it read.
    reads: u64,
}

impl ReadLine<'_> {
    fn refused(&self, why: &str) -> VectorError {
        VectorError::Line { line: self.number, error: whole(self.line, why) }
    }

    /// Returns the comment with the row-major numbers of its elements; `None` without a comment.
    fn expected(&self) -> Result<Option<(&VectorComment, Vec<u64>)>, VectorError> {
        let (tensor, name) = (self.tensor, self.tensor.header.name());
        if tensor.header.direction == TensorDirection::In {
            return Err(self.refused("this line reads, but its header is that of an input"));
        }
        let Some(comment) = &self.line.comment else { return Ok(None) };
        if comment.dtype != tensor.dtype {
            return Err(self.refused("no values of the tensor's type are expected here"));
        }
        let number = |index: &Vec<u64>| {
            let why = || self.refused(&format!("{index:?} is not an index of {name}"));
            tensor.number(index).ok_or_else(why)
        };
        let numbers = comment.indexes.iter().map(number).collect::<Result<Vec<u64>, _>>()?;
        self.check_counts(comment, &numbers)?;
        Ok(Some((comment, numbers)))
    }

    /// Returns an error if the line does not read an element of the comment, or has a wrong number of values.
    fn check_counts(&self, comment: &VectorComment, numbers: &[u64]) -> Result<(), VectorError> {
        let covered = self.tensor.covered(self.line, self.base)?;
        let lanes: Vec<u64> = covered
            .iter()
            .filter_map(|covered| covered.word)
            .flat_map(|word| word.filled().map(|(_, element)| element))
            .collect();
        if let Some(index) = numbers.iter().position(|number| !lanes.contains(number)) {
            let (index, name) = (&comment.indexes[index], self.tensor.header.name());
            let why = format!("{index:?} of {name} is not at `{}`", self.line.place);
            return Err(self.refused(&why));
        }
        let (values, indexes) = (comment.values.len(), numbers.len());
        match values == indexes || values == lanes.len() {
            true => Ok(()),
            false => Err(self.refused(&format!("there are {values} values for {indexes} indexes"))),
        }
    }
}

impl VectorComparison {
    fn new(tensor: &Tensor) -> VectorComparison {
        VectorComparison {
            header: tensor.header.clone(),
            compared: 0,
            wrong: 0,
            tested: 0,
            untested: tensor.elements(),
            differences: Vec::new(),
            units: BTreeMap::new(),
            spread: Spread::new(tensor.shape()),
            seen: WordSet::default(),
        }
    }

    /// Compares the long words of a line, unit by unit.
    fn line(&mut self, read: &ReadLine<'_>, results: &Results) -> Result<(), VectorError> {
        let Some((comment, numbers)) = read.expected()? else { return Ok(()) };
        let said = CommentValues::new(comment, &numbers);
        let places = read.line.place.each_unit();
        let places = places.flat_map(|unit| (0..read.line.count).map(move |at| unit.after(at)));
        let mut before = 0;
        for (at, place) in (read.reads..).zip(places) {
            let Some(word) = read.tensor.held(&place, read.base)? else { continue };
            let found = results.word(&place, at);
            let long_word = LongWord { read, place, word, found, comment };
            results.check(&place)?;
            self.long_word(&long_word, &said, before);
            before += word.filled().count();
        }
        Ok(())
    }

    /// Compares the elements of a long word.
    fn long_word(&mut self, at: &LongWord<'_>, said: &CommentValues<'_>, before: usize) {
        for element in at.word.elements() {
            let lanes = (before..).zip(at.word.filled()).filter(|(_, (_, held))| *held == element);
            let lanes = lanes.filter_map(|(before, (lane, _))| {
                let expected = said.of(element, before)?;
                Some((lane, expected, at.bits(lane)))
            });
            let lanes: Vec<(u64, u64, Option<u64>)> = lanes.collect();
            let Some(first) = lanes.first() else { continue };
            let is_wrong = |(_, expected, bits): &(u64, u64, Option<u64>)| {
                !bits.is_some_and(|bits| is_within(at.comment, *expected, bits))
            };
            let wrong = lanes.iter().find(|lane| is_wrong(lane));
            self.count(at, element, wrong.is_some(), *wrong.unwrap_or(first));
        }
    }

    fn count(
        &mut self,
        at: &LongWord<'_>,
        element: u64,
        is_wrong: bool,
        (lane, expected, bits): (u64, u64, Option<u64>),
    ) {
        let index = at.read.tensor.index(element);
        self.compared += 1;
        let first = u64::from(self.seen.insert(element));
        self.tested += first;
        self.untested -= first;
        self.spread.count(&index, is_wrong);
        if !is_wrong {
            return;
        }
        self.wrong += 1;
        *self.units.entry(at.place.units).or_default() += 1;
        if self.differences.len() < MOST_DIFFERENCES {
            let shown = |bits| value::shown(at.comment.dtype, bits);
            self.differences.push(VectorDifference {
                line: at.read.number,
                index,
                place: at.place,
                lane,
                expected: shown(expected),
                found: bits.map(shown),
            });
        }
    }
}

/// A long word that a line reads in a unit.
struct LongWord<'a> {
    read: &'a ReadLine<'a>,
    place: VectorPlace,
    word: Word,
    /// The long word that the simulator read; `None` if the result lacks it.
    found: Option<u64>,
    comment: &'a VectorComment,
}

impl LongWord<'_> {
    fn bits(&self, lane: u64) -> Option<u64> {
        self.found.map(|found| self.read.tensor.lane(found, lane))
    }
}

/// Returns whether a value equals the expected one within the tolerances of its line.
fn is_within(comment: &VectorComment, expected: u64, found: u64) -> bool {
    let dtype = comment.dtype;
    if value::is_same(dtype, expected, found) {
        return true;
    }
    let atol = comment.atol.unwrap_or(0.0);
    let magnitude = || value::difference(dtype, expected, 0);
    let rtol = comment.rtol.map_or(0.0, |rtol| rtol * magnitude());
    // NaN is near nothing, and nothing is near infinity.
    value::difference(dtype, expected, found) <= atol.max(rtol)
}
