//! `vectors`: test vectors of MN-Core 2, written, read, checked and compared.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgMatches, Args as ClapArgs, Subcommand};
use itertools::Itertools;
use serde_json::{Value, json};
use tensor_layout::ParseError;
use tensor_layout::notation::PadLayout;
use tensor_layout_vectors::{
    DEFAULT_ATOL, Fault, TensorDirection, VectorCheck, VectorComparison, VectorData,
    VectorDifference, VectorError, VectorHeader, VectorReader, VectorTensor, VectorWriter,
    check_vectors, compare_vectors, no_dtype, no_memory, write_vectors,
};

use super::failure::{Failure, note};
use super::files::Files;
use super::formats::PictureFormat;
use super::input::{count, open};
use super::output::{
    Colored, Output, beside_answer, byte_progress, is_colored, print, progress, width, write_to,
};
use tensor_layout_words::{counted, to_u64};

/// Write, read, check and compare test vectors for MN-Core 2.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  tensor-layout vectors write --in '((4_PE:1, 2_W:1))@LM0 / Float' a.npy \\
    --out '((4_PE:1, 2_W:1))@LM1 / Float' expected.npy -o test.vsm
  tensor-layout vectors check test.vsm
  tensor-layout vectors compare test.vsm dump.txt")]
pub(super) struct Vectors {
    #[command(subcommand)]
    command: VectorsCommand,
}

#[derive(Debug, Subcommand)]
enum VectorsCommand {
    Write(WriteArgs),
    Read(ReadArgs),
    Check(CheckArgs),
    Compare(CompareArgs),
}

/// Write tensors in the line format that a simulator reads.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
A LAYOUT names a memory and a dtype, as in '((8:1, 2_W:1))@DRAM / Float'. Its
array has the same shape and the type of the dtype: <f4 for Float, <f8 Double,
<i4 Int, <u4 UInt, <i8 Long, <u8 ULong, |i1 Byte, |u1 UByte; for Half <f4 or
<f2, rounded to MN-Core's 9 bits of mantissa, or <u2 for the bits. --base counts
long words.

Example:
  tensor-layout vectors write --in '((4_PE:1, 2_W:1))@LM0 / Float' a.npy --base 16 \\
    --out '((4_PE:1, 2_W:1))@LM1 / Float' expected.npy --atol 0.001 -o test.vsm")]
