//! Shardings of a model on a mesh of devices.

use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, ValueEnum};
use tensor_layout::LayoutError;
use tensor_layout_plan::mesh::{Backend, Mesh, MeshOptions, MeshPlan, MeshReport, plan_mesh};
use tensor_layout_plan::program::Program;
use tensor_layout_plan::stablehlo::read_stablehlo;

use super::{PlanArgs, watched};
use crate::failure::{Failure, note};
use crate::input::{count, open, read_text};
use crate::output::{print_as, write_to};
use crate::wrap::fitted;

/// The longest program that is read, in MiB.
const MOST: u64 = 1 << 10;

// `requires` alone lets an option of a mesh pass beside --machine, which conflicts with --mesh.
#[derive(Debug, ClapArgs)]
pub(super) struct MeshArgs {
    /// Shard the model on devices with these axes instead, as in data=4,model=2.
    #[arg(long, value_name = "AXES", help_heading = "Sharding", conflicts_with_all = [
        "machine", "keep", "penalty", "sram_budget", "no_routes", "pins", "what_if", "sdk", "report", "explain", "against",
    ])]
    pub(super) mesh: Option<String>,
    /// The compiler whose collectives are counted: cpu has no reduce-scatter.
    #[arg(
        long,
        value_name = "NAME",
        default_value = "tpu",
        help_heading = "Sharding",
        requires = "mesh",
        conflicts_with = "machine"
    )]
    backend: BackendName,
    /// Rates: operations, memory and links (or axes) per second, latency in ns, as in operations=2e14,links=5e10,model=4e11.
    #[arg(
        long,
        value_name = "RATES",
        help_heading = "Sharding",
        requires = "mesh",
        conflicts_with = "machine"
    )]
    rates: Option<String>,
    /// The bytes that tensors may take of a device, as in 16GiB.
    #[arg(long, value_name = "BYTES", value_parser = size, help_heading = "Sharding", requires = "mesh", conflicts_with = "machine")]
    device_memory: Option<u64>,
    /// Keep the shardings that the program has (sdy.sharding, at arguments, results and inside), and plan the rest.
    #[arg(long, help_heading = "Sharding", requires = "mesh", conflicts_with = "machine")]
    keep_shardings: bool,
    /// Answer also with what is better or worse than with the shardings that the program has.
    #[arg(long, help_heading = "Sharding", requires = "mesh", conflicts_with_all = ["keep_shardings", "machine"])]
    against_shardings: bool,
    /// The file for the program with the shardings in it.
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Sharding",
        requires = "mesh",
        conflicts_with = "machine"
    )]
    module: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BackendName {
    Cpu,
    Gpu,
    Tpu,
}

/// A number of bytes, with a unit or without.
fn size(text: &str) -> Result<u64, String> {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40)];
    let unit = units.into_iter().find_map(|(unit, bits)| Some((text.strip_suffix(unit)?, bits)));
    let (number, bits) = unit.unwrap_or((text, 0));
    let bytes =
        count::<u64>(number.trim_end()).ok().and_then(|number| number.checked_mul(1 << bits));
    bytes.ok_or_else(|| "expected a number of bytes, as in 16GiB".into())
}

impl PlanArgs {
    /// Plans shardings.
    pub(super) fn shard(&self, axes: &str) -> Result<(), Failure> {
        let invalid = |error: LayoutError| Failure::Argument(format!("--mesh: {error}"));
        let mut mesh: Mesh = axes.parse().map_err(invalid)?;
        let files = self.output.iter().chain(&self.sharding.module);
        let to_stdout = files.filter(|path| *path == Path::new("-")).count();
        if to_stdout > 1 {
            let why = "-o and --module both write to standard output".to_owned();
            return Err(Failure::Advised(why, "give one of them the name of a file".into()));
        }
        mesh.backend = match self.sharding.backend {
            BackendName::Cpu => Backend::Cpu,
            BackendName::Gpu | BackendName::Tpu => Backend::Accelerator,
        };
        if let Some(rates) = &self.sharding.rates {
            let invalid = |error: LayoutError| Failure::Argument(format!("--rates: {error}"));
            mesh.set_rates(rates).map_err(invalid)?;
        }
        let program = self.program()?;
        let MeshArgs { keep_shardings, against_shardings, .. } = self.sharding;
        let has_shardings = !program.annotated.is_empty() || program.unread > 0;
        for (name, given) in [("keep", keep_shardings), ("against", against_shardings)] {
            if given && !has_shardings {
                note(&format!("--{name}-shardings has no effect: the program has no sdy.sharding"));
            }
        }
        let planned = |keep_shardings: bool| {
            let device_memory =
                self.sharding.device_memory.filter(|_| !against_shardings || !keep_shardings);
            let options = MeshOptions { device_memory, keep_shardings, limits: self.limits() };
            watched(|watch| plan_mesh(&program, &mesh, &options, watch))
                .map_err(|error| self.refused(&error))
        };
        let plan = planned(keep_shardings)?;
        let report = match against_shardings && has_shardings {
            true => plan.report().beside(&planned(true)?.report()),
            false => plan.report(),
        };
        self.write_sharded(&plan, &report)?;
        if to_stdout > 0 {
            return Ok(());
        }
        let json = || serde_json::to_value(&report).unwrap_or_default();
        print_as(self.form, json, || fitted(&report.to_string()).into_owned())
    }

    fn program(&self) -> Result<Program, Failure> {
        if self.model.ends_with(".onnx") {
            return Ok(Program::of_graph(&self.graph()?));
        }
        if !self.dim.is_empty() {
            return Err(Failure::Argument(
                "--dim is for ONNX models, whose names end in .onnx".into(),
            ));
        }
        let (input, _) = open(&self.model)?;
        let text =
            read_text(input, MOST).map_err(|error| Failure::Io(self.model.clone(), error))?;
        read_stablehlo(&text).map_err(|error| {
            let why = format!("{}: {error}", self.model);
            Failure::Advised(why, "write it with jax.jit(f).lower(..).as_text()".into())
        })
    }

    fn refused(&self, error: &LayoutError) -> Failure {
        Failure::Argument(format!("{}: {error}", self.model))
    }

    fn write_sharded(&self, plan: &MeshPlan<'_>, report: &MeshReport) -> Result<(), Failure> {
        if let Some(path) = &self.sharding.module {
            let Some(module) = plan.module() else {
                let why = "--module writes StableHLO, and the model is not from such a text";
                return Err(Failure::Advised(why.into(), "read the placements in --json".into()));
            };
            write_to(Some(path), |out| std::io::Write::write_all(out, module.as_bytes()))?;
        }
        if let Some(path) = &self.output {
            let report = serde_json::to_string(report).unwrap_or_default();
            write_to(Some(path), |out| std::io::Write::write_all(out, report.as_bytes()))?;
        }
        Ok(())
    }
}
