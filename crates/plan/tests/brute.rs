//! Plans of random graphs, against all combinations of choices.

use proptest::prelude::*;
use tensor_layout::error::ErrorKind;
use tensor_layout::relayout::{CostModel, Relayout, UnitPart};
use tensor_layout_plan::choices::{Choice, Held, Setting};
use tensor_layout_plan::graph::{
    Binary, Body, Dtype, Fold, Graph, Index, Nest, Origin, Read, Scalar, Unary, Value, ValueId,
    View,
};
use tensor_layout_plan::plan::{Plan, PlanOptions, Planner, plan};

use crate::small::{small_machine, with_capacities, with_words};

/// An operation on earlier values, which the numbers select.
#[derive(Clone, Debug)]
enum Step {
    Product(usize, usize),
    Add(usize, usize),
    Exp(usize),
    Rows(usize),
    Neighbours(usize),
    Transpose(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let any = || 0..16_usize;
    let step = prop_oneof![
        3 => (any(), any()).prop_map(|(x, y)| Step::Product(x, y)),
        3 => (any(), any()).prop_map(|(x, y)| Step::Add(x, y)),
        2 => any().prop_map(Step::Exp),
        2 => any().prop_map(Step::Rows),
        1 => any().prop_map(Step::Neighbours),
        1 => any().prop_map(Step::Transpose),
    ];
    prop::collection::vec(step, 1..7)
}

const EXTENT: u64 = 8;

fn given(graph: &mut Graph, name: &str) -> ValueId {
    let shape = vec![EXTENT; 2];
    let id =
        graph.add(Value { name: name.into(), shape, dtype: Dtype::F32, origin: Origin::Input });
    graph.inputs.push(id);
    id
}

fn graph(steps: &[Step]) -> Graph {
    let mut graph = Graph::default();
    let mut values = vec![given(&mut graph, "x"), given(&mut graph, "w")];
    for (number, step) in steps.iter().enumerate() {
        let at = |index: &usize| values[index % values.len()];
        let square = |id: ValueId| Read::of(id, [0, 1]);
        let pair = |function, x: ValueId, y: ValueId| {
            let body = Scalar::binary(function, Scalar::Read(0), Scalar::Read(1));
            Nest::pointwise(vec![EXTENT; 2], vec![square(x), square(y)], body)
        };
        let nest = match step {
            Step::Product(x, y) => {
                let reads = vec![Read::of(at(x), [0, 2]), Read::of(at(y), [2, 1])];
                let (loops, fold) = (vec![EXTENT; 3], Fold::Sum);
                Nest { loops, rank: 2, reads, body: Scalar::product(2), fold }
            }
            Step::Add(x, y) => pair(Binary::Add, at(x), at(y)),
            Step::Exp(x) => {
                let body = Scalar::unary(Unary::Exp, Scalar::Read(0));
                Nest::pointwise(vec![EXTENT; 2], vec![square(at(x))], body)
            }
            // Every row with its own sum.
            Step::Rows(x) => {
                let reads = vec![Read::of(at(x), [0, 2])];
                let (loops, fold) = (vec![EXTENT; 3], Fold::Sum);
                Nest { loops, rank: 2, reads, body: Scalar::Read(0), fold }
            }
            Step::Neighbours(x) => {
                let index = vec![Index::sum([(0, 1), (2, 1)], -1), Index::of(1)];
                let reads = vec![Read { value: at(x), index, outside: 0.0 }];
                let (loops, fold) = (vec![EXTENT, EXTENT, 3], Fold::Max);
                Nest { loops, rank: 2, reads, body: Scalar::Read(0), fold }
            }
            Step::Transpose(x) => {
                let origin = Origin::View(at(x), View::Transpose(vec![1, 0]));
                let (name, shape) = (format!("t{number}"), vec![EXTENT; 2]);
                let id = graph.add(Value { name, shape, dtype: Dtype::F32, origin });
                values.push(id);
                continue;
            }
        };
        let made = (vec![EXTENT; 2], Dtype::F32);
        values.push(graph.operation((format!("v{number}"), "Test"), made, Body::Nest(nest)));
    }
    graph.outputs.push(values[values.len() - 1]);
    graph
}

/// The layout of a value as an operand sees it.
fn seen(graph: &Graph, read: ValueId, held: &Held) -> Held {
    let (_, views) = graph.root(read);
    let layout = views.into_iter().fold(held.layout.clone(), |layout, view| match view {
        View::Reshape(shape) => layout.reshape(shape).unwrap(),
        View::Transpose(order) => layout.permute(order).unwrap(),
    });
    Held { layout, ..held.clone() }
}

/// The price of a switch by its traffic, without a pricer.
fn price(setting: &Setting, penalty: u64, from: &Held, to: &Held) -> u64 {
    let on =
        |held: &Held| setting.placement(&held.layout, held.memory.as_deref(), held.bits).unwrap();
    let (from, to) = (on(from), on(to));
    let traffic = Relayout::new(&from, &to).unwrap().traffic().unwrap();
    let model = CostModel::new(setting.machine(), 32).unwrap();
    let inside = [&from, &to].map(|side| UnitPart::with_inside(side, true, false).unwrap());
    let (lanes, _) = inside[0].changes_inside(&inside[1]).unwrap();
    model.at_least(&traffic.levels).unwrap().steps + if lanes { penalty } else { 0 }
}

/// The least cost of all combinations.
struct Brute<'p, 'g> {
    plan: &'p Plan<'g>,
    penalty: u64,
    /// The values with choices, in the order of the graph.
    values: Vec<ValueId>,
}

/// A table of prices: a row for each choice on one side.
type Table = Vec<Vec<u64>>;

/// The prices between a value and its readers.
struct Ways {
    value: usize,
    /// From each choice of the value to each layout that readers may find it in.
    once: Table,
    /// The readers, with the prices from each of these layouts.
    readers: Vec<(usize, Table)>,
}

impl Ways {
    fn least(&self, of: &[usize]) -> u64 {
        let through = |(at, once): (usize, &u64)| {
            let each = self.readers.iter().map(|(reader, table)| table[at][of[*reader]]);
            each.fold(*once, u64::saturating_add)
        };
        self.once[of[self.value]].iter().enumerate().map(through).min().unwrap()
    }
}

impl Brute<'_, '_> {
    fn least(&self) -> u64 {
        let counts = self.values.iter().map(|id| self.plan.choices(*id).len());
        let mut least = u64::MAX;
        let ways: Vec<Ways> = self.values.iter().map(|id| self.ways(*id)).collect();
        itertools::Itertools::multi_cartesian_product(counts.map(|count| 0..count)).for_each(
            |of| {
                let own = self.values.iter().zip(&of);
                let own = own.map(|(id, at)| self.plan.choices(*id)[*at].own.total()).sum::<u64>();
                let switches = ways.iter().map(|ways| ways.least(&of));
                least = least.min(switches.fold(own, u64::saturating_add));
            },
        );
        least
    }

