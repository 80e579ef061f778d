//! Plans the layouts of a transformer block on `mn-core-2`, and prints the plan beside a naive one:
//! `cargo run --release --example plan -- 128`, any multiple of 128 up to 2048.
//!
//! ```text
//! x, Wq -> q ─┐
//! x, Wk -> k ─┴─> p = softmax(q k) ─┐
//! x, Wv -> v ───────────────────────┴─> c -> o -> y = norm(o + x) -> u = gelu(y W1) -> w -> z = norm(w + y)
//! ```
//!
//! Every operation is an Einstein sum. Its *choices* are the candidates of its loops: for each,
//! `Einsum::local_in` returns the layouts that the operands must have. A choice has a price of its own
//! (multiplying, loading weights, adding up partial sums), and moving the operands there has another. A beam
//! search runs over the operations.
//!
//! `docs/planner.md` explains it step by step.

use std::error::Error;
use std::time::Instant;

use tensor_layout::relayout::Relayout;
use tensor_layout::{Layout, Level, Placement};

mod block;
mod choices;
mod search;

use choices::{Choice, Planner};
use search::{Plan, walk};

type Answer<T> = Result<T, Box<dyn Error>>;

/// The number of plans kept after each operation.
const BEAM: usize = 96;

fn text(layout: &Layout) -> Answer<String> {
    Ok(layout.to_pad_layout()?.to_string())
}

/// Two lines per operation: its cost, and the layout of its result.
fn print_table(plan: &Plan) -> Answer<()> {
    let head = ["operation", "own", "loads", "relayout", "words"];
    println!("{:12} {:>9} {:>9} {:>9} {:>6}", head[0], head[1], head[2], head[3], head[4]);
    for (step, done) in walk(plan) {
        let moved: u64 = done.moved.iter().map(|(cycles, _)| cycles).sum();
        let Choice { own, loads, words, result, .. } = &*done.choice;
        let name = format!("{} = {}", step.result, step.operands.join(" "));
        println!("{name:12} {:>9} {loads:>9} {moved:>9} {words:>6}", own - loads);
        println!("    {}", text(result)?);
    }
    println!("{:12} {:>29} cycles in all\n", "", plan.cost);
    Ok(())
}

/// The most expensive relayouts of a plan.
fn print_relayouts(planner: &Planner, plan: &Plan) -> Answer<()> {
    let mut moved = Vec::new();
    for (step, done) in walk(plan) {
        let all = step.operands.iter().zip(&done.moved).zip(&done.choice.operands);
        for ((tensor, (cycles, from)), (sliced, whole)) in all {
            let to = |from: &Layout| if from.uses(Level::TIME) { sliced } else { whole };
            moved.extend(from.as_ref().map(|from| (*cycles, step, tensor, from, to(from))));
        }
    }
    moved.sort_by_key(|(cycles, ..)| std::cmp::Reverse(*cycles));
    for (cycles, step, tensor, from, to) in moved.into_iter().take(3) {
        println!("{tensor} for {} = {}, {cycles} cycles", step.result, step.operands.join(" "));
        println!("  {}\n  {}", text(from)?, text(to)?);
        let on = |layout: &Layout| Placement::of(layout.clone()).on(&planner.machine).build();
        let relayout = Relayout::new(&on(from)?, &on(to)?)?;
        println!("  {}\n", relayout.sentence(&relayout.traffic()?));
    }
    Ok(())
}

fn main() -> Answer<()> {
    let sequence: u64 = std::env::args().nth(1).map_or(Ok(128), |text| text.parse())?;
    if sequence == 0 || !sequence.is_multiple_of(128) {
        return Err("the sequence length is not a multiple of 128".into());
    }
    let started = Instant::now();
    let mut planner = Planner::new(sequence)?;
    let (plan, _) = planner.search(BEAM, false)?;
    let planned = started.elapsed();
    let (naive, bound) = planner.search(1, true)?;
    println!("Transformer block on mn-core-2, {sequence} rows, 16-bit elements\n\nThe plan:\n");
    print_table(&plan)?;
    println!("A naive plan, each operation at its cheapest without a look at the others:\n");
    print_table(&naive)?;
    let saved = naive.cost.saturating_sub(plan.cost);
    println!("plan        {:>9} cycles", plan.cost);
    println!("naive plan  {:>9} cycles, {saved} more", naive.cost);
    println!("lower bound {bound:>9} cycles: every operation at its cheapest, relayouts free\n");
    let counted = planner.pricer.statistics().counted;
    println!("planned in {planned:.1?}\n{} relayouts asked for, {counted} priced\n", planner.asked);
    println!("The three most expensive relayouts of the plan:\n");
    print_relayouts(&planner, &plan)
}
