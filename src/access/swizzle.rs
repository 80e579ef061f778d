//! The swizzles of a memory that serve an access with the fewest bank conflicts.

use super::banks::Access;
use super::error::AccessError;
use super::requests::Requests;
use crate::algebra::Layout;
use crate::level::Level;
use crate::notation::CuteSwizzle;

/// A swizzle, and what the access costs with it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SwizzledAccess {
    /// The swizzle of addresses in elements; `None` for the layout as it is.
    pub swizzle: Option<CuteSwizzle>,
    /// The memory with it.
    pub memory: Layout,
    /// What the access costs.
    pub access: Access,
}

/// Finds the swizzles with the fewest wavefronts, of those with the fewest bits first, then the lowest.
pub(super) fn search(
    memory: &Layout,
    holders: &Layout,
    element_bits: u64,
) -> Result<Vec<SwizzledAccess>, AccessError> {
    let plain = Requests::new(memory, holders, element_bits)?;
    let access = plain.access();
    let as_it_is = SwizzledAccess { swizzle: None, memory: memory.clone(), access };
    if as_it_is.access.conflicts() == 0 {
        return Ok(vec![as_it_is]);
    }
    let end = u64::BITS - (memory.extent(Level::ADDR) - 1).leading_zeros();
    let costs: Vec<(CuteSwizzle, u64)> = candidates(plain.vector.ilog2(), end)
        .map(|swizzle| (swizzle, plain.swizzled(swizzle).access().wavefronts))
        .collect();
    let least = costs.iter().map(|(_, wavefronts)| *wavefronts).min().unwrap_or(u64::MAX);
    if least >= as_it_is.access.wavefronts {
        return Ok(vec![as_it_is]);
    }
    let best = costs.into_iter().filter(|(_, wavefronts)| *wavefronts == least);
    best.map(|(swizzle, _)| {
        let memory = memory.swizzled(swizzle)?;
        let access = plain.swizzled(swizzle).access();
        Ok(SwizzledAccess { swizzle: Some(swizzle), memory, access })
    })
    .collect()
}

/// Swizzles that flip bits from `lowest` on by bits below `end`, by their numbers: vectors of as many
/// elements stay whole.
fn candidates(lowest: u32, end: u32) -> impl Iterator<Item = CuteSwizzle> {
    (1..=5).flat_map(move |bits| {
        (lowest..end).flat_map(move |base| {
            let shifts = bits..end.saturating_sub(base + bits) + 1;
            shifts.filter_map(move |shift| CuteSwizzle::new(bits, base, shift.cast_signed()).ok())
        })
    })
}
