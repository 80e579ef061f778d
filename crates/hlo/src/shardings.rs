//! The bytes that one device holds of sharded shapes.
//!
//! ```text
//! before partitioning   p = f32[4,64] parameter(0), sharding={devices=[2,1]<=[2]}   the whole tensor
//! after it              p = f32[2,64] parameter(0), sharding={devices=[2,1]<=[2]}   one of its shards
//! ```
//!
//! A sharding that remains after partitioning describes the whole tensor that was partitioned.

use crate::HloBytes;
use crate::names::{MOST_KNOWN, Outcomes, outcome};
use crate::roles::{Calls, HloRole};
use crate::unread::HloReading;
use crate::{HloComputation, HloInstruction};
use tensor_layout::LayoutError;
use tensor_layout::sharding::ShardedShape;
use tensor_layout::sharding::{HloSharding, ShardingText};
use tensor_layout::xla::XlaSizes;
use tensor_layout::xla::{XlaArray, XlaShape};

/// An instruction with a sharding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HloSharded {
    /// Its name in the dump.
    pub name: String,
    /// The opcode.
    pub opcode: String,
    /// The line of the dump.
    pub line: u64,
    /// Its computation.
    pub computation: String,
    /// The operation of the program that it comes from.
    pub op_name: Option<String>,
    /// The shape as written.
    pub shape: String,
    /// The sharding as written.
    pub sharding: String,
    /// Set if the sharding is a leftover: the module is partitioned, and the shape is that of a shard.
    pub is_left_over: bool,
    /// The bytes that every device holds; those of the first devices, where some are short or empty.
    pub device: HloBytes,
    /// The bytes of the whole tensor; where the sharding is left over, an upper bound.
    pub whole_bytes: u64,
}

/// The bytes of the parameters and of the result of an entry on one device.
///
/// An instruction without a sharding is counted whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HloOnDevice {
    /// The bytes of the parameters.
    pub parameters: HloBytes,
    /// The bytes of the result.
    pub result: HloBytes,
}

/// The sharded instructions of a dump, by bytes on one device, largest first.
///
/// Law: after partitioning, the bytes on a device are the bytes of the shape.
/// Cost: O(instructions), plus [`ShardedShape::sizes`] for each that is sharded.
///
/// ```
/// use tensor_layout_hlo::{HloDump, HloShardings};
/// let text = "ENTRY e {
///   a = f32[10,64]{1,0} parameter(0), sharding={devices=[4,1]<=[4]}
///   ROOT b = f32[10,64]{1,0} negate(a)
/// }";
/// let (mut dump, mut all) = (HloDump::new(text.as_bytes()), HloShardings::default());
/// while let Some(computation) = dump.next_computation()? {
///     all.add(computation)?;
/// }
/// all.finish()?;
/// let [a] = all.entries() else { panic!() };
/// // A device has room for ceil(10 / 4) = 3 rows.
/// assert_eq!((a.device.unpadded, a.whole_bytes), (3 * 64 * 4, 2560));
/// // The result has no sharding, and is counted whole.
/// assert_eq!(all.on_device().result.unpadded, 2560);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct HloShardings {
    entries: Vec<HloSharded>,
    on_device: HloOnDevice,
    partitions: Option<u64>,
    pub(super) unread: HloReading,
    shares: Shares,
    /// The module that is being read, and those of its computations that may be its entry.
    calls: Calls,
    given: Vec<(u32, EntryShares)>,
}

/// The sizes of the result of an instruction on one device, and the bytes of the whole.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    device: XlaSizes,
    whole_bytes: u64,
}

/// The shares of all pairs of a shape and a sharding so far: there are few different ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Shares {
    known: Outcomes<Share>,
    key: String,
}

impl Shares {
    /// Returns the share of an instruction; for a tuple, the sum over its arrays.
    fn of(&mut self, of: HloInstruction<'_>) -> Result<Share, String> {
        let sharding = of.attribute("sharding");
        let left_over = sharding.is_some() && of.computation().module().is_per_device();
        self.key.clear();
        self.key.push_str(of.shape_text());
        self.key.push(if left_over { '\r' } else { '\n' });
        self.key.push_str(sharding.unwrap_or_default());
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        let read = |_: &str| Share::of(of, sharding, left_over);
        let (_, share) = outcome(&mut self.known, &self.key, read);
        share.copied().map_err(str::to_owned)
    }
}

