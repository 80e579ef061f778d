//! PyTorch's placements: `[Shard(0), Replicate()]`, one for every axis of the mesh.

use std::fmt;
use std::str::FromStr;

use itertools::{Itertools, izip};

use super::read::{self, Rule};
use super::tree::{Mesh, TileDevices};
use crate::algebra::product;
use crate::algebra::strided::sums;
use crate::error::ParseError;
use crate::number::to_u64;
use crate::text::pairs::{child, children, number, span};
use crate::text::refusal::check_depth;
use crate::text::strided::contiguous;

type Node<'t> = pest::iterators::Pair<'t, Rule>;

/// The greatest depth of nested brackets.
pub(super) const MAX_DEPTH: usize = 64;

/// The brackets that nest: those of lists of ranks, and of what is masked.
pub(super) const BRACKETS: [&[u8; 2]; 2] = [b"[(", b"])"];

/// The most devices that are listed one by one.
const MOST_LISTED: u64 = 1 << 20;

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
    /// `_StridedShard(dim=0, sf=2)`: cuts each of some parts of a dimension, and takes a piece of every part.
    StridedShard {
        /// The dimension; negative ones count from the last, which is -1.
        dim: i64,
        /// The number of parts, PyTorch's `split_factor`.
        parts: u64,
    },
    /// `Replicate()`: copies.
    Replicate,
    /// `Partial(sum)`: partial results, and the reduction that combines them.
    Partial(String),
}

impl fmt::Display for TorchPlacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TorchPlacement::Shard(dim) => write!(f, "Shard({dim})"),
            TorchPlacement::StridedShard { dim, parts } => {
                write!(f, "_StridedShard(dim={dim}, sf={parts})")
            }
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
        check_depth(text, MAX_DEPTH, BRACKETS)?;
        let whole = read::parse(Rule::torch_text, text)?;
        let mut placements = Vec::new();
        for part in whole.flat_map(pest::iterators::Pair::into_inner) {
            match part.as_rule() {
                Rule::replicate => placements.push(TorchPlacement::Replicate),
                Rule::partial => {
                    let is_name = |of: &Node<'_>| matches!(of.as_rule(), Rule::name | Rule::word);
                    let reduction = part.into_inner().find(is_name);
                    let reduction = reduction.map_or("sum".into(), |name| read::unquote(&name));
                    placements.push(TorchPlacement::Partial(reduction));
                }
                Rule::strided => placements.push(strided(part, text)?),
                Rule::shard => {
                    placements.push(TorchPlacement::Shard(read::one_signed(part, text)?));
                }
                _ => {}
            }
        }
        Ok(Placements { placements })
    }
}

fn strided(part: Node<'_>, text: &str) -> Result<TorchPlacement, ParseError> {
    let whole = span(&part);
    let numbers = children(part, Rule::int).collect_vec();
    let [dim, parts] = &numbers[..] else {
        return Err(ParseError::invalid("expected a dimension and a number of parts", whole, text));
    };
    let (dim, parts) = (number(dim, text)?, read::int(parts, text)?);
    match parts {
        0 => {
            let message = "`sf` is 0, but a dimension has at least one part";
            Err(ParseError::invalid(message, whole, text))
        }
        _ => Ok(TorchPlacement::StridedShard { dim, parts }),
    }
}

