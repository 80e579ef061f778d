//! Padding: enlarging a tensor, and reducing its padding to the minimum that a machine needs.

use crate::algebra::layout::{Axis, Layout, Subaxis};
use crate::error::{ErrorKind, LayoutError, fault};
use crate::level::Level;

impl Layout {
    /// Enlarges the tensor to `shape` at the end of every axis; existing elements stay in their places.
    ///
    /// Padding slots of an axis become elements first; further elements are placed after everything else in
    /// `Addr`. If elements share places, as in CuTe and NumPy, so do the new ones: they form blocks of the
    /// old extent, each placed after everything else in `Addr`.
    /// Law: slicing back to the old shape gives every element its old place, and no new element is in an old
    /// place.
    ///
    /// # Errors
    /// `Shape`, `Argument` for a smaller extent, `TooLarge`; `Collision` where padding that becomes an element
    /// shares a place with one.
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
            return Err(LayoutError::rank_mismatch(shape.len(), self.rank()));
        }
        let smaller = self.axes.iter().zip(shape).position(|(axis, extent)| *extent < axis.extent);
        if let Some(axis) = smaller {
            let (extent, to) = (self.axes[axis].extent, shape[axis]);
            return Err(fault!(
                Argument,
                "cannot edit the layout: axis {axis} has extent {extent} and cannot be \
                 padded to {to}",
                [axis, extent, to]
            ));
        }
        let lengthened = |layout: Layout| {
            let mut extents = shape.iter().enumerate();
            extents.try_fold(layout, |layout, (axis, extent)| layout.lengthened(axis, *extent))
        };
        let padded = match lengthened(self.clone()) {
            // Without elements, derived axes do not determine the places of new ones.
            Err(error) if error.kind() == ErrorKind::OutsideDomain && self.elements() == 0 => {
                lengthened(self.slots_alone())?
            }
            padded => padded?,
        };
        match padded.check_injective() {
            Err(_) if self.is_shared() => self.in_blocks_of_itself(shape),
            checked => checked.map(|()| padded),
        }
    }

    /// Returns whether elements, or copies, are known to share places.
    fn is_shared(&self) -> bool {
        matches!(self.collision(), Ok(Some(_)))
    }

    fn in_blocks_of_itself(&self, shape: &[u64]) -> Result<Layout, LayoutError> {
        let mut extents = shape.iter().enumerate();
        extents.try_fold(self.clone(), |layout, (axis, extent)| {
            if *extent == layout.axes[axis].extent {
                return Ok(layout);
            }
            layout.with_blocks_behind(axis, *extent)
        })
    }

    /// Returns a layout without elements, with the digits that land.
    fn slots_alone(&self) -> Layout {
        let empty = |axis: &Axis| Axis { extent: 0, subaxes: axis.landing().collect() };
        let axes = self.axes.iter().map(empty).collect();
        Layout { axes, derived: Vec::new(), ..self.clone() }
    }

    /// Lengthens one axis to `extent`.
    fn lengthened(&self, number: usize, extent: u64) -> Result<Layout, LayoutError> {
        let mut longer = self.clone();
        let slots = longer.axes[number].slots();
        if slots < extent {
            let digit = Subaxis::land(extent.div_ceil(slots), Level::ADDR, self.behind());
            longer.axes[number].subaxes.insert(0, digit);
        }
        longer.axes[number].extent = extent;
        match longer.to_builder().build() {
            // Slots that only derived axes have cannot become elements.
            Err(error)
                if error.kind() == ErrorKind::OutsideDomain && self.axes[number].extent > 0 =>
            {
                self.with_blocks_behind(number, extent)
            }
            other => other,
        }
    }

    /// Returns the length of the layout in `Addr`: blocks this far apart do not overlap.
    fn behind(&self) -> u64 {
        self.span(Level::ADDR) - self.offset(Level::ADDR)
    }

    /// Lengthens one axis by blocks of its old extent: the first as it was, the others after everything.
    fn with_blocks_behind(&self, number: usize, extent: u64) -> Result<Layout, LayoutError> {
        let blocks = extent.div_ceil(self.axes[number].extent);
        let mut builder = self.in_blocks(number, blocks, Level::ADDR, self.behind());
        builder.axes[number].extent = extent;
        Ok(builder.build()?.into_simplified())
    }

    /// Cuts padding down to what SIMD units need: digits of addresses, lanes and time end where the elements
    /// do; digits of units are unchanged.
    ///
    /// Every element keeps its places.
    /// Law: no digit that lands in `Addr`, `W` or `Time` can have a smaller size.
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

/// From the major end, cuts the digits that are always 0, and then the first one that is not.
fn cut_padding(axis: &mut Axis) {
    let tops: Vec<u64> = axis.reaches(axis.extent.saturating_sub(1)).collect();
    let moving = tops.iter().position(|top| *top > 0).unwrap_or(tops.len());
    for (subaxis, top) in axis.subaxes.iter_mut().zip(&tops).take(moving + 1) {
        if subaxis.lands().is_some_and(|level| !level.is_unit()) {
            subaxis.size = top + 1;
        }
    }
}
