//! Layouts: texts of any notation, from Python's objects, and back to text.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tensor_layout::notation::Notation;
use tensor_layout::xla::{XlaDtype, XlaParser};
use tensor_layout::{Layout, LayoutText};

use crate::modes;
use crate::number;
use crate::on_arguments::OnArguments;
use crate::places::{Places, dtype_of};
use crate::python::arrays;
use crate::refusal::{Answer, refused};
use crate::values::quoted;

/// The place of every element of a tensor: a map from indexes to coordinates in levels.
///
/// The text may be in any notation: PadLayout, XLA, XLA with a sharding, CuTe, or shape and
/// strides. `shape` is the tensor shape of a PadLayout; `lenient` accepts XLA shapes that XLA rejects.
/// Shape and strides may be tuples, the strides in elements: flat ones describe an array; nested ones, and
/// flat ones with `notation="cute"`, are CuTe's, whose first mode runs fastest. `Layout.of` reads arrays.
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
/// Layouts are equal if they are the same map and number the elements alike, however they were
/// written:
///
/// >>> Layout("((4_PE, 3:8), (8:1))") == Layout("((4_PE:1, 3:8), (2:4, 4:1))")
/// True
///
/// An invalid layout raises a `ValueError` that points into the text:
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

/// A layout or placement, or one from its text or from the layout of another library.
pub(crate) fn any<'py>(layout: &Bound<'py, PyAny>) -> Answer<Bound<'py, Places>> {
    if let Ok(places) = layout.cast::<Places>() {
        return Ok(places.clone());
    }
    if let Ok(text) = layout.extract::<&str>() {
        let places = Places::written(LayoutText::parse(text)?)?;
        return Ok(make(layout.py(), places)?.into_bound(layout.py()).into_super());
    }
    // Layouts of CuTe only: arrays hold data and need `Layout.of`.
    let theirs = arrays(layout.py(), "foreign")?.call1((layout,))?;
    if let Ok(layout) = theirs.cast_into::<PyLayout>() {
        return Ok(layout.into_super());
    }
    let class = layout.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "expected a Layout, a Placement or a text, not {class}; `Layout.of` makes layouts of arrays"
    ))
    .into())
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
        text: "str | tuple[typing.Any, ...]",
        strides: "tuple[typing.Any, ...] | None" = None,
        *,
        notation: "typing.Literal['pad-layout', 'xla', 'cute', 'strided', 'triton', 'atom', 'sharded'] | None" = None,
        shape: "collections.abc.Sequence[int] | None" = None,
        lenient = false,
    ))]
    fn new(
        text: &Bound<'_, PyAny>,
        strides: Option<&Bound<'_, PyAny>>,
        notation: Option<&str>,
        #[pyo3(from_py_with = number::read)] shape: Option<Vec<u64>>,
        lenient: bool,
    ) -> Answer<PyClassInitializer<PyLayout>> {
        let modes = strides.filter(|_| shape.is_none());
        let modes = modes.and_then(|strides| modes::of(text, strides, notation));
        if let Some(Ok(places)) = modes.map(Places::written) {
            return Ok(PyClassInitializer::from(places).add_subclass(PyLayout));
        }
        let (text, notation) = match (text.extract::<String>(), strides) {
            (Ok(text), None) => (text, notation.map(str::to_owned)),
            (Ok(_), Some(_)) => return refused("a text has its strides in it"),
            (Err(_), _) => {
                let read = arrays(text.py(), "shape_text")?.call1((text, strides, notation))?;
                let (text, of): (String, String) = read.extract()?;
                match notation {
                    Some(other) if other != of => {
                        return refused(format!("this shape and strides are {of}, not {other}"));
                    }
                    _ => (text, Some(of)),
                }
            }
        };
        let text = text.as_str();
        let notation = notation.as_deref();
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

    /// The layout of an existing object: a NumPy array, a PyTorch or JAX tensor, a DTensor, a
    /// layout of CuTe or of Meta's tensor-layouts, or anything with shape and strides.
    ///
    /// Addresses count elements from the first element of the array, or for a PyTorch tensor from the
    /// beginning of its storage. This does not import any library.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> import numpy as np
    /// >>> Layout.of(np.zeros((3, 4)).T)
    /// Layout('shape=(4, 3), strides=(1, 4)')
    #[staticmethod]
    #[pyo3(signature = (x: "typing.Any", /) -> "Layout")]
    fn of<'py>(x: &Bound<'py, PyAny>) -> Answer<Bound<'py, PyAny>> {
        match crate::memory::of(x) {
            Some(strided) => {
                let places = Places::written(LayoutText::Strided(strided))?;
                Ok(make(x.py(), places)?.into_bound(x.py()).into_any())
            }
            None => Ok(arrays(x.py(), "of")?.call1((x,))?),
        }
    }

    /// A text for exactly this layout, in the notation that it was written in if possible; None if no
    /// text expresses it.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("(2,3):(3,1)").T.text
    /// '(3,2):(1,3)'
    #[getter]
    #[pyo3(name = "text")]
    fn py_text(slf: &Bound<'_, Self>) -> Option<String> {
        slf.as_super().get().text().map(ToString::to_string)
    }

    /// Writes the layout in a notation; warns if the text leaves out padding or an offset.
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
        let (text, left_out) = written?;
        if let Some(left_out) = left_out {
            let category = py.get_type::<pyo3::exceptions::PyUserWarning>();
            let message = std::ffi::CString::new(left_out).unwrap_or_default();
            PyErr::warn(py, &category, &message, 1)?;
        }
        Ok(text)
    }

    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyLayout>) -> Answer<bool> {
        slf.as_super().get().equals(other.as_super().get())
    }

    fn __hash__(slf: &Bound<'_, Self>) -> u64 {
        slf.as_super().get().hash()
    }

    fn __str__(slf: &Bound<'_, Self>) -> String {
        slf.as_super().get().title()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> Answer<String> {
        let places = slf.as_super().get();
        match places.whole_text() {
            Some(text) => Ok(format!("Layout({})", quoted(&text.to_string()))),
            None => {
                let like = places.like().map(|text| quoted(&text.to_string()));
                crate::parts::shown(slf.py(), &places.layout, like)
            }
        }
    }

    /// A layout from its parts, for layouts that no notation can express: `repr` prints this call for them.
    ///
    /// An axis is its extent and its digits, major to minor. A digit is `(size, level, stride)`, or
    /// `(size, k, weight)` where it feeds derived axis k; a derived axis is `("sum" or "xor", start,
    /// extent, digits)`, a copy `(size, level, stride)`. `levels` lists levels with their offset and span;
    /// `like` is a text whose notation and element order the layout takes.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> layout = Layout("((4:8), (8:1))")[1:3, ::3]
    /// >>> layout
    /// Layout.from_parts([(2, [(2, 'Addr', 8)]), (3, [(3, 'Addr', 3)])], levels=[('Addr', 8, 32)], like='((4:8), (8:1))')
    /// >>> assert eval(repr(layout)) == layout
    #[staticmethod]
    #[pyo3(signature = (
        axes: "collections.abc.Sequence[tuple[int, collections.abc.Sequence[tuple[int, str | int, int]]]]",
        *,
        derived: "collections.abc.Sequence[tuple[str, int, int, collections.abc.Sequence[tuple[int, str | int, int]]]]" = Vec::new(),
        copies: "collections.abc.Sequence[tuple[int, str, int]]" = Vec::new(),
        levels: "collections.abc.Sequence[tuple[str, int, int]]" = Vec::new(),
        like: "str | None" = None,
    ) -> "Layout")]
    fn from_parts(
        py: Python<'_>,
        axes: Vec<crate::parts::Axis>,
        derived: Vec<crate::parts::Derived>,
        copies: Vec<(u64, String, u64)>,
        levels: Vec<(String, u64, u64)>,
        like: Option<&str>,
    ) -> Answer<Py<PyLayout>> {
        let layout = crate::parts::layout((axes, derived, copies, levels))?;
        let like =
            like.map(|text| LayoutText::parse_as(Notation::of(text), XlaParser::lenient(), text));
        PyLayout::like(py, layout, like.transpose()?)
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

    /// Unpickles a layout that is still as it was written.
    #[staticmethod]
    #[pyo3(signature = (notation: "str", text: "str") -> "Layout")]
    fn _from_text(py: Python<'_>, notation: &str, text: &str) -> Answer<Py<PyLayout>> {
        Ok(make(py, Places::written(reread(notation, text)?)?)?)
    }

    /// Unpickles an edited layout, with the text that it came from.
    #[staticmethod]
    #[pyo3(signature = (parts: "typing.Any", like: "tuple[str, str] | None") -> "Layout")]
    fn _from_parts(
        py: Python<'_>,
        parts: crate::parts::Parts,
        like: Option<(String, String)>,
    ) -> Answer<Py<PyLayout>> {
        let like = like.map(|(notation, text)| reread(&notation, &text)).transpose()?;
        PyLayout::like(py, crate::parts::layout(parts)?, like)
    }
}

impl PyLayout {
    /// A layout with the conventions of a text.
    fn like(py: Python<'_>, layout: Layout, like: Option<LayoutText>) -> Answer<Py<PyLayout>> {
        let arguments = like.as_ref().map_or_else(OnArguments::default, OnArguments::written);
        Ok(make(py, Places::new(layout, like.map(|text| (text, false)), arguments))?)
    }
}

/// A text for pickling, with the notation that it was read in.
fn kept(text: &LayoutText) -> (&'static str, String) {
    (text.notation().name(), text.to_string())
}

/// Restores a text from a pickle by parsing it again.
fn reread(notation: &str, text: &str) -> Answer<LayoutText> {
    Ok(LayoutText::parse_as(notation_of(notation)?, XlaParser::lenient(), text)?)
}
