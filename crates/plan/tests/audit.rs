//! Plans counted anew from their reports: prices by traffic, room, and operands that serve.

use tensor_layout::algebra::Subaxis;
use tensor_layout::einsum::{Einsum, with_dense_addresses};
use tensor_layout::error::ErrorKind;
use tensor_layout::placement::PlacementBuilder;
use tensor_layout::relayout::{CostModel, Relayout, UnitPart};
use tensor_layout::{Layout, Level, Machine, Placement};
use tensor_layout_plan::graph::{Body, Graph, Nest, Operation};
use tensor_layout_plan::onnx::{ReadOptions, read_file};
use tensor_layout_plan::plan::{
    KeptLayout, Place, PlanOptions, PlanReport, PlannedOperand, PlannedValue, plan,
};

use crate::execute::model;
use crate::small::small_machine;

const PENALTY: u64 = 700;

fn placed(text: &str, memory: Option<&str>, bits: u64, machine: &Machine) -> Placement {
    let layout: Layout = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    let placement = Placement::of(layout).on(machine).oversized().element_bits(bits);
    memory.into_iter().fold(placement, PlacementBuilder::memory).build().unwrap()
}

fn bits(dtype: &str) -> u64 {
    if dtype == "bool" { 8 } else { dtype.trim_start_matches(char::is_alphabetic).parse().unwrap() }
}

/// The price of a switch by its traffic, and that of lanes.
fn price(from: &Placement, to: &Placement, machine: &Machine) -> u64 {
    let traffic = Relayout::new(from, to).unwrap().traffic().unwrap();
    let model = CostModel::new(machine, from.element_bits().unwrap()).unwrap();
    let inside = [from, to].map(|side| UnitPart::with_inside(side, true, false).unwrap());
    let (lanes, _) = inside[0].changes_inside(&inside[1]).unwrap();
    model.at_least(&traffic.levels).unwrap().steps + if lanes { PENALTY } else { 0 }
}

/// Checks a report, and returns the number of switches and of operations whose operands were looked at.
fn audit(graph: &Graph, report: &PlanReport, machine: &Machine) -> (usize, usize) {
    let mut sum = 0;
    let (mut switches, mut served) = (0, 0);
    let leaf = machine.levels().last().unwrap().0;
    let value = |name: &str| report.values.iter().find(|value| value.name == name);
    for planned in &report.values {
        sum += planned.own.total();
        let local = planned.memory.as_deref();
        let result = placed(&planned.layout, local, bits(&planned.dtype), machine);
        if let Some(KeptLayout { layout, memory, switch }) = &planned.kept {
            let kept = placed(layout, memory.as_deref(), bits(&planned.dtype), machine);
            assert_eq!(switch.from, planned.layout);
            assert_eq!(price(&result, &kept, machine), switch.cycles + switch.penalty);
            sum += switch.cycles + switch.penalty;
            switches += 1;
        }
        let Some(operation) = operation(graph, planned) else { continue };
        let locals = machine.memories().filter(|(_, memory)| memory.node() == leaf);
        let most: u64 = locals.map(|(_, memory)| memory.capacity.unwrap()).sum();
        assert!(planned.is_oversized || result.footprint_words() <= most, "{}", planned.name);
        for (read, operand) in operation.reads().into_iter().zip(&planned.operands) {
            let root = graph.value(graph.root(read).0);
            let given = value(&root.name).unwrap();
            let wanted = placed(&operand.layout, local, root.dtype.bits(), machine);
            assert!(planned.is_oversized || wanted.footprint_words() <= most);
            let Some(switch) = &operand.switch else { continue };
            let memory = given.kept.as_ref().map_or(&given.memory, |kept| &kept.memory);
            let from = placed(&switch.from, memory.as_deref(), root.dtype.bits(), machine);
            let cost = switch.cycles + switch.penalty;
            assert_eq!(price(&from, &wanted, machine), cost, "{}", planned.name);
            sum += cost;
            switches += 1;
        }
        if let Body::Nest(nest) = &operation.body {
            served += usize::from(is_served(graph, nest, planned, machine));
        }
    }
    assert_eq!(sum, report.totals.plan);
    check_room(graph, report);
    (switches, served)
}

