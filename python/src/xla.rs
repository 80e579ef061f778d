//! XLA shapes: sizes, advice, bitcasts.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tensor_layout::LayoutText;
use tensor_layout::xla::{XlaAdvice, XlaArray, XlaParser, XlaShape, XlaSizes, bitcast_map};
use tensor_layout_show::report::ShapeReport;

use crate::layout::{PyLayout, make};
use crate::places::Places;
use crate::refusal::{Answer, Refusal, refused};
use crate::values::Tuple;

/// An XLA shape: an array with its layout, or a tuple of them.
///
/// >>> from tensor_layout import XlaShape
/// >>> shape = XlaShape("s32[2048,1,128,128,4]{4,3,2,0,1:T(8,128)}")
/// >>> shape.sizes.unpadded_bytes >> 20, shape.sizes.allocated_bytes >> 20
/// (512, 16384)
/// >>> shape.dtype, shape.shape
/// ('s32', (2048, 1, 128, 128, 4))
#[pyclass(name = "XlaShape", weakref, frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyXlaShape(pub(crate) XlaShape);

/// The size of an XLA array in bytes, by four definitions.
#[pyclass(name = "XlaSizes", frozen, eq, hash, get_all, module = "tensor_layout")]
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct PySizes {
    /// The elements alone (XLA's ByteSizeOfElements).
    unpadded_bytes: u64,
    /// The allocation (XLA's ArraySize).
    allocated_bytes: u64,
    /// The bytes that the index map spans, padding of every tile included.
    span_bytes: u64,
    /// The bytes up to the last element, by the first tile alone (XLA's ArrayDataSize).
    data_bytes: u64,
}

impl From<XlaSizes> for PySizes {
    fn from(sizes: XlaSizes) -> PySizes {
        let XlaSizes { unpadded_bytes, allocated_bytes, span_bytes, data_bytes, .. } = sizes;
        PySizes { unpadded_bytes, allocated_bytes, span_bytes, data_bytes }
    }
}

/// The numbers of a pickle, in the order of the fields.
type FourSizes = (u64, u64, u64, u64);

#[pymethods]
impl PySizes {
    #[pyo3(signature = () -> "tuple[object, tuple[int, int, int, int]]")]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, FourSizes)> {
        let PySizes { unpadded_bytes, allocated_bytes, span_bytes, data_bytes } = slf.get();
        let sizes = (*unpadded_bytes, *allocated_bytes, *span_bytes, *data_bytes);
        Ok((slf.get_type().getattr("_of")?, sizes))
    }

    /// Unpickles the sizes.
    #[staticmethod]
    fn _of(unpadded_bytes: u64, allocated_bytes: u64, span_bytes: u64, data_bytes: u64) -> PySizes {
        PySizes { unpadded_bytes, allocated_bytes, span_bytes, data_bytes }
    }

    fn __repr__(&self) -> String {
        let PySizes { unpadded_bytes, allocated_bytes, span_bytes, data_bytes } = self;
        format!(
            "XlaSizes(unpadded_bytes={unpadded_bytes}, allocated_bytes={allocated_bytes}, \
             span_bytes={span_bytes}, data_bytes={data_bytes})"
        )
    }
}

/// Another layout for the same array, and its size.
#[pyclass(name = "XlaAdvice", frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyAdvice(XlaAdvice);

#[pymethods]
impl PyAdvice {
    /// The shape with that layout.
    #[getter]
    fn shape(&self) -> PyXlaShape {
        PyXlaShape(XlaShape::Array(self.0.array.clone()))
    }

    /// The number of bytes it allocates.
    #[getter]
    fn allocated_bytes(&self) -> u64 {
        self.0.allocated_bytes
    }

    /// True if TPU dumps show this layout for similar arrays.
    #[getter]
    fn is_seen(&self) -> bool {
        self.0.is_seen
    }

    fn __repr__(&self) -> String {
        format!("<XlaAdvice: {}, {} bytes>", self.0.array, self.0.allocated_bytes)
    }
}

impl PyXlaShape {
    fn array(&self) -> Answer<&XlaArray> {
        match self.0.as_array() {
            Some(array) => Ok(array),
            None => refused("the shape is not one array: `arrays` lists those in it"),
        }
    }

