//! The command line of the crate's program.

use std::ffi::OsString;
use std::process::ExitCode;

use pyo3::prelude::*;

/// Runs the command and returns its exit code; `arguments` begin with the name of the program, and `program`
/// is the command that starts it again.
#[pyfunction]
#[pyo3(signature = (arguments: "list[str]", program: "list[str]") -> "int")]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>, program: Vec<OsString>) -> u8 {
    let code = py.detach(|| tensor_layout_cli::main_of(program, arguments));
    match code {
        code if code == ExitCode::SUCCESS => 0,
        code if code == ExitCode::from(1) => 1,
        _ => 2,
    }
}
