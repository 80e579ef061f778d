//! CuTe layouts: modes are axes, read colexicographically.

use itertools::Itertools;

use crate::algebra::{Layout, Subaxis, Target};
use crate::error::{Inexpressible, LayoutError, ParseError, Site};
use crate::level::Level;
use crate::notation::{CuteLayout, CuteMode, Notation};

/// How messages call the notation.
const NOTATION: &str = Notation::Cute.in_messages();

impl CuteLayout {
    /// Says what the text means: an axis per top-level mode; within a mode the first leaf runs
    /// fastest. Places are `Addr`; elements may share them.
    ///
    /// # Errors
    /// [`ZeroSize`](LayoutError::ZeroSize), [`TooLarge`](LayoutError::TooLarge).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::notation::CuteLayout;
    /// let layout = "((2,2),3):((24,2),8)".parse::<CuteLayout>()?.lower()?;
    /// assert_eq!(layout.locate(&[3, 1])?.to_string(), "Addr=34"); // 24 + 2 + 8
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lower(&self) -> Result<Layout, ParseError> {
        self.to_layout().map_err(|error| self.refuse(error))
    }

    pub(super) fn to_layout(&self) -> Result<Layout, LayoutError> {
        let mut builder = Layout::builder();
        for (number, mode) in self.axes().iter().enumerate() {
            let leaves = mode.leaves();
            let too_large =
                LayoutError::too_large(Site::Axis(number), "the product of the extents");
            let extent = leaves.iter().try_fold(1_u64, |n, (extent, _)| n.checked_mul(*extent));
            let land = |(extent, stride): &(u64, u64)| Subaxis::land(*extent, Level::ADDR, *stride);
            builder = builder.axis(extent.ok_or(too_large)?, leaves.iter().rev().map(land));
        }
        builder.build()
    }
}

impl Layout {
    /// Writes the layout as a CuTe layout: a mode per axis, its leaves minor to major.
    ///
    /// CuTe has no padding: where there is some, what is written is the layout of the elements
    /// alone ([`without_padding`](Layout::without_padding)).
    /// Law: every element of the result has the place that it has here. Copies that coincide are one.
    ///
    /// # Errors
    /// [`Inexpressible`](LayoutError::Inexpressible): levels other than `Addr`, copies that lie apart, an offset, and
    /// derived axes that no plain subaxes replace; as [`without_padding`](Layout::without_padding).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "((2:2, 2:24), (3:8))".parse()?;
    /// assert_eq!(layout.to_cute()?.to_string(), "((2,2),3):((24,2),8)");
    /// let padded: Layout = "(3)/((2:2, 2:1))".parse()?;
    /// assert_eq!(padded.to_cute()?.to_string(), "3:1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_cute(&self) -> Result<CuteLayout, LayoutError> {
        let inexpressible = |reason| LayoutError::Inexpressible { notation: NOTATION, reason };
        let exact = self.simplified();
        let layout = if exact.has_plain_slots() { exact } else { self.without_padding()? };
        layout.check_linear().map_err(inexpressible)?;
        layout.check_plain_axes().map_err(inexpressible)?;
        // An axis that is still padded here cannot be cut to its elements.
        if let Some((axis, of)) =
            layout.axes().iter().enumerate().find(|(_, a)| a.extent != a.slots())
        {
            let (extent, slots) = (of.extent, of.slots());
            return Err(inexpressible(match extent {
                0 => Inexpressible::Empty { axis },
                _ => Inexpressible::Padding { axis, extent, slots },
            }));
        }
        let mut modes = layout.axes().iter().map(mode).collect_vec();
        // One plain mode needs no bracket: `6:3`.
        let single = matches!(modes[..], [CuteMode::Leaf(..)]);
        Ok(CuteLayout::new(if single { modes.remove(0) } else { CuteMode::Tuple(modes) }))
    }

    /// Whether every slot is an element that plain subaxes place, and none is left out.
    fn has_plain_slots(&self) -> bool {
        self.derived_axes().is_empty() && self.axes().iter().all(|axis| axis.extent == axis.slots())
    }

    /// Why a notation with one linear address cannot express the layout, if it cannot.
    pub(crate) fn check_linear(&self) -> Result<(), Inexpressible> {
        if let Some(level) = self.used_levels().iter().find(|level| **level != Level::ADDR) {
            return Err(Inexpressible::Level { level: *level });
        }
        if let Some(replica) = self.replicas().iter().find(|replica| replica.is_apart()) {
            return Err(Inexpressible::Copies { level: replica.level });
        }
        match self.offset(Level::ADDR) {
            0 => Ok(()),
            offset => Err(Inexpressible::Offset { level: Level::ADDR, offset }),
        }
    }
}

/// Its leaves, minor to major; an axis without digits that move is one leaf.
fn mode(axis: &crate::algebra::Axis) -> CuteMode {
    let leaves = axis.subaxes.iter().rev().filter(|s| s.size > 1 || axis.subaxes.len() == 1);
    let leaf = |subaxis: &Subaxis| match subaxis.target {
        Target::Land { stride, .. } => CuteMode::Leaf(subaxis.size, stride),
        Target::Feed { .. } => CuteMode::Leaf(subaxis.size, 0),
    };
    let mut leaves = leaves.map(leaf).collect_vec();
    match leaves.len() {
        0 => CuteMode::Leaf(1, 0),
        1 => leaves.remove(0),
        _ => CuteMode::Tuple(leaves),
    }
}
