//! The axes of a mesh that a collective is along: those in which devices that send to each other are at different places.
//!
//! ```text
//! data=2,model=4     0 1 2 3      groups {0,1,2,3} {4,5,6,7}            along model
//!                    4 5 6 7      groups {0,4} {1,5} {2,6} {3,7}        along data
//!                                 group  {0,1,2,3,4,5,6,7}              along data and model
//! ```

use itertools::Itertools;
use rustc_hash::FxHashMap;

use crate::collective::Collective;
use crate::{HloInstruction, HloModule};
use tensor_layout::LayoutError;
use tensor_layout::error::fault;
use tensor_layout::sharding::{DeviceGroups, Mesh};
use tensor_layout_words::{counted, to_u64};

/// The devices of a mesh with their places.
#[derive(Clone, Debug)]
pub(super) struct MeshPlaces {
    axes: Vec<(String, u64)>,
    /// The place of each device, places in row-major order.
    places: FxHashMap<u64, u64>,
}

impl MeshPlaces {
    pub(super) fn new(mesh: &Mesh) -> Result<MeshPlaces, LayoutError> {
        let devices = mesh.device_order()?;
        Ok(MeshPlaces { axes: mesh.axes.clone(), places: devices.into_iter().zip(0..).collect() })
    }

    /// Rejects a module that runs on another number of devices. One that names a single device is not checked: its head
    /// may be missing, or leave out the counts.
    fn check(&self, module: &HloModule) -> Result<(), LayoutError> {
        let all = module.replicas().max(1).saturating_mul(module.partitions().max(1));
        let own = to_u64(self.places.len());
        if all == 1 || all == own {
            return Ok(());
        }
        let (own, all) = (counted(own, "device"), counted(all, "device"));
        Err(fault!(Invalid, "the mesh has {own}, but the module runs on {all}", [own, all]))
    }

    /// The axes in which devices of a group differ from its first one.
    pub(super) fn along(
        &self,
        module: &HloModule,
        collective: &Collective,
    ) -> Result<Vec<String>, LayoutError> {
        self.check(module)?;
        let mut differ = vec![false; self.axes.len()];
        for devices in collective.sending() {
            let places = devices.iter().map(|device| self.place(*device));
            let places: Vec<u64> = places.collect::<Result<_, _>>()?;
            for (first, other) in
                places.first().iter().flat_map(|first| places.iter().map(|place| (**first, *place)))
            {
                self.note(first, other, &mut differ);
            }
        }
        let names = self.axes.iter().map(|(name, _)| name.clone());
        Ok(names.zip(differ).filter(|(_, differs)| *differs).map(|(name, _)| name).collect())
    }

    fn place(&self, device: u64) -> Result<u64, LayoutError> {
        let count = || counted(to_u64(self.places.len()), "device");
        self.places.get(&device).copied().ok_or_else(|| {
            let count = count();
            fault!(
                Invalid,
                "the mesh has {count}, but a collective names device {device}",
                [count, device]
            )
        })
    }

    /// Notes the axes in which two places differ, from the minor one.
    fn note(&self, mut first: u64, mut other: u64, differ: &mut [bool]) {
        for ((_, size), differs) in self.axes.iter().zip(differ).rev() {
            *differs |= first % size != other % size;
            (first, other) = (first / size, other / size);
        }
    }
}

/// The axes that `replica_groups` itself names, if it is written with a mesh.
pub(super) fn named(of: HloInstruction<'_>) -> Option<Vec<String>> {
    match of.attribute("replica_groups")?.parse().ok()? {
        DeviceGroups::Mesh(_, axes) => {
            Some(axes.into_iter().map(|axis| axis.name).unique().collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use itertools::Itertools;

    use crate::{Collectives, HloDump};
    use tensor_layout::LayoutError;

    fn axes(mesh: &str, groups: &str) -> Result<Option<Vec<String>>, LayoutError> {
        let text = format!(
            "HloModule m, num_partitions=12\nENTRY e {{\n a = f32[64] parameter(0)\n \
             ROOT r = f32[64] all-reduce(a), channel_id=1, replica_groups={groups}, use_global_device_ids=true\n}}\n"
        );
        let (mut dump, mut all) =
            (HloDump::new(text.as_bytes()), Collectives::along(&mesh.parse().unwrap())?);
        while let Some(computation) = dump.next_computation().unwrap() {
            all.add(computation, None)?;
        }
        Ok(all.finish()?.entries.remove(0).axes)
    }

    /// For every set of axes: groups of the devices whose places differ in these axes alone.
    #[test]
    fn a_collective_is_along_the_axes_in_which_places_of_a_group_differ() {
        let (sizes, names) = ([2_u64, 3, 2], ["a", "b", "c"]);
        let places = || (0..12_u64).map(|at| [at / 6, at / 2 % 3, at % 2]);
        // The device at a place, in the order of the mesh and in that of its transpose.
        let plain = |[a, b, c]: [u64; 3]| (a * sizes[1] + b) * sizes[2] + c;
        let turned = |[a, b, c]: [u64; 3]| (c * sizes[1] + b) * sizes[0] + a;
        let transposed = "mesh['a'=2,'b'=3,'c'=2], device_ids=([2,3,2]T(2,1,0))";
        for set in (0..3_usize).powerset() {
            let fixed = |place: &[u64; 3]| {
                (0..3).filter(|axis| !set.contains(axis)).map(|axis| place[axis]).collect_vec()
            };
            let groups = |device: &dyn Fn([u64; 3]) -> u64| {
                let groups = places().into_group_map_by(fixed).into_values();
                let group = |group: Vec<[u64; 3]>| {
                    format!("{{{}}}", group.into_iter().map(device).join(","))
                };
                format!("{{{}}}", groups.map(group).sorted().join(","))
            };
            let expected = set.iter().map(|axis| names[*axis].to_owned()).collect_vec();
            for (mesh, groups) in [("a=2,b=3,c=2", groups(&plain)), (transposed, groups(&turned))] {
                assert_eq!(axes(mesh, &groups).unwrap(), Some(expected.clone()), "{mesh} {groups}");
            }
        }
    }

    #[test]
    fn a_mesh_of_other_devices_is_refused() {
        let said = axes("a=2,b=2", "{{0,1}}").unwrap_err().to_string();
        assert_eq!(said, "the mesh has 4 devices, but the module runs on 12 devices");
    }
}
