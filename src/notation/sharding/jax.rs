//! JAX's shardings as they print: `P('x', ('y', 'z'), None)`.

use std::fmt;
use std::str::FromStr;

use itertools::Itertools;
use pest::iterators::Pair;

use super::grammar::Rule;
use super::read;
use super::tree::{DimAxes, Mesh, MeshAxis, MeshDims};
use crate::error::ParseError;

/// A `PartitionSpec`, alone or in the `NamedSharding` that names its mesh.
///
/// Dimensions behind the last entry are not cut. `UNCONSTRAINED` is an open dimension.
///
/// ```
/// use tensor_layout::sharding::PartitionSpec;
/// let text = "NamedSharding(mesh=Mesh('x': 2, 'y': 4, axis_types=(Auto, Auto)), spec=P('x', ('y',)), memory_kind=device)";
/// let spec: PartitionSpec = text.parse()?;
/// assert_eq!(spec.mesh.as_ref().map(|mesh| mesh.axes.len()), Some(2));
/// assert_eq!(spec.to_string(), "P('x', 'y')");
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PartitionSpec {
    /// The mesh of a `NamedSharding`.
    pub mesh: Option<Mesh>,
    /// Axes per dimension.
    pub dims: MeshDims,
}

impl fmt::Display for PartitionSpec {
    /// `P(..)`, without the mesh.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |axis: &MeshAxis| format!("'{}'", axis.name);
        let entry = |dim: &DimAxes| match &dim.axes[..] {
            [] if dim.open => "UNCONSTRAINED".to_owned(),
            [] => "None".to_owned(),
            [axis] => quoted(axis),
            axes => format!("({})", axes.iter().map(quoted).join(", ")),
        };
        let mut entries = self.dims.dims.iter().map(entry).collect_vec();
        if !self.dims.unreduced.is_empty() {
            let axes = self.dims.unreduced.iter().map(quoted).join(", ");
            entries.push(format!("unreduced={{{axes}}}"));
        }
        // A tuple of one has a comma behind it only where Python shows the tuple; `P('x')` is a call.
        write!(f, "P({})", entries.join(", "))
    }
}

impl FromStr for PartitionSpec {
    type Err = ParseError;

    /// Parses `P(..)`, `PartitionSpec(..)` or `NamedSharding(..)`. Cost: linear in the text.
    fn from_str(text: &str) -> Result<PartitionSpec, ParseError> {
        let mut found = PartitionSpec::default();
        for part in read::parse(Rule::jax_text, text)?.into_inner() {
            match part.as_rule() {
                Rule::named_sharding => {
                    for part in part.into_inner() {
                        match part.as_rule() {
                            Rule::jax_mesh => found.mesh = Some(read::mesh(part, text)?),
                            Rule::spec => found.dims = spec(part, text)?,
                            _ => {}
                        }
                    }
                }
                Rule::spec => found.dims = spec(part, text)?,
                _ => {}
            }
        }
        Ok(found)
    }
}

fn whole(pair: &Pair<'_, Rule>) -> MeshAxis {
    MeshAxis { name: read::unquote(pair), part: None }
}

fn names(pair: Pair<'_, Rule>) -> Vec<MeshAxis> {
    pair.into_inner().filter(|p| p.as_rule() == Rule::name).map(|p| whole(&p)).collect()
}

fn spec(pair: Pair<'_, Rule>, text: &str) -> Result<MeshDims, ParseError> {
    let mut dims = MeshDims::default();
    for part in pair.into_inner() {
        let cut = |axes| DimAxes { axes, ..DimAxes::default() };
        match part.as_rule() {
            Rule::name => dims.dims.push(cut(vec![whole(&part)])),
            Rule::axis_tuple => dims.dims.push(cut(names(part))),
            Rule::none => dims.dims.push(DimAxes::default()),
            Rule::unconstrained => dims.dims.push(DimAxes { open: true, ..DimAxes::default() }),
            Rule::jax_unreduced => {
                let span = read::span(&part);
                if !dims.unreduced.is_empty() {
                    return Err(read::invalid("`unreduced=` appears twice", span, text));
                }
                dims.unreduced = names(part);
            }
            _ => {}
        }
    }
    Ok(dims)
}
