//! Shardings of StableHLO programs on meshes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use proptest::prelude::*;
use tensor_layout::LayoutError;
use tensor_layout_plan::graph::{
    Body, Dtype, Fold, Graph, Index, Nest, Origin, Read, Scalar, Value, ValueId, View,
};
use tensor_layout_plan::mesh::{
    Backend, Mesh, MeshOptions, MeshPlan, Reshard, Spec, StepKind, plan_mesh,
};
use tensor_layout_plan::program::{Dims, Program};
use tensor_layout_plan::stablehlo::read_stablehlo;

/// A program that JAX printed.
fn program(name: &str) -> Program {
    let file = format!("{}/tests/data/stablehlo/{name}.mlir", env!("CARGO_MANIFEST_DIR"));
    read_stablehlo(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn mesh(axes: &str, backend: Backend) -> Mesh {
    let mut mesh: Mesh = axes.parse().unwrap();
    mesh.backend = backend;
    mesh
}

fn planned<'a>(program: &'a Program, mesh: &'a Mesh, memory: Option<u64>) -> MeshPlan<'a> {
    let options = MeshOptions { device_memory: memory, ..MeshOptions::default() };
    plan_mesh(program, mesh, &options, &|_| ControlFlow::Continue(())).unwrap()
}

/// The bytes that a device sends, by kind, as `check_mesh.py` found them in what XLA compiled of the plan.
fn compiled() -> BTreeMap<String, BTreeMap<String, BTreeMap<String, u64>>> {
    let file = format!("{}/tests/data/stablehlo/compiled.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn a_plan_expects_the_collectives_that_xla_compiles() {
    let mut seen = 0;
    for (name, meshes) in compiled() {
        let program = program(&name);
        for (axes, kinds) in meshes {
            let mesh = mesh(&axes, Backend::Cpu);
            let report = planned(&program, &mesh, None).report();
            let (expected, found): (u64, u64) =
                (report.sent.iter().map(|(_, sent)| sent).sum(), kinds.values().sum());
            // Sums of single numbers are rounded.
            let most = expected.max(found) / 20 + 64;
            assert!(
                expected.abs_diff(found) <= most,
                "{name} {axes}: {expected} {found} {kinds:?}"
            );
            seen += 1;
        }
    }
    assert!(seen >= 12, "{seen}");
}

#[test]
fn calls_are_written_out_and_loops_count_their_trips() {
    let program = program("scan");
    assert_eq!(program.loops.len(), 2);
    assert!(program.loops.iter().all(|of| of.is_counted && (of.begins, of.times) == (1, 4)));
    assert!(program.operations.iter().all(|of| of.kind != "call"));
    assert_eq!(program.uncovered, []);
    let products = program.operations.iter().filter(|of| of.kind == "stablehlo.dot_general");
    assert_eq!(products.clone().count(), 30);
    assert!(products.filter(|of| of.times == 4).count() > 15);
}

#[test]
fn an_operation_without_a_rule_is_whole_on_every_device_and_counted() {
    let text = "func.func public @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
      %0 = stablehlo.custom_call @lapack(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
      return %0 : tensor<8x8xf32>
    }";
    let program = read_stablehlo(text).unwrap();
    assert_eq!(program.uncovered, [("stablehlo.custom_call".to_owned(), 0)]);
    let mesh = mesh("x=8", Backend::Cpu);
    let report = planned(&program, &mesh, None).report();
    assert_eq!(report.results[0].spec, "P()");
    assert!(report.to_string().contains("1 operation without a rule: stablehlo.custom_call"));
}

#[test]
fn a_text_that_is_cut_off_or_no_program_is_refused() {
    for (text, says) in [
        ("", "no function"),
        ("ENTRY e {\n  a = f32[4] parameter(0)\n}", "no function"),
        ("HloModule m\n\nENTRY e {\n  a = f32[4] parameter(0)\n}", "this is HLO"),
        (
            "func.func @main(%arg0: tensor<?xf32>) -> tensor<?xf32> {\n  return %arg0 : tensor<?xf32>\n}",
            "not known",
        ),
        (
            "func.func @main() -> tensor<4xf32> {\n  return %0 : tensor<4xf32>\n}",
            "`%0` is read before",
        ),
        (
            "func.func @main() -> tensor<4xf32> {\n  %0 = call @f() : () -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}",
            "`@f` is called",
        ),
        (
            "func.func @main() -> tensor<4xf32> {\n  %0 = call @main() : () -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}",
            "calls itself",
        ),
    ] {
        let error = read_stablehlo(text).unwrap_err().to_string();
        assert!(error.contains(says), "{text}: {error}");
    }
    let whole = "module @m {\n  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n    return %arg0 : tensor<4xf32>\n  }\n}\n";
    assert!(read_stablehlo(whole).is_ok());
    for end in 0..whole.len() - 3 {
        // Never a panic; a part of a module is no module.
        let _ = read_stablehlo(&whole[..end]);
    }
}

/// A small program with a call, a loop, a sum and rows that are looked up.
const SMALL: &str = "module @m {
  func.func @main(%arg0: tensor<8x4xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<2x1xi32>) -> (tensor<8x4xf32>, tensor<4xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %c) : tensor<8x4xf32>, tensor<i32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %9 = stablehlo.compare LT, %iterArg_0, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %5 = call @f(%iterArg) : (tensor<8x4xf32>) -> tensor<8x4xf32>
      stablehlo.return %5, %iterArg_0 : tensor<8x4xf32>, tensor<i32>
    }
    %1 = \"stablehlo.gather\"(%0#0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
    return %0#0, %2 : tensor<8x4xf32>, tensor<4xf32>
  }
  func.func private @f(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.reshape %arg0 : (tensor<8x4xf32>) -> tensor<32xf32>
    %1 = stablehlo.reshape %0 : (tensor<32xf32>) -> tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}
";

#[test]
fn a_mutated_program_is_planned_or_refused() {
    let mesh = mesh("x=2,y=2", Backend::Accelerator);
    let planned = |text: &str| {
        let Ok(program) = read_stablehlo(text) else { return false };
        let unwatched = |_| ControlFlow::Continue(());
        let Ok(plan) = plan_mesh(&program, &mesh, &MeshOptions::default(), &unwatched) else {
            return false;
        };
        assert!(
            plan.module().is_some_and(|text| text.starts_with("module @"))
                && plan.report().to_string().contains("A device sends")
        );
        true
    };
    assert!(planned(SMALL));
    let mut read = 0;
    for at in 0..SMALL.len() {
        let (before, after) = (&SMALL[..at], &SMALL[at + 1..]);
        for between in
            ["", "0", "9", "%", "(", ")", "{", "}", "[", "]", "<", ">", ",", ":", "x", "\"", "\n"]
        {
            read += usize::from(planned(&format!("{before}{between}{after}")));
        }
        read += usize::from(planned(before));
    }
    assert!(read > 1000, "{read}");
}

#[test]
fn donated_arguments_give_their_results_their_specs() {
    let program = program("mlp");
    let mesh = mesh("x=8", Backend::Cpu);
    let plan = planned(&program, &mesh, None);
    assert_eq!(program.donated.len(), 2);
    for (argument, result) in &program.donated {
        assert_eq!(plan.spec(*argument), plan.result_spec(*result));
    }
}

/// A program with a sharding at its argument, its result, and inside, where one dimension is open.
const ANNOTATED: &str = "func.func public @main(%arg0: tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {\"x\", \"y\"}]>}) -> (tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}, {\"y\"}]>}) {
      %0 = stablehlo.negate %arg0 : tensor<64x128xf32>
      %1 = sdy.sharding_constraint %0 <@m, [{\"y\", ?}, {}], replicated={\"x\"}> : tensor<64x128xf32>
      %2 = stablehlo.negate %1 : tensor<64x128xf32>
      return %2 : tensor<64x128xf32>
    }";

fn kept<'a>(
    program: &'a Program,
    mesh: &'a Mesh,
    keep_shardings: bool,
) -> Result<MeshPlan<'a>, LayoutError> {
    let options = MeshOptions { keep_shardings, ..MeshOptions::default() };
    plan_mesh(program, mesh, &options, &|_| ControlFlow::Continue(()))
}

