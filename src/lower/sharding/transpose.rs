//! Devices in another order, written as XLA writes them.
//!
//! ```text
//! [3,2] <=[2,3]T(1,0), dimensions swapped     digits 3 and 2 line up: [2,3] <=[6]
//! [2,3] <=[2,3]T(1,0), dimensions swapped     they do not: [3,2] 0,4,3,2,1,5
//! ```
//!
//! XLA keeps digits if they align with every dimension, and lists the devices otherwise, even if other
//! digits could express the order. We do the same, so that normal forms have the same text.
//!
//! Source: openxla/xla, `tile_assignment.cc`, IotaTileAssignment::Transpose; `hlo_sharding.cc`,
//! PartialTile.

use itertools::Itertools;

use super::order::{DeviceOrder, shared_out};
use crate::error::LayoutError;

impl DeviceOrder {
    /// Positions count in `sizes`, major to minor; the dimensions are put in the order of `places`.
    ///
    /// Law: the new position of a device has the same digits as the old one, in that order.
    pub(super) fn transposed(
        &self,
        sizes: &[u64],
        places: &[usize],
    ) -> Result<DeviceOrder, LayoutError> {
        let sized = places.iter().filter_map(|at| Some((*at, *sizes.get(*at)?)));
        let real: Vec<(usize, u64)> = sized.filter(|(_, size)| *size > 1).collect();
        if real.is_sorted_by_key(|(at, _)| *at) {
            return Ok(self.clone());
        }
        let shares = self.written_digits().and_then(|digits| shared_out(digits, sizes));
        if let Some(shares) = shares {
            let moved = real.iter().filter_map(|(at, _)| shares.get(*at));
            return Ok(DeviceOrder::of(moved.flatten().copied().collect()));
        }
        self.check_listed()?;
        let positions = real.iter().fold(vec![0], |positions, (at, size)| {
            let weight: u64 = sizes.iter().skip(at + 1).product();
            let steps = (0..*size).map(|digit| digit * weight).collect_vec();
            positions.iter().cartesian_product(steps).map(|(a, b)| a + b).collect()
        });
        DeviceOrder::list(positions.into_iter().filter_map(|at| self.device(at)).collect())
    }

    /// Sorts the devices of every `size` positions in a row: copies have no order of their own.
    pub(super) fn sorted_in_runs(&self, size: u64) -> Result<DeviceOrder, LayoutError> {
        let runs = self.len() / size.max(1);
        let shares = self.written_digits().and_then(|digits| shared_out(digits, &[runs, size]));
        if let Some([heads, copies]) = shares.as_deref() {
            let copies = copies.iter().copied().sorted_by(|a, b| b.weight.cmp(&a.weight));
            return Ok(DeviceOrder::of(heads.iter().copied().chain(copies).collect()));
        }
        self.check_listed()?;
        let run = |run: u64| (run * size..(run + 1) * size).filter_map(|at| self.device(at));
        DeviceOrder::list((0..runs).flat_map(|at| run(at).sorted()).collect())
    }
}
