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

use std::collections::HashMap;
use std::error::Error;
use std::rc::Rc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use itertools::Itertools;
use tensor_layout::algebra::{Axis, Subaxis, Target};
use tensor_layout::candidates::{Candidates, Orders, Side};
use tensor_layout::einsum::{Einsum, Local, Sums, broadcast, reduce};
use tensor_layout::picture::Drawing;
use tensor_layout::relayout::{CostModel, Relayout, UnitPart};
use tensor_layout::{Layout, Level, Machine, Placement};

type Answer<T> = Result<T, Box<dyn Error>>;

/// Long words that enter one unit of the level in a step. These rates are made up: the public
/// material has none.
const RATES: [(Level, u64); 4] =
    [(Level::L2B, 32), (Level::L1B, 16), (Level::MAB, 8), (Level::PE, 1)];
/// Multiplications of a lane in a step, made up as well.
const PRODUCTS_PER_STEP: u64 = 4;
const ELEMENT_BITS: u64 = 16;
/// Plans that are kept after each operation.
const BEAM: usize = 32;
/// Choices of an operation that are tried on each of them, the cheapest ones.
const CHOICES: usize = 128;

/// An operation: a sum, and whether its rows are then normalised along an axis.
struct Step {
    sum: &'static str,
    operands: &'static [&'static str],
    result: &'static str,
    /// The axis of the result along which sums of rows are wanted in all of it.
    rows: Option<usize>,
    /// Whether the result is made and used slice by slice where it is too large.
    streamed: bool,
}

const fn step(
    sum: &'static str,
    operands: &'static [&'static str],
    result: &'static str,
    rows: Option<usize>,
) -> Step {
    Step { sum, operands, result, rows, streamed: false }
}

/// s, t: rows; d: model; h: heads; k: of a head; f: feed-forward.
const BLOCK: [Step; 10] = [
    step("sd,dhk->shk", &["x", "Wq"], "q", None),
    step("td,dhk->thk", &["x", "Wk"], "k", None),
    step("td,dhk->thk", &["x", "Wv"], "v", None),
    Step { streamed: true, ..step("shk,thk->hst", &["q", "k"], "p", Some(2)) },
    step("hst,thk->shk", &["p", "v"], "c", None),
    step("shk,hkd->sd", &["c", "Wo"], "o", None),
    step("sd,sd->sd", &["o", "x"], "y", Some(1)),
    step("sd,df->sf", &["y", "W1"], "u", None),
    step("sf,fd->sd", &["u", "W2"], "w", None),
    step("sd,sd->sd", &["w", "y"], "z", Some(1)),
];

/// Whether a tensor is in DRAM when the block starts; the others are in the memories of the PEs.
fn is_in_dram(tensor: &str) -> bool {
    tensor == "x" || tensor.starts_with('W')
}

/// One way to carry out an operation.
struct Choice {
    result: Layout,
    /// The result where it rests afterwards, with all of its slices.
    rest: Layout,
    /// What each operand must be: slice by slice, and at rest.
    operands: Vec<(Layout, Layout)>,
    sliced_sums: u64,
    /// Steps of the operation alone.
    own: u64,
    /// Of these, loading from DRAM.
    loads: u64,
    /// Long words of a PE: operands and result, one slice of each.
    words: u64,
}

/// What it takes to plan on one machine at one sequence length.
struct Planner {
    machine: Machine,
    /// Long words of a PE in both of its memories.
    capacity: u64,
    sequence: u64,
    cost: CostModel,
    memo: Memo,
}

/// What was priced before. Traffic between units depends on the units alone: layouts that differ in
/// addresses only have one part, and there are few parts.
#[derive(Default)]
struct Memo {
    parts: HashMap<Layout, Rc<UnitPart>>,
    relayouts: HashMap<(Rc<UnitPart>, Rc<UnitPart>), Option<u64>>,
    loads: HashMap<Rc<UnitPart>, u64>,
    asked: u64,
    /// The time that pricing took.
    spent: Duration,
}

/// Where every contracted letter runs.
type Runs = Vec<(char, Axis)>;

impl Planner {
    fn new(sequence: u64) -> Answer<Planner> {
        let machine = Machine::mn_core_2().with_bandwidth(RATES)?;
        let memories = ["LM0", "LM1"].map(|name| machine.memory(name));
        let mut capacity = 0;
        for memory in memories {
            capacity += memory?.capacity.unwrap_or(0);
        }
        let cost = CostModel::new(&machine, ELEMENT_BITS)?;
        Ok(Planner { machine, capacity, sequence, cost, memo: Memo::default() })
    }

