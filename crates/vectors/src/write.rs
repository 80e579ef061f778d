//! Writing test vectors: tensors to lines.

use std::io::Write;

use super::data::VectorData;
use super::error::VectorError;
use super::header::{KERNEL, OUTPUT, TensorDirection, VectorHeader, marker};
use super::line::{VectorComment, VectorLine, VectorVerb, is_tolerance};
use super::tensor::{Tensor, Word};
use super::value::is_floating;
use super::words::WordSet;

/// The default absolute tolerance of lines.
pub const DEFAULT_ATOL: f64 = 0.0001;

/// A tensor with its elements, checked against MN-Core 2 and ready to be written.
///
/// There is one line per long word, in the row-major order of their first elements. Sized copies
/// (`B@[2_PE:1]`) have separate lines.
/// Law: the lines fill an empty memory as [`pack`](tensor_layout::program::Program::pack) does, except
/// that a lone `1_W` in DRAM has the value in every lane.
///
/// ```
/// use tensor_layout_vectors::{TensorDirection, VectorData, VectorHeader, VectorWriter};
/// # use tensor_layout_npy::NpyHeader;
/// # let mut npy = Vec::new();
/// # NpyHeader { descr: "<f4".into(), shape: vec![4] }.write(&mut npy)?;
/// # npy.extend([0.5_f32, 1.0, -2.25, 4.0].iter().flat_map(|value| value.to_le_bytes()));
/// let layout = "((2_PE:1, 2_W:1))@LM0 / Float".parse()?;
/// let header = VectorHeader { direction: TensorDirection::In, number: 0, layout };
/// let data = VectorData::from_npy(header.layout.dtype.unwrap(), &mut &npy[..])?;
/// let mut lines = Vec::new();
/// VectorWriter::new(header, data)?.base(3).write_lines(&mut lines, &mut |_| {})?;
/// assert_eq!(String::from_utf8(lines)?, "\
/// d set $lm6p0 1 3F0000003F800000 # values=[0.5, 1.0] / Float @[0],[1]
/// d set $lm6p1 1 C010000040800000 # values=[-2.25, 4.0] / Float @[2],[3]
/// ");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct VectorWriter {
    tensor: Tensor,
    data: VectorData,
    base: u64,
    atol: f64,
}

impl VectorWriter {
    /// Checks a tensor and its elements against MN-Core 2.
    ///
    /// # Errors
    /// [`Header`](VectorError::Header) for a layout that MN-Core 2 cannot hold, or without memory and dtype;
    /// [`Entries`](VectorError::Entries) for data of another type, [`Shape`](VectorError::Shape) for data of
    /// another shape.
    pub fn new(header: VectorHeader, data: VectorData) -> Result<VectorWriter, VectorError> {
        let tensor = Tensor::new(header).map_err(VectorError::Header)?;
        if data.dtype() != tensor.dtype {
            let found = super::npy_descr(data.dtype()).into();
            return Err(VectorError::Entries { found, dtype: tensor.dtype });
        }
        if data.shape() != tensor.shape() {
            let (found, wanted) = (data.shape().to_vec(), tensor.shape().to_vec());
            return Err(VectorError::Shape { found, wanted });
        }
        Ok(VectorWriter { tensor, data, base: 0, atol: DEFAULT_ATOL })
    }

    /// Sets the address of the first long word.
    #[must_use]
    pub fn base(mut self, base: u64) -> VectorWriter {
        self.base = base;
        self
    }