impl Share {
    fn of(
        of: HloInstruction<'_>,
        sharding: Option<&str>,
        left_over: bool,
    ) -> Result<Share, String> {
        let shape = of.shape().map_err(|error| error.kind().to_string())?;
        let sizes = || shape.sizes().map_err(|error| error.kind().to_string());
        let Some(sharding) = sharding else {
            let device = sizes()?;
            return Ok(Share { device, whole_bytes: device.unpadded_bytes });
        };
        let mut share = Share::sharded(&shape, sharding, left_over)?;
        if left_over {
            share.device = sizes()?;
        }
        Ok(share)
    }

    fn sharded(shape: &XlaShape, sharding: &str, per_device: bool) -> Result<Share, String> {
        let sharding: HloSharding =
            sharding.parse().map_err(|e: tensor_layout::ParseError| e.kind().to_string())?;
        let mut sum = Share::default();
        for (array, leaf) in sharded_arrays(shape, sharding)? {
            let (array, text) = (array.clone(), ShardingText::Hlo(leaf));
            let sharded = ShardedShape { array, text, mesh: None, per_device };
            let sizes = sharded.sizes().map_err(|error| error.kind().to_string())?;
            sum.add(sizes.shard_bytes, sizes.device_bytes, sizes.global_bytes)
                .ok_or("the number of bytes does not fit in 64 bits")?;
        }
        Ok(sum)
    }

    fn add(&mut self, unpadded: u64, allocated: u64, whole: u64) -> Option<()> {
        let device = &mut self.device;
        device.unpadded_bytes = device.unpadded_bytes.checked_add(unpadded)?;
        device.allocated_bytes = device.allocated_bytes.checked_add(allocated)?;
        self.whole_bytes = self.whole_bytes.checked_add(whole)?;
        Some(())
    }
}

/// Returns the arrays of a shape, each with its part of a sharding, or the reason that these do not match.
pub(super) fn sharded_arrays(
    shape: &XlaShape,
    sharding: HloSharding,
) -> Result<Vec<(&XlaArray, HloSharding)>, String> {
    let leaves = shape.leaves();
    let shardings = match sharding.members() {
        Some(members) if members.len() == leaves.len() => members.to_vec(),
        Some(members) => {
            let (leaves, parts) = (leaves.len(), members.len());
            return Err(format!(
                "the sharding has {parts} parts, one for each member, but the shape has {leaves}"
            ));
        }
        None => vec![sharding; leaves.len()],
    };
    // Tokens have a sharding, too, and no bytes.
    let arrays = leaves.into_iter().zip(shardings);
    Ok(arrays.filter_map(|(array, leaf)| Some((array?, leaf))).collect())
}

/// The bytes on one device of a computation that may be an entry: only its callers show whether it is.
#[derive(Clone, Debug, Default)]
pub(super) struct EntryShares {
    pub(super) on_device: HloOnDevice,
    /// Set if a parameter or the result has a sharding.
    pub(super) is_sharded: bool,
    pub(super) unread: HloReading,
}

impl EntryShares {
    /// Adds up the parameters and the result of a computation; `None` if it cannot be an entry.
    pub(super) fn of(
        computation: HloComputation<'_>,
        shares: &mut Shares,
    ) -> Result<Option<EntryShares>, LayoutError> {
        if !computation.may_be_entry() {
            return Ok(None);
        }
        let mut all = EntryShares::default();
        let root = computation.root().map(|root| root.index());
        for instruction in computation.instructions() {
            let is_root = root == Some(instruction.index());
            if is_root || instruction.parameter().is_some() {
                let sharding = instruction.attribute("sharding");
                all.is_sharded |= sharding.is_some();
                match shares.of(instruction) {
                    Ok(share) => all.on_device.add(instruction, is_root, share.device)?,
                    Err(why) => {
                        let text = sharding.unwrap_or(instruction.shape_text());
                        all.unread.push(instruction.line(), text.as_bytes(), why);
                    }
                }
            }
        }
        Ok(Some(all))
    }
}

