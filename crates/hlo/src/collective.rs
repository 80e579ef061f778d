//! Collectives: the bytes that devices send each other, and those that enter the units of each level.

use itertools::Itertools;
use rustc_hash::FxHashMap;

use crate::HloInstruction;
use tensor_layout::Level;
use tensor_layout::Machine;
use tensor_layout::error::Diagnostic;
use tensor_layout::internals::counted;
use tensor_layout::internals::product;
use tensor_layout::internals::to_u64;
use tensor_layout::notation::{XlaArray, XlaParser, XlaShape};
use tensor_layout::sharding::DeviceGroups;
use tensor_layout::sharding::ShardingError;
use tensor_layout::{LayoutError, ParseError, internals};

impl CollectiveKind {
    /// The opcode.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            CollectiveKind::AllGather => "all-gather",
            CollectiveKind::AllReduce => "all-reduce",
            CollectiveKind::ReduceScatter => "reduce-scatter",
            CollectiveKind::AllToAll => "all-to-all",
            CollectiveKind::Permute => "collective-permute",
            CollectiveKind::Broadcast => "collective-broadcast",
        }
    }
}

/// A kind of collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CollectiveKind {
    /// Every device gets the parts of all.
    AllGather,
    /// Every device gets the sum, or another reduction, of all.
    AllReduce,
    /// Every device gets a part of the reduction.
    ReduceScatter,
    /// Every device gets a part from every other device.
    AllToAll,
    /// Devices send to each other in pairs.
    Permute,
    /// Every device of a group gets the data of the first one.
    Broadcast,
}

/// A collective of a module: the device groups, and the bytes that every hop carries.
///
/// Groups send along the ring of their devices in the written order, the last to the first; `all-to-all`
/// sends directly. A group of replicas sends in every partition, a group of partitions in every replica;
/// device numbers are XLA's flattened ids, `replica * num_partitions + partition`. With g devices in a group
/// and b bytes on each:
///
/// | kind | b | each of the g hops carries |
/// |---|---|---|
/// | `all-gather` | the result | (g - 1) b / g |
/// | `reduce-scatter` | the operands | (g - 1) b / g |
/// | `all-reduce` | the operands | 2 (g - 1) b / g |
/// | `all-to-all` | the operands | b / g to every other device |
/// | `collective-broadcast` | the operands | b, from each device but the last |
/// | `collective-permute` | the operands, or their `slice_sizes` | b, for every pair of different devices |
///
/// Law: the bytes are those of a simulation that sends part by part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collective {
    /// The kind of collective.
    pub kind: CollectiveKind,
    /// Bytes per device: of the result of an `all-gather`, of the slices that an in-place
    /// `collective-permute` sends, otherwise of the operands.
    pub bytes: u64,
    /// The number of devices in the largest group.
    pub group: u64,
    hops: Vec<CollectiveHop>,
}

/// A device that sends to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectiveHop {
    /// The sender.
    pub from: u64,
    /// The receiver, another device.
    pub to: u64,
    /// The bytes that the hop carries, rounded up.
    pub bytes: u64,
}

/// The bytes that a collective moves between devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectiveTraffic {
    /// Bytes that devices receive from others.
    pub received: u64,
    /// The most bytes that one device sends.
    pub sent: u64,
    /// Bytes that enter the units of each level from other units of that level, the outermost level first.
    pub into: Vec<(Level, u64)>,
    /// The number of steps until the busiest unit of every level has received and sent its bytes, at the
    /// [bandwidth](Machine::bandwidth) of the machine; `None` where a bandwidth is missing. Levels work at
    /// the same time.
    pub steps: Option<u64>,
}

/// The opcode that sends parts with sizes listed in an operand.
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

