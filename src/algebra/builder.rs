//! The layout builder, which checks the invariants.

use std::cmp::Reverse;

use crate::algebra::layout::{Axis, Combine, DerivedAxis, Layout, Replica, Subaxis, Target};
use crate::algebra::radix::product;
use crate::error::{LayoutError, Site, fault};
use crate::level::Level;

/// Collects the parts of a [`Layout`]; [`build`](LayoutBuilder::build) checks them.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct LayoutBuilder {
    pub(super) axes: Vec<Axis>,
    pub(super) derived: Vec<DerivedAxis>,
    pub(super) replicas: Vec<Replica>,
    pub(super) offsets: Vec<(Level, u64)>,
    pub(super) used: Vec<Level>,
    pub(super) spans: Vec<(Level, u64)>,
}

impl Layout {
    /// Starts a layout without axes.
    pub fn builder() -> LayoutBuilder {
        LayoutBuilder::default()
    }

    /// Returns a builder that starts from the parts of this layout.
    pub fn to_builder(&self) -> LayoutBuilder {
        let (axes, derived) = (self.axes.clone(), self.derived.clone());
        LayoutBuilder { axes, derived, ..self.without_axes() }
    }

    /// Returns a builder with everything but the axes.
    pub(crate) fn without_axes(&self) -> LayoutBuilder {
        LayoutBuilder {
            axes: Vec::new(),
            derived: Vec::new(),
            replicas: self.replicas.clone(),
            offsets: self.offsets.clone(),
            used: self.used.clone(),
            spans: self.spans.clone(),
        }
    }
}

impl LayoutBuilder {
    /// Adds a tensor axis; subaxes are major to minor.
    pub fn axis(self, extent: u64, subaxes: impl IntoIterator<Item = Subaxis>) -> Self {
        self.with_axis(Axis { extent, subaxes: subaxes.into_iter().collect() })
    }

    /// Adds a tensor axis, for example one from another layout.
    pub fn with_axis(mut self, axis: Axis) -> Self {
        self.axes.push(axis);
        self
    }

    /// Adds a derived axis, fed by the subaxes that name its number, counted from 0.
    pub fn derived(
        self,
        start: u64,
        extent: u64,
        subaxes: impl IntoIterator<Item = Subaxis>,
    ) -> Self {
        let axis = Axis { extent, subaxes: subaxes.into_iter().collect() };
        self.derived_axis(DerivedAxis::sum(start, axis))
    }

    /// Adds a derived axis whose value is the XOR of the digits that feed it, numbered along with the other
    /// derived axes. Its extent is the product of its sizes.
    ///
    /// ```
    /// use tensor_layout::{Layout, Level, algebra::Subaxis};
    /// // 8 rows of 64 elements, whose vectors of 8 are permuted by the row: no bank conflicts.
    /// let swizzled = Layout::builder()
    ///     .axis(8, [Subaxis::feed(8, 0, 64 ^ 8)])
    ///     .axis(64, [Subaxis::feed(64, 0, 1)])
    ///     .xor(0, [Subaxis::land(512, Level::ADDR, 1)])
    ///     .build()?;
    /// assert_eq!(swizzled.locate(&[3, 17])?.to_string(), "Addr=201"); // 3 x 64 + (17 ^ 3 x 8)
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn xor(self, start: u64, subaxes: impl IntoIterator<Item = Subaxis>) -> Self {
        let subaxes: Vec<Subaxis> = subaxes.into_iter().collect();
        let extent = product(subaxes.iter().map(|subaxis| subaxis.size)).unwrap_or(u64::MAX);
        let axis = Axis { extent, subaxes };
        self.derived_axis(DerivedAxis { combine: Combine::Xor, start, axis })
    }

    /// Adds a derived axis.
    pub fn derived_axis(mut self, derived: DerivedAxis) -> Self {
        self.derived.push(derived);
        self
    }

    /// Adds copies of every element: `size` of them, `stride` apart in `level`.
    pub fn replica(mut self, size: u64, level: Level, stride: u64) -> Self {
        self.replicas.push(Replica { size, level, stride });
        self
    }

    /// Adds the used levels, the offsets and the copies of another layout, in the levels that are kept.
    pub fn levels_of(mut self, other: &Layout, keeps: impl Fn(Level) -> bool) -> Self {
        self.used.extend(other.used.iter().copied().filter(|level| keeps(*level)));
        self.offsets.extend(other.offsets.iter().copied().filter(|(level, _)| keeps(*level)));
        self.replicas.extend(other.replicas.iter().copied().filter(|copies| keeps(copies.level)));
        self
    }

