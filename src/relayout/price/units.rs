//! The part of a placement that traffic between units depends on.

use std::sync::Arc;

use crate::algebra::Layout;
use crate::error::LayoutError;
use crate::level::Level;
use crate::machine::Machine;
use crate::placement::Placement;
use crate::relayout::busiest::share::Busiest;
use crate::relayout::count::traffic::{LevelTraffic, copies_in};
use crate::relayout::nodes::{NodeLayout, Tree, in_groups, paired};
use crate::relayout::pair::Relayout;

/// The elements that each unit holds, with their width if it is known: [`into`](LevelTraffic::into) and
/// [`out_of`](LevelTraffic::out_of) depend on nothing else, and a price only on the width besides.
///
/// Addresses, lanes and padding are not part of it, so a planner that prices many layouts asks only once per
/// pair of parts; [`with_inside`](UnitPart::with_inside) adds lanes and addresses. A part can be the key of a map.
/// Law: equal parts have equal traffic at every level, to and from everything; layouts that differ only in
/// addresses and lanes have equal parts; equal parts exchange nothing.
///
/// ```
/// use tensor_layout::{Machine, Placement};
/// use tensor_layout::relayout::UnitPart;
/// let machine: Machine = "PE=4".parse()?;
/// let part = |text: &str| {
///     let placement = Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
///     UnitPart::of(&placement).unwrap()
/// };
/// assert_eq!(part("((4_PE, 3:8), (8:1))"), part("((4_PE, 3:1), (8:3))"));
/// let levels = part("((4_PE, 3:8), (8:1))").traffic_to(&part("((12:2), (4_PE, 2:1))"))?;
/// assert_eq!(levels[0].into, 72);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitPart {
    /// The levels of the machine from the root down, with their sizes.
    levels: Vec<(Level, u64)>,
    tree: Tree,
    /// The level whose units have the memory, and the number of units that share one.
    node: (Level, u64),
    /// The number of time slices, if time is used.
    slices: Option<u64>,
    /// The width of an element, if it is known.
    pub(crate) element_bits: Option<u64>,
    /// The layout in units and time alone.
    layout: Arc<Layout>,
    /// The layout in the coordinates of groups, where it has them.
    grouped: Option<Arc<Layout>>,
    /// The layout in lanes, and in addresses, where they are part of it.
    inside: [Option<Arc<Layout>>; 2],
}

impl UnitPart {
    /// Returns the part of a placement.
    ///
    /// Cost: that of [`Layout::without_padding`].
    ///
    /// # Errors
    /// `NotComparable` without a machine; as [`Relayout::new`].
    pub fn of(placement: &Placement) -> Result<UnitPart, LayoutError> {
        let NodeLayout { layout: stored, node } = NodeLayout::by(placement)?;
        let levels = placement.machine().into_iter().flat_map(Machine::levels).collect();
        let uses_time = stored.used_levels().contains(&Level::TIME);
        let slices = uses_time.then(|| stored.extent(Level::TIME));
        // Merged digits make parts equal however an address is cut into digits.
        let units = stored.only(|level| !level.is_in_unit()).with_merged_digits();
        let layout = of_elements(units);
        let element_bits = placement.given_bits();
        let (tree, layout) = (Tree::of(placement), Arc::new(layout));
        let grouped = NodeLayout { layout: layout.clone(), node }.in_groups(&tree);
        let inside = [None, None];
        Ok(UnitPart { levels, tree, node, slices, element_bits, layout, grouped, inside })
    }

    /// Returns the part of a placement with its lanes, its addresses, or both: parts that differ in them are then
    /// different, and [`changes_inside`](UnitPart::changes_inside) compares them.
    ///
    /// # Errors
    /// As [`of`](UnitPart::of).
    pub fn with_inside(
        placement: &Placement,
        lanes: bool,
        addresses: bool,
    ) -> Result<UnitPart, LayoutError> {
        let of = |asked: bool, level: Level| {
            let alone = || placement.with_copies().only(|of| of == level).with_merged_digits();
            asked.then(|| Arc::new(of_elements(alone())))
        };
        let inside = [of(lanes, Level::W), of(addresses, Level::ADDR)];
        Ok(UnitPart { inside, ..UnitPart::of(placement)? })
    }

