//! Long calls: in parts, without the interpreter's lock, ended by Ctrl-C, told about.

use std::ops::{ControlFlow, Range};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tensor_layout::program::Program;

use crate::refusal::Answer;

/// The number of cells that are worked on before signals are looked at: some milliseconds.
pub(crate) const PART: u64 = 1 << 22;

/// The longest that signals wait while a thread works.
const PATIENCE: Duration = Duration::from_millis(50);

/// Works on windows of a program, which follow each other in the tensor; `copies` is how many cells the
/// work moves for an element.
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

/// Ranges that follow each other up to `all`, each of `PART` cells or what is left.
pub(crate) fn parts(all: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let starts =
        (0..all.end.saturating_sub(all.start).div_ceil(PART)).map(move |at| all.start + at * PART);
    starts.map(move |start| start..all.end.min(start.saturating_add(PART)))
}

/// Calls `progress(done, all)`; what it raises ends the call.
pub(crate) fn report(progress: Option<&Bound<'_, PyAny>>, done: u64, all: u64) -> Answer<()> {
    if let Some(progress) = progress {
        progress.call1((done, all))?;
    }
    Ok(())
}

/// A number of cells, which are there.
pub(crate) fn index(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

/// Raises what a signal, such as Ctrl-C, asks for.
pub(crate) fn check_signals() -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        Ok(())
    })
}

/// Asks a caller's thread for signals during a call that asks whether to go on.
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

/// A thread of its own that works some items ahead, until it has no more or nobody asks any more.
#[derive(Debug)]
pub(crate) struct Ahead<T> {
    items: Receiver<T>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> Ahead<T> {
    /// Starts work, which sends its items until it hears `Break`.
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

    /// The next item, `None` after the last; what signals raise ends the wait.
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

    /// After the last item; one of a thread that panicked is not the last.
    fn end(&mut self) -> PyResult<Option<T>> {
        match self.thread.take().map(JoinHandle::join) {
            Some(Err(_)) => Err(PyRuntimeError::new_err("a thread of the library panicked")),
            _ => Ok(None),
        }
    }
}
