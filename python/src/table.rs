//! Tables of places: columns for NumPy, record batches for everything else.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread::ThreadId;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use numpy::PyArray1;
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PySlice};
use tensor_layout::LayoutError;
use tensor_layout::error::WriteError;
use tensor_layout::rows::Table;
use tensor_layout::{Location, Placement};
use tensor_layout_rows::{ColumnWidth, check_names, record_batches, schema};

use crate::location::PyLocation;
use crate::long::{Ahead, PART, check_signals, index, report};
use crate::places::Places;
use crate::python::arrays;
use crate::refusal::{Answer, refused};
use crate::values::{Items, Made, Tuple, again};

/// The number of rows in a piece for `progress`, and the number of items that a thread prepares ahead.
const PIECE: u64 = PART / 16;
const AHEAD: usize = 2;

/// The number of rows a notebook shows.
const MOST_SHOWN: usize = 10;

/// A table of places: a row per element and copy, sorted by place; a column per level and per
/// axis.
///
/// NumPy reads it as a structured array; Polars, PyArrow, DuckDB and `pandas.DataFrame.from_arrow` read it through the
/// Arrow protocol, batch by batch, so it need not fit in memory. `pandas.DataFrame(table)` has a single column, of rows:
/// `pandas.DataFrame(table[:])` has those of the table.
///
/// >>> from tensor_layout import Layout
/// >>> table = Layout("((2_PE, 2:1), (3:2))").table()
/// >>> table.names
/// ('PE', 'Addr', 'i0', 'i1')
/// >>> table["Addr"][:4]
/// array([0, 1, 2, 3])
/// >>> table[:2].tolist()
/// [(0, 0, 0, 0), (0, 1, 1, 0)]
#[pyclass(name = "Table", weakref, frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyTable {
    spec: Spec,
    /// The layout or placement by which it was made.
    of: Py<Places>,
}

/// The options of a library table, which itself borrows its placement.
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

    /// An approximate upper bound on the number of rows.
    fn most_rows(&self) -> Result<u64, LayoutError> {
        Ok(self.table()?.most_rows().div_ceil(self.part.1.max(1)))
    }

    fn names(&self) -> Result<Vec<String>, LayoutError> {
        let table = self.table()?;
        let levels = table.placement().columns().iter().map(ToString::to_string);
        Ok(levels
            .chain((0..table.placement().layout().rank()).map(|axis| format!("i{axis}")))
            .collect())
    }

    /// Rejects coordinates that do not fit in signed integers.
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

    /// Columns with room for all rows.
    fn room(&self) -> Answer<Vec<Vec<i64>>> {
        let (rows, columns) = (self.most_rows()?, self.names()?.len());
        let too_many = || {
            PyMemoryError::new_err(format!(
                "{rows} rows of {columns} numbers do not fit in memory: read the table in parts \
                 (`part=(k, n)`), or by Arrow"
            ))
        };
        let bytes = index(rows).checked_mul(columns).ok_or_else(too_many)?;
        // Reserve all columns together first: each may fit although all of them do not.
        Vec::<i64>::new().try_reserve_exact(bytes).map_err(|_| too_many())?;
        let mut all = vec![Vec::new(); columns];
        for column in &mut all {
            column.try_reserve_exact(index(rows)).map_err(|_| too_many())?;
        }
        Ok(all)
    }

    /// Adds at most `most` rows to their columns and reports the number of finished pieces; the
    /// index of padding is -1.
    fn append(
        &self,
        columns: &mut [Vec<i64>],
        most: usize,
        tell: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(), LayoutError> {
        let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let mut rows = 0;
        let _ = self.table()?.for_each(|row| {
            let levels = row.place.len();
            for (column, at) in columns.iter_mut().zip(row.place) {
                column.push(signed(*at));
            }
            for (axis, column) in columns.iter_mut().skip(levels).enumerate() {
                let entry = row.index.and_then(|index| index.get(axis));
                column.push(entry.map_or(-1, |entry| signed(*entry)));
            }
            rows += 1;
            match rows % PIECE {
                _ if index(rows) >= most => ControlFlow::Break(()),
                0 => tell(rows / PIECE),
                _ => ControlFlow::Continue(()),
            }
        })?;
        Ok(())
    }

    /// Fills the columns on a separate thread.
    fn filled(self, mut columns: Vec<Vec<i64>>) -> std::io::Result<Ahead<Filled>> {
        Ahead::start("table", AHEAD, move |send| {
            let tell = &mut |piece| send(Filled::Piece(piece));
            let filled = self.append(&mut columns, usize::MAX, tell);
            let _ = send(Filled::All(filled.map(|()| columns)));
        })
    }

    /// Makes record batches on a separate thread.
    fn batches(self) -> std::io::Result<Ahead<Result<RecordBatch, WriteError>>> {
        Ahead::start("table", AHEAD, move |send| {
            let made = self.table().map_err(WriteError::from).and_then(|table| {
                record_batches(&table, ColumnWidth::Wide, |batch| match send(Ok(batch)) {
                    ControlFlow::Continue(()) => Ok(()),
                    ControlFlow::Break(()) => Err(std::io::ErrorKind::BrokenPipe.into()),
                })
            });
            if let Err(refusal) = made {
                let _ = send(Err(refusal));
            }
        })
    }
}

