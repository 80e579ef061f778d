//! The command line: parses the arguments, calls the library and prints the answer.
//!
//! Each command has a file with its arguments and its help; shared parts are in `input`
//! (texts, machines, numbers), `output`, `files`, `interrupt`, `json`, `failure`, `slips`, `picture` and
//! `image`.

mod access;
mod bitcast;
#[cfg(feature = "plan")]
mod check;
mod convert;
mod devices;
mod draw;
mod edit;
mod element;
mod explain;
mod explore;
mod failure;
mod files;
mod formats;
mod hlo;
mod image;
mod in_place;
mod input;
mod interrupt;
mod json;
mod lists;
mod locate;
mod modes;
mod output;
mod pack;
mod picture;
mod places;
mod placing;
#[cfg(feature = "plan")]
mod plan;
mod program;
mod relayout;
mod rematerialized;
mod route;
mod same;
mod scan;
mod shell;
mod slips;
mod table;
mod unpack;
#[cfg(feature = "vectors")]
mod vectors;
mod wrap;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use failure::Failure;

pub use explore::explore_page;

/// Says where every element of a tensor lives.
#[derive(Debug, Parser)]
#[command(
    name = "tensor-layout",
    version,
    about,
    max_term_width = 100,
    after_help = "\
A LAYOUT is PadLayout text such as
'((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))', an XLA shape such as
'bf16[8,128]{1,0:T(8,128)(2,1)}', a CuTe layout such as '((2,2),3):((24,2),8)',
strides such as 'shape=(2, 3), strides=(3, 1)', or - to read one from standard
input. Put it in quotes: shells interpret brackets and braces.

Exit codes: 0 success; 1 not the same, or wrong; 2 bad input, with the reason on stderr
and nothing on stdout; 130 stopped by Ctrl-C.

Files: output appears under the name FILE only when it is complete; the files of
a DIR appear together. Ctrl-C, SIGTERM and SIGHUP leave nothing behind, unless
the caller ignores one of them; other signals may leave a hidden file or
directory such as .FILE.XXXXXX.part, which you can delete. If FILE or DIR is a
link, its target is written. A file without write permission is not replaced.

Examples:
  tensor-layout explain '(10,7)/((3:7, 4_PE), (7:1))'
  tensor-layout locate '((12:8), (8:1))' 3,5 --machine PE=4 --json
  tensor-layout table '((4_PE, 3:8), (8:1))' --at PE=2"
)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Explain(explain::Explain),
    Locate(locate::Locate),
    Element(element::Element),
    Table(table::TableArgs),
    Draw(draw::DrawArgs),
    #[cfg(feature = "explore")]
    Explore(explore::Explore),
    Same(same::Same),
    Convert(convert::Convert),
    Edit(Box<edit::Edit>),
    Relayout(relayout::RelayoutArgs),
    Access(access::AccessArgs),
    Route(route::RouteArgs),
    #[cfg(feature = "plan")]
    Check(check::CheckArgs),
    #[cfg(feature = "plan")]
    Plan(plan::PlanArgs),
    Pack(pack::Pack),
    Unpack(unpack::Unpack),
    Scan(scan::Scan),
    Hlo(hlo::Hlo),
    #[cfg(feature = "vectors")]
    Vectors(vectors::Vectors),
    Machines(lists::Machines),
    Dtypes(lists::Dtypes),
    Notations(lists::Notations),
    Completions(shell::Completions),
    Man(shell::Man),
}

