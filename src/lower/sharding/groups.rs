//! Groups of devices, one by one.

use super::error::list;
use super::lower::order_of;
use super::mesh;
use super::order::{DeviceOrder, count};
use crate::error::{LayoutError, fault};
use crate::notation::sharding::DeviceGroups;
use crate::number::to_index;

impl DeviceGroups {
    /// The devices of every group, in order; a text without groups has one group of `devices` devices.
    ///
    /// Cost: O(devices).
    ///
    /// # Errors
    /// [`LayoutError`] for a device that appears twice, groups of different sizes that are not listed, and
    /// meshes that are invalid, as for
    /// [`HloSharding::lower`](super::super::super::sharding::HloSharding::lower); more than 2^22 devices.
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
