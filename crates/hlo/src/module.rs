//! The head of a module: its name, attributes, and the tables of source lines.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};

use rustc_hash::FxHashMap;
use tensor_layout::error::Span;

use crate::attributes::{HloAttributes, entries, entry, unquoted};
use crate::comments::blanked;
use crate::grammar::{self, ModuleHead, SourceTable};
use crate::lexer::Tokens;
use tensor_layout_words::mlir::{bracketed, parts};

/// A module of a dump: `HloModule name, attributes`, and the tables of source lines.
///
/// A text without a head has a module without a name. Clones share the tables and see rows that are read
/// later. Cloning costs as much as cloning an `Arc`.
#[derive(Clone, Debug, Default)]
pub struct HloModule {
    head: Arc<Head>,
}

/// A line of the program that a dump was compiled from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HloSource<'a> {
    /// The file.
    pub file: Cow<'a, str>,
    /// The line, from 1.
    pub line: u64,
}

impl fmt::Display for HloSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The entries of a `metadata` attribute that say where an instruction comes from, as written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Metadata<'a> {
    op_name: Option<&'a str>,
    source_file: Option<&'a str>,
    source_line: Option<&'a str>,
    stack_frame_id: Option<&'a str>,
}

impl<'a> Metadata<'a> {
    /// Reads a braced list, in one pass; of entries with the same key, the first counts.
    pub(super) fn of(braced: &'a str) -> Metadata<'a> {
        let mut found = Metadata::default();
        for (key, value) in entries(braced) {
            let place = match key {
                "op_name" => &mut found.op_name,
                "source_file" => &mut found.source_file,
                "source_line" => &mut found.source_line,
                "stack_frame_id" => &mut found.stack_frame_id,
                _ => continue,
            };
            place.get_or_insert(value);
        }
        found
    }

    /// The operation of the program.
    pub(super) fn op_name(&self) -> Option<Cow<'a, str>> {
        self.op_name.and_then(unquoted)
    }
}

#[derive(Debug, Default)]
struct Head {
    name: String,
    attributes: String,
    line: u64,
    /// Asked for by every computation.
    is_per_device: OnceLock<bool>,
    /// The shapes of the parameters of the entry, and that of its result, once they were asked for.
    entry_shapes: OnceLock<Option<(Vec<String>, String)>>,
    tables: Mutex<Tables>,
}

/// The tables of source lines.
#[derive(Debug, Default)]
struct Tables {
    /// The rows as written; most modules are never asked for a source line.
    rows: Vec<(SourceTable, String)>,
    files: FxHashMap<u64, String>,
    /// Number of a file, and a line in it.
    locations: FxHashMap<u64, (u64, u64)>,
    /// Number of a location.
    frames: FxHashMap<u64, u64>,
}

impl Tables {
    /// The place of a stack frame, once the rows that were added are read.
    fn frame(&mut self, frame: u64) -> Option<(String, u64)> {
        for (table, row) in std::mem::take(&mut self.rows) {
            let Some((key, value)) = row.split_once(|c: char| c.is_ascii_whitespace()) else {
                continue;
            };
            let Ok(key) = key.parse() else { continue };
            let value = value.trim();
            match table {
                SourceTable::Functions => {}
                SourceTable::Files => {
                    self.files.extend(unquoted(value).map(|file| (key, file.into_owned())));
                }
                SourceTable::Locations => {
                    let place = number(value, "file_name_id").zip(number(value, "line"));
                    self.locations.extend(place.map(|place| (key, place)));
                }
                SourceTable::Frames => {
                    let place = number(value, "file_location_id");
                    self.frames.extend(place.map(|place| (key, place)));
                }
            }
        }
        let (file, line) = self.locations.get(self.frames.get(&frame)?)?;
        Some((self.files.get(file)?.clone(), *line))
    }
}

/// A number of a braced list.
fn number(braced: &str, key: &str) -> Option<u64> {
    entry(braced, key)?.parse().ok()
}

impl HloModule {
    /// The module of a head, which is in `text`.
    pub(super) fn new(text: &str, head: &ModuleHead, line: u64) -> HloModule {
        let part = |span: Span| text.get(span.start..span.end).unwrap_or_default().to_owned();
        let (name, attributes) = (part(head.name), part(head.attributes));
        let attributes = blanked(&attributes).unwrap_or(attributes);
        HloModule { head: Arc::new(Head { name, attributes, line, ..Head::default() }) }
    }