    /// Sets the tolerance of a floating-point tensor that is read.
    #[must_use]
    pub fn atol(mut self, atol: f64) -> VectorWriter {
        self.atol = atol;
        self
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &VectorHeader {
        &self.tensor.header
    }

    /// The number of elements.
    #[must_use]
    pub fn elements(&self) -> u64 {
        self.tensor.elements()
    }

    /// Writes the lines; `progress` is called with the number of elements written.
    ///
    /// # Errors
    /// Before anything is written: [`Header`](VectorError::Header) where the base puts the layout beyond the
    /// memory, [`Tolerance`](VectorError::Tolerance). [`Write`](VectorError::Write);
    /// [`Layout`](VectorError::Layout) where the contents of a long word cannot be decided.
    pub fn write_lines(
        &self,
        out: &mut dyn Write,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), VectorError> {
        self.check()?;
        for word in self.tensor.words_from(0) {
            let word = word?;
            writeln!(out, "{}", self.line(&word)).map_err(VectorError::Write)?;
            progress(word.element);
        }
        Ok(())
    }

    /// Returns an error if the layout does not fit at the base, or the tolerance is invalid.
    fn check(&self) -> Result<(), VectorError> {
        let tolerance = self.atol;
        match self.tensor.refused_at(self.base) {
            Some(refusal) => Err(VectorError::Header(refusal)),
            None if !is_tolerance(tolerance) => Err(VectorError::Tolerance { tolerance }),
            None => Ok(()),
        }
    }

    fn line(&self, word: &Word) -> VectorLine {
        let Tensor { header, dtype, .. } = &self.tensor;
        let reads = header.direction == TensorDirection::Out;
        let bits = |element| self.data.bits(element);
        let values: Vec<u64> = match reads && self.tensor.lone_lane {
            // Every lane is read, and each has to be right.
            true => word.filled().map(|(_, element)| bits(element)).collect(),
            false => word.elements().map(bits).collect(),
        };
        let comment = VectorComment {
            dtype: *dtype,
            values,
            indexes: word.elements().map(|element| self.tensor.index(element)).collect(),
            atol: (reads && is_floating(*dtype)).then_some(self.atol),
            rtol: None,
        };
        VectorLine {
            verb: if reads { VectorVerb::GetD } else { VectorVerb::Set },
            place: self.tensor.place(word.word, self.base),
            count: 1,
            payload: if reads { Vec::new() } else { vec![self.tensor.join(&word.lanes, bits)] },
            comment: Some(comment),
        }
    }

    /// The addresses that the tensor may have, if it has elements.
    fn addresses(&self) -> std::ops::Range<u64> {
        self.base..self.base.saturating_add(self.tensor.footprint())
    }
}

/// Returns an error if two tensors of one direction have a place in common.
///
/// # Errors
/// [`Overlap`](VectorError::Overlap).
fn check_apart(tensors: &[VectorWriter]) -> Result<(), VectorError> {
    for (at, tensor) in tensors.iter().enumerate() {
        let is_near = |other: &&VectorWriter| {
            let (own, theirs) = (tensor.addresses(), other.addresses());
            other.tensor.memory == tensor.tensor.memory
                && other.header().direction == tensor.header().direction
                && own.start < theirs.end
                && theirs.start < own.end
        };
        let near: Vec<&VectorWriter> = tensors[..at].iter().filter(is_near).collect();
        if !near.is_empty() {
            check_beside(tensor, &near)?;
        }
    }
    Ok(())
}

fn check_beside(tensor: &VectorWriter, others: &[&VectorWriter]) -> Result<(), VectorError> {
    let mut taken = WordSet::default();
    for word in tensor.tensor.words_from(0) {
        taken.insert_bits(&tensor.tensor.place(word?.word, tensor.base).bits());
    }
    for other in others {
        for word in other.tensor.words_from(0) {
            let place = other.tensor.place(word?.word, other.base);
            if taken.count_of(&place.bits()) > 0 {
                let (tensor, other) = (tensor.header().name(), other.header().name());
                let place = Box::new(place);
                return Err(VectorError::Overlap { tensor, other, place });
            }
        }
    }
    Ok(())
}

/// Writes a whole file: the tensors that are set, the marker for the kernel, and the tensors that are read.
///
/// # Errors
/// As [`VectorWriter::write_lines`], of any of the tensors; [`Overlap`](VectorError::Overlap) where
/// two that are set, or two that are read, have a place in common. Nothing is written then.
pub fn write_vectors(
    tensors: &[VectorWriter],
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64),
) -> Result<(), VectorError> {
    tensors.iter().try_for_each(VectorWriter::check)?;
    check_apart(tensors)?;
    let mut done = 0;
    for (direction, markers) in
        [(TensorDirection::In, &[][..]), (TensorDirection::Out, &[KERNEL, OUTPUT])]
    {
        for what in markers {
            writeln!(out, "{}", marker(what)).map_err(VectorError::Write)?;
        }
        for tensor in tensors.iter().filter(|t| t.header().direction == direction) {
            writeln!(out, "{}", tensor.header()).map_err(VectorError::Write)?;
            tensor.write_lines(out, &mut |element| progress(done + element))?;
            done += tensor.elements();
        }
    }
    Ok(())
}
