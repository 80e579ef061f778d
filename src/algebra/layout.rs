//! The layout as a value, and the invariants that every other operation relies on.

use itertools::Itertools;

use crate::algebra::radix::IndexOrder;
use crate::algebra::work;
use crate::error::{LayoutError, Site};
use crate::level::Level;

/// The level that the digit of a subaxis lands in, or the derived axis that it feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// Adds `digit x stride` to the coordinate in `level`.
    Land {
        /// The level.
        level: Level,
        /// The change of the coordinate per step of the digit, in elements of the level.
        stride: u64,
    },
    /// Adds `digit x weight` to the value of derived axis `derived`, or flips bits of it: see
    /// [`Combine`].
    Feed {
        /// The number of the derived axis, from 0.
        derived: usize,
        /// The change of the value per step of the digit; in an XOR, the bits that its bit 0 flips.
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

    /// Returns the subaxis for a layout with `by` more derived axes in front.
    pub(crate) fn shifted(&self, by: usize) -> Subaxis {
        match self.target {
            Target::Feed { derived, weight } => Subaxis::feed(self.size, derived + by, weight),
            Target::Land { .. } => *self,
        }
    }

    /// The level that it lands in; `None` if it feeds a derived axis.
    #[must_use]
    pub fn lands(&self) -> Option<Level> {
        self.landed().map(|(level, _)| level)
    }

    /// The level that it lands in, and its stride there.
    pub(crate) fn landed(&self) -> Option<(Level, u64)> {
        match self.target {
            Target::Land { level, stride } => Some((level, stride)),
            Target::Feed { .. } => None,
        }
    }

    /// The number of the derived axis that it feeds; `None` if it lands in a level.
    pub(crate) fn feeds(&self) -> Option<usize> {
        match self.target {
            Target::Feed { derived, .. } => Some(derived),
            Target::Land { .. } => None,
        }
    }
}

/// An axis: its extent, and the subaxes that write its value in mixed radix, major to minor.
///
/// Values from `extent` up to the product of the sizes are padding.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Axis {
    /// The number of real values (not padding).
    pub extent: u64,
    /// The digits, major to minor.
    pub subaxes: Vec<Subaxis>,
}

impl Axis {
    /// The number of values the subaxes can write: the product of their sizes.
    #[must_use]
    pub fn slots(&self) -> u64 {
        self.sizes().product()
    }

