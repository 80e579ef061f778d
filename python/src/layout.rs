//! Layouts: texts of any notation, from Python's objects, and back to text.

use std::hash::Hash;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tensor_layout::LayoutText;
use tensor_layout::notation::Notation;
use tensor_layout::xla::{XlaDtype, XlaParser};

use crate::number;
use crate::places::{Places, dtype_of, shape_text};
use crate::python::arrays;
use crate::refusal::{Answer, refused};
use crate::spot::Spot;
use crate::values::quoted;

/// Where every element of a tensor lives: a map from its index to coordinates in levels.
///
/// The text may be in any notation: PadLayout, XLA, XLA with a sharding, CuTe, or shape and
/// strides. `shape` gives a PadLayout the shape of the tensor, `lenient` takes XLA shapes that XLA refuses.
///
/// >>> from tensor_layout import Layout
/// >>> layout = Layout("((4_PE, 3:8), (8:1))")
/// >>> layout.shape
/// (12, 8)
/// >>> layout.locate(4, 1)
/// Location(PE=1, Addr=9)
/// >>> layout[-1, 0], layout.element(PE=3, Addr=16)
/// (Location(PE=3, Addr=16), (11, 0))
/// >>> Layout("bf16[8,128]{1,0:T(8,128)(2,1)}").locate(3, 5)["Addr"]
/// 267
///
/// A refusal is a `ValueError` that points into the text:
///
/// >>> Layout("((4_PE:1 2:4))")
/// Traceback (most recent call last):
/// ...
/// tensor_layout.errors.ParseError: expected `)` or `,`
///  --> 1:10
///   | ((4_PE:1 2:4))
///   |          ^
///   = help: subaxes of one axis are separated by `,`
#[pyclass(name = "Layout", extends = Places, frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyLayout;

/// A new layout for Python.
pub(crate) fn make(py: Python<'_>, places: Places) -> PyResult<Py<PyLayout>> {
    Py::new(py, PyClassInitializer::from(places).add_subclass(PyLayout))
}

/// A layout or placement, or one from its text.
pub(crate) fn any<'py>(layout: &Bound<'py, PyAny>) -> Answer<Bound<'py, Places>> {
    if let Ok(places) = layout.cast::<Places>() {
        return Ok(places.clone());
    }
    if let Ok(text) = layout.extract::<&str>() {
        let places = Places::written(LayoutText::parse(text)?)?;
        return Ok(make(layout.py(), places)?.into_bound(layout.py()).into_super());
    }
    let class = layout.get_type().name()?;
    refused(format!("expected a Layout, a Placement or a text, not {class}; see Layout.of"))
}

fn notation_of(name: &str) -> Answer<Notation> {
    let all = [
        Notation::PadLayout,
        Notation::Xla,
        Notation::Cute,
        Notation::Strided,
        Notation::Triton,
        Notation::Atom,
        Notation::Sharded,
    ];
    match all.into_iter().find(|notation| notation.name() == name) {
        Some(notation) => Ok(notation),
        None => {
            let names: Vec<&str> = all.map(Notation::name).to_vec();
            refused(format!("`{name}` is not a notation: {}", names.join(", ")))
        }
    }
}

