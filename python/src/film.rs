//! Films of elements moving into memories.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tensor_layout_show::Film;

use crate::layout::any;
use crate::on_arguments::OnArguments;
use crate::picture::{extension, written};
use crate::places::Places;
use crate::refusal::{Answer, of_file, refused};
use crate::relayout::paired;

/// A film: notebooks play it, and `save` writes it.
#[pyclass(name = "Film", weakref, frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyFilm(pub(crate) Film);

#[pymethods]
impl PyFilm {
    /// The film as an animated SVG without scripts.
    fn to_svg(&self) -> String {
        self.0.to_svg()
    }

    /// The film as an HTML page that plays it or stops at a chosen stage.
    fn to_html(&self) -> String {
        self.0.to_html()
    }

    /// The film as GIF, for mail, chats and slides.
    #[pyo3(signature = () -> "bytes")]
    fn to_gif<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyBytes>> {
        written(py, || self.0.to_gif())
    }

    /// Writes a file: `.svg`, `.gif` or `.html`.
    #[pyo3(signature = (path: "str | os.PathLike[str]") -> "None")]
    fn save(&self, py: Python<'_>, path: std::path::PathBuf) -> Answer<()> {
        let bytes = match &*extension(&path) {
            "svg" => self.to_svg().into_bytes(),
            "gif" => self.to_gif(py)?.as_bytes().to_vec(),
            "html" | "htm" => self.to_html().into_bytes(),
            _ => return refused("end the name of the file in .svg, .gif or .html"),
        };
        Ok(std::fs::write(&path, bytes).map_err(|error| of_file(&path, &error))?)
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (memo: "object") -> "Film")]
    fn __deepcopy__(slf: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo;
        slf
    }

    #[pyo3(signature = () -> "typing.NoReturn")]
    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a Film is not pickled: pickle the layouts and make it again, or keep `to_svg()`",
        ))
    }

    fn _repr_svg_(&self) -> String {
        self.to_svg()
    }

    fn __repr__(&self) -> String {
        format!("<Film: {}>", self.0.title)
    }
}

#[pymethods]
impl Places {
    /// A film of the elements moving from the tensor into the memories, then into those of `after`.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> film = Layout("((4_PE, 3:8), (8:1))").film("((12:2), (4_PE, 2:1))")
    /// >>> film.to_svg().startswith("<svg")
    /// True
    #[pyo3(signature = (after: "Places | str | None" = None) -> "Film")]
    fn film(&self, after: Option<&Bound<'_, PyAny>>) -> Answer<PyFilm> {
        let Some(after) = after else {
            return Ok(PyFilm(self.drawing(self.placement()?).film(&[])?));
        };
        let after = any(after)?;
        let (from, to) = paired(self, after.get(), &OnArguments::default())?;
        Ok(PyFilm(self.drawing(&from).film(&[&after.get().drawing(&to)])?))
    }
}
