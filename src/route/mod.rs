//! Routes: the movements that bring a tensor from one memory of a machine to another.
//!
//! ```text
//! DRAM   ((4_L2B:2, 64:8), (8:1, 2_W:1))                         256 x 16 floats
//!   mvp, pick one                 512 long words of each group to one of its L2Bs
//! L2BM   ((8_L2B:1, 32:8), (8:1, 2_W:1))
//!   l2bmd, distribute             64 per cycle from L2BM, 8 into each L1B
//! L1BM   ((8_L2B:1, 4:8, 8_L1B:1), (8:1, 2_W:1))
//!   l1bmm, distribute             8 per cycle from L1BM, 2 into each PE
//! LM0    ((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1); B@[16_MAB:1])
//! ```
//!
//! A movement is itself a layout: a map from the addresses of one memory to the units and addresses of another.
//! A layout composed with it is the layout after the movement, and two layouts are one movement apart if the
//! result [serves](Layout::serves) the second.
//!
//! The path of a question through the files:
//!
//! ```text
//! units    the digits of units, by the memories that hang there
//! hand     a movement in one direction: which digit of a place becomes which
//! carry    a layout composed with a map of places, copies and all
//! step     is this pair one movement?
//! reach    where movements can bring a digit at all
//! usual    the layout that a movement gives, and the one it needs; the long words that pass
//! search   forward, backward, and a movement between
//! hop      one hop of the answer; `error` has the refusals
//! ```

mod carry;
mod hand;
mod hop;
mod reach;
mod search;
mod step;
mod units;
mod usual;

pub use hop::Hop;

use itertools::Itertools;

use self::hand::{Hand, hands, without_twins};
use self::hop::{memory, text};
use self::reach::Reach;
use self::search::{RouteSearch, serves};
use crate::Layout;
use crate::error::{LayoutError, fault};
use crate::machine::{Direction, Machine, Movement, MovementKind};
use crate::number::to_u64;
use crate::placement::Placement;
use crate::words::cut;

/// The hops from one layout to another.
///
/// Law: the source, moved hop by hop through the maps, has every element in every place where the target has
/// it; holes of the target may hold anything.
///
/// Time slices pass one after another, and a digit of them may become one of addresses or units, and back.
///
/// The search is exact within its bounds: at most 6 hops between two layouts and 4096 trials; the beats of
/// each movement keep their order or go to the units that the target has, except in one hop, which may put them
/// anywhere.
///
/// # Example
/// ```
/// use tensor_layout::{Machine, Placement};
/// use tensor_layout::route::Route;
/// let machine = Machine::mn_core_2();
/// let on = |text: &str, memory: &str| {
///     let placement = Placement::of(text.parse().unwrap()).on(&machine).memory(memory);
///     placement.element_bits(32).build().unwrap()
/// };
/// let source = on("((4_L2B:2, 64:8), (8:1, 2_W:1))", "DRAM");
/// let target = on("((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1))", "LM0");
/// let route = Route::new(&source, &target)?;
/// assert_eq!(route.names(), ["mvp", "l2bmd", "l1bmm"]);
/// let cycles: Vec<_> = route.hops().iter().map(|hop| hop.cycles).collect();
/// assert_eq!(cycles, [Some(32), Some(4), Some(4)]);
/// # Ok::<(), tensor_layout::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    source: Placement,
    hops: Vec<Hop>,
}

impl Route {
    /// Finds the route with the fewest cycles; among those, the one with the fewest hops, then with the fewest long
    /// words.
    ///
    /// A movement without a rate is compared at the least rate known between its two memories, so that a known rate
    /// takes precedence over the hope of a better one.
    /// On a machine without movements, the route is a single hop, for which only the long words are known.
    ///
    /// # Errors
    /// `Missing`, `Shape`, `Invalid`; `NotComparable` for different machines or lanes of different widths;
    /// `NoRoute` where no movements connect the memories; `NoRoute` with a digit that no movements bring to its
    /// place, however many; `NoRoute` with the first hop that no movement can make.
    pub fn new(source: &Placement, target: &Placement) -> Result<Route, LayoutError> {
        Route::through([source, target])
    }

    /// Finds a route as [`new`](Route::new) does, within another number of trials than 4096: a planner that asks for many
    /// routes may prefer an error to a long search.
    ///
    /// # Errors
    /// As [`Route::new`].
    pub fn within(
        source: &Placement,
        target: &Placement,
        trials: usize,
    ) -> Result<Route, LayoutError> {
        Route::by_stops(&[source, target], trials)
    }