struct WriteArgs {
    /// A tensor to set before the run.
    #[arg(long = "in", num_args = 2, value_names = ["LAYOUT", "FILE.npy"])]
    inputs: Vec<String>,
    /// A tensor to read after the run, with its expected values.
    #[arg(long = "out", num_args = 2, value_names = ["LAYOUT", "FILE.npy"])]
    outputs: Vec<String>,
    /// The address of the first long word of the preceding tensor.
    #[arg(long, value_name = "N", value_parser = count::<u64>)]
    base: Vec<u64>,
    /// Absolute tolerance for floating-point values.
    #[arg(long, value_name = "X", default_value_t = DEFAULT_ATOL)]
    atol: f64,
    /// Write the lines of the tensor without a header; for a single tensor.
    #[arg(long)]
    lines: bool,
    /// Write to a file, which appears only when it is complete.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Write the tensors of a file to .npy files.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Files are named In0.npy, Out0.npy and so on. Prints a line for each: its layout,
memory, dtype, shape and base, and the elements that no line sets (they are 0).
Half is written as <f4.

Example:
  tensor-layout vectors read test.vsm -o arrays")]
struct ReadArgs {
    /// The file, or - for standard input.
    #[arg(value_name = "FILE")]
    file: String,
    /// The directory for the .npy files.
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,
}

/// Check every line of a file against its header.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Checks the memory, address, units and lanes of each line, and its long words
against the values in its comment; finds places that no line or several lines
set or read, tensors that overlap, and memories that are too small. Lines may be
in any order and hold several long words; letters and comments may be omitted.
Prints `ok`, or one finding per line and exits with 1.
JSON: {\"tensors\":..,\"lines\":..,\"count\":..,\"findings\":[{\"line\":..,\"message\":..},..]}

Example:
  tensor-layout vectors check test.vsm")]
struct CheckArgs {
    /// The file, or - for standard input.
    #[arg(value_name = "FILE")]
    file: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Compare the output of a simulator with the expected values in a file.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
RESULT is the emulator's dump, with lines of `getd`, `getf`, `geth` or `get`; or
the long words that lines of the file read, all 16 digits: one per line in the
same order, or after their places, as in `d getd $ln0n0c0b0m0p0 1
3FC000003DCCCCCD`. Prints `same`, or the wrong elements with their places and a
picture of them, and exits with 1.
JSON: [{\"tensor\":..,\"compared\":..,\"wrong\":..,\"tested\":..,\"untested\":..,
\"differences\":[{\"index\":[..],\"place\":..,\"lane\":..,\"line\":..,\"expected\":..,
\"found\":..},..]},..]

Example:
  tensor-layout vectors compare test.vsm dump.txt --picture wrong.svg")]
struct CompareArgs {
    /// The file, or - for standard input.
    #[arg(value_name = "FILE")]
    file: String,
    /// The output of the simulator, or - for standard input.
    #[arg(value_name = "RESULT")]
    result: String,
    /// Draw the wrong elements of the first wrong tensor.
    #[arg(long, value_name = "FILE.svg", value_parser = beside_answer)]
    picture: Option<PathBuf>,
    /// The number of wrong elements to list for each tensor, at most 1000 (by default 20 as text, all
    /// in JSON).
    #[arg(long, value_name = "N", value_parser = at_most_1000)]
    top: Option<usize>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    color: Colored,
}

/// Parses the number of differences that a comparison keeps.
fn at_most_1000(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number <= 1000);
    number.ok_or_else(|| "expected a number up to 1000".into())
}

impl Vectors {
    pub(super) fn run(&self, matches: Option<&ArgMatches>) -> Result<ExitCode, Failure> {
        match &self.command {
            VectorsCommand::Write(args) => {
                let matches = matches.and_then(ArgMatches::subcommand);
                args.run(matches.map(|(_, matches)| matches)).map(|()| ExitCode::SUCCESS)
            }
            VectorsCommand::Read(args) => args.run().map(|()| ExitCode::SUCCESS),
            VectorsCommand::Check(args) => args.run(),
            VectorsCommand::Compare(args) => args.run(),
        }
    }
}

/// The failure for an error in a file.
fn failed(file: &str, error: VectorError) -> Failure {
    match error {
        VectorError::Header(error) => Failure::Text(error, None),
        VectorError::Layout(error) => error.into(),
        VectorError::Read(error) => Failure::Io(file.into(), error),
        VectorError::Line { line, error } => refused(file, line, &error),
        error => Failure::Argument(format!("{file}: {error}")),
    }
}

/// `test.vsm:12: ..`, with the caret.
fn refused(file: &str, line: u64, error: &ParseError) -> Failure {
    Failure::Argument(format!("{file}:{line}: {error}"))
}

/// An argument of the file that is written, in the order of the command line.
enum WriteArgument<'a> {
    Tensor(TensorDirection, &'a str, &'a str),
    Base(u64),
}

impl WriteArgs {
    fn run(&self, matches: Option<&ArgMatches>) -> Result<(), Failure> {
        if !self.atol.is_finite() || self.atol < 0.0 {
            let why = format!("--atol: {} is not a finite tolerance of 0 or more", self.atol);
            return Err(Failure::Argument(why));
        }
        let tensors = self.tensors(matches)?;
        if self.outputs.is_empty() && self.atol != DEFAULT_ATOL {
            note("--atol has no effect: nothing is expected, because there is no --out");
        }
        let elements = tensors.iter().map(VectorWriter::elements).sum();
        let mut out = Output::new(self.output.as_deref())?;
        let bar = progress(elements, self.output.is_some());
        let mut tick = |done: u64| {
            if done.is_multiple_of(1024) {
                bar.set_position(done);
            }
        };
        let written = match (self.lines, &tensors[..]) {
            (false, _) => write_vectors(&tensors, &mut out, &mut tick),
            (true, [tensor]) => tensor.write_lines(&mut out, &mut tick),
            (true, _) => {
                let why = format!("--lines goes with one tensor, but there are {}", tensors.len());
                return Err(Failure::Argument(why));
            }
        };
        bar.finish_and_clear();
        match written {
            Ok(()) => out.finish(),
            Err(VectorError::Write(error)) => Err(out.failed(error)),
            Err(error @ VectorError::Overlap { .. }) => {
                Err(Failure::Argument(format!("{error}; --base moves the tensor named before it")))
            }
            Err(error) => Err(failed("vectors", error)),
        }
    }

    /// The tensors, each with the base that follows it.
    fn tensors(&self, matches: Option<&ArgMatches>) -> Result<Vec<VectorWriter>, Failure> {
        let mut tensors: Vec<VectorWriter> = Vec::new();
        let mut counts = (0, 0);
        let mut has_base = false;
        for part in self.parts(matches) {
            match part {
                WriteArgument::Tensor(direction, layout, path) => {
                    let count = match direction {
                        TensorDirection::In => &mut counts.0,
                        TensorDirection::Out => &mut counts.1,
                    };
                    tensors.push(tensor(direction, *count, layout, path)?.atol(self.atol));
                    *count += 1;
                    has_base = false;
                }
                WriteArgument::Base(_) if has_base => {
                    let why = "--base: the tensor named before it has a base already";
                    return Err(Failure::Argument(why.into()));
                }
                WriteArgument::Base(base) => {
                    let Some(tensor) = tensors.pop() else {
                        let why = "--base: it follows the --in or --out whose tensor it moves";
                        return Err(Failure::Argument(why.into()));
                    };
                    tensors.push(tensor.base(base));
                    has_base = true;
                }
            }
        }
        if tensors.is_empty() {
            let why = "there are no tensors to write; name one with --in LAYOUT FILE.npy";
            return Err(Failure::Argument(why.into()));
        }
        Ok(tensors)
    }

    /// Tensors and bases, in the order of the command line.
    fn parts(&self, matches: Option<&ArgMatches>) -> Vec<WriteArgument<'_>> {
        let places = |name: &str| -> Vec<usize> {
            matches.and_then(|m| m.indices_of(name)).into_iter().flatten().collect()
        };
        let mut parts = Vec::new();
        let kinds = [
            ("inputs", &self.inputs, TensorDirection::In),
            ("outputs", &self.outputs, TensorDirection::Out),
        ];
        for (name, values, direction) in kinds {
            for (values, places) in values.chunks_exact(2).zip(places(name).chunks_exact(2)) {
                parts.push((places[0], WriteArgument::Tensor(direction, &values[0], &values[1])));
            }
        }
        let bases = places("base").into_iter().zip(&self.base);
        parts.extend(bases.map(|(place, base)| (place, WriteArgument::Base(*base))));
        parts.sort_by_key(|(place, _)| *place);
        parts.into_iter().map(|(_, part)| part).collect()
    }
}

fn tensor(
    direction: TensorDirection,
    number: u64,
    layout: &str,
    path: &str,
) -> Result<VectorWriter, Failure> {
    let layout: PadLayout = layout.parse()?;
    let Some(dtype) = layout.dtype else {
        let fault = layout.memory.map_or_else(no_memory, |_| no_dtype());
        return Err(layout.refuse(fault).into());
    };
    let mut file = File::open(path).map_err(|error| Failure::Io(path.into(), error))?;
    let data = VectorData::from_npy(dtype, &mut BufReader::new(&mut file));
    let data = data.map_err(|error| failed(path, error))?;
    let header = VectorHeader { direction, number, layout };
    VectorWriter::new(header, data).map_err(|error| failed(path, error))
}

impl ReadArgs {
    fn run(&self) -> Result<(), Failure> {
        let (input, length) = open(&self.file)?;
        let bar = byte_progress(length);
        let mut reader = VectorReader::new(input);
        let files = Files::new(&self.output)?;
        let (mut said, mut names) = (Vec::new(), Vec::new());
        loop {
            let tensor = reader.next_tensor(&mut |bytes| bar.set_position(bytes));
            let Some(tensor) = tensor.map_err(|error| failed(&self.file, error))? else { break };
            let name = format!("{}{}.npy", tensor.header.direction.name(), tensor.header.number);
            if names.contains(&name) {
                let why = format!("{}: {} has two headers", self.file, tensor.header.name());
                return Err(Failure::Argument(why));
            }
            let mut out = Output::within(&files, Path::new(&name))?;
            tensor.data.write_npy(&mut out).map_err(|error| out.failed(error))?;
            out.finish()?;
            said.push(format!("{name}  {}", described(&tensor)));
            names.push(name);
        }
        bar.finish_and_clear();
        if names.is_empty() {
            return Err(Failure::Argument(format!("{}: {}", self.file, Fault::NoTensor)));
        }
        files.finish()?;
        print(&said.join("\n"))
    }
}

/// The layout, shape and base of a tensor, and the elements that no line sets.
fn described(tensor: &VectorTensor) -> String {
    const MOST: usize = 20;
    let VectorTensor { header, base, data, .. } = tensor;
    let shape = data.shape().iter().join(", ");
    let mut text = format!("{}  shape ({shape})  base {base}", header.layout);
    let count = tensor.unset_count();
    if count > 0 {
        let unset = tensor.unset().take(MOST).map(|at| index(data.shape(), at)).join(", ");
        let more = if count > to_u64(MOST) { ", .." } else { "" };
        text.push_str(&format!("\n  not set: {count} elements: {unset}{more}"));
    }
    text
}

/// `[1,0]`: the index of the element with a row-major number.
fn index(shape: &[u64], mut number: u64) -> String {
    let mut index: Vec<String> = Vec::new();
    for extent in shape.iter().rev() {
        index.insert(0, (number % extent.max(&1)).to_string());
        number /= extent.max(&1);
    }
    format!("[{}]", index.join(","))
}

impl CheckArgs {
    fn run(&self) -> Result<ExitCode, Failure> {
        let (input, length) = open(&self.file)?;
        let bar = byte_progress(length);
        let check = check_vectors(input, &mut |bytes| bar.set_position(bytes));
        bar.finish_and_clear();
        let check = check.map_err(|error| failed(&self.file, error))?;
        match self.json {
            true => print(&check_json(&check).to_string())?,
            false => self.say(&check)?,
        }
        Ok(ExitCode::from(u8::from(check.count > 0)))
    }

    fn say(&self, check: &VectorCheck) -> Result<(), Failure> {
        write_to(None, |out| {
            for finding in &check.findings {
                writeln!(out, "{}:{}: {}", self.file, finding.line, finding.fault)?;
            }
            let shown = to_u64(check.findings.len());
            if shown < check.count {
                writeln!(out, "and {} more", check.count - shown)?;
            }
            let what =
                if check.count == 0 { "ok".into() } else { format!("{} found", check.count) };
            let (tensors, lines) = (counted(check.tensors, "tensor"), counted(check.lines, "line"));
            writeln!(out, "{what}: {tensors}, {lines}")
        })
    }
}

fn check_json(check: &VectorCheck) -> Value {
    let findings = check.findings.iter();
    let findings = findings.map(|f| json!({ "line": f.line, "message": f.fault.to_string() }));
    json!({
        "tensors": check.tensors,
        "lines": check.lines,
        "count": check.count,
        "findings": findings.collect::<Vec<_>>(),
    })
}

fn compare_json(compared: &[VectorComparison], top: Option<usize>) -> Value {
    let top = top.unwrap_or(usize::MAX);
    let difference = |at: &VectorDifference| {
        json!({
            "index": at.index,
            "place": at.place.to_string(),
            "lane": at.lane,
            "line": at.line,
            "expected": at.expected,
            "found": at.found,
        })
    };
    let tensor = |tensor: &VectorComparison| {
        json!({
            "tensor": tensor.header.name(),
            "compared": tensor.compared,
            "wrong": tensor.wrong,
            "tested": tensor.tested,
            "untested": tensor.untested,
            "differences": tensor.differences.iter().take(top).map(difference).collect::<Vec<_>>(),
        })
    };
    compared.iter().map(tensor).collect()
}

impl CompareArgs {
    fn run(&self) -> Result<ExitCode, Failure> {
        self.color.choose_for(self.json);
        if self.file == "-" && self.result == "-" {
            let why = "standard input is FILE or RESULT, not both";
            return Err(Failure::Argument(why.into()));
        }
        let ((file, length), (result, _)) = (open(&self.file)?, open(&self.result)?);
        let bar = byte_progress(length);
        let compared = compare_vectors(file, result, &mut |bytes| bar.set_position(bytes));
        bar.finish_and_clear();
        let compared = compared.map_err(|error| match error {
            VectorError::Result { line, error } => refused(&self.result, line, &error),
            VectorError::ResultLength { .. } => {
                Failure::Argument(format!("{}: {error}", self.result))
            }
            error => failed(&self.file, error),
        })?;
        if compared.is_empty() {
            let why = format!("{}: there is nothing to compare: the file has no `Out`", self.file);
            return Err(Failure::Argument(why));
        }
        let empty = compared.iter().find(|tensor| tensor.compared == 0 && tensor.untested > 0);
        if let Some(tensor) = empty {
            let why = format!("no line of {} says what is expected", tensor.header.name());
            return Err(Failure::Argument(format!("{}: {why}", self.file)));
        }
        let wrong = compared.iter().find(|tensor| tensor.wrong > 0);
        match (&self.picture, wrong) {
            (Some(path), Some(wrong)) => draw(path, wrong)?,
            (Some(_), None) => note("--picture has no effect: every element is as expected"),
            (None, _) => {}
        }
        if self.json {
            print(&compare_json(&compared, self.top).to_string())?;
        } else {
            let said: String = compared.iter().map(|tensor| self.described(tensor)).collect();
            write_to(None, |out| out.write_all(said.as_bytes()))?;
        }
        Ok(ExitCode::from(u8::from(wrong.is_some())))
    }

    /// Describes a tensor: `same`, or its wrong elements with their places and a picture.
    fn described(&self, tensor: &VectorComparison) -> String {
        let (name, wrong, compared) = (tensor.header.name(), tensor.wrong, tensor.compared);
        let untested = match tensor.untested {
            0 => String::new(),
            untested => format!("; nothing is expected of {}", counted(untested, "element")),
        };
        // Copies, and lines that are repeated, give an element several values.
        let values = match tensor.tested {
            tested if tested == compared => "elements".to_owned(),
            tested => format!("values of {}", counted(tested, "element")),
        };
        if wrong == 0 {
            return format!("{name}: same, {compared} {values}{untested}\n");
        }
        let top = self.top.unwrap_or(20);
        let mut text = format!("{name}: {wrong} of {compared} {values} wrong{untested}\n");
        for at in tensor.differences.iter().take(top) {
            let index = at.index.iter().join(",");
            let found = at.found.as_deref().unwrap_or("nothing: no such place in the result");
            let (line, place, lane, expected) = (at.line, at.place, at.lane, &at.expected);
            text.push_str(&format!(
                "  [{index}]  {place} lane {lane}  expected {expected}, found {found}  (line {line})\n"
            ));
        }
        let listed = to_u64(tensor.differences.len().min(top));
        if listed < wrong {
            text.push_str(&format!("  and {} more\n", wrong - listed));
        }
        text.push_str(&wrong_units(tensor));
        text.push_str(&tensor.picture().to_text(width(), is_colored(true)));
        text
    }
}

/// The first unit with wrong values, and the number of such units.
fn wrong_units(tensor: &VectorComparison) -> String {
    let Some((unit, count)) = tensor.units.iter().next() else { return String::new() };
    let units = match tensor.units.len() {
        1 => "1 wrong unit".to_owned(),
        of => format!("first of {of} wrong units"),
    };
    let noun = if tensor.tested == tensor.compared { "wrong element" } else { "wrong value" };
    format!("{units}: `{}`, with {}\n\n", unit_name(unit), counted(*count, noun))
}

/// `n0c0b0m0p1`
fn unit_name(unit: &[Option<u64>; 5]) -> String {
    let letters = unit.iter().zip("ncbmp".chars());
    letters.filter_map(|(at, letter)| Some(format!("{letter}{}", (*at)?))).collect()
}

fn draw(path: &Path, tensor: &VectorComparison) -> Result<(), Failure> {
    if PictureFormat::of(path)?.is_some_and(|format| format != PictureFormat::Svg) {
        let why = "--picture writes SVG".to_owned();
        return Err(Failure::Advised(why, "end the name of the file in .svg".into()));
    }
    write_to(Some(path), |out| out.write_all(tensor.picture().to_svg().as_bytes()))
}