    fn extent(&self, label: char) -> u64 {
        match label {
            's' | 't' => self.sequence,
            'd' => 1024,
            'h' => 16,
            'k' => 64,
            _ => 4096,
        }
    }

    /// Steps until so many elements have entered the units of each level, evenly.
    fn steps(&self, into: impl IntoIterator<Item = (Level, u64)>) -> Answer<u64> {
        Ok(self.cost.of_all(into)?.steps)
    }

    fn part(&mut self, layout: &Layout) -> Answer<Rc<UnitPart>> {
        if let Some(part) = self.memo.parts.get(layout) {
            return Ok(part.clone());
        }
        let placed = Placement::of(layout.clone()).on(&self.machine).build()?;
        let part = Rc::new(UnitPart::of(&placed)?);
        self.memo.parts.insert(layout.clone(), part.clone());
        Ok(part)
    }

    /// Steps that loading a tensor from DRAM takes. It rests there in four parts, one for every two
    /// L2Bs, along whichever axis is best: what is in another part has to enter the L2B, and every
    /// unit below has to be told all that it is to hold.
    fn load(&mut self, layout: &Layout) -> Answer<u64> {
        let part = self.part(layout)?;
        if let Some(steps) = self.memo.loads.get(&part) {
            return Ok(*steps);
        }
        let mut crossing = Vec::new();
        for axis in 0..layout.rank() {
            let resting = in_dram(&layout.shape(), axis)?;
            let resting = Placement::of(resting).on(&self.machine).memory("DRAM").build()?;
            let wanted = Placement::of(layout.clone()).on(&self.machine).memory("LM0").oversized();
            let levels = Relayout::new(&resting, &wanted.build()?)?.traffic_down_to(Level::L2B)?;
            crossing.push(self.cost.at_least(&levels)?.steps);
        }
        let below = self.machine.levels().map(|(level, _)| level).filter(|l| *l != Level::L2B);
        let told = self.steps(below.map(|level| (level, self.held(layout, level))))?;
        let steps = told.max(crossing.into_iter().min().unwrap_or(0));
        self.memo.loads.insert(part, steps);
        Ok(steps)
    }

    /// The (element, unit) pairs of a level.
    fn held(&self, layout: &Layout, level: Level) -> u64 {
        let path = self.machine.levels().take_while_inclusive(|(of, _)| *of != level);
        let copies = path.map(|(level, size)| match layout.used_levels().contains(&level) {
            false => size,
            true => layout.replicas().iter().filter(|r| r.level == level).map(|r| r.size).product(),
        });
        copies.product::<u64>() * layout.elements()
    }

    /// Steps from one layout to another; `None` where elements would change their time slice.
    fn relayout(&mut self, from: &Layout, to: &Layout) -> Answer<Option<u64>> {
        self.memo.asked += 1;
        let (from, to) = (self.part(from)?, self.part(to)?);
        if from == to {
            return Ok(Some(0));
        }
        if let Some(known) = self.memo.relayouts.get(&(from.clone(), to.clone())) {
            return Ok(*known);
        }
        let started = Instant::now();
        let levels = from.traffic_to(&to)?;
        self.memo.spent += started.elapsed();
        let is_time = |level: Level| level == Level::TIME;
        let in_time = levels.iter().any(|level| is_time(level.level) && level.into > 0);
        let steps = self.cost.at_least(&levels)?.steps;
        let steps = (!in_time).then_some(steps);
        self.memo.relayouts.insert((from, to), steps);
        Ok(steps)
    }

    /// The cheapest choices of an operation that fit, its result made in so many slices.
    fn choices(&mut self, step: &Step, slices: u64) -> Answer<Vec<Rc<Choice>>> {
        let sum = Einsum::parse(step.sum)?;
        let shape: Vec<u64> = sum.result().iter().map(|label| self.extent(*label)).collect();
        let results = self
            .plain(&shape)
            .element_bits(ELEMENT_BITS)
            .split(&[Level::W])
            .time(&[slices])
            .capacity_words(self.capacity);
        // Only rows are streamed: softmax wants all of `t`.
        let other = sum.result().iter().enumerate().filter(|(_, label)| **label != 's');
        let results = other.fold(results, |results, (axis, _)| results.never(axis, Level::TIME));
        let mut choices = Vec::new();
        for result in results.iter()? {
            let result = result?.layout;
            for (runs, sliced_sums) in self.runs(&sum, &result)? {
                let local = sum.local(&result, &runs)?;
                choices.extend(self.choice(step, &local, &result, &runs, sliced_sums)?);
            }
        }
        choices.sort_by_key(|choice| (choice.own, choice.words));
        choices.truncate(CHOICES);
        Ok(choices.into_iter().map(Rc::new).collect())
    }