    /// Returns whether lanes, and whether addresses, have to change on the way to another part. Lanes do if an element
    /// lacks one of its new lanes. Addresses do if an element lacks one of its new addresses and nothing moves between
    /// units: what moves can get any address on the way.
    ///
    /// Both are `false` for casts, and for parts that include neither lanes nor addresses.
    /// Law: no route leads from a part to one whose lanes have to change.
    ///
    /// # Errors
    /// As [`traffic_to`](UnitPart::traffic_to); `NotDecided` as [`Layout::serves`].
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Machine, Placement};
    /// use tensor_layout::relayout::UnitPart;
    /// let machine = Machine::mn_core_2();
    /// let part = |text: &str| {
    ///     let placement = Placement::of(text.parse().unwrap()).on(&machine).element_bits(16);
    ///     UnitPart::with_inside(&placement.build().unwrap(), true, true)
    /// };
    /// let rows = part("((4_PE, 8:1), (4_W))")?;
    /// assert_eq!(rows.changes_inside(&part("((8:1, 4_PE), (4_W))")?)?, (false, false));
    /// assert_eq!(rows.changes_inside(&part("((4_PE, 2:1, 4:2), (4_W))")?)?, (false, true));
    /// assert_eq!(rows.changes_inside(&part("((4_PE, 2:1, 4_W), (4:2))")?)?, (true, true));
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    pub fn changes_inside(&self, destination: &UnitPart) -> Result<(bool, bool), LayoutError> {
        self.changes_inside_by(destination, |from, to| Ok(from.serves(to)?.is_some()))
    }

    /// As [`changes_inside`](UnitPart::changes_inside), with an answer for two layouts inside a unit: the first lacks a
    /// place of the second.
    pub(crate) fn changes_inside_by(
        &self,
        destination: &UnitPart,
        lacks: impl Fn(&Arc<Layout>, &Arc<Layout>) -> Result<bool, LayoutError>,
    ) -> Result<(bool, bool), LayoutError> {
        if self.element_bits != destination.element_bits {
            return Ok((false, false));
        }
        let lacks = |at: usize| match (&self.inside[at], &destination.inside[at]) {
            (Some(from), Some(to)) if from != to => lacks(from, to),
            _ => Ok(false),
        };
        let (lanes, addresses) = (lacks(0)?, lacks(1)?);
        let stays = || {
            let levels = self.traffic_to(destination)?;
            Ok::<bool, LayoutError>(levels.iter().all(|level| level.into == 0))
        };
        Ok((lanes, addresses && stays()?))
    }

    /// Counts the traffic into and out of the units of every level, innermost first, as
    /// [`Relayout::traffic`] does.
    ///
    /// # Errors
    /// `NotComparable` for different shapes or levels, and for groups of units that do not nest; as
    /// [`Relayout::traffic`].
    pub fn traffic_to(&self, destination: &UnitPart) -> Result<Vec<LevelTraffic>, LayoutError> {
        let relayout = self.relayout(destination)?;
        if self == destination {
            return relayout.nothing();
        }
        relayout.traffic_of_levels()
    }

    /// Finds the unit of a level that the most elements have to leave; `None` where copies on either side
    /// leave open what leaves a unit.
    ///
    /// Law: where each element has one unit on each side, the elements that leave a unit are those that enter
    /// it on the way back.
    ///
    /// # Errors
    /// As [`traffic_to`](UnitPart::traffic_to) and [`Relayout::busiest`].
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Level, Machine, Placement};
    /// use tensor_layout::relayout::UnitPart;
    /// let machine: Machine = "PE=4".parse()?;
    /// let part = |text: &str| {
    ///     UnitPart::of(&Placement::of(text.parse().unwrap()).on(&machine).build()?)
    /// };
    /// // All 64 elements are on PE 0, and are wanted evenly on all: 48 leave one.
    /// let (from, to) = (part("((1_PE, 64:1))")?, part("((4_PE, 16:1))")?);
    /// assert_eq!(from.busiest_out_of(&to, Level::PE)?.unwrap().elements, 48);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn busiest_out_of(
        &self,
        destination: &UnitPart,
        level: Level,
    ) -> Result<Option<Busiest>, LayoutError> {
        let back = destination.relayout(self)?;
        Ok(if back.has_one_unit_each(level)? { Some(back.busiest(level)?) } else { None })
    }

    /// The busiest units of some levels, innermost first: those that are entered, and those that are
    /// left.
    pub(crate) fn busiest_units(
        &self,
        destination: &UnitPart,
        wanted: impl Fn(Level) -> bool,
    ) -> Result<[Vec<Busiest>; 2], LayoutError> {
        let (there, back) = (self.relayout(destination)?, destination.relayout(self)?);
        let [mut entered, mut left] = [Vec::new(), Vec::new()];
        for level in there.units.iter().rev().copied().filter(|level| wanted(*level)) {
            entered.push(there.busiest(level)?);
            if back.has_one_unit_each(level)? {
                left.push(back.busiest(level)?);
            }
        }
        Ok([entered, left])
    }

    fn relayout(&self, other: &UnitPart) -> Result<Relayout, LayoutError> {
        let [own, others] =
            [self, other].map(|part| part.layout.axes().iter().map(|axis| axis.extent));
        if !own.eq(others) {
            let (from, to) = (self.layout.shape(), other.layout.shape());
            return Err(LayoutError::differ("shapes", from, to));
        }
        if self.levels != other.levels {
            let (from, to) = (self.levels.clone(), other.levels.clone());
            return Err(LayoutError::differ("levels", from, to));
        }
        let held = |part: &UnitPart| NodeLayout { layout: part.layout.clone(), node: part.node };
        let (source, target, paths) = match (&self.grouped, &other.grouped) {
            (Some(from), Some(to)) => {
                in_groups(&self.tree, (from.clone(), self.node), (to.clone(), other.node))?
            }
            _ => paired(&self.tree, &held(self), &held(other))?,
        };
        Relayout::of(source, target, paths, self.slices.max(other.slices))
    }
}

/// The layout without padding, where that is decided.
fn of_elements(layout: Layout) -> Layout {
    layout.without_padding().unwrap_or_else(|_| layout.simplified())
}

impl Relayout {
    /// Returns whether no element has copies in several units of a level, on either side.
    fn has_one_unit_each(&self, level: Level) -> Result<bool, LayoutError> {
        let path = &self.units[..self.depth_of(level)?];
        Ok([&self.source, &self.target].into_iter().all(|side| copies_in(side, path) == 1))
    }

    /// The traffic of equal parts: both sides have every copy.
    fn nothing(&self) -> Result<Vec<LevelTraffic>, LayoutError> {
        let copies = |depth| copies_in(&self.target, &self.units[..depth]);
        let both = (1..=self.units.len()).map(|depth| u128::from(self.elements()) * copies(depth));
        self.level_traffic(&both.collect::<Vec<_>>())
    }
}
