//! Plans the layouts of a transformer block on `mn-core-2`, and prints the plan beside a naive one:
//! `cargo run --release --example plan -- 128`, any multiple of 128 up to 2048.
//!
//! ```text
//! x, Wq -> q ─┐
//! x, Wk -> k ─┴─> p = softmax(q k) ─┐
//! x, Wv -> v ───────────────────────┴─> c -> o -> y = norm(o + x) -> u = gelu(y W1) -> w -> z = norm(w + y)
//! ```
//!
//! Every operation is an Einstein sum. Its *choices* are a layout of the result, a candidate, and where the
//! summed axes run; [`Einsum::local`] then says which layouts the operands must have. A choice has
//! a price of its own (multiplying, loading weights, adding up partial sums), and bringing the
//! operands there from where they are has another. A beam search walks the operations.
//!
//! `docs/planner.md` goes through it step by step.

use std::error::Error;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use tensor_layout::relayout::Relayout;
use tensor_layout::{Layout, Level, Machine, Placement};
use tensor_layout_picture::Drawing;

mod block;
mod choices;
mod layouts;
mod prices;
mod search;

use block::BLOCK;
use choices::Choice;
use prices::Planner;
use search::{Plan, walk};

type Answer<T> = Result<T, Box<dyn Error>>;

/// Plans that are kept after each operation.
const BEAM: usize = 96;

fn text(layout: &Layout) -> Answer<String> {
    Ok(layout.to_pad_layout()?.to_string())
}

/// Two lines per operation: what it costs, and the layout of its result.
fn print_table(plan: &Plan) -> Answer<()> {
    let head = ["operation", "own", "loads", "relayout", "words"];
    println!("{:12} {:>9} {:>9} {:>9} {:>6}", head[0], head[1], head[2], head[3], head[4]);
    for (step, done) in walk(plan) {
        let moved: u64 = done.moved.iter().map(|(steps, _)| steps).sum();
        let Choice { own, loads, words, result, sliced_sums, .. } = &*done.choice;
        let name = format!("{} = {}", step.result, step.operands.join(" "));
        let alone = own - loads;
        println!("{name:12} {alone:>9} {loads:>9} {moved:>9} {words:>6}");
        println!("    {}", text(result)?);
        if *sliced_sums > 1 {
            println!("    sums in {sliced_sums} slices");
        }
    }
    println!("{:12} {:>29} steps in all\n", "", plan.cost);
    Ok(())
}

/// The corners of the tensors, before and after, and what each digit does.
fn print_relayout(machine: &Machine, from: &Layout, to: &Layout) -> Answer<()> {
    let on = |layout: &Layout| Placement::of(layout.clone()).on(machine).build();
    let (from, to) = (on(from)?, on(to)?);
    let rank = from.layout().rank();
    let corner = |placement: &'_ Placement| -> Answer<String> {
        let mut drawing = Drawing::new(placement).by(Level::L1B);
        for (axis, extent) in placement.layout().shape().into_iter().enumerate() {
            let shown =
                if axis + 2 < rank { 1 } else { extent.min(if axis + 1 == rank { 6 } else { 4 }) };
            drawing = drawing.slice(axis, 0..shown)?;
        }
        Ok(drawing.tensor().to_text(80, false))
    };
    println!("{}\n{}", corner(&from)?, corner(&to)?);
    let relayout = Relayout::new(&from, &to)?;
    let account = relayout.account()?;
    for line in
        account.moves.iter().map(ToString::to_string).filter(|line| !line.ends_with("stays"))
    {
        println!("  {line}");
    }
    account.copies.iter().for_each(|copies| println!("  {copies}"));
    println!("  {}\n", relayout.sentence(&relayout.traffic()?));
    Ok(())
}

fn main() -> Answer<()> {
    let sequence: u64 = std::env::args().nth(1).map_or(Ok(128), |text| text.parse())?;
    if sequence == 0 || !sequence.is_multiple_of(128) {
        return Err("the sequence length is not a multiple of 128".into());
    }
    let started = Instant::now();
    let mut planner = Planner::new(sequence)?;
    let bar = ProgressBar::new(2 * u64::try_from(BLOCK.len())?);
    bar.set_style(ProgressStyle::with_template("{bar:20} {pos}/{len} {wide_msg}")?);
    let (plan, _) = planner.search(BEAM, false, &bar)?;
    let planned = started.elapsed();
    let (naive, bound) = planner.search(1, true, &bar)?;
    bar.finish_and_clear();
    println!("Transformer block on mn-core-2, {sequence} rows, 16-bit elements\n");
    println!("The plan:\n");
    print_table(&plan)?;
    println!("A naive plan, each operation at its cheapest without a look at the others:\n");
    print_table(&naive)?;
    let saved = naive.cost.saturating_sub(plan.cost);
    println!("plan        {:>9} steps", plan.cost);
    println!("naive plan  {:>9} steps, {saved} more", naive.cost);
    println!("lower bound {bound:>9} steps: every operation at its cheapest, relayouts free\n");
    println!("planned in {planned:.1?}");
    let counted = planner.pricer.statistics().counted;
    println!("{} relayouts asked for, {counted} priced\n", planner.asked);
    println!("The three most expensive relayouts of the plan:\n");
    let mut moved = Vec::new();
    for (step, done) in walk(&plan) {
        for (at, (steps, from)) in done.moved.iter().enumerate() {
            if let Some(from) = from {
                let (sliced, whole) = &done.choice.operands[at];
                let streamed = from.used_levels().contains(&Level::TIME);
                let to = if streamed { sliced } else { whole };
                moved.push((*steps, step, step.operands[at], from.clone(), to.clone()));
            }
        }
    }
    moved.sort_by_key(|(steps, ..)| std::cmp::Reverse(*steps));
    for (steps, step, tensor, from, to) in moved.into_iter().take(3) {
        println!("{tensor} for {} = {}, {steps} steps", step.result, step.operands.join(" "));
        println!("  {}\n  {}\n", text(&from)?, text(&to)?);
        print_relayout(&planner.machine, &from, &to)?;
    }
    Ok(())
}
