//! One function per command: a library call, and its answer as text.

use std::process::ExitCode;

use serde_json::{Map, Value, json};
use tensor_layout::{
    AxisReport, DigitReport, Format, Found, Level, Location, Placement, Report, Target,
};

use super::args::{Command, Element, Explain, Locate, Table, TableFormat};
use super::input::{Failure, Placed, location, numbers};
use super::output::{Output, print, progress};

pub(super) fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Table(args) => table(&args)?,
        Command::Locate(args) => locate(&args)?,
        Command::Element(args) => element(&args)?,
        Command::Explain(args) => explain(&args)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn table(args: &Table) -> Result<(), Failure> {
    let Placed { placement, .. } = args.place.placement()?;
    let at = location(args.at.as_deref().unwrap_or_default())?;
    let table = placement.table().at(&at)?.with_padding(args.padding);
    let format = match args.format {
        TableFormat::Csv => Format::Csv,
        TableFormat::Jsonl => Format::JsonLines,
    };
    let mut out = Output::new(args.output.as_deref())?;
    let bar = progress(table.most_rows(), args.output.is_some());
    let written = table.write(format, &mut out, &mut |rows| bar.set_position(rows))?;
    bar.finish_and_clear();
    written.map_err(|error| out.failed(error))?;
    out.finish()
}

fn locate(args: &Locate) -> Result<(), Failure> {
    let Placed { placement, .. } = args.place.placement()?;
    let index = numbers("the index", &args.index)?;
    let place = placement.locate(&index)?;
    let (copies, replicated) = (placement.copies(), placement.replicated());
    if args.json {
        let replicated: Vec<&str> = replicated.iter().map(Level::as_str).collect();
        let location = location_json(&placement, &place);
        let answer = json!({
            "index": index, "location": location, "copies": copies, "replicated": replicated,
        });
        return print(&answer.to_string());
    }
    let place = in_columns(&placement, &place);
    if copies == 1 {
        return print(&place);
    }
    let levels = replicated.iter().map(Level::as_str).collect::<Vec<_>>().join(", ");
    print(&format!("{place}  (the first of {copies} copies over {levels})"))
}

fn element(args: &Element) -> Result<(), Failure> {
    let Placed { placement, .. } = args.place.placement()?;
    let place = location(&args.location)?;
    let found = placement.element(&place)?;
    let why = match &found {
        Found::Element(_) => None,
        Found::Padding => Some("padding"),
        Found::Hole => Some("hole"),
        Found::Outside => Some("outside"),
    };
    let index = match &found {
        Found::Element(index) => Some(index),
        _ => None,
    };
    if args.json {
        let location = location_json(&placement, &place);
        let mut answer = json!({ "location": location, "index": index });
        if let (Some(why), Value::Object(answer)) = (why, &mut answer) {
            answer.insert("why".into(), why.into());
        }
        return print(&answer.to_string());
    }
    let joined = index.map(|i| i.iter().map(u64::to_string).collect::<Vec<_>>().join(","));
    print(joined.as_deref().or(why).unwrap_or_default())
}

fn explain(args: &Explain) -> Result<(), Failure> {
    let Placed { placement, syntax } = args.place.placement()?;
    let report = placement.report().map_err(|error| syntax.refuse(error))?;
    match args.json {
        true => print(&report_json(&report).to_string()),
        false => print(&report.to_string()),
    }
}

/// `L2B=1,..,Addr=33`, in the order of the columns.
fn in_columns(placement: &Placement, place: &Location) -> String {
    let at = |level: &Level| place.get(*level).map(|at| format!("{level}={at}"));
    placement.columns().iter().filter_map(at).collect::<Vec<_>>().join(",")
}

/// Coordinates in the order of the columns, then those of other levels.
fn location_json(placement: &Placement, place: &Location) -> Value {
    let columns = placement.columns().iter().copied();
    let others = place.iter().map(|(level, _)| level).filter(|l| !placement.columns().contains(l));
    let at = |level: Level| place.get(level).map(|at| (level.to_string(), at.into()));
    Value::Object(columns.chain(others).filter_map(at).collect())
}

fn report_json(report: &Report) -> Value {
    let levels: Vec<Value> = report
        .levels
        .iter()
        .map(|level| {
            json!({
                "level": level.level.as_str(), "size": level.size, "extent": level.extent,
                "used": level.used, "holes": level.holes, "replicated": level.replicated,
            })
        })
        .collect();
    let shape: Vec<u64> = report.axes.iter().map(|axis| axis.extent).collect();
    let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { ratio(part, whole) };
    json!({
        "layout": report.text,
        "shape": shape,
        "axes": report.axes.iter().map(axis_json).collect::<Vec<_>>(),
        "further_axes": report.further_axes.iter().map(axis_json).collect::<Vec<_>>(),
        "levels": levels,
        "elements": report.elements,
        "copies": report.copies,
        "slots": report.slots,
        "pads": report.pads,
        "pad_share": share(report.pads, report.slots),
        "pads_on_elements": report.pads_on_elements,
        "footprint_words": report.footprint_words,
        "memory": report.memory,
        "capacity_words": report.capacity_words,
        "replicated": report.replicated.iter().map(Level::as_str).collect::<Vec<_>>(),
    })
}

#[allow(clippy::as_conversions, reason = "a share for reading: rounding is meant")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

fn axis_json(axis: &AxisReport) -> Value {
    json!({
        "extent": axis.extent, "slots": axis.slots, "pads": axis.slots - axis.extent,
        "digits": axis.digits.iter().map(digit_json).collect::<Vec<_>>(),
    })
}

fn digit_json(digit: &DigitReport) -> Value {
    let mut object = Map::new();
    object.insert("size".into(), digit.size.into());
    object.insert("step".into(), digit.step.into());
    match digit.target {
        Target::Land { level, stride } => {
            object.insert("level".into(), level.as_str().into());
            object.insert("stride".into(), stride.into());
        }
        Target::Feed { further, weight } => {
            object.insert("further_axis".into(), further.into());
            object.insert("weight".into(), weight.into());
        }
    }
    Value::Object(object)
}