#[test]
fn shardings_of_a_program_are_kept_if_that_is_wanted() {
    let program = read_stablehlo(ANNOTATED).unwrap();
    assert_eq!(program.operations.len(), 2);
    let mesh = mesh("x=4,y=2", Backend::Cpu);
    let plan = kept(&program, &mesh, true).unwrap();
    assert_eq!(plan.spec(program.arguments[0]).partition_spec(&mesh), "P(None, ('x', 'y'))");
    assert_eq!(plan.result_spec(0).partition_spec(&mesh), "P('x', 'y')");
    // The inner constraint is on the way: `x` has to be free there, and `y` on the first dimension.
    let module = plan.module().unwrap();
    assert!(module.contains("@mesh, [{\"y\"}, {}]"), "{module}");
    // The mesh of the text is not in what is written.
    assert!(!module.contains("@m,") && module.contains("@mesh, [{}, {\"x\", \"y\"}]"));
    let free = kept(&program, &mesh, false).unwrap();
    assert!(free.cost < plan.cost && free.report().sent() == 0);
}

/// Otherwise XLA carries the spec in which the padding reads it through the loop, and gathers in every iteration.
#[test]
fn the_result_of_a_loop_is_pinned_to_what_the_loop_carries() {
    let program = read_stablehlo(include_str!("data/scan_then_pad.mlir")).unwrap();
    let mesh = mesh("x=8", Backend::Cpu);
    let plan = planned(&program, &mesh, None);
    let module = plan.module().unwrap();
    let constraints = module.lines().filter(|line| line.contains("sdy.sharding_constraint"));
    let of_result = constraints.into_iter().find(|line| line.contains("#2 <"));
    assert!(of_result.unwrap().contains("<@mesh, [{}, {}]>"), "{module}");
}

