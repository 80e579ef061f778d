//! The moves of a relayout, one by one.
//!
//! The iterator borrows the relayout, which Python cannot express; so a separate thread iterates,
//! some batches ahead, until there are none left or the consumer stops.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use tensor_layout::relayout::{PlaceRun, Relayout, Transfer};

use crate::location::PyLocation;
use crate::long::{Ahead, check_signals};
use crate::refusal::Answer;

/// The number of transfers in a batch from the thread, and the most batches that may be waiting.
const BATCH: usize = 1 << 10;
const AHEAD: usize = 4;

/// The moves of a relayout, as an iterator.
#[pyclass(name = "Transfers", frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyTransfers(Mutex<Batched>);

#[derive(Debug)]
struct Batched {
    batches: Ahead<Vec<Transfer>>,
    ready: std::vec::IntoIter<Transfer>,
}

impl PyTransfers {
    pub(crate) fn of(pair: Arc<Relayout>) -> Answer<PyTransfers> {
        // Errors are raised now, not with the first move.
        drop(pair.transfers()?);
        let batches = Ahead::start("transfers", AHEAD, move |send| {
            let Ok(mut transfers) = pair.transfers() else { return };
            loop {
                let batch: Vec<Transfer> = transfers.by_ref().take(BATCH).collect();
                if batch.is_empty() || send(batch).is_break() {
                    return;
                }
            }
        })?;
        Ok(PyTransfers(Mutex::new(Batched { batches, ready: Vec::new().into_iter() })))
    }
}

#[pymethods]
impl PyTransfers {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyTransfer>> {
        let next = py.detach(|| {
            let mut walk = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if walk.ready.as_slice().is_empty() {
                walk.ready = walk.batches.next(check_signals)?.unwrap_or_default().into_iter();
            }
            Ok::<_, PyErr>(walk.ready.next())
        });
        Ok(next?.map(PyTransfer))
    }
}

/// Elements that move together from one unit to one or more units.
#[pyclass(name = "Transfer", frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyTransfer(Transfer);

fn run(run: PlaceRun) -> (u64, i64) {
    (run.start, run.step)
}

#[pymethods]
impl PyTransfer {
    /// The distance: `address`, `memory` or the outermost level at which the paths part.
    #[getter]
    fn distance(&self) -> String {
        self.0.distance.to_string()
    }

    /// The row-major number of the first element; the others follow it.
    #[getter]
    fn element(&self) -> u64 {
        self.0.element
    }

    /// The number of elements.
    #[getter]
    fn length(&self) -> u64 {
        self.0.length
    }

    /// The sending unit; for a memory shared by units, the first of these units.
    #[getter]
    fn source(&self) -> PyLocation {
        PyLocation(self.0.source.clone())
    }

    /// The receiving units; for a memory shared by units, the first of these units.
    #[getter]
    fn destinations(&self) -> Vec<PyLocation> {
        self.0.destinations.iter().cloned().map(PyLocation).collect()
    }

    /// The first address that is read, and the step to the next one.
    #[getter]
    fn read(&self) -> (u64, i64) {
        run(self.0.read)
    }

    /// The first address that is written in every destination, and the step to the next one.
    #[getter]
    fn write(&self) -> (u64, i64) {
        run(self.0.write)
    }

    fn __repr__(&self) -> String {
        let Transfer { distance, length, source, destinations, .. } = &self.0;
        let elements = if *length == 1 { "element" } else { "elements" };
        let to = match &destinations[..] {
            [only] => only.to_string(),
            several => format!("{} units", several.len()),
        };
        format!("<Transfer: {distance}, {length} {elements} from {source} to {to}>")
    }
}