impl Command {
    fn run(&self, matches: &ArgMatches) -> Result<ExitCode, Failure> {
        match self {
            Command::Same(command) => return command.run(),
            #[cfg(feature = "plan")]
            Command::Check(command) => return command.run(),
            #[cfg(feature = "plan")]
            Command::Plan(command) => command.run()?,
            #[cfg(feature = "vectors")]
            Command::Vectors(command) => {
                return command.run(matches.subcommand().map(|(_, matches)| matches));
            }
            Command::Edit(command) => command.run(matches.subcommand().map(|(_, steps)| steps))?,
            Command::Completions(command) => command.run(self::command())?,
            Command::Man(command) => command.run(self::command())?,
            Command::Explain(command) => command.run()?,
            Command::Locate(command) => command.run()?,
            Command::Element(command) => command.run()?,
            Command::Table(command) => command.run()?,
            Command::Draw(command) => command.run()?,
            #[cfg(feature = "explore")]
            Command::Explore(command) => command.run()?,
            Command::Convert(command) => command.run()?,
            Command::Relayout(command) => command.run()?,
            Command::Access(command) => command.run()?,
            Command::Route(command) => command.run()?,
            Command::Pack(command) => command.run()?,
            Command::Unpack(command) => command.run()?,
            Command::Scan(command) => command.run()?,
            Command::Hlo(command) => command.run()?,
            Command::Machines(command) => command.run()?,
            Command::Dtypes(command) => command.run()?,
            Command::Notations(command) => command.run()?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// As [`main`], in a process whose executable is another program: `program` starts this one again.
pub fn main_of(program: Vec<OsString>, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    program::set(program);
    main(arguments)
}

/// Runs the command line, whose first argument is the program name; the exit code is 0, 1 for "not the same",
/// or 2 for bad input.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let as_json = arguments.iter().any(|argument| argument == "--json")
        || arguments.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json")
        || arguments.iter().any(|argument| argument == "--format=json");
    // Matches keep the order of arguments, which the steps of an edit need.
    let parsed = command().try_get_matches_from(&arguments);
    let parsed = parsed.and_then(|matches| Ok((Args::from_arg_matches(&matches)?, matches)));
    let (args, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return usage(&error, &arguments, as_json),
    };
    args.command.run(&matches).unwrap_or_else(|failure| failure.report(as_json))
}

/// Prints help, the version, or an error in the arguments.
fn usage(error: &clap::Error, arguments: &[OsString], as_json: bool) -> ExitCode {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return printed(error, as_json);
    }
    let expanded = arguments.iter().filter_map(|argument| argument.to_str());
    let advice = expanded.filter_map(slips::from_shell).next();
    if let Some(advice) = advice {
        let message = "there are more arguments than the command takes".into();
        return Failure::Advised(message, advice).report(as_json);
    }
    if let Some((message, help)) = remedy(error, arguments) {
        return Failure::Advised(message, help).report(as_json);
    }
    if as_json {
        let text = error.render().to_string();
        let message = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
        return Failure::Argument(message.trim_end().into()).report(true);
    }
    printed(error, as_json)
}

/// The error and its remedy, for errors that we can explain better than clap.
fn remedy(error: &clap::Error, arguments: &[OsString]) -> Option<(String, String)> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let stray = text(ContextKind::InvalidArg)?;
            let words = arguments.iter().filter_map(|word| word.to_str());
            let rest: Vec<&str> = words.skip_while(|word| *word != stray).collect();
            slips::unexpected(stray, &rest, &command_of(arguments))
        }
        ErrorKind::MissingRequiredArgument => match error.get(ContextKind::InvalidArg)? {
            ContextValue::Strings(needed) => slips::missing(needed, &command_of(arguments)),
            _ => None,
        },
        ErrorKind::InvalidSubcommand => slips::not_a_command(text(ContextKind::InvalidSubcommand)?),
        _ => None,
    }
}

fn command() -> clap::Command {
    Args::command().mut_subcommand("edit", |edit| edit.args(edit::options()))
}

/// The command or subcommand that the arguments name.
fn command_of(arguments: &[OsString]) -> clap::Command {
    let mut names = arguments.iter().skip(1);
    let mut command = command();
    while let Some(found) = names.next().and_then(|name| command.find_subcommand(name)) {
        command = found.clone();
    }
    command
}

/// Prints clap's message without exiting, so that an embedding program continues.
fn printed(error: &clap::Error, as_json: bool) -> ExitCode {
    match error.print().and_then(|()| io::stdout().flush()) {
        _ if error.use_stderr() => ExitCode::from(2),
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => output::stdout_failed(why).report(as_json),
    }
}
