//! Prices of many relayouts, each counted once.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use indexmap::IndexSet;

use super::cost::{Cost, CostModel, CostUnit};
use super::units::UnitPart;
use crate::algebra::Layout;
use crate::error::{LayoutError, Site, fault};
use crate::level::Level;
use crate::number::{to_index, to_u64};
use crate::placement::Placement;
use crate::relayout::count::traffic::LevelTraffic;

/// The number of maps that the prices are spread over, so that threads seldom wait for each other.
const SHARDS: usize = 64;

/// Prices relayouts for a planner: equal unit parts share one number, and each pair is counted once.
///
/// Threads share it by reference. Answers do not depend on which thread asked first or on what was asked
/// before; only the numbers of parts do.
/// Elements have the width of their placement or, where that is not known, that of the model. Between parts of
/// different widths, where values are cast, the narrower one moves: the cast comes first, or last.
/// Law: the traffic is that of [`UnitPart::traffic_to`], the cost that of [`CostModel::at_least`] for the width, with
/// the prices of lanes and addresses where they have one.
/// Cost: a known pair takes one lookup and no allocation.
///
/// ```
/// use tensor_layout::{Level, Machine, Placement};
/// use tensor_layout::relayout::{CostModel, Pricer};
/// let machine = Machine::mn_core_2().with_bandwidth([(Level::L2B, 32), (Level::PE, 1)])?;
/// let pricer = Pricer::new(CostModel::new(&machine, 16)?);
/// let part = |text: &str| {
///     let placement = Placement::of(text.parse().unwrap()).on(&machine).build()?;
///     pricer.part(&placement)
/// };
/// let to = part("((128:8), (8_L2B, 8:1))")?;
/// for from in ["((8_L2B, 16:64), (64:1))", "((8_L2B, 16:1), (64:16))"] {
///     assert_eq!(pricer.cost(part(from)?, to)?.steps, 224);
/// }
/// // Both sources hold the same elements in each unit: one pair was counted.
/// assert_eq!((pricer.statistics().parts, pricer.statistics().counted), (2, 1));
/// # Ok::<(), tensor_layout::LayoutError>(())
/// ```
#[derive(Debug)]
pub struct Pricer {
    model: CostModel,
    /// The price of a change of lanes, and of addresses, where they have one.
    inside: [Option<u64>; 2],
    /// For two layouts in lanes or in addresses, whether the first lacks a place of the second: there are few of them,
    /// and the answer may take longer than all other counts of a pair.
    lacks: RwLock<HashMap<[Arc<Layout>; 2], bool>>,
    /// Identifies the pricer, so that parts of another one are rejected.
    number: u32,
    parts: RwLock<IndexSet<Arc<UnitPart>>>,
    budget: PriceBudget,
    traffic: Memo<Arc<[LevelTraffic]>>,
    cost: Memo<Cost>,
    busiest: Memo<Cost>,
}

/// A unit part that a [`Pricer`] knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartId {
    pricer: u32,
    number: u32,
}

impl PartId {
    /// The number of this part in its pricer, from 0, in the order in which parts were first seen.
    #[must_use]
    pub fn number(self) -> u32 {
        self.number
    }

    /// The part as an integer, to pass through an interface that has no other types.
    #[must_use]
    pub fn to_u64(self) -> u64 {
        u64::from(self.pricer) << u32::BITS | u64::from(self.number)
    }

    /// The part of such an integer. A pricer refuses one that it did not number.
    ///
    /// ```
    /// use tensor_layout::{Level, Machine, Placement};
    /// use tensor_layout::relayout::{CostModel, PartId, Pricer};
    /// let machine = Machine::mn_core_2();
    /// let pricer = Pricer::new(CostModel::new(&machine, 16)?);
    /// let part = pricer.part(&Placement::of("((4_PE, 8:1))".parse().unwrap()).on(&machine).build()?)?;
    /// assert_eq!(PartId::from_u64(part.to_u64()), part);
    /// assert!(pricer.cost(part, PartId::from_u64(part.to_u64() + 1)).is_err());
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn from_u64(number: u64) -> PartId {
        let half = |bits: u64| u32::try_from(bits & u64::from(u32::MAX)).unwrap_or_default();
        PartId { pricer: half(number >> u32::BITS), number: half(number) }
    }
}

/// The work of a [`Pricer`] so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PricerStatistics {
    /// The number of different unit parts.
    pub parts: u64,
    /// The number of answers that are kept.
    pub kept: u64,
    /// The number of answers that were counted; two threads that need the same one at the same time may both
    /// count it.
    pub counted: u64,
}

