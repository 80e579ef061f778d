//! Layouts of a whole program: a plan for every tensor of a computation graph, on MN-Core or on a mesh of devices, and a
//! check of the layouts that people pin.
//!
//! ```text
//! onnx      a model as a graph, by one rule per family of operators
//! graph     values, and operations that are loop nests; the slow definition of what they compute
//! choices   ways to carry out an operation: candidates of its loops, with operands, result and own price
//! search    the least sum of costs of choices, alone and by twos
//! plan      all of it: variables, switches between them, their movements, and the report
//! pins      layouts that a plan has to have
//! execute   a plan in units that have nothing but their memories
//! spec      layout_spec and gemm_layout_spec files, checked
//! program   operations on whole tensors, with the loops that axes of operands and results share
//! stablehlo such a program from the text of JAX and XLA
//! mesh      its shardings: other choices and prices, the same search
//! ```
//!
//! # Example
//! ```
//! use tensor_layout::Machine;
//! use tensor_layout_plan::graph::{Body, Dtype, Fold, Graph, Nest, Origin, Read, Scalar, Value};
//! use tensor_layout_plan::plan::{PlanOptions, plan};
//! let mut graph = Graph::default();
//! let given = |graph: &mut Graph, name: &str, shape: [u64; 2]| {
//!     let origin = Origin::Input;
//!     graph.add(Value { name: name.into(), shape: shape.into(), dtype: Dtype::F16, origin })
//! };
//! let (x, w) = (given(&mut graph, "x", [256, 512]), given(&mut graph, "w", [512, 256]));
//! graph.inputs = vec![x, w];
//! let reads = vec![Read::of(x, [0, 2]), Read::of(w, [2, 1])];
//! let loops = vec![256, 256, 512];
//! let product = Nest { loops, rank: 2, reads, body: Scalar::product(2), fold: Fold::Sum };
//! let made = (vec![256, 256], Dtype::F16);
//! let y = graph.operation(("y".into(), "MatMul"), made, Body::Nest(product));
//! graph.outputs = vec![y];
//! let plan = plan(&graph, &Machine::mn_core_2(), &PlanOptions::default())?;
//! assert_eq!(plan.totals().plan, plan.totals().bound);
//! println!("{}", plan.report());
//! # Ok::<(), tensor_layout::LayoutError>(())
//! ```

pub mod choices;
pub mod execute;
pub mod graph;
pub mod mesh;
pub mod onnx;
pub mod pins;
pub mod plan;
pub mod program;
pub mod search;
mod spec;
pub mod stablehlo;

pub use spec::*;
