//! A program: tensors, operations, and the loops around them.

use tensor_layout::LayoutError;
use tensor_layout::error::fault;

use super::rule::Rule;

/// The extents of a tensor, and the type of its elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dims {
    /// The extents.
    pub shape: Vec<u64>,
    /// The type as MLIR names it: `f32`, `i1`.
    pub dtype: String,
}

impl Dims {
    /// Reads `tensor<8x4xf32>`; what is no tensor has no bytes.
    ///
    /// # Errors
    /// `Unsupported` for extents that are only known at run time.
    pub(super) fn read(text: &str) -> Result<Dims, LayoutError> {
        let Some(inner) = text.strip_prefix("tensor<").and_then(|of| of.strip_suffix('>')) else {
            return Ok(Dims { shape: Vec::new(), dtype: text.to_owned() });
        };
        let inner = inner.split(", #").next().unwrap_or(inner);
        let mut rest = inner;
        let mut shape = Vec::new();
        while let Some((extent, after)) = rest.split_once('x') {
            let is_extent = |c: char| c.is_ascii_digit() || c == '?';
            if extent.is_empty() || !extent.chars().all(is_extent) {
                break;
            }
            let extent = extent.parse().ok().filter(|extent| *extent < u64::MAX >> 16);
            let type_of = text.to_owned();
            let extent = extent.ok_or_else(|| {
                fault!(Unsupported, "an extent of `{type_of}` is not known", [type_of])
            })?;
            shape.push(extent);
            rest = after;
        }
        Ok(Dims { shape, dtype: rest.to_owned() })
    }

    /// The bytes of an element, rounded up; 0 for what is no tensor.
    #[must_use]
    pub fn element_bytes(&self) -> u64 {
        let parts = if self.dtype.starts_with("complex<") { 2 } else { 1 };
        let name = self.dtype.trim_start_matches("complex<").trim_end_matches('>');
        let number = name.trim_start_matches(|c: char| !c.is_ascii_digit());
        let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        let bits: u64 = number[..end].parse().unwrap_or(0);
        parts * bits.div_ceil(8)
    }

    /// The bytes of the whole tensor.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.shape.iter().fold(self.element_bytes(), |bytes, extent| bytes.saturating_mul(*extent))
    }

    /// The type as it is written.
    #[must_use]
    pub fn text(&self) -> String {
        if self.dtype.starts_with('!') {
            return self.dtype.clone();
        }
        let extents: String = self.shape.iter().map(|extent| format!("{extent}x")).collect();
        format!("tensor<{extents}{}>", self.dtype)
    }
}

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
    /// The tensor that it is, if it is another name for it: the result of a loop is what its body carries.
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
    /// The text, with `%` and a number in brackets in place of tensors that are known here.
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
    /// Arguments with the mesh axes of each dimension, where `sdy.sharding` says them.
    pub annotated: Vec<(TensorId, Vec<Vec<String>>)>,
    /// The names of the results, where the text has them.
    pub names: Vec<Option<String>>,
    /// The operations without a rule, with their numbers: their operands and results are whole on every device.
    pub uncovered: Vec<(String, usize)>,
}

impl Program {
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
