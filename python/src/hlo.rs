//! Compiler dumps: their text, whatever it is given by, read into records.

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tensor_layout_hlo::{HloDump, HloTextKind};

use crate::long::index;
use crate::records::{Columns, PyRecords};
use crate::refusal::{Answer, of_file, refused};

/// The number of instructions to read between checks for signals.
const BATCH: usize = 1 << 15;

/// The length of the beginning by which the kind of a text is known.
const HEAD: u64 = 1 << 20;

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
        return of_kind(found, kind);
    }
    let path_of: PathBuf = path.extract()?;
    let mut file = File::open(&path_of).map_err(|error| of_file(&path_of, &error))?;
    let mut head = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut head)?;
    let kind = HloTextKind::of(&head);
    let all = BufReader::with_capacity(1 << 18, std::io::Cursor::new(head).chain(file));
    of_kind(records(path.py(), HloDump::new(all), progress)?, kind)
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
    let mut columns = Columns::default();
    while py.detach(|| add_batch(&mut dump, &mut columns))? {
        py.check_signals()?;
        if let Some(progress) = progress {
            progress.call1((dump.bytes(),))?;
        }
    }
    let unread = dump.reading().lines.iter().map(|line| (line.line, line.text.clone()));
    Ok(PyRecords::new(columns, unread.collect()))
}

/// Adds whole computations, about as many instructions as a batch has; returns whether there were any.
fn add_batch<R: BufRead>(dump: &mut HloDump<R>, columns: &mut Columns) -> std::io::Result<bool> {
    let before = columns.len();
    while columns.len() - before < BATCH {
        let Some(computation) = dump.next_computation()? else { break };
        columns.add(computation);
    }
    Ok(columns.len() > before)
}

/// Rejects a text of another kind in which there are no instructions.
fn of_kind(records: PyRecords, kind: HloTextKind) -> Answer<PyRecords> {
    if kind == HloTextKind::Mlir && records.is_empty() {
        return refused(
            "this is StableHLO, which has no instructions of XLA: pass what `jax.jit(f).lower(..)` returns, or \
             its `as_text(\"hlo\")`",
        );
    }
    Ok(records)
}
