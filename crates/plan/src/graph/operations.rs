//! The operations of a graph, and the graph.

use super::dtype::Dtype;
use super::nest::Nest;
use super::value::{Origin, Value, ValueId, View};

/// An operation with one result.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The name of its node, with the part of it where a node becomes several operations: `Softmax_3/sum`.
    pub name: String,
    /// The operator of the node.
    pub kind: String,
    /// The value that it makes.
    pub result: ValueId,
    /// The result as the model has it, where that is a view of what it makes: a grouped convolution makes an axis of groups.
    pub seen: Option<ValueId>,
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

    /// The values that are given: inputs and constants.
    pub fn given(&self) -> impl Iterator<Item = (ValueId, &Value)> {
        let all = self.values.iter().enumerate().map(|(at, value)| (ValueId(at), value));
        all.filter(|(_, value)| value.is_given())
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
        self.operations.push(Operation { name, kind: kind.to_owned(), result, seen: None, body });
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

    /// The result of an operation as the model has it, and the views to it from what the operation makes, in order.
    #[must_use]
    pub fn seen(&self, operation: &Operation) -> (&Value, Vec<&View>) {
        match operation.seen {
            Some(seen) => (self.value(seen), self.root(seen).1),
            None => (self.value(operation.result), Vec::new()),
        }
    }

    /// The operators that no rule covers, each with the names of its nodes.
    #[must_use]
    pub fn uncovered(&self) -> Vec<(&str, &str)> {
        let opaque = self.operations.iter().filter(|of| matches!(of.body, Body::Opaque(_)));
        opaque.map(|of| (of.kind.as_str(), of.name.as_str())).collect()
    }
}
