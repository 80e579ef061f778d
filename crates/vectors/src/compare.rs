//! Comparing what a simulator read with what a file expects.

use std::collections::BTreeMap;
use std::io::BufRead;

use super::error::VectorError;
use super::header::{Direction, VectorHeader};
use super::line::{VectorComment, VectorLine};
use super::place::VectorPlace;
use super::read::{next_header, next_line, whole};
use super::result::Results;
use super::source::Source;
use super::spread::Spread;
use super::tensor::Tensor;
use super::value;
use tensor_layout::notation::Dtype;
use tensor_layout_picture::Picture;

/// How many differences of a tensor are kept; all are counted.
const MOST_DIFFERENCES: usize = 1000;

/// How a tensor that was read compares with what is expected.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VectorComparison {
    /// The header of the tensor.
    pub header: VectorHeader,
    /// How many elements were compared.
    pub compared: u64,
    /// How many of them are wrong.
    pub wrong: u64,
    /// The wrong ones in the order of the lines; the first 1000 of them.
    pub differences: Vec<VectorDifference>,
    /// How many elements of each unit are wrong; units without such are left out.
    pub units: BTreeMap<[Option<u64>; 5], u64>,
    spread: Spread,
}

/// An element that is not as expected.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct VectorDifference {
    /// The line that expects it.
    pub line: u64,
    /// The index of the element.
    pub index: Vec<u64>,
    /// Where it was read.
    pub place: VectorPlace,
    /// Its lane.
    pub lane: u64,
    /// The value that is expected, and the one that was read; none where the result has no long
    /// word of the place.
    pub expected: String,
    /// The value that was read.
    pub found: Option<String>,
}

impl VectorComparison {
    /// Where in the tensor the wrong elements lie.
    ///
    /// Rows are all axes but the last, columns the last. A large tensor is drawn in blocks, each with
    /// the number of wrong elements in it.
    #[must_use]
    pub fn picture(&self) -> Picture {
        let title = format!("{}: {} of {} wrong", self.header.name(), self.wrong, self.compared);
        self.spread.picture(&title)
    }
}

/// Compares the tensors that a file reads with what a simulator printed: long words in hexadecimal,
/// one per line, in the order of the lines that read; or lines with a place.
///
/// Two values are equal within the `atol` of their line, or within its `rtol` of the expected one;
/// on lines without either, only if they are the same. `progress` is called with the number of
/// bytes read.
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
    let mut source = Source::new(file);
    let (mut compared, mut reads) = (Vec::new(), 0);
    while let Some(tensor) = next_header(&mut source)? {
        let mut comparison = VectorComparison::new(&tensor);
        while let Some((number, line)) = next_line(&mut source)? {
            if line.reads && tensor.header.direction == Direction::In {
                let error = whole(&line, "this line reads, but its header is that of an input");
                return Err(VectorError::Line { line: number, error });
            }
            if line.reads {
                let found = results.of(&line, reads);
                reads += 1;
                let refused = |error| VectorError::Line { line: number, error };
                let comment = expected(&tensor, &line).map_err(refused)?;
                comparison.line(&tensor, number, &line, comment, found)?;
            }
            progress(source.bytes());
        }
        if tensor.header.direction == Direction::Out {
            compared.push(comparison);
        }
    }
    results.check_length(reads)?;
    Ok(compared)
}

impl Results {
    /// The long word of the `at`th line that reads.
    fn of(&self, line: &VectorLine, at: usize) -> Option<u64> {
        match self {
            Results::Placed(words) => words.get(&line.place).copied(),
            Results::Listed(words) => words.get(at).copied(),
        }
    }

    fn check_length(&self, wanted: usize) -> Result<(), VectorError> {
        match self {
            Results::Listed(words) if words.len() != wanted => {
                Err(VectorError::ResultLength { found: words.len(), wanted })
            }
            _ => Ok(()),
        }
    }
}

/// What a line expects.
fn expected<'l>(
    tensor: &Tensor,
    line: &'l VectorLine,
) -> Result<&'l VectorComment, tensor_layout::ParseError> {
    let comment = line.comment.as_ref().filter(|comment| comment.dtype == tensor.dtype);
    let Some(comment) = comment else {
        return Err(whole(line, "no values of the tensor's type are expected here"));
    };
    let (values, indexes) = (comment.values.len(), comment.indexes.len());
    if values != indexes {
        let why = format!("there are {values} values for {indexes} indexes");
        return Err(whole(line, &why));
    }
    match comment.indexes.iter().find(|index| tensor.number(index).is_none()) {
        Some(index) => {
            let why = format!("{index:?} is not an index of {}", tensor.header.name());
            Err(whole(line, &why))
        }
        None => Ok(comment),
    }
}

impl VectorComparison {
    fn new(tensor: &Tensor) -> VectorComparison {
        VectorComparison {
            header: tensor.header.clone(),
            compared: 0,
            wrong: 0,
            differences: Vec::new(),
            units: BTreeMap::new(),
            spread: Spread::new(tensor.shape()),
        }
    }

    fn line(
        &mut self,
        tensor: &Tensor,
        number: u64,
        line: &VectorLine,
        comment: &VectorComment,
        found: Option<u64>,
    ) -> Result<(), VectorError> {
        for (index, expected) in comment.indexes.iter().zip(&comment.values) {
            let (lane, bits) =
                tensor.worst_lane(index, found, |bits| is_within(comment, *expected, bits))?;
            let is_wrong = !bits.is_some_and(|bits| is_within(comment, *expected, bits));
            self.compared += 1;
            self.spread.count(index, is_wrong);
            if is_wrong {
                self.wrong += 1;
                *self.units.entry(line.place.units).or_default() += 1;
                self.keep(number, line, index, lane, comment.dtype, (*expected, bits));
            }
        }
        Ok(())
    }

    fn keep(
        &mut self,
        line: u64,
        of: &VectorLine,
        index: &[u64],
        lane: u64,
        dtype: Dtype,
        (expected, found): (u64, Option<u64>),
    ) {
        if self.differences.len() < MOST_DIFFERENCES {
            let shown = |bits| {
                let mut text = String::new();
                value::write(&mut text, dtype, bits);
                text
            };
            self.differences.push(VectorDifference {
                line,
                index: index.to_vec(),
                place: of.place,
                lane,
                expected: shown(expected),
                found: found.map(shown),
            });
        }
    }
}

/// Whether a value is the expected one, as near as its line asks for.
fn is_within(comment: &VectorComment, expected: u64, found: u64) -> bool {
    let dtype = comment.dtype;
    if value::is_same(dtype, expected, found) {
        return true;
    }
    let atol = comment.atol.unwrap_or(0.0);
    let rtol = comment.rtol.map_or(0.0, |rtol| rtol * value::magnitude(dtype, expected));
    // NaN is near nothing, and nothing is near infinity.
    value::difference(dtype, expected, found) <= atol.max(rtol)
}
