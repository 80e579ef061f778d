//! Plans of models, executed on a small machine in which every unit has a memory of its own.

use std::path::PathBuf;

use tensor_layout::Layout;
use tensor_layout::algebra::Subaxis;
use tensor_layout::relayout::Transfer;
use tensor_layout::{Level, Machine};
use tensor_layout_plan::choices::Held;
use tensor_layout_plan::execute::{AsPlanned, Execution, Tamper, execute};
use tensor_layout_plan::graph::{
    Body, Data, Dtype, Graph, Nest, Origin, Read, Scalar, Value, ValueId, run,
};
use tensor_layout_plan::onnx::{ReadOptions, read_file};
use tensor_layout_plan::plan::{Plan, PlanOptions, plan};

use crate::small::small_machine;

/// Models whose inputs and outputs onnxruntime computed.
const MODELS: [&str; 11] = [
    "mlp",
    "block",
    "cnn",
    "resnet50",
    "vit_b_16",
    "qwen2",
    "qwen2_odd",
    "unet_block",
    "mobilenet_v2",
    "mobilenet_v3",
    "training_block",
];

pub(crate) fn model(name: &str) -> (Graph, Vec<Data>, Vec<Data>) {
    let path = |end: &str| {
        let file = format!("{}/tests/data/models/{name}.{end}", env!("CARGO_MANIFEST_DIR"));
        PathBuf::from(file)
    };
    let options = ReadOptions { data: true, ..ReadOptions::default() };
    let mut graph = read_file(&path("onnx"), &options).unwrap();
    graph.inline_constants();
    let text = std::fs::read_to_string(path("json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let data = |key: &str| -> Vec<Data> {
        let all: Vec<Vec<f64>> = serde_json::from_value(json[key].clone()).unwrap();
        all.into_iter().map(Data::new).collect()
    };
    (graph, data("inputs"), data("outputs"))
}

/// The greatest difference, relative to the largest value.
fn difference(found: &Data, expected: &Data) -> f64 {
    let pairs = found.numbers().iter().zip(expected.numbers());
    let most = expected.numbers().iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    assert_eq!(found.numbers().len(), expected.numbers().len());
    pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max) / most.max(1e-30)
}

fn executed(name: &str, machine: &Machine) -> Execution {
    let (graph, inputs, outputs) = model(name);
    let options = PlanOptions { routes: false, keep: 24, ..PlanOptions::default() };
    let plan = plan(&graph, machine, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
    let executed = execute(&plan, &inputs, &mut AsPlanned);
    let executed = executed.unwrap_or_else(|error| panic!("{name}: {error}"));
    for (found, expected) in executed.outputs.iter().zip(&outputs) {
        let difference = difference(found, expected);
        assert!(difference < 1e-5, "{name}: {difference}");
    }
    executed
}

#[test]
fn the_slow_definition_of_a_model_is_what_onnxruntime_computes() {
    for name in MODELS {
        let (graph, inputs, outputs) = model(name);
        let known = run(&graph, &inputs).unwrap();
        for (id, expected) in graph.outputs.iter().zip(&outputs) {
            let difference = difference(known[id.0].as_ref().unwrap(), expected);
            assert!(difference < 1e-5, "{name}: {difference}");
        }
    }
}

macro_rules! executed_plans {
    ($($name:ident: $model:literal),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                let begun = std::time::Instant::now();
                let Execution { transferred, fetched, added, iterations, .. } =
                    executed($model, &small_machine());
                println!("{}: {transferred} {fetched} {added} {iterations} {:.2?}", $model, begun.elapsed());
                assert!(transferred > 0 && iterations > 0);
            }
        )*
    };
}

executed_plans! {
    a_plan_of_a_training_step_computes_what_onnxruntime_does: "mlp",
    a_plan_of_a_transformer_block_in_training_computes_what_onnxruntime_does: "training_block",
    a_plan_of_a_transformer_block_computes_what_onnxruntime_does: "block",
    a_plan_of_convolutions_with_residuals_computes_what_onnxruntime_does: "cnn",
    a_plan_of_a_resnet_computes_what_onnxruntime_does: "resnet50",
    a_plan_of_a_vision_transformer_computes_what_onnxruntime_does: "vit_b_16",
    a_plan_of_a_decoder_computes_what_onnxruntime_does: "qwen2",
    a_plan_of_a_decoder_with_odd_sizes_computes_what_onnxruntime_does: "qwen2_odd",
    a_plan_of_a_u_net_computes_what_onnxruntime_does: "unet_block",
    a_plan_of_depthwise_convolutions_computes_what_onnxruntime_does: "mobilenet_v2",
    a_plan_of_squeezed_convolutions_computes_what_onnxruntime_does: "mobilenet_v3",
}

