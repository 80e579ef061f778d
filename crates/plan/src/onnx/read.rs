//! A model as a graph.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use itertools::Itertools;
use prost::Message;
use prost::bytes::{Buf, Bytes};
use tensor_layout::LayoutError;
use tensor_layout::error::fault;
use tensor_layout_words::cut;

use super::context::{Build, Node};
use super::inline::inlined;
use super::messages::{Dimension, GraphMessage, Model, NodeMessage, TensorType, ValueInfo};
use super::order::{captures, name, order, twice};
use super::rules;
use super::tensor::{self, Content, FEW, elements, no_shape};
use crate::graph::{Body, Data, Dtype, Graph, Origin, Value, ValueId, run};

/// The elements that the operations of a folded node may visit.
const WORK: u64 = 1 << 22;

/// Choices for reading a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The numbers of symbolic extents.
    pub dims: Vec<(String, u64)>,
    /// True to read the elements of all constants; otherwise those of at most 4096 are read.
    pub data: bool,
}

/// Reads a model. Elements in other files are not read.
///
/// # Errors
/// [`LayoutError`]: bytes that are not a model, and models whose shapes are not known.
///
/// # Example
/// ```
/// use tensor_layout_plan::onnx::{ReadOptions, read_model};
/// let error = read_model(b"layers:", &ReadOptions::default()).unwrap_err();
/// assert!(error.to_string().starts_with("not an ONNX model"));
/// ```
pub fn read_model(bytes: &[u8], options: &ReadOptions) -> Result<Graph, LayoutError> {
    decoded(bytes, options, None)
}

/// Reads a model and the elements that are in files of its folder; constants whose files are missing have no elements.
///
/// # Errors
/// [`LayoutError`], also for files that cannot be read.
pub fn read_file(path: &Path, options: &ReadOptions) -> Result<Graph, LayoutError> {
    let failed = |error: std::io::Error| {
        fault!(
            Missing,
            "`{path}` cannot be read: {message}",
            [path = path.display().to_string(), message = error.to_string()]
        )
    };
    let bytes = Bytes::from(std::fs::read(path).map_err(failed)?);
    decoded(bytes, options, Some(path.parent().unwrap_or(Path::new("."))))
}

fn decoded(
    bytes: impl Buf,
    options: &ReadOptions,
    folder: Option<&Path>,
) -> Result<Graph, LayoutError> {
    let model = Model::decode(bytes).map_err(|error| {
        fault!(
            Invalid,
            "not an ONNX model, or a part of one is missing ({error}): export or \
             copy it again",
            [error = error.to_string()]
        )
    })?;
    let message = model.graph.ok_or_else(|| lacks("graph"))?;
    let of_onnx = |domain: &str| matches!(domain, "" | "ai.onnx");
    let opset = model.opsets.iter().find(|of| of_onnx(&of.domain)).or(model.opsets.first());
    let opset = opset.ok_or_else(|| lacks("operator set"))?.version;
    let mut reader = Reader {
        options,
        opset,
        infos: message.outputs.iter().chain(&message.values).map(info).collect(),
        names: HashMap::new(),
        build: Build { reads_all: options.data, ..Build::default() },
    };
    check_dims(options, &message)?;
    reader.build.graph.name.clone_from(&message.name);
    reader.constants(&message, folder)?;
    reader.inputs(&message)?;
    let nodes = inlined(message.nodes.clone(), &model.functions);
    for number in order(&nodes)? {
        reader.node(&nodes[number])?;
    }
    reader.outputs(&message)?;
    Ok(reader.build.graph)
}

/// Rejects the extent of a name that no axis of the model has.
fn check_dims(options: &ReadOptions, message: &GraphMessage) -> Result<(), LayoutError> {
    let values = message.inputs.iter().chain(&message.outputs).chain(&message.values);
    let shapes = values.filter_map(|of| info(of).1.shape);
    let names = shapes.flat_map(|shape| shape.dims).filter_map(|dim| dim.name);
    let known: BTreeSet<String> = names.filter(|name| !name.is_empty()).collect();
    match options.dims.iter().find(|(name, _)| !known.contains(name)) {
        None => Ok(()),
        Some((name, _)) => Err(fault!(
            Unknown,
            "no axis of the model is called `{name}`; those without an extent are: {known}",
            [
                name = name.clone(),
                known = cut(
                    &if known.is_empty() { "none".into() } else { known.iter().join(", ") },
                    200
                ),
            ]
        )),
    }
}

