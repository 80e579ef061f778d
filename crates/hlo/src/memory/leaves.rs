//! The arrays in a shape: the sizes of each, and the range of those in a member of a tuple.

use std::ops::Range;

use crate::bytes::total_too_large;
use crate::names::{MOST_KNOWN, Outcomes, is_tiled, outcome};
use tensor_layout::xla::XlaSizes;
use tensor_layout::xla::{XlaArray, XlaParser, XlaShape};
use tensor_layout::{LayoutError, ParseError};

/// The sizes of an array, and its memory space.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Leaf {
    pub(super) sizes: XlaSizes,
    pub(super) space: i64,
}

/// A shape and its arrays, depth first.
#[derive(Clone, Debug)]
pub(super) struct LeafShape {
    shape: XlaShape,
    leaves: Vec<Leaf>,
    /// The paths of the arrays in the tuple.
    pub(super) paths: Vec<Vec<usize>>,
    /// For a tuple, the number of the first array of each member, and at last the number of all arrays.
    starts: Vec<usize>,
    pub(super) is_tiled: bool,
}

impl LeafShape {
    pub(super) fn of(shape: XlaShape) -> Result<LeafShape, ParseError> {
        let (paths, arrays): (Vec<_>, Vec<_>) = shape.arrays().into_iter().unzip();
        let leaves = arrays.iter().map(|array| leaf(array)).collect::<Result<_, _>>()?;
        let is_tiled = arrays.into_iter().any(is_tiled);
        let members = if let XlaShape::Tuple(members) = &shape { members.len() } else { 0 };
        let start = |at| paths.partition_point(|path| path.first() < Some(&at));
        let starts = (0..=members).map(start).collect();
        Ok(LeafShape { shape, leaves, paths, starts, is_tiled })
    }

    pub(super) fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// All of its arrays.
    pub(super) fn all(&self) -> Range<usize> {
        0..self.leaves.len()
    }

    /// The arrays of a member of a tuple.
    pub(super) fn member(&self, at: usize) -> Option<Range<usize>> {
        Some(*self.starts.get(at)?..*self.starts.get(at + 1)?)
    }

    /// The part of the shape at a path of tuple indexes.
    fn part(&self, path: &[usize]) -> Option<&XlaShape> {
        path.iter().try_fold(&self.shape, |of, at| match of {
            XlaShape::Tuple(members) => members.get(*at),
            _ => None,
        })
    }

    /// The arrays below a path of tuple indexes.
    pub(super) fn below(&self, path: &[usize]) -> Option<Range<usize>> {
        self.part(path)?;
        let start = self.paths.partition_point(|of| of.as_slice() < path);
        let below = self.paths.iter().skip(start).take_while(|of| of.starts_with(path));
        Some(start..start + below.count())
    }

    /// One of its arrays.
    pub(super) fn array(&self, leaf: usize) -> Option<&XlaArray> {
        self.part(self.paths.get(leaf)?).and_then(XlaShape::as_array)
    }

    /// The array, if it is one and not a tuple.
    pub(super) fn as_array(&self) -> Option<&XlaArray> {
        self.shape.as_array()
    }

    /// Returns an array as text, and its path in the tuple as `{1}`; empty if it is the whole shape.
    pub(super) fn text(&self, leaf: usize) -> (String, String) {
        let path = self.paths.get(leaf).map_or(&[][..], Vec::as_slice);
        let array = self.part(path).and_then(XlaShape::as_array);
        array.map_or_else(Default::default, |array| (array.to_string(), path_text(path)))
    }

    /// Returns the arrays as texts.
    pub(super) fn texts(&self) -> Vec<String> {
        self.shape.arrays().into_iter().map(|(_, array)| array.to_string()).collect()
    }

    /// The number of pointers in its tuples: a tuple is a table of pointers to its members.
    pub(super) fn pointers(&self) -> u64 {
        pointers(&self.shape)
    }

    /// The number of members a tuple has.
    pub(super) fn members(&self) -> usize {
        self.starts.len() - 1
    }
}

/// `{1,0}`; empty for the whole.
pub(super) fn path_text(path: &[usize]) -> String {
    match path {
        [] => String::new(),
        path => format!("{{{}}}", itertools::join(path, ",")),
    }
}

fn leaf(array: &XlaArray) -> Result<Leaf, ParseError> {
    let space = array.layout.as_ref().map_or(0, |layout| layout.memory_space);
    Ok(Leaf { sizes: array.sizes()?, space })
}

fn pointers(shape: &XlaShape) -> u64 {
    match shape {
        XlaShape::Tuple(members) => {
            members.iter().map(|member| 1 + pointers(member)).fold(0, u64::saturating_add)
        }
        _ => 0,
    }
}

/// The distinct shapes, each with its arrays or the reason its sizes are unknown.
#[derive(Clone, Debug, Default)]
pub(super) struct LeafShapes {
    shapes: Outcomes<LeafShape>,
    /// Set if a shape of the module that is being read is tiled.
    pub(super) is_tiled: bool,
}

impl LeafShapes {
    /// Returns the number of a shape.
    ///
    /// # Errors
    /// The reason its sizes are unknown, in words.
    pub(super) fn number(&mut self, text: &str) -> Result<usize, String> {
        let (number, shape) = outcome(&mut self.shapes, text, |text| {
            let shape = XlaParser::strict().parse(text).and_then(LeafShape::of);
            shape.map_err(|error| error.kind().to_string())
        });
        self.is_tiled |= shape.is_ok_and(|shape| shape.is_tiled);
        shape.map(|_| number).map_err(str::to_owned)
    }

    /// Starts a module: the shapes of those before it are kept, as long as they are not many.
    pub(super) fn next_module(&mut self) {
        self.is_tiled = false;
        if self.shapes.len() > MOST_KNOWN {
            self.shapes.clear();
        }
    }

    pub(super) fn get(&self, number: usize) -> Option<&LeafShape> {
        self.shapes.get_index(number)?.1.as_ref().ok()
    }
}

/// Returns the sum of the allocated bytes of arrays.
pub(super) fn sum<'l>(leaves: impl IntoIterator<Item = &'l Leaf>) -> Result<u64, LayoutError> {
    let mut bytes = leaves.into_iter().map(|leaf| leaf.sizes.allocated_bytes);
    bytes.try_fold(0_u64, u64::checked_add).ok_or_else(total_too_large)
}