    /// Finds a route from the first layout to the last, through all others in order.
    ///
    /// # Errors
    /// As [`Route::new`], for each pair of neighbours.
    pub fn through<'p>(
        stops: impl IntoIterator<Item = &'p Placement>,
    ) -> Result<Route, LayoutError> {
        Route::by_stops(&stops.into_iter().collect::<Vec<_>>(), search::MOST_TRIED)
    }

    fn by_stops(stops: &[&Placement], trials: usize) -> Result<Route, LayoutError> {
        let (source, machine) = checked(stops)?;
        let hands = hands(machine)?;
        let reach = Reach::new(machine, &hands);
        let mut hops = Vec::new();
        for (source, target) in stops.iter().tuple_windows() {
            let before = hops.len();
            if machine.movements().is_empty() {
                let is_there = memory(source) == memory(target)
                    && serves(source.with_copies(), target.with_copies())?;
                hops.extend((!is_there).then(|| Hop::unknown(source, target)).transpose()?);
                continue;
            }
            let hands = without_twins(machine, &hands, [source, target].map(|side| memory(side)));
            let found =
                RouteSearch::new(&hands, source, target).within(trials).best(reach.as_ref());
            hops.extend(found.map_err(|error| numbered(error, before))?);
        }
        Ok(Route { source: source.clone(), hops })
    }

    /// Finds the route whose single hop is the movement with this name.
    ///
    /// # Errors
    /// `Unknown`, `Unsupported`; `NoRoute` if it connects other memories; `NoRoute`, with the layout that it
    /// produces instead.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Machine, Placement};
    /// use tensor_layout::route::Route;
    /// let machine = Machine::mn_core_2();
    /// let on = |text: &str, memory: &str| {
    ///     Placement::of(text.parse().unwrap()).on(&machine).memory(memory).build().unwrap()
    /// };
    /// let (source, target) = (on("((64:1))", "L1BM"), on("((1_L2B:1, 1_L1B:1, 16_MAB, 4_PE))", "LM0"));
    /// assert_eq!(Route::by("l1bmd", &source, &target)?.hops()[0].cycles, Some(1));
    /// let refused = Route::by("l2bmd", &source, &target).unwrap_err().to_string();
    /// assert!(refused.starts_with("`l2bmd` moves from L2BM to L1BM and from L1BM to L2BM"));
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    pub fn by(name: &str, source: &Placement, target: &Placement) -> Result<Route, LayoutError> {
        let (_, machine) = checked(&[source, target])?;
        usable(machine, name)?;
        let hands = hands(machine)?;
        let called: Vec<Hand> = hands.into_iter().filter(|h| h.movement.name == name).collect();
        let ends = (memory(source), memory(target));
        if !called.iter().any(|hand| hand.memories() == ends) {
            return Err(not_between(name, machine, ends));
        }
        let hop = RouteSearch::new(&called, source, target).one()?;
        Ok(Route { source: source.clone(), hops: vec![hop] })
    }

    /// Finds the layouts in a memory from which movements lead to a placement, each with its route, cheapest first.
    ///
    /// The layouts are those that the movements need in the usual order of their beats, with the fewest hops and with
    /// one more, within 4096 trials: others may lead there, too.
    /// Law: as [`Route::new`], for each of the layouts.
    ///
    /// # Errors
    /// `Missing`, `Invalid`; `NotComparable` for a memory that the machine lacks; `NoRoute` where no movements
    /// connect the memories.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Machine, Placement};
    /// use tensor_layout::route::Route;
    /// let machine = Machine::mn_core_2();
    /// let target = "((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1))".parse().unwrap();
    /// let target = Placement::of(target).on(&machine).memory("LM0").element_bits(32).build().unwrap();
    /// let routes = Route::from_memory("DRAM", &target)?;
    /// assert_eq!(Route::text(routes[0].source()), "((4_L2B:2, 64:8), (8:1, 2_W:1))");
    /// assert_eq!((routes[0].names(), routes[0].cycles()), (vec!["mvp", "l2bmd", "l1bmm"], (40, true)));
    /// assert!(routes.is_sorted_by_key(|route| route.cycles().0));
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    pub fn from_memory(memory: &str, target: &Placement) -> Result<Vec<Route>, LayoutError> {
        let found = open_end(target, memory, false)?;
        Ok(ranked(found.into_iter().map(|(source, hops)| Route { source, hops })))
    }

    /// Finds the layouts in a memory to which movements lead from a placement, each with its route, cheapest first:
    /// the reverse of [`from_memory`](Route::from_memory).
    ///
    /// # Errors
    /// As [`from_memory`](Route::from_memory).
    pub fn into_memory(source: &Placement, memory: &str) -> Result<Vec<Route>, LayoutError> {
        let found = open_end(source, memory, true)?;
        Ok(ranked(found.into_iter().map(|(_, hops)| Route { source: source.clone(), hops })))
    }

    /// The placement of the tensor before the first hop.
    #[must_use]
    pub fn source(&self) -> &Placement {
        &self.source
    }

    /// The hops, in order; none if the source already serves the target.
    #[must_use]
    pub fn hops(&self) -> &[Hop] {
        &self.hops
    }

    /// The names of the movements.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let movements = self.hops.iter().filter_map(|hop| hop.movement.as_ref());
        movements.map(|movement| movement.name.as_str()).collect()
    }

    /// The sum of the least cycles, and whether every hop has a rate; if not, the sum is a lower bound.
    ///
    /// Law: at least [`CostModel::at_least`](crate::relayout::CostModel::at_least) of the machine's movements.
    #[must_use]
    pub fn cycles(&self) -> (u64, bool) {
        let sum = self.hops.iter().map(|hop| hop.at_least).fold(0, u64::saturating_add);
        (sum, self.hops.iter().all(|hop| hop.cycles.is_some()))
    }

    /// The layout of a placement as text, with the copies that it has.
    #[must_use]
    pub fn text(placement: &Placement) -> String {
        let layout: &Layout = placement.with_copies();
        text(layout)
    }
}