#[test]
fn an_integer_that_its_type_or_a_double_cannot_hold_is_refused() {
    let square = |dtype: Dtype, number: f64| {
        let mut graph = Graph::default();
        let (name, shape) = ("x".to_owned(), vec![4]);
        let x = graph.add(Value { name, shape: shape.clone(), dtype, origin: Origin::Input });
        graph.inputs = vec![x];
        let reads = vec![Read::of(x, [0]), Read::of(x, [0])];
        let nest = Nest::pointwise(shape.clone(), reads, Scalar::product(2));
        let made = ("y".to_owned(), "Mul");
        graph.outputs = vec![graph.operation(made, (shape, dtype), Body::Nest(nest))];
        let options = PlanOptions { routes: false, ..PlanOptions::default() };
        let plan = plan(&graph, &small_machine(), &options).unwrap();
        let executed = execute(&plan, &[Data::new(vec![number; 4])], &mut AsPlanned);
        executed.map(|of| of.outputs[0].numbers()[0]).map_err(|error| error.to_string())
    };
    let most = 94_906_265.0;
    assert_eq!(square(Dtype::Int(8), -11.0), Ok(121.0));
    assert_eq!(square(Dtype::Uint(8), 15.0), Ok(225.0));
    assert_eq!(square(Dtype::Int(64), most), Ok(most * most));
    for (dtype, number, what) in [
        (Dtype::Int(8), 12.0, "`y`: element 0 is 144, beyond i8"),
        (Dtype::Int(8), 128.0, "`x`: element 0 is 128, beyond i8"),
        (Dtype::Uint(8), -1.0, "`x`: element 0 is -1, beyond u8"),
        (
            Dtype::Uint(64),
            most + 1.0,
            "`y`: element 0 is 9007199326062756, beyond u64 or beyond 2^53",
        ),
    ] {
        let why = square(dtype, number).unwrap_err();
        assert!(why.contains(what), "{why}");
    }
}

/// One fault in one operand, or in the layout that the readers of a value share: another layout, or a transfer less.
struct Fault {
    operation: String,
    number: Option<usize>,
    layout: Option<Layout>,
    drops: Option<usize>,
    /// The transfers that the operand had.
    had: usize,
}

impl Tamper for Fault {
    fn operand(&mut self, operation: &str, number: usize, held: &mut Held) {
        if let Some(layout) = &self.layout
            && (operation, Some(number)) == (&self.operation, self.number)
        {
            held.layout = layout.clone();
        }
    }

    fn transfers(&mut self, operation: &str, number: Option<usize>, transfers: &mut Vec<Transfer>) {
        if (operation, number) == (&self.operation, self.number) {
            self.had = transfers.len();
            if let Some(drops) = self.drops.filter(|at| *at < transfers.len()) {
                transfers.remove(drops);
            }
        }
    }
}

/// The layout without its copies.
fn without_copies(layout: &Layout) -> Option<Layout> {
    let is_copied = !layout.replicas().is_empty();
    is_copied.then(|| rebuilt_with(layout, |_| true, false))
}

/// The layout in some levels; all other digits have no effect.
fn rebuilt(layout: &Layout, keep: impl Fn(Level) -> bool) -> Layout {
    rebuilt_with(layout, keep, true)
}

fn rebuilt_with(layout: &Layout, keep: impl Fn(Level) -> bool, copies: bool) -> Layout {
    let mut of = Layout::builder();
    for level in layout.used_levels().iter().filter(|level| keep(**level)) {
        of = of.used(*level).offset(*level, layout.offset(*level));
    }
    for axis in layout.axes() {
        let digits = axis.subaxes.iter().map(|digit| match digit.lands() {
            Some(level) if !keep(level) => Subaxis::land(digit.size, Level::ADDR, 0),
            _ => *digit,
        });
        of = of.axis(axis.extent, digits);
    }
    for of_copies in layout.replicas().iter().filter(|of| copies && keep(of.level)) {
        of = of.replica(of_copies.size, of_copies.level, of_copies.stride);
    }
    of.build().unwrap()
}

#[test]
fn a_swapped_layout_a_missing_copy_and_a_dropped_transfer_are_found() {
    let (graph, inputs, _) = model("mlp");
    let options = PlanOptions { routes: false, keep: 12, ..PlanOptions::default() };
    let plan = plan(&graph, &small_machine(), &options).unwrap();
    let (mut swapped, mut copies, mut dropped) = (0, 0, 0);
    for operation in &graph.operations {
        let choice = plan.choice(operation.result).unwrap();
        for number in 0..choice.operands.len() {
            let fault = |layout, drops| Fault {
                operation: operation.name.clone(),
                number: Some(number),
                layout,
                drops,
                had: 0,
            };
            let run = |fault: &mut Fault| execute(&plan, &inputs, fault).map(drop);
            let wanted = &choice.operands[number].layout;
            let others =
                plan.choices(operation.result).iter().map(|of| &of.operands[number].layout);
            // The leaves of a node multiply together: the node has to have the elements.
            let nodes = |of: &Layout| rebuilt(of, |level| level.is_unit() && level != Level::PE);
            let mut others =
                others.filter(|other| nodes(other).serves(&nodes(wanted)).unwrap().is_some());
            let other = others.next();
            if let Some(other) = other {
                let found = run(&mut fault(Some(other.clone()), None));
                assert!(
                    matches!(&found, Err(error) if error.to_string().contains(" lacks element ")),
                    "{operation:?} {found:?}"
                );
                swapped += 1;
            }
            if let Some(fewer) = without_copies(wanted) {
                let found = run(&mut fault(Some(fewer), None));
                assert!(found.is_err(), "{} {number}", operation.name);
                copies += 1;
            }
            let mut first = fault(None, Some(0));
            let found = run(&mut first);
            assert_eq!(found.is_err(), first.had > 0, "{} {number} {found:?}", operation.name);
            dropped += usize::from(first.had > 0);
        }
    }
    assert!(swapped > 5 && copies > 3 && dropped > 5, "{swapped} {copies} {dropped}");
}

