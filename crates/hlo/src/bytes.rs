//! Sums of the sizes of shapes.

use tensor_layout::LayoutError;
use tensor_layout::error::Site;
use tensor_layout::xla::XlaSizes;

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

impl From<XlaSizes> for HloBytes {
    /// The bytes of one instruction.
    fn from(sizes: XlaSizes) -> HloBytes {
        let XlaSizes { unpadded_bytes: unpadded, allocated_bytes: allocated, .. } = sizes;
        HloBytes { count: 1, unpadded, allocated }
    }
}

/// The error for a sum of sizes beyond 64 bits.
pub(super) fn total_too_large() -> LayoutError {
    too_large("the total size in bytes")
}

/// The error for a number beyond 64 bits, which `what` names.
pub(super) fn too_large(what: &'static str) -> LayoutError {
    LayoutError::too_large(Site::Layout, what)
}

impl HloBytes {
    pub(super) fn add(&mut self, sizes: XlaSizes) -> Result<(), LayoutError> {
        *self = self.plus(sizes.into())?;
        Ok(())
    }

    /// Returns the sum of both.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn plus(self, other: HloBytes) -> Result<HloBytes, LayoutError> {
        let sum = |a: u64, b: u64| a.checked_add(b).ok_or_else(total_too_large);
        let unpadded = sum(self.unpadded, other.unpadded)?;
        let allocated = sum(self.allocated, other.allocated)?;
        Ok(HloBytes { count: self.count + other.count, unpadded, allocated })
    }

    /// The bytes that are allocated but hold no element.
    #[must_use]
    pub fn padding(&self) -> u64 {
        self.allocated.saturating_sub(self.unpadded)
    }
}
