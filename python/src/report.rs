//! Reports: what a layout does, in numbers.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tensor_layout_show::report::Report;

use crate::places::Places;
use crate::refusal::Answer;

/// A layout in numbers; `str` is the report that the command prints.
///
/// >>> from tensor_layout import Layout
/// >>> print(str(Layout("((4_PE, 3:8), (8:1))").report()).splitlines()[0])
/// ((4_PE:1, 3:8), (8:1))
#[pyclass(name = "Report", weakref, frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyReport {
    pub(crate) report: Report,
    /// The layout or placement that the report describes.
    pub(crate) of: Py<Places>,
}

#[pymethods]
impl PyReport {
    /// The canonical PadLayout text, if that notation can express the map.
    #[getter]
    fn text(&self) -> Option<&str> {
        self.report.text.as_deref()
    }

    /// The number of elements.
    #[getter]
    fn elements(&self) -> u64 {
        self.report.elements
    }

    /// The number of places of each element.
    #[getter]
    fn copies(&self) -> u64 {
        self.report.copies
    }

    /// The number of slots, copies included.
    #[getter]
    fn slots(&self) -> u64 {
        self.report.slots
    }

    /// The number of slots that do not hold an element.
    #[getter]
    fn pads(&self) -> u64 {
        self.report.pads
    }

    /// The number of addresses per unit, base included.
    #[getter]
    fn footprint_words(&self) -> u64 {
        self.report.footprint_words
    }

    /// Equal reports have equal numbers of elements and of padding slots.
    fn __eq__(&self, other: &PyReport) -> bool {
        self.report == other.report
    }

    #[pyo3(signature = () -> "tuple[object, tuple[object, ...]]")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let of = slf.get().of.bind(slf.py());
        Ok((of.getattr("report")?, PyTuple::empty(slf.py())))
    }

    fn __str__(&self) -> String {
        self.report.to_string()
    }

    fn __repr__(&self) -> String {
        let (elements, pads) = (self.report.elements, self.report.pads);
        format!("<Report: {elements} elements, {pads} pads>")
    }

    fn _repr_html_(&self) -> String {
        crate::html::page(&self.report.to_string())
    }
}

#[pymethods]
impl Places {
    /// The layout in numbers: elements, slots, padding, footprint.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> report = Layout("(10,7)/((3:7, 4_PE), (7:1))").report()
    /// >>> report.elements, report.slots, report.pads
    /// (70, 84, 14)
    fn report(slf: &Bound<'_, Self>) -> Answer<PyReport> {
        let places = slf.get();
        let mut report = Report::of(places.placement()?).map_err(|error| places.refuse(error))?;
        if let Some(text) = places.like() {
            report = report.counting(text.address_unit());
        }
        Ok(PyReport { report, of: slf.clone().unbind() })
    }
}
