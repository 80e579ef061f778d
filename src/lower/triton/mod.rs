//! Layouts of Triton: an encoding and a shape determine the index that each hardware bit maps to, and the
//! inverse of that map is the layout.
//!
//! ```text
//! encoding + shape     tile, fitted to the shape      bases                 inverse
//! #ttg.blocked<..>     registers, lanes, warps        lane=4 -> (1, 0)      (1, 0) -> LANE 4
//! ```

mod cluster;
mod distributed;
mod keys;
mod linear;
mod mma;
mod shared;
mod tile;

use self::keys::Keys;
use self::linear::Padding;
use self::shared::shared;
use crate::algebra::Layout;
use crate::error::{ParseError, Span};
use crate::notation::triton::{Attribute, TensorType, TritonMeaning};
use crate::notation::{LinearLayout, TritonError, TritonLayout};

impl TritonLayout {
    /// Returns the layout that the text describes: an axis per dimension, registers and offsets in `Addr`,
    /// `LANE`, `WARP` and `BLOCK` for lanes, warps of a block and blocks of a cluster. Offsets count
    /// elements.
    ///
    /// Registers beyond the shape are left out as in Triton 3.9: in `blocked`, `linear` and `slice`.
    ///
    /// # Errors
    /// [`ParseError`] at the invalid key; [`TritonError`](crate::notation::TritonError) for bases that do not
    /// form a layout.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::notation::TritonLayout;
    /// let text = "!ttg.memdesc<4x8xf16, #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>, \
    ///             #ttg.shared_memory>";
    /// let layout = text.parse::<TritonLayout>()?.lower()?;
    /// assert_eq!(layout.locate(&[1, 0])?.to_string(), "Addr=10"); // 8 + (0 ^ 2)
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lower(&self) -> Result<Layout, ParseError> {
        let (bases, padding) = match &self.said {
            TritonMeaning::Linear(bases) => (bases.clone(), Padding::default()),
            TritonMeaning::Encoding(encoding, of) => self.encoded(encoding, of.as_ref())?,
        };
        bases.to_layout(&padding).map_err(|error| self.refuse(error))
    }

    /// The linear layout of an encoding, as in Triton itself; without padding.
    ///
    /// # Errors
    /// As [`lower`](TritonLayout::lower).
    pub fn to_linear(&self) -> Result<LinearLayout, ParseError> {
        match &self.said {
            TritonMeaning::Linear(bases) => Ok(bases.clone()),
            TritonMeaning::Encoding(encoding, of) => Ok(self.encoded(encoding, of.as_ref())?.0),
        }
    }

    fn encoded(
        &self,
        encoding: &Attribute,
        of: Option<&TensorType>,
    ) -> Result<(LinearLayout, Padding), ParseError> {
        let text = self.text();
        let keys = Keys { attribute: encoding, text: &text };
        let Some(of) = of else {
            let refusal =
                keys.refuse("an encoding alone is not a layout: it needs the shape of a tensor");
            return Err(refusal.with_help(
                "write its type, `tensor<128x64xf16, #ttg...>`, or give --shape 128x64xf16",
            ));
        };
        check_shape(of, &text)?;
        if let Some(shared) = shared(keys, &of.shape, element_bits(of))? {
            return Ok(shared);
        }
        if of.memory.is_some() {
            let name = &encoding.name;
            return Err(keys.refuse(format!("`{name}` is not an encoding of shared memory")));
        }
        let tile = distributed::tile(keys, &of.shape)?;
        Ok((tile.to_linear(&of.shape), Padding::default()))
    }
}

/// Rejects shapes that Triton does not have.
fn check_shape(of: &TensorType, text: &str) -> Result<(), ParseError> {
    let refuse = |message: String| {
        let Span { start, end } = of.span.0;
        let span = if start == end { Span::new(0, text.len()) } else { of.span.0 };
        ParseError::invalid(message, span, text)
    };
    if let Some(dim) = of.shape.iter().position(|extent| !extent.is_power_of_two()) {
        return Err(refuse(TritonError::Size { dim, size: of.shape[dim] }.to_string()));
    }
    let bits: u32 = of.shape.iter().map(|extent| extent.ilog2()).sum();
    if bits > 62 {
        return Err(refuse(format!("the tensor has 2^{bits} elements, and 2^62 are read")));
    }
    // A part of a longer row of buffers is laid out as a buffer.
    let allocated = of.memory.as_ref().and_then(|memory| memory.allocated.as_ref());
    match allocated {
        Some(allocated) if !allocated.ends_with(&of.shape) => Err(refuse(format!(
            "this is a part of a buffer of shape {allocated:?}, which is not supported"
        ))),
        _ => Ok(()),
    }
}

/// The width of an element of `f16`, `bf16`, `i8`, `f8E4M3FN`, ..
fn element_bits(of: &TensorType) -> Option<u64> {
    let name = of.element.as_deref()?;
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let starts_right = name.starts_with('f') || name.starts_with("bf") || name.starts_with('i');
    digits.get(..end)?.parse().ok().filter(|_| starts_right)
}
