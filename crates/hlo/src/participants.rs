//! The groups of devices in a collective: its attributes number replicas, partitions or devices.
//!
//! ```text
//! replica_count=2, num_partitions=3: device = 3 replica + partition     replica 0: 0 1 2   1: 3 4 5
//! groups {0,1} of replicas                       0 3, 1 4, 2 5          for every partition
//! groups {0,1} of partitions                     0 1, 3 4               for every replica
//! groups {0,1} of replicas with all partitions   0 1 2 3 4 5
//! ```

use itertools::iproduct;

use super::collective::{CollectiveKind, lacks, text};
use crate::{HloInstruction, HloModule};
use tensor_layout::LayoutError;
use tensor_layout::error::fault;
use tensor_layout::sharding::DeviceGroups;
use tensor_layout_words::{counted, to_u64};

/// The meaning of the numbers in groups (XLA's `CollectiveOpGroupMode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Replicas,
    Partitions,
    ReplicasWithPartitions,
    Devices,
}

impl Mode {
    /// Returns the mode of a collective; `None` for global numbers without a channel, which XLA rejects.
    ///
    /// Source: openxla/xla, `collective_ops_utils.cc`, GetCollectiveOpGroupMode.
    fn of(kind: CollectiveKind, has_channel: bool, is_global: bool) -> Option<Mode> {
        use CollectiveKind as K;
        let is_of_pairs =
            matches!(kind, K::AllToAll | K::RaggedAllToAll | K::Permute | K::Broadcast);
        match (has_channel, is_global) {
            (false, true) => None,
            (false, false) => Some(Mode::Replicas),
            (true, true) => Some(Mode::Devices),
            (true, false) if is_of_pairs => Some(Mode::Partitions),
            (true, false) => Some(Mode::ReplicasWithPartitions),
        }
    }

    /// Returns the noun for a number, and the attributes of the instruction that decide it.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Mode::Replicas => ("replica", "without `channel_id`"),
            Mode::Partitions => ("partition", "with `channel_id`"),
            Mode::ReplicasWithPartitions => {
                ("replica", "with `channel_id` and without `use_global_device_ids=true`")
            }
            Mode::Devices => ("device", "with `use_global_device_ids=true`"),
        }
    }
}

/// The devices of a module.
#[derive(Clone, Copy, Debug)]
struct Devices {
    replicas: u64,
    partitions: u64,
    all: u64,
}

impl Devices {
    fn of(module: &HloModule) -> Result<Devices, LayoutError> {
        let (replicas, partitions) = (module.replicas().max(1), module.partitions().max(1));
        let too_large = || crate::bytes::too_large("the number of devices");
        let all = replicas.checked_mul(partitions).ok_or_else(too_large)?;
        Ok(Devices { replicas, partitions, all })
    }

    /// Returns the number of replicas, partitions or devices that the numbers may name.
    fn count(self, mode: Mode) -> u64 {
        match mode {
            Mode::Replicas | Mode::ReplicasWithPartitions => self.replicas,
            Mode::Partitions => self.partitions,
            Mode::Devices => self.all,
        }
    }

    /// Returns an error for a number that the module does not have. A module of one device is not checked:
    /// its head may be missing, or leave out the counts.
    fn check(self, mode: Mode, groups: &[Vec<u64>]) -> Result<(), LayoutError> {
        let count = self.count(mode);
        let beyond = groups.iter().flatten().find(|id| **id >= count).filter(|_| self.all > 1);
        let (what, because) = mode.words();
        beyond.map_or(Ok(()), |id| {
            let (id, all) = (*id, counted(count, what));
            Err(fault!(
                Invalid,
                "this collective names {what} {id}, but the module has only {all}: {because}, the \
                 numbers are those of {what}s",
                [what, id, all, because]
            ))
        })
    }