    /// The array with its order written out.
    fn whole(&self) -> Answer<XlaArray> {
        self.array()?;
        match self.0.canonical().as_array() {
            Some(array) => Ok(array.clone()),
            None => refused("the shape is not one array"),
        }
    }
}

#[pymethods]
impl PyXlaShape {
    /// `lenient` accepts shapes that XLA rejects, such as truncated ones in logs.
    #[new]
    #[pyo3(signature = (text: "str", *, lenient = false))]
    fn new(text: &str, lenient: bool) -> Answer<PyXlaShape> {
        let parser = if lenient { XlaParser::lenient() } else { XlaParser::strict() };
        Ok(PyXlaShape(parser.parse(text)?))
    }

    /// The element type of an array.
    #[getter]
    fn dtype(&self) -> Answer<&'static str> {
        Ok(self.array()?.dtype.name())
    }

    /// The extents of an array.
    #[getter]
    fn shape(&self) -> Answer<Tuple<u64>> {
        Ok(Tuple(self.array()?.extents()?))
    }

    /// The arrays in the shape, each with its path of tuple indexes.
    ///
    /// >>> from tensor_layout import XlaShape
    /// >>> XlaShape("(f32[2]{0}, (s32[], pred[3]{0}))").arrays()[1]
    /// ((1, 0), XlaShape('s32[]'))
    #[pyo3(signature = () -> "list[tuple[tuple[int, ...], XlaShape]]")]
    fn arrays<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Vec<(Bound<'py, PyTuple>, Bound<'py, PyXlaShape>)>> {
        let arrays = self.0.arrays().into_iter();
        let pair = |(path, array): (Vec<usize>, &XlaArray)| {
            let array = PyXlaShape(XlaShape::Array(array.clone()));
            Ok((PyTuple::new(py, path)?, Bound::new(py, array)?))
        };
        arrays.map(pair).collect()
    }

    /// The layout of an array; addresses count elements.
    ///
    /// >>> from tensor_layout import XlaShape
    /// >>> XlaShape("f32[3,5]{1,0:T(2,2)}").layout.locate(2, 3)
    /// Location(Addr=17)
    #[getter]
    fn layout(&self, py: Python<'_>) -> Answer<Py<PyLayout>> {
        Ok(make(py, Places::written(LayoutText::Xla(XlaShape::Array(self.array()?.clone())))?)?)
    }

    /// The sizes of all arrays in the shape.
    #[getter]
    fn sizes(&self) -> Answer<PySizes> {
        Ok(self.0.sizes()?.into())
    }

    /// Other orders and tilings of an array: first those that TPU dumps show, then by size.
    #[pyo3(signature = () -> "list[XlaAdvice]")]
    fn advice(&self) -> Answer<Vec<PyAdvice>> {
        Ok(self.whole()?.advice()?.into_iter().map(PyAdvice).collect())
    }

    /// The effect of a bitcast to another shape: `reshape`, `transpose`, a sentence, or a refusal.
    ///
    /// >>> from tensor_layout import XlaShape
    /// >>> str(XlaShape("f32[4,6]{1,0}").bitcast(XlaShape("f32[6,4]{0,1}")))
    /// 'transpose, dimensions={1,0}'
    #[pyo3(signature = (other: "XlaShape") -> "str")]
    fn bitcast(&self, other: &PyXlaShape) -> Answer<String> {
        Ok(bitcast_map(&self.whole()?, &other.whole()?)?.to_string())
    }

    /// An explanation of the shape, as the command prints it.
    fn explain(&self) -> Answer<String> {
        Ok(ShapeReport::of(&self.0)?.to_string())
    }

    fn __eq__(&self, other: &PyXlaShape) -> bool {
        self.0 == other.0
    }

    fn __hash__(&self) -> u64 {
        crate::values::hash_of(&self.0)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("XlaShape('{}')", self.0)
    }

    fn _repr_html_(&self) -> Result<String, Refusal> {
        Ok(crate::html::page(&self.explain()?))
    }

    #[pyo3(signature = () -> "tuple[object, tuple[str]]")]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let read = slf.py().import("tensor_layout._arrays")?.getattr("lenient_shape")?;
        Ok((read, (slf.get().0.to_string(),)))
    }
}
