//! The layout as a value, and the invariants that every other operation relies on.

use std::cmp::Reverse;

use crate::algebra::radix::product;
use crate::error::{LayoutError, Site};
use crate::level::Level;

/// The level that the digit of a subaxis lands in, or the derived axis that it feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// Adds `digit x stride` to the coordinate in `level`.
    Land {
        /// The level.
        level: Level,
        /// The step of the coordinate per step of the digit, in elements of the level.
        stride: u64,
    },
    /// Adds `digit x weight` to the value of derived axis `derived`, or flips bits of it: see
    /// [`Combine`].
    Feed {
        /// The number of the derived axis, from 0.
        derived: usize,
        /// The step of the value per step of the digit; in an XOR, the bits that bit 0 of the digit flips.
        weight: u64,
    },
}

/// A digit of an axis, with its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subaxis {
    /// The number of values the digit has.
    pub size: u64,
    /// The level that it lands in, or the derived axis that it feeds.
    pub target: Target,
}

impl Subaxis {
    /// Creates a subaxis that lands in `level`.
    #[must_use]
    pub const fn land(size: u64, level: Level, stride: u64) -> Subaxis {
        Subaxis { size, target: Target::Land { level, stride } }
    }

    /// Creates a subaxis that feeds derived axis `derived`.
    #[must_use]
    pub const fn feed(size: u64, derived: usize, weight: u64) -> Subaxis {
        Subaxis { size, target: Target::Feed { derived, weight } }
    }
}

/// An axis: an extent, and the subaxes that its value is written in, major to minor.
///
/// Values from `extent` up to the product of the sizes are padding.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Axis {
    /// The number of values that are real.
    pub extent: u64,
    /// The digits, major to minor.
    pub subaxes: Vec<Subaxis>,
}

impl Axis {
    /// The number of values the subaxes can write: the product of their sizes.
    #[must_use]
    pub fn slots(&self) -> u64 {
        self.subaxes.iter().map(|s| s.size).product()
    }
}

/// The rule that combines the digits that feed a derived axis into its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Combine {
    /// `start` + the sum of weight x digit.
    #[default]
    Sum,
    /// `start` ^ weight << k for every bit k that is set in a digit: a swizzle.
    ///
    /// Extent, sizes of its subaxes and sizes of the digits that feed it are powers of two.
    Xor,
}

/// An axis that is fed by digits instead of the tensor index.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DerivedAxis {
    /// The rule that combines the digits that feed it.
    pub combine: Combine,
    /// The value when every digit that feeds it is 0.
    pub start: u64,
    /// The extent and the subaxes.
    pub axis: Axis,
}

impl Axis {
    /// Returns the axis with every subaxis changed.
    pub(crate) fn with(&self, change: impl FnMut(&Subaxis) -> Subaxis) -> Axis {
        Axis { extent: self.extent, subaxes: self.subaxes.iter().map(change).collect() }
    }
}

impl DerivedAxis {
    /// Creates a derived axis whose value is a sum.
    pub(crate) fn sum(start: u64, axis: Axis) -> DerivedAxis {
        DerivedAxis { combine: Combine::Sum, start, axis }
    }

    /// Returns the axis with every subaxis changed.
    pub(crate) fn with(&self, change: impl FnMut(&Subaxis) -> Subaxis) -> DerivedAxis {
        DerivedAxis { axis: self.axis.with(change), ..*self }
    }

    /// Returns whether its value is an XOR.
    pub(crate) fn is_xor(&self) -> bool {
        self.combine == Combine::Xor
    }
}

/// A subaxis without a source: every element has a copy for each of its digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Replica {
    /// The number of copies.
    pub size: u64,
    /// The level in which the copies differ.
    pub level: Level,
    /// The distance of neighbouring copies, in elements of the level.
    pub stride: u64,
}

