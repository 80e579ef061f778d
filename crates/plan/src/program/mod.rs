//! A program as operations on whole tensors, each with the loops that its axes share: what a mesh plans.
//!
//! ```text
//! rule        dot_general [8, 4] x [4, 2]: loops 8, 2 | 4; operands (0, 2), (2, 1)
//! moves       rules of operations that move elements: transposed and reshaped tensors
//! of_graph    the program of a graph of ONNX; that of StableHLO is read by `stablehlo`
//! ```
//!
//! A rule says which axes of operands and results are one loop, so that devices may share its work; an axis without a
//! loop has to be whole on every device.

mod dims;
pub(crate) mod moves;
mod of_graph;
mod rule;

use tensor_layout::sharding::MeshDims;

pub use dims::Dims;
pub use rule::{Axes, Fold, Rule};

/// The number of a tensor in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorId(pub usize);

/// A tensor of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Its name in the text: of an argument or a result, with the function that was called.
    pub name: String,
    /// Its extents and type.
    pub dims: Dims,
    /// The tensor that it is, if it is another name for it: the result of a loop is what its body carries, and what is
    /// annotated is what it was before.
    pub is: Option<TensorId>,
    /// Set if its elements depend on no argument, so that every device makes the part that it wants.
    pub is_free: bool,
}

/// An operation on tensors.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// The name of the operation, such as `stablehlo.dot_general`.
    pub kind: String,
    /// The operands, in the order of the text.
    pub reads: Vec<TensorId>,
    /// The results.
    pub results: Vec<TensorId>,
    /// The axes that are one loop.
    pub rule: Rule,
    /// The number of times that it runs.
    pub times: u64,
    /// The text, with `%` and a number in brackets in place of tensors that are known here; empty if it has none.
    pub(crate) text: String,
}

/// A loop with a number of trips that is known, or taken to be 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// The tensors before the first trip.
    pub starts: Vec<TensorId>,
    /// The tensors that a trip is given.
    pub carried: Vec<TensorId>,
    /// The tensors that a trip gives to the next.
    pub yields: Vec<TensorId>,
    /// The tensors after the last trip.
    pub results: Vec<TensorId>,
    /// The body.
    pub body: Vec<Step>,
    /// The number of times that it begins.
    pub begins: u64,
    /// The number of all its trips.
    pub times: u64,
    /// False if the number of its trips is not known.
    pub is_counted: bool,
    /// The condition.
    pub(crate) condition: String,
}

/// A step of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// An operation, by its number.
    Operation(usize),
    /// A loop, by its number.
    Loop(usize),
}

/// The steps of a program.
pub type Body = Vec<Step>;

/// A program on whole tensors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The name of the module.
    pub name: String,
    /// All tensors.
    pub tensors: Vec<Tensor>,
    /// All operations, in the order in which they run.
    pub operations: Vec<Operation>,
    /// All loops.
    pub loops: Vec<Loop>,
    /// The steps of `@main`.
    pub body: Body,
    /// The arguments of `@main`.
    pub arguments: Vec<TensorId>,
    /// The results of `@main`.
    pub results: Vec<TensorId>,
    /// Arguments whose memory a result takes over, with the number of the result.
    pub donated: Vec<(TensorId, usize)>,
    /// The shardings that the text gives arguments, results and tensors inside, each of which is a tensor of its own.
    pub annotated: Vec<(TensorId, MeshDims)>,
    /// The number of shardings that are written for the partitioner before Shardy: they are not read.
    pub unread: usize,
    /// The names of the results, where the text has them.
    pub names: Vec<Option<String>>,
    /// The operations without a rule, with their numbers: their operands and results are whole on every device.
    pub uncovered: Vec<(String, usize)>,
}

impl Program {
    /// Adds a tensor.
    pub(crate) fn add(&mut self, tensor: Tensor) -> TensorId {
        self.tensors.push(tensor);
        TensorId(self.tensors.len() - 1)
    }

    /// A tensor.
    #[must_use]
    pub fn tensor(&self, id: TensorId) -> &Tensor {
        &self.tensors[id.0]
    }

    /// The tensor that another one is a name for, or itself.
    #[must_use]
    pub fn root(&self, id: TensorId) -> TensorId {
        self.tensor(id).is.map_or(id, |of| self.root(of))
    }
}
