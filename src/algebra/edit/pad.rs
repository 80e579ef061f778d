//! Padding: to a larger shape, and down to the least that a machine needs.

use crate::algebra::layout::{Axis, Layout, Subaxis, Target};
use crate::error::LayoutError;
use crate::level::Level;

impl Layout {
    /// Enlarges the tensor to `shape`, at the end of every axis; old elements stay in their places.
    ///
    /// Padding slots of an axis become elements first; what they do not hold lies behind
    /// everything else in `Addr`.
    /// Law: slicing back to the old shape gives every element its old place.
    ///
    /// # Errors
    /// [`RankMismatch`](LayoutError::RankMismatch), [`Edit`](LayoutError::Edit) for a smaller
    /// extent, [`TooLarge`](LayoutError::TooLarge);
    /// [`Collision`](LayoutError::Collision) where padding that becomes an element lies on one.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "(10,7)/((3:7, 4_PE), (7:1))".parse()?;
    /// assert_eq!(layout.pad_to(&[12, 7])?, "((3:7, 4_PE), (7:1))".parse()?);
    /// assert_eq!(layout.pad_to(&[10, 8])?, "(10,8)/((3:7, 4_PE), (2:21, 7:1))".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pad_to(&self, shape: &[u64]) -> Result<Layout, LayoutError> {
        if shape.len() != self.rank() {
            return Err(LayoutError::RankMismatch { shape: shape.len(), axes: self.rank() });
        }
        let smaller = self.axes.iter().zip(shape).position(|(axis, extent)| *extent < axis.extent);
        if let Some(axis) = smaller {
            let (from, to) = (self.axes[axis].extent, shape[axis]);
            let reason = format!("axis {axis} has extent {from} and cannot be padded to {to}");
            return Err(LayoutError::Edit { reason });
        }
        let mut padded = self.clone();
        for (number, extent) in shape.iter().enumerate() {
            let slots = padded.axes[number].slots();
            if slots < *extent {
                let more = extent.div_ceil(slots);
                let behind = padded.extent(Level::ADDR) - padded.offset(Level::ADDR);
                let digit = Subaxis::land(more, Level::ADDR, behind);
                padded.axes[number].subaxes.insert(0, digit);
            }
            padded.axes[number].extent = *extent;
            // Checks that the new digit fits, before the next axis is looked at.
            padded = padded.to_builder().build()?;
        }
        padded.check_injective()?;
        Ok(padded)
    }

    /// Cuts padding down to what SIMD units need: digits of addresses, lanes and time end where
    /// the elements do, digits of units stay.
    ///
    /// Every element keeps its places.
    /// Law: no size of a digit that lands in `Addr`, `W` or `Time` can be smaller.
    ///
    /// # Errors
    /// As [`LayoutBuilder::build`](crate::algebra::LayoutBuilder::build).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "(10,7)/((5:7, 4_PE), (7:1))".parse()?;
    /// assert_eq!(layout.with_minimal_padding()?, "(10,7)/((3:7, 4_PE), (7:1))".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_minimal_padding(&self) -> Result<Layout, LayoutError> {
        let mut cut = self.clone();
        for axis in &mut cut.axes {
            cut_padding(axis);
        }
        cut.spans.clear();
        cut.to_builder().build()
    }
}

/// From the major end, as long as digits are always 0, and the first that is not.
fn cut_padding(axis: &mut Axis) {
    let tops = axis.reaches(axis.extent.saturating_sub(1));
    let moving = tops.iter().position(|top| *top > 0).unwrap_or(tops.len());
    for (subaxis, top) in axis.subaxes.iter_mut().zip(&tops).take(moving + 1) {
        let is_unit = match subaxis.target {
            Target::Land { level, .. } => level.is_unit(),
            Target::Feed { .. } => true,
        };
        if !is_unit {
            subaxis.size = top + 1;
        }
    }
}