/// The reason a collective is not counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CollectiveError {
    /// A shape or groups that cannot be read.
    #[error("{}", .0.kind())]
    Text(#[from] ParseError),
    /// Contradictory groups, or bytes beyond 64 bits.
    #[error("{0}")]
    Layout(#[from] LayoutError),
    /// Contradictory or missing devices.
    #[error(transparent)]
    Sharding(#[from] ShardingError),
    /// An operation whose sizes are only known at run time.
    #[error("the sizes that `{0}` sends are only known at run time")]
    AtRunTime(&'static str),
    /// A transfer to devices that the module does not name, or only in some of its iterations.
    #[error("the bytes that this `send` moves between devices are not counted")]
    Send,
    /// An attribute that is missing.
    #[error("this collective lacks `{0}`")]
    Missing(&'static str),
    /// A number beyond those of the module.
    #[error(
        "this collective names {what} {id}, but the module has only {}: {because}, the numbers are \
         those of {what}s",
        counted(*.count, .what)
    )]
    Beyond {
        /// The noun for the number: `replica`, `partition` or `device`.
        what: &'static str,
        /// The number.
        id: u64,
        /// The number of replicas, partitions or devices of the module.
        count: u64,
        /// The attributes of the instruction that decide what the number counts.
        because: &'static str,
    },
    /// Global numbers without a channel, which XLA rejects.
    #[error("`use_global_device_ids=true` needs `channel_id`, which this collective lacks")]
    NoChannel,
    /// No groups of devices, which XLA rejects.
    #[error("with `use_global_device_ids=true`, `replica_groups` must name the devices")]
    NoGlobalGroups,
    /// Slices that exceed their operand, or whose bytes are not known.
    #[error("`slice_sizes` is not a list of slices of operand 0, as in `{{{{8,128}}}}`")]
    NotSlices,
    /// Sources and destinations that are not written in pairs.
    #[error("`source_target_pairs` is not a list of pairs, as in `{{{{0,1}},{{1,0}}}}`")]
    NotPairs,
}

impl Diagnostic for CollectiveError {}

impl HloInstruction<'_> {
    /// The collective that this instruction is, or starts; `-done` is part of its `-start`.
    ///
    /// # Errors
    /// [`CollectiveError`].
    ///
    /// # Example
    /// ```
    /// use tensor_layout_hlo::HloDump;
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
        if self.opcode() == "send" && self.attribute("is_host_transfer") != Some("true") {
            return Err(CollectiveError::Send);
        }
        kind(self.opcode()).map(|kind| self.collective_as(kind)).transpose()
    }

    /// Returns the reduce-scatter that an `all-reduce` inside a fusion amounts to: its only user, behind
    /// bitcasts, reshapes and converts, is a `dynamic-slice` of one part in as many as a group has devices.
    pub(super) fn fused_scatter(&self) -> Option<Collective> {
        const MOST: usize = 64;
        if self.opcode() != "all-reduce" || self.computation().len() > MOST {
            return None;
        }
        let mut at = *self;
        let slice = loop {
            let users = self.computation().instructions();
            let uses = |of: &HloInstruction<'_>| {
                of.operands()
                    .any(|operand| operand.instruction().map(|i| i.index()) == Some(at.index()))
            };
            let user =
                users.filter(uses).exactly_one().ok().filter(|user| user.index() > at.index())?;
            match user.opcode() {
                "dynamic-slice" => break user,
                "bitcast" | "reshape" | "convert" => at = user,
                _ => return None,
            }
        };
        let elements = |of: HloInstruction<'_>| {
            let shape = of.shape().ok()?;
            product(shape.as_array()?.extents().ok()?)
        };
        let group =
            self.participants(CollectiveKind::AllReduce).ok()?.iter().map(Vec::len).max()?;
        let part = elements(at)?.div_ceil(to_u64(group).max(1));
        (elements(slice)? == part)
            .then(|| self.collective_as(CollectiveKind::ReduceScatter).ok())?
    }

    fn collective_as(&self, kind: CollectiveKind) -> Result<Collective, CollectiveError> {
        let bytes = match kind {
            CollectiveKind::AllGather => self.gathered_bytes()?,
            CollectiveKind::Permute => self.permuted_bytes()?,
            _ => self.operand_bytes()?,
        };
        let groups = self.participants(kind)?;
        let is_even = groups.iter().map(Vec::len).all_equal();
        if !is_even && !matches!(kind, CollectiveKind::AllReduce | CollectiveKind::Broadcast) {
            return Err(ShardingError::UnevenGroups.into());
        }
        let hops = groups.iter().map(|group| hops(kind, group, bytes));
        let hops = hops.flatten_ok().collect::<Result<_, LayoutError>>()?;
        let group = groups.iter().map(|group| to_u64(group.len())).max().unwrap_or(0);
        Ok(Collective { kind, bytes, group, hops })
    }

    /// Returns the bytes of the result of an `all-gather`; a `-start` has its operands in front of it.
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
            let shape = operand.shape_text().ok_or(CollectiveError::Missing("operand"))?;
            let shape = XlaParser::strict().parse(shape)?;
            sum = sum.checked_add(bytes(&shape)?).ok_or_else(too_large)?;
        }
        Ok(sum)
    }

    /// Returns the bytes that a pair of devices sends: the operands, or `slice_sizes` of the first one.
    fn permuted_bytes(&self) -> Result<u64, CollectiveError> {
        let Some(slices) = self.attribute("slice_sizes") else { return self.operand_bytes() };
        let source = self.operand(0).ok_or(CollectiveError::Missing("operand"))?.shape()?;
        let arrays = source.arrays();
        let arrays = arrays.iter().map(|(_, array)| *array).collect_vec();
        let (Ok(bits), DeviceGroups::Listed(slices)) = (
            arrays.iter().map(|array| array.element_bits()).dedup().exactly_one(),
            slices.parse()?,
        ) else {
            return Err(CollectiveError::NotSlices);
        };
        let bytes = |slice: &Vec<u64>| slice_bytes(slice, &arrays, bits);
        let add = |sum: u64, bytes: u64| sum.checked_add(bytes).ok_or_else(too_large);
        slices.iter().map(bytes).try_fold(0, |sum, bytes| Ok(add(sum, bytes?)?))
    }
}

