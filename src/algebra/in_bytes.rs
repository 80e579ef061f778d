//! Layouts at the granularity of bytes.
//!
//! ```text
//! bf16, 16 bits    element 3 is bytes 6, 7               an axis of 2 bytes, minor to all others
//! s4, 4 bits       element 3 is bits 4..8 of byte 1      an axis of 4 bits, Addr the byte, Bit the bit
//! ```

use crate::algebra::layout::Layout;
use crate::error::{LayoutError, fault};
use crate::level::Level;

const BITS_OF_BYTE: u64 = 8;

impl Layout {
    /// Returns the layout of the bytes; `Addr` of `self` counts elements of `element_bits` bits each.
    ///
    /// In the result, `Addr` counts bytes, and a new last axis counts the bytes within an element. If an
    /// element is not a whole number of bytes, the last axis counts its bits, lowest first, and the
    /// coordinate in the level `Bit` is the number of the bit within its byte, from 0 to 7.
    /// Law: byte k of element i is at `bytes x locate(i) + k`; bit k of it is bit
    /// `element_bits x locate(i) + k`, counted from the lowest bit of byte 0.
    /// Cost: O(subaxes).
    ///
    /// # Errors
    /// `Argument` for 0 bits, `TooLarge`; where an element is not a whole number of bytes, also `Uneven` for
    /// copies whose steps do not line up with bytes, and `Argument` for a layout that already uses `Bit`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::xla::XlaShape;
    /// let lowered = |text: &str| text.parse::<XlaShape>().unwrap().lower().unwrap();
    /// let bytes = lowered("bf16[4,2]{0,1}").in_bytes(16)?;
    /// assert_eq!(bytes, "((4:2), (2:8), (2:1))".parse()?);
    /// let bits = lowered("s4[6]{0:E(4)}").in_bytes(4)?;
    /// assert_eq!(bits.locate(&[3, 1])?.to_string(), "Bit=5,Addr=1");
    /// let split = "((2_PE, 3:1))".parse::<tensor_layout::Layout>()?.in_bytes(4)?;
    /// assert_eq!(split.locate(&[4, 1])?.to_string(), "PE=1,Bit=5,Addr=0");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_bytes(&self, element_bits: u64) -> Result<Layout, LayoutError> {
        if element_bits.is_multiple_of(BITS_OF_BYTE) {
            return self.in_parts(element_bits / BITS_OF_BYTE);
        }
        let (bits, level) = (self.in_parts(element_bits)?, Level::literal("Bit"));
        if self.uses(level) {
            return Err(fault!(
                Argument,
                "cannot edit the layout: level `{level}` is needed for the bits of a \
                 byte, but the layout already uses it; rename it",
                [level]
            ));
        }
        bits.split_level(Level::ADDR, BITS_OF_BYTE, Level::ADDR, level)
    }

    /// Returns the layout of the parts of every element, which follow each other in `Addr`: a last axis.
    pub(crate) fn in_parts(&self, parts: u64) -> Result<Layout, LayoutError> {
        let at = self.rank();
        self.insert_axis(at)?.expand(at, parts, Level::ADDR)
    }
}
