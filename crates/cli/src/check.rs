//! `check`: the layouts that are pinned for a program, against shapes, the machine and each other.

use std::process::ExitCode;

use clap::Args as ClapArgs;
use tensor_layout::notation::Dtype;
use tensor_layout_plan::{SpecEntry, check_spec, read_spec};

use super::failure::Failure;
use super::input::{Form, open, read_text};
use super::output::print_as;
use super::placing::OnMachine;
use super::wrap::fitted;

/// Check the layouts that layout_spec and gemm_layout_spec files pin.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
A layout_spec is a JSON list of {\"trigger\":..,\"op_type\":..,\"shape\":[..],
\"layout\":\"((..))\"}, a gemm_layout_spec one of {\"key\":..,\"A\":..,\"BT\":..,\"C\":..};
several files are checked together. For each layout: the padding that its shape
leaves, what a slice needs of the local memory, and the cheapest way from DRAM.
For each product: whether every MAB has the operands of its part of C, or what
does not agree. Between layouts of one shape: the movements and their cycles.
Elements are as wide as the lanes of their layout say, or as --dtype.
The exit code is 1 if something is wrong.
JSON: {\"entries\":[{\"number\":..,\"title\":..,\"same_as\":..,\"tensors\":[..],\"product\":..}],
\"switches\":[{\"from\":[..],\"to\":[..],\"route\":{..},\"refused\":..}]}

Examples:
  tensor-layout check layout_spec.json --machine mn-core-2
  tensor-layout check layout_spec.json gemm_layout_spec.json --machine mn-core-2")]
pub(super) struct CheckArgs {
    /// The files, or - for standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    /// The machine: mn-core, mn-core-2, or a TOML file.
    #[arg(long, value_name = "MACHINE", help_heading = "Placing")]
    machine: Option<String>,
    /// The element type of all tensors.
    #[arg(long, value_name = "DTYPE", help_heading = "Placing")]
    dtype: Option<String>,
    #[command(flatten)]
    form: Form,
}

/// The longest file that is read, in MiB.
const MOST_FILE: u64 = 64;

impl CheckArgs {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        let on = OnMachine { machine: self.machine.clone(), memory: None, dtype: None };
        let Some(machine) = on.get()? else {
            let why = "a check needs a machine: its memories, lanes and movements".into();
            return Err(Failure::Advised(why, "add --machine mn-core-2".into()));
        };
        let dtype = self.dtype.as_deref().map(str::parse::<Dtype>).transpose()?;
        let report = check_spec(&self.entries()?, dtype.map(Dtype::bits), &machine);
        let json = || serde_json::to_value(&report).unwrap_or_default();
        print_as(self.form, json, || fitted(&report.to_string()).into_owned())?;
        Ok(ExitCode::from(u8::from(report.findings() > 0)))
    }

    fn entries(&self) -> Result<Vec<SpecEntry>, Failure> {
        let mut entries = Vec::new();
        for file in &self.files {
            let (input, _) = open(file)?;
            let text = read_text(input, MOST_FILE);
            let text = text.map_err(|error| Failure::Io(file.clone(), error))?;
            let read = read_spec(&text);
            entries.extend(read.map_err(|error| Failure::Argument(format!("{file}: {error}")))?);
        }
        Ok(entries)
    }
}
