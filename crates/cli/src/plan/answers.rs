//! Answers about a plan instead of the whole of it, and its files.

use std::io::Write;
use std::path::Path;

use itertools::Itertools;
use serde::Serialize;
use serde_json::json;
use tensor_layout_plan::graph::Graph;
use tensor_layout_plan::pins::Pins;
use tensor_layout_plan::plan::{Comparison, Explanation, Plan, PlanReport};

use super::{PlanArgs, unplanned, warn, watched};
use crate::failure::Failure;
use crate::files::Files;
use crate::input::{open, read_text};
use crate::output::{Output, print_as, write_to};
use crate::wrap::fitted;

/// The longest plan that is read, in MiB.
const MOST_PLAN: u64 = 1 << 10;

/// The names that are suggested for an unknown one.
const SUGGESTED: usize = 5;

impl PlanArgs {
    /// The earlier plan to compare with.
    pub(super) fn before(&self) -> Result<Option<PlanReport>, Failure> {
        let Some(file) = &self.against else { return Ok(None) };
        let (input, _) = open(file)?;
        let text = read_text(input, MOST_PLAN).map_err(|error| Failure::Io(file.clone(), error))?;
        let read = serde_json::from_str(&text).map_err(|error| {
            let why = format!("{file}: not a plan: {error}");
            Failure::Advised(why, "write the earlier plan with -o plan.json".into())
        });
        read.map(Some)
    }

    /// Writes the files of a plan.
    pub(super) fn write(&self, plan: &Plan<'_>, report: &PlanReport) -> Result<(), Failure> {
        if let Some(path) = self.output.as_deref() {
            let json = serde_json::to_value(report).unwrap_or_default();
            write_to(Some(path), |out| writeln!(out, "{json}"))?;
        }
        if let Some(path) = self.report.as_deref() {
            let page = tensor_layout_show::pages::plan(plan);
            write_to(Some(path), |out| out.write_all(page.as_bytes()))?;
        }
        match &self.sdk {
            Some(dir) => write_sdk(plan, dir),
            None => Ok(()),
        }
    }

    pub(super) fn print_explanation(&self, of: &Explanation) -> Result<(), Failure> {
        let json = || serde_json::to_value(of).unwrap_or_default();
        print_as(self.form, json, || fitted(&of.to_string()).into_owned())
    }

    /// Prints the differences of two plans; `stays` is the cost if all that is not pinned stays, if that was asked.
    pub(super) fn print_comparison(
        &self,
        of: &Comparison,
        stays: Option<Option<u64>>,
    ) -> Result<(), Failure> {
        let json = || {
            let mut json = serde_json::to_value(of).unwrap_or_default();
            if let Some(stays) = stays {
                json["others_stay"] = json!(stays);
            }
            json
        };
        let stays = stays.map(|stays| match stays {
            Some(cost) => format!("if all others stay as they are: {cost}\n"),
            None => "not all others can stay as they are\n".into(),
        });
        let text = || format!("{of}{}", stays.unwrap_or_default());
        print_as(self.form, json, || fitted(&text()).into_owned())
    }

    /// Plans again with more pins, and prints the difference.
    pub(super) fn what_if(&self, plan: Plan<'_>, graph: &Graph, more: Pins) -> Result<(), Failure> {
        let before = plan.report();
        let (after, stays) = watched(|watch| plan.what_if(graph, more, watch))
            .map_err(|error| unplanned(&self.model, &error))?;
        let report = after.report();
        self.note(&report, None);
        self.write(&after, &report)?;
        self.print_comparison(&report.against(&before), Some(stays))
    }
}

fn write_sdk(plan: &Plan<'_>, dir: &Path) -> Result<(), Failure> {
    let entries = plan.sdk_files().map_err(|error| Failure::Argument(error.to_string()))?;
    let (one, more) = ("result has", "results have");
    warn(entries.left_out, (one, more), "no PadLayout in the shape of the model, and no entry");
    let files = Files::new(dir)?;
    write_list(&files, "layout_spec.json", &entries.layouts)?;
    write_list(&files, "gemm_layout_spec.json", &entries.products)?;
    files.finish()
}

fn write_list(files: &Files, name: &str, entries: &[impl Serialize]) -> Result<(), Failure> {
    let mut out = Output::within(files, Path::new(name))?;
    let text = serde_json::to_string_pretty(entries).unwrap_or_default();
    writeln!(out, "{text}").map_err(|error| out.failed(error))?;
    out.finish()
}

/// The other layouts of a value or node.
pub(super) fn explained(
    plan: &Plan<'_>,
    report: &PlanReport,
    name: &str,
) -> Result<Explanation, Failure> {
    plan.explain(name).ok_or_else(|| unknown(report, name))
}

/// A name that is none of the plan, with those that resemble it.
fn unknown(report: &PlanReport, name: &str) -> Failure {
    let names = report.values.iter().flat_map(|value| [Some(&value.name), value.node.as_ref()]);
    let plain = |name: &str| name.to_lowercase();
    let alike = names.flatten().unique().filter(|of| plain(of).contains(&plain(name)));
    let alike = alike.take(SUGGESTED).map(|of| format!("`{of}`")).join(", ");
    let why = format!("no value or node of the plan is called `{name}`");
    match alike.is_empty() {
        true => Failure::Advised(why, "the plan without --explain lists all of them".into()),
        false => Failure::Advised(why, format!("there is {alike}")),
    }
}