impl Pricer {
    /// Returns an empty pricer that keeps the price of every pair.
    #[must_use]
    pub fn new(model: CostModel) -> Pricer {
        Pricer::with_most_answers(model, u64::MAX)
    }

    /// Returns an empty pricer that keeps about `most` answers, where the traffic of a pair, its cost and its
    /// busiest cost are separate answers; others are recomputed on every request.
    #[must_use]
    pub fn with_most_answers(model: CostModel, most: u64) -> Pricer {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Pricer {
            model,
            inside: [None, None],
            lacks: RwLock::default(),
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            parts: RwLock::default(),
            budget: PriceBudget::new(most),
            traffic: Memo::new(),
            cost: Memo::new(),
            busiest: Memo::new(),
        }
    }

    /// Sets the additional cost of a relayout in which elements change lanes: no movement does that, so a planner
    /// wants to avoid it. Parts then include lanes.
    ///
    /// Law: with any such price, the cost of two relayouts in a row is at least that of one that does both, if that
    /// holds without.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Machine, Placement};
    /// use tensor_layout::relayout::{CostModel, Pricer};
    /// let machine = Machine::mn_core_2();
    /// let pricer = Pricer::new(CostModel::new(&machine, 16)?).with_price_of_lanes(1000);
    /// let part = |text: &str| {
    ///     pricer.part(&Placement::of(text.parse().unwrap()).on(&machine).element_bits(16).build()?)
    /// };
    /// let rows = part("((4_PE, 8:1), (4_W))")?;
    /// assert_eq!(pricer.cost(rows, part("((4_PE, 2:1, 4_W), (4:2))")?)?.steps, 1000);
    /// assert_eq!(pricer.cost(rows, part("((4_PE, 2:1, 4:2), (4_W))")?)?.steps, 0);
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn with_price_of_lanes(mut self, steps: u64) -> Pricer {
        self.inside[0] = Some(steps);
        self
    }

    /// Sets the cost of a relayout in which only addresses change. Parts then include addresses, which are equal for
    /// [dense](crate::einsum::with_dense_addresses) layouts of equal units.
    ///
    /// Two relayouts in a row may cost less than one that does both, if moving to another unit and back costs less
    /// than this price.
    #[must_use]
    pub fn with_price_of_addresses(mut self, steps: u64) -> Pricer {
        self.inside[1] = Some(steps);
        self
    }

    /// Returns whether two relayouts in a row cost at least what one does that does both: the shares of units, rounded
    /// up, keep that only by movements.
    pub(crate) fn obeys_the_triangle(&self) -> bool {
        self.inside[1].is_none() && self.model.unit() == CostUnit::Cycles
    }

    /// The rates.
    #[must_use]
    pub fn model(&self) -> &CostModel {
        &self.model
    }

    /// The part of a placement, as a number: parts with equal numbers have equal prices to and from
    /// everything. A placement without an element width has that of the model.
    ///
    /// # Errors
    /// As [`UnitPart::of`]; `NotComparable` for a machine with other levels than the model prices; `TooLarge`
    /// from 2^32 parts on.
    pub fn part(&self, placement: &Placement) -> Result<PartId, LayoutError> {
        self.model.check(placement)?;
        let [lanes, addresses] = self.inside.map(|price| price.is_some());
        let mut part = UnitPart::with_inside(placement, lanes, addresses)?;
        part.element_bits.get_or_insert(self.model.element_bits);
        let known = self.known_parts().get_index_of(&part);
        let at = known.unwrap_or_else(|| {
            let mut parts = self.parts.write().unwrap_or_else(PoisonError::into_inner);
            parts.insert_full(Arc::new(part)).0
        });
        let too_large = |_| LayoutError::too_large(Site::Layout, "the number of parts");
        Ok(PartId { pricer: self.number, number: u32::try_from(at).map_err(too_large)? })
    }

    /// The traffic into and out of the units of every level, innermost first.
    ///
    /// # Errors
    /// As [`UnitPart::traffic_to`]; `Argument` for a part of another pricer.
    pub fn traffic(&self, from: PartId, to: PartId) -> Result<Arc<[LevelTraffic]>, LayoutError> {
        let pair = self.pair(from, to)?;
        self.traffic.get(&self.budget, pair, || {
            let [from, to] = self.parts_of(pair)?;
            from.traffic_to(&to).map(Arc::from)
        })
    }

