//! Plans a chain of matmuls, no two of which have the same shape, and prints the cost of planning: `cargo run
//! --release --example graph -- 1000`.
//!
//! Every product keeps the few cheapest candidates of its loops. The cheapest path through them, including
//! all relayouts, is found operation by operation (Viterbi).

use std::error::Error;

use itertools::Itertools;
use tensor_layout::candidates::{Candidates, Orders, Side};
use tensor_layout::einsum::{Einsum, Local, Sums, at_rest};
use tensor_layout::relayout::{CostModel, PartId, Pricer};
use tensor_layout::{Layout, Level, Machine, Placement};

#[path = "../../benches/cpu.rs"]
mod cpu;

type Answer<T> = Result<T, Box<dyn Error>>;

const ELEMENT_BITS: u64 = 16;
const ROWS: u64 = 256;
/// The number of choices tried per product: those that are cheapest on their own.
const CHOICES: usize = 8;

/// A way to compute a product.
struct Choice {
    own: u64,
    /// The stored result, after its partial sums are added up.
    left: PartId,
    /// The fewest cycles of all operations so far, and the previous choice on that path.
    total: u64,
    before: usize,
}

struct Planner {
    machine: Machine,
    matmul: Einsum,
    pricer: Pricer,
}

impl Planner {
    fn new() -> Answer<Planner> {
        let machine = Machine::mn_core_2();
        let pricer = Pricer::new(CostModel::new(&machine, ELEMENT_BITS)?);
        Ok(Planner { machine, matmul: Einsum::parse("sd,df->sf")?, pricer })
    }

    /// Cycles for the products of a lane, one each, and for adding up partial sums.
    fn price(&self, local: &Local) -> Answer<u64> {
        let inside = |level| matches!(level, Some(Level::ADDR | Level::TIME));
        let digits = local.loops().flat_map(|axis| &axis.subaxes);
        let products: u64 = digits.filter(|d| inside(d.lands())).map(|d| d.size).product();
        let sums = local.traffic(&self.machine, Sums::Scattered)?.into_iter().map_into();
        Ok(products + self.pricer.model().at_least(&sums.collect_vec())?.steps)
    }

    fn part(&self, layout: &Layout) -> Answer<PartId> {
        Ok(self.pricer.part(&Placement::of(layout.clone()).on(&self.machine).build()?)?)
    }

    /// The cheapest ways to compute a product, each after the best choice for the previous product.
    fn choices(&self, shape: [u64; 3], before: &[Choice]) -> Answer<Vec<Choice>> {
        let loops = Candidates::new(&self.machine, &shape)
            .sides(&[Side::Major])
            .tree_order(true)
            .orders(Orders::RowMajor)
            .replicate(false)
            .element_bits(ELEMENT_BITS)
            .never(2, Level::W);
        let cheapest = loops.cheapest(CHOICES, |loops| -> Answer<_> {
            Ok(Some(self.price(&self.matmul.local_in(&loops.layout)?)?))
        })?;
        let choice = |(own, loops): (u64, tensor_layout::candidates::Candidate)| {
            let local = self.matmul.local_in(&loops.layout)?;
            let wanted = self.part(&at_rest(&local.operands()[0])?)?;
            let left = self.part(&at_rest(&local.summed(Sums::Scattered)?)?)?;
            let mut best = (if before.is_empty() { 0 } else { u64::MAX }, 0);
            for (at, choice) in before.iter().enumerate() {
                let moved = self.pricer.cost(choice.left, wanted)?.steps;
                best = best.min((choice.total + moved, at));
            }
            Ok(Choice { own, left, total: best.0 + own, before: best.1 })
        };
        cheapest.into_iter().map(choice).collect()
    }
}

/// The widths of the tensors: no two products have the same shape.
fn width(number: u64) -> u64 {
    512 + 64 * (number * 37 % 101) + 4 * (number / 101)
}

fn main() -> Answer<()> {
    let operations: u64 = std::env::args().nth(1).map_or(Ok(1000), |text| text.parse())?;
    let shapes = (0..operations).map(|number| [ROWS, width(number + 1), width(number)]);
    println!("{operations} products, {} different shapes", shapes.clone().unique().count());
    let planner = Planner::new()?;
    let (plan, time) = cpu::timed(|| -> Answer<_> {
        let mut plan: Vec<Vec<Choice>> = Vec::new();
        for shape in shapes {
            let choices = planner.choices(shape, plan.last().map_or(&[], |last| &last[..]))?;
            plan.push(choices);
        }
        Ok(plan)
    });
    let plan = plan?;
    let last = plan.last().and_then(|choices| choices.iter().min_by_key(|choice| choice.total));
    let last = last.ok_or("there is nothing to plan")?;
    let (mut own, mut next) = (last.own, last.before);
    for choices in plan.iter().rev().skip(1) {
        own += choices[next].own;
        next = choices[next].before;
    }
    println!("{} cycles, {} of them relayouts", last.total, last.total - own);
    let statistics = planner.pricer.statistics();
    println!("{} unit parts, {} relayouts priced", statistics.parts, statistics.counted);
    println!("planned in {time:.2?} of processor time");
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
    }
    Ok(())
}
