//! `scan`: the layouts in any text.

use std::io::{self, IsTerminal, Write};

use clap::Args as ClapArgs;
use serde_json::{Value, json};
use tensor_layout::notation::Dtype;
use tensor_layout::xla::XlaParser;
use tensor_layout_hlo::scan::{LayoutFacts, LayoutRow, PassedOver, ScanPlace, ScanReport};
use tensor_layout_show::pages::hlo as pages;
use tensor_layout_words::{counted, cut, to_u64};

use super::failure::{Failure, note};
use super::input::{ReportFormat, count, open};
use super::json::{JsonLine, fits_json};
use super::output::{Output, byte_progress, write_to};
use super::placing::OnMachine;
use super::wrap::fitted;

/// Find the layouts in any text, such as a log, JSON, YAML or a compiler dump.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Finds PadLayouts, XLA shapes with or without a sharding, CuTe layouts, shapes
with strides, and types of MLIR modules with an encoding of Triton, whose
aliases are written out, or with JAX's layout_mode. Each distinct layout has one
row, in order of appearance: the line and name of its first occurrence, its
number of occurrences, bytes, padding, whether it fits the machine, and for XLA
shapes a smaller tiling that occurs in TPU dumps. Layouts of CuTe in source code
are found where the text has their numbers, and the others are counted; a call
such as tile_to_shape(..) is one layout. A PadLayout in quotes has the
shape that the same object lists under `shape` (JSON, dictionaries, calls, but
not YAML). A composition such as `S<3,4,3> o 0 o (8,64):(64,1)` is one layout
or, if it is not read, none of its parts is. Does not find CuTe layouts without
brackets (4:1), which look like times, or tuples without levels and strides.
JSON: {\"layouts\":[{\"layout\":..,\"notation\":..,\"line\":..,\"name\":..,\"count\":..,
\"shape\":[..],\"unpadded_bytes\":..,\"allocated_bytes\":..,\"padding\":..,\"room\":..,
\"lanes\":..,\"slices\":..,\"memory\":..,\"fits\":{..},\"better\":{..},\"error\":..},..],\"unread\":[..],\"passed_over\":{..}}

Examples:
  tensor-layout scan compile.log --machine mn-core-2
  tensor-layout scan module_0001.after_optimizations.txt --format csv
  make 2>&1 | tensor-layout scan -")]
pub(super) struct Scan {
    /// The text, or - for standard input.
    #[arg(value_name = "FILE")]
    file: String,
    /// Accept XLA shapes as people write them: F32, ∗, attributes in any order.
    #[arg(long)]
    lenient: bool,
    #[command(flatten)]
    on: OnMachine,
    /// The output format.
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: ReportFormat,
    /// Short for --format json.
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    json: bool,
    /// Print only the first N layouts.
    #[arg(long, value_name = "N", value_parser = count::<usize>, help_heading = "Output")]
    top: Option<usize>,
}

impl Scan {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let machine = self.on.get()?;
        let dtype = self.on.dtype.as_deref().map(str::parse::<Dtype>).transpose()?;
        let memory = self.on.memory.as_deref();
        if let (Some(machine), Some(memory)) = (&machine, memory) {
            machine.memory(memory)?;
        }
        let report = self.read()?;
        let place = ScanPlace { machine: machine.as_ref(), memory, dtype };
        self.note_unused(&report);
        let format = if self.json { ReportFormat::Json } else { self.format };
        write_to(None, |out| match format {
            ReportFormat::Text if io::stdout().is_terminal() => {
                out.write_all(fitted(&pages::scan(&report, place, self.top)).as_bytes())
            }
            ReportFormat::Text => pages::write_scan(&report, out, place, self.top),
            ReportFormat::Csv => pages::write_scan_csv(&report, out, place, self.top),
            ReportFormat::Json => write_json(out, &report, place, self.top),
        })
    }

    fn read(&self) -> Result<ScanReport, Failure> {
        let (input, length) = open(&self.file)?;
        let xla = if self.lenient { XlaParser::lenient() } else { XlaParser::strict() };
        let bar = byte_progress(length);
        let report = ScanReport::read(input, xla, |bytes| bar.set_position(bytes));
        bar.finish_and_clear();
        let report = report.map_err(|error| Failure::Io(self.file.clone(), error))?;
        if report.rows().next().is_none() && report.unread().next().is_none() {
            return Err(self.nothing(&report));
        }
        Ok(report)
    }

    /// The error for a text without layouts, with what it has in their place.
    fn nothing(&self, report: &ScanReport) -> Failure {
        let passed = report.passed_over().map(|PassedOver { count, line, text, .. }| {
            format!(
                "; {count} in source code passed over, for names instead of numbers, the first on \
                 line {line}: {}",
                cut(text, 120)
            )
        });
        let parts = report.parts();
        let apart = [(parts.encodings, "encoding"), (parts.shardings, "sharding")];
        let apart = apart.iter().filter(|(count, _)| *count > 0).map(|(count, what)| {
            format!("; {} without the shape of a tensor", counted(*count, what))
        });
        let text: String = passed.into_iter().chain(apart).collect();
        let help = match (parts.encodings, parts.shardings) {
            (0, 0) => {
                "scan finds texts such as ((4_PE, 3:8), (8:1)), f32[8,128]{1,0:T(8,128)}, \
                 (2,3):(3,1), shape=(2, 3), strides=(3, 1), Layout<Shape<_2,_3>>, \
                 tensor<8x4xf32, #ttg.blocked<..>>; hlo reads the tensors of StableHLO"
            }
            (0, _) => {
                "name the shape: tensor-layout explain 'f32[8,4], sharding=NamedSharding(..)'"
            }
            _ => "name the shape: tensor-layout explain '#ttg.blocked<..>' --shape 128x64xf16",
        };
        let bytes = report.bytes();
        let message = format!("{}: no layout was found in {bytes} bytes{text}", self.file);
        Failure::Advised(message, help.into())
    }

    /// Prints a note on options that no layout of the text uses.
    fn note_unused(&self, report: &ScanReport) {
        use tensor_layout::notation::Notation;
        let has = |wanted: &[Notation]| report.rows().any(|row| wanted.contains(&row.notation));
        if !has(&[Notation::PadLayout]) {
            let options = [
                ("--machine", self.on.machine.is_some()),
                ("--memory", self.on.memory.is_some()),
                ("--dtype", self.on.dtype.is_some()),
            ];
            for (option, _) in options.iter().filter(|(_, is_said)| *is_said) {
                note(&format!("{option} has no effect: the text has no PadLayout"));
            }
        }
        let lenient = |text: &str| XlaParser::lenient().parse(text).is_ok();
        let unread = report.unread().count();
        if self.format == ReportFormat::Csv && unread > 0 {
            let texts = counted(to_u64(unread), "text");
            note(&format!("{texts} could not be read; the page and --format json list them"));
        }
        let more = report.unread().filter(|unread| !self.lenient && lenient(unread.text)).count();
        if more > 0 {
            note(&format!("--lenient reads {more} of the texts that could not be read"));
        }
        if self.lenient && !has(&[Notation::Xla, Notation::Sharded]) {
            note("--lenient has no effect: the text has no XLA shape");
        }
    }
}