#[test]
fn a_sharding_that_a_mesh_cannot_keep_is_refused_with_the_reason() {
    let given = "[{}, {\"x\", \"y\"}]>}) ->";
    for (instead, says) in [
        ("[{}, {\"y\", \"x\"}]>}) ->", "in the order y, x"),
        ("[{}, {\"x\":(1)2}]>}) ->", "a part of axis `x`"),
        ("[{}, {\"z\"}]>}) ->", "names axis `z`"),
        ("[{}, {}], unreduced=sum{\"x\"}>}) ->", "leaves x to the program"),
        ("[{\"x\", \"y\"}]>}) ->", "equal parts"),
    ] {
        let program = read_stablehlo(&ANNOTATED.replace(given, instead)).unwrap();
        let mesh = mesh("x=4,y=2", Backend::Cpu);
        let error = kept(&program, &mesh, true).unwrap_err().to_string();
        assert!(error.contains(says), "{instead}: {error}");
        assert!(kept(&program, &mesh, false).is_ok());
    }
    let before = "sdy.sharding = #sdy.sharding<@m, [{}, {\"x\", \"y\"}]>";
    let program = ANNOTATED.replace(before, "mhlo.sharding = \"{devices=[1,8]<=[8]}\"");
    let program = read_stablehlo(&program).unwrap();
    let mesh = mesh("x=4,y=2", Backend::Cpu);
    let error = kept(&program, &mesh, true).unwrap_err().to_string();
    assert!(error.contains("mhlo.sharding"), "{error}");
    let manual = ANNOTATED.replace("sdy.sharding_constraint", "sdy.manual_computation");
    assert!(read_stablehlo(&manual).unwrap_err().to_string().contains("shard_map"));
    let own = "negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>}";
    let own = ANNOTATED.replace("negate %arg0", own);
    assert!(read_stablehlo(&own).unwrap_err().to_string().contains("of its own"));
    let cut = ANNOTATED.replace(given, "[{}, {\"x\"}, 5]>}) ->");
    assert!(read_stablehlo(&cut).unwrap_err().to_string().contains("is no sharding"));
}

