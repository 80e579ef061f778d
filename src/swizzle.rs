//! Swizzles of CuTe: `S<3,4,3>`.

use std::fmt;

use crate::error::{LayoutError, fault};

/// A swizzle of addresses in elements: `bits` address bits from `base` on are XORed with the bits that are
/// `shift` places above them, or below for a negative shift.
///
/// ```
/// use tensor_layout::notation::CuteSwizzle;
/// let swizzle = CuteSwizzle::new(3, 3, 3)?;
/// assert_eq!(swizzle.apply(3 * 64 + 17), 201); // bits 3 to 5 are flipped by bits 6 to 8
/// assert_eq!(swizzle.to_string(), "S<3,3,3>");
/// # Ok::<(), tensor_layout::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CuteSwizzle {
    pub(crate) bits: u32,
    pub(crate) base: u32,
    pub(crate) shift: i32,
}

impl CuteSwizzle {
    /// `S<0,4,3>`, as CUTLASS writes the swizzle that moves nothing: a composition with it has an offset.
    pub(crate) const IDENTITY: CuteSwizzle = CuteSwizzle { bits: 0, base: 4, shift: 3 };

    /// A swizzle `S<bits,base,shift>`.
    ///
    /// # Errors
    /// `Invalid` for a shift shorter than `bits`, `TooLarge` for bits beyond 63.
    pub fn new(bits: u32, base: u32, shift: i32) -> Result<CuteSwizzle, LayoutError> {
        if bits > shift.unsigned_abs() {
            return Err(fault!(
                Invalid,
                "the {bits} swizzled bits overlap the bits that flip them: the shift is \
                 {shift}, but must be at least {bits} in magnitude",
                [bits, shift = i64::from(shift)]
            ));
        }
        let end = [base, shift.unsigned_abs(), bits].into_iter().map(u64::from).sum::<u64>();
        if end > 63 {
            Err(fault!(TooLarge, "a swizzle has no bits beyond 63"))
        } else {
            Ok(CuteSwizzle { bits, base, shift })
        }
    }

    /// The swizzled address, `x ^ (x & Y) >> shift`.
    #[must_use]
    pub fn apply(&self, address: u64) -> u64 {
        let mask = ((1 << self.bits) - 1) << self.base;
        let distance = self.shift.unsigned_abs();
        match self.shift >= 0 {
            true => address ^ (address & mask << distance) >> distance,
            false => address ^ (address & mask) << distance,
        }
    }
}

impl fmt::Display for CuteSwizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S<{},{},{}>", self.bits, self.base, self.shift)
    }
}