/// The progress of the thread that fills columns.
enum Filled {
    Piece(u64),
    All(Result<Vec<Vec<i64>>, LayoutError>),
}

/// The table as record batches, made on demand.
struct Batches {
    schema: SchemaRef,
    state: State,
    /// The thread that requested the stream: only it checks for signals, as others could deadlock on the GIL.
    home: ThreadId,
}

enum State {
    New(Spec),
    Started(Ahead<Result<RecordBatch, WriteError>>),
    Over,
}

impl Batches {
    fn next_batch(&mut self) -> Answer<Option<RecordBatch>> {
        if let State::New(spec) = &self.state {
            self.state = State::Started(spec.clone().batches()?);
        }
        let State::Started(batches) = &mut self.state else { return Ok(None) };
        let home = self.home == std::thread::current().id();
        let signals = || if home { check_signals() } else { Ok(()) };
        Ok(batches.next(signals)?.transpose()?)
    }
}

/// An error that the consumer converts into its own; Ctrl-C is raised again afterwards.
fn failed(error: &PyErr) -> ArrowError {
    let text = error.to_string();
    Python::attach(|py| {
        if error.is_instance_of::<PyKeyboardInterrupt>(py) {
            let thread = py.import("_thread");
            drop(thread.and_then(|thread| thread.call_method0("interrupt_main")));
        }
    });
    ArrowError::ExternalError(text.into())
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next_batch();
        if !matches!(next, Ok(Some(_))) {
            self.state = State::Over;
        }
        next.map_err(|refusal| failed(&refusal.into())).transpose()
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl PyTable {
    pub(crate) fn new(
        of: &Bound<'_, Places>,
        at: Location,
        padding: bool,
        part: (u64, u64),
    ) -> Answer<PyTable> {
        let placement = Arc::new(of.get().placement()?.clone());
        let spec = Spec { placement, at, padding, part };
        spec.table()?;
        Ok(PyTable { spec, of: of.clone().unbind() })
    }

    /// The columns of the first rows.
    fn first<'py>(&self, py: Python<'py>, most: usize) -> Answer<Bound<'py, PyDict>> {
        let (names, columns) = self.head(most)?;
        Ok(named(py, names, columns)?)
    }

    /// The names of the columns, and the first rows.
    fn head(&self, most: usize) -> Answer<(Vec<String>, Vec<Vec<i64>>)> {
        self.spec.check_signed()?;
        let names = self.spec.names()?;
        let mut columns = vec![Vec::new(); names.len()];
        self.spec.append(&mut columns, most, &mut |_| ControlFlow::Continue(()))?;
        Ok((names, columns))
    }

    /// The first rows as text.
    fn shown(&self) -> Answer<(Vec<String>, Vec<Vec<String>>)> {
        let (names, columns) = self.head(MOST_SHOWN)?;
        let row = |at: usize| {
            let cell = |column: &Vec<i64>| column.get(at).map_or(String::new(), i64::to_string);
            columns.iter().map(cell).collect()
        };
        let rows = (0..columns.first().map_or(0, Vec::len)).map(row).collect();
        Ok((names, rows))
    }
}

/// The most rows that a slice computes at once, without a look at signals.
const MOST_FIRST: i64 = 1 << 20;

/// The number of first rows that a slice needs, unless it counts from the end or needs many.
fn first_rows(slice: &Bound<'_, PySlice>) -> PyResult<Option<usize>> {
    let [start, stop, step] = ["start", "stop", "step"]
        .map(|name| slice.getattr(name).and_then(|entry| entry.extract::<Option<i64>>()));
    let (start, step) = (start?.unwrap_or(0), step?.unwrap_or(1));
    let stop = stop?.filter(|stop| start >= 0 && step > 0 && (0..=MOST_FIRST).contains(stop));
    Ok(stop.and_then(|stop| stop.try_into().ok()))
}

/// Columns as arrays, by their names.
fn named(
    py: Python<'_>,
    names: Vec<String>,
    columns: Vec<Vec<i64>>,
) -> PyResult<Bound<'_, PyDict>> {
    let arrays = PyDict::new(py);
    for (name, column) in names.into_iter().zip(columns) {
        arrays.set_item(name, PyArray1::from_vec(py, column))?;
    }
    Ok(arrays)
}

