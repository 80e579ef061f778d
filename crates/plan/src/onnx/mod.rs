//! ONNX models as graphs of loop nests.
//!
//! ```text
//! messages  the parts of the file format that are needed
//! tensor    elements in a message or in a file next to the model
//! order     nodes after those whose results they read
//! context   a node, and the graph that its rule adds to
//! rules     one rule per operator: matmul, pointwise, rows, window, view, lookup, join, resize, attention
//! read      a model as a graph
//! ```

mod context;
mod expression;
mod inline;
mod messages;
mod order;
mod read;
mod rules;
mod tensor;

pub use read::{ReadOptions, read_file, read_model};
