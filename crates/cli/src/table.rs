//! `table`: rows or arrays, whole, in parts, or partitioned by level.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, ValueEnum};
use indicatif::ProgressBar;
use serde_json::json;
use tensor_layout::algebra::Indexes;
use tensor_layout::rows::Table;
use tensor_layout::sharding::DeviceShards;
use tensor_layout::{Level, Location, Placement};
use tensor_layout_npy::NpyTable;
#[cfg(feature = "arrow")]
use tensor_layout_rows::ColumnWidth;
use tensor_layout_rows::{Format, write, write_devices};
use tensor_layout_words::product;

use super::devices::by_device;
use super::failure::{Failure, note};
use super::files::Files;
use super::output::{MOST_FILES, Output, done, extension_of, progress};
use super::places::{PlaceForm, in_assembly, location, machine_of};
use super::placing::{Place, PlacementSource};

/// Print where every element lives, one row per element and copy, sorted by place.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Columns: Time (if used), the levels of the machine from the root down (without
a machine: those that the layout names), Addr, W (if used), then the index
i0,i1,..

Examples:
  tensor-layout table '((4_PE, 3:8), (8:1))'
  tensor-layout table '(10,7)/((3:7, 4_PE), (7:1))' --padding --at PE=3
  tensor-layout table '((12:8), (8:1))' --machine PE=4 --format jsonl -o table.jsonl
  tensor-layout table '((4_PE, 3:8), (8:1))' --format npy-packed -o packed.npy
  tensor-layout table '((4_PE, 3:8), (8:1))' --partition-by PE -o DIR")]
pub(super) struct TableArgs {
    #[command(flatten)]
    place: Place,
    /// Print only this unit or subtree, such as L2B=0,L1B=3.
    #[arg(long, value_name = "LEVEL=N,..", help_heading = "Rows")]
    at: Option<String>,
    /// Also print slots without an element, with empty index cells.
    #[arg(long, help_heading = "Rows")]
    padding: bool,
    /// The format of the table (by default from the extension of FILE, else csv).
    #[arg(long, value_enum, help_heading = "Output")]
    format: Option<TableFormat>,
    /// Print only part K of N, counted from 1, so that N processes can write disjoint parts of a table.
    #[arg(long, value_name = "K/N", help_heading = "Rows")]
    part: Option<String>,
    /// Write one file per combination of coordinates in these levels, such as
    /// DIR/L2B=0/L1B=3/part-1.csv, as query engines expect; the files appear together when all are
    /// complete.
    #[arg(long, value_name = "LEVEL,..", requires = "output", help_heading = "Output")]
    partition_by: Option<String>,
    /// Make Arrow and Parquet columns as narrow as their values allow, instead of signed 64-bit.
    #[arg(long, help_heading = "Output")]
    narrow: bool,
    /// The notation for places; --as assembly prints one column, `place`, as CSV or JSON lines.
    #[arg(long = "as", value_enum, value_name = "FORM", help_heading = "Output", default_value_t)]
    place_form: PlaceForm,
    /// Write to a file, which appears only when it is complete.
    #[arg(short, long, value_name = "FILE|DIR", help_heading = "Output")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum TableFormat {
    /// A header, then one line per row.
    Csv,
    /// One JSON object per row.
    Jsonl,
    /// The place of every element, packed into one number: unit x words + address.
    NpyPacked,
    /// The coordinates of every element, one array per column.
    NpyColumns,
    /// The number of the element at every place; the greatest value of the type marks holes, and
    /// the value below it marks padding.
    NpyInverse,
    /// An Arrow IPC file (needs a build with the feature `arrow`).
    Arrow,
    /// A Parquet file (needs a build with the feature `parquet`).
    Parquet,
}

