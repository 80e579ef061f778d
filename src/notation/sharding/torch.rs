//! PyTorch's placements: `[Shard(0), Replicate()]`, one for every axis of the mesh.

use std::fmt;
use std::str::FromStr;

use itertools::Itertools;

use super::read::{self, Rule};
use crate::error::ParseError;

/// The placements of a `DTensor`.
///
/// If two placements cut the same dimension, the second cuts the chunks of the first.
///
/// ```
/// use tensor_layout::sharding::Placements;
/// let placements: Placements = "(Shard(dim=0), Replicate(), Partial(sum))".parse()?;
/// assert_eq!(placements.to_string(), "[Shard(0), Replicate(), Partial(sum)]");
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
///
/// Source: pytorch/pytorch, `torch/distributed/tensor/placement_types.py`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Placements {
    /// Major to minor, like the axes of the mesh.
    pub placements: Vec<TorchPlacement>,
}

/// The placement along one axis of a mesh.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TorchPlacement {
    /// `Shard(dim)`: cuts a dimension; negative ones count from the last, which is -1.
    Shard(i64),
    /// `Replicate()`: copies.
    Replicate,
    /// `Partial(sum)`: partial results, and the reduction that combines them.
    Partial(String),
}

impl fmt::Display for TorchPlacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TorchPlacement::Shard(dim) => write!(f, "Shard({dim})"),
            TorchPlacement::Replicate => write!(f, "Replicate()"),
            TorchPlacement::Partial(reduction) => write!(f, "Partial({reduction})"),
        }
    }
}

impl fmt::Display for Placements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]", self.placements.iter().join(", "))
    }
}

impl FromStr for Placements {
    type Err = ParseError;

    /// Parses placements in round or square brackets. Cost: linear in the text.
    fn from_str(text: &str) -> Result<Placements, ParseError> {
        let whole = read::parse(Rule::torch_text, text)?;
        let mut placements = Vec::new();
        for part in whole.flat_map(pest::iterators::Pair::into_inner) {
            match part.as_rule() {
                Rule::replicate => placements.push(TorchPlacement::Replicate),
                Rule::partial => {
                    let inner = part.as_str().split_once('(').map_or("sum", |(_, inner)| inner);
                    let reduction = inner.trim_end_matches(')').trim_matches(['\'', '"']);
                    placements.push(TorchPlacement::Partial(reduction.to_owned()));
                }
                Rule::shard => {
                    placements.push(TorchPlacement::Shard(read::one_signed(part, text)?));
                }
                _ => {}
            }
        }
        Ok(Placements { placements })
    }
}
