//! The layout as a value, and the invariants that every other operation relies on.

use itertools::Itertools;

use crate::error::{LayoutError, Site};
use crate::level::Level;

/// Where the digit of a subaxis goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// Adds `digit x stride` to the coordinate in `level`.
    Land {
        /// The level.
        level: Level,
        /// In elements of the level.
        stride: u64,
    },
    /// Adds `digit x weight` to the value of derived axis `derived`.
    Feed {
        /// The number of the derived axis, from 0.
        derived: usize,
        /// How much one step of the digit adds.
        weight: u64,
    },
}

/// A digit of an axis, and where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subaxis {
    /// How many values the digit has.
    pub size: u64,
    /// Where it goes.
    pub target: Target,
}

impl Subaxis {
    /// A subaxis that lands in `level`.
    #[must_use]
    pub const fn land(size: u64, level: Level, stride: u64) -> Subaxis {
        Subaxis { size, target: Target::Land { level, stride } }
    }

    /// A subaxis that feeds derived axis `derived`.
    #[must_use]
    pub const fn feed(size: u64, derived: usize, weight: u64) -> Subaxis {
        Subaxis { size, target: Target::Feed { derived, weight } }
    }
}

/// An axis: an extent, and the subaxes that its value is written in, major to minor.
///
/// Values from `extent` up to the product of the sizes are padding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Axis {
    /// How many values are real.
    pub extent: u64,
    /// The digits, major to minor.
    pub subaxes: Vec<Subaxis>,
}

impl Axis {
    /// The digits of `value`, major to minor, into `digits`.
    pub(crate) fn digits(&self, value: u64, digits: &mut [u64]) {
        let mut rest = value;
        for (digit, subaxis) in digits.iter_mut().zip(&self.subaxes).rev() {
            (rest, *digit) = (rest / subaxis.size, rest % subaxis.size);
        }
    }

    /// The value that `digits` write.
    pub(crate) fn value(&self, digits: &[u64]) -> u64 {
        self.subaxes.iter().zip(digits).fold(0, |value, (s, digit)| value * s.size + digit)
    }

    /// How many values the subaxes can write: the product of their sizes.
    #[must_use]
    pub fn slots(&self) -> u64 {
        self.subaxes.iter().map(|s| s.size).product()
    }

    /// The greatest value that each digit takes while the value stays at most `greatest`.
    pub(crate) fn reaches(&self, greatest: u64) -> Vec<u64> {
        let mut tops = vec![0; self.subaxes.len()];
        self.digits(greatest, &mut tops);
        let leading = tops.iter().take_while(|top| **top == 0).count();
        for (top, subaxis) in tops.iter_mut().zip(&self.subaxes).skip(leading + 1) {
            *top = subaxis.size - 1;
        }
        tops
    }
}

/// An axis that is fed by digits instead of the tensor index.
///
/// Its value is `start` plus the sum of weight x digit over the subaxes that feed it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DerivedAxis {
    /// The value when every digit that feeds it is 0.
    pub start: u64,
    /// Extent and subaxes.
    pub axis: Axis,
}

/// A subaxis without a source: every element has a copy for each of its digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Replica {
    /// How many copies.
    pub size: u64,
    /// The level in which they lie apart.
    pub level: Level,
    /// How far apart, in elements of the level.
    pub stride: u64,
}

/// A map from a tensor index to the set of places where the element lives.
///
/// Invariants, checked by [`LayoutBuilder::build`] and relied on everywhere:
/// 1. every size is at least 1, and every extent at most the product of the sizes of its axis;
/// 2. a digit feeds a derived axis that comes after its own;
/// 3. a real index never feeds a value at or beyond the extent of a derived axis;
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    pub(crate) axes: Vec<Axis>,
    pub(crate) derived: Vec<DerivedAxis>,
    pub(crate) replicas: Vec<Replica>,
    /// Constants, one per level at most, none 0, sorted by level.
    pub(crate) offsets: Vec<(Level, u64)>,
    /// Sorted, `Addr` always among them.
    pub(crate) used: Vec<Level>,
    /// Rounded-up extents, one per level at most, sorted by level.
    pub(crate) spans: Vec<(Level, u64)>,
}

impl Layout {
    /// Starts a layout without axes.
    #[must_use]
    pub fn builder() -> LayoutBuilder {
        LayoutBuilder::default()
    }

    /// A builder that holds the parts of this layout, to change it.
    #[must_use]
    pub fn to_builder(&self) -> LayoutBuilder {
        let (axes, derived) = (self.axes.clone(), self.derived.clone());
        LayoutBuilder { axes, derived, ..self.without_axes() }
    }

    /// A builder with everything but the axes.
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

    /// The subaxes without a source.
    #[must_use]
    pub fn replicas(&self) -> &[Replica] {
        &self.replicas
    }

