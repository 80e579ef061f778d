//! Collectives: which devices send what to whom, and what of it crosses which level.

use itertools::Itertools;

use crate::error::{LayoutError, ParseError, ShardingFault, Site};
use crate::hlo::HloInstruction;
use crate::level::Level;
use crate::machine::Machine;
use crate::notation::XlaShape;
use crate::notation::sharding::DeviceGroups;
use crate::number::to_u64;

/// What a collective does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CollectiveKind {
    /// Every device gets the parts of all.
    AllGather,
    /// Every device gets the sum, or another reduction, of all.
    AllReduce,
    /// Every device gets a part of the reduction.
    ReduceScatter,
    /// Every device gets a part of every other.
    AllToAll,
    /// Pairs of devices.
    Permute,
    /// All get what the first of a group has.
    Broadcast,
}

/// A collective of a module: the groups, and the bytes that every hop carries.
///
/// Groups send along the ring of their devices in the order that is written, the last to the
/// first; `all-to-all` sends directly. With g devices in a group and b bytes on each:
///
/// | kind | b | each of the g hops carries |
/// |---|---|---|
/// | `all-gather` | the result | (g - 1) b / g |
/// | `reduce-scatter` | the operands | (g - 1) b / g |
/// | `all-reduce` | the operands | 2 (g - 1) b / g |
/// | `all-to-all` | the operands | b / g to every other device |
/// | `collective-broadcast` | the operands | b, from each device but the last |
/// | `collective-permute` | the operands | b, for every pair of different devices |
///
/// Law: the bytes are those of a simulation that sends part by part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collective {
    /// What it does.
    pub kind: CollectiveKind,
    /// Bytes per device: of the result of an `all-gather`, else of the operands.
    pub bytes: u64,
    hops: Vec<(u64, u64)>,
    /// What every hop carries, times `share.0 / share.1`, rounded up.
    share: (u64, u64),
}

/// What a collective moves, over all devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectiveTraffic {
    /// Bytes that devices receive from others.
    pub received: u64,
    /// Per level: bytes that enter its units from other units of it, the outermost level first.
    pub into: Vec<(Level, u64)>,
}

/// Sends parts of sizes that an operand lists.
const RAGGED: &str = "ragged-all-to-all";

/// The kind of an instruction that starts a collective.
fn kind(opcode: &str) -> Option<CollectiveKind> {
    Some(match opcode.strip_suffix("-start").unwrap_or(opcode) {
        "all-gather" => CollectiveKind::AllGather,
        "all-reduce" => CollectiveKind::AllReduce,
        "reduce-scatter" => CollectiveKind::ReduceScatter,
        "all-to-all" => CollectiveKind::AllToAll,
        "collective-permute" => CollectiveKind::Permute,
        "collective-broadcast" => CollectiveKind::Broadcast,
        _ => return None,
    })
}

