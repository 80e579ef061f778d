//! The elements of a tensor, in row-major order.

use std::sync::Arc;

use tensor_layout::LayoutError;
use tensor_layout::error::fault;

use super::dtype::Dtype;

/// The elements of a tensor as numbers; integers beyond 2^53 in size are rounded.
#[derive(Clone, Debug, PartialEq)]
pub struct Data(Arc<Vec<f64>>);

impl Data {
    /// The elements of some numbers.
    #[must_use]
    pub fn new(numbers: Vec<f64>) -> Data {
        Data(Arc::new(numbers))
    }

    /// The numbers.
    #[must_use]
    pub fn numbers(&self) -> &[f64] {
        &self.0
    }

    /// Reads elements from little-endian bytes.
    ///
    /// # Errors
    /// `Shape` for another length, `Unsupported` for types that do not fill bytes.
    pub fn from_bytes(bytes: &[u8], elements: u64, dtype: Dtype) -> Result<Data, LayoutError> {
        let expected = elements.checked_mul(dtype.bits() / 8);
        if dtype.bits() < 8 {
            return Err(unread(dtype));
        }
        let found = bytes.len().try_into().ok();
        if expected.is_none() || found != expected {
            return Err(length(found.unwrap_or(u64::MAX), elements, dtype));
        }
        Ok(Data::new(match dtype {
            Dtype::F16 => read(bytes, |b| half::f16::from_le_bytes(b).to_f64()),
            Dtype::Bf16 => read(bytes, |b| half::bf16::from_le_bytes(b).to_f64()),
            Dtype::F32 => read(bytes, |b| f64::from(f32::from_le_bytes(b))),
            Dtype::F64 => read(bytes, f64::from_le_bytes),
            Dtype::Int(8) => read(bytes, |b| f64::from(i8::from_le_bytes(b))),
            Dtype::Int(16) => read(bytes, |b| f64::from(i16::from_le_bytes(b))),
            Dtype::Int(32) => read(bytes, |b| f64::from(i32::from_le_bytes(b))),
            Dtype::Int(64) => read(bytes, |b| number(i64::from_le_bytes(b))),
            Dtype::Uint(8) => read(bytes, |b| f64::from(u8::from_le_bytes(b))),
            Dtype::Uint(16) => read(bytes, |b| f64::from(u16::from_le_bytes(b))),
            Dtype::Uint(32) => read(bytes, |b| f64::from(u32::from_le_bytes(b))),
            Dtype::Uint(64) => read(bytes, |b| unsigned(u64::from_le_bytes(b))),
            Dtype::Bool => read(bytes, |[b]| f64::from(u8::from(b != 0))),
            Dtype::Int(_) | Dtype::Uint(_) => return Err(unread(dtype)),
        }))
    }
}

/// An integer as a number.
#[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "documented at `Data`")]
pub(crate) fn number(integer: i64) -> f64 {
    integer as f64
}

#[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "documented at `Data`")]
fn unsigned(integer: u64) -> f64 {
    integer as f64
}

fn read<const N: usize>(bytes: &[u8], element: impl Fn([u8; N]) -> f64) -> Vec<f64> {
    bytes.as_chunks::<N>().0.iter().copied().map(element).collect()
}

/// Another number of bytes than the elements have.
pub(crate) fn length(bytes: u64, elements: u64, dtype: Dtype) -> LayoutError {
    fault!(
        Shape,
        "{bytes} bytes where {elements} elements of {dtype} have {all}",
        [
            bytes,
            elements,
            dtype = dtype.to_string(),
            all = elements.saturating_mul(dtype.bits() / 8)
        ]
    )
}

fn unread(dtype: Dtype) -> LayoutError {
    fault!(Unsupported, "elements of {dtype} are not read", [dtype = dtype.to_string()])
}