#[test]
fn a_plan_beside_the_shardings_of_a_program_says_what_they_send_more() {
    let program = read_stablehlo(ANNOTATED).unwrap();
    let mesh = mesh("x=4,y=2", Backend::Cpu);
    let reports = [false, true].map(|keep| kept(&program, &mesh, keep).unwrap().report());
    let [ours, theirs] = reports;
    let against = ours.clone().beside(&theirs).against.unwrap();
    assert_eq!(against.sent, [0, theirs.sent()]);
    assert_eq!((against.gained.len(), against.lost.len()), (0, theirs.collectives.len()));
    let all_lost: u64 = against.lost.iter().map(|of| of.sent * of.times).sum();
    assert_eq!(all_lost, theirs.sent());
    assert!(ours.beside(&theirs).to_string().contains("Collectives of those shardings alone"));
    let same = theirs.clone().beside(&theirs).against.unwrap();
    assert!(same.specs.is_empty() && same.gained.is_empty() && same.lost.is_empty());
}

/// A graph of two products, as a model of ONNX has it.
fn two_products() -> Graph {
    let mut graph = Graph::default();
    let mut given = |name: &str, shape: [u64; 2], origin: Origin| {
        graph.add(Value { name: name.into(), shape: shape.into(), dtype: Dtype::F32, origin })
    };
    let x = given("x", [4096, 512], Origin::Input);
    let weights = [("w", [512, 2048]), ("v", [2048, 512])];
    let [w, v] = weights.map(|(name, shape)| given(name, shape, Origin::Constant(None)));
    graph.inputs = vec![x];
    let product = |graph: &mut Graph, of: ValueId, by: ValueId| {
        let (from, to) = (graph.value(of).shape.clone(), graph.value(by).shape.clone());
        let reads = vec![Read::of(of, [0, 2]), Read::of(by, [2, 1])];
        let loops = vec![from[0], to[1], from[1]];
        let nest = Nest { loops, rank: 2, reads, body: Scalar::product(2), fold: Fold::Sum };
        graph.operation(
            ("y".into(), "MatMul"),
            (vec![from[0], to[1]], Dtype::F32),
            Body::Nest(nest),
        )
    };
    let wide = product(&mut graph, x, w);
    let result = product(&mut graph, wide, v);
    graph.outputs = vec![result];
    graph
}

#[test]
fn a_model_of_onnx_has_the_plan_of_the_same_program_of_jax() {
    let graph = two_products();
    let model = Program::of_graph(&graph);
    let text = "func.func public @main(%arg0: tensor<4096x512xf32>, %arg1: tensor<512x2048xf32>, %arg2: tensor<2048x512xf32>) -> tensor<4096x512xf32> {
      %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4096x512xf32>, tensor<512x2048xf32>) -> tensor<4096x2048xf32>
      %1 = stablehlo.dot_general %0, %arg2, contracting_dims = [1] x [0] : (tensor<4096x2048xf32>, tensor<2048x512xf32>) -> tensor<4096x512xf32>
      return %1 : tensor<4096x512xf32>
    }";
    let written = read_stablehlo(text).unwrap();
    for axes in ["x=8", "x=4,y=2", "x=2,y=2,z=2"] {
        let mesh = mesh(axes, Backend::Accelerator);
        let [one, other] = [&model, &written].map(|of| planned(of, &mesh, None));
        assert_eq!((one.cost, one.bound, one.peak()), (other.cost, other.bound, other.peak()));
        assert_eq!(one.module(), None);
        let names: Vec<_> = one.report().arguments.into_iter().map(|of| of.name).collect();
        assert_eq!(names, ["x", "w", "v"]);
    }
}

