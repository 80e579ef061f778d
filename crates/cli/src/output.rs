//! Output: standard output or a file, with a progress bar for long answers.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use tensor_layout::notation::Notation;
use tensor_layout::rows::WriteError;
use tensor_layout::{LayoutError, LayoutText};

use super::failure::{Failure, note};
use super::files::{Files, UnfinishedFile};
use super::input::Form;

/// The most files that one command writes.
pub(super) const MOST_FILES: u64 = 1 << 20;

/// Standard output, or a file that appears under its name only when it is complete.
pub(super) enum Output {
    Stdout(BufWriter<io::Stdout>),
    File(BufWriter<File>, PathBuf, UnfinishedFile),
    /// Written in place: a device or pipe, which cannot be replaced, or a file of an incomplete
    /// directory.
    Open(BufWriter<File>, PathBuf),
}

impl Output {
    pub(super) fn new(path: Option<&Path>) -> Result<Output, Failure> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Output::Stdout(BufWriter::with_capacity(1 << 16, io::stdout())));
        };
        let failed = |error| Failure::Io(path.display().to_string(), error);
        if path.exists() && !path.is_file() {
            let device = File::options().write(true).open(path).map_err(failed)?;
            return Ok(Output::Open(BufWriter::with_capacity(1 << 16, device), path.into()));
        }
        let (file, part) = UnfinishedFile::new(path).map_err(failed)?;
        Ok(Output::File(BufWriter::with_capacity(1 << 16, file), path.into(), part))
    }

    /// A file of an incomplete directory.
    pub(super) fn within(files: &Files, name: &Path) -> Result<Output, Failure> {
        let (file, said) = files.file(name)?;
        Ok(Output::Open(BufWriter::with_capacity(1 << 16, file), said))
    }

    /// Flushes, and gives a file its name.
    pub(super) fn finish(self) -> Result<(), Failure> {
        match self {
            Output::Stdout(mut out) => out.flush().map_err(stdout_failed),
            Output::Open(mut out, path) => {
                out.flush().map_err(|error| Failure::Io(path.display().to_string(), error))
            }
            Output::File(mut out, path, part) => {
                let finished = out.flush().and_then(|()| part.finish());
                finished.map_err(|error| Failure::Io(path.display().to_string(), error))
            }
        }
    }

    pub(super) fn failed(&self, error: io::Error) -> Failure {
        match self {
            Output::Stdout(_) => stdout_failed(error),
            Output::File(_, path, _) | Output::Open(_, path) => {
                Failure::Io(path.display().to_string(), error)
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Stdout(out) => out.write(bytes),
            Output::File(out, ..) => out.write(bytes),
            Output::Open(out, _) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Stdout(out) => out.flush(),
            Output::File(out, ..) => out.flush(),
            Output::Open(out, _) => out.flush(),
        }
    }
}

pub(super) fn stdout_failed(error: io::Error) -> Failure {
    Failure::Io("standard output".into(), error)
}

/// The extension of a file name, in lower case; empty without one.
pub(super) fn extension_of(path: &Path) -> String {
    path.extension().map_or_else(String::new, |end| end.to_string_lossy().to_ascii_lowercase())
}

/// When output has colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, clap::ValueEnum)]
enum Color {
    /// In a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

static COLOR: OnceLock<Color> = OnceLock::new();

// When output has colours.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Colored {
    /// When to colour text.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,
}

impl Colored {
    /// Sets the choice for this run, whose answer may be JSON.
    pub(super) fn choose_for(self, json: bool) {
        if json && self.color != Color::Auto {
            note("--color has no effect on JSON");
        }
        self.choose();
    }

    /// Sets the choice for this run.
    pub(super) fn choose(self) {
        COLOR.get_or_init(|| self.color);
    }
}

/// Returns whether text for standard output or a file is coloured.
pub(super) fn is_colored(to_stdout: bool) -> bool {
    match COLOR.get() {
        Some(Color::Always) => true,
        Some(Color::Never) => false,
        _ => {
            let plain = std::env::var_os("NO_COLOR").is_some();
            to_stdout && io::stdout().is_terminal() && !plain
        }
    }
}

/// The columns of the terminal, at least 40; 80 without a terminal.
pub(super) fn width() -> usize {
    const NARROWEST: usize = 40;
    let size = io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
    size.map_or(80, |(terminal_size::Width(columns), _)| usize::from(columns).max(NARROWEST))
}

/// Prints a short answer.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = Output::new(None)?;
    writeln!(out, "{}", text.trim_end()).map_err(stdout_failed)?;
    out.finish()
}

/// Prints a layout in a notation, and on stderr the parts that the notation cannot express.
pub(super) fn print_layout(
    written: Result<(String, Option<String>), LayoutError>,
    syntax: &LayoutText,
    notation: Notation,
    form: Form,
) -> Result<(), Failure> {
    let (text, lost) = written.map_err(|error| syntax.refuse(error))?;
    if form.is_json() {
        let name = notation.name();
        return print(&json!({ "layout": text, "notation": name, "lost": lost }).to_string());
    }
    if let Some(lost) = lost {
        note(&lost);
    }
    print(&text)
}

/// Gives the file its name, or returns the failure.
pub(super) fn done(written: Result<(), WriteError>, out: Output) -> Result<(), Failure> {
    match written {
        Ok(()) => out.finish(),
        Err(WriteError::Io(error)) => Err(out.failed(error)),
        Err(WriteError::Table(error)) => Err(error.into()),
        Err(error) => Err(Failure::Argument(error.to_string())),
    }
}

/// Ends a command that reads `source`.
pub(super) fn done_from(
    written: Result<(), WriteError>,
    out: Output,
    source: &Path,
) -> Result<(), Failure> {
    match written {
        Err(WriteError::Read(error)) => Err(Failure::Io(source.display().to_string(), error)),
        written => done(written, out),
    }
}

/// A progress bar of bytes read, on stderr if that is a terminal; without a length, a counter.
pub(super) fn byte_progress(length: u64) -> ProgressBar {
    /// Shorter texts are read before a bar can be seen.
    const SHORT: u64 = 32 << 20;
    if !io::stderr().is_terminal() || (1..SHORT).contains(&length) {
        return ProgressBar::hidden();
    }
    let template = "{bar:40} {bytes}/{total_bytes} {eta}";
    let (bar, template) = match length {
        0 => (ProgressBar::no_length(), "{spinner} {bytes}"),
        _ => (ProgressBar::new(length), template),
    };
    let style = ProgressStyle::with_template(template);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// A progress bar on stderr, if that is a terminal on which no rows are being printed.
pub(super) fn progress(rows: u64, to_file: bool) -> ProgressBar {
    let hidden = !io::stderr().is_terminal() || (!to_file && io::stdout().is_terminal());
    if hidden {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} rows {eta}");
    ProgressBar::new(rows).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
