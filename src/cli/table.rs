//! `table`: rows or arrays, whole, in parts, or partitioned by level.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use tensor_layout::algebra::Indexes;
use tensor_layout::image::NpyTable;
use tensor_layout::rows::{Format, Table as Rows, WriteError};
use tensor_layout::{Level, Location, Placement};

use super::args::{Table, TableFormat};
use super::input::{Failure, Placed, location};
use super::output::{Output, progress};

/// The most files of a partitioned table.
pub(super) const MOST_FILES: u64 = 1 << 20;

pub(super) fn table(args: &Table) -> Result<(), Failure> {
    let Placed { placement, .. } = args.place.placement()?;
    if let Some(kind) = npy(args.format) {
        return array(args, &placement, kind);
    }
    let at = location(args.at.as_deref().unwrap_or_default())?;
    let (part, parts) = args.part.as_deref().map_or(Ok((1, 1)), part)?;
    let rows = placement.table().with_padding(args.padding).part(part - 1, parts)?;
    if let (Some(levels), Some(dir)) = (&args.partition_by, &args.output) {
        let name = format!("part-{part}.{}", extension(args.format));
        return partitions(&placement, &rows, &at, levels, dir, &name, args.format);
    }
    let rows = rows.at(&at)?;
    let bar = progress(rows.most_rows(), args.output.is_some());
    write(&rows, args.format, args.output.as_deref(), &bar)
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

fn array(args: &Table, placement: &Placement, kind: NpyTable) -> Result<(), Failure> {
    if args.at.is_some() || args.padding || args.part.is_some() || args.partition_by.is_some() {
        let why =
            "--at, --padding, --part and --partition-by go with tables of rows, not with .npy";
        return Err(Failure::Argument(why.into()));
    }
    let mut out = Output::new(args.output.as_deref())?;
    let written = placement.program()?.write_npy(kind, &mut out);
    done(written, out)
}

/// `2/8`: the part, from 1, and of how many.
fn part(text: &str) -> Result<(u64, u64), Failure> {
    let number = |text: &str| text.parse::<u64>().ok();
    let parts = text.split_once('/').and_then(|(k, n)| Some((number(k)?, number(n)?)));
    parts.filter(|(part, parts)| (1..=*parts).contains(part)).ok_or_else(|| {
        Failure::Argument(format!("--part: `{text}` is no part; expected K/N with K from 1 to N"))
    })
}

/// A file per coordinate of some levels, where there are rows.
fn partitions(
    placement: &Placement,
    rows: &Rows<'_>,
    at: &Location,
    levels: &str,
    dir: &Path,
    name: &str,
    format: TableFormat,
) -> Result<(), Failure> {
    let levels: Vec<Level> = levels
        .split(',')
        .map(|name| Ok(Level::new(name.trim())?))
        .collect::<Result<_, Failure>>()?;
    if let Some(twice) = levels.iter().find(|l| levels.iter().filter(|m| m == l).count() > 1) {
        return Err(Failure::Argument(format!("--partition-by: `{twice}` stands there twice")));
    }
    // Refuses levels that are no columns.
    rows.clone().at(&levels.iter().map(|level| (*level, 0)).collect())?;
    let size = |level: &Level| {
        let span = placement.spread().span(*level);
        placement.size(*level).filter(|_| *level != Level::ADDR).unwrap_or(span)
    };
    let sizes: Vec<u64> = levels.iter().map(size).collect();
    let files = sizes.iter().try_fold(1_u64, |files, size| files.checked_mul(*size));
    if files.is_none_or(|files| files > MOST_FILES) {
        let why = format!("--partition-by: more than {MOST_FILES} files");
        return Err(Failure::Argument(why));
    }
    for index in Indexes::new(sizes) {
        let place: Location = levels.iter().copied().zip(index).collect();
        if at.iter().any(|(level, at)| place.get(level).is_some_and(|place| place != at)) {
            continue;
        }
        let rows = rows.clone().at(at)?.partition(&place)?;
        if rows.for_each(|_| ControlFlow::Break(()))?.is_break() {
            let path: PathBuf =
                levels.iter().filter_map(|l| Some(format!("{l}={}", place.get(*l)?))).collect();
            let path = dir.join(path);
            let failed = |error| Failure::Io(path.display().to_string(), error);
            std::fs::create_dir_all(&path).map_err(failed)?;
            write(&rows, format, Some(&path.join(name)), &ProgressBar::hidden())?;
        }
    }
    Ok(())
}

fn write(
    rows: &Rows<'_>,
    format: TableFormat,
    path: Option<&Path>,
    bar: &ProgressBar,
) -> Result<(), Failure> {
    let mut out = Output::new(path)?;
    let mut tick = |count| bar.set_position(count);
    let written = match format {
        TableFormat::Jsonl => rows.write(Format::JsonLines, &mut out, &mut tick),
        TableFormat::Arrow => arrow(rows, &mut out)?,
        TableFormat::Parquet => parquet(rows, &mut out)?,
        _ => rows.write(Format::Csv, &mut out, &mut tick),
    };
    bar.finish_and_clear();
    done(written, out)
}

#[cfg(feature = "arrow")]
#[allow(clippy::unnecessary_wraps, reason = "without the feature it refuses")]
fn arrow(rows: &Rows<'_>, out: &mut Output) -> Result<Result<(), WriteError>, Failure> {
    Ok(rows.write_arrow(out))
}

#[cfg(not(feature = "arrow"))]
fn arrow(_: &Rows<'_>, _: &mut Output) -> Result<Result<(), WriteError>, Failure> {
    Err(missing("arrow"))
}

#[cfg(feature = "parquet")]
#[allow(clippy::unnecessary_wraps, reason = "without the feature it refuses")]
fn parquet(rows: &Rows<'_>, out: &mut Output) -> Result<Result<(), WriteError>, Failure> {
    Ok(rows.write_parquet(out))
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: &Rows<'_>, _: &mut Output) -> Result<Result<(), WriteError>, Failure> {
    Err(missing("parquet"))
}

#[cfg(not(all(feature = "arrow", feature = "parquet")))]
fn missing(feature: &str) -> Failure {
    Failure::Argument(format!(
        "--format {feature}: this command was built without it; build with `--features {feature}`"
    ))
}

/// Gives the file its name, or tells why not.
pub(super) fn done(written: Result<(), WriteError>, out: Output) -> Result<(), Failure> {
    match written {
        Ok(()) => out.finish(),
        Err(WriteError::Io(error)) => Err(out.failed(error)),
        Err(WriteError::Layout(error)) => Err(error.into()),
        Err(error) => Err(Failure::Argument(error.to_string())),
    }
}

/// The same for a command that reads `source`.
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
