//! `hlo`: the instructions, memory, copies, collectives and shapes of an XLA compiler dump.

mod other;
mod report;
mod rows;

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use serde_json::json;
use tensor_layout::{LayoutText, Machine};
use tensor_layout_hlo::{
    HloBytes, HloChanges, HloComputation, HloCopies, HloDump, HloMemory, HloReading, HloReport,
    HloRow, HloShardings, HloSummary, HloTallies, HloTextKind, UnreadLine,
};
use tensor_layout_show::pages::hlo as pages;

use super::failure::{Failure, note};
use super::input::{ReportFormat, count, open};
use super::json::JsonLine;
use super::output::{beside_answer, byte_progress, write_to};
use super::placing::machine_of;
use super::wrap::fitted;
use rows::{
    copy_json, end_reading, entry_json, named, on_device_json, sharded_json, totals_json,
    write_changes, write_collectives, write_memory, write_shapes, write_summary,
};
use tensor_layout_words::{counted, printable, quoted};

/// List the instructions of an XLA compiler dump, most wasteful first.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Sizes are per result. Totals count each instruction once, so they are not peak
memory, and loop bodies are counted once. Values inside fusions are counted
separately, because they are not in memory.
JSON: {\"instructions\":[{\"name\":..,\"opcode\":..,\"shape\":..,\"op_name\":..,\"source\":..,
\"line\":..,\"computation\":..,\"unpadded_bytes\":..,\"allocated_bytes\":..,
\"waste_bytes\":..},..],\"computations\":[..],\"entry\":{..},\"unread_lines\":[..]};
with --copies, --collectives, --shardings or --shapes a list of that name, with
--memory {\"modules\":[{\"interface\":..,\"peak\":[{\"space\":..,\"live\":[..]},..]},..]}.

Examples:
  tensor-layout hlo module_0001.after_optimizations.txt --top 10
  tensor-layout hlo crates/hlo/tests/data/scan.txt --memory
  tensor-layout hlo crates/hlo/tests/data/before.txt --against crates/hlo/tests/data/sharded.txt
  tensor-layout hlo crates/hlo/tests/data/out_of_memory.txt
  tensor-layout hlo crates/hlo/tests/data/sharded.txt --copies
  tensor-layout hlo crates/hlo/tests/data/reshard.txt --collectives HOST=2,CHIP=4
  tensor-layout hlo crates/hlo/tests/data/waste.txt --report dump.html --mesh data=2,model=4")]
pub(super) struct Hlo {
    /// The dump, or - for standard input.
    #[arg(value_name = "FILE")]
    file: String,
    #[command(flatten)]
    about: About,
    /// The output format.
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
    /// Short for --format json.
    #[arg(long, conflicts_with_all = ["format", "csv"])]
    json: bool,
    /// Short for --format csv.
    #[arg(long, conflicts_with = "format")]
    csv: bool,
    /// Print only the N largest rows (by default 20 as text, else all).
    #[arg(long, value_name = "N", value_parser = count::<usize>)]
    top: Option<usize>,
    /// The file for a page for browsers about the dump: padding, collectives, copies, and memory over the schedule;
    /// with --collectives, the bytes that enter the units of each level.
    #[arg(long, value_name = "HTML", value_parser = beside_answer, conflicts_with_all = ["against", "shapes"])]
    report: Option<PathBuf>,
    /// The mesh of the program, such as data=2,model=4, for the bytes along each of its axes; with
    /// --collectives or --report.
    #[arg(long, value_name = "MESH")]
    mesh: Option<String>,
    /// Fail if any part of the dump cannot be read.
    #[arg(long)]
    strict: bool,
}

// The subject of the report, if not instructions.
#[derive(Debug, ClapArgs)]
#[group(multiple = false)]
struct About {
    /// Report the memory of one device instead: arguments, results, and the buffers that are live at
    /// the peak of a scheduled module, largest first.
    #[arg(long)]
    memory: bool,
    /// Report the changes from this dump to another instead: buffers, copies and collectives that were
    /// added or removed, or that grew or shrank, matched by op_name and opcode.
    #[arg(long, value_name = "FILE")]
    against: Option<String>,
    /// Report copies, transposes, reshapes and bitcasts instead: what changes, bytes read and
    /// written, and which are free.
    #[arg(long)]
    copies: bool,
    /// Report collectives instead, with the bytes that enter the units of each level of MACHINE,
    /// such as POD=2,HOST=4,CHIP=4, and the steps if it is a file with [bandwidth]; devices are
    /// numbered in the order of the tree's leaves.
    #[arg(long, value_name = "MACHINE")]
    collectives: Option<String>,
    /// List the per-device size of every sharded instruction instead, largest first.
    #[arg(long)]
    shardings: bool,
    /// List the distinct shapes instead; quoted text is skipped.
    #[arg(long)]
    shapes: bool,
}

/// The number of rows on a page.
const PAGE: usize = 20;

/// The name of a file, its text and its length.
type Input<'a> = (&'a str, Box<dyn BufRead + Send>, u64);

impl Hlo {
    fn form(&self) -> ReportFormat {
        match (self.json, self.csv) {
            (true, _) => ReportFormat::Json,
            (_, true) => ReportFormat::Csv,
            _ => self.format,
        }
    }

    pub(super) fn run(&self) -> Result<(), Failure> {
        if self.mesh.is_some() && self.about.collectives.is_none() && self.report.is_none() {
            let why = "--mesh has no effect without --collectives or --report";
            return Err(Failure::Argument(why.into()));
        }
        let place = |file: &Path| std::fs::canonicalize(file).ok();
        let replaced = self.report.as_deref().and_then(place);
        if replaced.is_some() && replaced == place(Path::new(&self.file)) {
            let why = "--report would replace the dump: name another file";
            return Err(Failure::Argument(why.into()));
        }
        let (file, input, length) = self.open()?;
        let told = other::told(input).map_err(|error| Failure::Io(self.file.clone(), error))?;
        let input = match told {
            (HloTextKind::Dump, input) => (file, input, length),
            // Shapes can be found in any text.
            (kind, input) if self.about.shapes && kind.is_read() => (file, input, length),
            (kind, mut input) => return self.other(kind, &mut *input),
        };
        match &self.about {
            About { collectives: Some(machine), .. } => {
                self.collectives(input, &machine_of(machine)?)
            }
            About { against: Some(other), .. } => self.against(input, other),
            About { memory: true, .. } => self.memory(input),
            About { copies: true, .. } => self.copies(input),
            About { shardings: true, .. } => self.shardings(input),
            About { shapes: true, .. } => self.shapes(input),
            _ => self.instructions(input),
        }
    }

    /// Visits the computations of the dump, and returns the places that could not be read.
    fn computations<E: Into<Failure>>(
        &self,
        (file, input, length): Input<'_>,
        mut each: impl FnMut(HloComputation<'_>) -> Result<(), E>,
    ) -> Result<HloReading, Failure> {
        let bar = byte_progress(length);
        let mut found = false;
        let mut page = self.report.as_deref().map(|_| self.new_page()).transpose()?;
        let counted = HloDump::new(input).read_ahead(|computation, bytes| {
            found |= !computation.is_empty();
            page.as_mut().map_or(Ok(()), |page| page.add(computation))?;
            bar.set_position(bytes);
            each(computation).map_err(Into::<Failure>::into)
        });
        let reading = counted.map_err(|error| Failure::Io(file.into(), error))??;
        bar.finish_and_clear();
        if !found && reading.hidden == 0 {
            Hlo::note(&reading);
            return Err(Hlo::nothing(file, "instruction"));
        }
        page.map_or(Ok(()), |page| self.write_page(page, &reading))?;
        Ok(reading)
    }

    fn note(reading: &HloReading) {
        reading.summary().iter().for_each(|what| note(what));
    }

    /// Returns all that the dump's reader and the reader of the subject could not read, with a note; with `--strict`
    /// that is an error.
    fn unread(&self, dump: &HloReading, subject: &HloReading) -> Result<HloReading, Failure> {
        let all = dump.and(subject);
        Hlo::note(&all);
        self.check(&all)?;
        Ok(all)
    }

    /// Reports on a file that is not a dump.
    fn other(&self, kind: HloTextKind, input: &mut dyn BufRead) -> Result<(), Failure> {
        let option = match &self.about {
            About { collectives: Some(_), .. } => Some("--collectives"),
            About { against: Some(_), .. } => Some("--against"),
            About { memory: true, .. } => Some("--memory"),
            About { copies: true, .. } => Some("--copies"),
            About { shardings: true, .. } => Some("--shardings"),
            _ => self.report.as_ref().map(|_| "--report"),
        };
        if let Some(option) = option.filter(|_| kind.is_read()) {
            let why = format!("{option} needs a dump, but {} is {kind}", self.file);
            return Err(Failure::Advised(why, format!("without {option}, hlo reports on it")));
        }
        let answer = other::answer(kind, &self.file, input, self.form(), self.top)?;
        self.check(&answer.unread)?;
        write_to(None, |out| out.write_all(fitted(&answer.text).as_bytes()))
    }

    fn open(&self) -> Result<Input<'_>, Failure> {
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
        let (input, length) = open(&self.file)?;
        Ok((&self.file, input, length))
    }

    fn nothing(file: &str, what: &str) -> Failure {
        Failure::Advised(
            format!("{file}: no HLO {what} was found"),
            "hlo reads text dumps, such as those that XLA_FLAGS=--xla_dump_to=DIR writes; \
             `tensor-layout scan` finds the shapes in any other text"
                .into(),
        )
    }

    /// Returns an error for places that cannot be read, with `--strict`.
    fn check(&self, reading: &HloReading) -> Result<(), Failure> {
        if !self.strict || reading.is_complete() {
            return Ok(());
        }
        let why = |unread: &UnreadLine| format!("\n  line {}: {}", unread.line, unread.why());
        let lines = reading.lines.iter().take(20).map(why).collect::<String>();
        let count = counted(reading.count, "place");
        Err(Failure::Argument(format!("{count} could not be read{lines}")))
    }

    /// Prints a page, preceded by notes if the text is cut off or has no entry.
    fn print_page(&self, reading: &HloReading, page: &str, behind: &str) -> Result<(), Failure> {
        let doubts = reading.doubts().map(|what| format!("{what}\n\n")).collect::<String>();
        let page = format!("{}{page}{behind}", printable(&doubts));
        write_to(None, |out| out.write_all(fitted(&page).as_bytes()))
    }

    fn rows_kept(&self) -> Option<usize> {
        self.top.or((self.form() == ReportFormat::Text).then_some(PAGE))
    }

    fn instructions(&self, input: Input<'_>) -> Result<(), Failure> {
        let summary = HloSummary::new(self.rows_kept());
        let mut summary = match self.form() {
            ReportFormat::Json => summary,
            ReportFormat::Text | ReportFormat::Csv => summary.totals_only(),
        };
        let reading = self.computations(input, |computation| summary.add(computation))?;
        summary.finish();
        let all = self.unread(&reading, summary.reading())?;
        let page = pages::summary(&summary, self.top, &reading)?;
        match self.form() {
            ReportFormat::Text => self.print_page(&reading, &page, ""),
            ReportFormat::Json => {
                let entry = entry_json(&summary)?;
                write_to(None, |out| write_summary(out, &summary, &entry, &all))
            }
            ReportFormat::Csv => write_to(None, |out| {
                writeln!(
                    out,
                    "name,opcode,shape,op_name,source,line,computation,unpadded_bytes,allocated_bytes,waste_bytes"
                )?;
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

    /// The sums of a dump, and the places that could not be read.
    fn tallies(&self, input: Input<'_>) -> Result<(HloTallies, HloReading), Failure> {
        let mut tallies = HloTallies::default();
        let reading = self.computations(input, |computation| tallies.add(computation))?;
        tallies.finish()?;
        let all = self.unread(&reading, tallies.reading())?;
        Ok((tallies, all))
    }

    fn against(&self, input: Input<'_>, other: &str) -> Result<(), Failure> {
        let (before, reading) = self.tallies(input)?;
        let told = other::told(open(other)?.0);
        let (kind, second) = told.map_err(|error| Failure::Io(other.into(), error))?;
        if kind != HloTextKind::Dump {
            let why = format!("--against needs a dump, but {other} is {kind}");
            return Err(Failure::Advised(why, "pass two dumps of the same program".into()));
        }
        let (after, behind) = self.tallies((other, second, 0))?;
        let changes = HloChanges::of(&before, &after);
        match self.form() {
            ReportFormat::Text => {
                let of = |file: &str, reading: &HloReading| match reading.is_complete() {
                    true => String::new(),
                    false => format!("\n{file}:{}", pages::reading(reading)),
                };
                let unread = of(&self.file, &reading) + &of(other, &behind);
                self.print_page(&reading, &pages::changes(&changes, self.top), &printable(&unread))
            }
            ReportFormat::Json => {
                write_to(None, |out| write_changes(out, &changes, self.top, [&reading, &behind]))
            }
            ReportFormat::Csv => {
                Err(Failure::Argument("--against is printed as text or as JSON".into()))
            }
        }
    }

    fn memory(&self, input: Input<'_>) -> Result<(), Failure> {
        let mut memory = HloMemory::new(self.rows_kept());
        let reading = self.computations(input, |computation| memory.add(computation))?;
        memory.finish()?;
        let all = self.unread(&reading, memory.reading())?;
        match self.form() {
            ReportFormat::Text => self.print_page(
                &reading,
                &pages::memory(&memory, self.top),
                &pages::reading(&reading),
            ),
            ReportFormat::Json => write_to(None, |out| write_memory(out, &memory, &all)),
            ReportFormat::Csv => {
                Err(Failure::Argument("--memory is printed as text or as JSON".into()))
            }
        }
    }

    fn copies(&self, input: Input<'_>) -> Result<(), Failure> {
        let mut copies = HloCopies::new(self.rows_kept());
        let reading = self.computations(input, |computation| copies.add(computation))?;
        copies.finish()?;
        let unread = self.unread(&reading, copies.reading())?;
        let shown = || copies.entries().iter().take(self.top.unwrap_or(usize::MAX));
        match self.form() {
            ReportFormat::Text => self.print_page(
                &reading,
                &pages::copies(&copies, self.top),
                &pages::reading(&reading),
            ),
            ReportFormat::Json => {
                let (read, written) = copies.moved();
                let step = copies.in_a_step();
                let in_a_step = json!({
                    "read_bytes": step.bytes(0)?, "written_bytes": step.bytes(1)?,
                    "is_at_least": step.is_at_least, "is_at_most": step.is_at_most,
                });
                write_to(None, |out| {
                    let mut line = JsonLine::new(out);
                    line.list("copies", shown().map(copy_json))?;
                    let moved = json!({ "read_bytes": read, "written_bytes": written });
                    line.field("moved", &moved)?;
                    line.field("in_a_step", &in_a_step)?;
                    end_reading(line, &unread)
                })
            }
            ReportFormat::Csv => write_to(None, |out| {
                writeln!(
                    out,
                    "name,opcode,from,to,changes,free,read_bytes,written_bytes,line,computation,role,op_name,source"
                )?;
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

    fn shardings(&self, input: Input<'_>) -> Result<(), Failure> {
        let mut all = HloShardings::default();
        let reading = self.computations(input, |computation| all.add(computation))?;
        all.finish()?;
        let unread = self.unread(&reading, all.reading())?;
        let shown = || all.entries().iter().take(self.top.unwrap_or(usize::MAX));
        match self.form() {
            ReportFormat::Text => self.print_page(
                &reading,
                &pages::shardings(&all, self.top),
                &pages::reading(&reading),
            ),
            ReportFormat::Json => write_to(None, |out| {
                let mut line = JsonLine::new(out);
                line.list("shardings", shown().map(sharded_json))?;
                line.field("entry", &on_device_json(all.on_device()))?;
                line.field("partitions", &json!(all.partitions()))?;
                end_reading(line, &unread)
            }),
            ReportFormat::Csv => write_to(None, |out| {
                writeln!(
                    out,
                    "name,opcode,shape,sharding,left_over,device_unpadded_bytes,device_allocated_bytes,whole_bytes,line,computation,op_name"
                )?;
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

    fn shapes(&self, input: Input<'_>) -> Result<(), Failure> {
        let (_, input, length) = input;
        let bar = byte_progress(length);
        let report = HloReport::scan(input, |bytes| bar.set_position(bytes));
        bar.finish_and_clear();
        let report = report.map_err(|error| Failure::Io(self.file.clone(), error))?;
        self.check(report.reading())?;
        if report.entries().is_empty() && report.reading().count == 0 {
            return Err(Hlo::nothing(&self.file, "shape"));
        }
        if self.form() != ReportFormat::Text {
            Hlo::note(report.reading());
        }
        if report.unranked() > 0 && self.form() != ReportFormat::Text {
            note(&report.unranked_text());
        }
        match self.form() {
            ReportFormat::Text => {
                let page = pages::shapes(&report, self.top)?;
                write_to(None, |out| out.write_all(fitted(&page).as_bytes()))
            }
            ReportFormat::Json => {
                let totals = totals_json(&report)?;
                write_to(None, |out| write_shapes(out, &report, self.top, &totals))
            }
            ReportFormat::Csv => {
                write_to(None, |out| pages::write_shapes_csv(&report, out, self.top))
            }
        }
    }

    fn collectives(&self, input: Input<'_>, machine: &Machine) -> Result<(), Failure> {
        let mut all = self.new_collectives()?;
        let reading =
            self.computations(input, |computation| all.add(computation, Some(machine)))?;
        let all = all.finish()?;
        let unread = self.unread(&reading, &all.reading)?;
        match self.form() {
            ReportFormat::Text => self.print_page(
                &reading,
                &pages::collectives(&all, self.top),
                &pages::reading(&reading),
            ),
            ReportFormat::Json => {
                write_to(None, |out| write_collectives(out, &all, self.top, &unread))
            }
            ReportFormat::Csv => {
                Err(Failure::Argument("--collectives are printed as text or as JSON".into()))
            }
        }
    }
}
