//! Long calls: done in parts, without the GIL, interruptible by Ctrl-C, with progress reports.

use std::ops::{ControlFlow, Range};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tensor_layout::program::Program;

use crate::refusal::Answer;

/// The number of cells to process between checks for signals: a few milliseconds of work.
pub(crate) const PART: u64 = 1 << 22;

/// The longest that signals wait while a thread works.
const PATIENCE: Duration = Duration::from_millis(50);

/// Works on consecutive windows of a program in the tensor; `copies` is the number of cells that the
/// work moves per element.
pub(crate) fn in_windows(
    py: Python<'_>,
    program: &Program,
    copies: u64,
    progress: Option<&Bound<'_, PyAny>>,
    mut work: impl FnMut(&Program, Range<usize>) -> Answer<()>,
) -> Answer<()> {
    let (mut done, all) = (0, program.elements());
    for window in program.windows((PART / copies.max(1)).max(1)) {
        let next = done + window.elements();
        work(&window, index(done)..index(next))?;
        done = next;
        py.check_signals()?;
        report(progress, done, all)?;
    }
    if all == 0 { report(progress, 0, 0) } else { Ok(()) }
}

/// Consecutive ranges that cover `all`, each of `PART` cells except for the last.
pub(crate) fn parts(all: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let starts =
        (0..all.end.saturating_sub(all.start).div_ceil(PART)).map(move |at| all.start + at * PART);
    starts.map(move |start| start..all.end.min(start.saturating_add(PART)))
}

/// Calls `progress(done, all)`; an exception that it raises ends the call.
pub(crate) fn report(progress: Option<&Bound<'_, PyAny>>, done: u64, all: u64) -> Answer<()> {
    if let Some(progress) = progress {
        progress.call1((done, all))?;
    }
    Ok(())
}

/// A number of cells that are in memory, as `usize`.
pub(crate) fn index(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

/// Raises the exception of a pending signal, such as Ctrl-C.
pub(crate) fn check_signals() -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        Ok(())
    })
}

/// Checks the caller's thread for signals during a call that asks whether to continue.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    call: impl FnOnce(&mut dyn FnMut() -> bool) -> T + Send,
) -> PyResult<T> {
    let mut raised = None;
    let answer = py.detach(|| {
        call(&mut || {
            if raised.is_none() {
                raised = check_signals().err();
            }
            raised.is_none()
        })
    });
    raised.map_or(Ok(answer), Err)
}

/// A worker thread that runs some items ahead, until it has no more or the consumer stops.
#[derive(Debug)]
pub(crate) struct Ahead<T> {
    items: Receiver<T>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> Ahead<T> {
    /// Starts work, which sends its items until it receives `Break`.
    pub(crate) fn start(
        name: &str,
        ahead: usize,
        work: impl FnOnce(&mut dyn FnMut(T) -> ControlFlow<()>) + Send + 'static,
    ) -> std::io::Result<Ahead<T>> {
        let (send, items) = sync_channel(ahead);
        let thread = std::thread::Builder::new().name(name.into()).spawn(move || {
            work(&mut |item| match send.send(item) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            });
        })?;
        Ok(Ahead { items, thread: Some(thread) })
    }

    /// The next item, `None` after the last; an exception from a signal ends the wait.
    pub(crate) fn next(&mut self, check_signals: impl Fn() -> PyResult<()>) -> PyResult<Option<T>> {
        loop {
            check_signals()?;
            match self.items.recv_timeout(PATIENCE) {
                Ok(item) => return Ok(Some(item)),
                Err(RecvTimeoutError::Disconnected) => return self.end(),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Ends the iteration after the last item; fails if the thread panicked.
    fn end(&mut self) -> PyResult<Option<T>> {
        match self.thread.take().map(JoinHandle::join) {
            Some(Err(_)) => Err(PyRuntimeError::new_err("a thread of the library panicked")),
            _ => Ok(None),
        }
    }
}
