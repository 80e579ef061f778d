//! The instructions of a dump in columns, from which records are made when they are asked for.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef, BooleanArray, StringArray, UInt64Array};
use arrow_schema::DataType;
use indexmap::{IndexMap, IndexSet};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PyRange, PySlice};
use rustc_hash::FxBuildHasher;
use tensor_layout::xla::XlaShape;
use tensor_layout_hlo::{HloComputation, HloInstruction};

use crate::frame;
use crate::number::Position;
use crate::refusal::Answer;
use crate::values::Items;

/// One instruction of a dump.
///
/// Sizes are totals over all arrays in its shape, as XLA counts them; None for shapes without a size.
#[pyclass(name = "HloRecord", frozen, get_all, eq, hash, module = "tensor_layout")]
#[derive(Debug, PartialEq, Hash)]
pub(crate) struct PyRecord {
    /// The module that contains the instruction.
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

#[pymethods]
impl PyRecord {
    fn __repr__(&self) -> String {
        format!("<HloRecord: {} = {} {}>", self.name, self.shape, self.opcode)
    }
}

/// The number of a text among those of all columns, each of which is kept once.
type TextId = usize;

/// An instruction, with numbers in place of texts.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// The number of its computation.
    computation: usize,
    line: u64,
    name: TextId,
    opcode: TextId,
    /// The number of its shape, which has the sizes.
    shape: usize,
    /// The end of its operands; they begin where those of the row before end.
    operands_end: usize,
    op_name: Option<TextId>,
    source_file: Option<TextId>,
    source_line: Option<u64>,
    is_root: bool,
}

/// A computation: the texts of its module and its name.
#[derive(Clone, Copy, Debug)]
struct Owner {
    module: TextId,
    name: TextId,
    is_entry: bool,
}

/// Allocated and unpadded bytes.
type Bytes = Option<(u64, u64)>;

/// The instructions of a dump.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    rows: Vec<Row>,
    computations: Vec<Owner>,
    operands: Vec<TextId>,
    texts: IndexSet<Box<str>, FxBuildHasher>,
    shapes: IndexMap<Box<str>, Bytes, FxBuildHasher>,
}

impl Columns {
    /// The number of instructions.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds the instructions of a computation.
    pub(crate) fn add(&mut self, computation: HloComputation<'_>) {
        let [module, name] =
            [computation.module().name(), computation.name()].map(|text| self.text(text));
        self.computations.push(Owner { module, name, is_entry: computation.is_entry() });
        for instruction in computation.instructions() {
            let row = self.row(instruction);
            self.rows.push(row);
        }
    }

    fn row(&mut self, of: HloInstruction<'_>) -> Row {
        let source = of.source();
        for operand in of.operands() {
            let name = self.text(operand.name());
            self.operands.push(name);
        }
        Row {
            computation: self.computations.len() - 1,
            line: of.line(),
            name: self.text(of.name()),
            opcode: self.text(of.opcode()),
            shape: self.shape(of.shape_text()),
            operands_end: self.operands.len(),
            op_name: of.op_name().map(|name| self.text(&name)),
            source_file: source.as_ref().map(|source| self.text(&source.file)),
            source_line: source.map(|source| source.line),
            is_root: of.is_root(),
        }
    }

    fn text(&mut self, text: &str) -> TextId {
        let known = self.texts.get_index_of(text);
        known.unwrap_or_else(|| self.texts.insert_full(text.into()).0)
    }

    fn shape(&mut self, text: &str) -> usize {
        let read = || {
            let sizes = text.parse::<XlaShape>().ok()?.sizes().ok()?;
            Some((sizes.allocated_bytes, sizes.unpadded_bytes))
        };
        let known = self.shapes.get_index_of(text);
        known.unwrap_or_else(|| self.shapes.insert_full(text.into(), read()).0)
    }

    fn owner(&self, of: &Row) -> Owner {
        self.computations[of.computation]
    }

    fn get(&self, text: TextId) -> &str {
        &self.texts[text]
    }

    fn shape_text(&self, of: &Row) -> &str {
        self.shapes.get_index(of.shape).map_or("", |(shape, _)| shape)
    }

    fn bytes(&self, of: &Row) -> Bytes {
        self.shapes[of.shape]
    }

    /// The operands of the instruction with a number.
    fn operands(&self, at: usize) -> &[TextId] {
        let start = at.checked_sub(1).map_or(0, |before| self.rows[before].operands_end);
        &self.operands[start..self.rows[at].operands_end]
    }

    fn record(&self, at: usize) -> PyRecord {
        let (row, text) = (&self.rows[at], |text: TextId| self.get(text).to_owned());
        let (owner, bytes) = (self.owner(row), self.bytes(row));
        PyRecord {
            module: text(owner.module),
            computation: text(owner.name),
            is_entry: owner.is_entry,
            line: row.line,
            name: text(row.name),
            opcode: text(row.opcode),
            shape: self.shape_text(row).to_owned(),
            operands: self.operands(at).iter().copied().map(text).collect(),
            allocated_bytes: bytes.map(|(allocated, _)| allocated),
            unpadded_bytes: bytes.map(|(_, unpadded)| unpadded),
            op_name: row.op_name.map(text),
            source_file: row.source_file.map(text),
            source_line: row.source_line,
            is_root: row.is_root,
        }
    }
}

/// The instructions of a dump: a sequence of records, and columns for a data frame.
#[pyclass(name = "HloRecords", weakref, frozen, sequence, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyRecords {
    all: Arc<Columns>,
    /// The numbers of the instructions of a slice; all if `None`.
    slice: Option<Vec<usize>>,
    unread: Vec<(u64, String)>,
}

