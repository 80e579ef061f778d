//! The command line: arguments to a request, a library call, its answer as text.
//!
//! A file per command, with its arguments and its help; what commands share stands in `input`
//! (texts, machines, numbers), `output`, `json`, `failure`, `picture` and `image`.

mod convert;
mod draw;
mod edit;
mod element;
mod explain;
mod failure;
mod hlo;
mod image;
mod input;
mod json;
mod locate;
mod output;
mod pack;
mod picture;
mod relayout;
mod same;
mod table;
mod unpack;

use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use failure::Failure;

/// Says where every element of a tensor lives.
#[derive(Debug, Parser)]
#[command(
    name = "tensor-layout",
    version,
    about,
    max_term_width = 80,
    after_help = "\
A LAYOUT is PadLayout text such as '((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))',
an XLA shape such as 'bf16[8,128]{1,0:T(8,128)(2,1)}', a CuTe layout such as
'((2,2),3):((24,2),8)', strides such as 'shape=(2, 3), strides=(3, 1)', or - to
read one from standard input.

Exit codes: 0 done; 1 not the same; 2 bad input, with the reason on stderr and
nothing on stdout.

Examples:
  tensor-layout explain '(10,7)/((3:7, 4_PE), (7:1))'
  tensor-layout locate '((12:8), (8:1))' 3,5 --machine mn-core --json
  tensor-layout table '((4_PE, 3:8), (8:1))' --at PE=2"
)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Table(table::Table),
    Pack(pack::Pack),
    Unpack(unpack::Unpack),
    Locate(locate::Locate),
    Element(element::Element),
    Explain(explain::Explain),
    Draw(draw::Draw),
    Convert(convert::Convert),
    Same(same::Same),
    Relayout(relayout::Relayout),
    Edit(Box<edit::Edit>),
    Hlo(hlo::Hlo),
}

impl Command {
    fn run(&self, matches: &ArgMatches) -> Result<ExitCode, Failure> {
        match self {
            Command::Same(command) => return command.run(),
            Command::Edit(command) => command.run(matches.subcommand().map(|(_, steps)| steps))?,
            Command::Table(command) => command.run()?,
            Command::Pack(command) => command.run()?,
            Command::Unpack(command) => command.run()?,
            Command::Locate(command) => command.run()?,
            Command::Element(command) => command.run()?,
            Command::Explain(command) => command.run()?,
            Command::Draw(command) => command.run()?,
            Command::Convert(command) => command.run()?,
            Command::Relayout(command) => command.run()?,
            Command::Hlo(command) => command.run()?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Runs the command line; the exit code is 0, 1 for "not the same", or 2 for bad input.
pub(crate) fn main() -> ExitCode {
    // Matches tell the order of arguments, which the steps of an edit need.
    let matches = Args::command().get_matches();
    let args = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    args.command.run(&matches).unwrap_or_else(Failure::report)
}
