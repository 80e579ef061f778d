//! The `tensor-layout` command: a thin wrapper around the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    tensor_layout_cli::main(std::env::args_os())
}