fn info(of: &ValueInfo) -> (String, TensorType) {
    let tensor = of.kind.as_ref().and_then(|kind| kind.tensor.clone());
    (of.name.clone(), tensor.unwrap_or_default())
}

struct Reader<'a> {
    options: &'a ReadOptions,
    opset: i64,
    /// The types and shapes that the model has for values.
    infos: HashMap<String, TensorType>,
    names: HashMap<String, ValueId>,
    build: Build,
}

impl Reader<'_> {
    fn called(&mut self, name: &str, id: ValueId) -> Result<(), LayoutError> {
        match self.names.insert(name.to_owned(), id) {
            None => Ok(()),
            Some(_) => Err(twice(name)),
        }
    }

    fn constants(
        &mut self,
        graph: &GraphMessage,
        folder: Option<&Path>,
    ) -> Result<(), LayoutError> {
        for tensor in &graph.initializers {
            let content = tensor::content(tensor, self.options.data, folder)?;
            let id = self.build.content(tensor.name.clone(), content);
            self.called(&tensor.name, id)?;
        }
        for sparse in &graph.sparse {
            let values = sparse.values.clone().unwrap_or_default();
            let extents = || no_shape(&values.name);
            let shape = tensor::shape(&sparse.dims).ok_or_else(extents)?;
            let dtype = tensor::dtype(values.element, &values.name)?;
            let content = Content { shape, dtype, data: None, integers: None };
            let id = self.build.content(values.name.clone(), content);
            self.called(&values.name, id)?;
        }
        Ok(())
    }

    fn inputs(&mut self, graph: &GraphMessage) -> Result<(), LayoutError> {
        let constants = self.names.clone();
        for input in graph.inputs.iter().filter(|of| !constants.contains_key(&of.name)) {
            let name = input.name.clone();
            let (_, tensor) = info(input);
            let dims = tensor
                .shape
                .ok_or_else(|| {
                    fault!(
                        Missing,
                        "input `{input}` is no tensor with a shape: export the model with shapes \
                         of its inputs",
                        [input = name.clone()]
                    )
                })?
                .dims;
            let dtype = tensor::dtype(tensor.element, &name)?;
            let each = dims.iter().enumerate();
            let shape = each
                .map(|(axis, dim)| self.given(&name, axis, dim))
                .collect::<Result<Vec<_>, _>>()?;
            elements(&shape).ok_or_else(|| no_shape(&name))?;
            let value = Value { name: name.clone(), shape, dtype, origin: Origin::Input };
            let id = self.build.graph.add(value);
            self.build.graph.inputs.push(id);
            self.called(&name, id)?;
        }
        Ok(())
    }

    /// The extent of an axis of an input.
    fn given(&self, value: &str, axis: usize, dim: &Dimension) -> Result<u64, LayoutError> {
        let value = value.to_owned();
        match (self.extent(dim), &dim.name) {
            (Some(extent), _) => Ok(extent),
            (None, Some(name)) if !name.is_empty() => Err(fault!(
                Missing,
                "input `{value}` has an axis of extent `{dim}`: give its extent in `dims`",
                [value, dim = name.clone()]
            )),
            _ if dim.extent.is_some() => Err(no_shape(&value)),
            _ => Err(fault!(
                Missing,
                "input `{value}` has no extent for axis {axis}: export the model with an \
                 extent or a name there",
                [value, axis]
            )),
        }
    }

    /// An extent, if it is a number or a name with one.
    fn extent(&self, dim: &Dimension) -> Option<u64> {
        match (dim.extent, &dim.name) {
            (Some(extent), _) => u64::try_from(extent).ok(),
            (None, name) => {
                let name = name.as_ref()?;
                self.options.dims.iter().find(|(of, _)| of == name).map(|(_, extent)| *extent)
            }
        }
    }

    fn outputs(&mut self, graph: &GraphMessage) -> Result<(), LayoutError> {
        for output in &graph.outputs {
            let id = self.names.get(&output.name).copied();
            let id = id.ok_or_else(|| {
                fault!(
                    Unknown,
                    "output `{output}` is no input, no initializer and no result of a node: \
                     correct the name",
                    [output = output.name.clone()]
                )
            })?;
            self.build.graph.outputs.push(id);
        }
        Ok(())
    }

    fn node(&mut self, message: &NodeMessage) -> Result<(), LayoutError> {
        let known = |value: &String| match self.names.get(value) {
            _ if value.is_empty() => Ok(None),
            Some(id) => Ok(Some(*id)),
            None => Err(fault!(
                Unknown,
                "node `{node}` reads `{value}`, which is no input, no initializer and no \
                 result: correct the name",
                [node = name(message).to_owned(), value = value.clone()]
            )),
        };
        let node = Node {
            name: name(message).to_owned(),
            kind: &message.kind,
            opset: self.opset,
            inputs: message.inputs.iter().map(known).collect::<Result<_, _>>()?,
            results: message.outputs.iter().map(|name| !name.is_empty()).collect(),
            attributes: &message.attributes,
        };
        self.build.node = (node.name.clone(), message.kind.clone());
        self.build.views = 0;
        let first = self.build.graph.values.len();
        let results = match self.folded(&message.domain, &node) {
            Some(results) => results,
            None => match self.covered(&message.domain, &node) {
                Some(results) => results,
                None => return self.opaque(message, &node),
            },
        };
        let mut taken = Vec::new();
        for (name, id) in message.outputs.iter().zip(results).filter(|(name, _)| !name.is_empty()) {
            let is_new = id.0 >= first && !taken.contains(&id);
            let own = if is_new { id } else { self.build.same(id) };
            self.result(name, own, first)?;
            taken.push(id);
        }
        Ok(())
    }

    /// Gives a result its name, and what a node makes from its number on where that is seen through a view.
    fn result(&mut self, name: &str, own: ValueId, first: usize) -> Result<(), LayoutError> {
        let graph = &mut self.build.graph;
        name.clone_into(&mut graph.values[own.0].name);
        let made = graph.root(own).0;
        if let Origin::Operation(at) = graph.value(made).origin
            && made != own
            && made.0 >= first
            && graph.operations[at].seen.is_none()
        {
            name.clone_into(&mut graph.values[made.0].name);
            graph.operations[at].seen = Some(own);
        }
        self.called(name, own)
    }

    /// The results by the rule of the operator; what a rule added before it gave up is removed.
    fn covered(&mut self, domain: &str, node: &Node<'_>) -> Option<Vec<ValueId>> {
        let rule = rules::rule(domain, node.kind)?;
        let (values, operations) =
            (self.build.graph.values.len(), self.build.graph.operations.len());
        let results = rule(&mut self.build, node).filter(|results| results.len() >= needed(node));
        if results.is_none() {
            self.build.forget(values, operations);
        }
        results
    }

    /// The results as constants, if all inputs are constants with few elements.
    fn folded(&mut self, domain: &str, node: &Node<'_>) -> Option<Vec<ValueId>> {
        if node.inputs.iter().all(Option::is_none) {
            return None;
        }
        let rule = rules::rule(domain, node.kind)?;
        let mut alone = Build { node: self.build.node.clone(), ..Build::default() };
        let mut inputs = Vec::new();
        for input in &node.inputs {
            inputs.push(match input {
                None => None,
                Some(id) => Some(alone.content(String::new(), self.few(*id)?)),
            });
        }
        let apart =
            Node { inputs, name: node.name.clone(), results: node.results.clone(), ..*node };
        let results = rule(&mut alone, &apart).filter(|results| results.len() >= needed(node))?;
        let known = evaluated(&alone.graph, &results)?;
        let add = |(id, data): (&ValueId, Data)| {
            let (shape, dtype) = (alone.shape(*id).to_vec(), alone.dtype(*id));
            let content = Content { shape, dtype, data: Some(data), integers: alone.integers(*id) };
            self.build.content(node.name.clone(), content)
        };
        Some(results.iter().zip(known).map(add).collect())
    }

    /// A constant with few elements, all known.
    fn few(&self, id: ValueId) -> Option<Content> {
        let (shape, dtype) = (self.build.shape(id).to_vec(), self.build.dtype(id));
        if elements(&shape)? > FEW {
            return None;
        }
        let data = Some(Data::new(self.build.numbers(id)?));
        Some(Content { shape, dtype, data, integers: self.build.integers(id) })
    }

    /// Results that no rule covers, with the shapes that the model says.
    fn opaque(&mut self, message: &NodeMessage, node: &Node<'_>) -> Result<(), LayoutError> {
        let mut reads: Vec<ValueId> = node.inputs.iter().copied().flatten().collect();
        let outer = captures(message);
        reads.extend(outer.iter().filter_map(|name| self.names.get(*name)));
        let outputs: Vec<&String> = message.outputs.iter().filter(|of| !of.is_empty()).collect();
        for (number, output) in outputs.iter().enumerate() {
            let (shape, dtype) = self.said(output)?.ok_or_else(|| {
                fault!(
                    Missing,
                    "`{value}`, a result of node `{node}` ({kind}), has no shape: run \
                     onnx.shape_inference on the model first",
                    [
                        value = (*output).clone(),
                        node = node.name.clone(),
                        kind = node.kind.to_owned()
                    ]
                )
            })?;
            let operation = match outputs.len() {
                1 => node.name.clone(),
                _ => format!("{}/{number}", node.name),
            };
            let body = Body::Opaque(reads.clone());
            let id = self.build.graph.operation((operation, node.kind), (shape, dtype), body);
            (*output).clone_into(&mut self.build.graph.values[id.0].name);
            self.called(output, id)?;
        }
        Ok(())
    }

    /// The shape and the type that the model says a value has.
    fn said(&self, value: &str) -> Result<Option<(Vec<u64>, Dtype)>, LayoutError> {
        let Some(tensor) = self.infos.get(value) else { return Ok(None) };
        let Some(shape) = &tensor.shape else { return Ok(None) };
        let shape = shape.dims.iter().map(|dim| self.extent(dim)).collect::<Option<Vec<_>>>();
        match shape.filter(|shape| elements(shape).is_some()) {
            None => Ok(None),
            Some(shape) => Ok(Some((shape, tensor::dtype(tensor.element, value)?))),
        }
    }
}

