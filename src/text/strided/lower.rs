//! Shape and strides: one stride per axis.

use itertools::Itertools;

use super::Strided;
use super::calls::is_call;
use crate::algebra::{Layout, Subaxis, Target};
use crate::error::{LayoutError, ParseError, fault};
use crate::level::Level;
use crate::text::kind::{Notation, NotationText, WrittenLayout};
use crate::text::mlir::{Memref, MemrefKind};
use crate::text::written::NotCompared;
use crate::text::xla::{XlaDtype, XlaParser};

impl Strided {
    /// Returns the layout that the text describes: one subaxis per axis, in elements. Elements may share
    /// places.
    ///
    /// # Errors
    /// `Invalid` for strides in bytes that are not multiples of `itemsize`; `TooLarge`.
    pub fn lower(&self) -> Result<Layout, ParseError> {
        self.to_layout().map_err(|error| self.refuse(error))
    }

    pub(in crate::text) fn to_layout(&self) -> Result<Layout, LayoutError> {
        let itemsize = self.itemsize.unwrap_or(1);
        let elements = |axis: Option<usize>, bytes: u64| match bytes.checked_rem(itemsize) {
            Some(0) => Ok(bytes / itemsize),
            _ => {
                let what = match axis {
                    Some(axis) => format!("stride {bytes} of axis {axis}"),
                    None => format!("offset {bytes}"),
                };
                Err(fault!(
                    Invalid,
                    "the {what} is not a multiple of itemsize {itemsize}",
                    [what, itemsize]
                ))
            }
        };
        let offset = elements(None, self.offset.unwrap_or(0))?;
        let mut builder = Layout::builder().offset(Level::ADDR, offset);
        for (axis, (extent, stride)) in self.shape.iter().zip(&self.strides).enumerate() {
            // The stride of an axis that does not step has no effect and may be any number.
            let stride = if *extent > 1 { elements(Some(axis), *stride)? } else { 0 };
            let subaxis = Subaxis::land((*extent).max(1), Level::ADDR, stride);
            builder = builder.axis(*extent, [subaxis]);
        }
        builder.build()
    }

    /// Writes the layout as shape, strides and offset, in elements.
    ///
    /// Strides cannot express padding, so it is left out.
    /// Law: every element of the result has the place that it has here. Copies that coincide count once.
    ///
    /// # Errors
    /// `Inexpressible`: levels other than `Addr`, distinct copies, an axis that steps unevenly; also the errors
    /// of [`without_padding`](Layout::without_padding).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// use tensor_layout::notation::Strided;
    /// let layout: Layout = "((2:6, 2:3), (3:1))".parse()?;
    /// assert_eq!(Strided::of(&layout)?.to_string(), "shape=(4, 3), strides=(3, 1)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(layout: &Layout) -> Result<Strided, LayoutError> {
        let inexpressible = |reason| Notation::Strided.cannot_express(reason);
        let (layout, offset) = layout.without_padding()?.to_origin();
        layout.check_linear().map_err(inexpressible)?;
        layout.check_plain_axes().map_err(inexpressible)?;
        let stride = |(number, digits): (usize, Vec<Subaxis>)| match digits[..] {
            [] => Ok(0),
            [Subaxis { target: Target::Land { stride, .. }, .. }] => Ok(stride),
            _ => {
                let sizes = digits.iter().map(|digit| digit.size).join(" x ");
                Err(inexpressible(fault!(
                    Inexpressible,
                    "axis {axis} does not step evenly: {sizes}",
                    [axis = number, sizes]
                )))
            }
        };
        let strides = layout.axes_of_elements().into_iter().enumerate().map(stride);
        Ok(Strided::new(layout.shape(), strides.try_collect()?).with_offset(offset))
    }
}

impl NotationText for Strided {
    /// A text that begins with `shape`, `torch.Size` or a call such as `assert_size_stride(`, or has two lists of integers in
    /// a row.
    fn is_likely(text: &str) -> bool {
        if let Some(kind) = MemrefKind::of(text) {
            return kind == MemrefKind::Strided;
        }
        let text = text.trim_start();
        let second = || {
            let (first, rest) = text.strip_prefix('(')?.split_once(')')?;
            let is_list = first.bytes().all(|b| b.is_ascii_digit() || b == b',' || b == b' ');
            let rest = rest.trim_start();
            let rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
            let second = rest.strip_prefix('(')?.split(')').next()?;
            // Subaxes and brackets in the second list mean a PadLayout after its shape.
            (is_list && !second.contains(['(', ':', '_', ';'])).then_some(())
        };
        text.starts_with("shape")
            || text.starts_with("torch.Size")
            || second().is_some()
            || is_call(text)
    }

    fn read(text: &str, _: XlaParser) -> Result<Strided, ParseError> {
        match MemrefKind::of(text) {
            None => text.parse(),
            Some(_) => {
                let layout = Memref::read(text)?.strided()?;
                Ok(Strided { source: NotCompared(text.into()), ..layout })
            }
        }
    }

    fn write(
        layout: &Layout,
        _: Option<&Strided>,
        _: XlaDtype,
    ) -> Result<WrittenLayout, LayoutError> {
        let text = Strided::of(layout)?;
        Ok(WrittenLayout::new(&text, text.to_layout()?))
    }

    fn element_bits(&self) -> Option<u64> {
        self.itemsize?.checked_mul(8)
    }
}