    /// A lower bound on the steps that a relayout takes, as if all units had the same share.
    ///
    /// # Errors
    /// As [`traffic`](Pricer::traffic) and [`CostModel::at_least`].
    pub fn cost(&self, from: PartId, to: PartId) -> Result<Cost, LayoutError> {
        let pair = self.pair(from, to)?;
        self.cost.get(&self.budget, pair, || {
            let [from, to] = self.parts_of(pair)?;
            let across = self.model_of(&from, &to).at_least(&from.traffic_to(&to)?)?;
            self.with_changes_inside(across, &from, &to)
        })
    }

    /// The cost with the prices of changes inside units.
    fn with_changes_inside(
        &self,
        across: Cost,
        from: &UnitPart,
        to: &UnitPart,
    ) -> Result<Cost, LayoutError> {
        let (lanes, addresses) = from.changes_inside_by(to, |from, to| self.lacks(from, to))?;
        let changes = [lanes, addresses].into_iter().zip(self.inside);
        let added = changes.filter_map(|(changes, price)| price.filter(|_| changes));
        let added = added.fold(0, u64::saturating_add);
        let inside = (added > 0).then_some(Level::ADDR);
        let steps = across.steps.checked_add(added);
        let too_many = || LayoutError::too_large(Site::Layout, "the number of steps");
        Ok(Cost { steps: steps.ok_or_else(too_many)?, level: across.level.or(inside), ..across })
    }

    fn lacks(&self, from: &Arc<Layout>, to: &Arc<Layout>) -> Result<bool, LayoutError> {
        let pair = [from.clone(), to.clone()];
        let known = self.lacks.read().unwrap_or_else(PoisonError::into_inner).get(&pair).copied();
        if let Some(known) = known {
            return Ok(known);
        }
        let lacks = from.serves(to)?.is_some();
        self.lacks.write().unwrap_or_else(PoisonError::into_inner).insert(pair, lacks);
        Ok(lacks)
    }

    /// A lower bound on the steps that a relayout takes: until the busiest units have received and, in levels in
    /// which no element has copies on either side, sent everything. It is never less than [`cost`](Pricer::cost).
    ///
    /// # Errors
    /// As [`cost`](Pricer::cost) and [`Relayout::busiest`](crate::relayout::Relayout::busiest).
    pub fn busiest_cost(&self, from: PartId, to: PartId) -> Result<Cost, LayoutError> {
        let pair = self.pair(from, to)?;
        self.busiest.get(&self.budget, pair, || {
            let even = self.cost(from, to)?;
            let [from, to] = self.parts_of(pair)?;
            let [entered, left] = from.busiest_units(&to, |level| self.model.takes_steps(level))?;
            let busiest = self.model_of(&from, &to).of_busiest_units(&entered, &left)?;
            let busiest = self.with_changes_inside(busiest, &from, &to)?;
            Ok(if busiest.steps > even.steps { busiest } else { even })
        })
    }

    /// Statistics of the work so far.
    #[must_use]
    pub fn statistics(&self) -> PricerStatistics {
        PricerStatistics {
            parts: to_u64(self.known_parts().len()),
            kept: self.budget.kept.load(Ordering::Relaxed),
            counted: self.budget.counted.load(Ordering::Relaxed),
        }
    }

    fn known_parts(&self) -> RwLockReadGuard<'_, IndexSet<Arc<UnitPart>>> {
        self.parts.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rates, for the narrower elements of two parts.
    fn model_of(&self, from: &UnitPart, to: &UnitPart) -> Cow<'_, CostModel> {
        let bits = from.element_bits.min(to.element_bits).unwrap_or(self.model.element_bits);
        match bits == self.model.element_bits {
            true => Cow::Borrowed(&self.model),
            false => Cow::Owned(self.model.for_elements_of(bits)),
        }
    }

    /// Returns whether the elements of two parts have one width.
    pub(crate) fn are_as_wide(&self, a: PartId, b: PartId) -> Result<bool, LayoutError> {
        let [a, b] = self.parts_of(self.pair(a, b)?)?;
        Ok(a.element_bits == b.element_bits)
    }

    /// Both parts, if they were numbered here.
    fn pair(&self, from: PartId, to: PartId) -> Result<PartPair, LayoutError> {
        match [from.pricer, to.pricer] == [self.number; 2] {
            true => Ok((from.number, to.number)),
            false => Err(other_pricer()),
        }
    }

    fn parts_of(&self, (from, to): PartPair) -> Result<[Arc<UnitPart>; 2], LayoutError> {
        let parts = self.known_parts();
        let part = |number: u32| parts.get_index(to_index(u64::from(number))).cloned();
        let pair = part(from).zip(part(to)).map(|(from, to)| [from, to]);
        pair.ok_or_else(other_pricer)
    }
}

