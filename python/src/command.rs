//! The command line, as the program of the crate has it.

use std::ffi::OsString;
use std::process::ExitCode;

use pyo3::prelude::*;

/// Runs the command; `arguments` begin with the name of the program. The answer is the exit code.
#[pyfunction]
#[pyo3(signature = (arguments: "list[str]") -> "int")]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let code = py.detach(|| tensor_layout_cli::main(arguments));
    match code {
        code if code == ExitCode::SUCCESS => 0,
        code if code == ExitCode::from(1) => 1,
        _ => 2,
    }
}