/// A map from a tensor index to the set of places where the element lives.
///
/// Invariants, checked by [`LayoutBuilder::build`] and relied on everywhere:
/// 1. every size is at least 1, and every extent at most the product of the sizes of its axis;
/// 2. a digit feeds a derived axis that comes after its own;
/// 3. a real index never feeds a value at or beyond the extent of a derived axis; in an XOR, extent and
///    sizes are powers of two, so that padding never does either;
/// 4. number of elements, number of slots, values and coordinates, of padding too, fit in `u64`.
///
/// `==` compares how a layout is written, subaxis by subaxis.
///
/// ```
/// use tensor_layout::{Layout, Level};
/// use tensor_layout::algebra::Subaxis;
/// let rows_over_pes = Layout::builder()
///     .axis(12, [Subaxis::land(4, Level::PE, 1), Subaxis::land(3, Level::ADDR, 8)])
///     .axis(8, [Subaxis::land(8, Level::ADDR, 1)])
///     .build()?;
/// assert_eq!(rows_over_pes, "((4_PE, 3:8), (8:1))".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Layout {
    pub(crate) axes: Vec<Axis>,
    pub(crate) derived: Vec<DerivedAxis>,
    pub(crate) replicas: Vec<Replica>,
    /// The constants that coordinates start from: none 0, one per level at most, sorted by level.
    pub(crate) offsets: Vec<(Level, u64)>,
    /// The used levels, sorted; `Addr` is always one of them.
    pub(crate) used: Vec<Level>,
    /// The rounded-up extents: one per level at most, sorted by level.
    pub(crate) spans: Vec<(Level, u64)>,
}

impl Layout {
    /// Starts a layout without axes.
    #[must_use]
    pub fn builder() -> LayoutBuilder {
        LayoutBuilder::default()
    }

    /// Returns a builder with the parts of this layout, to change them.
    #[must_use]
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

