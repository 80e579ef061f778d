//! The command line: arguments to a request, a library call, its answer as text.

mod args;
mod input;
mod json;
mod output;
mod run;

use std::process::ExitCode;

use clap::Parser;

/// Runs the command line; the exit code is 0, or 2 for bad input.
pub(crate) fn main() -> ExitCode {
    let args = args::Args::parse();
    match run::run(args.command) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
