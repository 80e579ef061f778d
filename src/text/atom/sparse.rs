//! Sparse instructions: half of every few elements of A along K is zero and left out.
//!
//! ```text
//! mma.sp..m16n8k32, f16     A 16 x 16 as stored     as A of m16n8k16 without zeros
//!                           B  8 x 32               as two of its B side by side
//!                           C 16 x  8               as its C
//! ```
//!
//! Which elements are stored is in the metadata, which has no layout here.
//!
//! Source: NVIDIA/cutlass, `include/cute/atom/mma_traits_sm90_gmma_sparse.hpp`, `mma_traits_sm120_sparse.hpp`, whose layouts of A
//! count a stored element twice.

use itertools::Itertools;

use super::printed::Printed;
use crate::algebra::{Layout, Subaxis};
use crate::error::LayoutError;
use crate::level::Level;

/// The instruction without zeros of the same registers: that of half of K. Those of doubles and of bits are never sparse.
pub(super) fn halved(sparse: &Printed) -> Option<Printed> {
    if ["F64", "C64", "U1U1"].iter().any(|types| sparse.name.contains(types)) {
        return None;
    }
    let mut parts = sparse.name.split('_').map(str::to_owned).collect_vec();
    let size = parts.iter_mut().find(|part| part.matches('x').count() == 2)?;
    let (shape, k) = size.rsplit_once('x')?;
    let k = k.parse::<u64>().ok().filter(|k| k.is_multiple_of(2) && !shape.starts_with('8'))?;
    *size = format!("{shape}x{}", k / 2);
    Some(Printed { name: parts.join("_"), is_sparse: false, ..sparse.clone() })
}

/// Two layouts side by side along K, the second in the registers behind the first.
pub(super) fn doubled(half: &Layout) -> Result<Layout, LayoutError> {
    let registers = half.extent(Level::ADDR);
    let mut whole = Layout::builder();
    for (axis, of) in half.axes().iter().enumerate() {
        let parts = (axis == 1).then(|| Subaxis::land(2, Level::ADDR, registers));
        let extent = of.extent * if axis == 1 { 2 } else { 1 };
        whole = whole.axis(extent, parts.into_iter().chain(of.subaxes.iter().copied()));
    }
    Ok(whole.build()?.simplified())
}