    /// The logical extents.
    #[must_use]
    pub fn shape(&self) -> Vec<u64> {
        self.axes.iter().map(|axis| axis.extent).collect()
    }

    /// The levels that a subaxis names, even one of size 1, and `Addr`; in the order of [`Level`].
    ///
    /// Units of a level outside this set all hold a copy.
    #[must_use]
    pub fn used_levels(&self) -> &[Level] {
        &self.used
    }

    /// The constant that every coordinate in `level` starts from.
    #[must_use]
    pub fn offset(&self, level: Level) -> u64 {
        self.offsets.iter().find(|(name, _)| *name == level).map_or(0, |(_, at)| *at)
    }

    /// Returns the layout with `step` added to every coordinate in `level`.
    ///
    /// # Errors
    /// [`LayoutError::TooLarge`] where a coordinate would not fit in 64 bits.
    pub fn with_offset(mut self, level: Level, step: u64) -> Result<Layout, LayoutError> {
        let overflow = || LayoutError::too_large(Site::Layout, "a coordinate");
        let offset = self.offset(level).checked_add(step).ok_or_else(overflow)?;
        let reach = (self.extent(level) - 1).checked_add(step);
        reach.filter(|reach| *reach < u64::MAX).ok_or_else(overflow)?;
        self.offsets.retain(|(name, _)| *name != level);
        if offset > 0 {
            self.offsets.push((level, offset));
            self.offsets.sort();
        }
        Ok(self)
    }

    /// Levels of subaxes and sized replicas as they first appear, major to minor.
    #[must_use]
    pub fn levels_in_order(&self) -> Vec<Level> {
        let mut levels: Vec<Level> = Vec::new();
        let landed = self.landings().map(|landing| landing.level);
        for level in landed.chain(self.used.iter().copied()) {
            if !levels.contains(&level) {
                levels.push(level);
            }
        }
        levels
    }

    /// All axes: the tensor's, then the derived ones.
    pub(crate) fn nodes(&self) -> impl DoubleEndedIterator<Item = &Axis> + Clone {
        self.axes.iter().chain(self.derived.iter().map(|derived| &derived.axis))
    }

    /// For every derived axis, the tensor axes that feed it, through others or not.
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

    /// Everything that lands: subaxes in the order of the axes, then replicas.
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

    /// Subaxes of derived axes have no place in a text.
    fn site(&self, node: usize, subaxis: usize) -> Site {
        if node < self.rank() { Site::Subaxis(node, subaxis) } else { Site::Layout }
    }

    /// The greatest value of every axis, derived ones included, over all real indexes.
    ///
    /// For derived axes this is an upper bound, which invariant 3 keeps below the extent.
    pub(crate) fn greatest_values(&self) -> Result<Vec<u64>, LayoutError> {
        let mut greatest: Vec<u64> = self.axes.iter().map(|a| a.extent.saturating_sub(1)).collect();
        greatest.extend(self.derived.iter().map(|derived| derived.start));
        // Without elements no index is real, whatever digits there are.
        let empty = self.axes.iter().any(|axis| axis.extent == 0);
        for (node, axis) in self.nodes().enumerate() {
            // Before this axis was checked to hold its value there is nothing to write in digits.
            if node >= self.rank() && greatest[node] >= axis.extent {
                if !empty {
                    return Err(self.fed_beyond(node, greatest[node]));
                }
                greatest[node] = axis.extent.saturating_sub(1);
            }
            for (derived, most) in axis.greatest_feeds(greatest[node]) {
                let fed = &mut greatest[self.rank() + derived];
                *fed = fed.saturating_add(most);
            }
        }
        Ok(greatest)
    }

    fn fed_beyond(&self, node: usize, reach: u64) -> LayoutError {
        let derived = node.saturating_sub(self.rank());
        let extent = self.derived.get(derived).map_or(0, |f| f.axis.extent);
        LayoutError::FedBeyond { derived, extent, reach }
    }
}

impl Axis {
    /// For every derived axis that this one feeds, the most that it adds while its own value is
    /// at most `greatest`.
    ///
    /// The values up to `greatest` are a union of boxes: the digits of `greatest` up to some
    /// place, a smaller digit there, and anything after it.
    fn greatest_feeds(&self, greatest: u64) -> Vec<(usize, u64)> {
        let mut fed: Vec<usize> = self.subaxes.iter().filter_map(Subaxis::feeds).collect();
        if fed.is_empty() {
            return Vec::new();
        }
        fed.sort_unstable();
        fed.dedup();
        let mut tops = vec![0; self.subaxes.len()];
        self.digits(greatest, &mut tops);
        fed.into_iter().map(|derived| (derived, self.greatest_feed(derived, &tops))).collect()
    }

