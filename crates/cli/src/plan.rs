//! `plan`: a layout for every tensor of a model.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Args as ClapArgs;
use itertools::Itertools;
use tensor_layout::{LayoutError, Machine};
use tensor_layout_plan::graph::Graph;
use tensor_layout_plan::onnx::ReadOptions;
use tensor_layout_plan::pins::{Pins, read_pins};
use tensor_layout_plan::plan::{Plan, PlanOptions, PlanReport, Planner, Watch};
use tensor_layout_plan::search::{FORBIDDEN, Limits, Progress};

use super::failure::{Failure, note};
use super::input::{Form, at_least_one, count, open, read_text};
use super::interrupt::stoppable;
use super::output::{beside_answer, print_as, search_progress};
use super::placing::OnMachine;
use super::wrap::fitted;

mod answers;
mod mesh;
mod model;

use answers::explained;
use mesh::MeshArgs;
use model::read;

/// Plan a layout or a sharding for every tensor of a model.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
For each value: operator, name, type, shape and node; below it, the least cycles of
the operation and the layout of its result; then the operands that are in another
layout than the operation wants, with the least cycles of the switch and the
movements that make it. At the end four sums of cycles: each value at its own
cheapest choice (naive), at its cheapest choice after those before it (greedy), the
plan, and a bound: no plan over the same choices costs less. Then the most memory of
a PE that values take. Ctrl-C ends the search with the best plan so far.
JSON: {\"model\":..,\"machine\":..,\"totals\":{\"naive\":..,\"greedy\":..,\"plan\":..,
\"bound\":..},\"memory\":{..},\"values\":[{\"name\":..,\"operator\":..,\"layout\":..,\"memory\":..,\"own\":{..},
\"operands\":[{\"value\":..,\"layout\":..,\"switch\":{..}}]}],\"uncovered\":[..]}

With --mesh: the spec of each argument and result, the collectives that a partitioner
makes of the plan with the bytes that a device sends, and the most memory of a device.
The model is what jax.jit(f).lower(..).as_text() prints, or an ONNX file.

A TOML file of pins:
  [[pin]]
  name = \"relu_*\"         # a value; or node and operand = 0; or product
  layouts = [\"((16_MAB:1), (8_L1B:1, 4:1))\"]     # one of these
  avoids = [\"L2B\"]        # and levels that it uses or avoids

Examples:
  tensor-layout plan model.onnx --machine mn-core-2 -o plan.json
  tensor-layout plan model.onnx --machine mn-core-2 --pins layout_spec.json --pins own.toml
  tensor-layout plan model.onnx --machine mn-core-2 --explain relu_2
  tensor-layout plan model.onnx --machine mn-core-2 --dim batch=8 --keep 16
  tensor-layout plan step.mlir --mesh data=4,model=2 --module sharded.mlir")]
pub(super) struct PlanArgs {
    /// The ONNX model or, with --mesh, also a StableHLO program; - for standard input.
    #[arg(value_name = "MODEL")]
    model: String,
    /// The machine: mn-core-2, or a TOML file with rates.
    #[arg(long, value_name = "MACHINE", help_heading = "Placing")]
    machine: Option<String>,
    /// The extent of the axes that the model calls NAME; repeat it for other names.
    #[arg(long, value_name = "NAME=N", value_parser = dim, help_heading = "Reading")]
    dim: Vec<(String, u64)>,
    /// The most choices of an operation: the cheapest by themselves. More take longer.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = at_least_one, help_heading = "Planning")]
    keep: usize,
    /// The price that keeps plans from switches that no known movements make.
    #[arg(long, value_name = "CYCLES", default_value_t = 1000, value_parser = count::<u64>, help_heading = "Planning")]
    penalty: u64,
    /// The part of the memory of a PE that values may take, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = percent, help_heading = "Planning")]
    sram_budget: u64,
    /// Look for no movements: faster, but some switches may have none.
    #[arg(long, help_heading = "Planning")]
    no_routes: bool,
    /// A file of layouts that the plan has to have: layout_spec or gemm_layout_spec, or TOML. Repeat it for more files.
    #[arg(long, value_name = "FILE", visible_aliases = ["layout-spec", "gemm-layout-spec"], help_heading = "Pins")]
    pins: Vec<String>,
    /// Answer with what changes if these layouts are pinned, too.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["explain", "against"], help_heading = "Pins")]
    what_if: Option<String>,
    /// Give all nodes of one operator and shape one layout, and write layout_spec.json and gemm_layout_spec.json there.
    #[arg(long, value_name = "DIR", conflicts_with = "what_if", help_heading = "Output")]
    sdk: Option<PathBuf>,
    /// The file for the plan as a page for browsers.
    #[arg(long, value_name = "HTML", value_parser = beside_answer, help_heading = "Output")]
    report: Option<PathBuf>,
    /// Answer with the next best layouts of a value or node, and what each would cost.
    #[arg(long, value_name = "NAME", conflicts_with = "against", help_heading = "Output")]
    explain: Option<String>,
    /// Answer with the differences from an earlier plan, a file that -o has written.
    #[arg(long, value_name = "PLAN", help_heading = "Output")]
    against: Option<String>,
    /// The seed of the search, if the graph is too wide for an exact one.
    #[arg(long, value_name = "N", value_parser = count::<u64>, help_heading = "Planning")]
    seed: Option<u64>,
    /// The seconds after which the search for a better plan ends.
    #[arg(long, value_name = "N", value_parser = count::<u64>, help_heading = "Planning")]
    seconds: Option<u64>,
    /// The file for the plan as JSON, - for standard output.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    #[command(flatten)]
    sharding: MeshArgs,
    #[command(flatten)]
    form: Form,
}

/// `NAME=N`.
fn dim(text: &str) -> Result<(String, u64), String> {
    let parts = text.rsplit_once('=').filter(|(name, _)| !name.is_empty());
    let (name, extent) = parts.ok_or("expected a name and a number, as in batch=8")?;
    Ok((name.to_owned(), count(extent)?))
}

/// A part in percent.
fn percent(text: &str) -> Result<u64, String> {
    let known = count(text).ok().filter(|percent| (1..=100).contains(percent));
    known.ok_or_else(|| "expected a percentage from 1 to 100".into())
}

impl PlanArgs {
    pub(super) fn run(&self) -> Result<(), Failure> {
        if let Some(axes) = &self.sharding.mesh {
            return self.shard(axes);
        }
        let on = OnMachine { machine: self.machine.clone(), memory: None, dtype: None };
        let Some(machine) = on.get()? else {
            let why = "a plan needs a machine: its units, memories and movements".into();
            return Err(Failure::Advised(why, "add --machine mn-core-2".into()));
        };
        let (graph, options) = (self.graph()?, self.options()?);
        let (more, before) = (self.what_if.as_deref().map(pins).transpose()?, self.before()?);
        let unplanned = |error| unplanned(&self.model, &error);
        let plan = self.planned(&graph, &machine, &options).map_err(unplanned)?;
        if let Some(more) = more {
            return self.what_if(plan, &graph, more);
        }
        let report = plan.report();
        let explained =
            self.explain.as_ref().map(|name| explained(&plan, &report, name)).transpose()?;
        self.note(&report, options.limits.until);
        self.write(&plan, &report)?;
        match (explained, before) {
            (Some(explained), _) => self.print_explanation(&explained),
            (None, Some(before)) => self.print_comparison(&report.against(&before), None),
            (None, None) if self.output.as_deref() == Some(Path::new("-")) => Ok(()),
            (None, None) => {
                let json = || serde_json::to_value(&report).unwrap_or_default();
                print_as(self.form, json, || fitted(&report.to_string()).into_owned())
            }
        }
    }

    /// The plan, or the best one so far if Ctrl-C ends the search; a line shows how far it is.
    fn planned<'g>(
        &self,
        graph: &'g Graph,
        machine: &Machine,
        options: &PlanOptions,
    ) -> Result<Plan<'g>, LayoutError> {
        watched(|watch| {
            let mut plan = Planner::new(machine, options)?.plan_watched(graph, watch)?;
            let mut before = Pins::new();
            while self.sdk.is_some() {
                let shared = plan.shared_layouts();
                // Own pins may forbid it: then the files are refused, with two nodes that differ.
                if shared.is_empty() || shared == before {
                    break;
                }
                before.clone_from(&shared);
                let mut planner = plan.into_planner();
                planner.pin(shared);
                plan = planner.plan_watched(graph, watch)?;
            }
            Ok(plan)
        })
    }

    fn limits(&self) -> Limits {
        let after = |seconds| Instant::now().checked_add(Duration::from_secs(seconds));
        let (seed, until) = (self.seed.unwrap_or_default(), self.seconds.and_then(after));
        Limits { seed, until, ..Limits::default() }
    }

    fn options(&self) -> Result<PlanOptions, Failure> {
        let limits = self.limits();
        let (keep, penalty, sram_budget) = (self.keep, self.penalty, self.sram_budget);
        let files = self.pins.iter().map(|file| pins(file));
        let pins = files.collect::<Result<Vec<_>, _>>()?.concat();
        Ok(PlanOptions { keep, penalty, sram_budget, routes: !self.no_routes, pins, limits })
    }

    fn graph(&self) -> Result<Graph, Failure> {
        let mut names = self.dim.iter().map(|(name, _)| name);
        if let Some(name) = names.by_ref().duplicates().next() {
            let why = format!("--dim gives `{name}` twice");
            return Err(Failure::Advised(why, "give one extent per name".into()));
        }
        read(&self.model, &ReadOptions { dims: self.dim.clone(), ..ReadOptions::default() })
    }

    fn note(&self, report: &PlanReport, until: Option<Instant>) {
        let uncovered = &report.uncovered;
        let uncovered = uncovered.iter().map(|(kind, name)| format!("a {kind} (`{name}`)"));
        let oversized = report.values.iter().filter(|value| value.is_oversized);
        let oversized = oversized.map(|value| format!("`{}`", value.name));
        let (one, more) = ("operation has no rule and keeps", "operations have no rule and keep");
        warn(uncovered.collect(), (one, more), "copies on every unit");
        let (one, more) = ("operation needs", "operations need");
        warn(oversized.collect(), (one, more), "more than the memory of a PE");
        let unused = report.pins.iter().filter(|pin| pin.nodes.is_empty());
        let unused = unused.map(|pin| pin.name.clone()).collect();
        warn(unused, ("pin is about", "pins are about"), "no node of this model");
        let is_proved = report.totals.plan == report.totals.bound;
        if self.seed.is_some() && is_proved {
            note("--seed has no effect: the plan is proved to be optimal over its choices");
        }
        if until.is_some_and(|until| Instant::now() >= until) && !is_proved {
            note("the search ended early: a longer time than --seconds may lead to a better plan");
        }
    }
}

/// Plans while a line shows how far the search is; Ctrl-C ends it.
fn watched<T>(plan: impl FnOnce(&Watch<'_>) -> T) -> T {
    let line = search_progress();
    let shown = |Progress { cost, bound, .. }: Progress| {
        let plan = if cost < FORBIDDEN { format!("plan {cost}") } else { "no plan yet".into() };
        line.set_message(format!("{plan}, bound {bound}"));
        line.tick();
    };
    let plan = stoppable(|stopped| {
        plan(&|progress| {
            shown(progress);
            let ends = stopped.load(Ordering::Relaxed);
            if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    });
    line.finish_and_clear();
    plan
}

/// The longest file of pins that is read, in MiB.
const MOST_PINS: u64 = 64;

/// Reads pins.
fn pins(file: &str) -> Result<Pins, Failure> {
    let (input, _) = open(file)?;
    let text = read_text(input, MOST_PINS).map_err(|error| Failure::Io(file.into(), error))?;
    read_pins(&text, file).map_err(|error| Failure::Argument(format!("{file}: {error}")))
}

/// Prints a note about some operations or pins: their number, and the first of their names.
fn warn(names: Vec<String>, (one, more): (&str, &str), what: &str) {
    const SHOWN: usize = 4;
    let verb = match names.len() {
        0 => return,
        1 => one,
        _ => more,
    };
    let rest = names.len().saturating_sub(SHOWN);
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    let shown = names.iter().take(SHOWN).join(", ");
    note(&format!("{} {verb} {what}: {shown}{rest}", names.len()));
}

/// The failure to plan, with its remedy.
fn unplanned(file: &str, error: &LayoutError) -> Failure {
    let help = match ["prices", "other", "kind"].map(|name| error.fact(name)) {
        [Some(_), ..] => "plan for mn-core-2, or for a TOML file with [bandwidth]",
        [_, Some(_), _] => "leave one of them out",
        [.., Some(_)] => "export the model without this operation",
        _ => return Failure::Argument(format!("{file}: {error}")),
    };
    Failure::Advised(format!("{file}: {error}"), help.into())
}