impl PyRecords {
    pub(crate) fn new(all: Columns, unread: Vec<(u64, String)>) -> PyRecords {
        PyRecords { all: Arc::new(all), slice: None, unread }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn len(&self) -> usize {
        self.slice.as_ref().map_or(self.all.len(), Vec::len)
    }

    /// The number of an instruction in the dump.
    fn number(&self, at: usize) -> Option<usize> {
        self.slice
            .as_ref()
            .map_or((at < self.all.len()).then_some(at), |slice| slice.get(at).copied())
    }

    fn numbers(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).filter_map(|at| self.number(at))
    }

    fn column<T, A: FromIterator<Option<T>> + Array + 'static>(
        &self,
        field: impl Fn(&Columns, &Row) -> Option<T>,
    ) -> ArrayRef {
        let all = &*self.all;
        Arc::new(self.numbers().map(|at| field(all, &all.rows[at])).collect::<A>())
    }

    fn texts(&self, field: impl Fn(&Columns, &Row) -> Option<TextId>) -> ArrayRef {
        let of = |all: &Columns, row: &Row| field(all, row).map(|text| all.get(text).to_owned());
        self.column::<_, StringArray>(of)
    }

    fn counts(&self, field: impl Fn(&Columns, &Row) -> Option<u64>) -> ArrayRef {
        self.column::<_, UInt64Array>(field)
    }

    fn flags(&self, field: impl Fn(&Columns, &Row) -> bool) -> ArrayRef {
        self.column::<_, BooleanArray>(|all, row| Some(field(all, row)))
    }

    fn operands(&self) -> ArrayRef {
        let mut lists = ListBuilder::new(StringBuilder::new());
        for at in self.numbers() {
            let names = self.all.operands(at).iter();
            lists.append_value(names.map(|name| Some(self.all.get(*name))));
        }
        Arc::new(lists.finish())
    }

    /// The fields of records, in their order.
    fn arrays(&self) -> [(&'static str, ArrayRef); 14] {
        [
            ("module", self.texts(|all, of| Some(all.owner(of).module))),
            ("computation", self.texts(|all, of| Some(all.owner(of).name))),
            ("is_entry", self.flags(|all, of| all.owner(of).is_entry)),
            ("line", self.counts(|_, of| Some(of.line))),
            ("name", self.texts(|_, of| Some(of.name))),
            ("opcode", self.texts(|_, of| Some(of.opcode))),
            ("shape", self.column::<_, StringArray>(|all, of| Some(all.shape_text(of).to_owned()))),
            ("operands", self.operands()),
            ("allocated_bytes", self.counts(|all, of| Some(all.bytes(of)?.0))),
            ("unpadded_bytes", self.counts(|all, of| Some(all.bytes(of)?.1))),
            ("op_name", self.texts(|_, of| of.op_name)),
            ("source_file", self.texts(|_, of| of.source_file)),
            ("source_line", self.counts(|_, of| of.source_line)),
            ("is_root", self.flags(|_, of| of.is_root)),
        ]
    }
}

/// The values of a column of any of the types above.
fn to_list<'py>(py: Python<'py>, column: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    match column.data_type() {
        DataType::Boolean => PyList::new(py, column.as_boolean().iter().collect::<Vec<_>>()),
        DataType::UInt64 => {
            PyList::new(py, column.as_primitive::<UInt64Type>().iter().collect::<Vec<_>>())
        }
        DataType::Utf8 => PyList::new(py, column.as_string::<i32>().iter().collect::<Vec<_>>()),
        _ => {
            let lists = column.as_list::<i32>().iter().flatten().map(|list| to_list(py, &list));
            PyList::new(py, lists.collect::<PyResult<Vec<_>>>()?)
        }
    }
}

#[pymethods]
impl PyRecords {
    fn __len__(&self) -> usize {
        self.len()
    }

    /// A record, or the records of a slice.
    fn __getitem__<'py>(&self, at: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, length) = (at.py(), self.len());
        if let Ok(slice) = at.cast::<PySlice>() {
            let range = py
                .get_type::<PyRange>()
                .call1(slice.indices(length.try_into()?).map(|of| (of.start, of.stop, of.step))?)?;
            let numbers = range.extract::<Vec<usize>>()?.into_iter();
            let slice = Some(numbers.filter_map(|at| self.number(at)).collect());
            let (all, unread) = (Arc::clone(&self.all), self.unread.clone());
            return Ok(Bound::new(py, PyRecords { all, slice, unread })?.into_any());
        }
        let Position(at) = at.extract()?;
        let from_end = usize::try_from(at.unsigned_abs()).ok();
        let from_end = from_end.and_then(|back| length.checked_sub(back));
        let at = if at < 0 { from_end } else { usize::try_from(at).ok() };
        let beyond = || PyIndexError::new_err("there are fewer instructions");
        let number = at.and_then(|at| self.number(at)).ok_or_else(beyond)?;
        Ok(Bound::new(py, self.all.record(number))?.into_any())
    }

    /// Records are made one after the other.
    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Items<'py, PyRecord>> {
        let py = slf.py();
        let numbers = py.get_type::<PyRange>().call1((slf.get().len(),))?;
        let map = py.import("builtins")?.getattr("map")?;
        Ok(map.call1((slf.getattr("__getitem__")?, numbers))?.into())
    }

    /// A list per field, for `pandas.DataFrame(records.columns())`.
    #[pyo3(signature = () -> "dict[str, list[typing.Any]]")]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for (field, column) in self.arrays() {
            columns.set_item(field, to_list(py, &column)?)?;
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
        format!("<HloRecords: {} instructions>", self.len())
    }
}