#[test]
fn a_transfer_less_to_a_layout_that_readers_share_is_found() {
    let mut shared = 0;
    for name in ["mlp", "block", "cnn"] {
        let (graph, inputs, _) = model(name);
        let options = PlanOptions { routes: false, keep: 12, ..PlanOptions::default() };
        let plan = plan(&graph, &small_machine(), &options).unwrap();
        for (value, id) in graph.values.iter().zip((0..).map(ValueId)) {
            let own = plan.choice(id).zip(plan.kept(id));
            // What comes slice by slice is kept in every slice, by one transfer for each.
            if own.is_none_or(|(own, kept)| own.result.is_at(kept) || own.result.is_sliced()) {
                continue;
            }
            let operation = value.name.clone();
            let mut fault = Fault { operation, number: None, layout: None, drops: Some(0), had: 0 };
            let found = execute(&plan, &inputs, &mut fault).map(drop);
            assert_eq!(found.is_err(), fault.had > 0, "{name} {} {found:?}", value.name);
            shared += usize::from(fault.had > 0);
        }
    }
    assert!(shared > 0, "{shared}");
}

/// Executes a plan with a part of the memory, which is less than its cheapest plan takes, and looks at it.
fn in_little_room(name: &str, sram_budget: u64, look: impl Fn(&Graph, &Plan<'_>, &Execution)) {
    let (graph, inputs, outputs) = model(name);
    let free = PlanOptions { routes: false, keep: 24, ..PlanOptions::default() };
    let options = PlanOptions { sram_budget, ..free.clone() };
    let taken = plan(&graph, &small_machine(), &free).unwrap().report().memory.unwrap().peak;
    let plan = plan(&graph, &small_machine(), &options).unwrap();
    let room = plan.report().memory.unwrap();
    assert!(room.peak <= room.limit && room.limit < taken, "{name}: {taken} {room:?}");
    let executed = execute(&plan, &inputs, &mut AsPlanned).unwrap();
    for (found, expected) in executed.outputs.iter().zip(&outputs) {
        let difference = difference(found, expected);
        assert!(difference < 1e-5, "{name}: {difference}");
    }
    look(&graph, &plan, &executed);
}

macro_rules! little_room {
    ($($(#[$attribute:meta])* $name:ident: $model:literal $percent:literal),* $(,)?) => {
        $(
            #[test]
            $(#[$attribute])*
            fn $name() {
                in_little_room($model, $percent, |_, _, _| ());
            }
        )*
    };
}

little_room! {
    a_training_step_in_little_room_computes_what_onnxruntime_does: "mlp" 3,
    a_transformer_block_in_little_room_computes_what_onnxruntime_does: "block" 4,
    a_decoder_in_little_room_computes_what_onnxruntime_does: "qwen2" 10,
    a_resnet_in_little_room_computes_what_onnxruntime_does: "resnet50" 28,
    a_vision_transformer_in_little_room_computes_what_onnxruntime_does: "vit_b_16" 10,
    #[ignore = "a minute: `.ci/run extended`"]
    a_u_net_in_little_room_computes_what_onnxruntime_does: "unet_block" 20,
    #[ignore = "a minute: `.ci/run extended`"]
    depthwise_convolutions_in_little_room_compute_what_onnxruntime_does: "mobilenet_v2" 20,
    #[ignore = "a minute: `.ci/run extended`"]
    squeezed_convolutions_in_little_room_compute_what_onnxruntime_does: "mobilenet_v3" 12,
}

/// Returns whether an operand is read through a window whose axis comes in time slices.
fn slices_windows(read: &Read, held: &Held) -> bool {
    let axes = read.index.iter().zip(held.layout.axes());
    let mut windows = axes.filter(|(index, _)| index.as_loop().is_none());
    windows.any(|(_, axis)| axis.subaxes.iter().any(|of| of.lands() == Some(Level::TIME)))
}

#[test]
fn convolutions_in_little_room_read_rows_in_slices_with_their_halos() {
    in_little_room("cnn", 20, |graph, plan, executed| {
        let nests = graph.operations.iter().filter_map(|operation| match &operation.body {
            Body::Nest(nest) => Some((nest, plan.choice(operation.result)?)),
            Body::Opaque(_) => None,
        });
        let operands = nests.flat_map(|(nest, choice)| nest.reads.iter().zip(&choice.operands));
        assert!(operands.filter(|(read, held)| slices_windows(read, held)).count() > 0);
        assert!(executed.fetched > 0);
    });
}