    fn plain(&self, shape: &[u64]) -> Candidates {
        Candidates::new(&self.machine, shape)
            .sides(&[Side::Major])
            .tree_order(true)
            .orders(Orders::RowMajor)
            .padding_percent(0)
    }

    /// Where the summed axes may run: over levels that the result leaves, and in 1, 4, 16 or 64 slices.
    fn runs(&self, sum: &Einsum, result: &Layout) -> Answer<Vec<(Runs, u64)>> {
        let labels = sum.contracted();
        if labels.is_empty() {
            return Ok(vec![(Vec::new(), 1)]);
        }
        let shape: Vec<u64> = labels.iter().map(|label| self.extent(*label)).collect();
        let used = |level: &Level| result.used_levels().contains(level);
        let free = self.machine.levels().map(|(level, _)| level).filter(|l| !used(l)).collect_vec();
        let mut all = Vec::new();
        for slices in if used(&Level::TIME) { &[1][..] } else { &[1, 4, 16, 64] } {
            let runs = self.plain(&shape).time(&[*slices]);
            let runs = match &free[..] {
                [] => (0..shape.len()).fold(runs, |runs, axis| runs.fixed(axis, &[])),
                free => runs.levels(free),
            };
            for run in runs.iter()? {
                let axes = run?.layout.axes().to_vec();
                all.push((labels.iter().copied().zip(axes).collect(), *slices));
            }
        }
        Ok(all)
    }

    /// A choice with its price, if it fits; where sums lie in parts, everywhere or scattered,
    /// whichever is cheaper.
    fn choice(
        &mut self,
        step: &Step,
        local: &Local,
        result: &Layout,
        runs: &[(char, Axis)],
        sliced_sums: u64,
    ) -> Answer<Option<Choice>> {
        let dense = |layout: &Layout| layout.extent(Level::ADDR);
        let words = local.operands().iter().map(dense).sum::<u64>() + dense(result);
        if words > self.capacity {
            return Ok(None);
        }
        let axes = result.axes().iter().chain(runs.iter().map(|(_, axis)| axis));
        let products: u64 = axes.map(in_unit).product();
        let mut own = products.div_ceil(PRODUCTS_PER_STEP);
        let mut loads = 0;
        for (tensor, operand) in step.operands.iter().zip(local.operands()) {
            loads += if is_in_dram(tensor) { self.load(&at_rest(operand)?)? } else { 0 };
        }
        own += loads;
        let sums = |local: &Local, sums| -> Answer<u64> {
            let levels = local.traffic(&self.machine, sums)?;
            self.steps(levels.iter().map(|level| (level.level, level.into)))
        };
        let mut rest = at_rest(result)?;
        if !local.partial_levels().is_empty() {
            let scattered = scatter(&rest, &local.partial_levels(), &self.machine)?;
            let kind = if scattered.is_some() { Sums::Scattered } else { Sums::Replicated };
            // Sums of slices are added up in place before they move.
            own += sums(local, kind)?;
            rest = scattered.unwrap_or(rest);
        }
        if let Some(axis) = step.rows {
            // Greatest and sum, or mean and variance: two numbers of every row, wanted everywhere.
            let row = broadcast(result, &[axis])?;
            let row = without_copies(&row)?;
            own += 2 * sums(&reduce(&row, axis, result.axes()[axis].clone())?, Sums::Replicated)?;
        }
        let operands = local.operands().iter().map(|o| Ok((o.clone(), at_rest(o)?)));
        let operands = operands.collect::<Answer<_>>()?;
        let (result, rest) = match step.streamed {
            true => (result.clone(), result.clone()),
            false => (result.clone(), rest),
        };
        Ok(Some(Choice { result, rest, operands, sliced_sums, own, loads, words }))
    }
}