/// A mesh of PyTorch. Its devices are numbered in the order of their ranks, so a part of a job is a mesh too.
pub(super) fn mesh(pair: Node<'_>, text: &str) -> Result<Mesh, ParseError> {
    let whole = span(&pair);
    let refuse = |message: String| ParseError::invalid(message, whole, text);
    let (mut names, mut sizes, mut strides, mut ranks) = (Vec::new(), Vec::new(), None, None);
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::torch_sizes => {
                for axis in children(part, Rule::torch_axis) {
                    names.extend(child(axis.clone(), Rule::word).map(|name| read::unquote(&name)));
                    sizes.push(read::one_int(axis, text)?);
                }
            }
            Rule::torch_strides => strides = Some(read::ints(part, text)?),
            Rule::torch_names => {
                names = children(part, Rule::name).map(|name| read::unquote(&name)).collect();
            }
            Rule::ranks => {
                let (shape, listed) = listed(part, text)?;
                if !sizes.is_empty() && sizes != shape {
                    return Err(refuse(format!("the mesh has sizes {sizes:?} and {shape:?}")));
                }
                (sizes, ranks) = (shape, Some(listed));
            }
            _ => {}
        }
    }
    if names.is_empty() {
        names = (0..sizes.len()).map(|axis| format!("d{axis}")).collect();
    }
    if names.len() != sizes.len() {
        let (names, sizes) = (names.len(), sizes.len());
        return Err(refuse(format!("the mesh has {names} names of axes, but {sizes} sizes")));
    }
    let devices = match (ranks, strides) {
        (Some(ranks), _) => by_rank(&ranks),
        (None, Some(strides)) => by_stride(&sizes, &strides).map_err(refuse)?,
        (None, None) => None,
    };
    Ok(Mesh { axes: names.into_iter().zip(sizes).collect(), devices })
}

/// The sizes of nested lists, and the numbers in them.
fn listed(pair: Node<'_>, text: &str) -> Result<(Vec<u64>, Vec<u64>), ParseError> {
    let whole = span(&pair);
    let (mut count, mut inner, mut ranks) = (0, None, Vec::new());
    for part in pair.into_inner() {
        let (sizes, numbers) = match part.as_rule() {
            Rule::int => (Vec::new(), vec![read::int(&part, text)?]),
            Rule::ranks => listed(part, text)?,
            _ => continue,
        };
        if *inner.get_or_insert_with(|| sizes.clone()) != sizes {
            let message = "the rows of the mesh have different lengths";
            return Err(ParseError::invalid(message, whole, text));
        }
        count += 1;
        ranks.extend(numbers);
    }
    Ok(([vec![count], inner.unwrap_or_default()].concat(), ranks))
}

/// The devices of a mesh, numbered in the order of their ranks; `None` if the mesh is in that order.
fn by_rank(ranks: &[u64]) -> Option<TileDevices> {
    let known = ranks.iter().copied().sorted().dedup().collect_vec();
    let number = |rank: &u64| to_u64(known.partition_point(|known| known < rank));
    let numbers = ranks.iter().map(number).collect_vec();
    let is_in_order = numbers.iter().zip(0..).all(|(number, place)| *number == place);
    (!is_in_order).then_some(TileDevices::List(numbers))
}

/// The devices of a mesh whose axes step through the ranks; `None` if that is row-major order.
fn by_stride(sizes: &[u64], strides: &[u64]) -> Result<Option<TileDevices>, String> {
    if sizes.len() != strides.len() {
        let (sizes, strides) = (sizes.len(), strides.len());
        return Err(format!("the mesh has {sizes} sizes, but {strides} strides"));
    }
    let is_even = |even: Vec<u64>| {
        izip!(sizes, strides, even).all(|(size, stride, even)| *size == 1 || *stride == even)
    };
    if contiguous(sizes).is_some_and(is_even) {
        return Ok(None);
    }
    if product(sizes.iter().copied()).is_none_or(|devices| devices > MOST_LISTED) {
        return Err(format!("a mesh in this order is listed, with at most {MOST_LISTED} devices"));
    }
    let axes = sizes.iter().copied().zip(strides.iter().copied()).rev();
    let mut steps = axes.clone().map(|(size, stride)| size.saturating_sub(1).checked_mul(stride));
    if steps.try_fold(0_u64, |last, step| last.checked_add(step?)).is_none() {
        return Err("the ranks of the mesh do not fit in 64 bits".to_owned());
    }
    let ranks = sums(axes, usize::MAX);
    Ok(by_rank(&ranks))
}
