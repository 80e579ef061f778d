//! The `tensor-layout` command: a thin face of the library.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
