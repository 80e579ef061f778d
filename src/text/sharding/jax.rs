//! JAX's shardings as JAX prints them: `P('x', ('y', 'z'), None)`.

use std::fmt;
use std::str::FromStr;

use itertools::Itertools;
use pest::iterators::Pair;

use super::read::{self, Rule};
use super::tree::{DimAxes, Mesh, MeshAxis, MeshDims};
use crate::error::ParseError;
use crate::text::pairs::{child, children, span};

/// A `PartitionSpec`, alone or in the `NamedSharding` that names its mesh.
///
/// Dimensions after the last entry are not cut. `UNCONSTRAINED` is an open dimension. Along axes of type
/// `Manual`, the program itself decides what each device holds.
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

impl PartitionSpec {
    /// The mesh, if it has to be written with the spec: only a mesh marks axes as manual.
    pub(crate) fn manual_mesh(&self) -> Option<&Mesh> {
        self.mesh.as_ref().filter(|_| !self.dims.manual.is_empty())
    }

    /// `'x': 2, 'y': 4, axis_types=(Manual, Auto)`
    fn typed(&self, mesh: &Mesh) -> String {
        let axes = mesh.axes.iter().map(|(name, size)| format!("'{name}': {size}")).join(", ");
        let is_manual = |name: &String| self.dims.manual.iter().any(|axis| axis.name == *name);
        let of = |(name, _): &(String, u64)| if is_manual(name) { "Manual" } else { "Auto" };
        let comma = if mesh.axes.len() == 1 { "," } else { "" };
        format!("{axes}, axis_types=({}{comma})", mesh.axes.iter().map(of).join(", "))
    }
}

impl fmt::Display for PartitionSpec {
    /// Writes `P(..)`; the mesh is written too only if it has manual axes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |axis: &MeshAxis| format!("'{}'", axis.name);
        let entry = |dim: &DimAxes| match &dim.axes[..] {
            [] if dim.open => "UNCONSTRAINED".to_owned(),
            [] => "None".to_owned(),
            [axis] => quoted(axis),
            axes => format!("({})", axes.iter().map(quoted).join(", ")),
        };
        let mut entries = self.dims.dims.iter().map(entry).collect_vec();
        let sets = [("unreduced", &self.dims.unreduced), ("reduced", &self.dims.replicated)];
        for (key, axes) in sets.into_iter().filter(|(_, axes)| !axes.is_empty()) {
            entries.push(format!("{key}={{{}}}", axes.iter().map(quoted).join(", ")));
        }
        // A tuple of one has a comma after it only where Python shows the tuple; `P('x')` is a call.
        let spec = format!("P({})", entries.join(", "));
        match self.manual_mesh() {
            Some(mesh) => write!(f, "NamedSharding(mesh=Mesh({}), spec={spec})", self.typed(mesh)),
            None => f.write_str(&spec),
        }
    }
}

impl FromStr for PartitionSpec {
    type Err = ParseError;

    /// Parses `P(..)`, `PartitionSpec(..)` or `NamedSharding(..)`. Cost: linear in the text.
    fn from_str(text: &str) -> Result<PartitionSpec, ParseError> {
        let mut found = PartitionSpec::default();
        for part in read::parse(Rule::jax_text, text)? {
            match part.as_rule() {
                Rule::named_sharding => found = named(part, text)?,
                Rule::spec => found.dims = spec(part, text)?,
                _ => {}
            }
        }
        Ok(found)
    }
}

/// `NamedSharding(mesh=.., spec=..)`
fn named(pair: Pair<'_, Rule>, text: &str) -> Result<PartitionSpec, ParseError> {
    let (mut mesh, mut dims, mut manual) = (Mesh::default(), MeshDims::default(), Vec::new());
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::jax_mesh => {
                mesh = read::mesh(part.clone(), text)?;
                manual = self::manual(part, &mesh, text)?;
            }
            Rule::spec => {
                let span = span(&part);
                dims = spec(part, text)?;
                if let Some(axis) = dims.all_axes().find(|axis| manual.contains(axis)) {
                    let message =
                        format!("`{}` is a manual axis, along which a spec cannot cut", axis.name);
                    return Err(ParseError::invalid(message, span, text));
                }
            }
            _ => {}
        }
    }
    Ok(PartitionSpec { mesh: Some(mesh), dims: MeshDims { manual, ..dims } })
}

/// The axes of a mesh whose type is `Manual`.
fn manual(pair: Pair<'_, Rule>, mesh: &Mesh, text: &str) -> Result<Vec<MeshAxis>, ParseError> {
    let Some(types) = child(pair, Rule::axis_types) else { return Ok(Vec::new()) };
    let span = span(&types);
    let types = children(types, Rule::axis_type).collect_vec();
    if types.len() != mesh.axes.len() {
        let message = format!("{} types of axes, but {} axes", types.len(), mesh.axes.len());
        return Err(ParseError::invalid(message, span, text));
    }
    let axes = mesh.axes.iter().zip(types).filter(|(_, of)| of.as_str().ends_with("Manual"));
    Ok(axes.map(|((name, _), _)| MeshAxis { name: name.clone(), part: None }).collect())
}

fn whole(pair: &Pair<'_, Rule>) -> MeshAxis {
    MeshAxis { name: read::unquote(pair), part: None }
}

fn names(pair: Pair<'_, Rule>) -> Vec<MeshAxis> {
    children(pair, Rule::name).map(|p| whole(&p)).collect()
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
            Rule::jax_unreduced => only(&mut dims.unreduced, part, "unreduced", text)?,
            Rule::jax_reduced => only(&mut dims.replicated, part, "reduced", text)?,
            _ => {}
        }
    }
    Ok(dims)
}

/// Takes the axes of a set that may be given once.
fn only(
    into: &mut Vec<MeshAxis>,
    pair: Pair<'_, Rule>,
    key: &str,
    text: &str,
) -> Result<(), ParseError> {
    if !into.is_empty() {
        return Err(ParseError::invalid(format!("`{key}=` appears twice"), span(&pair), text));
    }
    *into = names(pair);
    Ok(())
}