#[pymethods]
impl PyLayout {
    #[new]
    #[pyo3(signature = (
        text: "str",
        *,
        notation: "typing.Literal['pad-layout', 'xla', 'cute', 'strided', 'triton', 'atom', 'sharded'] | None" = None,
        shape: "collections.abc.Sequence[int] | None" = None,
        lenient = false,
    ))]
    fn new(
        text: &str,
        notation: Option<&str>,
        #[pyo3(from_py_with = number::read)] shape: Option<Vec<u64>>,
        lenient: bool,
    ) -> Answer<PyClassInitializer<PyLayout>> {
        let notation = notation.map_or_else(|| Ok(Notation::of(text)), notation_of)?;
        let xla = if lenient { XlaParser::lenient() } else { XlaParser::strict() };
        let text = match (LayoutText::parse_as(notation, xla, text)?, shape) {
            (LayoutText::PadLayout(tree), Some(shape)) => {
                LayoutText::PadLayout(tree.with_shape(shape)?)
            }
            (LayoutText::Triton(layout), Some(shape)) => {
                LayoutText::Triton(layout.with_shape(shape, None)?)
            }
            (_, Some(_)) => {
                return refused(
                    "`shape` is for PadLayouts and encodings of Triton; texts of other notations carry theirs",
                );
            }
            (text, None) => text,
        };
        Ok(PyClassInitializer::from(Places::written(text)?).add_subclass(PyLayout))
    }

    /// The layout of what lies in memory: a NumPy array, a PyTorch or JAX tensor, a DTensor, a
    /// layout of CuTe or of Meta's tensor-layouts, or anything with shape and strides.
    ///
    /// Addresses count elements from the first one of the array; those of a PyTorch tensor count
    /// from the beginning of its storage. No library is imported for it.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> import numpy as np
    /// >>> Layout.of(np.zeros((3, 4)).T)
    /// Layout('shape=(4, 3), strides=(1, 4)')
    #[staticmethod]
    #[pyo3(signature = (x: "typing.Any", /) -> "Layout")]
    fn of<'py>(x: &Bound<'py, PyAny>) -> Answer<Bound<'py, PyAny>> {
        Ok(arrays(x.py(), "of")?.call1((x,))?)
    }

    /// The text that says exactly this layout, in the notation that it was written in where that
    /// can express it, or None.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("(2,3):(3,1)").T.text
    /// '(3,2):(1,3)'
    #[getter]
    #[pyo3(name = "text")]
    fn py_text(slf: &Bound<'_, Self>) -> Option<String> {
        slf.as_super().get().text().map(ToString::to_string)
    }

    /// Writes the layout in a notation; warns of what of padding and offset the text leaves out.
    ///
    /// `dtype` is the element type of an XLA shape.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("f32[3,5]{1,0:T(2,2)}").to("pad-layout")
    /// '(3,5)/((2:12, 2:2), (3:4, 2:1))'
    #[pyo3(signature = (
        notation: "typing.Literal['pad-layout', 'xla', 'cute', 'strided', 'triton']",
        *,
        dtype: "str | None" = None,
    ) -> "str")]
    fn to(slf: &Bound<'_, Self>, notation: &str, dtype: Option<&str>) -> Answer<String> {
        let (py, places) = (slf.py(), slf.as_super().get());
        let notation = notation_of(notation)?;
        let dtype = match dtype {
            Some(name) => XlaDtype::from_name(name),
            None => places.like().map_or_else(|| XlaDtype::from_name("f32"), dtype_of),
        };
        let Some(dtype) = dtype else { return refused("`dtype` is not an element type of XLA") };
        let written = match places.like() {
            Some(text) => text.write_edited(&places.layout, notation, dtype),
            None => places.layout.write(notation, dtype),
        };
        let (text, left_out) = written.map_err(|error| places.refuse(error))?;
        if let Some(left_out) = left_out {
            let category = py.get_type::<pyo3::exceptions::PyUserWarning>();
            let message = std::ffi::CString::new(left_out).unwrap_or_default();
            PyErr::warn(py, &category, &message, 1)?;
        }
        Ok(text)
    }

    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyLayout>) -> bool {
        key(slf.as_super().get()) == key(other.as_super().get())
    }

    fn __hash__(slf: &Bound<'_, Self>) -> u64 {
        crate::hash_of(&key(slf.as_super().get()))
    }

    fn __str__(slf: &Bound<'_, Self>) -> String {
        slf.as_super().get().title()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        match slf.as_super().get().text() {
            Some(text) => format!("Layout({})", quoted(&text.to_string())),
            None => format!("<Layout: {}>", shape_text(&slf.as_super().get().layout)),
        }
    }

    #[pyo3(signature = () -> "tuple[object, tuple[object, ...]]")]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Answer<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, class, places) = (slf.py(), slf.get_type(), slf.as_super().get());
        let like = places.like().map(kept);
        match (like, places.written_text()) {
            (Some(text), Some(_)) => Ok((class.getattr("_from_text")?, text.into_pyobject(py)?)),
            (like, _) => {
                let state = (crate::parts::of(&places.layout), like);
                Ok((class.getattr("_from_parts")?, state.into_pyobject(py)?))
            }
        }
    }

    /// A layout as pickle keeps it, where it is as it was written.
    #[staticmethod]
    #[pyo3(signature = (notation: "str", text: "str") -> "Layout")]
    fn _from_text(py: Python<'_>, notation: &str, text: &str) -> Answer<Py<PyLayout>> {
        Ok(make(py, Places::written(reread(notation, text)?)?)?)
    }

    /// An edited layout as pickle keeps it, with the text that it came from.
    #[staticmethod]
    #[pyo3(signature = (parts: "typing.Any", like: "tuple[str, str] | None") -> "Layout")]
    fn _from_parts(
        py: Python<'_>,
        parts: crate::parts::Parts,
        like: Option<(String, String)>,
    ) -> Answer<Py<PyLayout>> {
        let layout = crate::parts::layout(parts)?;
        let like = like.map(|(notation, text)| reread(&notation, &text)).transpose()?;
        let spot = like.as_ref().map_or_else(Spot::default, Spot::written);
        Ok(make(py, Places::new(layout, like.map(|text| (text, false)), spot))?)
    }
}

/// A text as pickle keeps it, with the notation that it was read in.
fn kept(text: &LayoutText) -> (&'static str, String) {
    (text.notation().name(), text.to_string())
}

/// A text from a pickle: what was read once is read again.
fn reread(notation: &str, text: &str) -> Answer<LayoutText> {
    Ok(LayoutText::parse_as(notation_of(notation)?, XlaParser::lenient(), text)?)
}

/// What makes it the same layout: the text, or the map where there is none, and its manner.
fn key(places: &Places) -> impl Eq + Hash {
    (places.text().map(ToString::to_string).ok_or(&places.layout), places.manner())
}
