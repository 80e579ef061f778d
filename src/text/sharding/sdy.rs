//! Shardy's shardings: `#sdy.sharding<@mesh, [{"x"}, {}]>`.

use std::fmt;
use std::str::FromStr;

use itertools::Itertools;

use super::read::{self, Rule};
use super::tree::{Mesh, MeshDims, Quoted, TileDevices};
use crate::error::ParseError;

/// A sharding of Shardy, on a mesh that is named or written out.
///
/// ```
/// use tensor_layout::sharding::SdySharding;
/// let sharding: SdySharding = r#"<@mesh, [{"x", ?}, {"y":(1)2}p0], replicated={"z"}>"#.parse()?;
/// assert_eq!(sharding.mesh_name.as_deref(), Some("mesh"));
/// let printed = r#"#sdy.sharding<@mesh, [{"x", ?}, {"y":(1)2}p0], replicated={"z"}>"#;
/// assert_eq!(sharding.to_string(), printed);
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
///
/// Source: openxla/shardy, `attrs.td`, `docs/sharding_representation.md`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SdySharding {
    /// `@mesh`, without the `@`.
    pub mesh_name: Option<String>,
    /// `mesh<["x"=2]>`
    pub mesh: Option<Mesh>,
    /// Axes per dimension.
    pub dims: MeshDims,
}

/// A mesh as Shardy writes it.
struct SdyMesh<'a>(&'a Mesh);

impl fmt::Display for SdyMesh<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes = self.0.axes.iter().map(|(name, size)| format!("\"{name}\"={size}"));
        write!(f, "<[{}]", axes.collect_vec().join(", "))?;
        let devices = match &self.0.devices {
            None => return write!(f, ">"),
            Some(TileDevices::List(devices)) => devices.clone(),
            Some(TileDevices::Iota(..)) => self.0.device_order().map_err(|_| fmt::Error)?,
        };
        write!(f, ", device_ids=[{}]>", devices.iter().join(", "))
    }
}

impl fmt::Display for SdySharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#sdy.sharding<")?;
        match (&self.mesh_name, &self.mesh) {
            (Some(name), _) => write!(f, "@{name}")?,
            (None, Some(mesh)) => write!(f, "mesh{}", SdyMesh(mesh))?,
            (None, None) => write!(f, "@mesh")?,
        }
        write!(f, ", {}>", Quoted(&self.dims, '"'))
    }
}

impl FromStr for SdySharding {
    type Err = ParseError;

    /// Parses a Shardy sharding, with or without `#sdy.sharding`, or its dimensions alone,
    /// `[{"x"}, {}]`. Cost: linear in the text.
    fn from_str(text: &str) -> Result<SdySharding, ParseError> {
        let mut sharding = SdySharding::default();
        if text.trim_start().starts_with('[') {
            // The name that is printed if there is none.
            sharding.mesh_name = Some("mesh".to_owned());
        }
        let whole = read::parse(Rule::sdy_text, text)?;
        for part in whole.flat_map(pest::iterators::Pair::into_inner) {
            match part.as_rule() {
                Rule::mesh_name => {
                    let name = part.as_str().trim_start_matches('@').trim_matches('"');
                    sharding.mesh_name = Some(name.to_owned());
                }
                Rule::sdy_body => sharding.mesh = Some(read::mesh(part, text)?),
                _ => read::mesh_dims(part, &mut sharding.dims, text)?,
            }
        }
        Ok(sharding)
    }
}