/// Checks that what waits in a PE while an operation computes is counted with it, and that the peak is within the limit.
fn check_room(graph: &Graph, report: &PlanReport) {
    let computed: Vec<&PlannedValue> =
        report.values.iter().filter(|of| of.node.is_some()).collect();
    let local = computed[0].memory.as_deref();
    let root = |id| graph.value(graph.root(id).0).name.clone();
    let last = |name: &str| {
        let reads = |planned: &PlannedValue| {
            let operation = operation(graph, planned).unwrap();
            operation.reads().into_iter().any(|id| root(id) == name)
        };
        let is_output = graph.outputs.iter().any(|id| root(*id) == name);
        let reader = computed.iter().rposition(|planned| reads(planned));
        if is_output { usize::MAX } else { reader.unwrap_or(0) }
    };
    let waiting = |planned: &PlannedValue| {
        let kept = planned.kept.as_ref().map(|kept| (&kept.layout, kept.memory.as_deref()));
        let (layout, memory) = kept.unwrap_or((&planned.layout, planned.memory.as_deref()));
        let layout: Layout = layout.parse().unwrap();
        if memory == local { layout.extent(Level::ADDR) } else { 0 }
    };
    for (at, planned) in computed.iter().enumerate() {
        let waits = computed.iter().take(at).filter(|of| last(&of.name) > at);
        let words = planned.words + waits.map(|of| waiting(of)).sum::<u64>();
        assert!(words <= planned.alive.unwrap(), "{}: {words} {:?}", planned.name, planned.alive);
    }
    let room = report.memory.as_ref().unwrap();
    assert_eq!(Some(room.peak), computed.iter().filter_map(|planned| planned.alive).max());
    assert!(room.peak <= room.limit, "{room:?}");
}

fn operation<'g>(graph: &'g Graph, planned: &PlannedValue) -> Option<&'g Operation> {
    let node = planned.node.as_ref()?;
    graph
        .operations
        .iter()
        .find(|of| of.name == *node && graph.value(of.result).name == planned.name)
}

/// Checks that the operands serve the loops, if all indexes are loops.
fn is_served(graph: &Graph, nest: &Nest, planned: &PlannedValue, machine: &Machine) -> bool {
    let label = |number: usize| char::from(b'a' + u8::try_from(number).unwrap());
    let mut texts = Vec::new();
    let mut layouts = Vec::new();
    let loops: Layout = planned.loops.as_ref().unwrap().parse().unwrap();
    let leaf = machine.levels().last().unwrap().0;
    // The leaves of a node multiply together.
    let nodes = |level: Level| level.is_unit() && (level != leaf || !nest.is_product());
    for (read, PlannedOperand { layout, .. }) in nest.reads.iter().zip(&planned.operands) {
        let shape = &graph.value(read.value).shape;
        let own = read.index.iter().zip(shape).map(|(index, extent)| {
            let number = index.as_loop().filter(|number| nest.loops[*number] == *extent);
            number.map(label)
        });
        let Some(text) = own.collect::<Option<String>>() else { return false };
        layouts.push(in_levels(&layout.parse().unwrap(), nodes));
        texts.push(text);
    }
    let result: String = (0..nest.rank).map(label).collect();
    let all: String = (0..nest.loops.len()).map(label).collect();
    // An operand with all loops makes all of them labels; it is where they are.
    texts.push(all);
    layouts.push(in_levels(&loops, nodes));
    let einsum: Einsum = format!("{}->{result}", texts.join(",")).parse().unwrap();
    let levels = machine.levels().filter(|(level, _)| nodes(*level));
    let units = levels.fold(Machine::builder("units"), |of, (level, size)| of.level(level, size));
    let local = einsum.local_in(&in_levels(&loops, nodes)).unwrap();
    match local.accepts(&layouts, &units.build().unwrap()) {
        Ok(served) => assert!(served, "{}", planned.name),
        // At full size there may be too many places to compare one by one.
        Err(error) if error.kind() == ErrorKind::NotDecided => return false,
        Err(error) => panic!("{}: {error}", planned.name),
    }
    true
}

