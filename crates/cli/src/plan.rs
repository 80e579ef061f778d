//! `plan`: a layout for every tensor of a model.

use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Args as ClapArgs;
use itertools::Itertools;
use tensor_layout::{LayoutError, Machine};
use tensor_layout_plan::graph::Graph;
use tensor_layout_plan::onnx::{ReadOptions, read_file, read_model};
use tensor_layout_plan::plan::{Plan, PlanOptions, PlanReport, Planner};
use tensor_layout_plan::search::{FORBIDDEN, Limits, Progress};

use super::failure::{Failure, note};
use super::input::{Form, count};
use super::interrupt::stoppable;
use super::output::{print_as, search_progress, write_to};
use super::placing::OnMachine;
use super::wrap::fitted;

/// Plan a layout for every tensor of an ONNX model.
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

Examples:
  tensor-layout plan model.onnx --machine mn-core-2 -o plan.json
  tensor-layout plan model.onnx --machine mn-core-2 --dim batch=8 --keep 16")]
pub(super) struct PlanArgs {
    /// The ONNX model, or - for standard input.
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
    form: Form,
}

/// `NAME=N`.
fn dim(text: &str) -> Result<(String, u64), String> {
    let parts = text.rsplit_once('=').filter(|(name, _)| !name.is_empty());
    let (name, extent) = parts.ok_or("expected a name and a number, as in batch=8")?;
    Ok((name.to_owned(), count(extent)?))
}

/// A number of choices.
fn at_least_one(text: &str) -> Result<usize, String> {
    count(text).ok().filter(|number| *number > 0).ok_or_else(|| "expected a number from 1".into())
}

/// A part in percent.
fn percent(text: &str) -> Result<u64, String> {
    let known = count(text).ok().filter(|percent| (1..=100).contains(percent));
    known.ok_or_else(|| "expected a percentage from 1 to 100".into())
}

/// The longest model that is read from standard input: a message of the format has at most 2 GiB.
const MOST_BYTES: u64 = 1 << 31;

impl PlanArgs {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let on = OnMachine { machine: self.machine.clone(), memory: None, dtype: None };
        let Some(machine) = on.get()? else {
            let why = "a plan needs a machine: its units, memories and movements".into();
            return Err(Failure::Advised(why, "add --machine mn-core-2".into()));
        };
        let graph = self.graph()?;
        let options = self.options();
        let plan = self.planned(&graph, &machine, &options);
        let plan = plan.map_err(|error| unplanned(&self.model, &error))?;
        self.write(&plan.report(), options.limits.until)
    }

    /// The plan, or the best one so far if Ctrl-C ends the search; a line shows how far it is.
    fn planned<'g>(
        &self,
        graph: &'g Graph,
        machine: &Machine,
        options: &PlanOptions,
    ) -> Result<Plan<'g>, LayoutError> {
        let line = search_progress();
        let shown = |Progress { cost, bound, .. }: Progress| {
            let plan = if cost < FORBIDDEN { format!("plan {cost}") } else { "no plan yet".into() };
            line.set_message(format!("{plan}, bound {bound}"));
            line.tick();
        };
        let plan = stoppable(|stopped| {
            let watch = |progress| {
                shown(progress);
                let ends = stopped.load(Ordering::Relaxed);
                if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            Planner::new(machine, options)?.plan_watched(graph, &watch)
        });
        line.finish_and_clear();
        plan
    }

    fn options(&self) -> PlanOptions {
        let after = |seconds| Instant::now().checked_add(Duration::from_secs(seconds));
        let limits = Limits {
            seed: self.seed.unwrap_or_default(),
            until: self.seconds.and_then(after),
            ..Limits::default()
        };
        let (keep, penalty, sram_budget) = (self.keep, self.penalty, self.sram_budget);
        PlanOptions { keep, penalty, sram_budget, routes: !self.no_routes, limits }
    }

    fn graph(&self) -> Result<Graph, Failure> {
        let mut names = self.dim.iter().map(|(name, _)| name);
        if let Some(name) = names.by_ref().duplicates().next() {
            let why = format!("--dim gives `{name}` twice");
            return Err(Failure::Advised(why, "give one extent per name".into()));
        }
        let options = ReadOptions { dims: self.dim.clone(), ..ReadOptions::default() };
        let graph = match &*self.model {
            "-" => read_model(&from_stdin()?, &options),
            file => read_file(Path::new(file), &options),
        };
        let mut graph = graph.map_err(|error| unread(&self.model, &error))?;
        graph.inline_constants();
        Ok(graph)
    }

    fn write(&self, report: &PlanReport, until: Option<Instant>) -> Result<(), Failure> {
        self.note(report, until);
        let json = || serde_json::to_value(report).unwrap_or_default();
        if let Some(path) = self.output.as_deref() {
            write_to(Some(path), |out| writeln!(out, "{}", json()))?;
            if path == Path::new("-") {
                return Ok(());
            }
        }
        print_as(self.form, json, || fitted(&report.to_string()).into_owned())
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
        let is_proved = report.totals.plan == report.totals.bound;
        if self.seed.is_some() && is_proved {
            note("--seed has no effect: the plan is proved to be optimal over its choices");
        }
        if until.is_some_and(|until| Instant::now() >= until) && !is_proved {
            note("the search ended early: a longer time than --seconds may lead to a better plan");
        }
    }
}

/// Prints a note about some operations: their number, and the first of their names.
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

fn from_stdin() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes);
    read.map_err(|error| Failure::Io("standard input".into(), error))?;
    Ok(bytes)
}

/// The failure to plan, with its remedy.
fn unplanned(file: &str, error: &LayoutError) -> Failure {
    let help = match (error.fact("prices"), error.fact("kind")) {
        (Some(_), _) => "plan for mn-core-2, or for a TOML file with [bandwidth]",
        (_, Some(_)) => "export the model without this operation",
        _ => return Failure::Argument(format!("{file}: {error}")),
    };
    Failure::Advised(format!("{file}: {error}"), help.into())
}

/// The failure to read a model, with its remedy.
fn unread(file: &str, error: &LayoutError) -> Failure {
    let advised = |why: String, help: &str| Failure::Advised(why, help.into());
    let [path, why, dim, kind] = ["path", "error", "dim", "kind"].map(|name| error.fact(name));
    let [value, node] = ["value", "node"].map(|name| error.fact(name).map(ToString::to_string));
    let (value, node) = (value.unwrap_or_default(), node.unwrap_or_default());
    match (path, why, dim, kind) {
        (Some(_), ..) => Failure::Argument(error.to_string()),
        (_, Some(why), ..) => advised(
            format!("{file}: not an ONNX model, or a part of one is missing: {why}"),
            "export it again: torch.onnx.export(model, args, dynamo=True).save(\"model.onnx\")",
        ),
        (_, _, Some(dim), _) => advised(
            format!("{file}: input `{value}` has an axis of extent `{dim}`"),
            &format!("give the extent, as in --dim {dim}=8"),
        ),
        (.., Some(kind)) => advised(
            format!("{file}: `{value}`, a result of node `{node}` ({kind}), has no shape"),
            "let onnx.shape_inference.infer_shapes add the shapes to the model",
        ),
        _ => Failure::Argument(format!("{file}: {error}")),
    }
}
