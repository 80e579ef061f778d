//! The bytes that the computations of a dump write, by their role in the module.

use std::collections::BTreeMap;

use crate::bytes::total_too_large;
use crate::{HloBytes, HloRole};
use tensor_layout::LayoutError;

/// The number of computations, of those that write most, that are kept by name.
const MOST_LARGEST: usize = 10;

/// Sums over any number of computations, in the memory of a few.
#[derive(Clone, Debug, Default)]
pub(super) struct Overview {
    /// The number of computations that have a role, and what they write.
    by_role: BTreeMap<HloRole, (usize, OverviewSums)>,
    /// The parameters of the entries.
    pub(super) parameters: OverviewSums,
    pub(super) result: OverviewSums,
    largest: Vec<HloLargest>,
    /// Of those in memory that are not among the largest.
    others: (usize, OverviewSums),
}

/// Sums that do not overflow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OverviewSums {
    count: u64,
    unpadded: u128,
    allocated: u128,
}

/// One of the computations that write most.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HloLargest {
    /// Its name.
    pub name: String,
    /// Its role in the module.
    pub role: HloRole,
    /// The line of its head.
    pub line: u64,
    /// The bytes that its instructions write.
    pub written: HloBytes,
}

impl OverviewSums {
    pub(super) fn add(&mut self, bytes: HloBytes) {
        self.add_times(bytes, 1);
    }

    pub(super) fn add_times(&mut self, bytes: HloBytes, times: u64) {
        self.count += bytes.count * times;
        self.unpadded += u128::from(bytes.unpadded) * u128::from(times);
        self.allocated += u128::from(bytes.allocated) * u128::from(times);
    }

    pub(super) fn count(self) -> u64 {
        self.count
    }

    pub(super) fn bytes(self) -> Result<HloBytes, LayoutError> {
        let bytes = |sum: u128| u64::try_from(sum).map_err(|_| total_too_large());
        let (unpadded, allocated) = (bytes(self.unpadded)?, bytes(self.allocated)?);
        Ok(HloBytes { count: self.count, unpadded, allocated })
    }
}

impl Overview {
    /// Adds a computation.
    pub(super) fn add(&mut self, role: HloRole, written: HloBytes, name: &str, line: u64) {
        let (count, sums) = self.by_role.entry(role).or_default();
        *count += 1;
        sums.add(written);
        if !role.is_in_memory() {
            return;
        }
        let before = |one: &HloLargest| one.written.allocated >= written.allocated;
        let at = self.largest.partition_point(before);
        self.largest.insert(at, HloLargest { name: name.to_owned(), role, line, written });
        if let Some(other) = self.largest.get(MOST_LARGEST) {
            self.others.0 += 1;
            self.others.1.add(other.written);
            self.largest.truncate(MOST_LARGEST);
        }
    }

    /// The number of computations that have a role.
    pub(super) fn computations(&self, role: HloRole) -> usize {
        self.by_role.get(&role).map_or(0, |(count, _)| *count)
    }

    /// Returns the bytes that computations with a role write.
    pub(super) fn written(&self, role: HloRole) -> OverviewSums {
        self.by_role.get(&role).map(|(_, sums)| *sums).unwrap_or_default()
    }

    /// The computations in memory that write most.
    pub(super) fn largest(&self) -> &[HloLargest] {
        &self.largest
    }

    /// The number of computations in memory that are not among the largest, and the bytes that they write.
    pub(super) fn others(&self) -> (usize, OverviewSums) {
        self.others
    }
}
