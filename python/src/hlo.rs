//! Compiler dumps as records.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{Array, ArrayRef, BooleanArray, StringArray, UInt64Array};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use tensor_layout::xla::XlaShape;
use tensor_layout_hlo::{HloComputation, HloDump, HloInstruction};

use crate::frame;
use crate::number::Position;
use crate::refusal::Answer;
use crate::values::Items;

/// The number of instructions to read between checks for signals.
const BATCH: usize = 1 << 15;

/// One instruction of a dump.
///
/// Sizes are totals over all arrays in its shape, as XLA counts them; None for shapes without a size.
#[pyclass(name = "HloRecord", frozen, get_all, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyRecord {
    /// The module and the computation that contain the instruction.
    module: String,
    /// The computation that contains the instruction.
    computation: String,
    /// True in the entry computation.
    is_entry: bool,
    /// The line number in the text, from 1.
    line: u64,
    /// The name of the instruction.
    name: String,
    /// The operation.
    opcode: String,
    /// The shape, as written.
    shape: String,
    /// The names of the operands.
    operands: Vec<String>,
    /// The number of bytes allocated.
    allocated_bytes: Option<u64>,
    /// The number of bytes of the elements alone.
    unpadded_bytes: Option<u64>,
    /// The source operation that the instruction came from.
    op_name: Option<String>,
    /// The source file.
    source_file: Option<String>,
    /// The line in the source file.
    source_line: Option<u64>,
    /// True for the result of the computation.
    is_root: bool,
}

/// The names of the fields, in the order of the columns.
const FIELDS: [&str; 14] = [
    "module",
    "computation",
    "is_entry",
    "line",
    "name",
    "opcode",
    "shape",
    "operands",
    "allocated_bytes",
    "unpadded_bytes",
    "op_name",
    "source_file",
    "source_line",
    "is_root",
];

#[pymethods]
impl PyRecord {
    fn __repr__(&self) -> String {
        format!("<HloRecord: {} = {} {}>", self.name, self.shape, self.opcode)
    }
}

/// The instructions of a dump: a sequence of records, and columns for a data frame.
#[pyclass(name = "HloRecords", weakref, frozen, sequence, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyRecords {
    records: Vec<Py<PyRecord>>,
    unread: Vec<(u64, String)>,
}

impl PyRecords {
    fn column<T, A: FromIterator<Option<T>> + Array + 'static>(
        &self,
        field: impl Fn(&PyRecord) -> Option<T>,
    ) -> ArrayRef {
        Arc::new(self.records.iter().map(|record| field(record.get())).collect::<A>())
    }

    fn texts(&self, field: impl Fn(&PyRecord) -> Option<String>) -> ArrayRef {
        self.column::<_, StringArray>(field)
    }

    fn numbers(&self, field: impl Fn(&PyRecord) -> Option<u64>) -> ArrayRef {
        self.column::<_, UInt64Array>(field)
    }

    fn flags(&self, field: impl Fn(&PyRecord) -> bool) -> ArrayRef {
        self.column::<_, BooleanArray>(|record| Some(field(record)))
    }

    fn operands(&self) -> ArrayRef {
        let mut lists = ListBuilder::new(StringBuilder::new());
        for record in &self.records {
            lists.append_value(record.get().operands.iter().map(Some));
        }
        Arc::new(lists.finish())
    }

    /// In the order of `FIELDS`.
    fn arrays(&self) -> [(&'static str, ArrayRef); 14] {
        [
            ("module", self.texts(|of| Some(of.module.clone()))),
            ("computation", self.texts(|of| Some(of.computation.clone()))),
            ("is_entry", self.flags(|of| of.is_entry)),
            ("line", self.numbers(|of| Some(of.line))),
            ("name", self.texts(|of| Some(of.name.clone()))),
            ("opcode", self.texts(|of| Some(of.opcode.clone()))),
            ("shape", self.texts(|of| Some(of.shape.clone()))),
            ("operands", self.operands()),
            ("allocated_bytes", self.numbers(|of| of.allocated_bytes)),
            ("unpadded_bytes", self.numbers(|of| of.unpadded_bytes)),
            ("op_name", self.texts(|of| of.op_name.clone())),
            ("source_file", self.texts(|of| of.source_file.clone())),
            ("source_line", self.numbers(|of| of.source_line)),
            ("is_root", self.flags(|of| of.is_root)),
        ]
    }
}

#[pymethods]
impl PyRecords {
    fn __len__(&self) -> usize {
        self.records.len()
    }

    fn __getitem__(&self, py: Python<'_>, at: Position) -> PyResult<Py<PyRecord>> {
        let Position(at) = at;
        let from_end = usize::try_from(at.unsigned_abs()).ok();
        let from_end = from_end.and_then(|back| self.records.len().checked_sub(back));
        let at = if at < 0 { from_end } else { usize::try_from(at).ok() };
        let record = at.and_then(|at| self.records.get(at));
        let beyond = || pyo3::exceptions::PyIndexError::new_err("there are fewer instructions");
        record.map(|record| record.clone_ref(py)).ok_or_else(beyond)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Items<'py, Py<PyRecord>>> {
        Items::of(py, self.records.iter().map(|record| record.clone_ref(py)).collect())
    }

