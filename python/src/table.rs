//! Tables of places: columns for NumPy, record batches for everything else.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use tensor_layout::rows::{ColumnWidth, Table};
use tensor_layout::{LayoutError, Location, Placement};

use crate::long::{PART, tell};
use crate::python::arrays;
use crate::refusal::{Answer, Refusal, refused};
use crate::values::{Array, Tuple};

/// How many rows a notebook shows.
const MOST_SHOWN: usize = 10;

/// A table of places: a row per element and copy, sorted by place; a column per level and per
/// axis.
///
/// NumPy takes it as a structured array; pandas, Polars, PyArrow, DuckDB take it by Arrow's
/// protocol, batch by batch, so that it need not fit in memory.
///
/// >>> from tensor_layout import Layout
/// >>> table = Layout("((2_PE, 2:1), (3:2))").table()
/// >>> table.names
/// ('PE', 'Addr', 'i0', 'i1')
/// >>> table["Addr"][:4]
/// array([0, 1, 2, 3])
#[pyclass(name = "Table", frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyTable(Spec);

/// What a table of the library is made of; that one borrows its placement.
#[derive(Clone, Debug)]
struct Spec {
    placement: Arc<Placement>,
    at: Location,
    padding: bool,
    part: (u64, u64),
}

impl Spec {
    fn table(&self) -> Result<Table<'_>, LayoutError> {
        let table = self.placement.table().at(&self.at)?.with_padding(self.padding);
        table.part(self.part.0, self.part.1)
    }

    /// The number of pieces that are made one after the other.
    fn pieces(&self) -> Result<u64, LayoutError> {
        let rows = self.table()?.most_rows().div_ceil(self.part.1.max(1));
        Ok(rows.div_ceil(PART / 16).max(1))
    }

    /// One piece; all in order are the table.
    fn piece(&self, piece: u64, pieces: u64) -> Spec {
        let (part, parts) = self.part;
        match parts.checked_mul(pieces) {
            Some(all) => Spec { part: (part * pieces + piece, all), ..self.clone() },
            None => self.clone(),
        }
    }

    fn names(&self) -> Result<Vec<String>, LayoutError> {
        let table = self.table()?;
        let levels = table.columns().iter().map(ToString::to_string);
        Ok(levels.chain((0..table.rank()).map(|axis| format!("i{axis}"))).collect())
    }

    /// Refuses coordinates that signed integers do not hold.
    fn check_signed(&self) -> Answer<()> {
        let layout = self.placement.with_copies();
        let levels = self.placement.columns().iter().map(|level| layout.extent(*level));
        match levels.chain(layout.shape()).all(|extent| extent <= 1 << 63) {
            true => Ok(()),
            false => refused(
                "a column has numbers beyond 63 bits: read the table by Arrow, which has unsigned ones",
            ),
        }
    }

    /// Adds the rows of a piece to its columns; the index of padding is -1.
    fn append(&self, columns: &mut [Vec<i64>], most: usize) -> Result<(), LayoutError> {
        let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let _ = self.table()?.for_each(|row| {
            let levels = row.place.len();
            for (column, at) in columns.iter_mut().zip(row.place) {
                column.push(signed(*at));
            }
            for (axis, column) in columns.iter_mut().skip(levels).enumerate() {
                let entry = row.index.and_then(|index| index.get(axis));
                column.push(entry.map_or(-1, |entry| signed(*entry)));
            }
            match columns.first().is_some_and(|column| column.len() >= most) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        Ok(())
    }

    fn batches(&self) -> Result<VecDeque<RecordBatch>, Refusal> {
        let mut batches = VecDeque::new();
        self.table()?.record_batches(ColumnWidth::Wide, |batch| {
            batches.push_back(batch);
            Ok(())
        })?;
        Ok(batches)
    }
}

/// The table as record batches, made when they are asked for.
struct Batches {
    spec: Spec,
    schema: SchemaRef,
    next: u64,
    pieces: u64,
    ready: VecDeque<RecordBatch>,
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && self.next < self.pieces {
            let piece = self.spec.piece(self.next, self.pieces);
            self.next += 1;
            match piece.batches() {
                Ok(batches) => self.ready = batches,
                Err(refusal) => {
                    self.next = self.pieces;
                    return Some(Err(ArrowError::ExternalError(Box::new(PyErr::from(refusal)))));
                }
            }
        }
        self.ready.pop_front().map(Ok)
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl PyTable {
    pub(crate) fn new(
        placement: Placement,
        at: Location,
        padding: bool,
        part: (u64, u64),
    ) -> Answer<PyTable> {
        let spec = Spec { placement: Arc::new(placement), at, padding, part };
        spec.table()?;
        Ok(PyTable(spec))
    }

    /// The first rows as text.
    fn head(&self) -> Answer<(Vec<String>, Vec<Vec<String>>)> {
        self.0.check_signed()?;
        let names = self.0.names()?;
        let mut columns = vec![Vec::new(); names.len()];
        self.0.append(&mut columns, MOST_SHOWN)?;
        let row = |at: usize| {
            let cell = |column: &Vec<i64>| column.get(at).map_or(String::new(), i64::to_string);
            columns.iter().map(cell).collect()
        };
        let rows = (0..columns.first().map_or(0, Vec::len)).map(row).collect();
        Ok((names, rows))
    }
}

#[pymethods]
impl PyTable {
    /// The names of the columns: the levels, then `i0`, `i1` and so on.
    #[getter]
    fn names(&self) -> Answer<Tuple<String>> {
        Ok(Tuple(self.0.names()?))
    }

    /// The columns as arrays; in rows of padding the index is -1.
    ///
    /// `progress(done, all)` counts pieces of the table.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("(3)/((2:1, 2_PE))").table(padding=True).columns()["i0"]
    /// array([ 0,  2,  1, -1])
    #[pyo3(signature = (
        progress: "collections.abc.Callable[[int, int], object] | None" = None,
    ) -> "dict[str, numpy.typing.NDArray[numpy.int64]]")]
    fn columns<'py>(
        &self,
        py: Python<'py>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> Answer<Bound<'py, PyDict>> {
        self.0.check_signed()?;
        self.0.table()?.check_names()?;
        let names = self.0.names()?;
        let (mut columns, pieces) = (vec![Vec::new(); names.len()], self.0.pieces()?);
        for piece in 0..pieces {
            let spec = self.0.piece(piece, pieces);
            py.detach(|| spec.append(&mut columns, usize::MAX))?;
            py.check_signals()?;
            tell(progress, piece + 1, pieces)?;
        }
        let arrays = PyDict::new(py);
        for (name, column) in names.into_iter().zip(columns) {
            arrays.set_item(name, PyArray1::from_vec(py, column))?;
        }
        Ok(arrays)
    }

    /// A structured array with a field per column.
    #[pyo3(signature = (
        progress: "collections.abc.Callable[[int, int], object] | None" = None,
    ) -> "numpy.typing.NDArray[typing.Any]")]
    fn to_numpy<'py>(
        &self,
        py: Python<'py>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> Answer<Bound<'py, PyAny>> {
        Ok(arrays(py, "structured")?.call1((self.columns(py, progress)?,))?)
    }

    #[pyo3(signature = (dtype: "numpy.typing.DTypeLike | None" = None, *, copy: "bool | None" = None) -> "numpy.typing.NDArray[typing.Any]")]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> Answer<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return refused("a table is always computed anew: it does not have an array to share");
        }
        let array = self.to_numpy(py, None)?;
        match dtype {
            Some(dtype) => Ok(array.call_method1("astype", (dtype,))?),
            None => Ok(array),
        }
    }

    /// One column.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> Answer<Array<'py>> {
        Ok(Array(self.columns(py, None)?.as_any().get_item(name)?))
    }

    #[pyo3(signature = (requested_schema: "object" = None) -> "object")]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> Answer<Bound<'py, PyCapsule>> {
        // A consumer that wants other types casts by itself, which the protocol allows.
        drop(requested_schema);
        let spec = self.0.clone();
        let schema = Arc::new(spec.table()?.schema(ColumnWidth::Wide));
        let pieces = spec.pieces()?;
        let batches = Batches { spec, schema, next: 0, pieces, ready: VecDeque::new() };
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        Ok(PyCapsule::new_with_value(py, stream, c"arrow_array_stream")?)
    }

    fn __repr__(&self) -> Answer<String> {
        Ok(format!("<Table: {}>", self.0.names()?.join(", ")))
    }

    fn _repr_html_(&self) -> Answer<String> {
        let (names, rows) = self.head()?;
        let more = if rows.len() == MOST_SHOWN { "<p>and so on</p>" } else { "" };
        Ok(crate::html::table(&names, rows.into_iter()) + more)
    }

    /// The rows as tuples, in order.
    #[pyo3(signature = () -> "list[tuple[int, ...]]")]
    fn tolist<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyList>> {
        Ok(self.to_numpy(py, None)?.call_method0("tolist")?.cast_into().map_err(PyErr::from)?)
    }
}
