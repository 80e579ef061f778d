//! Layouts of NumPy's arrays, read off without a text.

use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use tensor_layout::notation::Strided;

/// The layout of a plain array whose strides are whole elements, none of them negative.
///
/// `None` for every other object, which `_sources.of` reads or refuses.
pub(crate) fn of(x: &Bound<'_, PyAny>) -> Option<Strided> {
    // Subclasses may be masked.
    let array = x.cast_exact::<PyUntypedArray>().ok()?;
    let size = isize::try_from(array.dtype().itemsize()).ok().filter(|size| *size > 0)?;
    let steps = array.shape().iter().zip(array.strides());
    let strides = steps.map(|(extent, bytes)| match extent {
        // The stride of an axis of extent 0 or 1 is meaningless.
        0 | 1 => Some(u64::try_from(bytes / size).unwrap_or(0)),
        _ if bytes % size == 0 => u64::try_from(bytes / size).ok(),
        _ => None,
    });
    let strides = strides.collect::<Option<Vec<u64>>>()?;
    let shape = array.shape().iter().map(|extent| u64::try_from(*extent).ok());
    Some(Strided::new(shape.collect::<Option<Vec<u64>>>()?, strides))
}
