//! Reading test vectors: lines to tensors.

use std::io::BufRead;

use super::data::VectorData;
use super::error::{VectorError, invalid};
use super::header::{TensorDirection, VectorHeader};
use super::line::VectorLine;
use super::source::{Item, ItemSource, NumberedItem};
use super::tensor::Tensor;
use super::words::WordSet;
use tensor_layout::error::{LayoutError, ParseError};

/// A tensor that was read.
#[derive(Clone, Debug)]
pub struct VectorTensor {
    /// Its header.
    pub header: VectorHeader,
    /// The address of its first long word.
    pub base: u64,
    /// Its elements; those that no line sets are 0.
    pub data: VectorData,
    /// The elements that lines set.
    set: WordSet,
    set_count: u64,
    elements: u64,
}

impl VectorTensor {
    /// The number of elements that no line sets.
    #[must_use]
    pub fn unset_count(&self) -> u64 {
        self.elements - self.set_count
    }

    /// The row-major numbers of the elements that no line sets.
    pub fn unset(&self) -> impl Iterator<Item = u64> + '_ {
        let most = if self.unset_count() == 0 { 0 } else { self.elements };
        (0..most).filter(|element| !self.set.contains(*element))
    }
}

/// Reads the tensors of a file, one after the other.
///
/// Elements that are set come from the long words, and elements that are read from the comments. The base is
/// the one that most of the first lines of a tensor imply.
/// Law: reading what [`write_vectors`](super::write_vectors) writes returns the same tensors.
///
/// ```
/// use tensor_layout_vectors::VectorReader;
/// let file = "# ======= In(0): ((2:1, 2_W:1))@LM0 / Float =======
/// d set $lm6 1 3F800000C0000000 # values=[1.0, -2.0] / Float @[0],[1]
/// ";
/// let tensor = VectorReader::new(file.as_bytes()).next_tensor(&mut |_| {})?.unwrap();
/// assert_eq!((tensor.base, tensor.data.bits(1)), (3, 0xc000_0000));
/// assert_eq!(tensor.unset().collect::<Vec<_>>(), [2, 3]);
/// # Ok::<(), tensor_layout_vectors::VectorError>(())
/// ```
#[derive(Debug)]
pub struct VectorReader<R> {
    source: ItemSource<R>,
}

impl<R: BufRead> VectorReader<R> {
    /// Reads from `input`.
    #[must_use]
    pub fn new(input: R) -> VectorReader<R> {
        VectorReader { source: ItemSource::new(input) }
    }

    /// Reads the next tensor, `None` at the end; `progress` is called with the number of bytes read.
    ///
    /// # Errors
    /// [`Read`](VectorError::Read); [`Line`](VectorError::Line) for a line that cannot be read, or
    /// sets a place where the tensor has no element; [`Memory`](VectorError::Memory).
    pub fn next_tensor(
        &mut self,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Option<VectorTensor>, VectorError> {
        let Some(tensor) = next_header(&mut self.source)? else { return Ok(None) };
        let base = self.source.base(&tensor)?;
        let data = VectorData::zeros(tensor.dtype, tensor.shape())?;
        let (header, elements) = (tensor.header.clone(), tensor.elements());
        let (set, set_count) = (WordSet::default(), 0);
        let mut read = VectorTensor { header, base, data, set, set_count, elements };
        while let Some((number, line)) = next_line(&mut self.source)? {
            let refused = match tensor.header.direction {
                TensorDirection::In => read.set_lanes(&tensor, &line)?,
                TensorDirection::Out => read.set_values(&tensor, &line).err(),
            };
            if let Some(error) = refused {
                return Err(VectorError::Line { line: number, error });
            }
            progress(self.source.bytes());
        }
        Ok(Some(read))
    }
}

/// Reads the next header and compiles its tensor; `None` at the end.
pub(super) fn next_header<R: BufRead>(
    source: &mut ItemSource<R>,
) -> Result<Option<Tensor>, VectorError> {
    let Some(NumberedItem { line, item }) = source.next()? else { return Ok(None) };
    let refused = |error| VectorError::Line { line, error };
    match item {
        Item::Header(header) => header.and_then(Tensor::new).map(Some).map_err(refused),
        Item::Line(read) => {
            let why = "a line before the header of a tensor";
            Err(refused(read.map_or_else(|error| error, |line| whole(&line, why))))
        }
    }
}

/// Reads the next line of a tensor, with its number; `None` after the last one.
pub(super) fn next_line<R: BufRead>(
    source: &mut ItemSource<R>,
) -> Result<Option<(u64, VectorLine)>, VectorError> {
    let Some((line, read)) = source.next_line()? else { return Ok(None) };
    read.map(|read| Some((line, read))).map_err(|error| VectorError::Line { line, error })
}

/// Returns an error that points at the whole line.
pub(super) fn whole(line: &VectorLine, why: &str) -> ParseError {
    invalid(&line.to_string(), why).with_help("`vectors check` says more about a file")
}

impl VectorTensor {
    /// Sets the elements in the long words of a line; returns the error of a place without elements.
    fn set_lanes(
        &mut self,
        tensor: &Tensor,
        line: &VectorLine,
    ) -> Result<Option<ParseError>, LayoutError> {
        for covered in tensor.covered(line, self.base)? {
            let payload = usize::try_from(covered.number).ok().and_then(|at| line.payload.get(at));
            let (Some(word), Some(payload)) = (covered.word, payload) else {
                let is_one = line.count == 1 && covered.place.address == line.place.address;
                let place = if is_one { line.place } else { covered.place };
                let why = format!("no element of {} is set at `{place}`", self.header.name());
                return Ok(Some(whole(line, &why)));
            };
            for (lane, element) in word.filled() {
                self.set(element, tensor.lane(*payload, lane));
            }
        }
        Ok(None)
    }

    /// Sets the elements to the values that a comment expects; a line without a comment sets none.
    fn set_values(&mut self, tensor: &Tensor, line: &VectorLine) -> Result<(), ParseError> {
        let Some(comment) = &line.comment else { return Ok(()) };
        if comment.dtype != tensor.dtype {
            return Err(whole(line, "no values of the tensor's type are expected here"));
        }
        for (index, bits) in comment.indexes.iter().zip(&comment.values) {
            let Some(element) = tensor.number(index) else {
                let why = format!("{index:?} is not an index of {}", self.header.name());
                return Err(whole(line, &why));
            };
            self.set(element, *bits);
        }
        Ok(())
    }

    fn set(&mut self, element: u64, bits: u64) {
        self.data.set(element, bits);
        self.set_count += u64::from(self.set.insert(element));
    }
}
