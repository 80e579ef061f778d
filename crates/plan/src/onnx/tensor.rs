//! Elements in a message, or in a file next to the model.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Component, Path};

use prost::bytes::Bytes;
use tensor_layout::LayoutError;
use tensor_layout::error::{ErrorKind, fault};

use super::messages::Tensor;
use crate::graph::{Data, Dtype};

/// The number of elements up to which a constant is read in any case: it may be a shape.
pub(super) const FEW: u64 = 4096;

/// A tensor of the model.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) shape: Vec<u64>,
    pub(super) dtype: Dtype,
    pub(super) data: Option<Data>,
    /// The elements of few 64-bit integers, which numbers would round.
    pub(super) integers: Option<Vec<i64>>,
}

/// The shape that some extents are, if its elements can be counted.
pub(super) fn shape(dims: &[i64]) -> Option<Vec<u64>> {
    let shape = counts(dims)?;
    elements(&shape).map(|_| shape)
}

/// Integers that are not negative, and small enough that their sums are no problem.
pub(super) fn counts(integers: &[i64]) -> Option<Vec<u64>> {
    let count = |of: &i64| u64::try_from(*of).ok().filter(|of| *of < 1 << 32);
    integers.iter().map(count).collect()
}

/// The number of elements, if it is below 2^56; an extent of 0 makes the others no larger.
pub(super) fn elements(shape: &[u64]) -> Option<u64> {
    let bounded = |count: u64| (count < 1 << 56).then_some(count);
    shape.iter().try_fold(1_u64, |all, extent| bounded(all.checked_mul((*extent).max(1))?))?;
    Some(shape.iter().product())
}

/// The type of the elements of a value.
///
/// # Errors
/// `Unsupported` for text, complex numbers and small floats.
pub(super) fn dtype(code: i32, value: &str) -> Result<Dtype, LayoutError> {
    known(code).ok_or_else(|| {
        fault!(
            Unsupported,
            "`{value}` has elements of type {code}, which cannot be planned: use \
             floats, integers or bool",
            [
                value = value.to_owned(),
                code = match code {
                    8 => "8 (string)".into(),
                    14 | 15 => format!("{code} (complex)"),
                    17..=20 | 24 => format!("{code} (float8)"),
                    23 => "23 (float4)".into(),
                    _ => code.to_string(),
                }
            ]
        )
    })
}

/// A type by its number in ONNX.
pub(super) fn known(code: i32) -> Option<Dtype> {
    Some(match code {
        1 => Dtype::F32,
        2 => Dtype::Uint(8),
        3 => Dtype::Int(8),
        4 => Dtype::Uint(16),
        5 => Dtype::Int(16),
        6 => Dtype::Int(32),
        7 => Dtype::Int(64),
        9 => Dtype::Bool,
        10 => Dtype::F16,
        11 => Dtype::F64,
        12 => Dtype::Uint(32),
        13 => Dtype::Uint(64),
        16 => Dtype::Bf16,
        21 => Dtype::Uint(4),
        22 => Dtype::Int(4),
        25 => Dtype::Uint(2),
        26 => Dtype::Int(2),
        _ => return None,
    })
}

/// A constant; its elements if there are few of them or if all are asked for.
///
/// # Errors
/// [`LayoutError`] for shapes, types and bytes that are none.
pub(super) fn content(
    tensor: &Tensor,
    all: bool,
    folder: Option<&Path>,
) -> Result<Content, LayoutError> {
    let name = tensor.name.as_str();
    let extents = shape(&tensor.dims).ok_or_else(|| no_shape(name))?;
    let dtype = dtype(tensor.element, name)?;
    let count: u64 = extents.iter().product();
    let mut content = Content { shape: extents, dtype, data: None, integers: None };
    if !all && count > FEW {
        return Ok(content);
    }
    let raw = match tensor.location {
        1 => match external(tensor, folder)? {
            None => return Ok(content),
            raw => raw.map(Bytes::from),
        },
        _ => tensor.raw.clone(),
    };
    content.integers = integers(tensor, raw.as_deref(), dtype).filter(|_| count <= FEW);
    content.data = match raw {
        Some(bytes) => unread(Data::from_bytes(&bytes, count, dtype), name)?,
        None => typed(tensor, count, dtype, name)?,
    };
    Ok(content)
}

