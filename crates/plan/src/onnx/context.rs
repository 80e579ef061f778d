//! A node, and the graph that its rule adds to.

use std::collections::HashMap;

use super::expression::integer;
use super::messages::{Attribute, Tensor};
use super::tensor::{Content, FEW, elements};
use crate::graph::{
    Body, Data, Dtype, Fold, Graph, Index, Nest, Origin, Read, Scalar, Value, ValueId, View,
};

/// The results of a node, in order; `None` where the rule does not cover it.
pub(super) type Results = Option<Vec<ValueId>>;

/// The operations of a node.
pub(super) type Rule = fn(&mut Build, &Node<'_>) -> Results;

/// The rules of a family, by the names of operators.
pub(super) type Rules = &'static [(&'static str, Rule)];

/// A node with its inputs as values.
#[derive(Debug)]
pub(super) struct Node<'a> {
    pub(super) name: String,
    pub(super) kind: &'a str,
    /// The version of the operators.
    pub(super) opset: i64,
    /// `None` for inputs that are left out.
    pub(super) inputs: Vec<Option<ValueId>>,
    /// True for the results that have a name.
    pub(super) results: Vec<bool>,
    pub(super) attributes: &'a [Attribute],
}

/// The bound of attributes that are multiplied with indexes.
const SMALL: i64 = 1 << 24;

impl Node<'_> {
    pub(super) fn input(&self, number: usize) -> Option<ValueId> {
        self.inputs.get(number).copied().flatten()
    }

    /// Returns whether a result beyond the first has a name.
    pub(super) fn has_result(&self, number: usize) -> bool {
        self.results.get(number).copied().unwrap_or(false)
    }

    fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|of| of.name == name)
    }

    pub(super) fn int(&self, name: &str) -> Option<i64> {
        self.attribute(name).and_then(|of| of.int)
    }

    pub(super) fn int_or(&self, name: &str, other: i64) -> i64 {
        self.int(name).unwrap_or(other)
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.int_or(name, 0) != 0
    }

    pub(super) fn float(&self, name: &str) -> Option<f64> {
        self.attribute(name).and_then(|of| of.float).map(f64::from)
    }

    pub(super) fn float_or(&self, name: &str, other: f64) -> f64 {
        self.float(name).unwrap_or(other)
    }

    pub(super) fn floats(&self, name: &str) -> Option<Vec<f64>> {
        Some(self.attribute(name)?.floats.iter().copied().map(f64::from).collect())
    }

    pub(super) fn ints(&self, name: &str) -> Option<Vec<i64>> {
        self.attribute(name).map(|of| of.ints.clone())
    }

    /// Integers of a window, which are far from overflow; `other` if there are none.
    pub(super) fn small(&self, name: &str, other: Vec<i64>) -> Option<Vec<i64>> {
        let ints = self.ints(name).filter(|ints| !ints.is_empty()).unwrap_or(other);
        ints.iter().all(|of| of.abs() < SMALL).then_some(ints)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        std::str::from_utf8(self.attribute(name)?.string.as_ref()?).ok()
    }

    pub(super) fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.attribute(name)?.tensor.as_ref()
    }
}

/// An axis by its number, from the end if negative.
pub(super) fn axis(number: i64, rank: usize) -> Option<usize> {
    let rank = i64::try_from(rank).ok()?;
    let from_start = if number < 0 { number.checked_add(rank)? } else { number };
    usize::try_from(from_start).ok().filter(|_| from_start < rank)
}

/// Different axes, in order.
pub(super) fn axes(numbers: &[i64], rank: usize) -> Option<Vec<usize>> {
    let mut axes =
        numbers.iter().map(|number| axis(*number, rank)).collect::<Option<Vec<usize>>>()?;
    axes.sort_unstable();
    axes.dedup();
    (axes.len() == numbers.len()).then_some(axes)
}

/// The shape that shapes are repeated to.
pub(super) fn broadcast<'a>(shapes: impl IntoIterator<Item = &'a [u64]>) -> Option<Vec<u64>> {
    let mut all: Vec<u64> = Vec::new();
    for shape in shapes {
        let missing = shape.len().saturating_sub(all.len());
        all.splice(..0, std::iter::repeat_n(1, missing));
        let skip = all.len() - shape.len();
        for (to, extent) in all[skip..].iter_mut().zip(shape) {
            match (*to, *extent) {
                (a, b) if a == b || b == 1 => {}
                (1, other) => *to = other,
                _ => return None,
            }
        }
    }
    Some(all)
}

/// The loops of a nest while its reads are made: the axes of the result, then those that are folded.
#[derive(Clone, Debug)]
pub(super) struct Loops {
    extents: Vec<u64>,
    rank: usize,
}

/// A folded axis; one of extent 1 has no loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Folded(Option<usize>);

impl Loops {
    pub(super) fn of(result: Vec<u64>) -> Loops {
        Loops { rank: result.len(), extents: result }
    }

    pub(super) fn fold(&mut self, extent: u64) -> Folded {
        if extent == 1 {
            return Folded(None);
        }
        self.extents.push(extent);
        Folded(Some(self.extents.len() - 1))
    }
}

