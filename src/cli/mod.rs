//! The command line: arguments to a request, a library call, its answer as text.

mod args;
mod draw;
mod edit;
mod input;
mod json;
mod output;
mod pack;
mod relayout;
mod run;
mod table;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

/// Runs the command line; the exit code is 0, or 2 for bad input.
pub(crate) fn main() -> ExitCode {
    // Matches tell the order of arguments, which the steps of an edit need.
    let matches = args::Args::command().get_matches();
    let args = args::Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match run::run(args.command, &matches) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
