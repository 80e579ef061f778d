//! The program of a graph of ONNX.

use std::collections::HashMap;

use itertools::Itertools;

use super::moves::{reshape, transpose};
use super::{Axes, Dims, Fold, Operation, Program, Rule, Step, Tensor, TensorId};
use crate::graph::{self, Body, Dtype, Graph, Nest, Origin, Read, ValueId, View};

impl Program {
    /// Converts a graph to a program: given values become arguments, inputs before constants, and views become operations.
    ///
    /// A loop of a nest is that of an operand's axis where the axis is read by this loop alone.
    /// Constants of one element, and constants that nothing reads, do not become arguments.
    ///
    /// # Example
    /// ```
    /// use tensor_layout_plan::graph::{Body, Dtype, Fold, Graph, Nest, Origin, Read, Scalar, Value};
    /// use tensor_layout_plan::program::Program;
    /// let mut graph = Graph::default();
    /// let (name, shape, origin) = ("x".into(), vec![8, 4], Origin::Input);
    /// let x = graph.add(Value { name, shape, dtype: Dtype::F32, origin });
    /// graph.inputs = vec![x];
    /// let reads = vec![Read::of(x, [0, 1])];
    /// let sum = Nest { loops: vec![8, 4], rank: 1, reads, body: Scalar::Read(0), fold: Fold::Sum };
    /// let sums = graph.operation(("y".into(), "ReduceSum"), (vec![8], Dtype::F32), Body::Nest(sum));
    /// graph.outputs = vec![sums];
    /// let program = Program::of_graph(&graph);
    /// assert_eq!(program.operations[0].rule.reads, [[Some(0), Some(1)]]);
    /// assert_eq!(program.operations[0].rule.results, [[Some(0)]]);
    /// ```
    #[must_use]
    pub fn of_graph(graph: &Graph) -> Program {
        let program = Program { name: graph.name.clone(), ..Program::default() };
        let mut maker = Maker { graph, program, ids: HashMap::new() };
        maker.given();
        for operation in &graph.operations {
            match &operation.body {
                Body::Nest(nest) => maker.nest(&operation.kind, nest, operation.result),
                Body::Opaque(reads) => maker.opaque(&operation.kind, reads, operation.result),
            }
        }
        for id in &graph.outputs {
            let result = maker.tensor(*id);
            maker.program.results.push(result);
            maker.program.names.push(Some(graph.value(*id).name.clone()));
        }
        maker.program
    }
}

struct Maker<'g> {
    graph: &'g Graph,
    program: Program,
    ids: HashMap<ValueId, TensorId>,
}

impl Maker<'_> {
    fn given(&mut self) {
        let reads = self.graph.operations.iter().flat_map(graph::Operation::reads);
        let reads = reads.chain(self.graph.outputs.iter().copied());
        let read = reads.map(|id| self.graph.root(id).0).unique().collect_vec();
        let constants = self
            .graph
            .given()
            .filter(|(id, value)| matches!(value.origin, Origin::Constant(_)) && read.contains(id));
        let constants = constants.map(|(id, _)| id).sorted().collect_vec();
        for id in self.graph.inputs.iter().copied().chain(constants) {
            let is_free = !self.graph.inputs.contains(&id) && self.dims(id).elements() == 1;
            let tensor = self.add(id, is_free);
            if !is_free {
                self.program.arguments.push(tensor);
            }
        }
    }

    fn dims(&self, id: ValueId) -> Dims {
        let value = self.graph.value(id);
        let dtype = match value.dtype {
            Dtype::Bool => "i1".to_owned(),
            Dtype::Uint(bits) => format!("ui{bits}"),
            other => other.to_string(),
        };
        Dims { shape: value.shape.clone(), dtype }
    }

    fn add(&mut self, id: ValueId, is_free: bool) -> TensorId {
        let (name, dims) = (self.graph.value(id).name.clone(), self.dims(id));
        let tensor = self.program.add(Tensor { name, dims, is: None, is_free });
        self.ids.insert(id, tensor);
        tensor
    }

    /// The tensor of a value; that of a view is moved at its first reader.
    fn tensor(&mut self, id: ValueId) -> TensorId {
        if let Some(tensor) = self.ids.get(&id) {
            return *tensor;
        }
        let Origin::View(of, view) = &self.graph.value(id).origin else {
            // A graph computes before it reads.
            return self.add(id, false);
        };
        let read = self.tensor(*of);
        let (from, to) = (self.dims(*of), self.dims(id));
        let (kind, rule) = match view {
            View::Reshape(_) => ("Reshape", Some(reshape(&from, &to))),
            View::Transpose(order) => ("Transpose", transpose(&from, order)),
        };
        let rule = rule.unwrap_or_else(|| Rule::whole(&[&from], &[&to]));
        let rule = Rule { work: to.elements(), ..rule };
        self.operation(kind, vec![read], rule, id);
        self.ids[&id]
    }

    fn nest(&mut self, kind: &str, nest: &Nest, result: ValueId) {
        let reads = nest.reads.iter().map(|read| self.tensor(read.value)).collect_vec();
        let folded = |at: usize| if at < nest.rank { Fold::Kept } else { Fold::Reduced };
        let steps = nest.loops.iter().fold(1_u64, |all, extent| all.saturating_mul(*extent));
        let functions = nest.body.functions() + u64::from(nest.loops.len() > nest.rank);
        let rule = Rule {
            loops: nest
                .loops
                .iter()
                .enumerate()
                .map(|(at, extent)| (*extent, folded(at)))
                .collect(),
            reads: nest.reads.iter().map(|read| self.axes(nest, read)).collect(),
            results: vec![(0..nest.rank).map(Some).collect()],
            work: steps.saturating_mul(functions.max(1)),
        };
        self.operation(kind, reads, rule, result);
    }

    /// The loops of the axes of an operand.
    fn axes(&self, nest: &Nest, read: &Read) -> Axes {
        let shape = &self.graph.value(read.value).shape;
        let loops =
            read.index.iter().zip(shape).map(|(index, extent)| {
                index.as_loop().filter(|number| nest.loops[*number] == *extent)
            });
        let loops: Axes = loops.collect();
        // A diagonal is in no part.
        let is_twice = |of: &Option<usize>| loops.iter().filter(|other| *other == of).count() > 1;
        loops.iter().map(|of| of.filter(|_| !is_twice(of))).collect()
    }

    fn opaque(&mut self, kind: &str, reads: &[ValueId], result: ValueId) {
        let dims = reads.iter().map(|id| self.dims(*id)).collect_vec();
        let reads = reads.iter().map(|id| self.tensor(*id)).collect_vec();
        let rule = Rule::whole(&dims.iter().collect_vec(), &[&self.dims(result)]);
        self.program.uncovered.push((kind.to_owned(), self.program.operations.len()));
        self.operation(kind, reads, rule, result);
    }

    fn operation(&mut self, kind: &str, reads: Vec<TensorId>, rule: Rule, result: ValueId) {
        let is_free = reads.iter().all(|id| self.program.tensor(*id).is_free);
        let results = vec![self.add(result, is_free)];
        let (kind, text) = (kind.to_owned(), String::new());
        self.program.body.push(Step::Operation(self.program.operations.len()));
        self.program.operations.push(Operation { kind, reads, results, rule, times: 1, text });
    }
}