    fn greatest_feed(&self, derived: usize, tops: &[u64]) -> u64 {
        let weight = |s: &Subaxis| match s.target {
            Target::Feed { derived: to, weight } if to == derived => weight,
            _ => 0,
        };
        // Minor to major: what the digits below add at most freely, and below the tops.
        let (mut free, mut bound) = (0_u64, 0_u64);
        for (subaxis, top) in self.subaxes.iter().zip(tops).rev() {
            let weight = weight(subaxis);
            let below =
                if *top > 0 { free.saturating_add((top - 1).saturating_mul(weight)) } else { 0 };
            bound = bound.saturating_add(top.saturating_mul(weight)).max(below);
            free = free.saturating_add((subaxis.size - 1).saturating_mul(weight));
        }
        bound
    }
}

impl Subaxis {
    /// The same digit where `by` derived axes were put in front.
    pub(crate) fn shifted(&self, by: usize) -> Subaxis {
        match self.target {
            Target::Feed { derived, weight } => Subaxis::feed(self.size, derived + by, weight),
            Target::Land { .. } => *self,
        }
    }

    /// The derived axis that it feeds.
    pub(crate) fn feeds(&self) -> Option<usize> {
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
    pub fn axis(mut self, extent: u64, subaxes: impl IntoIterator<Item = Subaxis>) -> Self {
        self.axes.push(Axis { extent, subaxes: subaxes.into_iter().collect() });
        self
    }

    /// Adds a derived axis, fed by the subaxes that name its number, counted from 0.
    #[must_use]
    pub fn derived(
        mut self,
        start: u64,
        extent: u64,
        subaxes: impl IntoIterator<Item = Subaxis>,
    ) -> Self {
        let axis = Axis { extent, subaxes: subaxes.into_iter().collect() };
        self.derived.push(DerivedAxis { start, axis });
        self
    }

    /// Adds copies of every element: `size` of them, `stride` apart in `level`.
    #[must_use]
    pub fn replica(mut self, size: u64, level: Level, stride: u64) -> Self {
        self.replicas.push(Replica { size, level, stride });
        self
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

    /// Rounds the extent of `level` up to `span`: what lies between belongs to the layout and
    /// holds nothing. A span that is not more than the extent says nothing.
    #[must_use]
    pub fn span(mut self, level: Level, span: u64) -> Self {
        self.spans.push((level, span));
        self
    }

    /// Checks the invariants of [`Layout`].
    ///
    /// Whether two elements share a place is another question:
    /// [`Layout::collision`](Layout::collision).
    ///
    /// # Errors
    /// [`ZeroSize`](LayoutError::ZeroSize), [`ExtentTooLarge`](LayoutError::ExtentTooLarge),
    /// [`FeedOrder`](LayoutError::FeedOrder), [`FedBeyond`](LayoutError::FedBeyond),
    /// [`TooLarge`](LayoutError::TooLarge).
    pub fn build(self) -> Result<Layout, LayoutError> {
        let LayoutBuilder { axes, derived, replicas, offsets, used, spans } = self;
        let (no_offsets, no_spans) = (Vec::new(), Vec::new());
        let mut layout =
            Layout { axes, derived, replicas, offsets: no_offsets, used, spans: no_spans };
        layout.check_axes()?;
        layout.check_counts()?;
        let landed: Vec<Level> = layout.landings().map(|landing| landing.level).collect();
        layout.used.extend(landed);
        layout.used.push(Level::ADDR);
        layout.used.sort_unstable();
        layout.used.dedup();
        layout.check_extents()?;
        let offset = |layout: Layout, (level, at)| layout.with_offset(level, at);
        let mut layout = offsets.into_iter().try_fold(layout, offset)?;
        layout.spans = spans.into_iter().filter(|(l, span)| *span > layout.extent(*l)).collect();
        layout.spans.sort_unstable();
        layout.spans.dedup_by_key(|(level, _)| *level);
        Ok(layout)
    }
}

impl Layout {
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
        zero.map_or(Ok(()), |at| Err(LayoutError::ZeroSize { site: Site::Replica(at) }))?;
        self.greatest_values().map(|_| ())
    }

    /// Slots are at least as many as elements unless digits feed the same value twice.
    fn check_counts(&self) -> Result<(), LayoutError> {
        let replicas = self.replicas.iter().map(|replica| replica.size);
        let elements = self.axes.iter().map(|axis| axis.extent).chain(replicas);
        product(elements).ok_or(LayoutError::too_large(Site::Layout, "the number of elements"))?;
        product(self.landings().map(|landing| landing.size))
            .ok_or(LayoutError::too_large(Site::Layout, "the number of slots"))?;
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
                .ok_or(LayoutError::too_large(landing.site, "the coordinate"))?;
        }
        Ok(())
    }
}

/// The product, `None` where it does not fit; 0 as soon as one factor is.
pub(crate) fn product(factors: impl IntoIterator<Item = u64, IntoIter: Clone>) -> Option<u64> {
    let mut factors = factors.into_iter();
    match factors.clone().contains(&0) {
        true => Some(0),
        false => factors.try_fold(1, u64::checked_mul),
    }
}