impl Folded {
    pub(super) fn index(self) -> Index {
        self.0.map_or(Index::fixed(0), Index::of)
    }

    pub(super) fn scalar(self) -> Scalar {
        self.0.map_or(Scalar::Const(0.0), Scalar::Loop)
    }

    /// The summand of an index.
    pub(super) fn term(self, coefficient: i64) -> Option<(usize, i64)> {
        self.0.map(|number| (number, coefficient))
    }
}

/// The reduction of some axes.
#[derive(Clone, Debug)]
pub(super) struct Over {
    pub(super) axes: Vec<usize>,
    /// True if the axes stay, with extent 1.
    pub(super) keeps: bool,
}

/// The graph so far.
#[derive(Debug, Default)]
pub(super) struct Build {
    pub(super) graph: Graph,
    /// The name and the operator of the node that is added.
    pub(super) node: (String, String),
    /// The number of views that the node has.
    pub(super) views: usize,
    /// True if the elements of all constants are read.
    pub(super) reads_all: bool,
    /// The elements of few 64-bit integers.
    pub(super) integers: HashMap<ValueId, Vec<i64>>,
}

impl Build {
    pub(super) fn shape(&self, id: ValueId) -> &[u64] {
        &self.graph.value(id).shape
    }

    pub(super) fn rank(&self, id: ValueId) -> usize {
        self.shape(id).len()
    }

    pub(super) fn dtype(&self, id: ValueId) -> Dtype {
        self.graph.value(id).dtype
    }

    pub(super) fn axis(&self, id: ValueId, number: i64) -> Option<usize> {
        axis(number, self.rank(id))
    }

    /// The name of a part of the node.
    fn part(&self, part: &str) -> String {
        match part.is_empty() {
            true => self.node.0.clone(),
            false => format!("{}/{part}", self.node.0),
        }
    }

    /// Removes all values and operations from these on.
    pub(super) fn forget(&mut self, values: usize, operations: usize) {
        self.graph.values.truncate(values);
        self.graph.operations.truncate(operations);
        self.integers.retain(|id, _| id.0 < values);
    }

    /// Adds a constant by its name.
    pub(super) fn content(&mut self, name: String, content: Content) -> ValueId {
        let Content { shape, dtype, data, integers } = content;
        let origin = Origin::Constant(data);
        let id = self.graph.add(Value { name, shape, dtype, origin });
        self.integers.extend(integers.map(|integers| (id, integers)));
        id
    }

    /// Adds a constant that is computed.
    pub(super) fn constant(
        &mut self,
        part: &str,
        (shape, dtype): (Vec<u64>, Dtype),
        numbers: Vec<f64>,
    ) -> ValueId {
        let data = Some(Data::new(numbers));
        self.content(self.part(part), Content { shape, dtype, data, integers: None })
    }

    /// Adds 64-bit integers.
    pub(super) fn integer_constant(&mut self, shape: Vec<u64>, integers: Vec<i64>) -> ValueId {
        let data = Data::new(integers.iter().map(|of| crate::graph::number(*of)).collect());
        let (data, integers) = (Some(data), Some(integers));
        let content = Content { shape, dtype: Dtype::Int(64), data, integers };
        self.content(self.part(""), content)
    }

    /// The elements of a constant, through views of few elements.
    pub(super) fn numbers(&self, id: ValueId) -> Option<Vec<f64>> {
        match &self.graph.value(id).origin {
            Origin::Constant(data) => data.as_ref().map(|data| data.numbers().to_vec()),
            Origin::View(of, View::Reshape(_)) => self.numbers(*of),
            _ => None,
        }
    }

    /// The elements of a constant of integers.
    pub(super) fn integers(&self, id: ValueId) -> Option<Vec<i64>> {
        if let Some(integers) = self.integers.get(&id) {
            return Some(integers.clone());
        }
        if elements(self.shape(id))? > FEW || self.dtype(id).is_float() {
            return None;
        }
        match &self.graph.value(id).origin {
            Origin::View(of, View::Reshape(_)) => self.integers(*of),
            _ => Some(self.numbers(id)?.into_iter().map(integer).collect()),
        }
    }

    /// The element of a constant that has one.
    pub(super) fn number(&self, id: ValueId) -> Option<f64> {
        match elements(self.shape(id)) {
            Some(1) => self.numbers(id)?.first().copied(),
            _ => None,
        }
    }

    /// Integers that newer versions give as an input and older ones as an attribute: `None` if they are computed,
    /// `Some(None)` if they are left out.
    pub(super) fn integers_of(
        &self,
        node: &Node<'_>,
        input: usize,
        attribute: &str,
    ) -> Option<Option<Vec<i64>>> {
        match node.input(input) {
            Some(id) => self.integers(id).map(Some),
            None => Some(node.ints(attribute)),
        }
    }