impl TableArgs {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let format = self.format()?;
        if self.narrow && !matches!(format, TableFormat::Arrow | TableFormat::Parquet) {
            let why = "--narrow is for Arrow and Parquet: columns of other forms have no width";
            return Err(Failure::Argument(why.into()));
        }
        let syntax = self.place.reading.read(&self.place.layout)?;
        if let Some(shards) = by_device(&syntax, &self.place.on)? {
            return self.on_devices(&shards, format);
        }
        let PlacementSource { placement, .. } = self.place.on.place(syntax)?;
        let is_assembly = self.place_form == PlaceForm::Assembly;
        if is_assembly && (self.partition_by.is_some() || !is_text(format)) {
            let why = "--as assembly goes with CSV and JSON lines, not in parts by level";
            return Err(Failure::Argument(why.into()));
        }
        if let Some(kind) = npy(format) {
            return array(self, &placement, kind);
        }
        let at = self.at.as_deref().map(location).transpose()?.unwrap_or_default();
        let (part, parts) = self.part.as_deref().map_or(Ok((1, 1)), part)?;
        let rows = placement.table().with_padding(self.padding).part(part - 1, parts)?;
        if let (Some(levels), Some(dir)) = (&self.partition_by, &self.output) {
            let name = format!("part-{part}.{}", extension(format));
            return self.partitions(&placement, &rows, &at, (levels, dir, &name), format);
        }
        let rows = rows.at(&at)?;
        if is_assembly {
            return assembly(&placement, &rows, format, Output::new(self.output.as_deref())?);
        }
        let bar = progress(rows.most_rows(), self.output.is_some());
        self.write(&rows, format, Output::new(self.output.as_deref())?, &bar)
    }

    fn on_devices(&self, shards: &DeviceShards, format: TableFormat) -> Result<(), Failure> {
        if self.place_form == PlaceForm::Assembly {
            let why = "--as assembly is for memories of a machine; devices have none";
            return Err(Failure::Argument(why.into()));
        }
        let text = match format {
            TableFormat::Csv => Some(Format::Csv),
            TableFormat::Jsonl => Some(Format::JsonLines),
            _ => None,
        };
        let (Some(text), None, None) = (text, &self.part, &self.partition_by) else {
            let why = "the device list of this sharding is irregular, so its table is \
                       written whole or --at a place, as CSV or JSON lines";
            return Err(Failure::Argument(why.into()));
        };
        let at = self.at.as_deref().map(location).transpose()?.unwrap_or_default();
        let rows = shards.table().with_padding(self.padding).at(&at)?;
        let mut out = Output::new(self.output.as_deref())?;
        let written = write_devices(&rows, text, &mut out);
        done(written, out, None)
    }

    /// The format from the option, or from the name of the file.
    fn format(&self) -> Result<TableFormat, Failure> {
        let file = self.output.as_deref().filter(|_| self.partition_by.is_none());
        let ending = file.map_or_else(String::new, extension_of);
        let named = match &*ending {
            "csv" => Some(TableFormat::Csv),
            "jsonl" | "ndjson" => Some(TableFormat::Jsonl),
            "arrow" | "ipc" | "feather" => Some(TableFormat::Arrow),
            "parquet" => Some(TableFormat::Parquet),
            "npy" => Some(TableFormat::NpyPacked),
            _ => None,
        };
        match (self.format, named) {
            (None, Some(TableFormat::NpyPacked)) => Err(Failure::Argument(
                "a .npy file holds npy-packed, npy-columns or npy-inverse; choose with --format"
                    .into(),
            )),
            (None, Some(named)) => Ok(named),
            (None, None) => {
                if !matches!(&*ending, "" | "txt") {
                    note(&format!(
                        "a file that ends in .{ending} is written as CSV; choose with --format"
                    ));
                }
                Ok(TableFormat::Csv)
            }
            (Some(format), Some(named)) if extension(format) != extension(named) => {
                Err(Failure::Argument(format!(
                    "--format for .{} contradicts the name of the file, which ends in .{ending}",
                    extension(format),
                )))
            }
            (Some(format), _) => Ok(format),
        }
    }
}

fn is_text(format: TableFormat) -> bool {
    matches!(format, TableFormat::Csv | TableFormat::Jsonl)
}

/// Rows whose place is one column, in assembly syntax.
fn assembly(
    placement: &Placement,
    rows: &Table<'_>,
    format: TableFormat,
    mut out: Output,
) -> Result<(), Failure> {
    machine_of(placement)?;
    let is_json = format == TableFormat::Jsonl;
    let axes = (0..placement.layout().rank()).map(|axis| format!(",i{axis}"));
    if !is_json {
        writeln!(out, "place{}", axes.collect::<String>()).map_err(|error| out.failed(error))?;
    }
    let columns = placement.columns();
    let ended = rows.for_each(|row| {
        let place = columns.iter().copied().zip(row.place.iter().copied()).collect();
        let line = in_assembly(placement, &place).map(|place| match is_json {
            true => json!({ "at": place, "index": row.index }).to_string(),
            false => {
                let axes = placement.layout().rank();
                let entry = |axis: usize| row.index.map_or(String::new(), |i| i[axis].to_string());
                // A time slice and a lane are parts of the place.
                let place = if place.contains(',') { format!("\"{place}\"") } else { place };
                (0..axes).fold(place, |line, axis| line + "," + &entry(axis))
            }
        });
        let written =
            line.and_then(|line| writeln!(out, "{line}").map_err(|error| out.failed(error)));
        written.map_or_else(ControlFlow::Break, ControlFlow::Continue)
    })?;
    match ended {
        ControlFlow::Break(failure) => Err(failure),
        ControlFlow::Continue(()) => out.finish(),
    }
}

fn npy(format: TableFormat) -> Option<NpyTable> {
    match format {
        TableFormat::NpyPacked => Some(NpyTable::Packed),
        TableFormat::NpyColumns => Some(NpyTable::Columns),
        TableFormat::NpyInverse => Some(NpyTable::Inverse),
        _ => None,
    }
}