    /// Adds `offset` to every coordinate in `level`.
    pub fn offset(mut self, level: Level, offset: u64) -> Self {
        self.offsets.push((level, offset));
        self
    }

    /// Marks `level` as used although no subaxis names it, so that only coordinate 0 holds elements.
    pub fn used(mut self, level: Level) -> Self {
        self.used.push(level);
        self
    }

    /// Rounds the extent of `level`, offset included, up to `span`: the coordinates in between belong to
    /// the layout and hold nothing. The level becomes used, as with [`used`](LayoutBuilder::used): its units
    /// from 1 on are not copies of unit 0. A span no greater than the extent changes nothing.
    pub fn span(mut self, level: Level, span: u64) -> Self {
        self.spans.push((level, span));
        self
    }

    /// Changes every subaxis, those of derived axes included.
    pub(crate) fn map_digits(mut self, mut change: impl FnMut(&Subaxis) -> Subaxis) -> Self {
        self.axes.iter_mut().for_each(|axis| *axis = axis.with(&mut change));
        self.derived.iter_mut().for_each(|derived| *derived = derived.with(&mut change));
        self
    }

    /// Replaces the tensor axes.
    pub(crate) fn with_axes(self, axes: Vec<Axis>) -> Self {
        LayoutBuilder { axes, ..self }
    }

    /// Takes off the tensor axes from number `at` on.
    pub(crate) fn split_axes(&mut self, at: usize) -> Vec<Axis> {
        self.axes.split_off(at.min(self.axes.len()))
    }

    /// Marks these levels no longer; one that a subaxis, a replica, an offset or a span names stays used.
    pub(crate) fn without_marks(mut self, unmarked: impl Fn(Level) -> bool) -> Self {
        self.used.retain(|level| !unmarked(*level));
        self
    }

    /// Drops digits and copies of size 1, which move nothing, regardless of their strides.
    pub(crate) fn without_units(mut self) -> Self {
        let derived = self.derived.iter_mut().map(|derived| &mut derived.axis);
        for axis in self.axes.iter_mut().chain(derived) {
            axis.subaxes.retain(|subaxis| subaxis.size > 1);
        }
        self.replicas.retain(|replica| replica.size > 1);
        self
    }

    /// Drops the spans, so that every level ends with its last slot.
    pub fn without_spans(mut self) -> Self {
        self.spans.clear();
        self
    }

    /// Checks the invariants of [`Layout`].
    ///
    /// It does not check that elements have different places: [`collision`](Layout::collision) finds elements
    /// that share a place.
    ///
    /// # Errors
    /// `Invalid` for a size of 0, for an axis with fewer slots than elements, for a digit that feeds an axis in
    /// front of its own, and for an XOR that is not made of powers of two; `OutsideDomain` where a derived axis
    /// is fed values beyond its extent; `TooLarge`; `NotDecided` where derived axes feed each other, an upper
    /// bound on a fed value exceeds an extent, and there are too many indexes to enumerate.
    pub fn build(self) -> Result<Layout, LayoutError> {
        let LayoutBuilder { axes, derived, replicas, offsets, used, spans } = self;
        let (no_offsets, no_spans) = (Vec::new(), Vec::new());
        let mut layout =
            Layout { axes, derived, replicas, offsets: no_offsets, used, spans: no_spans };
        layout.check_axes()?;
        layout.check_xors()?;
        layout.check_counts()?;
        layout.mark_used();
        layout.check_extents()?;
        layout.check_values()?;
        layout.check_fed()?;
        let offset = |layout: Layout, (level, at)| layout.with_offset(level, at);
        let mut layout = offsets.into_iter().try_fold(layout, offset)?;
        layout.round_up(spans);
        Ok(layout)
    }
}

impl Layout {
    /// Keeps the greatest span of every level, where it exceeds the extent.
    fn round_up(&mut self, mut spans: Vec<(Level, u64)>) {
        spans.sort_unstable_by_key(|(level, span)| (*level, Reverse(*span)));
        spans.dedup_by_key(|(level, _)| *level);
        spans.retain(|(level, span)| *span > self.extent(*level));
        spans.iter().for_each(|(level, _)| self.use_level(*level));
        self.spans = spans;
    }

