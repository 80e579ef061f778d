//! A sharding in any notation, detected from its text.

use std::fmt;
use std::str::FromStr;

use super::{HloSharding, PartitionSpec, Placements, SdySharding};
use crate::error::ParseError;

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