/// The layout in some levels; all other digits are addresses.
fn in_levels(layout: &Layout, keep: impl Fn(Level) -> bool) -> Layout {
    let mut of = Layout::builder();
    for level in layout.used_levels().iter().filter(|level| keep(**level)) {
        of = of.used(*level).offset(*level, layout.offset(*level));
    }
    for axis in layout.axes() {
        let digits = axis.subaxes.iter().map(|digit| match digit.lands() {
            Some(level) if keep(level) || level == Level::TIME => *digit,
            _ => Subaxis::land(digit.size, Level::ADDR, 1),
        });
        of = of.axis(axis.extent, digits);
    }
    let kept = |level: Level| keep(level) || level == Level::TIME;
    for copies in layout.replicas().iter().filter(|copies| kept(copies.level)) {
        of = of.replica(copies.size, copies.level, copies.stride);
    }
    with_dense_addresses(&of.build().unwrap()).unwrap()
}

fn report(graph: &Graph, machine: &Machine, sram_budget: u64) -> PlanReport {
    let (keep, penalty, routes) = (12, PENALTY, false);
    let options = PlanOptions { keep, penalty, routes, sram_budget, ..PlanOptions::default() };
    plan(graph, machine, &options).unwrap().report()
}

#[test]
fn a_report_of_a_plan_in_little_room_has_the_prices_that_its_layouts_have() {
    for (name, percent) in [("mlp", 3), ("block", 6)] {
        let graph = model(name).0;
        let machine = small_machine();
        let report = report(&graph, &machine, percent);
        assert!(report.memory.as_ref().unwrap().is_planned, "{:?}", report.memory);
        audit(&graph, &report, &machine);
    }
}

#[test]
fn a_report_has_the_prices_the_room_and_the_operands_that_its_layouts_have() {
    for name in ["mlp", "block", "cnn"] {
        let graph = model(name).0;
        let machine = small_machine();
        let (switches, served) = audit(&graph, &report(&graph, &machine, 100), &machine);
        assert!(switches > 5 && served > 5, "{name} {switches} {served}");
    }
}

#[test]
fn plans_at_full_size_are_better_than_greedy_ones() {
    let machine = Machine::mn_core_2();
    for name in ["mlp", "block", "training_block"] {
        let path = format!("{}/tests/data/graphs/{name}.onnx", env!("CARGO_MANIFEST_DIR"));
        let mut graph = read_file(path.as_ref(), &ReadOptions::default()).unwrap();
        graph.inline_constants();
        let report = report(&graph, &machine, 100);
        assert!(report.uncovered.is_empty());
        assert!(report.totals.plan < report.totals.greedy, "{name} {:?}", report.totals);
        let room = report.memory.as_ref().unwrap();
        let sizes = [("LM0", 2048), ("LM1", 2048)];
        assert_eq!(peak_of_places(room.places.as_ref().unwrap(), &sizes), room.peak, "{name}");
        audit(&graph, &report, &machine);
    }
}

/// The most long words that are taken at some time by places, of which no two that meet overlap.
fn peak_of_places(places: &[Place], sizes: &[(&str, u64)]) -> u64 {
    for (at, one) in places.iter().enumerate() {
        let size = sizes.iter().find(|(name, _)| *name == one.memory).unwrap().1;
        assert!(one.from < one.to && one.words > 0 && one.address + one.words <= size, "{one:?}");
        for other in &places[..at] {
            let meet = one.from < other.to && other.from < one.to && one.memory == other.memory;
            let apart = one.address + one.words <= other.address
                || other.address + other.words <= one.address;
            assert!(!meet || apart, "{one:?} {other:?}");
        }
    }
    let times = places.iter().map(|of| of.from);
    let taken = |time: u64| {
        let there = places.iter().filter(|of| of.from <= time && time < of.to);
        there.map(|of| of.words).sum::<u64>()
    };
    times.map(taken).max().unwrap_or(0)
}

#[test]
fn every_tensor_has_addresses_of_its_own_while_it_is_there() {
    for (name, percent) in [("mlp", 100), ("mlp", 3), ("block", 4), ("cnn", 100)] {
        let report = report(&model(name).0, &small_machine(), percent);
        let room = report.memory.as_ref().unwrap();
        let places = room.places.as_ref().unwrap();
        assert!(places.len() > 20, "{name}");
        assert_eq!(peak_of_places(places, &[("LM0", room.limit)]), room.peak, "{name} {percent}");
    }
}
