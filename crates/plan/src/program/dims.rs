//! Extents and the type of elements.

use tensor_layout::LayoutError;
use tensor_layout::error::fault;

/// The extents of a tensor, and the type of its elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dims {
    /// The extents.
    pub shape: Vec<u64>,
    /// The type as MLIR names it: `f32`, `i1`.
    pub dtype: String,
}

impl Dims {
    /// Reads `tensor<8x4xf32>`; what is no tensor has no bytes.
    ///
    /// # Errors
    /// `Unsupported` for extents that are only known at run time.
    pub(crate) fn read(text: &str) -> Result<Dims, LayoutError> {
        let Some(inner) = text.strip_prefix("tensor<").and_then(|of| of.strip_suffix('>')) else {
            return Ok(Dims { shape: Vec::new(), dtype: text.to_owned() });
        };
        let inner = inner.split(", #").next().unwrap_or(inner);
        let mut rest = inner;
        let mut shape = Vec::new();
        while let Some((extent, after)) = rest.split_once('x') {
            let is_extent = |c: char| c.is_ascii_digit() || c == '?';
            if extent.is_empty() || !extent.chars().all(is_extent) {
                break;
            }
            let extent = extent.parse().ok().filter(|extent| *extent < u64::MAX >> 16);
            let type_of = text.to_owned();
            let extent = extent.ok_or_else(|| {
                fault!(Unsupported, "an extent of `{type_of}` is not known", [type_of])
            })?;
            shape.push(extent);
            rest = after;
        }
        Ok(Dims { shape, dtype: rest.to_owned() })
    }

    /// The bits of an element in memory: 8 for a truth value, since XLA packs only numbers; 0 for a type that is not a tensor.
    #[must_use]
    pub fn element_bits(&self) -> u64 {
        let parts = if self.dtype.starts_with("complex<") { 2 } else { 1 };
        let name = self.dtype.trim_start_matches("complex<").trim_end_matches('>');
        let number = name.trim_start_matches(|c: char| !c.is_ascii_digit());
        let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        let bits: u64 = number[..end].parse().unwrap_or(0);
        parts * if bits == 1 { 8 } else { bits }
    }

    /// The number of elements, at most 2^64 - 1.
    #[must_use]
    pub fn elements(&self) -> u64 {
        self.shape.iter().fold(1, |all, extent| all.saturating_mul(*extent))
    }

    /// The bytes of the whole tensor.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes_of(self.elements())
    }

    /// The bytes of so many elements.
    pub(crate) fn bytes_of(&self, elements: u64) -> u64 {
        let bytes = (u128::from(elements) * u128::from(self.element_bits())).div_ceil(8);
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    /// The type as it is written.
    #[must_use]
    pub fn text(&self) -> String {
        if self.dtype.starts_with('!') {
            return self.dtype.clone();
        }
        let extents: String = self.shape.iter().map(|extent| format!("{extent}x")).collect();
        format!("tensor<{extents}{}>", self.dtype)
    }
}