/// The number of results up to the last that has a name.
fn needed(node: &Node<'_>) -> usize {
    node.results.iter().rposition(|is_named| *is_named).map_or(0, |last| last + 1)
}

/// The elements of values of a graph of constants, if that is little work.
fn evaluated(graph: &Graph, results: &[ValueId]) -> Option<Vec<Data>> {
    let work = |body: &Body| match body {
        Body::Nest(nest) => elements(&nest.loops),
        Body::Opaque(_) => None,
    };
    let all = graph.operations.iter().map(|of| work(&of.body)).sum::<Option<u64>>()?;
    let few = results.iter().all(|id| elements(&graph.value(*id).shape) <= Some(FEW));
    if all > WORK || !few {
        return None;
    }
    let graph = Graph { outputs: results.to_vec(), ..graph.clone() };
    let known = run(&graph, &[]).ok()?;
    let mut all = graph.values.iter().zip(&known);
    let is_exact = |(value, data): (&Value, &Option<Data>)| {
        data.iter().flat_map(Data::numbers).all(|number| is_exact(value.dtype, *number))
    };
    if !graph.operations.is_empty() && !all.all(is_exact) {
        return None;
    }
    results.iter().map(|id| known[id.0].clone()).collect()
}

/// Returns whether a number of a constant is what the model computes: neither rounded nor beyond its type, where integers
/// wrap. The greatest integer stands for the end of an axis.
fn is_exact(dtype: Dtype, number: f64) -> bool {
    dtype.holds(number) || (dtype == Dtype::Int(64) && (number.abs() - 63_f64.exp2()).abs() == 0.0)
}

fn lacks(part: &'static str) -> LayoutError {
    fault!(
        Invalid,
        "the model has no {part}: it is not an ONNX model, or its end is missing; export or copy \
         it again",
        [part]
    )
}
