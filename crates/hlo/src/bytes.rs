//! Sums of the sizes of shapes.

use tensor_layout::xla::XlaSizes;
use tensor_layout::{LayoutError, internals};

/// Bytes of arrays, each counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HloBytes {
    /// The number of instructions.
    pub count: u64,
    /// The bytes of the elements alone.
    pub unpadded: u64,
    /// The allocated bytes, padding included.
    pub allocated: u64,
}

impl HloBytes {
    pub(super) fn add(&mut self, sizes: XlaSizes) -> Result<(), LayoutError> {
        let too_large = || internals::too_large("the total size in bytes");
        let sum = |a: u64, b: u64| a.checked_add(b).ok_or_else(too_large);
        self.count += 1;
        self.unpadded = sum(self.unpadded, sizes.unpadded_bytes)?;
        self.allocated = sum(self.allocated, sizes.allocated_bytes)?;
        Ok(())
    }

    /// Returns the sum of both.
    ///
    /// # Errors
    /// [`TooLarge`](LayoutError::TooLarge).
    pub fn plus(mut self, other: HloBytes) -> Result<HloBytes, LayoutError> {
        let (unpadded_bytes, allocated_bytes) = (other.unpadded, other.allocated);
        self.add(XlaSizes { unpadded_bytes, allocated_bytes, ..XlaSizes::default() })?;
        Ok(HloBytes { count: self.count - 1 + other.count, ..self })
    }

    /// The bytes that are allocated but hold no element.
    #[must_use]
    pub fn padding(&self) -> u64 {
        self.allocated.saturating_sub(self.unpadded)
    }
}