fn write_json(
    out: &mut Output,
    report: &ScanReport,
    place: ScanPlace<'_>,
    top: Option<usize>,
) -> io::Result<()> {
    let rows = report.rows().take(top.unwrap_or(usize::MAX));
    let unread = report.unread().map(|unread| {
        json!({
            "text": unread.text, "line": unread.line, "count": unread.count, "reason": unread.reason,
        })
    });
    let mut line = JsonLine::new(out);
    line.list("layouts", rows.map(|row| row_json(&row, place)))?;
    line.list("unread", unread)?;
    let passed = report.passed_over().map(|PassedOver { count, line, text, .. }| {
        json!({ "text": text, "line": line, "count": count })
    });
    line.field("passed_over", &json!(passed))?;
    line.end()
}

fn row_json(row: &LayoutRow<'_>, place: ScanPlace<'_>) -> Value {
    let (facts, error) = match row.facts(place) {
        Ok(facts) => (facts, None),
        Err(error) => (LayoutFacts::default(), Some(error.kind().to_string())),
    };
    let better = facts.better.map(|advice| {
        json!({ "shape": advice.array.to_string(), "allocated_bytes": advice.allocated_bytes })
    });
    let is_read = error.is_none();
    json!({
        "layout": row.text,
        "notation": row.notation.name(),
        "line": row.line,
        "name": row.name,
        "count": row.count,
        "shape": is_read.then_some(facts.shape),
        "unpadded_bytes": facts.unpadded_bytes,
        "allocated_bytes": facts.allocated_bytes,
        "padding": is_read.then_some(facts.padding.0),
        "room": is_read.then_some(facts.padding.1),
        "lanes": facts.lanes,
        "slices": facts.slices,
        "memory": facts.memory,
        "fits": fits_json(&facts.fits),
        "better": better,
        "error": facts.misplaced.or(error),
    })
}