    /// The module whose head is all of a line.
    pub(crate) fn begin(line: &str, number: u64) -> Option<HloModule> {
        let head = grammar::module(Tokens { bytes: line.as_bytes(), is_last: true }, 0).ok()?;
        Some(HloModule::new(line, &head, number))
    }

    /// Adds a row of a table.
    pub(super) fn push_row(&self, table: SourceTable, row: &str) {
        if let Ok(mut tables) = self.head.tables.lock() {
            tables.rows.push((table, row.to_owned()));
        }
    }

    /// The source line that a `metadata` attribute has, or the tables of the module.
    pub(super) fn source<'a>(&self, of: &Metadata<'a>) -> Option<HloSource<'a>> {
        let file = of.source_file.and_then(unquoted);
        let (file, line) = match file.zip(of.source_line.and_then(|line| line.parse().ok())) {
            Some(written) => written,
            None => {
                let frame = of.stack_frame_id?.parse().ok()?;
                let (file, line) = self.head.tables.lock().ok()?.frame(frame)?;
                (Cow::Owned(file), line)
            }
        };
        Some(HloSource { file, line })
    }

    /// Its name; empty where the text has no `HloModule` line.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.head.name
    }

    /// The attributes of the `HloModule` line.
    #[must_use]
    pub fn attributes(&self) -> HloAttributes<'_> {
        HloAttributes::new(&self.head.attributes)
    }

    /// The number of its line, from 1; 0 where there is none.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.head.line
    }

    /// The shapes of the parameters of its entry, and that of the result, as `entry_computation_layout` has them. One that
    /// cannot be read is unread where it is needed.
    pub(super) fn entry_shapes(&self) -> Option<&(Vec<String>, String)> {
        let read = || {
            let (parameters, result) = signature(self.attributes().get(LAYOUT)?)?;
            Some((parts(parameters).map(str::to_owned).collect(), result.to_owned()))
        };
        self.head.entry_shapes.get_or_init(read).as_ref()
    }

    /// The number of devices the module is partitioned over: `num_partitions`, or 1.
    #[must_use]
    pub fn partitions(&self) -> u64 {
        self.devices("num_partitions").and_then(Result::ok).unwrap_or(1)
    }

    /// The number of replicas of the module run, each on all of its partitions: `replica_count`, or 1.
    #[must_use]
    pub fn replicas(&self) -> u64 {
        self.devices("replica_count").and_then(Result::ok).unwrap_or(1)
    }

    /// The value of an attribute that counts devices; its text as an error if that is not a number.
    fn devices(&self, key: &str) -> Option<Result<u64, &str>> {
        self.attributes().get(key).map(|count| count.parse().map_err(|_| count))
    }

    /// The attributes about devices that are not numbers, which count as 1.
    pub(super) fn unread(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let keys = ["num_partitions", "replica_count"].into_iter();
        keys.filter_map(|key| Some((key, self.devices(key)?.err()?)))
    }

    /// Returns whether its instructions are in the order of execution, as after all optimizations.
    #[must_use]
    pub fn is_scheduled(&self) -> bool {
        self.attributes().get("is_scheduled") == Some("true")
    }

    /// Returns whether shapes are those of one device: the module is partitioned and scheduled.
    ///
    /// A `sharding=` that remains on an instruction then describes the global shape that the instruction had
    /// before partitioning.
    #[must_use]
    pub fn is_per_device(&self) -> bool {
        *self.head.is_per_device.get_or_init(|| self.partitions() > 1 && self.is_scheduled())
    }
}

/// The attribute of a module with the shapes of the parameters and of the result.
pub(super) const LAYOUT: &str = "entry_computation_layout";

/// Splits `{(f32[2]{0}, f32[3]{0})->f32[2]{0}}` into the shapes of parameters and that of the result.
pub(super) fn signature(text: &str) -> Option<(&str, &str)> {
    let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?;
    let (parameters, result) = inner.starts_with('(').then(|| bracketed(inner))??;
    Some((parameters, result.trim_start().strip_prefix("->")?.trim()))
}
