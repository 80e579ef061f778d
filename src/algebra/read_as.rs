//! The places of one layout read as another.
//!
//! ```text
//! a = (2:3, 3:1)      b = (3:1, 2:3)      a holds (1, 2) at 5, b holds (2, 1) there
//!
//! map = inverse of a after b: (2, 1) -> 5 -> (1, 2)
//! ```

use crate::algebra::layout::{Layout, Subaxis, Target};
use crate::error::{ErrorKind, LayoutError};
use crate::level::Level;
use crate::location::{Found, Location};

/// The result of reading one layout as another.
pub(crate) enum ReadAs {
    /// The map from every index of the other layout to the index of this one in the same place.
    Map(Layout),
    /// A place that holds an element of one layout only, with its content in both.
    Apart { place: Location, first: Found, second: Found },
}

/// A layout and its inverse.
struct AxisReader<'a> {
    layout: &'a Layout,
    inverse: Layout,
}

impl Layout {
    /// Returns the map from the index of `other` to the index of `self` in the same place, if both hold their
    /// elements in the same places; both must land only in `Addr`.
    ///
    /// The candidate is the inverse of `self` after `other`; it is right if `self` after the candidate is
    /// `other` again.
    /// Law: `self.locate(map(i)) == other.locate(i)`, and the map produces every index of `self` once.
    pub(crate) fn read_as(&self, other: &Layout) -> Result<ReadAs, LayoutError> {
        let (few, many) = (self.elements(), other.elements());
        if few > many {
            // Some element of `self` is in a place without an element of `other`.
            let place = AxisReader::new(other)?.first_apart(self)?;
            return self.apart_at(other, place);
        }
        let reader = AxisReader::new(self)?;
        match reader.map(other)? {
            // Every place of `other` is one of `self`; equal numbers make them the same.
            Some(map) if few == many => Ok(ReadAs::Map(map)),
            _ => self.apart_at(other, reader.first_apart(other)?),
        }
    }

    fn apart_at(&self, other: &Layout, place: Location) -> Result<ReadAs, LayoutError> {
        let (first, second) = (self.element(&place)?, other.element(&place)?);
        Ok(ReadAs::Apart { place, first, second })
    }

    /// Finds the first wrong index of a shape, row-major, by bisection: `is_right` returns whether all
    /// indexes of a box, (start, end) per axis, are right. Some index must be wrong.
    ///
    /// Cost: at most 64 calls per axis.
    pub(crate) fn first_wrong(
        shape: &[u64],
        mut is_right: impl FnMut(&[(u64, u64)]) -> Result<bool, LayoutError>,
    ) -> Result<Vec<u64>, LayoutError> {
        let mut ranges: Vec<(u64, u64)> = shape.iter().map(|extent| (0, *extent)).collect();
        for axis in 0..shape.len() {
            // Up to `right` all is right; within `wrong` something is not.
            let (mut right, mut wrong) = (0, shape[axis]);
            while wrong - right > 1 {
                let middle = right + (wrong - right) / 2;
                ranges[axis] = (0, middle);
                match is_right(&ranges)? {
                    true => right = middle,
                    false => wrong = middle,
                }
            }
            ranges[axis] = (right, wrong);
        }
        Ok(ranges.into_iter().map(|(start, _)| start).collect())
    }

    /// Returns the layout of a box of the tensor: (start, end) per axis.
    pub(crate) fn part(&self, ranges: &[(u64, u64)]) -> Result<Layout, LayoutError> {
        let mut map = Layout::builder();
        for (axis, (start, end)) in ranges.iter().enumerate() {
            let (level, extent) = (Level::axis(axis), end - start);
            let digits = [Subaxis::land(extent.max(1), level, 1)];
            map = map.axis(extent, digits).offset(level, *start).used(level);
        }
        self.compose(&map.build()?)
    }
}

impl<'a> AxisReader<'a> {
    fn new(layout: &'a Layout) -> Result<AxisReader<'a>, LayoutError> {
        Ok(AxisReader { layout, inverse: layout.left_inverse()? })
    }

    /// Returns the map from the indexes of `other` to those of this layout, if each element of `other` is in
    /// the place of an element of this layout.
    fn map(&self, other: &Layout) -> Result<Option<Layout>, LayoutError> {
        let map = match self.reaching(other.extent(Level::ADDR))?.compose(other) {
            Err(error) if error.kind() == ErrorKind::OutsideDomain => return Ok(None),
            map => map?.without_padding_if_decided()?,
        };
        let again = match self.layout.compose(&map) {
            Err(error) if error.kind() == ErrorKind::OutsideDomain => return Ok(None),
            again => again?,
        };
        Ok(again.same_up_to_padding(other)?.is_none().then_some(map))
    }

    /// Returns the inverse over at least `addresses` addresses. The added addresses hold no element, so the
    /// indexes that it gives for them are never right.
    fn reaching(&self, addresses: u64) -> Result<Layout, LayoutError> {
        let axis = &self.inverse.axes()[0];
        let (extent, slots) = (axis.extent, axis.slots());
        if addresses <= extent || slots != extent {
            return Ok(self.inverse.clone());
        }
        let mut builder = self.inverse.to_builder();
        let blocks = addresses.div_ceil(extent);
        let too_large = || LayoutError::too_large(crate::error::Site::Layout, "an address");
        builder.axes[0].extent = extent.checked_mul(blocks).ok_or_else(too_large)?;
        builder.axes[0].subaxes.insert(0, Subaxis::land(blocks, Level::ADDR, 0));
        builder.build()
    }

    /// Returns the place of the first element of `other` that is not in the place of an element of this
    /// layout.
    fn first_apart(&self, other: &Layout) -> Result<Location, LayoutError> {
        let index = Layout::first_wrong(&other.shape(), |ranges| {
            Ok(self.map(&other.part(ranges)?)?.is_some())
        })?;
        other.locate(&index)
    }
}

/// Returns the axes that the digits of a walk of one axis step through, major to minor; `None` unless each
/// digit is a whole axis, and each axis occurs once at most.
pub(crate) fn whole_axes(walk: &Layout, shape: &[u64]) -> Option<Vec<usize>> {
    let digits = walk.axes().first().filter(|_| walk.derived_axes().is_empty())?;
    let axis_of = |digit: &Subaxis| match digit.target {
        Target::Land { level, stride: 1 } => {
            (0..shape.len()).find(|axis| Level::axis(*axis) == level && shape[*axis] == digit.size)
        }
        _ => None,
    };
    let axes: Vec<usize> = digits.subaxes.iter().map(axis_of).collect::<Option<_>>()?;
    let once = |axis: &usize| axes.iter().filter(|other| *other == axis).count() == 1;
    axes.iter().all(once).then_some(axes)
}
