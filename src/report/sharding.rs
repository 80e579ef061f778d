//! A sharded shape and its cost for every device.

use std::fmt;

use crate::algebra::product;
use crate::error::{LayoutError, ParseError, Site};
use crate::text::sharding::{Pieces, ShardedShape, Sharding};
use crate::text::xla::XlaArray;
use crate::words::{percent, readable_bytes};

/// A sharded shape in numbers; `Display` prints them as a readable page.
///
/// ```
/// use tensor_layout::sharding::ShardedShape;
/// let text = "bf16[4096,14336]{1,0:T(8,128)(2,1)}, sharding={devices=[4,1]<=[4]}";
/// let report = text.parse::<ShardedShape>()?.report()?;
/// assert_eq!(report.device_bytes, 29_360_128);
/// assert_eq!((report.devices, report.copies), (Some(4), Some(1)));
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShardingReport {
    /// The sharding as XLA prints it; as it was given if its cuts are not one, which XLA cannot say.
    pub text: String,
    /// The shape of a shard.
    pub shard: XlaArray,
    /// The size of all elements of the tensor.
    pub global_bytes: u64,
    /// The allocation of a device, padding included; all devices allocate the same.
    pub device_bytes: u64,
    /// The size of the elements that a shard has room for, without the padding of its tiling.
    pub shard_bytes: u64,
    /// The number of devices, if the sharding gives it.
    pub devices: Option<u64>,
    /// The number of devices that hold each element; `None` if they do not hold copies or are unknown.
    pub copies: Option<u64>,
    /// The room for elements beyond the extents, over all devices of one copy.
    pub sharding_padding_bytes: u64,
    /// The padding added by the tiling of the shard, on one device.
    pub tiling_padding_bytes: u64,
    /// The number of devices that hold a whole shard, a short one, and none.
    pub fill: Option<Fill>,
}

/// The numbers of devices with a full, a short and an empty shard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fill {
    /// The devices with an element in every slot of their shard.
    pub full: u64,
    /// The devices with elements in some slots.
    pub short: u64,
    /// The devices without elements.
    pub empty: u64,
}

impl ShardedShape {
    /// Reports the cost of the sharding for every device.
    ///
    /// Cost: O(rank + digits), for any number of devices.
    ///
    /// # Errors
    /// The errors of the sharding and of the shape of the shard, and sizes beyond 64 bits.
    pub fn report(&self) -> Result<ShardingReport, ParseError> {
        let refuse = |error: LayoutError| self.refuse(error);
        let (sharding, pieces) = self.held().map_err(refuse)?;
        let extents = self.extents().map_err(refuse)?;
        let shard = self.shard().map_err(refuse)?;
        let sizes = shard.sizes()?;
        let too_large = || self.refuse(LayoutError::too_large(Site::Layout, "the size in bytes"));
        let bits = u128::from(self.array.element_bits());
        let tiles = sharding.tiles(extents.len()).map_err(refuse)?;
        let elements = product(extents.iter().copied()).ok_or_else(too_large)?;
        let global = (u128::from(elements) * bits).div_ceil(8);
        let global_bytes = u64::try_from(global).map_err(|_| too_large())?;
        let of_tiles = product(tiles).and_then(|tiles| tiles.checked_mul(sizes.unpadded_bytes));
        let of_tiles = of_tiles.ok_or_else(too_large)?;
        let fill = fill(&sharding, &pieces).map_err(refuse)?;
        let text =
            self.sharding().map_or_else(|_| self.text.to_string(), |one| one.to_hlo().to_string());
        Ok(ShardingReport {
            text,
            global_bytes,
            device_bytes: sizes.allocated_bytes,
            shard_bytes: sizes.unpadded_bytes,
            devices: sharding.devices(),
            copies: sharding.copies(),
            sharding_padding_bytes: of_tiles.saturating_sub(global_bytes),
            tiling_padding_bytes: sizes.padding_bytes(),
            fill,
            shard,
        })
    }
}

/// Counts shards per dimension and multiplies the counts: a shard is full, or has elements, if that is so in
/// every dimension.
fn fill(sharding: &Sharding, pieces: &[Pieces]) -> Result<Option<Fill>, LayoutError> {
    let (Some(devices), true) = (sharding.devices(), sharding.says_places()) else {
        return Ok(None);
    };
    let all: u64 = sharding.tiles(pieces.len())?.iter().product();
    let each = devices / all.max(1);
    let full: u64 = pieces.iter().map(Pieces::full).product();
    let some: u64 = pieces.iter().map(Pieces::filled).product();
    let short = (some - full) * each;
    Ok(Some(Fill { full: full * each, short, empty: devices - some * each }))
}

impl fmt::Display for ShardingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "sharding   {}", self.text)?;
        writeln!(f, "shard      {}\n", self.shard)?;
        let mut line = |name: &str, bytes: u64, note: String| {
            writeln!(f, "{name:26} {bytes:>20} bytes  {:>12}{note}", readable_bytes(bytes))
        };
        let share = |part: u64, whole: u64| format!("  ({})", percent(part, whole));
        line("whole tensor", self.global_bytes, String::new())?;
        line("a device allocates", self.device_bytes, String::new())?;
        let (cut, tiled) = (self.sharding_padding_bytes, self.tiling_padding_bytes);
        let room = self.global_bytes.saturating_add(cut);
        line(
            "padding by the sharding",
            cut,
            share(cut, room) + " of one copy, over all its devices",
        )?;
        line("padding by the tiling", tiled, share(tiled, self.device_bytes) + " of a device")?;
        writeln!(f)?;
        match (self.devices, self.copies) {
            (Some(devices), Some(copies)) => {
                writeln!(f, "{devices} devices, each element on {copies} of them")?;
            }
            (Some(devices), None) => {
                writeln!(
                    f,
                    "{devices} devices; the sharding does not say which elements each holds"
                )?;
            }
            (None, Some(_)) => writeln!(f, "one device holds the tensor")?,
            (None, None) => writeln!(f, "the sharding does not say how many devices there are")?,
        }
        match self.fill {
            Some(Fill { full, short, empty }) => {
                writeln!(f, "{full} hold a whole shard, {short} a part of one, {empty} nothing")
            }
            None => Ok(()),
        }
    }
}
