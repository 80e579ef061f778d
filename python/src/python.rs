//! The functions of the package's Python side.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyModule;

static ARRAYS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

/// A function of `_arrays.py`, which knows NumPy's rules.
pub(crate) fn arrays<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let import = || Ok::<_, PyErr>(py.import("tensor_layout._arrays")?.unbind());
    ARRAYS.get_or_try_init(py, import)?.bind(py).getattr(name)
}

/// A member of the enumeration `Empty`.
pub(crate) fn empty_of<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    arrays(py, "Empty")?.getattr(name)
}

/// `numpy.empty(shape, dtype)`.
pub(crate) fn allocated<'py>(
    py: Python<'py>,
    shape: &[u64],
    dtype: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let shape = pyo3::types::PyTuple::new(py, shape)?;
    arrays(py, "empty")?.call1((shape, dtype))
}
