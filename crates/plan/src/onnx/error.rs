//! Models that do not become graphs.

use crate::graph::DataError;

/// A model that does not become a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OnnxError {
    /// A file that cannot be read.
    #[error("`{path}` cannot be read: {message}")]
    File {
        /// The file.
        path: String,
        /// The message of the system.
        message: String,
    },
    /// Bytes that are not a whole message.
    #[error("not an ONNX model, or a part of one is missing ({0}): export or copy it again")]
    Decode(String),
    /// A message without a graph, or without its operator set.
    #[error(
        "the model has no {0}: it is not an ONNX model, or its end is missing; export or copy it again"
    )]
    Incomplete(&'static str),
    /// Nodes that need their own results.
    #[error("node `{0}` needs its own result: remove the cycle")]
    Cycle(String),
    /// A name that nothing gives.
    #[error(
        "node `{node}` reads `{value}`, which is no input, no initializer and no result: correct the name"
    )]
    Missing {
        /// The node.
        node: String,
        /// The value.
        value: String,
    },
    /// An output that nothing gives.
    #[error("output `{0}` is no input, no initializer and no result of a node: correct the name")]
    Output(String),
    /// Two values of one name.
    #[error("two values have the name `{0}`: rename one of them")]
    Twice(String),
    /// A symbolic extent without a number.
    #[error("input `{value}` has an axis of extent `{dim}`: give its extent in `dims`")]
    Symbolic {
        /// The input.
        value: String,
        /// The name of the extent.
        dim: String,
    },
    /// An input without an extent.
    #[error(
        "input `{value}` has no extent for axis {axis}: export the model with an extent or a name there"
    )]
    Unnamed {
        /// The input.
        value: String,
        /// The number of the axis.
        axis: usize,
    },
    /// A value without a shape.
    #[error(
        "`{value}`, a result of node `{node}` ({kind}), has no shape: run onnx.shape_inference on the model first"
    )]
    NoShape {
        /// The value.
        value: String,
        /// Its node.
        node: String,
        /// The operator.
        kind: String,
    },
    /// An input that is no tensor with a shape.
    #[error("input `{0}` is no tensor with a shape: export the model with shapes of its inputs")]
    InputShape(String),
    /// Extents that are no shape.
    #[error("`{0}` has a negative extent or too many elements: correct its shape")]
    Extents(String),
    /// Elements of a type that has no graph form.
    #[error(
        "`{value}` has elements of type {code}, which cannot be planned: use floats, integers or bool"
    )]
    ElementType {
        /// The value.
        value: String,
        /// The type, by its number and name in ONNX.
        code: String,
    },
    /// Bytes that are not the elements of a constant.
    #[error("constant `{value}`: {error}; export the model again")]
    Data {
        /// The constant.
        value: String,
        /// The problem.
        error: DataError,
    },
    /// A file with elements that is not read.
    #[error("constant `{value}` has its elements in `{location}`, which cannot be read: {message}")]
    External {
        /// The constant.
        value: String,
        /// The file, relative to the model.
        location: String,
        /// The problem.
        message: String,
    },
}
