//! Collectives: the bytes that devices send each other, and those that enter the units of each level.

use std::ops::Range;

use itertools::Itertools;
use rustc_hash::FxHashMap;

use crate::{HloInstruction, HloOperand};
use tensor_layout::Level;
use tensor_layout::Machine;
use tensor_layout::error::fault;
use tensor_layout::sharding::DeviceGroups;
use tensor_layout::xla::{XlaArray, XlaParser, XlaShape};
use tensor_layout::{LayoutError, ParseError};
use tensor_layout_words::{cut, product, to_u64};

impl CollectiveKind {
    /// The opcode.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            CollectiveKind::AllGather => "all-gather",
            CollectiveKind::AllReduce => "all-reduce",
            CollectiveKind::ReduceScatter => "reduce-scatter",
            CollectiveKind::AllToAll => "all-to-all",
            CollectiveKind::RaggedAllToAll => "ragged-all-to-all",
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
    /// Every device gets a part from every other device, of a size that is only known at run time.
    RaggedAllToAll,
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
/// | `ragged-all-to-all` | the first operand | at most b, to all other devices together |
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
    /// The groups with devices that send.
    groups: Vec<SendingGroup>,
}

/// Devices that send to each other, and the bytes of every hop.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SendingGroup {
    devices: Vec<u64>,
    hop_bytes: u64,
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

/// The attributes with the devices of a collective.
const DEVICES: [&str; 2] = ["replica_groups", "source_target_pairs"];

/// The kind of an instruction that starts a collective.
fn kind(opcode: &str) -> Option<CollectiveKind> {
    Some(match opcode.strip_suffix("-start").unwrap_or(opcode) {
        "all-gather" => CollectiveKind::AllGather,
        "all-reduce" => CollectiveKind::AllReduce,
        "reduce-scatter" => CollectiveKind::ReduceScatter,
        "all-to-all" => CollectiveKind::AllToAll,
        "ragged-all-to-all" => CollectiveKind::RaggedAllToAll,
        "collective-permute" => CollectiveKind::Permute,
        "collective-broadcast" => CollectiveKind::Broadcast,
        _ => return None,
    })
}

