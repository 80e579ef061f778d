//! The head of a module: its name, attributes, and the tables of source lines.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::HloSource;
use crate::attributes::{HloAttributes, entry, unquoted};

/// A module of a dump: the line `HloModule name, attributes` and the tables behind it.
///
/// A text without such a line has a module without a name. Cost of a clone: that of an `Arc`.
#[derive(Clone, Debug, Default)]
pub struct HloModule {
    head: Arc<Head>,
    section: Section,
}

#[derive(Clone, Debug, Default)]
struct Head {
    name: String,
    attributes: String,
    line: u64,
    /// The rows of the tables as written; most modules are never asked for a source line.
    files: String,
    locations: String,
    frames: String,
    tables: OnceLock<Tables>,
}

/// The tables of source lines.
#[derive(Clone, Debug, Default)]
struct Tables {
    files: FxHashMap<u64, String>,
    /// Number of a file, and a line in it.
    locations: FxHashMap<u64, (u64, u64)>,
    /// Number of a location.
    frames: FxHashMap<u64, u64>,
}

/// The table that is being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Section {
    #[default]
    None,
    Files,
    Locations,
    Frames,
}

impl Tables {
    fn read(head: &Head) -> Tables {
        Tables {
            files: rows(&head.files, |file| unquoted(file).map(Cow::into_owned)),
            locations: rows(&head.locations, |row| {
                Some((number(row, "file_name_id")?, number(row, "line")?))
            }),
            frames: rows(&head.frames, |row| number(row, "file_location_id")),
        }
    }
}

/// The rows `1 "file"` or `1 {key=number ..}` of a table; others are skipped.
fn rows<T>(text: &str, value: impl Fn(&str) -> Option<T>) -> FxHashMap<u64, T> {
    let row = |row: &str| {
        let (number, written) = row.split_once(' ')?;
        Some((number.parse().ok()?, value(written)?))
    };
    text.split('\n').filter_map(row).collect()
}

/// A number of a braced list.
fn number(braced: &str, key: &str) -> Option<u64> {
    entry(braced, key)?.parse().ok()
}

impl HloModule {
    /// The module that a line begins.
    pub(crate) fn begin(line: &str, number: u64) -> Option<HloModule> {
        let rest = line.strip_prefix("HloModule ")?;
        let (name, attributes) = rest.split_once(',').unwrap_or((rest, ""));
        let head = Head {
            name: name.trim().to_owned(),
            attributes: attributes.trim().to_owned(),
            line: number,
            ..Head::default()
        };
        Some(HloModule { head: Arc::new(head), section: Section::None })
    }

    /// Reads a line between the head and the first computation; other lines are skipped.
    pub(super) fn read_table(&mut self, line: &str) {
        self.section = match line.trim_end() {
            "FileNames" => Section::Files,
            "FileLocations" => Section::Locations,
            "StackFrames" => Section::Frames,
            "" | "FunctionNames" => Section::None,
            _ if self.section == Section::None => return,
            _ => return self.push_row(line.trim()),
        };
    }

    fn push_row(&mut self, row: &str) {
        let head = Arc::make_mut(&mut self.head);
        head.tables.take();
        let table = match self.section {
            Section::None => return,
            Section::Files => &mut head.files,
            Section::Locations => &mut head.locations,
            Section::Frames => &mut head.frames,
        };
        table.push_str(row);
        table.push('\n');
    }

    /// The source line that a `metadata` attribute has, or the tables of the module.
    pub(super) fn source<'a>(&'a self, metadata: &'a str) -> Option<HloSource<'a>> {
        let written = entry(metadata, "source_file").and_then(unquoted);
        let (file, line) = match written.zip(number(metadata, "source_line")) {
            Some(written) => written,
            None => self.frame(number(metadata, "stack_frame_id")?)?,
        };
        Some(HloSource { file, line })
    }

    /// The source line of a stack frame.
    fn frame(&self, frame: u64) -> Option<(Cow<'_, str>, u64)> {
        let tables = self.head.tables.get_or_init(|| Tables::read(&self.head));
        let (file, line) = tables.locations.get(tables.frames.get(&frame)?)?;
        Some((Cow::Borrowed(tables.files.get(file)?), *line))
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

    /// How many devices the module is partitioned over: `num_partitions`, or 1.
    #[must_use]
    pub fn partitions(&self) -> u64 {
        self.attributes().get("num_partitions").and_then(|n| n.parse().ok()).unwrap_or(1)
    }

    /// How many replicas of the module run, each on all of its partitions: `replica_count`, or 1.
    #[must_use]
    pub fn replicas(&self) -> u64 {
        self.attributes().get("replica_count").and_then(|n| n.parse().ok()).unwrap_or(1)
    }

    /// Whether its instructions are in the order of execution, as after all optimizations.
    #[must_use]
    pub fn is_scheduled(&self) -> bool {
        self.attributes().get("is_scheduled") == Some("true")
    }

    /// Whether shapes are those of one device: the module is partitioned and scheduled.
    ///
    /// A `sharding=` that survives on an instruction then speaks of the global shape that the
    /// instruction once had.
    #[must_use]
    pub fn is_per_device(&self) -> bool {
        self.partitions() > 1 && self.is_scheduled()
    }
}
