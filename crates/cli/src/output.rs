//! Output: standard output or a file, with a progress bar for long answers.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use tensor_layout::error::WriteError;
use tensor_layout::notation::Notation;
use tensor_layout::{LayoutError, LayoutText};

use super::failure::{Failure, note};
use super::files::{Files, UnfinishedFile};
use super::input::Form;

/// The most files that one command writes.
pub(super) const MOST_FILES: u64 = 1 << 20;

/// Standard output, or a file that appears under its name only when it is complete.
pub(super) struct Output {
    out: BufWriter<Box<dyn Write + Send>>,
    /// The path as the user wrote it; `None` for standard output.
    path: Option<PathBuf>,
    /// `None` for files that are written in place: a device or pipe, which cannot be replaced, or a file of
    /// an incomplete directory.
    part: Option<UnfinishedFile>,
}

impl Output {
    pub(super) fn new(path: Option<&Path>) -> Result<Output, Failure> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Output::to(io::stdout(), None, None));
        };
        let failed = |error| Failure::Io(path.display().to_string(), error);
        if path.exists() && !path.is_file() {
            let device = File::options().write(true).open(path).map_err(failed)?;
            return Ok(Output::to(device, Some(path.into()), None));
        }
        let (file, part) = UnfinishedFile::new(path).map_err(failed)?;
        Ok(Output::to(file, Some(path.into()), Some(part)))
    }

    fn to(
        out: impl Write + Send + 'static,
        path: Option<PathBuf>,
        part: Option<UnfinishedFile>,
    ) -> Output {
        Output { out: BufWriter::with_capacity(1 << 16, Box::new(out)), path, part }
    }

    /// A file of an incomplete directory.
    pub(super) fn within(files: &Files, name: &Path) -> Result<Output, Failure> {
        let (file, said) = files.file(name)?;
        Ok(Output::to(file, Some(said), None))
    }

    /// Flushes, and gives a file its name.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        let (flushed, part) = (self.out.flush(), self.part.take());
        let finished = flushed.and_then(|()| part.map_or(Ok(()), UnfinishedFile::finish));
        finished.map_err(|error| self.failed(error))
    }

    pub(super) fn failed(&self, error: io::Error) -> Failure {
        match &self.path {
            Some(path) => Failure::Io(path.display().to_string(), error),
            None => stdout_failed(error),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes an answer to a file, or to standard output.
pub(super) fn write_to(
    path: Option<&Path>,
    write: impl FnOnce(&mut Output) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut out = Output::new(path)?;
    write(&mut out).map_err(|error| out.failed(error))?;
    out.finish()
}

/// Reads the name of a file that is written beside the answer.
pub(super) fn beside_answer(name: &str) -> Result<PathBuf, String> {
    match name {
        "-" => Err("standard output has the answer; name a file".into()),
        name => Ok(name.into()),
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
    write_to(None, |out| writeln!(out, "{}", text.trim_end()))
}

/// Prints a short answer as JSON or as text.
pub(super) fn print_as(
    form: Form,
    json: impl FnOnce() -> Value,
    text: impl FnOnce() -> String,
) -> Result<(), Failure> {
    print(&if form.is_json() { json().to_string() } else { text() })
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

/// Gives the file its name, or returns the failure; `source` is the file that was read, if any.
pub(super) fn done(
    written: Result<(), WriteError>,
    out: Output,
    source: Option<&Path>,
) -> Result<(), Failure> {
    match written {
        Ok(()) => out.finish(),
        Err(error) => Err(not_written(error, source, |error| out.failed(error))),
    }
}

/// The failure to write a table or an image; `failed` is that of the target.
pub(super) fn not_written(
    error: WriteError,
    source: Option<&Path>,
    failed: impl FnOnce(io::Error) -> Failure,
) -> Failure {
    match (error, source) {
        (WriteError::Io(error), _) => failed(error),
        (WriteError::Read(error), Some(source)) => Failure::Io(source.display().to_string(), error),
        (WriteError::Table(error), _) => error.into(),
        (error, _) => Failure::Argument(error.to_string()),
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

/// A line on stderr for a search, if that is a terminal.
#[cfg(feature = "plan")]
pub(super) fn search_progress() -> ProgressBar {
    match io::stderr().is_terminal() {
        true => ProgressBar::new_spinner(),
        false => ProgressBar::hidden(),
    }
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
