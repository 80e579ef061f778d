//! Pictures, and the files that they are written to.

use std::path::Path;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tensor_layout::LayoutError;
use tensor_layout_show::Picture;

use crate::number;
use crate::refusal::{Answer, of_file, refused};

/// A picture: notebooks show it, and `save` writes it.
#[pyclass(name = "Picture", weakref, frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyPicture(pub(crate) Picture);

#[pymethods]
impl PyPicture {
    /// The picture as SVG.
    fn to_svg(&self) -> String {
        self.0.to_svg()
    }

    /// The picture as PNG.
    #[pyo3(signature = () -> "bytes")]
    fn to_png<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyBytes>> {
        written(py, || self.0.to_png())
    }

    /// The picture as PDF, one page of its size, with letters as paths.
    #[pyo3(signature = () -> "bytes")]
    fn to_pdf<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyBytes>> {
        written(py, || self.0.to_pdf())
    }

    /// The picture in characters, at most `width` columns; `color` for terminals.
    #[pyo3(signature = (width: "int" = 80, *, color = false))]
    fn to_text(&self, #[pyo3(from_py_with = number::read)] width: usize, color: bool) -> String {
        self.0.to_text(width, color)
    }

    /// Writes a file: `.svg`, `.png`, `.pdf` or `.txt`.
    #[pyo3(signature = (path: "str | os.PathLike[str]") -> "None")]
    fn save(&self, py: Python<'_>, path: std::path::PathBuf) -> Answer<()> {
        let bytes = match &*extension(&path) {
            "svg" => self.to_svg().into_bytes(),
            "txt" => self.to_text(80, false).into_bytes(),
            "png" => self.to_png(py)?.as_bytes().to_vec(),
            "pdf" => self.to_pdf(py)?.as_bytes().to_vec(),
            _ => return refused("end the name of the file in .svg, .png, .pdf or .txt"),
        };
        Ok(std::fs::write(&path, bytes).map_err(|error| of_file(&path, &error))?)
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (memo: "object") -> "Picture")]
    fn __deepcopy__(slf: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo;
        slf
    }

    #[pyo3(signature = () -> "typing.NoReturn")]
    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a Picture is not pickled: pickle the layout and draw it again, or keep `to_svg()`",
        ))
    }

    fn _repr_svg_(&self) -> String {
        self.to_svg()
    }

    fn __str__(&self) -> String {
        self.to_text(80, false)
    }

    fn __repr__(&self) -> String {
        format!("<Picture: {}>", self.0.title)
    }
}

/// The extension of a file in small letters; empty without one.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// Bytes that are written while other threads of Python run.
pub(crate) fn written<'py>(
    py: Python<'py>,
    write: impl Fn() -> Result<Vec<u8>, LayoutError> + Send + Sync,
) -> Answer<Bound<'py, PyBytes>> {
    match py.detach(write) {
        Ok(bytes) => Ok(PyBytes::new(py, &bytes)),
        Err(error) => refused(error.to_string()),
    }
}
