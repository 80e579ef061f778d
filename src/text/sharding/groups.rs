//! Device groups, as collectives list them.

use std::fmt;
use std::str::FromStr;

use itertools::Itertools;

use super::error::list;
use super::lower::order_of;
use super::mesh;
use super::order::{DeviceOrder, count};
use super::read::{self, Rule};
use super::tree::{Mesh, MeshAxis, Quoted, TileDevices};
use crate::error::{LayoutError, ParseError, fault};
use crate::number::to_index;
use crate::text::pairs::{child, children};

/// The `replica_groups` of a collective, in any of their three forms.
///
/// ```
/// use tensor_layout::sharding::DeviceGroups;
/// let groups: DeviceGroups = "mesh['a'=4,'b'=2], device_ids=([2,2,2]T(0,2,1)) {'a':(2)2}".parse()?;
/// assert_eq!(groups.lower(8)?, [[0, 1], [2, 3], [4, 5], [6, 7]]);
/// assert_eq!("[2,4]<=[4,2]T(1,0)".parse::<DeviceGroups>()?.lower(8)?, [[0, 2, 4, 6], [1, 3, 5, 7]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Source: openxla/xla, `hlo_parser.cc`, ParseCollectiveDeviceList.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DeviceGroups {
    /// `{{0,1},{2,3}}`; without a group, all devices form one.
    Listed(Vec<Vec<u64>>),
    /// `[2,4]<=[8]`: two groups of four devices.
    Iota(Vec<u64>, TileDevices),
    /// `mesh['x'=2] {'x'}`: devices that differ only along these axes form a group.
    Mesh(Mesh, Vec<MeshAxis>),
}

impl fmt::Display for DeviceGroups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceGroups::Listed(groups) => {
                let groups = groups.iter().map(|group| format!("{{{}}}", group.iter().join(",")));
                write!(f, "{{{}}}", groups.collect_vec().join(","))
            }
            DeviceGroups::Iota(dims, devices) => write!(f, "[{}]{devices}", dims.iter().join(",")),
            DeviceGroups::Mesh(mesh, axes) => {
                write!(f, "{mesh} {{{}}}", axes.iter().map(|axis| Quoted(axis, '\'')).join(", "))
            }
        }
    }
}

impl FromStr for DeviceGroups {
    type Err = ParseError;

    /// Parses groups of devices. Cost: linear in the text.
    fn from_str(text: &str) -> Result<DeviceGroups, ParseError> {
        let (mut listed, mut dims, mut mesh) = (Vec::new(), Vec::new(), Mesh::default());
        for part in read::parse(Rule::groups_text, text)? {
            match part.as_rule() {
                Rule::listed_groups => {
                    for group in children(part, Rule::listed_group) {
                        let list = child(group, Rule::list);
                        listed.push(list.map_or(Ok(Vec::new()), |list| read::ints(list, text))?);
                    }
                }
                Rule::square => dims = read::ints(part, text)?,
                Rule::iota => {
                    return read::iota_devices(part, text).map(|of| DeviceGroups::Iota(dims, of));
                }
                Rule::hlo_mesh => mesh = read::mesh(part, text)?,
                Rule::axes => return Ok(DeviceGroups::Mesh(mesh, read::axes(part, text)?)),
                _ => {}
            }
        }
        Ok(DeviceGroups::Listed(listed))
    }
}

impl DeviceGroups {
    /// The devices of every group, in order; a text without groups has one group of `devices` devices.
    ///
    /// Cost: O(devices).
    ///
    /// # Errors
    /// [`LayoutError`] for a device that appears twice, groups of different
    /// sizes that are not listed, and meshes that are invalid, as for
    /// [`HloSharding::lower`](crate::sharding::HloSharding::lower); more than 2^22 devices.
    pub fn lower(&self, devices: u64) -> Result<Vec<Vec<u64>>, LayoutError> {
        match self {
            DeviceGroups::Listed(groups) if groups.is_empty() => {
                groups_of(&DeviceOrder::iota(&[devices.max(1)], &[])?, devices.max(1))
            }
            DeviceGroups::Listed(groups) => {
                if let Some(group) = groups.iter().position(Vec::is_empty) {
                    return Err(fault!(
                        Invalid,
                        "its group {group} is empty; `{{}}` alone means all devices",
                        [group]
                    ));
                }
                DeviceOrder::list(groups.concat())?;
                Ok(groups.clone())
            }
            DeviceGroups::Iota(dims, order) => {
                let order = order_of(order)?;
                let (places, devices) = (count(dims)?, order.len());
                match dims[..] {
                    [_, size] if places == devices => groups_of(&order, size),
                    [_, _] => Err(fault!(
                        Invalid,
                        "the groups have {places} places for {devices} devices",
                        [places, devices]
                    )),
                    _ => Err(fault!(
                        Invalid,
                        "groups are written as `[groups,size]<=[..]`, not as [{dims}]",
                        [dims = list(dims)]
                    )),
                }
            }
            DeviceGroups::Mesh(mesh, axes) => {
                let (order, size) = mesh::minor(mesh, axes)?;
                groups_of(&order, size)
            }
        }
    }
}

/// The devices in groups of `size`.
fn groups_of(order: &DeviceOrder, size: u64) -> Result<Vec<Vec<u64>>, LayoutError> {
    order.check_listed()?;
    let devices: Vec<u64> = order.iter().collect();
    let size = to_index(size.max(1));
    Ok(devices.chunks(size).map(<[u64]>::to_vec).collect())
}
