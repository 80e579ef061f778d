use std::time::Instant;
use tensor_layout::Machine;
use tensor_layout_plan::{
    onnx,
    plan::{PlanOptions, plan},
};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mut graph = onnx::read_file(args[1].as_ref(), &onnx::ReadOptions::default()).unwrap();
    graph.inline_constants();
    println!(
        "{} operations, {} values, uncovered {:?}",
        graph.operations.len(),
        graph.values.len(),
        graph.uncovered()
    );
    let t = Instant::now();
    let options = PlanOptions { routes: args.len() > 2, ..PlanOptions::default() };
    let plan = plan(&graph, &Machine::mn_core_2(), &options).unwrap();
    println!("{:.2?}", t.elapsed());
    let r = plan.report();
    if args.len() > 3 {
        println!("{r}");
    }
    println!("{}", r.totals);
    let w = r.values.iter().filter(|v| v.is_oversized).count();
    println!(
        "{} values, {w} oversized, width {}; parts {}",
        r.values.len(),
        r.totals.width,
        plan.setting().pricer().statistics().parts
    );
}