impl HloInstruction<'_> {
    /// The collective that this instruction is, or starts; `-done` is part of its `-start`.
    ///
    /// # Errors
    /// `Invalid` for shapes, groups, pairs or slices that cannot be read or contradict each other, `Missing` for an attribute
    /// that it lacks, `Unsupported` for an operation that is not counted, `TooLarge`.
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
    pub fn collective(&self) -> Result<Option<Collective>, LayoutError> {
        if let Some(kind) = kind(self.opcode()) {
            return self.collective_as(kind).map(Some);
        }
        match self.unknown_collective() {
            Some(name) => Err(unknown(name)),
            None => Ok(None),
        }
    }

    /// Returns the name of an operation that names devices, or is named as one that does, and is not known: the opcode, or
    /// the target of a custom call. The end of an operation is part of its start.
    fn unknown_collective(&self) -> Option<&str> {
        let is_end = |name: &str| name.ends_with("-done") || name.ends_with("-update");
        let names_devices = |text: &str| DEVICES.iter().any(|key| text.contains(key));
        let has_devices = || DEVICES.iter().any(|key| self.attribute(key).is_some());
        match self.opcode() {
            "custom-call" => {
                let target = self.attribute("custom_call_target")?.trim_matches('"');
                let inside = ["frontend_attributes", "backend_config"];
                let is_one = kind(target).is_some()
                    || has_devices()
                    || inside.iter().filter_map(|key| self.attribute(key)).any(names_devices);
                (is_one && !is_end(target)).then_some(target)
            }
            "send" => (self.attribute("is_host_transfer") != Some("true")).then_some("send"),
            // It has the pairs of its `send`.
            "recv" => None,
            opcode => (!is_end(opcode) && has_devices()).then_some(opcode),
        }
    }

    /// Returns the reduce-scatter that an `all-reduce` inside a fusion amounts to: its only user, after
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

    fn collective_as(&self, kind: CollectiveKind) -> Result<Collective, LayoutError> {
        let bytes = match kind {
            CollectiveKind::AllGather => self.gathered_bytes()?,
            CollectiveKind::Permute => self.permuted_bytes()?,
            // The others are the result, sizes and places.
            CollectiveKind::RaggedAllToAll => self.bytes_of(self.operands().take(1))?,
            _ => self.operand_bytes()?,
        };
        let groups = self.participants(kind)?;
        let is_even = groups.iter().map(Vec::len).all_equal();
        if !is_even && !matches!(kind, CollectiveKind::AllReduce | CollectiveKind::Broadcast) {
            return Err(fault!(Invalid, "its groups have different sizes"));
        }
        let group = groups.iter().map(|group| to_u64(group.len())).max().unwrap_or(0);
        let sending = groups.into_iter().filter(|devices| !devices.iter().all_equal());
        let sending = sending.map(|devices| {
            let hop_bytes = hop_bytes(kind, to_u64(devices.len()), bytes)?;
            Ok(SendingGroup { devices, hop_bytes })
        });
        let groups = sending.collect::<Result<_, LayoutError>>()?;
        Ok(Collective { kind, bytes, group, groups })
    }

    /// Returns the bytes of the result of an `all-gather`; a `-start` has its operands in front of it.
    fn gathered_bytes(&self) -> Result<u64, LayoutError> {
        let all = bytes(&self.shape().map_err(text)?)?;
        match self.opcode().ends_with("-start") && self.shape_text().starts_with('(') {
            true => Ok(all.saturating_sub(self.operand_bytes()?)),
            false => Ok(all),
        }
    }

    fn operand_bytes(&self) -> Result<u64, LayoutError> {
        self.bytes_of(self.operands())
    }

    fn bytes_of<'o>(
        &self,
        operands: impl Iterator<Item = HloOperand<'o>>,
    ) -> Result<u64, LayoutError> {
        let mut sum = 0_u64;
        for operand in operands {
            let shape = operand.shape_text().ok_or_else(|| lacks("operand"))?;
            let shape = XlaParser::strict().parse(shape).map_err(text)?;
            sum = sum.checked_add(bytes(&shape)?).ok_or_else(too_large)?;
        }
        Ok(sum)
    }

    /// Returns the bytes that a pair of devices sends: the operands, or `slice_sizes` of the first one.
    fn permuted_bytes(&self) -> Result<u64, LayoutError> {
        let Some(slices) = self.attribute("slice_sizes") else { return self.operand_bytes() };
        let source = self.operand(0).ok_or_else(|| lacks("operand"))?.shape().map_err(text)?;
        let arrays = source.arrays();
        let arrays = arrays.iter().map(|(_, array)| *array).collect_vec();
        let (Ok(bits), DeviceGroups::Listed(slices)) = (
            arrays.iter().map(|array| array.element_bits()).dedup().exactly_one(),
            slices.parse().map_err(text)?,
        ) else {
            return Err(not_slices());
        };
        let bytes = |slice: &Vec<u64>| slice_bytes(slice, &arrays, bits);
        let add = |sum: u64, bytes: u64| sum.checked_add(bytes).ok_or_else(too_large);
        slices.iter().map(bytes).try_fold(0, |sum, bytes| add(sum, bytes?))
    }
}

/// The bytes of a slice of one of the arrays.
fn slice_bytes(slice: &[u64], arrays: &[&XlaArray], bits: u64) -> Result<u64, LayoutError> {
    let is_inside = |extents: Vec<u64>| {
        extents.len() == slice.len() && slice.iter().zip(&extents).all(|(size, all)| size <= all)
    };
    let extents: Vec<Vec<u64>> = arrays.iter().map(|array| array.extents()).try_collect()?;
    if !extents.into_iter().any(is_inside) {
        return Err(not_slices());
    }
    let bits = product(slice.iter().copied().chain([bits])).ok_or_else(too_large)?;
    Ok(bits.div_ceil(8))
}