/// The bytes of a slice of one of the arrays.
fn slice_bytes(slice: &[u64], arrays: &[&XlaArray], bits: u64) -> Result<u64, CollectiveError> {
    let is_inside = |extents: Vec<u64>| {
        extents.len() == slice.len() && slice.iter().zip(&extents).all(|(size, all)| size <= all)
    };
    let extents: Vec<Vec<u64>> = arrays.iter().map(|array| array.extents()).try_collect()?;
    if !extents.into_iter().any(is_inside) {
        return Err(CollectiveError::NotSlices);
    }
    let bits = product(slice.iter().copied().chain([bits])).ok_or_else(too_large)?;
    Ok(bits.div_ceil(8))
}

fn too_large() -> LayoutError {
    internals::too_large("the number of bytes")
}

/// Returns the bytes of the elements of all arrays of a shape, without padding.
fn bytes(shape: &XlaShape) -> Result<u64, CollectiveError> {
    Ok(shape.sizes()?.unpadded_bytes)
}

/// Returns the hops of a group, those from a device to itself left out.
fn hops(
    kind: CollectiveKind,
    group: &[u64],
    bytes: u64,
) -> Result<Vec<CollectiveHop>, LayoutError> {
    let bytes = hop_bytes(kind, to_u64(group.len()).max(1), bytes)?;
    let hops = pairs(kind, group).into_iter().filter(|(from, to)| from != to);
    Ok(hops.map(|(from, to)| CollectiveHop { from, to, bytes }).collect())
}

/// Returns the sender and the receiver of every hop in a group, which may be the same device.
fn pairs(kind: CollectiveKind, group: &[u64]) -> Vec<(u64, u64)> {
    let group_of = || group.iter().copied();
    match kind {
        CollectiveKind::AllToAll => group_of().cartesian_product(group_of()).collect(),
        CollectiveKind::Broadcast | CollectiveKind::Permute => group_of().tuple_windows().collect(),
        _ => group_of().circular_tuple_windows().collect(),
    }
}

