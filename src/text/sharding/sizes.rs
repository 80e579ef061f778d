//! The sizes of a sharded shape, and the number of devices that its shards fill.

use super::pieces::Pieces;
use super::{ShardedShape, Sharding};
use crate::algebra::product;
use crate::error::{LayoutError, ParseError, Site};
use crate::text::xla::XlaArray;

/// The sizes of a sharded shape: the whole, what every device allocates, and the padding.
///
/// ```
/// use tensor_layout::sharding::ShardedShape;
/// let text = "bf16[4096,14336]{1,0:T(8,128)(2,1)}, sharding={devices=[4,1]<=[4]}";
/// let sizes = text.parse::<ShardedShape>()?.sizes()?;
/// assert_eq!(sizes.device_bytes, 29_360_128);
/// assert_eq!((sizes.devices, sizes.copies), (Some(4), Some(1)));
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShardedSizes {
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
    /// The sizes of the tensor and of the shard of every device.
    ///
    /// Cost: O(rank + digits), for any number of devices.
    ///
    /// # Errors
    /// The errors of the sharding and of the shape of the shard, and sizes beyond 64 bits.
    pub fn sizes(&self) -> Result<ShardedSizes, ParseError> {
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
        Ok(ShardedSizes {
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
