//! A computation: values, and operations that are loop nests.
//!
//! ```text
//! values      x [1, 64, 56, 56]    weight [64, 64, 3, 3]    y [1, 64, 56, 56]    flat = y seen as [1, 200704]
//! operation   y[n, f, i, j] = sum over c, r, s of x[n, c, i + r - 1, j + s - 1] * weight[f, c, r, s]
//! ```
//!
//! Every family of operators has this one form: the axes of the result and those that are folded, an index map for
//! each operand, and an expression. So products, elementwise operations, reductions, windows, lookups, joins and
//! resizes share everything that comes after. What only renames indexes is a [`View`] of another value.

mod data;
mod dtype;
mod nest;
mod run;
mod scalar;
mod simplify;

pub(crate) use data::number;
pub use data::{Data, DataError};
pub use dtype::Dtype;
pub use nest::{Fold, Index, Nest, Read};
pub use run::{RunError, run};
pub(crate) use run::{check, each, evaluate, flat, index};
pub use scalar::{Binary, Scalar, Unary};

/// The number of a value in its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub usize);

/// A tensor of a computation.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its name.
    pub name: String,
    /// Its extents.
    pub shape: Vec<u64>,
    /// The type of its elements.
    pub dtype: Dtype,
    /// The origin of its elements.
    pub origin: Origin,
}

/// The origin of the elements of a value.
#[derive(Clone, Debug)]
pub enum Origin {
    /// Given at each run.
    Input,
    /// Given with the graph; `None` where its elements were not read.
    Constant(Option<Data>),
    /// The result of an operation, by its number.
    Operation(usize),
    /// Another value under other indexes.
    View(ValueId, View),
}

/// Another index for the elements of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// Elements in row-major order under another shape.
    Reshape(Vec<u64>),
    /// Axes in another order: axis `i` is axis `order[i]` of the value.
    Transpose(Vec<usize>),
}

/// An operation with one result.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The name of its node, with the part of it where a node becomes several operations: `Softmax_3/sum`.
    pub name: String,
    /// The operator of the node.
    pub kind: String,
    /// The value that it makes.
    pub result: ValueId,
    /// The computation.
    pub body: Body,
}

/// The computation of an operation.
#[derive(Clone, Debug)]
pub enum Body {
    /// A loop nest.
    Nest(Nest),
    /// Not known: it reads these values as they are.
    Opaque(Vec<ValueId>),
}

impl Operation {
    /// The values that it reads, in order.
    #[must_use]
    pub fn reads(&self) -> Vec<ValueId> {
        match &self.body {
            Body::Nest(nest) => nest.reads.iter().map(|read| read.value).collect(),
            Body::Opaque(reads) => reads.clone(),
        }
    }
}

/// A computation without loops: operations in an order in which each follows those whose results it reads.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Its name.
    pub name: String,
    /// All values.
    pub values: Vec<Value>,
    /// All operations.
    pub operations: Vec<Operation>,
    /// The values that are given at each run.
    pub inputs: Vec<ValueId>,
    /// The values that it is for.
    pub outputs: Vec<ValueId>,
}

impl Graph {
    /// A value by its number.
    #[must_use]
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.0]
    }

    /// Adds a value.
    pub fn add(&mut self, value: Value) -> ValueId {
        self.values.push(value);
        ValueId(self.values.len() - 1)
    }

    /// Adds an operation and its result, which is called like the operation until it is renamed.
    pub fn operation(
        &mut self,
        (name, kind): (String, &str),
        (shape, dtype): (Vec<u64>, Dtype),
        body: Body,
    ) -> ValueId {
        let origin = Origin::Operation(self.operations.len());
        let result = self.add(Value { name: name.clone(), shape, dtype, origin });
        self.operations.push(Operation { name, kind: kind.to_owned(), result, body });
        result
    }

    /// The value whose elements a value has, and the views from it to the value, in order.
    #[must_use]
    pub fn root(&self, id: ValueId) -> (ValueId, Vec<&View>) {
        let (mut at, mut views) = (id, Vec::new());
        while let Origin::View(of, view) = &self.value(at).origin {
            views.push(view);
            at = *of;
        }
        views.reverse();
        (at, views)
    }

    /// The operators that no rule covers, each with the names of its nodes.
    #[must_use]
    pub fn uncovered(&self) -> Vec<(&str, &str)> {
        let opaque = self.operations.iter().filter(|of| matches!(of.body, Body::Opaque(_)));
        opaque.map(|of| (of.kind.as_str(), of.name.as_str())).collect()
    }
}
