//! Reports: what a layout does, in numbers.

use pyo3::prelude::*;
use tensor_layout::report::Report;

/// What a layout does, in numbers; `str` is the page that the command prints.
///
/// >>> from tensor_layout import Layout
/// >>> print(str(Layout("((4_PE, 3:8), (8:1))").report()).splitlines()[0])
/// ((4_PE:1, 3:8), (8:1))
#[pyclass(name = "Report", frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyReport(pub(crate) Report);

#[pymethods]
impl PyReport {
    /// The canonical PadLayout text, if that notation can express the map.
    #[getter]
    fn text(&self) -> Option<&str> {
        self.0.text.as_deref()
    }

    /// The number of elements.
    #[getter]
    fn elements(&self) -> u64 {
        self.0.elements
    }

    /// The number of places each element has.
    #[getter]
    fn copies(&self) -> u64 {
        self.0.copies
    }

    /// The number of slots, copies included.
    #[getter]
    fn slots(&self) -> u64 {
        self.0.slots
    }

    /// The number of them that do not hold an element.
    #[getter]
    fn pads(&self) -> u64 {
        self.0.pads
    }

    /// Addresses per unit, base included.
    #[getter]
    fn footprint_words(&self) -> u64 {
        self.0.footprint_words
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let (elements, pads) = (self.0.elements, self.0.pads);
        format!("<Report: {elements} elements, {pads} pads>")
    }

    fn _repr_html_(&self) -> String {
        crate::html::page(&self.0.to_string())
    }
}
