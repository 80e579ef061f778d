//! The values of a graph.

use super::data::Data;
use super::dtype::Dtype;

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

impl Value {
    /// Returns whether it is an input or a constant.
    #[must_use]
    pub fn is_given(&self) -> bool {
        matches!(self.origin, Origin::Input | Origin::Constant(_))
    }
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