#[test]
fn views_windows_and_diagonals_of_a_model_are_whole_where_no_loop_cuts_them() {
    let mut graph = two_products();
    let wide = graph.operations[0].result;
    let view = |graph: &mut Graph, of, shape: Vec<u64>, view| {
        let (name, origin) = ("view".to_owned(), Origin::View(of, view));
        graph.add(Value { name, shape, dtype: Dtype::F32, origin })
    };
    let order = View::Transpose(vec![1, 0]);
    let turned = view(&mut graph, wide, vec![2048, 4096], order);
    let square = view(&mut graph, turned, vec![2048, 64, 64], View::Reshape(vec![2048, 64, 64]));
    let window = Index::sum([(1, 1), (2, 1)], -1);
    let read =
        Read { value: square, index: vec![Index::of(0), window, Index::of(1)], outside: 0.0 };
    let twice = Read::of(square, [0, 1, 1]);
    let loops = vec![2048, 64, 3];
    let body = Scalar::product(2);
    let nest = Nest { loops, rank: 2, reads: vec![read, twice], body, fold: Fold::Sum };
    let made = (vec![2048, 64], Dtype::F32);
    graph.outputs = vec![graph.operation(("z".into(), "Odd"), made, Body::Nest(nest))];
    let program = Program::of_graph(&graph);
    let kinds: Vec<_> = program.operations.iter().map(|of| &*of.kind).collect();
    assert_eq!(kinds, ["MatMul", "MatMul", "Transpose", "Reshape", "Odd"]);
    let odd = &program.operations[4].rule;
    assert_eq!(odd.reads, [vec![Some(0), None, Some(1)], vec![Some(0), None, None]]);
    // Of the loops of the window only those that an operand has are shared.
    let mesh = mesh("x=8", Backend::Cpu);
    assert!(planned(&program, &mesh, None).report().uncovered.is_empty());
}

#[test]
fn a_plan_fits_into_the_memory_of_a_device_or_is_refused() {
    let program = program("block");
    let mesh = mesh("x=8", Backend::Accelerator);
    let free = planned(&program, &mesh, None);
    let limit = free.peak() / 4 * 3;
    let plan = planned(&program, &mesh, Some(limit));
    assert!(plan.peak() <= limit && plan.cost >= free.cost, "{} {limit}", plan.peak());
    let options = MeshOptions { device_memory: Some(1000), ..MeshOptions::default() };
    let error = plan_mesh(&program, &mesh, &options, &|_| ControlFlow::Continue(())).unwrap_err();
    assert!(error.to_string().contains("at most 1000 bytes"), "{error}");
}

#[test]
fn a_reduce_scatter_is_expected_where_the_backend_has_it() {
    let program = program("block");
    let kinds = |backend| {
        let mesh = mesh("x=8", backend);
        let report = planned(&program, &mesh, None).report();
        report.sent.iter().map(|(kind, _)| *kind).collect::<BTreeSet<_>>()
    };
    assert!(!kinds(Backend::Cpu).contains("reduce-scatter"));
    assert!(kinds(Backend::Accelerator).contains("reduce-scatter"));
}

#[test]
fn a_plan_costs_what_its_choices_do_and_is_not_below_its_bound() {
    for name in ["mlp", "attention", "moe", "conv"] {
        for axes in ["x=8", "x=4,y=2"] {
            let (program, mesh) = (program(name), mesh(axes, Backend::Accelerator));
            let plan = planned(&program, &mesh, None);
            let report = plan.report();
            assert!(plan.bound <= plan.cost, "{name} {axes}");
            let sent: u64 = report.collectives.iter().map(|of| of.sent * of.times).sum();
            assert_eq!(sent, report.sent.iter().map(|(_, sent)| sent).sum::<u64>());
        }
    }
}

/// The part of a dimension that a device has: its first index and its extent.
fn part(extent: u64, axes: &[usize], mesh: &Mesh, device: &[u64]) -> (u64, u64) {
    let (mut number, mut parts) = (0, 1);
    for axis in axes {
        let size = mesh.axes()[*axis].1;
        (number, parts) = (number * size + device[*axis], parts * size);
    }
    (number * (extent / parts), extent / parts)
}

/// The elements that a device has.
fn held(dims: &Dims, orders: &[Vec<usize>], mesh: &Mesh, device: &[u64]) -> BTreeSet<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for (extent, axes) in dims.shape.iter().zip(orders) {
        let (from, count) = part(*extent, axes, mesh, device);
        let longer = all.iter().flat_map(|index| {
            (from..from + count).map(|at| [&index[..], &[at]].concat()).collect::<Vec<_>>()
        });
        all = longer.collect();
    }
    all.into_iter().collect()
}