/// Returns the bytes that every hop of a group of g devices carries, rounded up.
fn hop_bytes(kind: CollectiveKind, g: u64, bytes: u64) -> Result<u64, LayoutError> {
    let (numerator, denominator) = match kind {
        CollectiveKind::AllGather | CollectiveKind::ReduceScatter => (g - 1, g),
        CollectiveKind::AllReduce => (2 * (g - 1), g),
        CollectiveKind::AllToAll => (1, g),
        CollectiveKind::Broadcast | CollectiveKind::Permute => (1, 1),
    };
    let product = u128::from(bytes) * u128::from(numerator);
    u64::try_from(product.div_ceil(u128::from(denominator))).map_err(|_| too_large())
}

impl Collective {
    /// The hops: sender, receiver and bytes of each.
    #[must_use]
    pub fn hops(&self) -> &[CollectiveHop] {
        &self.hops
    }

    /// The bytes that devices receive and that enter the units of each level of a machine, whose devices are
    /// numbered through the tree; the steps too, if the machine has bandwidths.
    ///
    /// Cost: O(hops x levels).
    ///
    /// # Errors
    /// [`Sharding`](CollectiveError::Sharding) for devices that the machine lacks;
    /// [`TooLarge`](LayoutError::TooLarge).
    pub fn traffic(&self, machine: Option<&Machine>) -> Result<CollectiveTraffic, CollectiveError> {
        let received = carried(&self.hops)?;
        let sent = busiest(self.hops.iter().map(|hop| (hop.from, hop.bytes)))?;
        let mut traffic = CollectiveTraffic { received, sent, ..CollectiveTraffic::default() };
        let Some(machine) = machine else { return Ok(traffic) };
        let units = machine.units();
        let most = self.hops.iter().flat_map(|hop| [hop.from, hop.to]).max();
        if let Some(device) = most.filter(|device| *device >= units) {
            let machine = internals::described(machine);
            let fault = ShardingError::NoSuchDevice { device, units, machine };
            return Err(fault.into());
        }
        let mut below = units;
        for (level, size) in machine.levels() {
            below /= size;
            let crossing = || self.hops.iter().filter(|hop| hop.from / below != hop.to / below);
            traffic.into.push((level, carried(crossing())?));
            if let Some(rate) = machine.bandwidth(level) {
                let into = busiest(crossing().map(|hop| (hop.to / below, hop.bytes)))?;
                let out_of = busiest(crossing().map(|hop| (hop.from / below, hop.bytes)))?;
                let bits = u128::from(rate) * u128::from(machine.word_bits());
                let steps = (8 * u128::from(into.max(out_of))).div_ceil(bits.max(1));
                let steps = u64::try_from(steps).map_err(|_| too_large())?;
                traffic.steps = traffic.steps.max(Some(steps));
            }
        }
        Ok(traffic)
    }
}

/// The most bytes of one unit.
fn busiest(shares: impl Iterator<Item = (u64, u64)>) -> Result<u64, LayoutError> {
    let mut by_unit: FxHashMap<u64, u64> = FxHashMap::default();
    for (unit, bytes) in shares {
        let sum = by_unit.entry(unit).or_default();
        *sum = sum.checked_add(bytes).ok_or_else(too_large)?;
    }
    Ok(by_unit.into_values().max().unwrap_or(0))
}

/// Returns the sum of the bytes that hops carry.
fn carried<'a>(hops: impl IntoIterator<Item = &'a CollectiveHop>) -> Result<u64, LayoutError> {
    let add = |sum: u64, hop: &CollectiveHop| sum.checked_add(hop.bytes).ok_or_else(too_large);
    hops.into_iter().try_fold(0, add)
}
