//! `hlo`: the shapes of an XLA compiler dump.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};

use clap::{Args as ClapArgs, ValueEnum};
use serde_json::{Map, Value, json};
use tensor_layout::hlo::{CollectiveTraffic, Collectives, HloDump, HloReport};
use tensor_layout::{LayoutError, Machine};

use super::failure::Failure;
use super::input::machine_of;
use super::output::{Output, byte_progress, print};

/// Report the shapes of an XLA compiler dump, those that waste most first.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Bytes are of one occurrence; totals count all of them.
JSON: {\"shapes\":[{\"shape\":..,\"count\":..,\"unpadded_bytes\":..,
\"allocated_bytes\":..,\"waste_bytes\":..},..],\"totals\":{..},\"unread_lines\":[..]}

Example:
  tensor-layout hlo module_0001.after_optimizations.txt --top 10
  tensor-layout hlo tests/data/hlo/reshard.txt --collectives HOST=2,CHIP=4")]
pub(super) struct Hlo {
    /// The dump, or - for standard input.
    #[arg(value_name = "FILE")]
    file: String,
    /// The form of the report.
    #[arg(long, value_enum, default_value_t)]
    format: HloFormat,
    /// Short for --format json.
    #[arg(long, conflicts_with_all = ["format", "csv"])]
    json: bool,
    /// Short for --format csv.
    #[arg(long, conflicts_with = "format")]
    csv: bool,
    /// Only the N worst shapes (a page for a person has 20).
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Refuse a dump with a line that cannot be read.
    #[arg(long)]
    strict: bool,
    /// The collectives instead, with the bytes that enter the units of each level of MACHINE, on
    /// which devices are counted through the tree: POD=2,HOST=4,CHIP=4.
    #[arg(long, value_name = "MACHINE")]
    collectives: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
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
        let failed = |error| Failure::Io(self.file.clone(), error);
        let (input, length): (Box<dyn BufRead>, u64) = match self.file.as_str() {
            "-" => (Box::new(io::stdin().lock()), 0),
            path => {
                let file = File::open(path).map_err(failed)?;
                let length = file.metadata().map_or(0, |metadata| metadata.len());
                (Box::new(BufReader::with_capacity(1 << 18, file)), length)
            }
        };
        if let Some(machine) = &self.collectives {
            return self.collectives(input, &machine_of(machine)?);
        }
        let bar = byte_progress(length);
        let report = HloReport::scan(input, |bytes| bar.set_position(bytes)).map_err(failed)?;
        bar.finish_and_clear();
        if self.strict && report.unread_count() > 0 {
            let lines = report.unread_lines().iter().take(20);
            let lines = lines.map(|l| format!("\n  line {}: {}: {}", l.line, l.reason, l.text));
            let count = report.unread_count();
            let lines: String = lines.collect();
            return Err(Failure::Argument(format!("{count} lines could not be read{lines}")));
        }
        if report.entries().is_empty() && report.unread_count() == 0 {
            return Err(Failure::Advised(
                format!("{}: no XLA shape was found", self.file),
                "hlo reads text dumps, such as those that XLA_FLAGS=--xla_dump_to=DIR writes"
                    .into(),
            ));
        }
        let mut out = Output::new(None)?;
        let written = match self.form() {
            HloFormat::Json => writeln!(out, "{}", hlo_json(&report, self.top)?),
            HloFormat::Csv => report.write_csv(&mut out, self.top),
            HloFormat::Text => {
                let page = report.page(self.top)?;
                out.write_all(page.as_bytes())
            }
        };
        written.map_err(|error| out.failed(error))?;
        out.finish()
    }
}

impl Hlo {
    fn collectives(&self, input: impl BufRead, machine: &Machine) -> Result<(), Failure> {
        let (mut dump, mut all) = (HloDump::new(input), Collectives::default());
        let failed = |error| Failure::Io(self.file.clone(), error);
        while let Some(computation) = dump.next_computation().map_err(failed)? {
            all.add(computation, Some(machine))?;
        }
        let all = all.finish()?;
        let unread = dump.unread_count();
        if self.strict && (unread > 0 || !all.unread.is_empty()) {
            let why = format!("{} lines could not be read", unread.max(1));
            return Err(Failure::Argument(why));
        }
        match self.form() {
            HloFormat::Text => print(&all.page(self.top)),
            HloFormat::Json => print(&collectives_json(&all, self.top).to_string()),
            HloFormat::Csv => {
                Err(Failure::Argument("--collectives are printed as text or as JSON".into()))
            }
        }
    }
}

fn collectives_json(all: &Collectives, top: Option<usize>) -> Value {
    let traffic = |traffic: &CollectiveTraffic| {
        let into = traffic.into.iter().map(|(level, bytes)| (level.to_string(), json!(bytes)));
        json!({ "received": traffic.received, "into": into.collect::<Map<_, _>>() })
    };
    let entries = all.entries.iter().take(top.unwrap_or(usize::MAX)).map(|entry| {
        json!({
            "name": entry.name,
            "opcode": entry.opcode,
            "line": entry.line,
            "op_name": entry.op_name,
            "bytes": entry.bytes,
            "traffic": traffic(&entry.traffic),
        })
    });
    let unread = all.unread.iter().map(|(line, reason)| json!({ "line": line, "reason": reason }));
    json!({
        "collectives": entries.collect::<Vec<_>>(),
        "total": traffic(&all.total),
        "unread": unread.collect::<Vec<_>>(),
    })
}

fn hlo_json(report: &HloReport, top: Option<usize>) -> Result<Value, LayoutError> {
    let totals = report.totals()?;
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
    let unread = report
        .unread_lines()
        .iter()
        .map(|line| json!({ "line": line.line, "text": line.text, "reason": line.reason }));
    Ok(json!({
        "shapes": shapes.collect::<Vec<_>>(),
        "totals": {
            "shapes": totals.shapes,
            "count": totals.count,
            "unpadded_bytes": totals.unpadded_bytes,
            "allocated_bytes": totals.allocated_bytes,
            "waste_bytes": totals.allocated_bytes.saturating_sub(totals.unpadded_bytes),
            "lines": report.lines(),
            "unread_lines": report.unread_count(),
        },
        "unread_lines": unread.collect::<Vec<_>>(),
    }))
}
