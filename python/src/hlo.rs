//! Compiler dumps as records.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{Array, ArrayRef, BooleanArray, StringArray, UInt64Array};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PyRange, PySlice, PyTuple};
use tensor_layout::xla::XlaShape;
use tensor_layout_hlo::{HloComputation, HloDump, HloInstruction, HloTextKind};

use crate::frame;
use crate::long::index;
use crate::number::Position;
use crate::refusal::{Answer, of_file, refused};
use crate::values::Items;

/// The number of instructions to read between checks for signals.
const BATCH: usize = 1 << 15;

/// The length of the beginning by which the kind of a text is known.
const HEAD: u64 = 1 << 20;

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
    /// Rejects a text of another kind in which there are no instructions.
    fn of_kind(self, kind: HloTextKind) -> Answer<PyRecords> {
        if kind == HloTextKind::Mlir && self.records.is_empty() {
            return refused(
                "this is StableHLO, which has no instructions of XLA: pass what `jax.jit(f).lower(..)` returns, or \
                 its `as_text(\"hlo\")`",
            );
        }
        Ok(self)
    }

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

    /// A record, or the records of a slice.
    fn __getitem__<'py>(&self, at: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, length) = (at.py(), self.records.len());
        if let Ok(slice) = at.cast::<PySlice>() {
            let range = py
                .get_type::<PyRange>()
                .call1(slice.indices(length.try_into()?).map(|of| (of.start, of.stop, of.step))?)?;
            let numbers: Vec<usize> = range.extract()?;
            let records = numbers.iter().filter_map(|at| self.records.get(*at));
            let records = records.map(|record| record.clone_ref(py)).collect();
            let unread = self.unread.clone();
            return Ok(Bound::new(py, PyRecords { records, unread })?.into_any());
        }
        let Position(at) = at.extract()?;
        let from_end = usize::try_from(at.unsigned_abs()).ok();
        let from_end = from_end.and_then(|back| length.checked_sub(back));
        let at = if at < 0 { from_end } else { usize::try_from(at).ok() };
        let record = at.and_then(|at| self.records.get(at));
        let beyond = || PyIndexError::new_err("there are fewer instructions");
        record.map(|record| record.bind(py).clone().into_any()).ok_or_else(beyond)
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
/// `path` is a file name, the text itself, an object with a `read` method, or a program of JAX: `jax.jit(f).lower(..)`, compiled
/// or not. `progress(bytes)` is called periodically.
///
/// >>> from tensor_layout import read_hlo
/// >>> text = "HloModule m\n\nadd {\n  x = f32[3] parameter(0)\n  ROOT y = f32[3] add(x, x)\n}\n"
/// >>> records = read_hlo(text)
/// >>> [(record.name, record.opcode, record.unpadded_bytes) for record in records]
/// [('x', 'parameter', 12), ('y', 'add', 12)]
/// >>> records[1].operands, records[:1]
/// (['x', 'x'], <HloRecords: 1 instructions>)
#[pyfunction]
#[pyo3(signature = (
    path: "str | os.PathLike[str] | typing.TextIO | typing.BinaryIO | typing.Any",
    *,
    progress: "collections.abc.Callable[[int], object] | None" = None,
) -> "HloRecords")]
pub(crate) fn read_hlo(
    path: &Bound<'_, PyAny>,
    progress: Option<&Bound<'_, PyAny>>,
) -> Answer<PyRecords> {
    if let Some(text) = given_text(path)? {
        let bytes = match text.extract::<String>() {
            Ok(text) => text.into_bytes(),
            Err(_) => text.extract::<Vec<u8>>()?,
        };
        let kind = HloTextKind::of(bytes.get(..index(HEAD)).unwrap_or(&bytes));
        let found = records(path.py(), HloDump::new(std::io::Cursor::new(bytes)), progress)?;
        return found.of_kind(kind);
    }
    let path_of: PathBuf = path.extract()?;
    let mut file = File::open(&path_of).map_err(|error| of_file(&path_of, &error))?;
    let mut head = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut head)?;
    let kind = HloTextKind::of(&head);
    let all = BufReader::with_capacity(1 << 18, std::io::Cursor::new(head).chain(file));
    records(path.py(), HloDump::new(all), progress)?.of_kind(kind)
}

/// The text of a dump that is given itself: by what can be read, by a program of JAX, or as several lines, which no file name
/// has.
fn given_text<'py>(dump: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if dump.hasattr("read")? {
        return dump.call_method0("read").map(Some);
    }
    if dump.hasattr("as_text")? {
        // What is not compiled yet is StableHLO by default.
        let dialect = if dump.hasattr("compile")? { Some("hlo") } else { None };
        let dialect = PyTuple::new(dump.py(), dialect)?;
        return dump.call_method1("as_text", dialect).map(Some);
    }
    let is_text = dump.extract::<&str>().is_ok_and(|text| text.contains('\n'));
    Ok(is_text.then(|| dump.clone()))
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
