//! The arrays in a shape: the sizes of each, and the range of those in a member of a tuple.

use std::ops::Range;

use crate::bytes::total_too_large;
use crate::names::{MOST_KNOWN, Outcomes, is_tiled, outcome};
use tensor_layout::notation::{XlaArray, XlaParser, XlaShape};
use tensor_layout::xla::XlaSizes;
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
    /// For a tuple, the number of the first array of each member, and at last the number of all arrays.
    starts: Vec<usize>,
    pub(super) is_tiled: bool,
}

impl LeafShape {
    pub(super) fn of(shape: XlaShape) -> Result<LeafShape, ParseError> {
        let arrays = shape.arrays();
        let leaves = arrays.iter().map(|(_, array)| leaf(array)).collect::<Result<_, _>>()?;
        Ok(LeafShape::with(shape, leaves))
    }

    /// Returns a shape with the sizes of its arrays, which are known.
    fn with(shape: XlaShape, leaves: Vec<Leaf>) -> LeafShape {
        let is_tiled = shape.arrays().iter().any(|(_, array)| is_tiled(array));
        let mut starts = vec![0];
        if let XlaShape::Tuple(members) = &shape {
            let sums = members.iter().scan(0, |sum, member| {
                *sum += count(member);
                Some(*sum)
            });
            starts.extend(sums);
        }
        LeafShape { leaves, starts, is_tiled, shape }
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

    /// The arrays below a path of tuple indexes.
    pub(super) fn below(&self, path: &[usize]) -> Option<Range<usize>> {
        let Some((first, rest)) = path.split_first() else { return Some(self.all()) };
        let XlaShape::Tuple(members) = &self.shape else { return None };
        let (mut at, mut start) = (members.get(*first)?, self.member(*first)?.start);
        for index in rest {
            let XlaShape::Tuple(members) = at else { return None };
            start += members.iter().take(*index).map(count).sum::<usize>();
            at = members.get(*index)?;
        }
        Some(start..start + count(at))
    }

    /// Returns an array as text, and its path in the tuple as `{1}`; empty if it is the whole shape.
    pub(super) fn text(&self, leaf: usize) -> (String, String) {
        let mut path = Vec::new();
        let array = match &self.shape {
            XlaShape::Tuple(members) => {
                let at = self.starts.partition_point(|start| *start <= leaf).saturating_sub(1);
                path.push(at);
                let inside = leaf - self.starts.get(at).copied().unwrap_or(0);
                members.get(at).and_then(|member| nth(member, inside, &mut path))
            }
            shape => nth(shape, leaf, &mut path),
        };
        array.map_or_else(Default::default, |array| (array.to_string(), path_text(&path)))
    }

    /// Returns the arrays as texts.
    pub(super) fn texts(&self) -> Vec<String> {
        self.shape.arrays().into_iter().map(|(_, array)| array.to_string()).collect()
    }

    /// Returns the paths of the arrays in the tuple.
    pub(super) fn paths(&self) -> Vec<Vec<usize>> {
        self.shape.arrays().into_iter().map(|(path, _)| path).collect()
    }

    /// The members of a tuple, each by itself.
    pub(super) fn split(&self) -> Option<Vec<LeafShape>> {
        let XlaShape::Tuple(members) = &self.shape else { return None };
        let member = |(at, member): (usize, &XlaShape)| {
            let leaves = self.leaves.get(self.member(at)?)?.to_vec();
            Some(LeafShape::with(member.clone(), leaves))
        };
        members.iter().enumerate().map(member).collect()
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

/// Finds an array of a shape by its number, depth first; adds the indexes of the tuples to the path.
fn nth<'s>(shape: &'s XlaShape, mut leaf: usize, path: &mut Vec<usize>) -> Option<&'s XlaArray> {
    match shape {
        XlaShape::Array(array) | XlaShape::Buffer(array) => (leaf == 0).then_some(array),
        XlaShape::Tuple(members) => {
            for (at, member) in members.iter().enumerate() {
                let count = count(member);
                if leaf < count {
                    path.push(at);
                    return nth(member, leaf, path);
                }
                leaf -= count;
            }
            None
        }
        XlaShape::Token | XlaShape::Opaque => None,
    }
}

fn count(shape: &XlaShape) -> usize {
    match shape {
        XlaShape::Array(_) | XlaShape::Buffer(_) => 1,
        XlaShape::Tuple(members) => members.iter().map(count).sum(),
        XlaShape::Token | XlaShape::Opaque => 0,
    }
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

    pub(super) fn of(&mut self, text: &str) -> Option<&LeafShape> {
        let number = self.number(text).ok()?;
        self.get(number)
    }
}

/// Returns the sum of the allocated bytes of arrays.
pub(super) fn sum<'l>(leaves: impl IntoIterator<Item = &'l Leaf>) -> Result<u64, LayoutError> {
    let mut bytes = leaves.into_iter().map(|leaf| leaf.sizes.allocated_bytes);
    bytes.try_fold(0_u64, u64::checked_add).ok_or_else(total_too_large)
}
