//! Prints the costs of all choices for models on MN-Core 2, and the totals of their plans: a line of JSON for each.
//!
//! Usage: `plan_problem KEEP MODEL..`

use std::error::Error;
use std::io::Write;
use std::path::Path;

use tensor_layout::Machine;
use tensor_layout_plan::onnx::{ReadOptions, read_file};
use tensor_layout_plan::plan::{PlanOptions, plan};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let keep = arguments.next().ok_or("usage: plan_problem KEEP MODEL..")?.parse()?;
    let machine = Machine::mn_core_2();
    let options = PlanOptions { keep, routes: false, ..PlanOptions::default() };
    let mut out = std::io::stdout().lock();
    for model in arguments {
        let mut graph = read_file(Path::new(&model), &ReadOptions::default())?;
        graph.inline_constants();
        let plan = plan(&graph, &machine, &options)?;
        let problem = serde_json::to_string(&plan.costs()?)?;
        let totals = serde_json::to_string(plan.totals())?;
        writeln!(out, r#"{{"problem":{problem},"totals":{totals}}}"#)?;
    }
    Ok(())
}