/// A tensor in DRAM: a quarter of an axis in each of the four, row-major.
fn in_dram(shape: &[u64], quartered: usize) -> Answer<Layout> {
    let mut axes = Vec::new();
    let mut next = 1;
    for (axis, extent) in shape.iter().enumerate().rev() {
        let quarter = axis == quartered;
        let rows = if quarter { extent.div_ceil(4) } else { *extent };
        let rest = Subaxis::land(rows, Level::ADDR, next);
        // The first of the two L2Bs names the DRAM.
        let dram = quarter.then_some(Subaxis::land(4, Level::L2B, 2));
        axes.push((*extent, dram.into_iter().chain([rest]).collect::<Vec<_>>()));
        next *= rows;
    }
    let axes = axes.into_iter().rev();
    Ok(axes.fold(Layout::builder(), |b, (extent, digits)| b.axis(extent, digits)).build()?)
}

/// How many values an axis takes in one lane of one unit, over all slices.
fn in_unit(axis: &Axis) -> u64 {
    let inside = |subaxis: &&Subaxis| match subaxis.target {
        Target::Land { level, .. } => level == Level::ADDR || level == Level::TIME,
        Target::Feed { .. } => true,
    };
    axis.subaxes.iter().filter(inside).map(|subaxis| subaxis.size).product()
}

/// The layout with some digits changed and its addresses row-major.
fn rewritten(layout: &Layout, keep_copy: impl Fn(Level) -> bool) -> Answer<Layout> {
    let mut next = 1;
    let mut axes: Vec<(u64, Vec<Subaxis>)> = Vec::new();
    for axis in layout.axes().iter().rev() {
        let mut subaxes = axis.subaxes.clone();
        for subaxis in subaxes.iter_mut().rev() {
            if let Target::Land { level: Level::ADDR | Level::TIME, .. } = subaxis.target {
                *subaxis = Subaxis::land(subaxis.size, Level::ADDR, next);
                next *= subaxis.size;
            }
        }
        axes.push((axis.extent, subaxes));
    }
    let mut builder = Layout::builder();
    for (extent, subaxes) in axes.into_iter().rev() {
        builder = builder.axis(extent, subaxes);
    }
    for replica in layout.replicas().iter().filter(|replica| keep_copy(replica.level)) {
        builder = builder.replica(replica.size, replica.level, replica.stride);
    }
    Ok(builder.build()?)
}

/// The layout with all time slices in the memory at once.
fn at_rest(layout: &Layout) -> Answer<Layout> {
    rewritten(layout, |level| level != Level::TIME)
}

fn without_copies(layout: &Layout) -> Answer<Layout> {
    let mut builder = Layout::builder();
    for axis in layout.axes() {
        builder = builder.axis(axis.extent, axis.subaxes.iter().copied());
    }
    Ok(builder.build()?)
}

/// The layout split further over some levels, each over the first axis whose words it divides.
fn scatter(layout: &Layout, levels: &[Level], machine: &Machine) -> Answer<Option<Layout>> {
    let mut axes: Vec<Axis> = layout.axes().to_vec();
    for level in levels {
        let Some(size) = machine.size(*level) else { return Ok(None) };
        let words = |subaxis: &Subaxis| match subaxis.target {
            Target::Land { level: Level::ADDR, .. } => subaxis.size.is_multiple_of(size),
            _ => false,
        };
        let found = axes.iter_mut().flat_map(|axis| {
            let at = axis.subaxes.iter().position(words);
            at.map(|at| (&mut axis.subaxes, at))
        });
        let Some((subaxes, at)) = found.into_iter().next() else { return Ok(None) };
        let rest = Subaxis::land(subaxes[at].size / size, Level::ADDR, 1);
        subaxes.splice(at..=at, [Subaxis::land(size, *level, 1), rest]);
    }
    let mut builder = Layout::builder();
    for Axis { extent, subaxes } in axes {
        builder = builder.axis(extent, subaxes);
    }
    Ok(Some(at_rest(&builder.build()?)?))
}