    /// The number of tensor axes.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.axes.len()
    }

    /// The tensor axes, in the order of the index.
    #[must_use]
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The axes that digits feed.
    #[must_use]
    pub fn derived_axes(&self) -> &[DerivedAxis] {
        &self.derived
    }

    /// The replicas: subaxes without a source, a copy of every element per digit.
    #[must_use]
    pub fn replicas(&self) -> &[Replica] {
        &self.replicas
    }

    /// The logical extents.
    #[must_use]
    pub fn shape(&self) -> Vec<u64> {
        self.axes.iter().map(|axis| axis.extent).collect()
    }

    /// The levels that a subaxis or a sized replica names, even one of size 1, those with an offset or
    /// a span, those [marked](LayoutBuilder::used), and `Addr`; in the order of [`Level`].
    ///
    /// Units of a level outside this set all hold a copy.
    #[must_use]
    pub fn used_levels(&self) -> &[Level] {
        &self.used
    }

    /// Returns whether `level` is one of [`used_levels`](Layout::used_levels).
    #[must_use]
    pub fn uses(&self, level: Level) -> bool {
        self.used.binary_search(&level).is_ok()
    }

    /// The constant that every coordinate in `level` starts from.
    #[must_use]
    pub fn offset(&self, level: Level) -> u64 {
        self.offsets.iter().find(|(name, _)| *name == level).map_or(0, |(_, at)| *at)
    }

    /// Returns the layout with `step` added to every coordinate in `level`, its span included.
    ///
    /// A step of at least 1 in a level that was not used makes it used.
    ///
    /// # Errors
    /// [`LayoutError::TooLarge`] where a coordinate would not fit in 64 bits.
    pub fn with_offset(mut self, level: Level, step: u64) -> Result<Layout, LayoutError> {
        if step == 0 {
            return Ok(self);
        }
        let overflow = || LayoutError::too_large(Site::Layout, "a coordinate");
        let offset = self.offset(level).checked_add(step).ok_or_else(overflow)?;
        let end = self.span(level).checked_add(step).ok_or_else(overflow)?;
        if let Some((_, span)) = self.spans.iter_mut().find(|(of, _)| *of == level) {
            *span = end;
        }
        self.offsets.retain(|(name, _)| *name != level);
        self.offsets.push((level, offset));
        self.offsets.sort_unstable();
        self.use_level(level);
        Ok(self)
    }

    fn use_level(&mut self, level: Level) {
        if let Err(at) = self.used.binary_search(&level) {
            self.used.insert(at, level);
        }
    }

    /// Returns the levels as subaxes and sized replicas first land in them, then the other used ones.
    #[must_use]
    pub fn levels_in_order(&self) -> Vec<Level> {
        let mut seen = vec![false; self.used.len()];
        let mut is_first = |level: &Level| {
            let at = self.used.binary_search(level);
            at.is_ok_and(|at| !std::mem::replace(&mut seen[at], true))
        };
        let landed = self.landings().map(|landing| landing.level);
        landed.chain(self.used.iter().copied()).filter(|level| is_first(level)).collect()
    }

    /// Returns the columns of a table without a machine: the used levels, known ones in column order.
    pub(crate) fn columns(&self) -> Vec<Level> {
        let mut columns = self.levels_in_order();
        columns.sort_by_key(|level| level.column());
        columns
    }

    /// All axes: those of the tensor, then the derived ones.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = &Axis> + Clone {
        self.axes.iter().chain(self.derived.iter().map(|derived| &derived.axis))
    }

    /// Returns, for every derived axis, the tensor axes that feed it, directly or through others.
    pub(crate) fn axes_per_derived(&self) -> Vec<Vec<usize>> {
        let mut sources: Vec<Vec<usize>> = vec![Vec::new(); self.derived.len()];
        for (node, axis) in self.nodes().enumerate() {
            for to in axis.subaxes.iter().filter_map(Subaxis::feeds) {
                let from = match node.checked_sub(self.rank()) {
                    Some(derived) => sources[derived].clone(),
                    None => vec![node],
                };
                sources[to].extend(from);
                sources[to].sort_unstable();
                sources[to].dedup();
            }
        }
        sources
    }

    /// Iterates over all that lands: subaxes in the order of the axes, then replicas.
    pub(crate) fn landings(&self) -> impl Iterator<Item = Landing> + Clone + '_ {
        let subaxes = self.nodes().enumerate().flat_map(move |(node, axis)| {
            axis.subaxes.iter().enumerate().filter_map(move |(at, subaxis)| {
                let Target::Land { level, stride } = subaxis.target else { return None };
                Some(Landing { site: self.site(node, at), size: subaxis.size, level, stride })
            })
        });
        subaxes.chain(self.replicas.iter().enumerate().map(|(at, replica)| Landing {
            site: Site::Replica(at),
            size: replica.size,
            level: replica.level,
            stride: replica.stride,
        }))
    }

    /// Returns the site of a subaxis in a text, which has no subaxes of derived axes.
    fn site(&self, node: usize, subaxis: usize) -> Site {
        if node < self.rank() { Site::Subaxis(node, subaxis) } else { Site::Layout }
    }
}

impl Replica {
    /// Returns whether the copies are in different places: those with stride 0 coincide.
    pub(crate) fn is_apart(&self) -> bool {
        self.size > 1 && self.stride > 0
    }
}

impl Subaxis {
    /// Returns the subaxis for a layout with `by` more derived axes in front.
    pub(crate) fn shifted(&self, by: usize) -> Subaxis {
        match self.target {
            Target::Feed { derived, weight } => Subaxis::feed(self.size, derived + by, weight),
            Target::Land { .. } => *self,
        }
    }

    /// The level that it lands in.
    #[must_use]
    pub fn lands(&self) -> Option<Level> {
        match self.target {
            Target::Land { level, .. } => Some(level),
            Target::Feed { .. } => None,
        }
    }

    /// The derived axis that it feeds.
    #[must_use]
    pub fn feeds(&self) -> Option<usize> {
        match self.target {
            Target::Feed { derived, .. } => Some(derived),
            Target::Land { .. } => None,
        }
    }
}

/// A subaxis or replica that lands in a level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Landing {
    pub(crate) site: Site,
    pub(crate) size: u64,
    pub(crate) level: Level,
    pub(crate) stride: u64,
}

