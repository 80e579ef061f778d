//! A sharding, and a mesh, in any notation, detected from their texts.

use std::fmt;
use std::str::FromStr;

use super::read::{self, Rule};
use super::torch;
use super::tree::Mesh;
use super::{HloSharding, PartitionSpec, Placements, SdySharding};
use crate::error::{ParseError, Span};
use crate::text::refusal::check_depth;

/// A sharding in any notation, as written.
///
/// ```
/// use tensor_layout::sharding::ShardingText;
/// assert!(matches!("P('x', None)".parse()?, ShardingText::Jax(_)));
/// assert!(matches!("[Shard(0), Replicate()]".parse()?, ShardingText::Torch(_)));
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShardingText {
    /// HLO, of any version.
    Hlo(HloSharding),
    /// Shardy.
    Sdy(SdySharding),
    /// JAX.
    Jax(PartitionSpec),
    /// PyTorch.
    Torch(Placements),
}

impl fmt::Display for ShardingText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShardingText::Hlo(sharding) => sharding.fmt(f),
            ShardingText::Sdy(sharding) => sharding.fmt(f),
            ShardingText::Jax(spec) => spec.fmt(f),
            ShardingText::Torch(placements) => placements.fmt(f),
        }
    }
}

impl FromStr for ShardingText {
    type Err = ParseError;

    /// Shardy text begins with `<`, `#` or `[{`, or is `[]`; JAX's with a `P` or `N`, PyTorch's with another
    /// bracket; everything else is HLO.
    fn from_str(text: &str) -> Result<ShardingText, ParseError> {
        let mut marks = text.chars().filter(|c| !c.is_whitespace());
        match (marks.next(), marks.next()) {
            (Some('<' | '#'), _) | (Some('['), Some('{' | ']')) => {
                text.parse().map(ShardingText::Sdy)
            }
            (Some('P' | 'N'), _) => text.parse().map(ShardingText::Jax),
            (Some('[' | '('), _) => text.parse().map(ShardingText::Torch),
            _ => text.parse().map(ShardingText::Hlo),
        }
    }
}

impl FromStr for Mesh {
    type Err = ParseError;

    /// Parses a mesh: `x=2,y=4`, `{'x': 2, 'y': 4}`, `mesh['x'=2,'y'=4]`,
    /// `sdy.mesh @m = <["x"=2, "y"=4]>`, `Mesh('x': 2, 'y': 4)`, or
    /// `DeviceMesh('cuda', [[0, 1], [2, 3]], mesh_dim_names=('x', 'y'))`. Cost: linear in the text.
    fn from_str(text: &str) -> Result<Mesh, ParseError> {
        let is_number = |c: char| c.is_ascii_digit() || "()[], ".contains(c);
        if !text.trim().is_empty() && text.chars().all(is_number) {
            let message = "the mesh has sizes only; name its axes, as in `x=2,y=4`";
            return Err(ParseError::invalid(message, Span::new(0, text.len()), text));
        }
        check_depth(text, torch::MAX_DEPTH, torch::BRACKETS)?;
        let found = match read::parse(Rule::mesh_text, text)?.next() {
            None => Mesh::default(),
            Some(pair) if pair.as_rule() == Rule::torch_mesh => torch::mesh(pair, text)?,
            Some(pair) => read::mesh(pair, text)?,
        };
        found.check().map_err(|error| ParseError::whole(error, text))?;
        Ok(found)
    }
}