    /// The sizes of the subaxes, major to minor.
    pub(crate) fn sizes(&self) -> impl DoubleEndedIterator<Item = u64> + Clone + '_ {
        self.subaxes.iter().map(|subaxis| subaxis.size)
    }

    /// Creates an axis without padding.
    pub(crate) fn unpadded(subaxes: Vec<Subaxis>) -> Axis {
        Axis { extent: subaxes.iter().map(|subaxis| subaxis.size).product(), subaxes }
    }

    /// The subaxes that land, major to minor.
    pub(crate) fn landing(&self) -> impl Iterator<Item = Subaxis> + '_ {
        self.subaxes.iter().copied().filter(|subaxis| subaxis.lands().is_some())
    }

    /// Returns the axis with every subaxis changed.
    pub(crate) fn with(&self, change: impl FnMut(&Subaxis) -> Subaxis) -> Axis {
        Axis { extent: self.extent, subaxes: self.subaxes.iter().map(change).collect() }
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
    /// The extent, the sizes of the subaxes and the sizes of the digits that feed the axis are powers of two.
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

impl DerivedAxis {
    /// Creates a derived axis whose value is a sum.
    pub(crate) fn sum(start: u64, axis: Axis) -> DerivedAxis {
        DerivedAxis { combine: Combine::Sum, start, axis }
    }

    /// A derived axis that takes the place of one that nothing feeds.
    pub(super) fn none() -> DerivedAxis {
        DerivedAxis::sum(0, Axis { extent: 1, subaxes: Vec::new() })
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

/// A subaxis without a source: every element has a copy for each value of its digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Replica {
    /// The number of copies.
    pub size: u64,
    /// The level in which the copies differ.
    pub level: Level,
    /// The distance between neighbouring copies, in elements of the level.
    pub stride: u64,
}

/// A map from a tensor index to the set of places where the element lives.
///
/// Invariants, checked by [`LayoutBuilder::build`](crate::algebra::LayoutBuilder::build) and relied on everywhere:
/// 1. every size is at least 1, and every extent is at most the product of the sizes of its axis;
/// 2. a digit can only feed a derived axis that comes after its own axis;
/// 3. a real index never gives a derived axis a value at or beyond its extent; in an XOR, the extent and the
///    sizes are powers of two, so padding never does either;
/// 4. the numbers of elements and slots, and all values and coordinates, including those of padding, fit in
///    `u64`.
///
/// `==` compares layouts as they are written, subaxis by subaxis.
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
    pub(super) axes: Vec<Axis>,
    pub(super) derived: Vec<DerivedAxis>,
    pub(super) replicas: Vec<Replica>,
    /// The constants that are added to coordinates: nonzero, at most one per level, sorted by level.
    pub(super) offsets: Vec<(Level, u64)>,
    /// The used levels, sorted; `Addr` is always one of them.
    pub(super) used: Vec<Level>,
    /// The rounded-up extents: at most one per level, sorted by level.
    pub(super) spans: Vec<(Level, u64)>,
}

impl Layout {
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

    /// The derived axes, whose values come from digits.
    #[must_use]
    pub fn derived_axes(&self) -> &[DerivedAxis] {
        &self.derived
    }

    /// The replicas: subaxes without a source, with a copy of every element for each value of the digit.
    #[must_use]
    pub fn replicas(&self) -> &[Replica] {
        &self.replicas
    }

    /// The logical extents.
    #[must_use]
    pub fn shape(&self) -> Vec<u64> {
        self.axes.iter().map(|axis| axis.extent).collect()
    }

    /// The levels that a subaxis or sized replica names (even of size 1), levels with an offset or span,
    /// levels [marked](crate::algebra::LayoutBuilder::used) as used, and `Addr`; in the order of [`Level`].
    ///
    /// In a level outside this set, every unit holds a copy.
    #[must_use]
    pub fn used_levels(&self) -> &[Level] {
        &self.used
    }

    /// Returns whether `level` is one of [`used_levels`](Layout::used_levels).
    #[must_use]
    pub fn uses(&self, level: Level) -> bool {
        self.used.binary_search(&level).is_ok()
    }

    /// Returns the layout as a function of its linear index.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::algebra::{Arrangement, IndexOrder::Colexicographic};
    /// use tensor_layout::notation::CuteLayout;
    /// let cute = |text: &str| tensor_layout::LayoutText::parse(text).unwrap().lower().unwrap();
    /// let tile = cute("(2,2):(1,2)");
    /// let product = tile.as_function(Colexicographic).product(&cute("2:1"), Arrangement::Logical)?;
    /// assert_eq!(CuteLayout::of(&product)?.to_string(), "((2,2),2):((1,2),4)");
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub const fn as_function(&self, order: IndexOrder) -> LinearFunction<'_> {
        LinearFunction { layout: self, order }
    }

    /// The used levels other than `Addr`.
    pub(crate) fn levels_beside_addr(&self) -> impl Iterator<Item = Level> + '_ {
        self.used.iter().copied().filter(|level| *level != Level::ADDR)
    }

    /// The constant that is added to every coordinate in `level`.
    #[must_use]
    pub fn offset(&self, level: Level) -> u64 {
        self.offsets.iter().find(|(name, _)| *name == level).map_or(0, |(_, at)| *at)
    }

    /// The offsets: nonzero, at most one per level, sorted by level.
    pub(crate) fn offsets(&self) -> &[(Level, u64)] {
        &self.offsets
    }

    /// The spans that exceed the extent: at most one per level, sorted by level.
    pub(crate) fn spans(&self) -> &[(Level, u64)] {
        &self.spans
    }

    /// The layout moved so that its addresses count from 0, and the offset by which it was moved.
    pub(crate) fn to_origin(&self) -> (Layout, u64) {
        let offset = self.offset(Level::ADDR);
        let mut moved = self.clone();
        moved.offsets.retain(|(level, _)| *level != Level::ADDR);
        for (_, span) in moved.spans.iter_mut().filter(|(level, _)| *level == Level::ADDR) {
            *span -= offset;
        }
        (moved, offset)
    }

    /// The layout without the replicas that are not `kept`; levels stay used.
    pub(crate) fn with_replicas_where(mut self, kept: impl Fn(&Replica) -> bool) -> Layout {
        self.replicas.retain(kept);
        self
    }

    /// Returns the layout whose addresses are the sums of coordinate x weight over the levels of this one, without
    /// offsets and copies. The sums fit in 64 bits.
    pub(crate) fn weighed(&self, weight: impl Fn(Level) -> u64) -> Layout {
        let weigh = |subaxis: &Subaxis| match subaxis.target {
            Target::Land { level, stride } => {
                Subaxis::land(subaxis.size, Level::ADDR, weight(level) * stride)
            }
            Target::Feed { .. } => *subaxis,
        };
        Layout {
            axes: self.axes.iter().map(|axis| axis.with(weigh)).collect(),
            derived: self.derived.iter().map(|derived| derived.with(weigh)).collect(),
            replicas: Vec::new(),
            offsets: Vec::new(),
            used: vec![Level::ADDR],
            spans: Vec::new(),
        }
    }

    /// Returns the layout of one axis alone, where no derived axis is fed by several; `sources` are those of
    /// [`axes_per_derived`](Layout::axes_per_derived).
    pub(crate) fn along(&self, axis: usize, sources: &[Vec<usize>]) -> Layout {
        let derived = self.derived.iter().zip(sources);
        let derived = derived.map(|(derived, sources)| match sources.contains(&axis) {
            true => derived.clone(),
            false => DerivedAxis::none(),
        });
        Layout {
            axes: vec![self.axes[axis].clone()],
            derived: derived.collect(),
            replicas: self.replicas.clone(),
            offsets: self.offsets.clone(),
            used: self.used.clone(),
            spans: self.spans.clone(),
        }
    }

    /// The sum of the offsets, each times the weight of its level.
    pub(crate) fn weighed_offset(&self, weight: impl Fn(Level) -> u64) -> u64 {
        self.offsets.iter().map(|(level, offset)| offset * weight(*level)).sum()
    }

    /// Returns the layout with `step` added to every coordinate in `level`, and to its span.
    ///
    /// A step of at least 1 makes an unused level used.
    ///
    /// # Errors
    /// `TooLarge` where a coordinate would not fit in 64 bits.
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

    pub(super) fn use_level(&mut self, level: Level) {
        if let Err(at) = self.used.binary_search(&level) {
            self.used.insert(at, level);
        }
    }

    /// Returns the used levels in the order in which subaxes and sized replicas land in them, then the rest.
    pub(crate) fn levels_in_order(&self) -> Vec<Level> {
        let landed = self.landings().map(|landing| landing.level);
        landed.chain(self.used.iter().copied()).unique().collect()
    }

    /// Returns the columns of a table without a machine: the used levels, known ones in column order, then others in
    /// the order in which subaxes land in them, before the address.
    ///
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "((2_Chip, 4_PE), (4_Board, 3:1))".parse()?;
    /// let columns: Vec<_> = layout.columns().iter().map(ToString::to_string).collect();
    /// assert_eq!(columns, ["PE", "Chip", "Board", "Addr"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn columns(&self) -> Vec<Level> {
        let mut columns = self.levels_in_order();
        columns.sort_by_key(|level| level.column());
        columns
    }

    /// All axes: those of the tensor, then the derived ones.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = &Axis> + Clone {
        let nodes = self.axes.iter().chain(self.derived.iter().map(|derived| &derived.axis));
        nodes.inspect(|axis| work::see(1 + axis.subaxes.len()))
    }

    /// All axes, to be changed.
    pub(super) fn nodes_mut(&mut self) -> impl Iterator<Item = &mut Axis> {
        self.axes.iter_mut().chain(self.derived.iter_mut().map(|derived| &mut derived.axis))
    }

    /// The subaxes of all axes.
    pub(crate) fn subaxes(&self) -> impl Iterator<Item = &Subaxis> + Clone {
        self.nodes().flat_map(|axis| &axis.subaxes)
    }

    /// The subaxes of all axes, to be changed.
    pub(super) fn subaxes_mut(&mut self) -> impl Iterator<Item = &mut Subaxis> {
        self.nodes_mut().flat_map(|axis| &mut axis.subaxes)
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

    /// Iterates over everything that lands: subaxes in the order of the axes, then replicas.
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

    /// Returns the site of a subaxis in a text, which does not contain subaxes of derived axes.
    pub(super) fn site(&self, node: usize, subaxis: usize) -> Site {
        if node < self.rank() { Site::Subaxis(node, subaxis) } else { Site::Layout }
    }
}

/// A layout as a function of its linear index, which is what CuTe means by a layout.
///
/// Its operations are those of [`Layout`], applied to the linear index in a given order. The axes of their results
/// are CuTe's modes, except where a name says that axes are kept, as in
/// [`compose_axes`](LinearFunction::compose_axes).
#[derive(Clone, Copy, Debug)]
pub struct LinearFunction<'a> {
    pub(super) layout: &'a Layout,
    pub(crate) order: IndexOrder,
}

impl Replica {
    /// Returns whether the copies are in different places: those with stride 0 coincide.
    pub(crate) fn is_apart(&self) -> bool {
        self.size > 1 && self.stride > 0
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