/// Why a collective is not counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CollectiveError {
    /// A shape or groups that cannot be read.
    #[error("{}", .0.kind())]
    Text(#[from] ParseError),
    /// Groups that contradict themselves, or bytes beyond 64 bits.
    #[error("{0}")]
    Layout(#[from] LayoutError),
    /// An operation whose sizes are known at run time only.
    #[error("`{0}` sends what its operands say at run time: not counted")]
    AtRunTime(&'static str),
    /// An attribute that is missing.
    #[error("this collective lacks `{0}`")]
    Missing(&'static str),
    /// Groups of replicas in a module that has partitions too.
    #[error(
        "this module has replicas and partitions, and without `use_global_device_ids=true` groups \
         are of replicas: traffic between devices is not counted"
    )]
    ReplicasOfPartitions,
    /// Sources and destinations that are not written in pairs.
    #[error("`source_target_pairs` is not a list of pairs, as in `{{{{0,1}},{{1,0}}}}`")]
    NotPairs,
}

impl HloInstruction<'_> {
    /// The collective that this instruction is, or starts; `-done` is part of its `-start`.
    ///
    /// # Errors
    /// [`CollectiveError`].
    ///
    /// # Example
    /// ```
    /// use tensor_layout::hlo::HloDump;
    /// let text = "ENTRY e {
    ///   a = f32[4,8]{1,0} parameter(0)
    ///   ROOT g = f32[16,8]{1,0} all-gather(a), replica_groups=[2,4]<=[8], dimensions={0}
    /// }";
    /// let mut dump = HloDump::new(text.as_bytes());
    /// let gather = dump.next_computation()?.and_then(|entry| entry.root()).unwrap();
    /// let collective = gather.collective()?.unwrap();
    /// let traffic = collective.traffic(Some(&"HOST=4,CHIP=2".parse()?))?;
    /// // Of the ring 0 1 2 3, two hops stay in a host; each carries 3 of 4 parts of 128 bytes.
    /// assert_eq!(traffic.received, 2 * 4 * 384);
    /// assert_eq!(traffic.into[0].1, 2 * 2 * 384);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn collective(&self) -> Result<Option<Collective>, CollectiveError> {
        if self.opcode().starts_with(RAGGED) && !self.opcode().ends_with("-done") {
            return Err(CollectiveError::AtRunTime(RAGGED));
        }
        let Some(kind) = kind(self.opcode()) else { return Ok(None) };
        let bytes = match kind {
            CollectiveKind::AllGather => self.gathered_bytes()?,
            _ => self.operand_bytes()?,
        };
        if kind == CollectiveKind::Permute {
            let hops = self.pairs()?;
            return Ok(Some(Collective { kind, bytes, hops, share: (1, 1) }));
        }
        let groups = self.groups()?;
        let size = groups.iter().map(Vec::len).max().unwrap_or(1);
        let g = to_u64(size);
        if !groups.iter().map(Vec::len).all_equal() {
            return Err(LayoutError::Sharding(ShardingFault::UnevenGroups).into());
        }
        let share = match kind {
            CollectiveKind::AllGather | CollectiveKind::ReduceScatter => (g - 1, g),
            CollectiveKind::AllReduce => (2 * (g - 1), g),
            CollectiveKind::AllToAll => (1, g),
            CollectiveKind::Broadcast | CollectiveKind::Permute => (1, 1),
        };
        let hops = groups.iter().flat_map(|group| hops(kind, group)).collect();
        Ok(Some(Collective { kind, bytes, hops, share }))
    }

    /// The result of an `all-gather`; a `-start` has its operands in front of it.
    fn gathered_bytes(&self) -> Result<u64, CollectiveError> {
        let all = bytes(&self.shape()?)?;
        match self.opcode().ends_with("-start") && self.shape_text().starts_with('(') {
            true => Ok(all.saturating_sub(self.operand_bytes()?)),
            false => Ok(all),
        }
    }

    fn operand_bytes(&self) -> Result<u64, CollectiveError> {
        let mut sum = 0_u64;
        for operand in self.operands() {
            let operand = operand.instruction().ok_or(CollectiveError::Missing("operand"))?;
            sum = sum.checked_add(bytes(&operand.shape()?)?).ok_or_else(too_large)?;
        }
        Ok(sum)
    }

    fn groups(&self) -> Result<Vec<Vec<u64>>, CollectiveError> {
        let text = self.attribute("replica_groups");
        let text = text.ok_or(CollectiveError::Missing("replica_groups"))?;
        let module = self.computation().module();
        let replicas = module.attributes().get("replica_count").and_then(|n| n.parse().ok());
        let (partitions, replicas) = (module.partitions(), replicas.unwrap_or(1_u64));
        let is_global = self.attribute("use_global_device_ids") == Some("true");
        let devices = match (partitions > 1 && replicas > 1, is_global) {
            (false, _) => partitions.max(replicas),
            (true, true) => partitions.checked_mul(replicas).ok_or_else(too_large)?,
            (true, false) => return Err(CollectiveError::ReplicasOfPartitions),
        };
        Ok(text.parse::<DeviceGroups>()?.lower(devices)?)
    }

    /// The pairs of different devices.
    fn pairs(&self) -> Result<Vec<(u64, u64)>, CollectiveError> {
        let text = self.attribute("source_target_pairs");
        let text = text.ok_or(CollectiveError::Missing("source_target_pairs"))?;
        let DeviceGroups::Listed(pairs) = text.parse()? else {
            return Err(CollectiveError::NotPairs);
        };
        let pair = |pair: Vec<u64>| pair.into_iter().collect_tuple::<(u64, u64)>();
        let pairs: Option<Vec<(u64, u64)>> = pairs.into_iter().map(pair).collect();
        let pairs = pairs.ok_or(CollectiveError::NotPairs)?;
        Ok(pairs.into_iter().filter(|(from, to)| from != to).collect())
    }
}

fn too_large() -> LayoutError {
    LayoutError::too_large(Site::Layout, "the number of bytes")
}

/// The elements of all arrays of a shape, without padding.
fn bytes(shape: &XlaShape) -> Result<u64, CollectiveError> {
    Ok(shape.sizes()?.unpadded_bytes)
}

/// Who sends to whom in a group.
fn hops(kind: CollectiveKind, group: &[u64]) -> Vec<(u64, u64)> {
    let ring = group.iter().copied().circular_tuple_windows::<(u64, u64)>();
    match kind {
        _ if group.len() < 2 => Vec::new(),
        CollectiveKind::AllToAll => {
            let pairs = group.iter().copied().cartesian_product(group.iter().copied());
            pairs.filter(|(from, to)| from != to).collect()
        }
        CollectiveKind::Broadcast => ring.take(group.len() - 1).collect(),
        _ => ring.collect(),
    }
}

impl Collective {
    /// What every hop carries, in bytes, rounded up.
    #[must_use]
    pub fn hop_bytes(&self) -> u64 {
        let (numerator, denominator) = self.share;
        let product = u128::from(self.bytes) * u128::from(numerator);
        u64::try_from(product.div_ceil(u128::from(denominator.max(1)))).unwrap_or(u64::MAX)
    }

    /// Who sends to whom.
    #[must_use]
    pub fn hops(&self) -> &[(u64, u64)] {
        &self.hops
    }

    /// The bytes that devices receive, and those that enter the units of each level of a machine,
    /// on which device numbers are counted through the tree.
    ///
    /// Cost: O(hops x levels).
    ///
    /// # Errors
    /// [`Sharding`](LayoutError::Sharding) for devices that the machine does not have;
    /// [`TooLarge`](LayoutError::TooLarge).
    pub fn traffic(&self, machine: Option<&Machine>) -> Result<CollectiveTraffic, LayoutError> {
        let times = |hops: usize| to_u64(hops).checked_mul(self.hop_bytes()).ok_or_else(too_large);
        let received = times(self.hops.len())?;
        let Some(machine) = machine else {
            return Ok(CollectiveTraffic { received, into: Vec::new() });
        };
        let units = machine.units();
        let most = self.hops.iter().flat_map(|(from, to)| [*from, *to]).max();
        if let Some(device) = most.filter(|device| *device >= units) {
            let machine = machine.described();
            let fault = ShardingFault::NoSuchDevice { device, units, machine };
            return Err(LayoutError::Sharding(fault));
        }
        let mut below = units;
        let mut into = Vec::new();
        for (level, size) in machine.levels() {
            below /= size;
            let crossing = self.hops.iter().filter(|(from, to)| from / below != to / below);
            into.push((level, times(crossing.count())?));
        }
        Ok(CollectiveTraffic { received, into })
    }
}