impl HloOnDevice {
    /// The sum of two.
    pub(super) fn plus(self, other: HloOnDevice) -> Result<HloOnDevice, LayoutError> {
        let parameters = self.parameters.plus(other.parameters)?;
        Ok(HloOnDevice { parameters, result: self.result.plus(other.result)? })
    }

    fn add(
        &mut self,
        instruction: HloInstruction<'_>,
        is_root: bool,
        sizes: XlaSizes,
    ) -> Result<(), LayoutError> {
        if instruction.parameter().is_some() {
            self.parameters.add(sizes)?;
        }
        if is_root { self.result.add(sizes) } else { Ok(()) }
    }
}

impl HloShardings {
    /// Adds the sharded instructions of a computation.
    ///
    /// # Errors
    /// `TooLarge`; instructions that cannot be read are kept in [`reading`](HloShardings::reading).
    pub fn add(&mut self, computation: HloComputation<'_>) -> Result<(), LayoutError> {
        let module = computation.module();
        if !self.calls.is_of(module) {
            self.end_module()?;
        }
        if module.is_per_device() {
            self.partitions = self.partitions.max(Some(module.partitions()));
        }
        for instruction in computation.instructions() {
            let Some(sharding) = instruction.attribute("sharding") else { continue };
            match self.shares.of(instruction) {
                Ok(share) => self.entries.push(entry(instruction, sharding, share)),
                Err(why) => self.unread.push(instruction.line(), sharding.as_bytes(), why),
            }
        }
        let number = self.calls.add(computation)?;
        let given = EntryShares::of(computation, &mut self.shares)?;
        self.given.extend(given.map(|given| (number, given)));
        Ok(())
    }

    /// Adds up the parameters and the result of the entry of the module.
    fn end_module(&mut self) -> Result<(), LayoutError> {
        let roles = std::mem::take(&mut self.calls).roles();
        for (number, given) in std::mem::take(&mut self.given) {
            if roles.of(number) == HloRole::Entry {
                self.on_device = self.on_device.plus(given.on_device)?;
                self.unread = self.unread.and(&given.unread);
            }
        }
        Ok(())
    }

    /// Ends the last module, and sorts the entries by bytes on one device, largest first.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn finish(&mut self) -> Result<(), LayoutError> {
        self.end_module()?;
        let key = |entry: &HloSharded| std::cmp::Reverse(entry.device.allocated);
        self.entries.sort_by_key(|entry| (key(entry), entry.line));
        Ok(())
    }

    /// The sharded instructions.
    #[must_use]
    pub fn entries(&self) -> &[HloSharded] {
        &self.entries
    }

    /// The bytes of the parameters and results of the entries on one device, up to the last module that has ended.
    #[must_use]
    pub fn on_device(&self) -> HloOnDevice {
        self.on_device
    }

    /// The number of instructions with a sharding left over from before partitioning.
    #[must_use]
    pub fn left_over(&self) -> usize {
        self.entries.iter().filter(|entry| entry.is_left_over).count()
    }

    /// The greatest number of devices over which a module is partitioned, among modules with per-device
    /// shapes; `None` if there are none.
    #[must_use]
    pub fn partitions(&self) -> Option<u64> {
        self.partitions
    }

    /// The instructions whose shape or sharding could not be read.
    #[must_use]
    pub fn reading(&self) -> &HloReading {
        &self.unread
    }
}

fn entry(of: HloInstruction<'_>, sharding: &str, share: Share) -> HloSharded {
    HloSharded {
        name: of.name().into(),
        opcode: of.opcode().into(),
        line: of.line(),
        computation: of.computation().name().into(),
        op_name: of.op_name().map(std::borrow::Cow::into_owned),
        shape: of.shape_text().into(),
        sharding: sharding.into(),
        is_left_over: of.computation().module().is_per_device(),
        device: share.device.into(),
        whole_bytes: share.whole_bytes,
    }
}