fn orders(spec: &Spec) -> Vec<Vec<usize>> {
    spec.0.iter().map(|cut| (0..8).filter(|axis| cut >> axis & 1 == 1).collect()).collect()
}

fn devices(mesh: &Mesh) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for (_, size) in mesh.axes() {
        let longer = all.iter().flat_map(|device: &Vec<u64>| {
            (0..*size).map(|at| [&device[..], &[at]].concat()).collect::<Vec<_>>()
        });
        all = longer.collect();
    }
    all
}

fn spec(rank: usize) -> impl Strategy<Value = Spec> {
    prop::collection::vec(0..=rank, 3).prop_map(move |dims| {
        let mut spec = Spec::whole(rank);
        for (axis, dim) in dims.into_iter().enumerate().filter(|(_, dim)| *dim < rank) {
            spec.0[dim] |= 1 << axis;
        }
        spec
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    /// Each step moves elements along its axes alone, and devices send what others lack.
    #[test]
    fn every_step_of_a_reshard_is_the_collective_that_it_says((from, to) in (1..=3_usize).prop_flat_map(|rank| (spec(rank), spec(rank)))) {
        let mesh: Mesh = "x=2,y=3,z=2".parse().unwrap();
        let dims = Dims { shape: vec![12; from.0.len()], dtype: "f32".into() };
        let way = Reshard::between(&from, &to, &dims, &mesh).unwrap();
        let mut before = orders(&from);
        for step in &way.steps {
            let mut lacking = BTreeMap::new();
            for device in devices(&mesh) {
                let (had, has) = (held(&dims, &before, &mesh, &device), held(&dims, &step.orders, &mesh, &device));
                // The devices that differ along the axes of the step.
                let group = devices(&mesh).into_iter().filter(|other| {
                    (0..3).all(|axis| step.along >> axis & 1 == 1 || other[axis] == device[axis])
                });
                let there: BTreeSet<_> = group.flat_map(|other| held(&dims, &before, &mesh, &other)).collect();
                prop_assert!(has.is_subset(&there), "{way:?}");
                match step.kind {
                    StepKind::Slice => prop_assert!(has.is_subset(&had)),
                    StepKind::AllGather => prop_assert!(had.is_subset(&has)),
                    StepKind::Permute | StepKind::AllToAll => prop_assert_eq!(had.len(), has.len()),
                }
                let bytes = 4 * u64::try_from(has.difference(&had).count()).unwrap();
                lacking.insert(device, bytes);
            }
            let most = lacking.values().copied().max().unwrap();
            prop_assert!(step.sent >= most, "{} {most} {way:?}", step.sent);
            if matches!(step.kind, StepKind::AllGather) {
                prop_assert_eq!(step.sent, most);
            }
            before.clone_from(&step.orders);
        }
        prop_assert_eq!(before, orders(&to));
        prop_assert_eq!(from == to, way.steps.is_empty());
    }
}

#[test]
fn the_rate_of_an_axis_holds_wherever_that_of_all_links_stands() {
    let rates = |text: &str| {
        let mut mesh: Mesh = "data=4,model=2".parse().unwrap();
        mesh.set_rates(text).map(|()| mesh.rates.links).map_err(|error| error.to_string())
    };
    for text in ["data=7,links=90", "links=90,data=7"] {
        assert_eq!(rates(text).unwrap(), [7, 90], "{text}");
    }
    assert_eq!(rates("links=1,links=2").unwrap_err(), "`links` has two rates");
}

#[test]
fn elements_narrower_than_a_byte_are_packed_but_for_truth_values() {
    let bytes = |dtype: &str| Dims { shape: vec![3, 3], dtype: dtype.into() }.bytes();
    assert_eq!(["i4", "ui2", "f4E2M1FN", "i1", "bf16"].map(bytes), [5, 3, 5, 9, 18]);
    let mesh: Mesh = "x=3".parse().unwrap();
    let cut = Spec(vec![1, 0]);
    assert_eq!(cut.bytes(&Dims { shape: vec![3, 3], dtype: "i4".into() }, &mesh), 2);
}
