//! From a text of Triton to its layout.

use super::keys::Keys;
use super::linear::{Padding, not_bitwise, odd_size};
use super::shared::{self, shared};
use super::tile::Input;
use super::tree::{Attribute, TensorType, TritonMeaning};
use super::{LinearLayout, TritonLayout, distributed};
use crate::algebra::Layout;
use crate::error::{LayoutError, ParseError, Span};
use crate::text::kind::{Notation, NotationText, WrittenLayout};
use crate::text::xla::{XlaDtype, XlaParser};

impl TritonLayout {
    /// Returns the layout that the text describes: an axis per dimension, registers and offsets in `Addr`,
    /// `LANE`, `WARP` and `BLOCK` for lanes, warps of a block and blocks of a cluster. Offsets count
    /// elements. The rows of tensor memory are in `ROW`, its columns in `Addr`; `PARTITION` is a part of shared memory.
    ///
    /// Registers beyond the shape are left out as in Triton 3.9: in `blocked`, `linear` and `slice`.
    ///
    /// # Errors
    /// [`ParseError`] at the invalid key; [`LayoutError`] for bases that do not form a layout.
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
        let Encoded { bases, padding, buffers } = self.encoded()?;
        bases.to_layout(&padding, buffers).map_err(|error| self.refuse(error))
    }

    /// The linear layout of an encoding, as in Triton itself; without padding.
    ///
    /// # Errors
    /// As [`lower`](TritonLayout::lower); `Invalid` for a number of buffers that is not a power of two.
    pub fn to_linear(&self) -> Result<LinearLayout, ParseError> {
        let Encoded { bases, buffers, .. } = self.encoded()?;
        let in_buffers = |count| bases.clone().in_buffers(count).map_err(|e| self.refuse(e));
        buffers.map_or_else(|| Ok(bases.clone()), in_buffers)
    }

    fn encoded(&self) -> Result<Encoded, ParseError> {
        match &self.said {
            TritonMeaning::Linear(bases) => Ok(Encoded::of(bases.clone())),
            TritonMeaning::Encoding(encoding, of) => self.encoding_of(encoding, of.as_ref()),
        }
    }

    fn encoding_of(
        &self,
        encoding: &Attribute,
        of: Option<&TensorType>,
    ) -> Result<Encoded, ParseError> {
        let text = self.text();
        let keys = Keys { attribute: encoding, text: &text };
        let Some(of) = of else {
            let refusal =
                keys.refuse("an encoding alone is not a layout: it needs the shape of a tensor");
            return Err(refusal.with_help(
                "write its type, `tensor<128x64xf16, #ttg...>`, or give the shape to \
                 `TritonLayout::with_shape`",
            ));
        };
        let (buffers, shape) = match shared::rank(keys)? {
            Some(rank) if of.may_be_memory() => in_buffers(&of.shape, rank),
            _ => (None, &of.shape[..]),
        };
        check_shape(of, buffers, shape, &text)?;
        if let Some((bases, padding)) = shared(keys, shape, element_bits(of))? {
            shared::check_buffers(keys, buffers.and(Some(&bases)), element_bits(of))?;
            return Ok(Encoded { bases, padding, buffers });
        }
        if of.memory.is_some() {
            let name = &encoding.name;
            return Err(keys.refuse(format!("`{name}` is not an encoding of shared memory")));
        }
        let tile = distributed::tile(keys, &of.shape)?;
        Ok(Encoded::of(tile.to_linear(&Input::ALL, &of.shape)))
    }
}

/// The bases of an encoding, the padding of its memory, and the number of such buffers that follow each other.
struct Encoded {
    bases: LinearLayout,
    padding: Padding,
    buffers: Option<u64>,
}

impl Encoded {
    fn of(bases: LinearLayout) -> Encoded {
        Encoded { bases, padding: Padding::default(), buffers: None }
    }
}

/// The number of buffers in front of the shape that an encoding of this rank is for, and that shape.
///
/// Source: triton-lang/triton, `Types.cpp`, `MemDescType::verify`: the rank is that of the shape or one less.
fn in_buffers(shape: &[u64], rank: usize) -> (Option<u64>, &[u64]) {
    match shape.split_first() {
        Some((count, buffer)) if buffer.len() == rank => (Some(*count), buffer),
        _ => (None, shape),
    }
}

/// Rejects shapes that Triton does not have. `shape` is that behind the buffers.
fn check_shape(
    of: &TensorType,
    buffers: Option<u64>,
    shape: &[u64],
    text: &str,
) -> Result<(), ParseError> {
    let refuse = |message: String| {
        let Span { start, end } = of.span.0;
        let span = if start == end { Span::new(0, text.len()) } else { of.span.0 };
        ParseError::invalid(message, span, text)
    };
    if buffers == Some(0) {
        return Err(refuse("there are 0 buffers".into()));
    }
    if let Some(at) = shape.iter().position(|extent| !extent.is_power_of_two()) {
        let dim = at + usize::from(buffers.is_some());
        return Err(refuse(odd_size(dim, shape[at]).to_string()));
    }
    let bits_of = |extent: u64| u64::BITS - (extent - 1).leading_zeros();
    let bits: u32 = shape.iter().copied().chain(buffers).map(bits_of).sum();
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

impl NotationText for TritonLayout {
    fn is_likely(text: &str) -> bool {
        let text = text.trim_start();
        let is_type = ["tensor<", "!ttg.", "!triton_gpu.", "!tt.", "module"];
        let starts = is_type.iter().any(|word| text.starts_with(word));
        let is_name = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        text.strip_prefix('#').is_some_and(is_name)
            || text.contains("where out dims are:")
            || starts && text.contains('#')
    }

    fn read(text: &str, _: XlaParser) -> Result<TritonLayout, ParseError> {
        text.parse()
    }

    fn write(
        layout: &Layout,
        _: Option<&TritonLayout>,
        _: XlaDtype,
    ) -> Result<WrittenLayout, LayoutError> {
        let text = TritonLayout::of(layout)?;
        let refused = |_| Notation::Triton.cannot_express(not_bitwise());
        Ok(WrittenLayout::new(&text, text.lower().map_err(refused)?))
    }

    fn xla_dtype(&self) -> Option<XlaDtype> {
        let TritonMeaning::Encoding(_, Some(of)) = &self.said else { return None };
        XlaDtype::of_mlir(of.element.as_deref()?)
    }
}