/// Collects the parts of a [`Layout`]; [`build`](LayoutBuilder::build) checks them.
#[derive(Clone, Debug, Default)]
pub struct LayoutBuilder {
    pub(crate) axes: Vec<Axis>,
    pub(crate) derived: Vec<DerivedAxis>,
    pub(crate) replicas: Vec<Replica>,
    offsets: Vec<(Level, u64)>,
    used: Vec<Level>,
    spans: Vec<(Level, u64)>,
}

impl LayoutBuilder {
    /// Adds a tensor axis; subaxes are major to minor.
    #[must_use]
    pub fn axis(self, extent: u64, subaxes: impl IntoIterator<Item = Subaxis>) -> Self {
        self.with_axis(Axis { extent, subaxes: subaxes.into_iter().collect() })
    }

    /// Adds a tensor axis, as taken from another layout.
    #[must_use]
    pub fn with_axis(mut self, axis: Axis) -> Self {
        self.axes.push(axis);
        self
    }

    /// Adds a replica, as taken from another layout.
    #[must_use]
    pub fn with_replica(mut self, replica: Replica) -> Self {
        self.replicas.push(replica);
        self
    }

    /// Adds a derived axis, fed by the subaxes that name its number, counted from 0.
    #[must_use]
    pub fn derived(
        self,
        start: u64,
        extent: u64,
        subaxes: impl IntoIterator<Item = Subaxis>,
    ) -> Self {
        let axis = Axis { extent, subaxes: subaxes.into_iter().collect() };
        self.derived_axis(DerivedAxis::sum(start, axis))
    }

    /// Adds a derived axis whose value is the XOR of the digits that feed it, numbered with the others. Its
    /// extent is the product of its sizes.
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
    #[must_use]
    pub fn xor(self, start: u64, subaxes: impl IntoIterator<Item = Subaxis>) -> Self {
        let subaxes: Vec<Subaxis> = subaxes.into_iter().collect();
        let extent = product(subaxes.iter().map(|subaxis| subaxis.size)).unwrap_or(u64::MAX);
        let axis = Axis { extent, subaxes };
        self.derived_axis(DerivedAxis { combine: Combine::Xor, start, axis })
    }

    /// Adds a derived axis.
    #[must_use]
    pub fn derived_axis(mut self, derived: DerivedAxis) -> Self {
        self.derived.push(derived);
        self
    }

    /// Adds copies of every element: `size` of them, `stride` apart in `level`.
    #[must_use]
    pub fn replica(self, size: u64, level: Level, stride: u64) -> Self {
        self.with_replica(Replica { size, level, stride })
    }

    /// Adds `offset` to every coordinate in `level`.
    #[must_use]
    pub fn offset(mut self, level: Level, offset: u64) -> Self {
        self.offsets.push((level, offset));
        self
    }

    /// Marks `level` as used although no subaxis names it: only coordinate 0 holds elements.
    #[must_use]
    pub fn used(mut self, level: Level) -> Self {
        self.used.push(level);
        self
    }

    /// Rounds the extent of `level`, offset included, up to `span`: the coordinates in between belong to
    /// the layout and hold nothing. The level is used from then on, as by
    /// [`used`](LayoutBuilder::used): its units from 1 on are not copies of unit 0. A span that is not
    /// more than the extent changes nothing.
    #[must_use]
    pub fn span(mut self, level: Level, span: u64) -> Self {
        self.spans.push((level, span));
        self
    }

    /// Drops the spans.
    pub(crate) fn without_spans(mut self) -> Self {
        self.spans.clear();
        self
    }