fn extension(format: TableFormat) -> &'static str {
    match format {
        TableFormat::Csv => "csv",
        TableFormat::Jsonl => "jsonl",
        TableFormat::Arrow => "arrow",
        TableFormat::Parquet => "parquet",
        TableFormat::NpyPacked | TableFormat::NpyColumns | TableFormat::NpyInverse => "npy",
    }
}

fn array(args: &TableArgs, placement: &Placement, kind: NpyTable) -> Result<(), Failure> {
    if args.at.is_some() || args.padding || args.part.is_some() || args.partition_by.is_some() {
        let why =
            "--at, --padding, --part and --partition-by go with tables of rows, not with .npy";
        return Err(Failure::Argument(why.into()));
    }
    let mut out = Output::new(args.output.as_deref())?;
    let written = kind.write(&placement.program()?, &mut out);
    done(written, out, None)
}

/// `2/8`: the part, from 1, and the number of parts.
fn part(text: &str) -> Result<(u64, u64), Failure> {
    let number = |text: &str| text.parse::<u64>().ok();
    let parts = text.split_once('/').and_then(|(k, n)| Some((number(k)?, number(n)?)));
    parts.filter(|(part, parts)| (1..=*parts).contains(part)).ok_or_else(|| {
        Failure::Argument(format!(
            "--part: `{text}` is not a part; expected K/N with K from 1 to N"
        ))
    })
}

impl TableArgs {
    /// A file per coordinate of some levels, if there are rows; all appear together.
    fn partitions(
        &self,
        placement: &Placement,
        rows: &Table<'_>,
        at: &Location,
        (levels, dir, name): (&str, &Path, &str),
        format: TableFormat,
    ) -> Result<(), Failure> {
        let levels: Vec<Level> = levels
            .split(',')
            .map(|name| Ok(Level::new(name.trim())?))
            .collect::<Result<_, Failure>>()?;
        if let Some(twice) = levels.iter().find(|l| levels.iter().filter(|m| m == l).count() > 1) {
            return Err(Failure::Argument(format!("--partition-by: `{twice}` is given twice")));
        }
        // This fails for levels that are not columns.
        rows.clone().at(&levels.iter().map(|level| (*level, 0)).collect())?;
        let step = |level: &Level| placement.units_per_memory(*level);
        let size = |level: &Level| placement.coordinates(*level).div_ceil(step(level));
        let sizes: Vec<u64> = levels.iter().map(size).collect();
        let files = product(sizes.iter().copied());
        if files.is_none_or(|files| files > MOST_FILES) {
            let why = format!("--partition-by: more than {MOST_FILES} files");
            return Err(Failure::Argument(why));
        }
        let files = Files::new(dir)?;
        for index in Indexes::new(sizes) {
            let place: Location =
                levels.iter().zip(index).map(|(level, at)| (*level, at * step(level))).collect();
            if at.iter().any(|(level, at)| place.get(level).is_some_and(|place| place != at)) {
                continue;
            }
            let rows = rows.clone().at(at)?.partition(&place)?;
            if rows.for_each(|_| ControlFlow::Break(()))?.is_break() {
                let path: PathBuf =
                    levels.iter().filter_map(|l| Some(format!("{l}={}", place.get(*l)?))).collect();
                let out = Output::within(&files, &path.join(name))?;
                self.write(&rows, format, out, &ProgressBar::hidden())?;
            }
        }
        files.finish()
    }

    fn write(
        &self,
        rows: &Table<'_>,
        format: TableFormat,
        mut out: Output,
        bar: &ProgressBar,
    ) -> Result<(), Failure> {
        let mut tick = |count| bar.set_position(count);
        let written = match format {
            TableFormat::Jsonl => write(rows, Format::JsonLines, &mut out, &mut tick),
            #[cfg(feature = "arrow")]
            TableFormat::Arrow => tensor_layout_rows::write_arrow(rows, self.width(), &mut out),
            #[cfg(feature = "parquet")]
            TableFormat::Parquet => tensor_layout_rows::write_parquet(rows, self.width(), &mut out),
            #[cfg(not(feature = "arrow"))]
            TableFormat::Arrow => return Err(missing("arrow")),
            #[cfg(not(feature = "parquet"))]
            TableFormat::Parquet => return Err(missing("parquet")),
            _ => write(rows, Format::Csv, &mut out, &mut tick),
        };
        bar.finish_and_clear();
        done(written, out, None)
    }

    #[cfg(feature = "arrow")]
    fn width(&self) -> ColumnWidth {
        if self.narrow { ColumnWidth::Narrow } else { ColumnWidth::Wide }
    }
}

#[cfg(not(all(feature = "arrow", feature = "parquet")))]
fn missing(feature: &str) -> Failure {
    Failure::Argument(format!(
        "--format {feature}: this command was built without it; build with `--features {feature}`"
    ))
}