    /// Marks `Addr` and the level of everything that lands as used.
    fn mark_used(&mut self) {
        let mut used = std::mem::take(&mut self.used);
        used.sort_unstable();
        used.dedup();
        // There are few levels, however many digits there are.
        let levels = self.landings().map(|landing| landing.level).chain([Level::ADDR]);
        levels.for_each(|level| {
            if let Err(at) = used.binary_search(&level) {
                used.insert(at, level);
            }
        });
        self.used = used;
    }

    fn check_axes(&self) -> Result<(), LayoutError> {
        for (node, axis) in self.nodes().enumerate() {
            let first_derived = (node + 1).saturating_sub(self.rank());
            for (at, subaxis) in axis.subaxes.iter().enumerate() {
                let site = self.site(node, at);
                if subaxis.size == 0 {
                    return Err(no_values(site));
                }
                let feeds = subaxis.feeds();
                if let Some(derived) =
                    feeds.filter(|f| !(first_derived..self.derived.len()).contains(f))
                {
                    return Err(fault!(
                        Invalid,
                        "{site} feeds derived axis {derived}, which does not come after it",
                        [site, derived]
                    )
                    .at(site));
                }
            }
            let site = if node < self.rank() { Site::Axis(node) } else { Site::Layout };
            let slots = product(axis.sizes())
                .ok_or_else(|| LayoutError::too_large(site, "the product of the sizes"))?;
            if axis.extent > slots {
                return Err(fault!(
                    Invalid,
                    "axis {axis} has extent {extent}, but the product of its sizes is {slots}",
                    [axis = node, extent = axis.extent, slots]
                )
                .at(Site::Axis(node))
                .with_help(
                    "enlarge a size of axis {axis} so that the product of its sizes is at \
                     least {extent}",
                ));
            }
        }
        let zero = self.replicas.iter().position(|replica| replica.size == 0);
        zero.map_or(Ok(()), |at| Err(no_values(Site::Replica(at))))
    }

    /// Checks that the numbers of elements, of copies and of slots fit; any of them may be the greatest.
    fn check_counts(&self) -> Result<(), LayoutError> {
        let replicas = self.replicas.iter().map(|replica| replica.size);
        let too_large = |what| LayoutError::too_large(Site::Layout, what);
        let elements = self.axes.iter().map(|axis| axis.extent);
        product(elements.clone()).ok_or_else(|| too_large("the number of elements"))?;
        let copies = "the number of copies of all elements";
        product(elements.chain(replicas)).ok_or_else(|| too_large(copies))?;
        // No size is 0.
        let slots = self.landings().try_fold(1_u64, |all, landing| all.checked_mul(landing.size));
        slots.map(|_| ()).ok_or_else(|| too_large("the number of slots"))
    }

    /// Checks that the values of derived axes fit, those of padding too.
    fn check_values(&self) -> Result<(), LayoutError> {
        let too_large = || LayoutError::too_large(Site::Layout, "the value of a derived axis");
        let mut reaches: Vec<u64> = self.derived.iter().map(|derived| derived.start).collect();
        for subaxis in self.subaxes() {
            let Target::Feed { derived, weight } = subaxis.target else { continue };
            // The value of an XOR stays below its extent.
            let step = match self.derived[derived].combine {
                Combine::Sum => (subaxis.size - 1).checked_mul(weight),
                Combine::Xor => Some(0),
            };
            let reach = farther(reaches[derived], step);
            reaches[derived] = reach.ok_or_else(too_large)?;
        }
        Ok(())
    }

    fn check_extents(&self) -> Result<(), LayoutError> {
        let mut reaches: Vec<u64> = vec![0; self.used.len()];
        self.landings().try_for_each(|landing| {
            let Ok(at) = self.used.binary_search(&landing.level) else { return Ok(()) };
            let step = (landing.size - 1).checked_mul(landing.stride);
            reaches[at] = farther(reaches[at], step)
                .ok_or_else(|| LayoutError::too_large(landing.site, "the coordinate"))?;
            Ok(())
        })
    }
}

/// The sum, if it fits and leaves room for the number of values up to it.
fn farther(reach: u64, step: Option<u64>) -> Option<u64> {
    reach.checked_add(step?).filter(|reach| *reach < u64::MAX)
}

/// A subaxis or replica of size 0.
fn no_values(site: Site) -> LayoutError {
    fault!(Invalid, "{site} has size 0", [site]).at(site)
}