/// Elements that may be of a type that is not read.
fn unread(data: Result<Data, LayoutError>, name: &str) -> Result<Option<Data>, LayoutError> {
    match data {
        Ok(data) => Ok(Some(data)),
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(None),
        Err(error) => Err(of_constant(error, name)),
    }
}

fn integers(tensor: &Tensor, raw: Option<&[u8]>, dtype: Dtype) -> Option<Vec<i64>> {
    let raw = match (dtype, raw) {
        (Dtype::Int(64), None) => return Some(tensor.longs.clone()),
        (Dtype::Int(64), Some(raw)) => raw,
        _ => return None,
    };
    Some(raw.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect())
}

/// The elements of the fields that have a type.
fn typed(
    tensor: &Tensor,
    count: u64,
    dtype: Dtype,
    name: &str,
) -> Result<Option<Data>, LayoutError> {
    let numbers: Vec<f64> = match dtype {
        Dtype::F32 => tensor.floats.iter().copied().map(f64::from).collect(),
        Dtype::F64 => tensor.doubles.clone(),
        Dtype::F16 => tensor.ints.iter().map(|bits| half(*bits)).collect(),
        Dtype::Bf16 => tensor.ints.iter().map(|bits| brain(*bits)).collect(),
        Dtype::Int(64) => tensor.longs.iter().map(|of| crate::graph::number(*of)).collect(),
        Dtype::Int(8..) | Dtype::Uint(8 | 16) => {
            tensor.ints.iter().map(|of| (*of).into()).collect()
        }
        Dtype::Bool => tensor.ints.iter().map(|of| f64::from(u8::from(*of != 0))).collect(),
        Dtype::Uint(32) => {
            tensor.unsigned.iter().filter_map(|of| u32::try_from(*of).ok()).map(f64::from).collect()
        }
        Dtype::Int(_) | Dtype::Uint(_) => return Ok(None),
    };
    match u64::try_from(numbers.len()) == Ok(count) {
        true => Ok(Some(Data::new(numbers))),
        false => Err(length(numbers.len(), count, dtype, name)),
    }
}

fn length(found: usize, elements: u64, dtype: Dtype, name: &str) -> LayoutError {
    let bytes = u64::try_from(found).unwrap_or(u64::MAX).saturating_mul(dtype.bits() / 8);
    of_constant(crate::graph::length(bytes, elements, dtype), name)
}

/// Bytes that are not the elements of a constant.
fn of_constant(error: LayoutError, name: &str) -> LayoutError {
    fault!(
        Invalid,
        "constant `{value}`: {problem}; export the model again",
        [value = name.to_owned(), problem = error.to_string()]
    )
}

fn half(bits: i32) -> f64 {
    half::f16::from_bits(u16::try_from(bits & 0xffff).unwrap_or_default()).to_f64()
}

fn brain(bits: i32) -> f64 {
    half::bf16::from_bits(u16::try_from(bits & 0xffff).unwrap_or_default()).to_f64()
}

/// The bytes that a constant has in another file; `None` if that file is not there.
fn external(tensor: &Tensor, folder: Option<&Path>) -> Result<Option<Vec<u8>>, LayoutError> {
    let Some(folder) = folder else { return Ok(None) };
    let entry = |key: &str| tensor.external.iter().find(|of| of.key == key).map(|of| &*of.value);
    let location = entry("location").unwrap_or_default();
    let error = |message: String| {
        fault!(
            Missing,
            "constant `{value}` has its elements in `{location}`, which cannot be \
             read: {message}",
            [value = tensor.name.clone(), location = location.to_owned(), message]
        )
    };
    let inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if location.is_empty() || !Path::new(location).components().all(inside) {
        return Err(error("name a file in the folder of the model".into()));
    }
    let number = |key: &str| entry(key).map(str::parse).transpose();
    let (Ok(offset), Ok(length)) = (number("offset"), number("length")) else {
        return Err(error("its offset or length is no number".into()));
    };
    match section(&folder.join(location), offset.unwrap_or(0), length) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(failure) if failure.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(failure) => Err(error(failure.to_string())),
    }
}

fn section(path: &Path, offset: u64, length: Option<u64>) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.take(length.unwrap_or(u64::MAX)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Extents that are no shape.
pub(super) fn no_shape(value: &str) -> LayoutError {
    fault!(
        Invalid,
        "`{value}` has a negative extent or too many elements: correct its shape",
        [value = value.to_owned()]
    )
}
