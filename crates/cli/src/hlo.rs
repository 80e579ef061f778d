//! `hlo`: the instructions of an XLA compiler dump, its copies, its collectives, its shapes.

use std::borrow::Cow;
use std::io::{self, BufRead, Write};
use std::path::Path;

use clap::{Args as ClapArgs, ValueEnum};
use serde_json::{Map, Value, json};
use tensor_layout::{LayoutError, LayoutText, Machine};
use tensor_layout_hlo::{
    CollectiveTraffic, Collectives, HloBytes, HloComputation, HloComputationTotals, HloCopies,
    HloCopy, HloDump, HloOnDevice, HloReading, HloReport, HloRow, HloSharded, HloShardings,
    HloSummary, UnreadLine,
};

use super::failure::{Failure, note};
use super::input::{count, machine_of, open};
use super::json::JsonLine;
use super::output::{Output, byte_progress};
use super::wrap::fitted;
use tensor_layout::internals::to_u64;
use tensor_layout::internals::{counted, printable};

/// Report the instructions of an XLA compiler dump, the most wasteful first.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Sizes are per result. Totals count each instruction once, so they are not peak
memory, and loop bodies are counted once. Values inside fusions are counted
separately, because they are not in memory.
JSON: {\"instructions\":[{\"name\":..,\"opcode\":..,\"shape\":..,\"op_name\":..,\"source\":..,
\"line\":..,\"computation\":..,\"unpadded_bytes\":..,\"allocated_bytes\":..,
\"waste_bytes\":..},..],\"computations\":[..],\"entry\":{..},\"unread_lines\":[..]};
with --copies, --collectives, --shardings or --shapes a list of that name.

Examples:
  tensor-layout hlo module_0001.after_optimizations.txt --top 10
  tensor-layout hlo crates/hlo/tests/data/sharded.txt --copies
  tensor-layout hlo crates/hlo/tests/data/reshard.txt --collectives HOST=2,CHIP=4")]
pub(super) struct Hlo {
    /// The dump, or - for standard input.
    #[arg(value_name = "FILE")]
    file: String,
    #[command(flatten)]
    about: About,
    /// The format of the report.
    #[arg(long, value_enum, default_value_t)]
    format: HloFormat,
    /// Short for --format json.
    #[arg(long, conflicts_with_all = ["format", "csv"])]
    json: bool,
    /// Short for --format csv.
    #[arg(long, conflicts_with = "format")]
    csv: bool,
    /// Only the N greatest rows (by default 20 as text, else all).
    #[arg(long, value_name = "N", value_parser = count::<usize>)]
    top: Option<usize>,
    /// Refuse a dump with a line that cannot be read.
    #[arg(long)]
    strict: bool,
}

// What the report is about, if not instructions.
#[derive(Debug, ClapArgs)]
#[group(multiple = false)]
struct About {
    /// Report copies, transposes, reshapes and bitcasts instead: what changes, bytes read and
    /// written, and which are free.
    #[arg(long)]
    copies: bool,
    /// Report collectives instead, with the bytes that enter the units of each level of MACHINE,
    /// such as POD=2,HOST=4,CHIP=4; devices are numbered through the tree.
    #[arg(long, value_name = "MACHINE")]
    collectives: Option<String>,
    /// List the per-device size of every sharded instruction instead, largest first.
    #[arg(long)]
    shardings: bool,
    /// Report the distinct shapes instead, wherever they stand outside quotes.
    #[arg(long)]
    shapes: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
enum HloFormat {
    /// A table for people.
    #[default]
    Text,
    /// For programs.
    Json,
    /// For spreadsheets.
    Csv,
}

impl Hlo {
    fn form(&self) -> HloFormat {
        match (self.json, self.csv) {
            (true, _) => HloFormat::Json,
            (_, true) => HloFormat::Csv,
            _ => self.format,
        }
    }

    pub(super) fn run(&self) -> Result<(), Failure> {
        match &self.about {
            About { collectives: Some(machine), .. } => self.collectives(&machine_of(machine)?),
            About { copies: true, .. } => self.copies(),
            About { shardings: true, .. } => self.shardings(),
            About { shapes: true, .. } => self.shapes(),
            _ => self.instructions(),
        }
    }

    /// Goes through the computations of the dump, and returns what could not be read.
    fn computations<E: Into<Failure>>(
        &self,
        mut each: impl FnMut(HloComputation<'_>) -> Result<(), E>,
    ) -> Result<HloReading, Failure> {
        let (input, length) = self.open()?;
        let bar = byte_progress(length);
        let mut dump = HloDump::new(input);
        let mut found = false;
        let failed = |error| Failure::Io(self.file.clone(), error);
        while let Some(computation) = dump.next_computation().map_err(failed)? {
            found |= !computation.is_empty();
            each(computation).map_err(Into::into)?;
            bar.set_position(dump.bytes());
        }
        bar.finish_and_clear();
        let reading = dump.reading();
        if let Some(what) = reading.summary() {
            note(&what);
        }
        if !found && reading.hidden == 0 {
            return Err(self.nothing("instruction"));
        }
        Ok(reading)
    }

    fn open(&self) -> Result<(Box<dyn BufRead>, u64), Failure> {
        let what = Path::new(&self.file);
        if what.is_dir() {
            let why = format!("`{}` is a folder", self.file);
            let help = "give one of its files; what runs is in those that end in \
                        after_optimizations.txt";
            return Err(Failure::Advised(why, help.into()));
        }
        if !what.exists() && LayoutText::parse(&self.file).is_ok() {
            let why = format!("`hlo` takes a file name, but `{}` is a layout", self.file);
            return Err(Failure::Advised(
                why,
                "ask `tensor-layout explain` about one layout".into(),
            ));
        }
        open(&self.file)
    }

    fn nothing(&self, what: &str) -> Failure {
        Failure::Advised(
            format!("{}: no HLO {what} was found", self.file),
            "hlo reads text dumps, such as those that XLA_FLAGS=--xla_dump_to=DIR writes; \
             `tensor-layout scan` finds the shapes in any other text"
                .into(),
        )
    }

    /// Refuses lines that cannot be read, if that was asked.
    fn check(&self, unread: &[(u64, String)]) -> Result<(), Failure> {
        if !self.strict || unread.is_empty() {
            return Ok(());
        }
        let lines = unread.iter().take(20).map(|(line, why)| format!("\n  line {line}: {why}"));
        let (count, lines) = (counted(to_u64(unread.len()), "line"), lines.collect::<String>());
        Err(Failure::Argument(format!("{count} could not be read{lines}")))
    }

    fn print(&self, write: impl FnOnce(&mut Output) -> std::io::Result<()>) -> Result<(), Failure> {
        let mut out = Output::new(None)?;
        write(&mut out).map_err(|error| out.failed(error))?;
        out.finish()
    }

    /// Prints a page, and before it where the text is cut off.
    fn print_page(&self, reading: &HloReading, page: &str, behind: &str) -> Result<(), Failure> {
        let cut = reading.cut.iter().map(|cut| format!("{cut}\n\n")).collect::<String>();
        let page = format!("{}{page}{behind}", printable(&cut));
        self.print(|out| out.write_all(fitted(&page).as_bytes()))
    }

    fn rows_kept(&self) -> Option<usize> {
        const PAGE: usize = 20;
        self.top.or((self.form() == HloFormat::Text).then_some(PAGE))
    }

    fn instructions(&self) -> Result<(), Failure> {
        let summary = HloSummary::new(self.rows_kept());
        let mut summary = match self.form() {
            HloFormat::Json => summary,
            HloFormat::Text | HloFormat::Csv => summary.totals_only(),
        };
        let reading = self.computations(|computation| summary.add(computation))?;
        summary.finish();
        let all: Vec<_> = reading.lines.iter().chain(summary.unread_lines()).map(reason).collect();
        self.check(&all)?;
        let page = summary.page(self.top, &reading.lines)?;
        match self.form() {
            HloFormat::Text => self.print_page(&reading, &page, ""),
            HloFormat::Json => {
                let entry = entry_json(&summary)?;
                self.print(|out| write_summary(out, &summary, &entry, &reading, &all))
            }
            HloFormat::Csv => self.print(|out| {
                writeln!(out, "name,opcode,shape,op_name,source,line,computation,unpadded_bytes,allocated_bytes,waste_bytes")?;
                summary.rows().try_for_each(|row| {
                    let HloRow { name, opcode, shape, sizes, op_name, source, line, computation, .. } = row;
                    let [shape, op_name, source, of] = [shape, op_name.unwrap_or_default(), source.unwrap_or_default(), computation].map(quoted);
                    let (unpadded, allocated) = (sizes.unpadded_bytes, sizes.allocated_bytes);
                    let (name, opcode) = (named(name), named(opcode));
                    writeln!(out, "{name},{opcode},{shape},{op_name},{source},{line},{of},{unpadded},{allocated},{}", sizes.padding_bytes())
                })
            }),
        }
    }

    fn copies(&self) -> Result<(), Failure> {
        let mut copies = HloCopies::new(self.rows_kept());
        let reading = self.computations(|computation| copies.add(computation))?;
        copies.finish()?;
        let unread: Vec<_> =
            reading.lines.iter().map(reason).chain(copies.unread().iter().cloned()).collect();
        self.check(&unread)?;
        let shown = || copies.entries().iter().take(self.top.unwrap_or(usize::MAX));
        match self.form() {
            HloFormat::Text => self.print_page(&reading, &copies.page(self.top), &reading.page()),
            HloFormat::Json => {
                let (read, written) = copies.moved();
                let step = copies.in_a_step();
                let in_a_step = json!({
                    "read_bytes": step.bytes(0)?, "written_bytes": step.bytes(1)?,
                    "is_at_least": step.is_at_least, "is_at_most": step.is_at_most,
                });
                self.print(|out| {
                    let mut line = JsonLine::new(out);
                    line.list("copies", shown().map(copy_json))?;
                    let moved = json!({ "read_bytes": read, "written_bytes": written });
                    line.field("moved", &moved)?;
                    line.field("in_a_step", &in_a_step)?;
                    write_reading(&mut line, &reading)?;
                    line.list("unread_lines", unread.iter().map(unread_json))?;
                    line.end()
                })
            }
            HloFormat::Csv => self.print(|out| {
                writeln!(out, "name,opcode,from,to,changes,free,read_bytes,written_bytes,line,computation,role,op_name,source")?;
                shown().try_for_each(|copy| {
                    let free = copy.is_free.map_or(String::new(), |free| free.to_string());
                    let changes = copy.changes.join("; ");
                    let texts = [&copy.from, &copy.to, &changes, &copy.computation].map(|text| quoted(text));
                    let [from, to, changes, computation] = texts;
                    let origin = [&copy.op_name, &copy.source].map(|text| quoted(text.as_deref().unwrap_or_default()));
                    let (name, opcode, role, line) = (named(&copy.name), named(&copy.opcode), copy.role.name(), copy.line);
                    let (read, written) = (copy.read, copy.written);
                    writeln!(out, "{name},{opcode},{from},{to},{changes},{free},{read},{written},{line},{computation},{role},{}", origin.join(","))
                })
            }),
        }
    }

    fn shardings(&self) -> Result<(), Failure> {
        let mut all = HloShardings::default();
        let reading = self.computations(|computation| all.add(computation))?;
        all.finish();
        let unread: Vec<_> = reading.lines.iter().chain(all.unread_lines()).map(reason).collect();
        self.check(&unread)?;
        let shown = || all.entries().iter().take(self.top.unwrap_or(usize::MAX));
        match self.form() {
            HloFormat::Text => self.print_page(&reading, &all.page(self.top), &reading.page()),
            HloFormat::Json => {
                self.print(|out| {
                    let mut line = JsonLine::new(out);
                    line.list("shardings", shown().map(sharded_json))?;
                    line.field("entry", &on_device_json(all.on_device()))?;
                    line.field("partitions", &json!(all.partitions()))?;
                    write_reading(&mut line, &reading)?;
                    line.list("unread_lines", unread.iter().map(unread_json))?;
                    line.end()
                })
            }
            HloFormat::Csv => self.print(|out| {
                writeln!(out, "name,opcode,shape,sharding,left_over,device_unpadded_bytes,device_allocated_bytes,whole_bytes,line,computation,op_name")?;
                shown().try_for_each(|entry| {
                    let texts = [&entry.shape, &entry.sharding, &entry.computation].map(|text| quoted(text));
                    let [shape, sharding, computation] = texts;
                    let op_name = quoted(entry.op_name.as_deref().unwrap_or_default());
                    let (name, opcode, line) = (named(&entry.name), named(&entry.opcode), entry.line);
                    let HloBytes { unpadded, allocated, .. } = entry.device;
                    let (left_over, whole) = (entry.is_left_over, entry.whole_bytes);
                    writeln!(out, "{name},{opcode},{shape},{sharding},{left_over},{unpadded},{allocated},{whole},{line},{computation},{op_name}")
                })
            }),
        }
    }

    fn shapes(&self) -> Result<(), Failure> {
        let (input, length) = self.open()?;
        let bar = byte_progress(length);
        let report = HloReport::scan(input, |bytes| bar.set_position(bytes));
        bar.finish_and_clear();
        let report = report.map_err(|error| Failure::Io(self.file.clone(), error))?;
        let unread: Vec<_> = report.unread_lines().iter().map(reason).collect();
        self.check(&unread)?;
        if report.entries().is_empty() && report.unread_count() == 0 {
            return Err(self.nothing("shape"));
        }
        if report.unranked() > 0 && self.form() != HloFormat::Text {
            note(&report.unranked_text());
        }
        match self.form() {
            HloFormat::Text => {
                let page = report.page(self.top)?;
                self.print(|out| out.write_all(fitted(&page).as_bytes()))
            }
            HloFormat::Json => {
                let totals = totals_json(&report)?;
                self.print(|out| write_shapes(out, &report, self.top, &totals))
            }
            HloFormat::Csv => self.print(|out| report.write_csv(out, self.top)),
        }
    }

    fn collectives(&self, machine: &Machine) -> Result<(), Failure> {
        let mut all = Collectives::default();
        let reading = self.computations(|computation| all.add(computation, Some(machine)))?;
        let all = all.finish()?;
        let unread = reading.lines.iter().map(reason);
        let unread: Vec<_> = unread.chain(all.unread.iter().cloned()).collect();
        self.check(&unread)?;
        match self.form() {
            HloFormat::Text => self.print_page(&reading, &all.page(self.top), &reading.page()),
            HloFormat::Json => self.print(|out| write_collectives(out, &all, self.top, &reading)),
            HloFormat::Csv => {
                Err(Failure::Argument("--collectives are printed as text or as JSON".into()))
            }
        }
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", printable(text).replace('"', "\"\""))
}

/// A name as a field of CSV, in quotes only where it needs them.
fn named(name: &str) -> Cow<'_, str> {
    match name.contains(|c: char| c.is_control() || matches!(c, ',' | '"')) {
        true => quoted(name).into(),
        false => name.into(),
    }
}

fn reason(line: &UnreadLine) -> (u64, String) {
    (line.line, format!("{}: {}", line.reason, line.text))
}

fn unread_json((line, reason): &(u64, String)) -> Value {
    json!({ "line": line, "reason": reason })
}

/// Whether all was read, and what is missing.
fn write_reading(line: &mut JsonLine<'_>, reading: &HloReading) -> io::Result<()> {
    line.field("complete", &json!(reading.is_complete()))?;
    line.field("cut_off", &json!(reading.cut))?;
    line.field("hidden_instructions", &json!(reading.hidden))
}

fn bytes_json(bytes: HloBytes) -> Value {
    json!({
        "count": bytes.count,
        "unpadded_bytes": bytes.unpadded,
        "allocated_bytes": bytes.allocated,
        "waste_bytes": bytes.padding(),
    })
}

fn write_summary(
    out: &mut Output,
    summary: &HloSummary,
    entry: &Value,
    reading: &HloReading,
    unread: &[(u64, String)],
) -> io::Result<()> {
    let mut line = JsonLine::new(out);
    line.list("instructions", summary.rows().map(|row| row_json(&row)))?;
    line.list("computations", summary.computations().iter().map(computation_json))?;
    line.field("entry", entry)?;
    line.field("partitions", &json!(summary.partitions()))?;
    write_reading(&mut line, reading)?;
    line.list("unread_lines", unread.iter().map(unread_json))?;
    line.end()
}

fn row_json(row: &HloRow<'_>) -> Value {
    json!({
        "name": row.name,
        "opcode": row.opcode,
        "shape": row.shape,
        "op_name": row.op_name,
        "source": row.source,
        "line": row.line,
        "computation": row.computation,
        "unpadded_bytes": row.sizes.unpadded_bytes,
        "allocated_bytes": row.sizes.allocated_bytes,
        "waste_bytes": row.sizes.padding_bytes(),
    })
}

fn computation_json(totals: &HloComputationTotals) -> Value {
    json!({
        "module": totals.module,
        "name": totals.name,
        "role": totals.role.name(),
        "line": totals.line,
        "written": bytes_json(totals.written),
        "parameters": bytes_json(totals.parameters),
        "result": bytes_json(totals.result),
    })
}

fn entry_json(summary: &HloSummary) -> Result<Value, LayoutError> {
    Ok(json!({
        "parameters": bytes_json(summary.parameters()?),
        "results": bytes_json(summary.result()?),
        "on_device": summary.on_device()?.map(on_device_json),
    }))
}

fn on_device_json(on_device: HloOnDevice) -> Value {
    json!({
        "parameters": bytes_json(on_device.parameters),
        "results": bytes_json(on_device.result),
    })
}

fn sharded_json(entry: &HloSharded) -> Value {
    json!({
        "name": entry.name,
        "opcode": entry.opcode,
        "shape": entry.shape,
        "sharding": entry.sharding,
        "left_over": entry.is_left_over,
        "device_unpadded_bytes": entry.device.unpadded,
        "device_allocated_bytes": entry.device.allocated,
        "whole_bytes": entry.whole_bytes,
        "line": entry.line,
        "computation": entry.computation,
        "op_name": entry.op_name,
    })
}

fn copy_json(copy: &HloCopy) -> Value {
    json!({
        "name": copy.name,
        "opcode": copy.opcode,
        "from": copy.from,
        "to": copy.to,
        "changes": copy.changes,
        "free": copy.is_free,
        "read_bytes": copy.read,
        "written_bytes": copy.written,
        "line": copy.line,
        "computation": copy.computation,
        "role": copy.role.name(),
        "runs": copy.runs.known(),
        "op_name": copy.op_name,
        "source": copy.source,
    })
}

fn write_collectives(
    out: &mut Output,
    all: &Collectives,
    top: Option<usize>,
    reading: &HloReading,
) -> io::Result<()> {
    let traffic = |traffic: &CollectiveTraffic| {
        let into = traffic.into.iter().map(|(level, bytes)| (level.to_string(), json!(bytes)));
        json!({
            "received": traffic.received,
            "sent_bytes": traffic.sent,
            "into": into.collect::<Map<_, _>>(),
        })
    };
    let entries = all.entries.iter().take(top.unwrap_or(usize::MAX)).map(|entry| {
        json!({
            "name": entry.name,
            "opcode": entry.opcode,
            "line": entry.line,
            "op_name": entry.op_name,
            "bytes": entry.bytes,
            "computation": entry.computation,
            "fusion": entry.fusion,
            "runs": entry.runs.known(),
            "is_branch": entry.runs.is_branch,
            "sent_bytes": entry.traffic.sent,
            "traffic": traffic(&entry.traffic),
        })
    });
    let mut line = JsonLine::new(out);
    line.list("collectives", entries)?;
    line.field("total", &traffic(&all.total))?;
    line.field("total_is_at_least", &json!(all.in_a_step.is_at_least))?;
    line.field("total_is_at_most", &json!(all.in_a_step.is_at_most))?;
    write_reading(&mut line, reading)?;
    let unread = reading.lines.iter().map(reason).chain(all.unread.iter().cloned());
    line.list("unread", unread.map(|unread| unread_json(&unread)))?;
    line.end()
}

fn write_shapes(
    out: &mut Output,
    report: &HloReport,
    top: Option<usize>,
    totals: &Value,
) -> io::Result<()> {
    let entries = report.entries();
    let shapes = entries.iter().take(top.unwrap_or(usize::MAX)).map(|entry| {
        json!({
            "shape": entry.shape,
            "count": entry.count,
            "unpadded_bytes": entry.sizes.unpadded_bytes,
            "allocated_bytes": entry.sizes.allocated_bytes,
            "waste_bytes": entry.sizes.padding_bytes(),
        })
    });
    let unread = report.unread_lines().iter();
    let unread =
        unread.map(|line| json!({ "line": line.line, "text": line.text, "reason": line.reason }));
    let mut line = JsonLine::new(out);
    line.list("shapes", shapes)?;
    line.field("totals", totals)?;
    line.list("unread_lines", unread)?;
    line.end()
}

fn totals_json(report: &HloReport) -> Result<Value, LayoutError> {
    let totals = report.totals()?;
    Ok(json!({
        "shapes": totals.shapes,
        "count": totals.count,
        "unpadded_bytes": totals.unpadded_bytes,
        "allocated_bytes": totals.allocated_bytes,
        "waste_bytes": totals.allocated_bytes.saturating_sub(totals.unpadded_bytes),
        "unranked": report.unranked(),
        "lines": report.lines(),
        "unread_lines": report.unread_count(),
    }))
}