/// The fault of a part of the instruction, whose text a row shows anyway.
pub(super) fn text(error: ParseError) -> LayoutError {
    fault!(Invalid, "{what}", [what = error.kind().to_string()])
}

/// An attribute or an operand that is missing.
pub(super) fn lacks(what: &'static str) -> LayoutError {
    fault!(Missing, "this collective lacks `{what}`", [what])
}

/// An operation that names devices and has no rule here, and a `send`, to devices that the module does not name or only
/// in some of its iterations.
fn unknown(name: &str) -> LayoutError {
    fault!(
        Unsupported,
        "the bytes that `{name}` moves between devices are not counted",
        [name = name.to_owned()]
    )
}

/// Slices that exceed their operand, or whose bytes are not known.
fn not_slices() -> LayoutError {
    fault!(Invalid, "`slice_sizes` is not a list of slices of operand 0, as in `{{{{8,128}}}}`")
}

fn too_large() -> LayoutError {
    crate::bytes::too_large("the number of bytes")
}

/// Returns the bytes of the elements of all arrays of a shape, without padding.
fn bytes(shape: &XlaShape) -> Result<u64, LayoutError> {
    Ok(shape.sizes().map_err(text)?.unpadded_bytes)
}

impl SendingGroup {
    /// The hops, those from a device to itself left out.
    fn hops(&self, kind: CollectiveKind) -> impl Iterator<Item = CollectiveHop> {
        let (devices, bytes) = (&self.devices, self.hop_bytes);
        let hops = devices.iter().enumerate().flat_map(move |(at, from)| {
            let receivers = devices.get(receivers(kind, at, devices.len())).unwrap_or_default();
            receivers.iter().map(move |to| CollectiveHop { from: *from, to: *to, bytes })
        });
        hops.filter(|hop| hop.from != hop.to)
    }
}

/// Returns the places, in a group of g devices, of those to which the device at a place sends, itself maybe among them.
fn receivers(kind: CollectiveKind, at: usize, g: usize) -> Range<usize> {
    let next = at + 1;
    match kind {
        CollectiveKind::AllToAll | CollectiveKind::RaggedAllToAll => 0..g,
        CollectiveKind::Broadcast | CollectiveKind::Permute => next..g.min(next + 1),
        _ => next % g..next % g + 1,
    }
}

/// Returns the bytes that every hop of a group of g devices carries, rounded up.
fn hop_bytes(kind: CollectiveKind, g: u64, bytes: u64) -> Result<u64, LayoutError> {
    let (numerator, denominator) = match kind {
        CollectiveKind::AllGather | CollectiveKind::ReduceScatter => (g - 1, g),
        CollectiveKind::AllReduce => (2 * (g - 1), g),
        CollectiveKind::AllToAll => (1, g),
        CollectiveKind::Broadcast | CollectiveKind::Permute | CollectiveKind::RaggedAllToAll => {
            (1, 1)
        }
    };
    let product = u128::from(bytes) * u128::from(numerator);
    u64::try_from(product.div_ceil(u128::from(denominator))).map_err(|_| too_large())
}

impl Collective {
    /// The devices of each group that sends.
    pub(super) fn sending(&self) -> impl Iterator<Item = &[u64]> {
        self.groups.iter().map(|group| &*group.devices)
    }

    /// The hops: sender, receiver and bytes of each. An `all-to-all` has as many as a group has pairs; those of a
    /// `ragged-all-to-all` that leave one device carry at most these bytes together.
    pub fn hops(&self) -> impl Iterator<Item = CollectiveHop> {
        self.groups.iter().flat_map(|group| group.hops(self.kind))
    }

