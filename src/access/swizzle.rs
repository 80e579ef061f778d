//! Which swizzle of the memory serves an access without bank conflicts.

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

/// The best ones: first those with the fewest wavefronts, of these those with the fewest bits, then the
/// lowest.
pub(super) fn search(
    memory: &Layout,
    holders: &Layout,
    element_bits: u64,
) -> Result<Vec<SwizzledAccess>, AccessError> {
    let plain = Requests::new(memory, holders, element_bits)?;
    let access = plain.access()?;
    let mut found = vec![SwizzledAccess { swizzle: None, memory: memory.clone(), access }];
    if found[0].access.conflicts() == 0 {
        return Ok(found);
    }
    let end = u64::BITS - (memory.extent(Level::ADDR) - 1).leading_zeros();
    let lowest = plain.vector.ilog2();
    for swizzle in candidates(lowest, end) {
        let memory = memory.swizzled(swizzle)?;
        let requests = Requests::new(&memory, holders, element_bits)?;
        if requests.vector == plain.vector {
            let access = requests.access()?;
            found.push(SwizzledAccess { swizzle: Some(swizzle), memory, access });
        }
    }
    let least = found.iter().map(|found| found.access.wavefronts).min().unwrap_or(0);
    found.retain(|found| found.access.wavefronts == least);
    found.sort_by_key(|found| found.swizzle.map(|s| (s.bits, s.base, s.shift)));
    Ok(found)
}

/// Swizzles that flip bits from `lowest` on by bits below `end`.
fn candidates(lowest: u32, end: u32) -> impl Iterator<Item = CuteSwizzle> {
    (1..=5).flat_map(move |bits| {
        (lowest..end).flat_map(move |base| {
            let shifts = bits..end.saturating_sub(base + bits) + 1;
            shifts.map(move |shift| CuteSwizzle { bits, base, shift: shift.cast_signed() })
        })
    })
}