/// The traffic of the levels from every source to every destination, one row per source.
///
/// Each placement is analysed once, and each pair of equal [parts](UnitPart) is counted once.
/// Law: as [`Relayout::traffic`](crate::relayout::Relayout::traffic) of every pair.
///
/// # Errors
/// As [`UnitPart::of`] and [`UnitPart::traffic_to`].
///
/// # Example
/// ```
/// use tensor_layout::{Machine, Placement};
/// use tensor_layout::relayout::traffic_between;
/// let machine: Machine = "PE=4".parse()?;
/// let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
/// let layouts = [on("((4_PE, 3:8), (8:1))"), on("((12:2), (4_PE, 2:1))")];
/// let all = traffic_between(&layouts, &layouts)?;
/// assert_eq!((all[0][0][0].into, all[0][1][0].into), (0, 72));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn traffic_between(
    sources: &[Placement],
    destinations: &[Placement],
) -> Result<Vec<Vec<Vec<LevelTraffic>>>, LayoutError> {
    let mut parts = IndexSet::new();
    let mut numbers = |all: &[Placement]| -> Result<Vec<usize>, LayoutError> {
        all.iter().map(|placement| Ok(parts.insert_full(UnitPart::of(placement)?).0)).collect()
    };
    let (sources, destinations) = (numbers(sources)?, numbers(destinations)?);
    let mut known = HashMap::new();
    let mut traffic = |from: usize, to: usize| match known.entry((from, to)) {
        Entry::Occupied(known) => Ok(Vec::clone(known.get())),
        Entry::Vacant(entry) => Ok(entry.insert(parts[from].traffic_to(&parts[to])?).clone()),
    };
    let mut row = |from: usize| destinations.iter().map(|to| traffic(from, *to)).collect();
    sources.into_iter().map(&mut row).collect()
}

/// The numbers of two parts.
type PartPair = (u32, u32);

/// The number of answers that may be kept, and those that are.
#[derive(Debug)]
struct PriceBudget {
    most: u64,
    kept: AtomicU64,
    counted: AtomicU64,
}

impl PriceBudget {
    fn new(most: u64) -> PriceBudget {
        PriceBudget { most, kept: AtomicU64::new(0), counted: AtomicU64::new(0) }
    }
}

/// Answers about pairs, each worked out once.
#[derive(Debug)]
struct Memo<T> {
    shards: Box<[Shard<T>]>,
}

type Shard<T> = RwLock<HashMap<PartPair, Result<T, LayoutError>, BuildHasherDefault<PairHasher>>>;

/// Mixes two numbers that count from 0: nobody chooses them to collide.
#[derive(Clone, Copy, Debug, Default)]
struct PairHasher(u64);

impl Hasher for PairHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        // An odd constant without a pattern (the golden ratio); the upper bits are those that mixed most.
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl<T: Clone> Memo<T> {
    fn new() -> Memo<T> {
        Memo { shards: (0..SHARDS).map(|_| Shard::default()).collect() }
    }

    fn get(
        &self,
        budget: &PriceBudget,
        pair: PartPair,
        count: impl FnOnce() -> Result<T, LayoutError>,
    ) -> Result<T, LayoutError> {
        // Neighbouring pairs are in different shards.
        let at = to_index(u64::from(pair.0) * 31 + u64::from(pair.1)) % SHARDS;
        let shard = &self.shards[at];
        if let Some(known) = shard.read().unwrap_or_else(PoisonError::into_inner).get(&pair) {
            return known.clone();
        }
        // Counted without a lock: others go on meanwhile.
        let answer = count();
        budget.counted.fetch_add(1, Ordering::Relaxed);
        if budget.kept.load(Ordering::Relaxed) < budget.most {
            let mut known = shard.write().unwrap_or_else(PoisonError::into_inner);
            let is_new = known.insert(pair, answer.clone()).is_none();
            budget.kept.fetch_add(u64::from(is_new), Ordering::Relaxed);
        }
        answer
    }
}

fn other_pricer() -> LayoutError {
    fault!(Argument, "this part was numbered by another pricer")
}
