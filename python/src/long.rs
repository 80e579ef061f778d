//! Long calls: in parts, without the interpreter's lock, ended by Ctrl-C, told about.

use std::ops::Range;

use pyo3::prelude::*;
use tensor_layout::LayoutError;
use tensor_layout::program::Program;

use crate::refusal::Answer;

/// How many elements are worked on before signals are looked at: some milliseconds.
pub(crate) const PART: u64 = 1 << 22;

/// Works on windows of a program, which follow each other in the tensor.
pub(crate) fn in_windows(
    py: Python<'_>,
    program: &Program,
    progress: Option<&Bound<'_, PyAny>>,
    mut work: impl FnMut(&Program, Range<usize>) -> Result<(), LayoutError> + Send,
) -> Answer<()> {
    let all = program.elements();
    if all <= PART {
        py.detach(|| work(program, 0..index(all)))?;
        return tell(progress, all, all);
    }
    let mut done = 0;
    for window in program.windows(PART) {
        let next = done + window.elements();
        py.detach(|| work(&window, index(done)..index(next)))?;
        done = next;
        py.check_signals()?;
        tell(progress, done, all)?;
    }
    Ok(())
}

/// Calls `progress(done, all)`; what it raises ends the call.
pub(crate) fn tell(progress: Option<&Bound<'_, PyAny>>, done: u64, all: u64) -> Answer<()> {
    if let Some(progress) = progress {
        progress.call1((done, all))?;
    }
    Ok(())
}

/// A number of cells, which are there.
pub(crate) fn index(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}
