//! The head of a module: its name, attributes, and the tables of source lines.

use std::borrow::Cow;

use indexmap::IndexMap;

use crate::hlo::HloSource;
use crate::hlo::attributes::{HloAttributes, entry, unquoted};

/// A module of a dump: the line `HloModule name, attributes` and the tables behind it.
///
/// A text without such a line has a module without a name.
#[derive(Clone, Debug, Default)]
pub struct HloModule {
    name: String,
    attributes: String,
    line: u64,
    section: Section,
    files: IndexMap<u64, String>,
    /// Number of a file, and a line in it.
    locations: IndexMap<u64, (u64, u64)>,
    /// Number of a location.
    frames: IndexMap<u64, u64>,
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

impl HloModule {
    /// The module that a line begins.
    pub(crate) fn begin(line: &str, number: u64) -> Option<HloModule> {
        let rest = line.strip_prefix("HloModule ")?;
        let (name, attributes) = rest.split_once(',').unwrap_or((rest, ""));
        Some(HloModule {
            name: name.trim().to_owned(),
            attributes: attributes.trim().to_owned(),
            line: number,
            ..HloModule::default()
        })
    }

    /// Reads a line between the head and the first computation; other lines are skipped.
    pub(super) fn read_table(&mut self, line: &str) {
        let section = match line.trim_end() {
            "FileNames" => Section::Files,
            "FileLocations" => Section::Locations,
            "StackFrames" => Section::Frames,
            "" | "FunctionNames" => Section::None,
            _ => {
                let _ = self.read_row(line.trim());
                return;
            }
        };
        self.section = section;
    }

    /// `1 "file"` or `1 {key=number ..}`.
    fn read_row(&mut self, row: &str) -> Option<()> {
        let (number, value) = row.split_once(' ')?;
        let number = number.parse().ok()?;
        let field = |key| entry(value, key).and_then(|value| value.parse().ok());
        match self.section {
            Section::None => {}
            Section::Files => {
                self.files.insert(number, unquoted(value)?.into_owned());
            }
            Section::Locations => {
                self.locations.insert(number, (field("file_name_id")?, field("line")?));
            }
            Section::Frames => {
                self.frames.insert(number, field("file_location_id")?);
            }
        }
        Some(())
    }

    /// The source line that a `metadata` attribute has, or the tables of the module.
    pub(super) fn source<'a>(&'a self, metadata: &'a str) -> Option<HloSource<'a>> {
        let number = |key| entry(metadata, key).and_then(|value| value.parse().ok());
        let written = entry(metadata, "source_file").and_then(unquoted);
        let (file, line) = match written.zip(number("source_line")) {
            Some(written) => written,
            None => self.frame(number("stack_frame_id")?)?,
        };
        Some(HloSource { file, line })
    }

    /// The source line of a stack frame.
    fn frame(&self, frame: u64) -> Option<(Cow<'_, str>, u64)> {
        let (file, line) = self.locations.get(self.frames.get(&frame)?)?;
        Some((Cow::Borrowed(self.files.get(file)?), *line))
    }

    /// Its name; empty where the text has no `HloModule` line.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The attributes of the `HloModule` line.
    #[must_use]
    pub fn attributes(&self) -> HloAttributes<'_> {
        HloAttributes::new(&self.attributes)
    }

    /// The number of its line, from 1; 0 where there is none.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// How many devices the module is partitioned over: `num_partitions`, or 1.
    #[must_use]
    pub fn partitions(&self) -> u64 {
        self.attributes().get("num_partitions").and_then(|n| n.parse().ok()).unwrap_or(1)
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