#[pymethods]
impl PyTable {
    /// The names of the columns: the levels, then `i0`, `i1` and so on.
    #[getter]
    fn names(&self) -> Answer<Tuple<String>> {
        Ok(Tuple(self.spec.names()?))
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
        self.spec.check_signed()?;
        check_names(&self.spec.table()?)?;
        let names = self.spec.names()?;
        let (mut columns, rows) = (self.spec.room()?, self.spec.most_rows()?);
        let pieces = rows.div_ceil(PIECE).max(1);
        if rows <= PIECE {
            let quiet = &mut |_| ControlFlow::Continue(());
            py.detach(|| self.spec.append(&mut columns, usize::MAX, quiet))?;
        } else {
            let mut thread = self.spec.clone().filled(columns)?;
            columns = loop {
                let next = py.detach(|| thread.next(check_signals));
                match next? {
                    Some(Filled::Piece(piece)) => report(progress, piece.min(pieces - 1), pieces)?,
                    Some(Filled::All(columns)) => break columns?,
                    None => return refused("the table ended early"),
                }
            };
        }
        report(progress, pieces, pieces)?;
        Ok(named(py, names, columns)?)
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

    /// The number of rows. For a part, or with padding, this has to count them.
    fn __len__(&self, py: Python<'_>) -> Answer<usize> {
        let (spec, mut rows) = (&self.spec, 0);
        let placement = &spec.placement;
        if !spec.padding && spec.part.1 <= 1 && spec.at.iter().len() == 0 {
            return Ok(index(placement.layout().elements().saturating_mul(placement.copies())));
        }
        let _ = crate::long::interruptible(py, |go_on| {
            spec.table()?.for_each(|_| {
                rows += 1;
                match rows % PART == 0 && !go_on() {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            })
        })??;
        Ok(index(rows))
    }

    /// Iterates lazily over the rows, as tuples.
    fn __iter__<'py>(slf: &Bound<'py, Self>) -> Answer<Items<'py, Tuple<u64>>> {
        let pieces = slf.get().spec.most_rows()?.div_ceil(PIECE).max(1);
        Ok(Items::from(arrays(slf.py(), "rows")?.call1((slf, pieces))?))
    }

    /// One of many parts of the table.
    #[pyo3(signature = (piece: "int", pieces: "int") -> "Table")]
    fn _piece(&self, py: Python<'_>, piece: u64, pieces: u64) -> Answer<PyTable> {
        let (at, of) = self.spec.part;
        let part = at.checked_mul(pieces).and_then(|at| at.checked_add(piece));
        match part.zip(of.max(1).checked_mul(pieces)) {
            Some(part) => {
                let spec = Spec { part, ..self.spec.clone() };
                Ok(PyTable { spec, of: self.of.clone_ref(py) })
            }
            None => refused("the table has more parts than 64 bits count"),
        }
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

    /// A column, or the rows of a slice as a structured array. Rows behind the end of the slice are not computed.
    fn __getitem__<'py>(&self, of: &Bound<'py, PyAny>) -> Answer<Bound<'py, PyAny>> {
        let py = of.py();
        if let Ok(name) = of.extract::<&str>() {
            return Ok(self.columns(py, None)?.as_any().get_item(name)?);
        }
        let Ok(slice) = of.cast::<PySlice>() else {
            let what = of.get_type().name()?;
            let why = format!("a table has columns by name and rows by slices, not by {what}");
            return Err(PyTypeError::new_err(why).into());
        };
        let columns = match first_rows(slice)? {
            Some(most) => self.first(py, most)?,
            None => self.columns(py, None)?,
        };
        Ok(arrays(py, "structured")?.call1((columns,))?.get_item(slice)?)
    }

    #[pyo3(signature = () -> "tuple[object, tuple[object, ...]]")]
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Made<'py>> {
        let keywords = PyDict::new(py);
        keywords.set_item("padding", self.spec.padding)?;
        keywords.set_item("part", self.spec.part)?;
        let at = PyLocation(self.spec.at.clone());
        again(&self.of.bind(py).getattr("table")?, (at,), &keywords)
    }

    #[pyo3(signature = (requested_schema: "object" = None) -> "object")]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> Answer<Bound<'py, PyCapsule>> {
        // The protocol lets a consumer that wants other types do its own casting.
        drop(requested_schema);
        let spec = self.spec.clone();
        let schema = Arc::new(schema(&spec.table()?, ColumnWidth::Wide));
        let home = std::thread::current().id();
        let batches = Batches { schema, state: State::New(spec), home };
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        Ok(PyCapsule::new_with_value(py, stream, c"arrow_array_stream")?)
    }

    fn __repr__(&self) -> Answer<String> {
        Ok(format!("<Table: {}>", self.spec.names()?.join(", ")))
    }

    fn _repr_html_(&self) -> Answer<String> {
        let (names, rows) = self.shown()?;
        let more = if rows.len() == MOST_SHOWN { "<p>and so on</p>" } else { "" };
        Ok(crate::html::table(&names, rows.into_iter()) + more)
    }

    /// The rows as tuples, in order.
    #[pyo3(signature = () -> "list[tuple[int, ...]]")]
    fn tolist<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyList>> {
        Ok(self.to_numpy(py, None)?.call_method0("tolist")?.cast_into().map_err(PyErr::from)?)
    }
}
