//! The model of a plan.

use std::io::Read;
use std::path::Path;

use tensor_layout::LayoutError;
use tensor_layout_plan::graph::Graph;
use tensor_layout_plan::onnx::{ReadOptions, read_file, read_model};

use crate::failure::Failure;
use crate::input::stdin;

/// The longest model that is read from standard input: a message of the format has at most 2 GiB.
const MOST_BYTES: u64 = 1 << 31;

/// Reads a model, in a file or from standard input.
pub(super) fn read(model: &str, options: &ReadOptions) -> Result<Graph, Failure> {
    let graph = match model {
        "-" => read_model(&from_stdin()?, options),
        file => read_file(Path::new(file), options),
    };
    let mut graph = graph.map_err(|error| unread(model, &error))?;
    graph.inline_constants();
    Ok(graph)
}

fn from_stdin() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = stdin()?.take(MOST_BYTES).read_to_end(&mut bytes);
    read.map_err(|error| Failure::Io("standard input".into(), error))?;
    Ok(bytes)
}

/// The failure to read a model, with its remedy.
fn unread(file: &str, error: &LayoutError) -> Failure {
    let advised = |why: String, help: &str| Failure::Advised(why, help.into());
    let [path, why, dim, kind] = ["path", "error", "dim", "kind"].map(|name| error.fact(name));
    let [value, node] = ["value", "node"].map(|name| error.fact(name).map(ToString::to_string));
    let (value, node) = (value.unwrap_or_default(), node.unwrap_or_default());
    match (path, why, dim, kind) {
        (Some(_), ..) => Failure::Argument(error.to_string()),
        (_, Some(_), ..) if Path::new(file).extension().is_some_and(|end| end == "mlir") => {
            advised(format!("{file}: not an ONNX model"), "for StableHLO, add a mesh: --mesh x=8")
        }
        (_, Some(why), ..) => advised(
            format!("{file}: not an ONNX model, or a part of one is missing: {why}"),
            "export it again: torch.onnx.export(model, args, dynamo=True).save(\"model.onnx\")",
        ),
        (_, _, Some(dim), _) => advised(
            format!("{file}: input `{value}` has an axis of extent `{dim}`"),
            &format!("give the extent, as in --dim {dim}=8"),
        ),
        (.., Some(kind)) => advised(
            format!("{file}: `{value}`, a result of node `{node}` ({kind}), has no shape"),
            "let onnx.shape_inference.infer_shapes add the shapes to the model",
        ),
        _ => Failure::Argument(format!("{file}: {error}")),
    }
}