    /// The prices of all ways to the readers of a value: one switch for all, where two may want the same, then one for each.
    fn ways(&self, id: ValueId) -> Ways {
        let graph = self.plan.graph();
        let number = |id: ValueId| self.values.iter().position(|of| *of == id).unwrap();
        let price = |from: &Held, to: &Held| price(self.plan.setting(), self.penalty, from, to);
        let table = |from: &[Held], to: &[Held]| -> Table {
            let row = |from| to.iter().map(|to| price(from, to)).collect();
            from.iter().map(row).collect()
        };
        let own = |choices: &[Choice]| choices.iter().map(|of| of.result.clone()).collect();
        let results: Vec<Held> = own(self.plan.choices(id));
        let shared: Vec<Held> = own(self.plan.shared(id));
        let (kept, once) = match shared.is_empty() {
            false => (shared.clone(), table(&results, &shared)),
            true => {
                let stays = |at: usize| (0..results.len()).map(move |to| never_unless(at == to));
                (results.clone(), (0..results.len()).map(|at| stays(at).collect()).collect())
            }
        };
        let mut readers = Vec::new();
        for operation in graph.operations.iter().zip(graph.needed()).filter(|(_, needed)| *needed) {
            for (operand, read) in operation.0.reads().into_iter().enumerate() {
                if graph.root(read).0 != id {
                    continue;
                }
                let choices = self.plan.choices(operation.0.result);
                let to: Vec<Held> = choices.iter().map(|of| of.operands[operand].clone()).collect();
                let from: Vec<Held> = kept.iter().map(|of| seen(graph, read, of)).collect();
                readers.push((number(operation.0.result), table(&from, &to)));
            }
        }
        Ways { value: number(id), once, readers }
    }
}

fn never_unless(stays: bool) -> u64 {
    if stays { 0 } else { u64::MAX }
}

/// The number of graphs; `PLAN_CASES=1000` takes a minute or two.
fn cases() -> u32 {
    std::env::var("PLAN_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(100)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), rng_seed: proptest::test_runner::RngSeed::Fixed(0), max_shrink_iters: 50, ..ProptestConfig::default() })]

    #[test]
    fn a_plan_costs_what_the_cheapest_of_all_combinations_does(steps in steps()) {
        let graph = graph(&steps);
        let options = PlanOptions { routes: false, keep: 3, penalty: 50, ..PlanOptions::default() };
        let plan = plan(&graph, &small_machine(), &options).unwrap();
        let chosen = (0..graph.values.len()).map(ValueId).filter(|id| plan.choice(*id).is_some());
        let brute = Brute { plan: &plan, penalty: 50, values: chosen.collect() };
        let totals = plan.totals();
        prop_assert_eq!(totals.plan, brute.least());
        prop_assert_eq!(totals.plan, totals.bound);
        prop_assert!(totals.plan <= totals.greedy && totals.plan <= totals.naive);
    }

    #[test]
    fn a_plan_in_little_room_costs_what_the_cheapest_of_all_that_fit_does(
        steps in steps(), sram_budget in 1..4_u64,
    ) {
        let graph = graph(&steps[..steps.len().min(3)]);
        let options = PlanOptions { routes: false, keep: 2, penalty: 50, sram_budget, ..PlanOptions::default() };
        let plan = plan(&graph, &small_machine(), &options).unwrap();
        let problem = plan.costs().unwrap();
        let all = itertools::Itertools::multi_cartesian_product(problem.own.iter().map(|own| 0..own.len()));
        let least = all.map(|choices| problem.cost(&choices)).min();
        prop_assert_eq!(Some(plan.totals().plan), least);
        prop_assert_eq!(plan.totals().bound, plan.totals().plan);
    }
}

#[test]
fn a_plan_after_an_edit_is_that_of_the_edited_graph_and_looks_at_what_changed_alone() {
    let options = PlanOptions { routes: false, keep: 6, ..PlanOptions::default() };
    let steps = [Step::Product(0, 1), Step::Exp(2), Step::Product(3, 1), Step::Rows(4)];
    let (first, edited) = (graph(&steps), graph(&[&steps[..], &[Step::Neighbours(5)]].concat()));
    let planner = Planner::new(&small_machine(), &options).unwrap();
    let whole = planner.plan(&first).unwrap();
    let candidates = whole.candidates();
    let same = whole.into_planner().plan(&first).unwrap();
    assert!(candidates > 0);
    assert_eq!(same.candidates(), 0);
    let again = same.into_planner().plan(&edited).unwrap();
    let new = plan(&edited, &small_machine(), &options).unwrap();
    assert!(again.candidates() < new.candidates());
    assert_eq!(again.totals(), new.totals());
}

#[test]
fn where_nothing_fits_the_plan_is_the_cheapest_without_a_limit_and_says_so() {
    let steps = [Step::Product(0, 1), Step::Exp(2), Step::Product(3, 1), Step::Add(4, 2)];
    let graph = graph(&steps);
    let options = PlanOptions { routes: false, keep: 6, sram_budget: 1, ..PlanOptions::default() };
    // One long word, where a product has two operands.
    let plan = plan(&graph, &with_words(100), &options).unwrap();
    let room = plan.report().memory.unwrap();
    assert!(room.peak > room.limit && !room.is_planned && room.places.is_none(), "{room:?}");
    let problem = plan.costs().unwrap();
    assert!(problem.memories.is_empty());
    assert_eq!(plan.totals().plan, problem.solve(&options.limits).cost);
}

#[test]
fn a_model_whose_plans_cost_more_than_a_sum_can_have_is_refused() {
    let mut graph = Graph::default();
    let (name, shape, dtype) = ("x".into(), vec![1 << 55], Dtype::F64);
    graph.inputs = vec![graph.add(Value { name, shape, dtype, origin: Origin::Input })];
    let reads = vec![Read::of(graph.inputs[0], [0])];
    let (loops, fold) = (vec![1 << 55], Fold::Sum);
    let nest = Nest { loops, rank: 0, reads, body: Scalar::Read(0), fold };
    let made = ("y".into(), "ReduceSum");
    graph.outputs = vec![graph.operation(made, (Vec::new(), dtype), Body::Nest(nest))];
    let options = PlanOptions { routes: false, keep: 4, ..PlanOptions::default() };
    let error = plan(&graph, &with_capacities(1 << 60, 512), &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge, "{error}");
}