/// The layouts in a memory to which routes lead from a placement or, if not `ahead`, from which they lead to it.
fn open_end(
    of: &Placement,
    memory: &str,
    ahead: bool,
) -> Result<Vec<(Placement, Vec<Hop>)>, LayoutError> {
    let (_, machine) = checked(&[of])?;
    machine.memory(memory)?;
    let hands = without_twins(machine, &hands(machine)?, [memory, hop::memory(of)]);
    RouteSearch::open(&hands, of, memory, ahead).at_open_end(ahead)
}

/// Routes with the fewest cycles first, then with the fewest hops, then in an order that is always the same.
fn ranked(routes: impl Iterator<Item = Route>) -> Vec<Route> {
    let texts = |route: &Route| {
        (Route::text(&route.source), route.hops.last().map(|hop| Route::text(&hop.target)))
    };
    routes
        .sorted_by_cached_key(|route| (route.cycles().0, route.hops.len(), texts(route)))
        .collect()
}

/// The machine of all placements, which hold one tensor in memories with names.
fn checked<'p>(stops: &[&'p Placement]) -> Result<(&'p Placement, &'p Machine), LayoutError> {
    let first = *stops.first().ok_or_else(LayoutError::no_machine)?;
    let last = stops.len().saturating_sub(1);
    for (at, stop) in stops.iter().enumerate() {
        if stop.memory().is_none() {
            let which = match at {
                0 => "the source".into(),
                at if at == last => "the target".into(),
                at => format!("stop {at}"),
            };
            return Err(fault!(
                Missing,
                "a route needs to know the memory of each layout, and {which} names none",
                [which]
            )
            .with_help("write it after the layout, as in `((8_L2B, 64:1))@L2BM / Float`"));
        }
        let (source_shape, target_shape) = (first.layout().shape(), stop.layout().shape());
        if source_shape != target_shape {
            let [a, b] = [source_shape, target_shape].map(|shape| cut(&shape.iter().join(","), 80));
            return Err(fault!(
                Shape,
                "the shapes are ({a}) and ({b}): a route moves one tensor",
                [a, b]
            ));
        }
        if stop.machine() != first.machine() {
            let described = |stop: &Placement| stop.machine().map(Machine::described);
            let (from, to) = (described(first), described(stop));
            return Err(LayoutError::differ("machines", from, to));
        }
        first.check_lanes(stop)?;
    }
    Ok((first, first.machine().ok_or_else(LayoutError::no_machine)?))
}

/// The movements with a name, one per pair of memories.
fn named<'m>(machine: &'m Machine, name: &str) -> Vec<&'m Movement> {
    machine.movements().iter().filter(|movement| movement.name == name).collect()
}

/// Checks that the machine has movements of this name, none of which reduces and one of which has a map.
fn usable(machine: &Machine, name: &str) -> Result<(), LayoutError> {
    let movements = named(machine, name);
    let name = crate::words::cut(name, 40);
    if movements.is_empty() {
        let names = machine.movements().iter().map(|movement| &movement.name).unique().join(", ");
        let known = match names.as_str() {
            "" => "which is described without movements".into(),
            names => format!("which has {names}"),
        };
        return Err(fault!(
            Unknown,
            "`{name}` is not a movement of this machine, {known}",
            [name, known]
        ));
    }
    if movements.iter().any(|movement| movement.kind == MovementKind::Reduce) {
        let why = "it adds up what the units have, so that another tensor arrives";
        return Err(fault!(Unsupported, "movement `{name}` cannot be used: {why}", [name, why]));
    }
    if movements.iter().all(|movement| movement.map.is_none()) {
        return Err(fault!(
            Unsupported,
            "movement `{name}` cannot be used: {why}",
            [name, why = "its map of addresses is not public"]
        ));
    }
    Ok(())
}

fn not_between(name: &str, machine: &Machine, ends: (&str, &str)) -> LayoutError {
    let ways = named(machine, name).into_iter().flat_map(|movement| {
        let (upper, lower) = (&movement.upper, &movement.lower);
        let down =
            (movement.direction != Direction::Up).then(|| format!("from {upper} to {lower}"));
        let up =
            (movement.direction != Direction::Down).then(|| format!("from {lower} to {upper}"));
        down.into_iter().chain(up)
    });
    fault!(
        NoRoute,
        "`{name}` moves {between}, and the layouts are in {source_memory} and \
         {target_memory}",
        [
            name = name.to_owned(),
            between = ways.unique().join(" and "),
            source_memory = ends.0.to_owned(),
            target_memory = ends.1.to_owned()
        ]
    )
}

/// The error of a hop, with its number counted from the beginning of the route.
fn numbered(error: LayoutError, before: usize) -> LayoutError {
    match error.number("hop") {
        Some(hop) => error.replacing("hop", hop + to_u64(before)),
        None => error,
    }
}
