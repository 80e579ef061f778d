//! One coordinate as two: the number of a group, and the unit in the group.
//!
//! ```text
//! ((6_PE:1, 8:1))  split by 4
//!
//! PE         0 1 2 3   4 5
//! outer      0 0 0 0   1 1
//! inner      0 1 2 3   0 1
//! ```
//!
//! If the parts of all digits below the group add up to less than one group, nothing is carried, and every
//! digit is split on its own: multiples of the group go into the outer coordinate, smaller steps into the
//! inner one. Otherwise everything that is not a multiple feeds a derived axis, which is then split.

use crate::algebra::builder::LayoutBuilder;
use crate::algebra::layout::{Axis, DerivedAxis, Layout, Subaxis, Target};
use crate::error::{LayoutError, Site, fault};
use crate::level::Level;

impl Layout {
    /// Splits the coordinate c in `level`: adds c / `factor` to the coordinate in `outer`, and c % `factor`
    /// to the one in `inner`.
    ///
    /// Either may be `level` itself; otherwise `level` no longer has a coordinate. An unused level holds a
    /// copy in each of its units, however they are numbered, so nothing changes.
    /// Law: every copy of every element keeps all other coordinates, and the copies keep their order.
    /// Cost: O(subaxes).
    ///
    /// # Errors
    /// `Argument` for the factor 0, `Uneven` for copies whose steps do not line up with the groups; `TooLarge`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Layout, Level};
    /// let layout: Layout = "((16_L1B, 8:1))".parse()?;
    /// let split = layout.split_level(Level::L1B, 8, Level::L2B, Level::L1B)?;
    /// assert_eq!(split, "((2_L2B, 8_L1B, 8:1))".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn split_level(
        &self,
        level: Level,
        factor: u64,
        outer: Level,
        inner: Level,
    ) -> Result<Layout, LayoutError> {
        if factor == 0 {
            return Err(fault!(
                Argument,
                "cannot edit the layout: the coordinate in `{level}` cannot be split by 0",
                [level]
            ));
        }
        if !self.uses(level) {
            return Ok(self.clone());
        }
        let split = LevelSplit { layout: self, level, factor, outer, inner };
        match split.greatest_inner() {
            Some(inner) if inner < factor => split.by_digits(),
            _ => split.by_value(),
        }
    }
}

/// A coordinate that becomes two.
struct LevelSplit<'a> {
    layout: &'a Layout,
    level: Level,
    factor: u64,
    outer: Level,
    inner: Level,
}

impl LevelSplit<'_> {
    /// Returns (size, step) of a digit in the outer and in the inner coordinate; `None` if its steps do
    /// not line up with the groups.
    fn parts(&self, size: u64, stride: u64) -> Option<[(u64, u64); 2]> {
        if stride.is_multiple_of(self.factor) {
            return Some([(size, stride / self.factor), (1, 0)]);
        }
        if (size - 1) * stride < self.factor {
            return Some([(1, 0), (size, stride)]);
        }
        let units = self.factor / stride;
        let lines_up = self.factor.is_multiple_of(stride) && size.is_multiple_of(units);
        lines_up.then(|| [(size / units, 1), (units, stride)])
    }

    /// Returns the greatest sum of the inner parts; `None` if some digit does not line up.
    fn greatest_inner(&self) -> Option<u64> {
        let start = self.layout.offset(self.level) % self.factor;
        self.layout.landings_in(self.level).try_fold(start, |sum, landing| {
            let [_, (size, stride)] = self.parts(landing.size, landing.stride)?;
            Some(sum + (size - 1) * stride)
        })
    }

    /// Splits every digit on its own: nothing is carried.
    fn by_digits(&self) -> Result<Layout, LayoutError> {
        let builder = self.mapped(|size, stride| {
            let parts = self.parts(size, stride).into_iter().flatten();
            let landed = parts.zip([self.outer, self.inner]);
            let landed = landed.filter(|((size, _), _)| *size > 1);
            landed.map(|((size, stride), level)| Subaxis::land(size, level, stride)).collect()
        })?;
        builder.offset(self.inner, self.layout.offset(self.level) % self.factor).build()
    }

    /// Adds up the digits whose stride is not a multiple of the group, and splits the sum.
    fn by_value(&self) -> Result<Layout, LayoutError> {
        let derived = self.layout.derived.len();
        let is_even = |stride: u64| stride.is_multiple_of(self.factor);
        let builder = self.mapped(|size, stride| match is_even(stride) {
            true => vec![Subaxis::land(size, self.outer, stride / self.factor)],
            false if size == 1 => Vec::new(),
            false => vec![Subaxis::feed(size, derived, stride)],
        })?;
        let start = self.layout.offset(self.level) % self.factor;
        let uneven = self.layout.landings_in(self.level).filter(|l| !is_even(l.stride));
        let greatest = uneven.fold(start, |sum, l| sum + (l.size - 1) * l.stride);
        let groups = greatest / self.factor + 1;
        let units = groups.checked_mul(self.factor);
        let units =
            units.ok_or_else(|| LayoutError::too_large(Site::Layout, "the number of units"))?;
        let pair =
            [Subaxis::land(groups, self.outer, 1), Subaxis::land(self.factor, self.inner, 1)];
        builder.derived(start, units, pair).build()
    }

    /// Starts a layout with `map` applied to everything that lands in the level; without the span of the
    /// level, whose last group may end within it.
    fn mapped(&self, map: impl Fn(u64, u64) -> Vec<Subaxis>) -> Result<LayoutBuilder, LayoutError> {
        let LevelSplit { layout, level, factor, outer, inner } = *self;
        let mapped = |subaxis: &Subaxis| match subaxis.target {
            Target::Land { level: of, stride } if of == level => map(subaxis.size, stride),
            _ => vec![*subaxis],
        };
        let axis = |axis: &Axis| {
            let subaxes = axis.subaxes.iter().flat_map(mapped).collect();
            Axis { extent: axis.extent, subaxes }
        };
        let mut builder = Layout::builder();
        builder.axes = layout.axes.iter().map(axis).collect();
        let derived = layout.derived.iter();
        builder.derived = derived.map(|of| DerivedAxis { axis: axis(&of.axis), ..*of }).collect();
        for replica in &layout.replicas {
            for part in mapped(&Subaxis::land(replica.size, replica.level, replica.stride)) {
                let Target::Land { level: of, stride } = part.target else {
                    return Err(fault!(
                        Uneven,
                        "cannot edit the layout: cannot split the coordinate in `{level}`: its \
                         copies do not line up with groups of {factor}",
                        [level, factor]
                    ));
                };
                builder = builder.replica(part.size, of, stride);
            }
        }
        for of in layout.used.iter().copied().filter(|of| *of != level) {
            builder = builder.used(of).offset(of, layout.offset(of)).span(of, layout.span(of));
        }
        Ok(builder.used(outer).used(inner).offset(outer, layout.offset(level) / factor))
    }
}