/// A plan up to some operation.
#[derive(Clone)]
struct Plan {
    cost: u64,
    /// Tensors in the memories of the PEs that are still wanted.
    live: Vec<(&'static str, Layout)>,
    done: Option<Rc<Done>>,
}

/// An operation of a plan, and those before it.
struct Done {
    choice: Rc<Choice>,
    /// Steps of each operand's relayout, with where it was.
    moved: Vec<(u64, Option<Layout>)>,
    before: Option<Rc<Done>>,
}

impl Planner {
    /// The plan with one more operation, if it fits.
    fn extended(
        &mut self,
        plan: &Plan,
        number: usize,
        choice: &Rc<Choice>,
    ) -> Answer<Option<Plan>> {
        let step = &BLOCK[number];
        let wanted_later =
            |name: &str| BLOCK[number + 1..].iter().any(|later| later.operands.contains(&name));
        let others = plan
            .live
            .iter()
            .filter(|(name, _)| !step.operands.contains(name) || wanted_later(name));
        let resting: u64 = others.map(|(_, layout)| layout.extent(Level::ADDR)).sum();
        if resting + choice.words > self.capacity {
            return Ok(None);
        }
        let mut cost = plan.cost + choice.own;
        let mut moved = Vec::new();
        for (tensor, (sliced, whole)) in step.operands.iter().zip(&choice.operands) {
            let source =
                plan.live.iter().find(|(name, _)| name == tensor).map(|(_, layout)| layout);
            let Some(source) = source else {
                moved.push((0, None));
                continue;
            };
            let streamed = source.used_levels().contains(&Level::TIME);
            let Some(steps) = self.relayout(source, if streamed { sliced } else { whole })? else {
                return Ok(None);
            };
            cost += steps;
            moved.push((steps, Some(source.clone())));
        }
        let mut live = plan.live.clone();
        live.retain(|(name, _)| wanted_later(name));
        live.push((step.result, choice.rest.clone()));
        let done = Done { choice: choice.clone(), moved, before: plan.done.clone() };
        Ok(Some(Plan { cost, live, done: Some(Rc::new(done)) }))
    }

    /// Plans with one more operation, the cheapest of those that leave the tensors alike.
    fn all_extended(
        &mut self,
        plans: &[Plan],
        number: usize,
        choices: &[Rc<Choice>],
    ) -> Answer<Vec<Plan>> {
        let mut best: HashMap<Vec<(&'static str, Layout)>, Plan> = HashMap::new();
        for plan in plans {
            for choice in choices {
                let Some(next) = self.extended(plan, number, choice)? else { continue };
                match best.get(&next.live) {
                    Some(other) if other.cost <= next.cost => {}
                    _ => drop(best.insert(next.live.clone(), next)),
                }
            }
        }
        let text = |plan: &Plan| format!("{:?}", plan.live);
        Ok(best.into_values().sorted_by_cached_key(|plan| (plan.cost, text(plan))).collect())
    }

    /// Walks the operations, keeping some plans after each; the best one and the sum of the
    /// cheapest choices.
    fn search(
        &mut self,
        beam: usize,
        cheapest_only: bool,
        bar: &ProgressBar,
    ) -> Answer<(Plan, u64)> {
        let mut plans = vec![Plan { cost: 0, live: Vec::new(), done: None }];
        let mut bound = 0;
        for (number, step) in BLOCK.iter().enumerate() {
            bar.set_message(format!("{} = {}", step.result, step.sum));
            let mut next = Vec::new();
            // A streamed operand is used in as many slices as it was made in.
            let made = |plan: &Plan| plan.live.iter().map(|(_, l)| l.extent(Level::TIME)).max();
            let slices = plans.iter().filter_map(made).max().unwrap_or(1);
            let tried =
                if step.streamed { vec![1, 2, 4, 8, 16, 32, 64, 128] } else { vec![slices] };
            for slices in tried {
                let mut choices = self.choices(step, slices)?;
                let least = choices.first().map_or(0, |choice| choice.own);
                if cheapest_only {
                    choices.retain(|choice| choice.own == least);
                }
                next = self.all_extended(&plans, number, &choices)?;
                if !next.is_empty() {
                    bound += least;
                    break;
                }
            }
            next.truncate(beam);
            plans = next;
            bar.inc(1);
        }
        let plan = plans.into_iter().next().ok_or("no plan fits into the memories")?;
        Ok((plan, bound))
    }
}

/// The operations of a plan with their choices, first to last.
fn walk(plan: &Plan) -> Vec<(&'static Step, Rc<Done>)> {
    let mut all: Vec<Rc<Done>> = Vec::new();
    let mut next = plan.done.clone();
    while let Some(done) = next {
        next = done.before.clone();
        all.push(done);
    }
    BLOCK.iter().zip(all.into_iter().rev()).collect()
}

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
    let Memo { asked, relayouts, spent, .. } = &planner.memo;
    println!("planned in {planned:.1?}");
    println!("{asked} relayouts asked for, {} priced, in {spent:.1?}\n", relayouts.len());
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
