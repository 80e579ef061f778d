//! Address changes that minimize the bank conflicts of an access: swizzles and padding.

use std::fmt;

use crate::banks::Access;
use crate::gpu::Instruction;
use crate::requests::Requests;
use tensor_layout::algebra::Subaxis;
use tensor_layout::error::{ErrorKind, Site};
use tensor_layout::notation::CuteSwizzle;
use tensor_layout::{Layout, LayoutError, Level};

/// No banks repeat after more bytes, and no element has more.
const WIDEST_ROW: u64 = 256;

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
            AddressChange::Swizzle(swizzle) => return swizzle.apply_to(memory),
            AddressChange::Padding { every, by } => (every, by),
        };
        let too_large = || LayoutError::too_large(Site::Layout, "a padded address");
        let rows = memory.extent(Level::ADDR).div_ceil(every);
        let step = every.checked_add(by).ok_or_else(too_large)?;
        let digits = [(rows, step), (every, 1)];
        let digits = digits.map(|(size, stride)| Subaxis::land(size, Level::ADDR, stride));
        let end = rows.checked_mul(every).ok_or_else(too_large)?;
        let padded = Layout::builder().axis(end, digits).build()?.compose(memory)?;
        let padded = padded.to_builder().without_spans().build()?;
        match padded.without_padding() {
            Err(error) if error.kind() == ErrorKind::NotDecided => Ok(padded),
            other => other,
        }
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

/// A memory with changed addresses, and the cost of the accesses to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangedAccess {
    /// The change; `None` for the layout as it is.
    pub change: Option<AddressChange>,
    /// The memory with it.
    pub memory: Layout,
    /// The number of elements of memory from address 0 to the last element.
    pub extent: u64,
    /// The cost of each access after the change.
    pub accesses: Vec<Access>,
}

impl ChangedAccess {
    /// The number of wavefronts of all accesses.
    #[must_use]
    pub fn wavefronts(&self) -> u64 {
        self.accesses.iter().map(|access| access.wavefronts).sum()
    }

    fn conflicts(&self) -> u64 {
        self.accesses.iter().map(Access::conflicts).sum()
    }
}

/// Finds the changes with the fewest wavefronts of all accesses; ties keep the order of the candidates.
pub(super) fn best<C: IntoIterator<Item = AddressChange>>(
    memory: &Layout,
    accesses: &[(&Layout, Instruction)],
    element_bits: u64,
    candidates: impl FnOnce(&Room) -> C,
) -> Result<Vec<ChangedAccess>, LayoutError> {
    let plain = Plain::new(memory, accesses, element_bits)?;
    let as_it_is = plain.cost(memory.clone());
    if as_it_is.conflicts() == 0 {
        return Ok(vec![as_it_is]);
    }
    let wavefronts = |change| (change, plain.wavefronts(change));
    let costs = candidates(&plain.room()).into_iter().map(wavefronts);
    let costs: Vec<(AddressChange, u64)> = costs.collect();
    let least = costs.iter().map(|(_, wavefronts)| *wavefronts).min().unwrap_or(u64::MAX);
    if least >= as_it_is.wavefronts() {
        return Ok(vec![as_it_is]);
    }
    let best = costs.into_iter().filter(|(_, wavefronts)| *wavefronts == least);
    // Counted anew: a change that undoes a swizzle of the memory allows wider vectors.
    let changed = |(change, _): (AddressChange, u64)| {
        let memory = change.memory(memory)?;
        let plain = Plain::new(&memory, accesses, element_bits)?;
        Ok(ChangedAccess { change: Some(change), ..plain.cost(memory) })
    };
    let mut best = best.map(changed).collect::<Result<Vec<_>, LayoutError>>()?;
    let least = best.iter().map(ChangedAccess::wavefronts).min();
    best.retain(|of| Some(of.wavefronts()) == least);
    Ok(best)
}

/// The requests of every access to the memory as it is.
struct Plain(Vec<Requests>);

impl Plain {
    fn new(
        memory: &Layout,
        accesses: &[(&Layout, Instruction)],
        element_bits: u64,
    ) -> Result<Plain, LayoutError> {
        let requests = accesses.iter().map(|(holders, instruction)| {
            Requests::new(memory, holders, element_bits, *instruction)
        });
        requests.collect::<Result<_, _>>().map(Plain)
    }

    /// The wavefronts after a change that keeps the vectors.
    fn wavefronts(&self, change: AddressChange) -> u64 {
        let mapped = self.0.iter().map(|requests| requests.mapped(|at| change.apply(at)));
        mapped.map(|requests| requests.access().wavefronts).sum()
    }

    fn cost(&self, memory: Layout) -> ChangedAccess {
        let extent = self.0.iter().map(Requests::extent).max().unwrap_or(0);
        let accesses = self.0.iter().map(Requests::access).collect();
        ChangedAccess { change: None, memory, extent, accesses }
    }

    fn room(&self) -> Room {
        let most = |of: fn(&Requests) -> u64| self.0.iter().map(of).max().unwrap_or(1);
        Room {
            whole: most(Requests::whole),
            extent: most(Requests::extent),
            row: most(Requests::bank_row),
        }
    }
}

/// The constraints on a change and the room that it has, in elements.
#[derive(Debug)]
pub(super) struct Room {
    /// The number of elements that a change keeps together, in a vector or a word.
    whole: u64,
    /// The exclusive bound of the addresses.
    extent: u64,
    /// The distance between elements in the same bank.
    row: u64,
}

/// The swizzles of up to five bits, those with the fewest bits first, then the lowest.
pub(super) fn swizzles(room: &Room) -> impl Iterator<Item = AddressChange> + use<> {
    let (lowest, end) = (room.whole.ilog2(), u64::BITS - (room.extent - 1).leading_zeros());
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
    let rows = (room.whole.ilog2()..u64::BITS).map(|bit| 1 << bit);
    let rows = rows.take_while(|every| *every < room.extent);
    let steps = || (room.whole..room.row).step_by(tensor_layout_words::to_index(room.whole));
    let taken = |every: u64, by: u64| {
        let taken = ((room.extent - 1) / every).checked_mul(by)?.checked_add(room.extent)?;
        // Bytes are counted as well.
        taken.checked_mul(WIDEST_ROW).map(|_| taken)
    };
    let mut all: Vec<(u64, u64, u64)> = rows
        .flat_map(|every| steps().map(move |by| (every, by)))
        .filter_map(|(every, by)| Some((taken(every, by)?, by, every)))
        .collect();
    all.sort_unstable();
    all.into_iter().map(|(_, by, every)| AddressChange::Padding { every, by }).collect()
}
