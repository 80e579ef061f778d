//! Plain Python values, with the types that the stubs show.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;

use pyo3::inspect::{PyStaticConstant, PyStaticExpr};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pyo3::{type_hint_identifier, type_hint_subscript};

/// `tuple[T, ...]`
#[derive(Debug)]
pub(crate) struct Tuple<T>(pub(crate) Vec<T>);

impl<'py, T: IntoPyObject<'py>> IntoPyObject<'py> for Tuple<T> {
    type Target = PyTuple;
    type Output = Bound<'py, PyTuple>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("builtins", "tuple"),
        T::OUTPUT_TYPE,
        PyStaticExpr::Constant { value: PyStaticConstant::Ellipsis }
    );

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0)
    }
}

/// `dict[str, V]`, in the order of the entries.
#[derive(Debug)]
pub(crate) struct Dict<V>(pub(crate) Vec<(String, V)>);

impl<V> Dict<V> {
    pub(crate) fn new<K: ToString>(entries: impl IntoIterator<Item = (K, V)>) -> Dict<V> {
        Dict(entries.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
    }
}

impl<'py, V: IntoPyObject<'py>> IntoPyObject<'py> for Dict<V> {
    type Target = PyDict;
    type Output = Bound<'py, PyDict>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("builtins", "dict"),
        type_hint_identifier!("builtins", "str"),
        V::OUTPUT_TYPE
    );

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (key, value) in self.0 {
            dict.set_item(key, value)?;
        }
        Ok(dict)
    }
}

/// `collections.abc.Iterator[T]`
#[derive(Debug)]
pub(crate) struct Items<'py, T>(Bound<'py, PyAny>, PhantomData<T>);

impl<'py, T: IntoPyObject<'py>> Items<'py, T> {
    pub(crate) fn of(py: Python<'py>, items: Vec<T>) -> PyResult<Items<'py, T>> {
        Ok(Items(PyTuple::new(py, items)?.try_iter()?.into_any(), PhantomData))
    }
}

/// An iterator created by Python.
impl<'py, T> From<Bound<'py, PyAny>> for Items<'py, T> {
    fn from(iterator: Bound<'py, PyAny>) -> Items<'py, T> {
        Items(iterator, PhantomData)
    }
}

impl<'py, T: IntoPyObject<'py>> IntoPyObject<'py> for Items<'py, T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr =
        type_hint_subscript!(type_hint_identifier!("collections.abc", "Iterator"), T::OUTPUT_TYPE);

    fn into_pyobject(self, _: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.0)
    }
}

/// The value of `__reduce__`: a call that makes the value again.
pub(crate) type Made<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);

/// The call of a function with these arguments.
pub(crate) fn again<'py>(
    call: &Bound<'py, PyAny>,
    arguments: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
    keywords: &Bound<'py, PyDict>,
) -> PyResult<Made<'py>> {
    let py = call.py();
    let arguments = PyTuple::new(py, [call])?.add(arguments.into_pyobject(py)?)?;
    let partial = py.import("functools")?.getattr("partial")?;
    Ok((partial.call(arguments.cast::<PyTuple>()?, Some(keywords))?, PyTuple::empty(py)))
}

/// The value as Python writes it.
pub(crate) fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('\n', "\\n");
    match (escaped.contains('\''), escaped.contains('"')) {
        (true, false) => format!("\"{escaped}\""),
        _ => format!("'{}'", escaped.replace('\'', "\\'")),
    }
}

/// The hash of a value, for `__hash__`.
pub(crate) fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