    /// Adds a nest.
    pub(super) fn nest(
        &mut self,
        part: &str,
        dtype: Dtype,
        loops: Loops,
        reads: Vec<Read>,
        (fold, body): (Fold, Scalar),
    ) -> Option<ValueId> {
        let Loops { extents, rank } = loops;
        elements(&extents)?;
        let shape = extents[..rank].to_vec();
        let nest = Body::Nest(Nest { loops: extents, rank, reads, body, fold });
        let name = self.part(part);
        let kind = self.node.1.clone();
        Some(self.graph.operation((name, &kind), (shape, dtype), nest))
    }

    /// Adds a nest without folded loops.
    pub(super) fn copy(
        &mut self,
        part: &str,
        (shape, dtype): (Vec<u64>, Dtype),
        reads: Vec<Read>,
        body: Scalar,
    ) -> Option<ValueId> {
        self.nest(part, dtype, Loops::of(shape), reads, (Fold::Sum, body))
    }

    /// Adds an elementwise operation on operands that are repeated to one shape.
    pub(super) fn pointwise(
        &mut self,
        part: &str,
        dtype: Dtype,
        operands: &[ValueId],
        body: Scalar,
    ) -> Option<ValueId> {
        let none = Over { axes: Vec::new(), keeps: true };
        self.reduce(part, dtype, &none, operands, (Fold::Sum, body))
    }

    /// Adds a reduction of an expression of operands that are repeated to one shape.
    pub(super) fn reduce(
        &mut self,
        part: &str,
        dtype: Dtype,
        over: &Over,
        operands: &[ValueId],
        what: (Fold, Scalar),
    ) -> Option<ValueId> {
        let shape = broadcast(operands.iter().map(|id| self.shape(*id)))?;
        let (loops, indexes) = reduced(&shape, over);
        let reads = operands.iter().map(|id| self.aligned(*id, &shape, &indexes)).collect();
        self.nest(part, dtype, loops, reads, what)
    }

    /// A value that is repeated to a shape, whose axes have these indexes.
    pub(super) fn aligned(&self, id: ValueId, shape: &[u64], indexes: &[Index]) -> Read {
        let own = self.shape(id);
        let skip = shape.len() - own.len();
        let of = |at: usize| match own[at] == 1 && shape[skip + at] != 1 {
            true => Index::fixed(0),
            false => indexes[skip + at].clone(),
        };
        Read { value: id, index: (0..own.len()).map(of).collect(), outside: 0.0 }
    }

    /// A value that is repeated to the axes of a result.
    pub(super) fn repeated(&self, id: ValueId, shape: &[u64]) -> Read {
        let indexes: Vec<Index> = (0..shape.len()).map(Index::of).collect();
        self.aligned(id, shape, &indexes)
    }

    /// Elements under another shape; a shape that is the same gives the value itself.
    pub(super) fn reshape(&mut self, of: ValueId, shape: Vec<u64>) -> Option<ValueId> {
        if elements(&shape)? != elements(self.shape(of))? {
            return None;
        }
        let of = self.flat(of);
        Some(match self.shape(of) == shape {
            true => of,
            false => self.view(of, shape.clone(), View::Reshape(shape)),
        })
    }

    /// Axes in another order; the same order gives the value itself.
    pub(super) fn transpose(&mut self, of: ValueId, order: &[usize]) -> Option<ValueId> {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..self.rank(of)) {
            return None;
        }
        let shape = order.iter().map(|axis| self.shape(of)[*axis]).collect();
        Some(match order.is_sorted() {
            true => of,
            false => self.view(of, shape, View::Transpose(order.to_vec())),
        })
    }

    fn view(&mut self, of: ValueId, shape: Vec<u64>, view: View) -> ValueId {
        let (name, dtype) = (self.part(&format!("view{}", self.views)), self.dtype(of));
        self.views += 1;
        self.graph.add(Value { name, shape, dtype, origin: Origin::View(of, view) })
    }

    /// A value of its own with the elements of another.
    pub(super) fn same(&mut self, of: ValueId) -> ValueId {
        let shape = self.shape(of).to_vec();
        self.view(self.flat(of), shape.clone(), View::Reshape(shape))
    }

    /// The value whose elements in row-major order are those of a value.
    fn flat(&self, of: ValueId) -> ValueId {
        match &self.graph.value(of).origin {
            Origin::View(of, View::Reshape(_)) => *of,
            _ => of,
        }
    }
}

/// The loops of a reduction, and the index of each axis of its operand.
fn reduced(shape: &[u64], over: &Over) -> (Loops, Vec<Index>) {
    let is_folded = |axis: usize| over.axes.contains(&axis);
    let stays = |axis: &usize| over.keeps || !is_folded(*axis);
    let extent = |axis| if is_folded(axis) { 1 } else { shape[axis] };
    let mut loops = Loops::of((0..shape.len()).filter(stays).map(extent).collect());
    let mut place = 0..;
    let mut index = |axis: usize| {
        let own = stays(&axis).then(|| place.next()).flatten();
        match own.filter(|_| !is_folded(axis)) {
            Some(number) => Index::of(number),
            None => loops.fold(shape[axis]).index(),
        }
    };
    let indexes = (0..shape.len()).map(&mut index).collect();
    (loops, indexes)
}
