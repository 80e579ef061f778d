//! Pictures and the page of `explore`.

use std::collections::BTreeMap;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tensor_layout::{LayoutError, Level, Location, Placement};
use tensor_layout_show::{Drawing, Label, Picture};

use crate::layout::any;
use crate::location::location_of;
use crate::number;
use crate::on_arguments::OnArguments;
use crate::places::Places;
use crate::refusal::{Answer, of_file, refused};
use crate::relayout::paired;

/// A picture: notebooks show it, and `save` writes it.
#[pyclass(name = "Picture", weakref, frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyPicture(Picture);

#[pymethods]
impl PyPicture {
    /// The picture as SVG.
    fn to_svg(&self) -> String {
        self.0.to_svg()
    }

    /// The picture as PNG.
    #[pyo3(signature = () -> "bytes")]
    fn to_png<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyBytes>> {
        match py.detach(|| self.0.to_png()) {
            Ok(bytes) => Ok(PyBytes::new(py, &bytes)),
            Err(error) => refused(error.to_string()),
        }
    }

    /// The picture in characters, at most `width` columns; `color` for terminals.
    #[pyo3(signature = (width: "int" = 80, *, color = false))]
    fn to_text(&self, #[pyo3(from_py_with = number::read)] width: usize, color: bool) -> String {
        self.0.to_text(width, color)
    }

    /// Writes a file: `.svg`, `.png` or `.txt`.
    #[pyo3(signature = (path: "str | os.PathLike[str]") -> "None")]
    fn save(&self, path: std::path::PathBuf) -> Answer<()> {
        let end = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
        let bytes = match end.as_deref() {
            Some("svg") => self.to_svg().into_bytes(),
            Some("txt") => self.to_text(80, false).into_bytes(),
            Some("png") => match self.0.to_png() {
                Ok(bytes) => bytes,
                Err(error) => return refused(error.to_string()),
            },
            _ => return refused("end the name of the file in .svg, .png or .txt"),
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

/// The options of a drawing.
struct Wanted {
    by: Option<Level>,
    slice: BTreeMap<usize, (u64, u64)>,
    zoom: BTreeMap<usize, u64>,
    at: Location,
    labels: Vec<Label>,
}

impl Wanted {
    /// Rejects options that belong to the other view.
    fn check_view(&self, view: &str) -> Answer<()> {
        let cut = !self.slice.is_empty() || !self.zoom.is_empty();
        match view {
            "machine" if cut || self.by.is_some() || !self.labels.is_empty() => {
                refused("`by`, `slice`, `zoom` and `labels` go with view='tensor'")
            }
            "tensor" if self.at.iter().len() > 0 => refused("`at` goes with view='machine'"),
            "tensor" | "machine" => Ok(()),
            _ => refused(format!("`{view}` is not a view: tensor, machine")),
        }
    }

    /// The levels that are named.
    fn levels(&self) -> impl Iterator<Item = Level> {
        let labels = self.labels.iter().filter_map(|label| match label {
            Label::Level(level) => Some(*level),
            _ => None,
        });
        self.by.into_iter().chain(labels).chain(self.at.iter().map(|(level, _)| level))
    }

    /// Rejects levels and units that the placement does not have.
    fn check(&self, placement: &Placement) -> Answer<()> {
        let columns = placement.columns();
        if let Some(level) = self.levels().find(|level| !columns.contains(level)) {
            let columns: Vec<&str> = columns.iter().map(Level::as_str).collect();
            let columns = columns.join(", ");
            return refused(format!("`{level}` is not a level of the layout: {columns}"));
        }
        self.at.iter().try_for_each(|(level, at)| match placement.coordinates(level) {
            _ if level.is_in_unit() => refused(format!("`{level}` does not name a unit")),
            extent if at < extent => Ok(()),
            size => Err(LayoutError::coordinate_out_of_range(level, at, size).into()),
        })
    }

    fn of<'a>(&self, places: &Places, placement: &'a Placement) -> Answer<Drawing<'a>> {
        self.check(placement)?;
        let mut drawing = places.drawing(placement).labels(&self.labels).at(self.at.clone());
        if let Some(level) = self.by {
            drawing = drawing.by(level);
        }
        for (axis, (from, to)) in &self.slice {
            drawing = drawing.slice(*axis, *from..*to)?;
        }
        for (axis, index) in &self.zoom {
            drawing = drawing.zoom(*axis, *index)?;
        }
        Ok(drawing)
    }
}

#[pymethods]
impl Places {
    /// Draws the tensor as a grid: each cell has its address and the colour of its unit.
    ///
    /// `after` is another layout, drawn beside it; `view="machine"` draws the memories instead.
    /// `by` is the level that sets the colour, `slice` the range of each axis to show, `zoom` the index
    /// per axis whose block is shown in detail, `at` the unit whose memory is drawn; `labels` are
    /// `address`, `unit`, `index` or levels.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> print(Layout("((2_PE, 2:3), (3:1))").draw().to_text(40).splitlines()[0])
    /// ((2_PE, 2:3), (3:1))
    #[pyo3(signature = (
        after: "Places | str | None" = None,
        *,
        view: "typing.Literal['tensor', 'machine']" = "tensor",
        by: "str | None" = None,
        slice: "collections.abc.Mapping[int, tuple[int, int]] | None" = None,
        zoom: "collections.abc.Mapping[int, int] | None" = None,
        at: "collections.abc.Mapping[str, int] | str | None" = None,
        labels: "collections.abc.Sequence[str]" = Vec::new(),
    ) -> "Picture")]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn draw(
        &self,
        after: Option<&Bound<'_, PyAny>>,
        view: &str,
        by: Option<&str>,
        #[pyo3(from_py_with = number::read)] slice: Option<BTreeMap<usize, (u64, u64)>>,
        #[pyo3(from_py_with = number::read)] zoom: Option<BTreeMap<usize, u64>>,
        at: Option<&Bound<'_, PyAny>>,
        labels: Vec<String>,
    ) -> Answer<PyPicture> {
        let wanted = Wanted {
            by: by.map(Level::new).transpose()?,
            slice: slice.unwrap_or_default(),
            zoom: zoom.unwrap_or_default(),
            at: location_of(at, None)?,
            labels: labels.iter().map(|label| label.parse()).collect::<Result<_, _>>()?,
        };
        wanted.check_view(view)?;
        Ok(PyPicture(match (after, view) {
            (Some(_), "machine") => {
                return refused("two layouts are compared in the view of the tensor");
            }
            (Some(after), _) => {
                let after = any(after)?;
                let (from, to) = paired(self, after.get(), &OnArguments::default())?;
                wanted.of(self, &from)?.before_and_after(&wanted.of(after.get(), &to)?)?
            }
            (None, "machine") => wanted.of(self, self.placement()?)?.memory()?,
            (None, _) => wanted.of(self, self.placement()?)?.tensor(),
        }))
    }

    fn _repr_svg_(&self) -> Option<String> {
        Some(self.drawing(self.placement().ok()?).tensor().to_svg())
    }
}