    /// The devices of groups of numbers.
    ///
    /// Source: openxla/xla, `collective_ops_utils.cc`, GetParticipatingDevicesGroups.
    fn named(self, mode: Mode, groups: Vec<Vec<u64>>) -> Result<Vec<Vec<u64>>, LayoutError> {
        self.check(mode, &groups)?;
        let listed = groups.iter().map(|group| to_u64(group.len())).sum::<u64>();
        check_listed(listed.saturating_mul(self.all / self.count(mode)))?;
        let device = |replica: u64, partition: u64| replica * self.partitions + partition;
        Ok(match mode {
            Mode::Devices => groups,
            Mode::Replicas => in_each(&groups, self.partitions, device),
            Mode::Partitions => in_each(&groups, self.replicas, |id, replica| device(replica, id)),
            Mode::ReplicasWithPartitions => {
                let all = |group: Vec<u64>| {
                    iproduct!(group, 0..self.partitions).map(|(r, p)| device(r, p))
                };
                groups.into_iter().map(|group| all(group).collect()).collect()
            }
        })
    }
}

/// The devices of every group in each of `count` others.
fn in_each(groups: &[Vec<u64>], count: u64, device: impl Fn(u64, u64) -> u64) -> Vec<Vec<u64>> {
    let groups = iproduct!(groups, 0..count);
    groups.map(|(group, other)| group.iter().map(|id| device(*id, other)).collect()).collect()
}

impl HloInstruction<'_> {
    /// Returns the devices that take part together, group by group in the order that is written; the groups
    /// of a `collective-permute` are its pairs.
    pub(super) fn participants(&self, kind: CollectiveKind) -> Result<Vec<Vec<u64>>, LayoutError> {
        let is_global = self.attribute("use_global_device_ids") == Some("true");
        let mode = Mode::of(kind, self.attribute("channel_id").is_some(), is_global);
        let mode = mode.ok_or_else(|| {
            fault!(
                Missing,
                "`use_global_device_ids=true` needs `channel_id`, which this collective lacks"
            )
        })?;
        let devices = Devices::of(self.computation().module())?;
        let groups = match kind {
            CollectiveKind::Permute => self.pairs()?,
            _ => self.groups(mode, devices)?,
        };
        devices.named(mode, groups)
    }

    /// Returns the partitions that each number in its groups stands for: all of a replica, or one.
    pub(super) fn partitions_of_number(&self, kind: CollectiveKind) -> u64 {
        let is_global = self.attribute("use_global_device_ids") == Some("true");
        match Mode::of(kind, self.attribute("channel_id").is_some(), is_global) {
            Some(Mode::ReplicasWithPartitions) => self.computation().module().partitions().max(1),
            _ => 1,
        }
    }

    fn groups(&self, mode: Mode, devices: Devices) -> Result<Vec<Vec<u64>>, LayoutError> {
        let groups: DeviceGroups = self.listed("replica_groups")?.parse().map_err(text)?;
        match &groups {
            DeviceGroups::Listed(groups) if groups.is_empty() && mode == Mode::Devices => {
                Err(fault!(
                    Missing,
                    "with `use_global_device_ids=true`, `replica_groups` must name the devices"
                ))
            }
            _ => groups.lower(devices.count(mode)),
        }
    }

    fn pairs(&self) -> Result<Vec<Vec<u64>>, LayoutError> {
        match self.listed("source_target_pairs")?.parse().map_err(text)? {
            DeviceGroups::Listed(pairs) if pairs.iter().all(|pair| pair.len() == 2) => Ok(pairs),
            _ => Err(fault!(
                Invalid,
                "`source_target_pairs` is not a list of pairs, as in `{{{{0,1}},{{1,0}}}}`"
            )),
        }
    }

    fn listed(&self, attribute: &'static str) -> Result<&str, LayoutError> {
        self.attribute(attribute).ok_or_else(|| lacks(attribute))
    }
}

/// The most devices that are listed one by one, as in shardings.
const MOST_LISTED: u64 = 1 << 22;

/// Returns an error if more devices would be listed.
fn check_listed(devices: u64) -> Result<(), LayoutError> {
    let question = "listing the devices of a sharding one by one";
    let too_many = || LayoutError::not_decided(question, MOST_LISTED);
    if devices <= MOST_LISTED { Ok(()) } else { Err(too_many()) }
}
