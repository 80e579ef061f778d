//! Addresses under a swizzle.

use crate::algebra::layout::{Layout, Subaxis, Target};
use crate::algebra::xor_simplify::bit_digits;
use crate::error::{LayoutError, Site};
use crate::level::Level;
use crate::swizzle::CuteSwizzle;

impl CuteSwizzle {
    /// Swizzles the slot addresses of a layout without other levels.
    ///
    /// Law: an element at address `a` is at `self.apply(a)` in the result.
    ///
    /// # Errors
    /// `TooLarge` for addresses beyond 62 bits; `Argument` for another level, as [`compose`](crate::Layout::compose).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::notation::{CuteLayout, CuteSwizzle};
    /// let rows = "(8,8):(8,1)".parse::<CuteLayout>()?.lower()?;
    /// let swizzled = CuteSwizzle::new(3, 0, 3)?.apply_to(&rows)?;
    /// assert_eq!(swizzled.locate(&[1, 0])?.to_string(), "Addr=9");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply_to(self, layout: &Layout) -> Result<Layout, LayoutError> {
        let reach = layout.extent(Level::ADDR);
        let bits = u64::BITS - (reach - 1).leading_zeros();
        let too_large = || LayoutError::too_large(Site::Layout, "a swizzled address");
        if bits > 62 {
            return Err(too_large());
        }
        let column = |bit: u32| self.apply(1 << bit);
        let feed = |bit: u32| Target::Feed { derived: 0, weight: column(bit) };
        let rows = (0..bits).map(|bit| u64::BITS - column(bit).leading_zeros()).max().unwrap_or(0);
        let swizzle = Layout::builder()
            .axis(1 << bits, bit_digits((0..bits).map(feed)))
            .xor(0, [Subaxis::land(1 << rows, Level::ADDR, 1)])
            .build()?;
        swizzle.compose(layout)
    }
}
