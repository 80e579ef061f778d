//! One function per command: a library call, and its answer as text.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::process::ExitCode;

use clap::ArgMatches;
use serde_json::{Value, json};
use tensor_layout::algebra::IndexOrder;
use tensor_layout::hlo::HloReport;
use tensor_layout::notation::{Dtype, Notation};
use tensor_layout::xla::XlaDtype;
use tensor_layout::{Found, Layout, LayoutError, LayoutText, Level, Location, Placement};

use super::args::{Command, Convert, Element, Explain, Hlo, Locate, Same, UpTo};
use super::input::{Failure, Placed, argument, location, machine_of, numbers};
use super::json::{hlo_json, report_json, same_json, shape_json};
use super::output::{Output, byte_progress, print};
use super::{draw, edit, pack, relayout, table};

pub(super) fn run(command: Command, matches: &ArgMatches) -> Result<ExitCode, Failure> {
    match command {
        Command::Table(args) => table::table(&args)?,
        Command::Draw(args) => draw::draw(&args)?,
        Command::Pack(args) => pack::pack(&args)?,
        Command::Unpack(args) => pack::unpack(&args)?,
        Command::Locate(args) => locate(&args)?,
        Command::Element(args) => element(&args)?,
        Command::Explain(args) => explain(&args)?,
        Command::Convert(args) => convert(&args)?,
        Command::Hlo(args) => hlo(&args)?,
        Command::Relayout(args) => relayout::relayout(&args)?,
        Command::Same(args) => return same(&args),
        Command::Edit(args) => {
            let matches = matches.subcommand().map(|(_, matches)| matches);
            edit::edit(&args, matches)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn locate(args: &Locate) -> Result<(), Failure> {
    let Placed { placement, syntax } = args.place.placement()?;
    let index = numbers("the index", &args.index)?;
    let index = match (&syntax, &index[..]) {
        // CuTe takes a single linear index as well.
        (LayoutText::Cute(_), [linear]) if placement.layout().rank() != 1 => {
            placement.layout().index_of(IndexOrder::Colexicographic, *linear)?
        }
        _ => index,
    };
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
    let syntax = args.place.shaped()?;
    if let LayoutText::Xla(shape) = &syntax
        && args.place.on.machine.is_none()
        && args.place.on.base == 0
    {
        let report = shape.report()?;
        return match args.json {
            true => print(&shape_json(&report).to_string()),
            false => print(&format!("{report}{}", draw::below(&syntax))),
        };
    }
    let Placed { placement, syntax } = args.place.on.place(syntax)?;
    let mut report = placement.report().map_err(|error| syntax.refuse(error))?;
    report.address_unit = syntax.address_unit();
    match args.json {
        true => print(&report_json(&report).to_string()),
        false => print(&format!("{report}{}", draw::small(&placement, &syntax))),
    }
}

fn convert(args: &Convert) -> Result<(), Failure> {
    let syntax = args.source.read()?;
    let to = Notation::from(args.to);
    if let (LayoutText::Xla(shape), Notation::Xla) = (&syntax, to) {
        shape.validate()?;
        return print(&shape.canonical().to_string());
    }
    let layout = syntax.lower()?;
    write_layout(layout.write(to, dtype(args.dtype.as_deref(), &syntax)?), &syntax)
}

/// Prints a layout in a notation, and on stderr what the notation cannot say of it.
pub(super) fn write_layout(
    written: Result<(String, Option<String>), LayoutError>,
    syntax: &LayoutText,
) -> Result<(), Failure> {
    let (text, lost) = written.map_err(|error| syntax.refuse(error))?;
    if let Some(lost) = lost {
        eprintln!("note: {lost}");
    }
    print(&text)
}

/// The type that was asked for, or that the text names, or f32.
fn dtype(asked: Option<&str>, syntax: &LayoutText) -> Result<XlaDtype, Failure> {
    let written = match syntax {
        LayoutText::PadLayout(tree) => tree.dtype(),
        _ => None,
    };
    let name = asked.unwrap_or(match written {
        Some(Dtype::Half) => "f16",
        Some(Dtype::Double) => "f64",
        Some(Dtype::Int) => "s32",
        Some(Dtype::UInt) => "u32",
        Some(Dtype::Long) => "s64",
        Some(Dtype::ULong) => "u64",
        Some(Dtype::Byte) => "s8",
        Some(Dtype::UByte) => "u8",
        _ => "f32",
    });
    let unknown = || Failure::Argument(format!("--dtype: `{name}` is no type of XLA"));
    XlaDtype::from_name(name).ok_or_else(unknown)
}

fn same(args: &Same) -> Result<ExitCode, Failure> {
    let (first, second) =
        (argument(&args.first, args.lenient)?, argument(&args.second, args.lenient)?);
    let (a, b) = (first.lower()?, second.lower()?);
    let difference = match (&args.machine, args.serves, args.up_to) {
        (Some(machine), false, None) if args.copyable => {
            let machine = machine_of(machine)?;
            let place = |layout: Layout, text: &LayoutText| {
                let builder = Placement::of(layout).on(&machine);
                let builder = match &args.memory {
                    Some(memory) => builder.memory(memory),
                    None => builder,
                };
                builder.build().map_err(|error| text.refuse(error))
            };
            place(a, &first)?.copyable(&place(b, &second)?)?
        }
        (_, true, _) => a.serves(&b)?,
        (_, _, Some(UpTo::Padding)) => a.same_up_to_padding(&b)?,
        _ => a.same_map(&b)?,
    };
    match (&difference, args.json) {
        (difference, true) => print(&same_json(difference.as_ref()).to_string())?,
        (None, false) => print("same")?,
        (Some(difference), false) => print(&difference.to_string())?,
    }
    Ok(ExitCode::from(u8::from(difference.is_some())))
}

fn hlo(args: &Hlo) -> Result<(), Failure> {
    let failed = |error| Failure::Io(args.file.clone(), error);
    let (input, length): (Box<dyn BufRead>, u64) = match args.file.as_str() {
        "-" => (Box::new(io::stdin().lock()), 0),
        path => {
            let file = File::open(path).map_err(failed)?;
            let length = file.metadata().map_or(0, |metadata| metadata.len());
            (Box::new(BufReader::with_capacity(1 << 18, file)), length)
        }
    };
    let bar = byte_progress(length);
    let report = HloReport::scan(input, |bytes| bar.set_position(bytes)).map_err(failed)?;
    bar.finish_and_clear();
    if args.strict && report.unread_count() > 0 {
        let lines = report.unread_lines().iter().take(20);
        let lines = lines.map(|l| format!("\n  line {}: {}: {}", l.line, l.reason, l.text));
        let count = report.unread_count();
        let lines: String = lines.collect();
        return Err(Failure::Argument(format!("{count} lines could not be read{lines}")));
    }
    let mut out = Output::new(None)?;
    let written = match (args.json, args.csv) {
        (true, _) => writeln!(out, "{}", hlo_json(&report, args.top)?),
        (_, true) => report.write_csv(&mut out, args.top),
        _ => {
            let page = report.page(args.top)?;
            out.write_all(page.as_bytes())
        }
    };
    written.map_err(|error| out.failed(error))?;
    out.finish()
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