    /// Checks the invariants of [`Layout`].
    ///
    /// It does not check that elements have different places: [`collision`](Layout::collision) finds
    /// those that share one.
    ///
    /// # Errors
    /// [`ZeroSize`](LayoutError::ZeroSize), [`ExtentTooLarge`](LayoutError::ExtentTooLarge),
    /// [`FeedOrder`](LayoutError::FeedOrder), [`DerivedOutOfRange`](LayoutError::DerivedOutOfRange),
    /// [`Xor`](LayoutError::Xor) where an XOR is not made of powers of two,
    /// [`TooLarge`](LayoutError::TooLarge); [`NotDecided`](LayoutError::NotDecided) where derived
    /// axes feed each other, a bound of what they are fed exceeds an extent, and there are too many
    /// indexes to look.
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
        used.push(Level::ADDR);
        used.extend(self.landings().map(|landing| landing.level));
        used.sort_unstable();
        used.dedup();
        self.used = used;
    }

    fn check_axes(&self) -> Result<(), LayoutError> {
        for (node, axis) in self.nodes().enumerate() {
            let first_derived = (node + 1).saturating_sub(self.rank());
            for (at, subaxis) in axis.subaxes.iter().enumerate() {
                let site = self.site(node, at);
                if subaxis.size == 0 {
                    return Err(LayoutError::ZeroSize { site });
                }
                let feeds = subaxis.feeds();
                if let Some(derived) =
                    feeds.filter(|f| !(first_derived..self.derived.len()).contains(f))
                {
                    return Err(LayoutError::FeedOrder { site, derived });
                }
            }
            let site = if node < self.rank() { Site::Axis(node) } else { Site::Layout };
            let slots = product(axis.subaxes.iter().map(|s| s.size))
                .ok_or_else(|| LayoutError::too_large(site, "the product of the sizes"))?;
            if axis.extent > slots {
                return Err(LayoutError::ExtentTooLarge { axis: node, extent: axis.extent, slots });
            }
        }
        let zero = self.replicas.iter().position(|replica| replica.size == 0);
        zero.map_or(Ok(()), |at| Err(LayoutError::ZeroSize { site: Site::Replica(at) }))
    }

    /// Checks that the numbers of elements, of copies and of slots fit; any of them may be the greatest.
    fn check_counts(&self) -> Result<(), LayoutError> {
        let replicas = self.replicas.iter().map(|replica| replica.size);
        let too_large = |what| LayoutError::too_large(Site::Layout, what);
        let elements = self.axes.iter().map(|axis| axis.extent);
        product(elements.clone()).ok_or_else(|| too_large("the number of elements"))?;
        let copies = "the number of copies of all elements";
        product(elements.chain(replicas)).ok_or_else(|| too_large(copies))?;
        let slots = self.landings().map(|landing| landing.size);
        product(slots).ok_or_else(|| too_large("the number of slots"))?;
        Ok(())
    }

    /// Checks that the values of derived axes fit, those of padding too.
    fn check_values(&self) -> Result<(), LayoutError> {
        let mut reaches: Vec<u64> = self.derived.iter().map(|derived| derived.start).collect();
        for subaxis in self.nodes().flat_map(|axis| &axis.subaxes) {
            let Target::Feed { derived, weight } = subaxis.target else { continue };
            // The value of an XOR stays below its extent.
            let step = match self.derived[derived].combine {
                Combine::Sum => (subaxis.size - 1).checked_mul(weight),
                Combine::Xor => Some(0),
            };
            reaches[derived] = step
                .and_then(|step| reaches[derived].checked_add(step))
                .filter(|reach| *reach < u64::MAX)
                .ok_or_else(|| {
                    LayoutError::too_large(Site::Layout, "the value of a derived axis")
                })?;
        }
        Ok(())
    }

    fn check_extents(&self) -> Result<(), LayoutError> {
        let mut reaches: Vec<u64> = vec![0; self.used.len()];
        for landing in self.landings() {
            let Ok(at) = self.used.binary_search(&landing.level) else { continue };
            let step = (landing.size - 1).checked_mul(landing.stride);
            reaches[at] = step
                .and_then(|step| reaches[at].checked_add(step))
                .filter(|reach| *reach < u64::MAX)
                .ok_or_else(|| LayoutError::too_large(landing.site, "the coordinate"))?;
        }
        Ok(())
    }
}
