//! Layouts of a whole program: a plan for every tensor of a computation graph, and a check of the layouts that people
//! pin.
//!
//! ```text
//! spec      layout_spec and gemm_layout_spec files, checked
//! graph     values, and operations that are loop nests
//! onnx      a model as a graph, by one rule per family of operators
//! search    the least sum of costs of choices, alone and by twos
//! ```

pub mod choices;
pub mod execute;
pub mod graph;
pub mod onnx;
pub mod plan;
pub mod search;
mod spec;

pub use spec::*;
