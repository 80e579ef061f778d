//! Address changes that minimize the bank conflicts of an access: swizzles and padding.

use std::fmt;

use super::banks::Access;
use super::requests::Requests;
use crate::algebra::{Layout, Subaxis};
use crate::error::{LayoutError, Site};
use crate::level::Level;
use crate::swizzle::CuteSwizzle;

/// The number of bytes after which the banks repeat.
const BANK_ROW: u64 = 128;

/// A change of addresses, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AddressChange {
    /// Some address bits are XORed with others.
    Swizzle(CuteSwizzle),
    /// `by` elements are left free after every `every` elements: a -> a + a / every x by.
    Padding {
        /// The number of elements that stay together, a power of two.
        every: u64,
        /// The number of free places after them.
        by: u64,
    },
}

impl AddressChange {
    /// The new address. It fits: swizzles keep to a power of two that does, and paddings are chosen so.
    fn apply(self, address: u64) -> u64 {
        match self {
            AddressChange::Swizzle(swizzle) => swizzle.apply(address),
            AddressChange::Padding { every, by } => address + address / every * by,
        }
    }

    /// The memory with changed addresses.
    fn memory(self, memory: &Layout) -> Result<Layout, LayoutError> {
        let (every, by) = match self {
            AddressChange::Swizzle(swizzle) => return memory.swizzled(swizzle),
            AddressChange::Padding { every, by } => (every, by),
        };
        let too_large = || LayoutError::too_large(Site::Layout, "a padded address");
        let rows = memory.extent(Level::ADDR).div_ceil(every);
        let step = every.checked_add(by).ok_or_else(too_large)?;
        let digits = [(rows, step), (every, 1)];
        let digits = digits.map(|(size, stride)| Subaxis::land(size, Level::ADDR, stride));
        let end = rows.checked_mul(every).ok_or_else(too_large)?;
        let padded = Layout::builder().axis(end, digits).build()?.compose(memory)?;
        padded.without_spans().without_padding_if_decided()
    }
}

impl fmt::Display for AddressChange {
    /// `S<3,3,3>` as CuTe writes it, `[64:+8]` as Triton does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddressChange::Swizzle(swizzle) => write!(f, "{swizzle}"),
            AddressChange::Padding { every, by } => write!(f, "[{every}:+{by}]"),
        }
    }
}

/// A memory with changed addresses, and the cost of the access to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangedAccess {
    /// The change; `None` for the layout as it is.
    pub change: Option<AddressChange>,
    /// The memory with it.
    pub memory: Layout,
    /// The number of elements of memory from address 0 to the last element.
    pub extent: u64,
    /// The cost of the access after the change.
    pub access: Access,
}

/// Finds the changes with the fewest wavefronts; ties keep the order of the candidates.
pub(super) fn best<C: IntoIterator<Item = AddressChange>>(
    memory: &Layout,
    holders: &Layout,
    element_bits: u64,
    candidates: impl FnOnce(&Room) -> C,
) -> Result<Vec<ChangedAccess>, LayoutError> {
    let plain = Requests::new(memory, holders, element_bits)?;
    let (access, extent) = (plain.access(), plain.extent());
    let as_it_is = ChangedAccess { change: None, memory: memory.clone(), extent, access };
    if as_it_is.access.conflicts() == 0 {
        return Ok(vec![as_it_is]);
    }
    let changed = |change: AddressChange| plain.mapped(|address| change.apply(address));
    let room = Room { vector: plain.vector, extent, row: BANK_ROW * 8 / element_bits };
    let wavefronts = |change| (change, changed(change).access().wavefronts);
    let costs: Vec<(AddressChange, u64)> = candidates(&room).into_iter().map(wavefronts).collect();
    let least = costs.iter().map(|(_, wavefronts)| *wavefronts).min().unwrap_or(u64::MAX);
    if least >= as_it_is.access.wavefronts {
        return Ok(vec![as_it_is]);
    }
    let best = costs.into_iter().filter(|(_, wavefronts)| *wavefronts == least);
    best.map(|(change, _)| {
        let (memory, after) = (change.memory(memory)?, changed(change));
        let (extent, access) = (after.extent(), after.access());
        Ok(ChangedAccess { change: Some(change), memory, extent, access })
    })
    .collect()
}

/// The constraints on a change and the room that it has, in elements.
#[derive(Debug)]
pub(super) struct Room {
    /// The number of elements of a vector, which a change keeps whole.
    vector: u64,
    /// The exclusive bound of the addresses.
    extent: u64,
    /// The distance between elements in the same bank.
    row: u64,
}

/// The swizzles of up to five bits, those with the fewest bits first, then the lowest.
pub(super) fn swizzles(room: &Room) -> impl Iterator<Item = AddressChange> + use<> {
    let (lowest, end) = (room.vector.ilog2(), u64::BITS - (room.extent - 1).leading_zeros());
    let swizzles = (1..=5).flat_map(move |bits| {
        (lowest..end).flat_map(move |base| {
            let shifts = bits..end.saturating_sub(base + bits) + 1;
            shifts.filter_map(move |shift| CuteSwizzle::new(bits, base, shift.cast_signed()).ok())
        })
    });
    swizzles.map(AddressChange::Swizzle)
}

/// The paddings of whole vectors by less than a row of all banks, those that take least memory first.
pub(super) fn paddings(room: &Room) -> Vec<AddressChange> {
    let rows = (room.vector.ilog2()..u64::BITS).map(|bit| 1 << bit);
    let rows = rows.take_while(|every| *every < room.extent);
    let steps = || (room.vector..room.row).step_by(crate::number::to_index(room.vector));
    let taken = |every: u64, by: u64| {
        let taken = ((room.extent - 1) / every).checked_mul(by)?.checked_add(room.extent)?;
        // Bytes are counted as well.
        taken.checked_mul(BANK_ROW).map(|_| taken)
    };
    let mut all: Vec<(u64, u64, u64)> = rows
        .flat_map(|every| steps().map(move |by| (every, by)))
        .filter_map(|(every, by)| Some((taken(every, by)?, by, every)))
        .collect();
    all.sort_unstable();
    all.into_iter().map(|(_, by, every)| AddressChange::Padding { every, by }).collect()
}
