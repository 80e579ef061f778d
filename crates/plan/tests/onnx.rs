//! ONNX models: the definition of their graphs against onnxruntime's answers, and models that are no graphs.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use tensor_layout::LayoutError;
use tensor_layout_plan::graph::{Body, Data, Graph, Origin, ValueId, run};
use tensor_layout_plan::onnx::{ReadOptions, read_file, read_model};

fn data(name: &str) -> String {
    let path = format!("{}/tests/data/onnx/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    let digits = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(digits).collect()
}

/// The type, the shape and the elements.
fn tensor(of: &Json) -> (String, Vec<u64>, Vec<f64>) {
    let number = |of: &Json| of.as_f64().unwrap_or_else(|| of.as_str().unwrap().parse().unwrap());
    let shape = of[1].as_array().unwrap().iter().map(|of| of.as_u64().unwrap()).collect();
    let numbers = of[2].as_array().unwrap().iter().map(number).collect();
    (of[0].as_str().unwrap().to_owned(), shape, numbers)
}

pub(crate) fn tensors(of: &Json) -> Vec<(String, Vec<u64>, Vec<f64>)> {
    of.as_array().unwrap().iter().map(tensor).collect()
}

/// The difference of two tensors, relative to the largest element.
fn difference(found: &[f64], expected: &[f64]) -> f64 {
    let finite = expected.iter().filter(|of| of.is_finite());
    let largest = finite.fold(1.0_f64, |most, of| most.max(of.abs()));
    let each = found.iter().zip(expected).map(|(a, b)| match a.to_bits() == b.to_bits() {
        _ if a.is_nan() && b.is_nan() => 0.0,
        true => 0.0,
        false if a.is_nan() || !b.is_finite() => f64::INFINITY,
        false => (a - b).abs() / largest,
    });
    each.fold(0.0, f64::max)
}

/// The first difference between the graph of a case and its answers.
fn fault(case: &Json) -> Option<String> {
    let model = bytes(case["model"].as_str().unwrap());
    let graph = match read_model(&model, &ReadOptions { data: true, ..ReadOptions::default() }) {
        Ok(graph) => graph,
        Err(error) => return Some(error.to_string()),
    };
    let given = tensors(&case["inputs"]);
    let exact = |id: &ValueId, of: Vec<f64>| {
        Data::new(of.into_iter().map(|number| graph.value(*id).dtype.round(number)).collect())
    };
    let inputs: Vec<Data> =
        graph.inputs.iter().zip(given).map(|(id, (_, _, of))| exact(id, of)).collect();
    let known = match run(&graph, &inputs) {
        Ok(known) => known,
        Err(error) => return Some(error.to_string()),
    };
    for (id, (dtype, shape, expected)) in graph.outputs.iter().zip(tensors(&case["outputs"])) {
        let value = graph.value(*id);
        if (value.dtype.to_string(), &value.shape) != (dtype, &shape) {
            return Some(format!("{} {:?} instead of {shape:?}", value.dtype, value.shape));
        }
        let found = known[id.0].as_ref().unwrap().numbers();
        let most = if value.dtype.bits() == 16 { 1e-2 } else { 1e-5 };
        let difference = difference(found, &expected);
        if found.len() != expected.len() || difference > most {
            return Some(format!("off by {difference}: {found:?} instead of {expected:?}"));
        }
    }
    None
}

pub(crate) fn cases() -> Vec<Json> {
    data("cases.json").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn graphs_compute_what_onnxruntime_computes() {
    let faults: Vec<String> = cases()
        .iter()
        .filter(|case| !case["outputs"].is_null())
        .filter_map(|case| fault(case).map(|fault| format!("{}: {fault}", case["name"])))
        .collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// The bytes of a model by its name.
fn model(name: &str) -> Vec<u8> {
    let case = cases().into_iter().find(|case| case["name"] == name).unwrap();
    bytes(case["model"].as_str().unwrap())
}

fn read(name: &str) -> Result<Graph, LayoutError> {
    read_model(&model(name), &ReadOptions::default())
}

/// The operations of a graph, with the number of folded loops of each.
fn operations(graph: &Graph) -> Vec<(&str, usize)> {
    let folded = |body: &Body| match body {
        Body::Nest(nest) => nest.loops.len() - nest.rank,
        Body::Opaque(_) => usize::MAX,
    };
    graph.operations.iter().map(|of| (of.name.as_str(), folded(&of.body))).collect()
}

#[test]
fn a_node_becomes_as_few_operations_and_loops_as_its_rule_needs() {
    let names = |name: &str| -> Vec<(String, usize)> {
        let graph = read(name).unwrap();
        operations(&graph).into_iter().map(|(name, folded)| (name.to_owned(), folded)).collect()
    };
    let expect = |name: &str, expected: &[(&str, usize)]| {
        let expected: Vec<_> =
            expected.iter().map(|(name, of)| ((*name).to_owned(), *of)).collect();
        assert_eq!(names(name), expected, "{name}");
    };
    expect("Gemm", &[("Gemm_0", 1), ("Gemm_0/bias", 0)]);
    expect(
        "Softmax 21 -1",
        &[("Softmax_0/max", 1), ("Softmax_0/exp", 0), ("Softmax_0/sum", 1), ("Softmax_0", 0)],
    );
    expect(
        "Softmax one element",
        &[("Softmax_0/max", 0), ("Softmax_0/exp", 0), ("Softmax_0/sum", 0), ("Softmax_0", 0)],
    );
    expect("Conv depthwise", &[("Conv_0", 2), ("Conv_0/bias", 0)]);
    expect("Conv points", &[("Conv_0", 1)]);
    expect("Gather one element", &[("Gather_0", 0)]);
    expect("Gather affine", &[("Gather_0", 0)]);
    expect("Gather constant", &[("Gather_0", 1)]);
    expect("Expand view", &[]);
    expect("Slice whole", &[]);
    expect("DepthToSpace DCR", &[]);
    expect("a shape that is computed", &[]);
    expect("constants only", &[]);
    expect("a causal mask", &[("Where_4", 0)]);
}

#[test]
fn every_operator_with_an_answer_is_covered() {
    for case in cases().iter().filter(|case| !case["outputs"].is_null()) {
        let model = bytes(case["model"].as_str().unwrap());
        let graph = read_model(&model, &ReadOptions::default()).unwrap();
        assert_eq!(graph.uncovered(), [], "{}", case["name"]);
    }
}

#[test]
fn results_have_the_names_of_the_model() {
    let graph = read("names for one value").unwrap();
    let names: Vec<&str> = graph.outputs.iter().map(|id| graph.value(*id).name.as_str()).collect();
    assert_eq!(names, ["y0_0", "y1_0"]);
    assert_eq!(graph.root(graph.outputs[1]).0, graph.inputs[0]);
}

#[test]
fn a_part_of_a_model_is_an_error() {
    let model = model("two layers");
    for end in (0..model.len()).step_by(37) {
        let error = read_model(&model[..end], &ReadOptions::default()).unwrap_err();
        let message = error.to_string();
        let is_right = ["not an ONNX model", "the model has no "]
            .iter()
            .any(|start| message.starts_with(start));
        assert!(is_right, "{end} bytes: {error}");
    }
}

#[test]
fn models_that_are_no_graphs_are_errors_with_a_remedy() {
    let messages = [
        ("cycle", "node `first` needs its own result: remove the cycle"),
        ("symbolic", "input `x` has an axis of extent `batch`: give its extent in `dims`"),
        (
            "unnamed",
            "input `x` has no extent for axis 1: export the model with an extent or a name there",
        ),
        ("negative", "`x` has a negative extent or too many elements: correct its shape"),
        ("too large", "`x` has a negative extent or too many elements: correct its shape"),
        (
            "without shape",
            "input `x` is no tensor with a shape: export the model with shapes of its inputs",
        ),
        (
            "text",
            "`x` has elements of type 8 (string), which cannot be planned: use floats, integers or bool",
        ),
        (
            "missing",
            "node `sum` reads `z`, which is no input, no initializer and no result: correct the name",
        ),
        (
            "no such output",
            "output `z` is no input, no initializer and no result of a node: correct the name",
        ),
        ("twice", "two values have the name `y`: rename one of them"),
        (
            "own operator without shape",
            "`y`, a result of node `own` (Wavelet), has no shape: run onnx.shape_inference on the model first",
        ),
        (
            "short constant",
            "constant `w`: 23 bytes where 6 elements of f32 have 24; export the model again",
        ),
    ];
    for (name, message) in messages {
        assert_eq!(read(name).unwrap_err().to_string(), message, "{name}");
    }
}

#[test]
fn a_symbolic_extent_has_the_number_that_is_given() {
    let options = ReadOptions { dims: vec![("batch".into(), 8)], data: false };
    let graph = read_model(&model("symbolic"), &options).unwrap();
    assert_eq!(graph.value(graph.outputs[0]).shape, [8, 3]);
}

#[test]
fn nodes_are_sorted_after_those_that_they_need() {
    let graph = read("unordered").unwrap();
    let kinds: Vec<&str> = graph.operations.iter().map(|of| of.kind.as_str()).collect();
    assert_eq!(kinds, ["Abs", "Exp", "Neg"]);
}

#[test]
fn an_operator_without_a_rule_is_kept_with_the_shapes_of_the_model() {
    let graph = read("own operator").unwrap();
    assert_eq!(graph.uncovered(), [("Wavelet", "own/0"), ("Wavelet", "own/1")]);
    let shapes: Vec<_> = graph.operations.iter().map(|of| &graph.value(of.result).shape).collect();
    assert_eq!(shapes, [&[2, 5][..], &[4], &[4]]);
}

#[test]
fn a_branch_reads_what_its_graphs_take_from_outside() {
    let graph = read("branches").unwrap();
    let [before, choice] = &graph.operations[..] else { panic!("{:?}", operations(&graph)) };
    assert_eq!((choice.kind.as_str(), choice.reads()[1]), ("If", before.result));
}

#[test]
fn calls_of_functions_are_replaced_by_their_nodes() {
    let graph = read("function").unwrap();
    assert_eq!(kinds(&graph), ["LeakyRelu", "Mul", "LeakyRelu", "Mul"]);
    let input = Data::new(vec![-1.0, 2.0, 0.0, 1.0, -2.0, 4.0]);
    let known = run(&graph, &[input]).unwrap();
    let result = known[graph.outputs[0].0].as_ref().unwrap();
    assert_eq!(result.numbers(), [0.0625, 16.0, 0.0, 1.0, 1.0, 256.0]);
}

fn kinds(graph: &Graph) -> Vec<&str> {
    graph.operations.iter().map(|of| of.kind.as_str()).collect()
}

#[test]
fn a_branch_in_a_function_reads_what_the_function_computes() {
    let graph = read("branch in a function").unwrap();
    let [relu, choice] = &graph.operations[..] else { panic!("{:?}", operations(&graph)) };
    let of_choice = choice.reads();
    assert_eq!(kinds(&graph), ["Relu", "If"]);
    assert_eq!((of_choice[0], of_choice[1]), (graph.inputs[1], relu.result));
}

#[test]
fn functions_of_one_name_are_told_apart_by_their_overload() {
    assert_eq!(kinds(&read("overload").unwrap()), ["Neg"]);
}

/// 100 + 100 is -56 in 8 bits: no constant of 200 stands for it.
#[test]
fn integers_that_wrap_are_not_folded() {
    assert!(kinds(&read("wraps").unwrap()).contains(&"Cast"));
}

/// As in NumPy; onnxruntime passes over it.
#[test]
fn nan_is_the_greatest() {
    let graph = read("argmax").unwrap();
    let input = Data::new(vec![1.0, f64::NAN, 3.0, 2.0, 3.0, 3.0]);
    let known = run(&graph, &[input]).unwrap();
    let result = known[graph.outputs[0].0].as_ref().unwrap();
    assert_eq!(result.numbers(), [1.0, 1.0]);
}

/// A folder for a test with a model in it.
fn folder(test: &str, name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("m.onnx"), model(name)).unwrap();
    folder
}

fn elements(graph: &Graph, name: &str) -> Option<Data> {
    let value = graph.values.iter().find(|of| of.name == name).unwrap();
    match &value.origin {
        Origin::Constant(data) => data.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn elements_in_another_file_are_read_if_it_is_there() {
    let folder = folder("onnx_elsewhere", "elsewhere");
    let path = folder.join("m.onnx");
    let _ = std::fs::remove_file(folder.join("w.bin"));
    let graph = read_file(&path, &ReadOptions::default()).unwrap();
    assert_eq!(elements(&graph, "w"), None);
    let numbers = [9.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    let bytes: Vec<u8> = numbers.iter().flat_map(|of| of.to_le_bytes()).collect();
    std::fs::write(folder.join("w.bin"), &bytes).unwrap();
    let graph = read_file(&path, &ReadOptions::default()).unwrap();
    assert_eq!(elements(&graph, "w").unwrap().numbers(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    std::fs::write(folder.join("w.bin"), &bytes[..12]).unwrap();
    let error = read_file(&path, &ReadOptions::default()).unwrap_err().to_string();
    assert_eq!(
        error,
        "constant `w`: 8 bytes where 6 elements of f32 have 24; export the model again"
    );
}

#[test]
fn elements_are_read_from_the_field_of_their_type() {
    let graph = read("fields").unwrap();
    assert_eq!(graph.outputs.len(), 12);
    for id in &graph.outputs {
        let name = &graph.value(*id).name;
        assert_eq!(elements(&graph, name).unwrap().numbers(), [1.0, 0.0], "{name}");
    }
}

#[test]
fn elements_outside_of_the_folder_are_not_read() {
    let path = folder("onnx_outside", "outside").join("m.onnx");
    let error = read_file(&path, &ReadOptions::default()).unwrap_err().to_string();
    assert_eq!(
        error,
        "constant `w` has its elements in `../w.bin`, which cannot be read: name a file in the folder of the model"
    );
    assert!(matches!(
        read_file(Path::new("no such file"), &ReadOptions::default()),
        Err(error) if error.fact("path").is_some()
    ));
}

#[test]
fn a_constant_of_128_gigabytes_is_planned_without_its_elements() {
    let graph = read("huge").unwrap();
    assert_eq!(graph.value(graph.outputs[0]).shape, [2, 1 << 15]);
    assert_eq!(elements(&graph, "w"), None);
}

#[test]
fn a_model_with_changed_bytes_is_a_graph_or_an_error() {
    let rounds = std::env::var("MUTATIONS").map_or(3, |of| of.parse::<u64>().unwrap());
    let mut state = 1_u64;
    let mut random = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    for case in cases() {
        let whole = bytes(case["model"].as_str().unwrap());
        for _ in 0..rounds {
            let mut model = whole.clone();
            for _ in 0..1 + random() % 3 {
                let at = usize::try_from(random()).unwrap() % model.len();
                model[at] = [0, 1, 2, 0x7f, 0xff, model[at] ^ 1, model[at] ^ 0x80]
                    [usize::try_from(random() % 7).unwrap()];
            }
            let read = std::panic::catch_unwind(|| {
                read_model(&model, &ReadOptions::default()).map(|_| ())
            });
            assert!(read.is_ok(), "{} {model:?}", case["name"]);
        }
    }
}

#[test]
fn an_extent_for_a_name_that_no_axis_has_is_refused() {
    let named = |name: &str| ReadOptions { dims: vec![(name.into(), 8)], data: false };
    let refused =
        |model_name| read_model(&model(model_name), &named("bacth")).unwrap_err().to_string();
    let symbolic = "no axis of the model is called `bacth`; those without an extent are: batch";
    assert_eq!(refused("symbolic"), symbolic);
    let fixed = "no axis of the model is called `bacth`; those without an extent are: none";
    assert_eq!(refused("unordered"), fixed);
}
