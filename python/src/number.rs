//! Python integers as numbers of the library: True and False are not accepted, and a number that does
//! not fit is rejected like any other invalid argument.
//!
//! Arguments are read by `#[pyo3(from_py_with = number::read)]`.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use pyo3::Borrowed;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString};
use tensor_layout::LayoutError;

use crate::refusal::{Answer, Refusal};

/// A value that can be read from a numeric argument.
pub(crate) trait Read: Sized {
    fn read(value: &Bound<'_, PyAny>) -> PyResult<Self>;
}

/// Reads a numeric argument.
pub(crate) fn read<T: Read>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    T::read(value)
}

/// Rejects True and False, which Python and older versions of NumPy treat as 1 and 0.
pub(crate) fn refuse_bool(value: &Bound<'_, PyAny>) -> PyResult<()> {
    match !value.is_exact_instance_of::<PyInt>() && value.extract::<bool>().is_ok() {
        true => Err(PyTypeError::new_err("expected an integer, not bool")),
        false => Ok(()),
    }
}

/// Reads any 128-bit integer; a larger one saturates, and whoever uses it rejects it.
impl Read for i128 {
    fn read(value: &Bound<'_, PyAny>) -> PyResult<i128> {
        refuse_bool(value)?;
        // Nearly all fit in 64 bits, which is the fast path.
        if let Ok(number) = value.extract::<i64>() {
            return Ok(number.into());
        }
        let beyond = |error: &PyErr| error.is_instance_of::<PyOverflowError>(value.py());
        match value.extract() {
            Err(error) if beyond(&error) && value.lt(0)? => Ok(i128::MIN),
            Err(error) if beyond(&error) => Ok(i128::MAX),
            read => read,
        }
    }
}

/// A position in a sequence, with the type that the stubs show.
pub(crate) struct Position(pub(crate) i128);

impl<'py> FromPyObject<'_, 'py> for Position {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = <isize as FromPyObject<'_, '_>>::INPUT_TYPE;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Position> {
        i128::read(&value).map(Position)
    }
}

impl Read for u64 {
    fn read(value: &Bound<'_, PyAny>) -> PyResult<u64> {
        let number = i128::read(value)?;
        u64::try_from(number).map_err(|_| outside(number))
    }
}

impl Read for usize {
    fn read(value: &Bound<'_, PyAny>) -> PyResult<usize> {
        let number = i128::read(value)?;
        usize::try_from(number).map_err(|_| outside(number))
    }
}

/// The error for a number that does not fit in 64 bits.
fn outside(number: i128) -> PyErr {
    Refusal::Argument(format!("expected an integer from 0 to 2**64 - 1, not {}", shown(number)))
        .into()
}

/// A number in a message.
pub(crate) fn shown(number: i128) -> String {
    match number {
        i128::MIN => "a number below -2**127".into(),
        i128::MAX => "a number beyond 2**127".into(),
        number => number.to_string(),
    }
}

impl Read for String {
    fn read(value: &Bound<'_, PyAny>) -> PyResult<String> {
        value.extract()
    }
}

impl<T: Read> Read for Option<T> {
    fn read(value: &Bound<'_, PyAny>) -> PyResult<Option<T>> {
        if value.is_none() { Ok(None) } else { T::read(value).map(Some) }
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(value: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
        if value.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("expected a sequence, not str"));
        }
        value.extract::<Vec<Bound<'_, PyAny>>>()?.iter().map(T::read).collect()
    }
}

impl<A: Read, B: Read> Read for (A, B) {
    fn read(value: &Bound<'_, PyAny>) -> PyResult<(A, B)> {
        let (first, second) = value.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
        Ok((A::read(&first)?, B::read(&second)?))
    }
}

impl<K: Read + Eq + Hash, V: Read> Read for HashMap<K, V> {
    fn read(value: &Bound<'_, PyAny>) -> PyResult<HashMap<K, V>> {
        entries(value)
    }
}

impl<K: Read + Ord, V: Read> Read for BTreeMap<K, V> {
    fn read(value: &Bound<'_, PyAny>) -> PyResult<BTreeMap<K, V>> {
        entries(value)
    }
}

/// The entries of a dict.
fn entries<K: Read, V: Read, M: FromIterator<(K, V)>>(value: &Bound<'_, PyAny>) -> PyResult<M> {
    let entries = value.cast::<pyo3::types::PyDict>()?.iter();
    entries.map(|(key, value)| Ok((K::read(&key)?, V::read(&value)?))).collect()
}

/// An entry of an index, from the end where it is negative, as NumPy counts.
pub(crate) fn entry_of(entry: i128, axis: usize, extent: u64) -> Answer<u64> {
    if let Ok(index) = u64::try_from(entry) {
        return match index < extent {
            true => Ok(index),
            false => Err(LayoutError::index_out_of_range(axis, index, extent).into()),
        };
    }
    let from_end = u64::try_from(entry.unsigned_abs()).ok().filter(|_| entry < 0);
    from_end.and_then(|back| extent.checked_sub(back)).ok_or_else(|| {
        let entry = shown(entry);
        Refusal::OutOfRange(format!(
            "index {entry} is out of range for axis {axis}: it must be at least -{extent} and below {extent}"
        ))
    })
}
