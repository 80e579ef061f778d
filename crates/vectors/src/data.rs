//! The elements of a tensor in test vectors, from `.npy` files and back.

use std::io::{self, Read, Write};

use super::error::VectorError;
use super::minifloat::{IEEE_HALF, MN_CORE_HALF, SINGLE};
use super::value::{self, npy_descr};
use tensor_layout::notation::Dtype;
use tensor_layout_npy::NpyHeader;

/// A row-major tensor: a shape, and the bits of every element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorData {
    dtype: Dtype,
    shape: Vec<u64>,
    /// Little-endian, as wide as the dtype.
    bytes: Vec<u8>,
}

impl VectorData {
    /// Reads a `.npy` file whose entries have the type of [`npy_descr`].
    ///
    /// A Half may also be stored as `<f2`, whose values are rounded to the nearest half of MN-Core, or as
    /// `<u2`, its bits.
    ///
    /// # Errors
    /// [`Read`](VectorError::Read) for an invalid or truncated `.npy` file,
    /// [`Entries`](VectorError::Entries) for another type, [`BeyondHalf`](VectorError::BeyondHalf)
    /// for a number greater than every Half.
    pub fn from_npy(dtype: Dtype, input: &mut dyn Read) -> Result<VectorData, VectorError> {
        let NpyHeader { descr, shape } = NpyHeader::read(input).map_err(VectorError::Read)?;
        let width = match (descr.as_str(), dtype) {
            ("<f2" | "<u2", Dtype::Half) => 2,
            ("<f4", Dtype::Half) => 4,
            (descr, _) if descr == npy_descr(dtype) => dtype.bits() / 8,
            _ => return Err(VectorError::Entries { found: descr, dtype }),
        };
        let entries = tensor_layout_words::product(shape.iter().copied());
        let wanted = entries.and_then(|entries| entries.checked_mul(width));
        let mut bytes = Vec::new();
        // Grows with the bytes that are there, not with the size that the header claims.
        let most = wanted.map_or(u64::MAX, |wanted| wanted.saturating_add(1));
        input.take(most).read_to_end(&mut bytes).map_err(VectorError::Read)?;
        if wanted != u64::try_from(bytes.len()).ok() {
            let why =
                format!("the data is longer or shorter than the shape {shape:?} of `{descr}` says");
            return Err(VectorError::Read(io::Error::new(io::ErrorKind::InvalidData, why)));
        }
        let bytes = match (descr.as_str(), dtype) {
            ("<f2", Dtype::Half) => halves::<2>(&bytes, |bits| IEEE_HALF.value(bits.into()))?,
            ("<f4", Dtype::Half) => halves::<4>(&bytes, |bits| SINGLE.value(bits.into()))?,
            _ => bytes,
        };
        Ok(VectorData { dtype, shape, bytes })
    }

    /// A tensor of zeros.
    pub(super) fn zeros(dtype: Dtype, shape: &[u64]) -> Result<VectorData, VectorError> {
        let bytes = tensor_layout_words::product(shape.iter().copied().chain([dtype.bits() / 8]));
        let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
        let mut zeros = Vec::new();
        let reserved = bytes.filter(|bytes| zeros.try_reserve_exact(*bytes).is_ok());
        let shape = shape.to_vec();
        let Some(bytes) = reserved else { return Err(VectorError::Memory { shape }) };
        zeros.resize(bytes, 0);
        Ok(VectorData { dtype, shape, bytes: zeros })
    }

    /// The type of the elements.
    #[must_use]
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// The extents, row-major.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Returns the bits of the element with a row-major number; 0 beyond the last one.
    #[must_use]
    pub fn bits(&self, element: u64) -> u64 {
        let mut bits = [0; 8];
        let bytes = self.range(element).and_then(|range| self.bytes.get(range));
        for (to, from) in bits.iter_mut().zip(bytes.unwrap_or_default()) {
            *to = *from;
        }
        u64::from_le_bytes(bits)
    }

    pub(super) fn set(&mut self, element: u64, bits: u64) {
        let range = self.range(element);
        if let Some(bytes) = range.and_then(|range| self.bytes.get_mut(range)) {
            bytes.iter_mut().zip(bits.to_le_bytes()).for_each(|(to, from)| *to = from);
        }
    }

    fn range(&self, element: u64) -> Option<std::ops::Range<usize>> {
        let width = usize::try_from(self.dtype.bits() / 8).ok()?;
        let start = usize::try_from(element).ok()?.checked_mul(width)?;
        Some(start..start.checked_add(width)?)
    }

    /// Writes a `.npy` file whose entries have the type of [`npy_descr`].
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_npy(&self, out: &mut dyn Write) -> io::Result<()> {
        let descr = npy_descr(self.dtype).to_owned();
        NpyHeader { descr, shape: self.shape.clone() }.write(out)?;
        if self.dtype != Dtype::Half {
            return out.write_all(&self.bytes);
        }
        self.bytes.chunks(2).try_for_each(|half| {
            let bits = half.first_chunk().map_or(0, |half| u16::from_le_bytes(*half));
            // Exact: exponent and mantissa are both wider.
            let single = SINGLE.bits(MN_CORE_HALF.value(bits.into()));
            out.write_all(single.to_le_bytes().get(..4).unwrap_or_default())
        })
    }
}

/// Rounds entries of `N` bytes to halves of MN-Core.
fn halves<const N: usize>(
    bytes: &[u8],
    value: impl Fn(u32) -> f64,
) -> Result<Vec<u8>, VectorError> {
    let mut halves = Vec::with_capacity(bytes.len() / N * 2);
    for (element, entry) in bytes.chunks(N).enumerate() {
        let entry = entry.iter().rev().fold(0, |bits: u32, byte| bits << 8 | u32::from(*byte));
        let value = value(entry);
        let half = MN_CORE_HALF.bits(value);
        if value.is_finite() && MN_CORE_HALF.value(half).is_infinite() {
            let mut shown = String::new();
            value::write_float(&mut shown, value);
            return Err(VectorError::BeyondHalf { element, value: shown });
        }
        halves.extend(half.to_le_bytes().into_iter().take(2));
    }
    Ok(halves)
}

#[cfg(test)]
mod tests {
    use super::VectorData;
    use tensor_layout::notation::Dtype;

    #[test]
    fn every_half_goes_through_a_file() {
        let bytes: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
        let data = VectorData { dtype: Dtype::Half, shape: vec![1 << 16], bytes };
        let mut file = Vec::new();
        assert!(data.write_npy(&mut file).is_ok());
        let again = VectorData::from_npy(Dtype::Half, &mut &file[..]).ok();
        assert!(again == Some(data), "some half is another one");
    }
}