    /// The bytes that devices receive and that enter the units of each level of a machine, whose devices are
    /// numbered through the tree; the steps too, if the machine has bandwidths.
    ///
    /// Law: the sums are those over the [hops](Collective::hops); for a `ragged-all-to-all` they are bounds.
    /// Cost: O(devices x levels).
    ///
    /// # Errors
    /// `Limit` for devices that the machine lacks; `TooLarge`.
    pub fn traffic(&self, machine: Option<&Machine>) -> Result<CollectiveTraffic, LayoutError> {
        let between = self.crossing(1)?;
        let (received, sent) = (between.all, between.out_of);
        let mut traffic = CollectiveTraffic { received, sent, ..CollectiveTraffic::default() };
        let Some(machine) = machine else { return Ok(traffic) };
        let units = machine.units();
        let most = self.groups.iter().flat_map(|group| &group.devices).max();
        if let Some(device) = most.copied().filter(|device| *device >= units) {
            let machine = format!("machine `{}`", cut(machine.name(), 80));
            return Err(LayoutError::no_such_device(device, units, machine));
        }
        let mut below = units;
        for (level, size) in machine.levels() {
            below /= size;
            let crossing = self.crossing(below)?;
            traffic.into.push((level, crossing.all));
            if let Some(rate) = machine.bandwidth(level) {
                let bits = u128::from(rate) * u128::from(machine.word_bits());
                let busiest = crossing.into.max(crossing.out_of);
                let steps = (8 * u128::from(busiest)).div_ceil(bits.max(1));
                let steps = u64::try_from(steps).map_err(|_| too_large())?;
                traffic.steps = traffic.steps.max(Some(steps));
            }
        }
        Ok(traffic)
    }

    /// Returns the bytes between different units of `below` devices each.
    fn crossing(&self, below: u64) -> Result<Crossing, LayoutError> {
        let mut units: FxHashMap<u64, Unit> = FxHashMap::default();
        for group in &self.groups {
            // The pairs of an all-to-all are millions for thousands of devices: each device of a unit sends to every
            // device of the group outside of the unit, and receives from it.
            if matches!(self.kind, CollectiveKind::AllToAll | CollectiveKind::RaggedAllToAll) {
                for (unit, inside) in group.devices.iter().map(|device| device / below).counts() {
                    let outside = u128::from(to_u64(group.devices.len() - inside));
                    let (inside, bytes) = (u128::from(to_u64(inside)), u128::from(group.hop_bytes));
                    let (to_each, from_each) = match self.kind {
                        CollectiveKind::AllToAll => (outside, inside),
                        _ => (outside.min(1), inside.min(1)),
                    };
                    let unit = units.entry(unit).or_default();
                    unit.out_of += inside * to_each * bytes;
                    unit.into += outside * from_each * bytes;
                }
                continue;
            }
            for hop in group.hops(self.kind).filter(|hop| hop.from / below != hop.to / below) {
                units.entry(hop.to / below).or_default().into += u128::from(hop.bytes);
                units.entry(hop.from / below).or_default().out_of += u128::from(hop.bytes);
            }
        }
        let bytes = |sum: u128| u64::try_from(sum).map_err(|_| too_large());
        let all = bytes(units.values().map(|unit| unit.out_of).sum())?;
        let into = bytes(units.values().map(|unit| unit.into).max().unwrap_or(0))?;
        let out_of = bytes(units.values().map(|unit| unit.out_of).max().unwrap_or(0))?;
        Ok(Crossing { all, into, out_of })
    }
}

/// Bytes between units: of all, into the unit that receives most, and out of the unit that sends most.
struct Crossing {
    all: u64,
    into: u64,
    out_of: u64,
}

/// The bytes into and out of a unit: 128 bits hold 2^64 of them for every pair of devices.
#[derive(Clone, Copy, Default)]
struct Unit {
    into: u128,
    out_of: u128,
}
