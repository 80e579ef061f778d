//! ONNX models: the definition of their graphs against onnxruntime's answers, and models that are no graphs.

use serde_json::Value as Json;
use tensor_layout_plan::graph::{Data, Graph, Origin, ValueId, run};
use tensor_layout_plan::onnx::{OnnxError, ReadOptions, read_file, read_model};

fn data(name: &str) -> String {
    let path = format!("{}/tests/data/onnx/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

fn bytes(hex: &str) -> Vec<u8> {
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

fn tensors(of: &Json) -> Vec<(String, Vec<u64>, Vec<f64>)> {
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

/// What is wrong with the graph of a case.
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

fn cases() -> Vec<Json> {
    data("cases.json").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn graphs_compute_what_onnxruntime_computes() {
    let faults: Vec<String> = cases()
        .iter()
        .filter_map(|case| fault(case).map(|fault| format!("{}: {fault}", case["name"])))
        .collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// The graph of a case by its name.
fn graph(name: &str) -> Graph {
    let case = cases().into_iter().find(|case| case["name"] == name).unwrap();
    read_model(&bytes(case["model"].as_str().unwrap()), &ReadOptions::default()).unwrap()
}

fn operations(graph: &Graph) -> Vec<&str> {
    graph.operations.iter().map(|of| of.name.as_str()).collect()
}