    /// A list per field, for `pandas.DataFrame(records.columns())`.
    #[pyo3(signature = () -> "dict[str, list[typing.Any]]")]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for field in FIELDS {
            let values = self.records.iter().map(|record| record.bind(py).getattr(field));
            let values = values.collect::<PyResult<Vec<_>>>()?;
            columns.set_item(field, PyList::new(py, values)?)?;
        }
        Ok(columns)
    }

    /// The fields as columns, for `polars.DataFrame(records)` or `pandas.DataFrame.from_arrow(records)`.
    #[pyo3(signature = (requested_schema: "object" = None) -> "object")]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> Answer<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        frame::stream(py, self.arrays())
    }

    /// The first thousand lines in computations that could not be read, with their line numbers.
    #[getter]
    fn unread(&self) -> Vec<(u64, String)> {
        self.unread.clone()
    }

    fn __repr__(&self) -> String {
        format!("<HloRecords: {} instructions>", self.records.len())
    }
}

/// Reads the instructions of a compiler dump, of any number of modules.
///
/// `path` is a file name, or an object with a `read` method. `progress(bytes)` is called periodically.
///
/// >>> from tensor_layout import read_hlo
/// >>> import io
/// >>> text = "HloModule m\n\nadd {\n  x = f32[3] parameter(0)\n  ROOT y = f32[3] add(x, x)\n}\n"
/// >>> records = read_hlo(io.StringIO(text))
/// >>> [(record.name, record.opcode, record.unpadded_bytes) for record in records]
/// [('x', 'parameter', 12), ('y', 'add', 12)]
/// >>> records[1].operands
/// ['x', 'x']
#[pyfunction]
#[pyo3(signature = (
    path: "str | os.PathLike[str] | typing.TextIO | typing.BinaryIO",
    *,
    progress: "collections.abc.Callable[[int], object] | None" = None,
) -> "HloRecords")]
pub(crate) fn read_hlo(
    path: &Bound<'_, PyAny>,
    progress: Option<&Bound<'_, PyAny>>,
) -> Answer<PyRecords> {
    if path.hasattr("read")? {
        let text = path.call_method0("read")?;
        let bytes = match text.extract::<String>() {
            Ok(text) => text.into_bytes(),
            Err(_) => text.extract::<Vec<u8>>()?,
        };
        return records(path.py(), HloDump::new(std::io::Cursor::new(bytes)), progress);
    }
    let path_of: PathBuf = path.extract()?;
    let file = File::open(&path_of).map_err(|error| opened(path, error))?;
    records(path.py(), HloDump::new(BufReader::with_capacity(1 << 18, file)), progress)
}

/// The error as Python's `open` words it.
pub(crate) fn opened(path: &Bound<'_, PyAny>, error: std::io::Error) -> PyErr {
    let (number, what) = (error.raw_os_error(), error.to_string());
    let name = path.str().map(Bound::unbind).ok();
    match number {
        Some(number) => pyo3::exceptions::PyOSError::new_err((number, what, name)),
        None => pyo3::exceptions::PyOSError::new_err(what),
    }
}

fn records<R: BufRead + Send>(
    py: Python<'_>,
    mut dump: HloDump<R>,
    progress: Option<&Bound<'_, PyAny>>,
) -> Answer<PyRecords> {
    let (mut records, mut sizes) = (Vec::new(), Sizes::default());
    loop {
        let batch = py.detach(|| batch(&mut dump, &mut sizes))?;
        if batch.is_empty() {
            break;
        }
        for record in batch {
            records.push(Py::new(py, record)?);
        }
        py.check_signals()?;
        if let Some(progress) = progress {
            progress.call1((dump.bytes(),))?;
        }
    }
    let unread = dump.reading().lines.iter().map(|line| (line.line, line.text.clone()));
    Ok(PyRecords { records, unread: unread.collect() })
}

/// Whole computations, about as many instructions as a batch has.
fn batch<R: BufRead>(dump: &mut HloDump<R>, sizes: &mut Sizes) -> std::io::Result<Vec<PyRecord>> {
    let mut batch = Vec::new();
    while batch.len() < BATCH {
        let Some(computation) = dump.next_computation()? else { break };
        batch.extend(computation.instructions().map(|of| record(computation, of, sizes)));
    }
    Ok(batch)
}

/// Allocated and unpadded bytes, keyed by the text of a shape.
type Sizes = HashMap<String, Option<(u64, u64)>>;

fn sizes_of(text: &str, sizes: &mut Sizes) -> Option<(u64, u64)> {
    if let Some(known) = sizes.get(text) {
        return *known;
    }
    let read = || {
        let sizes = text.parse::<XlaShape>().ok()?.sizes().ok()?;
        Some((sizes.allocated_bytes, sizes.unpadded_bytes))
    };
    let read = read();
    sizes.insert(text.to_owned(), read);
    read
}

fn record(computation: HloComputation<'_>, of: HloInstruction<'_>, sizes: &mut Sizes) -> PyRecord {
    let (bytes, source) = (sizes_of(of.shape_text(), sizes), of.source());
    PyRecord {
        module: computation.module().name().to_owned(),
        computation: computation.name().to_owned(),
        is_entry: computation.is_entry(),
        line: of.line(),
        name: of.name().to_owned(),
        opcode: of.opcode().to_owned(),
        shape: of.shape_text().to_owned(),
        operands: of.operands().map(|operand| operand.name().to_owned()).collect(),
        allocated_bytes: bytes.map(|(allocated, _)| allocated),
        unpadded_bytes: bytes.map(|(_, unpadded)| unpadded),
        op_name: of.op_name().map(Into::into),
        source_file: source.as_ref().map(|source| source.file.to_string()),
        source_line: source.map(|source| source.line),
        is_root: of.is_root(),
    }
}
