//! The cost of moving elements, in bytes, long words and steps of a machine.

use std::fmt;
use std::sync::Arc;

use itertools::Itertools;

use super::borders::{Border, borders, heaviest};
use super::uses::{Side, nodes, uses};
use super::ways::Ways;
use crate::error::{LayoutError, Site, fault};
use crate::level::Level;
use crate::machine::Machine;
use crate::placement::Placement;
use crate::relayout::busiest::share::Busiest;
use crate::relayout::count::traffic::fit;
use crate::relayout::count::traffic::{LevelTraffic, Traffic};
use crate::relayout::pair::{Distance, Relayout};
use crate::words::counted;

impl Traffic {
    /// Returns the traffic across the border of the units of a level; `None` if it is not in `levels`.
    #[must_use]
    pub fn level(&self, level: Level) -> Option<&LevelTraffic> {
        self.levels.iter().find(|found| found.level == level)
    }

    /// The number of destination copies that are not in place.
    #[must_use]
    pub fn moved(&self) -> u128 {
        let moved = self.by_distance.iter().filter(|(of, _)| *of != Distance::InPlace);
        moved.map(|(_, count)| u128::from(*count)).sum()
    }
}

/// The rates at which a machine moves elements: those of its [movements](Machine::movements), in cycles, or its
/// [bandwidth](Machine::bandwidth), in long words per step into or out of one unit.
///
/// Bandwidth that you supply takes precedence over movements. With movements, a cost is a lower bound on the cycles of
/// every [route](crate::route::Route): what has to enter or leave a unit does so by some movement, the cycles of
/// those that one movement cannot do together add up, and copying, distributing, picking and adding up have
/// their own rates.
///
/// ```
/// use tensor_layout::{Level, Machine, Placement};
/// use tensor_layout::relayout::{CostModel, Relayout};
/// let machine: Machine = "L2B=2,PE=4".parse()?;
/// let machine = machine.with_bandwidth([(Level::L2B, 8), (Level::PE, 1)])?;
/// let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build();
/// let relayout = Relayout::new(&on("((2_L2B, 4_PE, 64:1))")?, &on("((64:8, 4_PE:1, 2_L2B:1))")?)?;
/// let (traffic, model) = (relayout.traffic()?, CostModel::new(&machine, 16)?);
/// // 128 elements have to enter each L2B, 32 long words at 8 a step; 56 each PE, 14 words.
/// assert_eq!(traffic.level(Level::L2B).map(|l| l.into), Some(256));
/// let cost = model.at_least(&traffic.levels)?;
/// assert_eq!(cost.to_string(), "14 steps of PE");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CostModel {
    /// Every level, and every group at which a memory hangs.
    pub(crate) levels: Vec<LevelRates>,
    /// The borders of units, with what movements carry across; empty where levels have rates. Shared by models of other widths.
    pub(crate) borders: Arc<[Border]>,
    /// What movements take one after another; without legs where levels have rates.
    pub(crate) ways: Arc<Ways>,
    /// The rate at which a unit moves words within its memories.
    pub(crate) inside: Option<Rate>,
    pub(crate) in_sequence: bool,
    pub(crate) element_bits: u64,
    pub(crate) word_bits: u64,
}

/// The rates at which words enter and leave one unit of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct LevelRates {
    pub(crate) level: Level,
    /// The number of units in the machine.
    pub(crate) units: u64,
    pub(crate) into: Option<Rate>,
    pub(crate) out_of: Option<Rate>,
    /// The number of steps that a word takes across the border.
    pub(crate) latency: u64,
}

/// A number of long words per number of steps, such as 3 every 2 steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "(u64, u64)", try_from = "(u64, u64)"))]
pub struct Rate {
    pub(crate) words: u64,
    pub(crate) steps: u64,
}

impl Rate {
    /// Creates the rate of `words` long words every `steps` steps; `None` if either is 0.
    #[must_use]
    pub fn new(words: u64, steps: u64) -> Option<Rate> {
        (words > 0 && steps > 0).then_some(Rate { words, steps })
    }

    /// The number of steps for some long words, rounded up.
    fn steps_for(self, words: u128) -> Result<u64, LayoutError> {
        let steps = words.checked_mul(self.steps.into()).ok_or_else(too_many_steps)?;
        fit(steps.div_ceil(self.words.into()))
    }
}

fn too_many_steps() -> LayoutError {
    LayoutError::too_large(Site::Layout, "the number of steps")
}

/// The elements that one unit of a level receives and sends.
struct UnitExchange {
    level: Level,
    into: u64,
    out_of: u64,
}

/// A number of steps or cycles, and the level that takes most of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cost {
    /// The number, in the unit of the model.
    pub steps: u64,
    /// The level that takes the most; `None` if nothing moves.
    pub level: Option<Level>,
    /// The unit.
    #[cfg_attr(feature = "serde", serde(default))]
    pub unit: CostUnit,
}

/// The unit of a [`Cost`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum CostUnit {
    /// Steps, as [bandwidth](Machine::bandwidth) counts them.
    #[default]
    Steps,
    /// Cycles, as the rates of movements count them.
    Cycles,
}

impl CostUnit {
    /// The word for one: `step`, `cycle`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            CostUnit::Steps => "step",
            CostUnit::Cycles => "cycle",
        }
    }
}

impl fmt::Display for Cost {
    /// `896 steps of L2B`, `64 cycles of PE`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&counted(self.steps, self.unit.as_str()))?;
        self.level.map_or(Ok(()), |level| write!(f, " of {level}"))
    }
}

impl CostModel {
    /// Creates a model with the rates of a machine, for elements of a given width: its bandwidth or, if it has
    /// none, its movements.
    ///
    /// # Errors
    /// `Missing` where the machine has neither bandwidth for any level nor movements with rates.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Machine, Placement};
    /// use tensor_layout::relayout::{CostModel, Relayout};
    /// let machine = Machine::mn_core_2();
    /// let model = CostModel::new(&machine, 64)?;
    /// let on = |text: &str, memory: &str| {
    ///     Placement::of(text.parse().unwrap()).on(&machine).memory(memory).build().unwrap()
    /// };
    /// let whole = on("((8_L2B, 8_L1B, 4096:1))", "L1BM");
    /// let cost = |target: &str| model.at_least(&Relayout::new(&whole, &on(target, "LM0"))?.traffic()?.levels);
    /// // Each PE its own 64 of the 4096 words of an L1BM, by l1bmd: 64 a cycle.
    /// assert_eq!(cost("((8_L2B, 8_L1B, 16_MAB, 4_PE, 64:1))")?.steps, 64);
    /// // Each MAB all of them, its PEs a quarter each, by l1bmm: 8 a cycle.
    /// assert_eq!(cost("((8_L2B, 8_L1B, 4_PE, 1024:1); B@[MAB])")?.to_string(), "512 cycles of PE");
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    pub fn new(machine: &Machine, element_bits: u64) -> Result<CostModel, LayoutError> {
        let groups = machine.memories().map(|(_, memory)| memory.node());
        let all = machine.levels().map(|(level, _)| level).chain(groups).unique();
        let levels: Vec<LevelRates> = all.filter_map(|of| LevelRates::of(machine, of)).collect();
        let has_none = levels.iter().all(|rates| rates.into.is_none());
        let (nodes, uses) =
            if has_none { (nodes(machine), uses(machine)) } else { Default::default() };
        let borders: Arc<[Border]> = borders(machine, &nodes, &uses).into();
        let ways = Ways::new(machine, &nodes, &uses).into();
        if let Some(outermost) = levels.first().filter(|_| has_none && borders.is_empty()) {
            return Err(no_bandwidth(outermost.level));
        }
        let (word_bits, inside, in_sequence) = (machine.word_bits(), None, false);
        Ok(CostModel { levels, borders, ways, inside, in_sequence, element_bits, word_bits })
    }

    /// The unit of costs: cycles of movements, or steps of bandwidth.
    #[must_use]
    pub fn unit(&self) -> CostUnit {
        if self.borders.is_empty() { CostUnit::Steps } else { CostUnit::Cycles }
    }

    /// The levels that some traffic crosses without a rate: it costs nothing there, so the cost may be far below
    /// that of the machine.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Level, Machine, Placement};
    /// use tensor_layout::relayout::{CostModel, Relayout};
    /// let machine: Machine = "L2B=2,PE=4".parse()?;
    /// let machine = machine.with_bandwidth([(Level::PE, 1)])?;
    /// let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build();
    /// let traffic = Relayout::new(&on("((2_L2B, 4_PE, 8:1))")?, &on("((4_PE, 2_L2B, 8:1))")?)?.traffic()?;
    /// assert_eq!(CostModel::new(&machine, 16)?.without_rate(&traffic.levels), [Level::L2B]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn without_rate(&self, levels: &[LevelTraffic]) -> Vec<Level> {
        let crossed = levels.iter().filter(|of| of.into > 0 || of.out_of.unwrap_or(0) > 0);
        let unknown = crossed.filter(|of| of.level.is_unit() && !self.takes_steps(of.level));
        unknown.map(|of| of.level).collect()
    }

    /// The levels that some traffic crosses by movements with a figure that is not the maker's, or that have none
    /// and are taken for the fastest between their memories.
    #[must_use]
    pub fn second_hand(&self, levels: &[LevelTraffic]) -> Vec<Level> {
        let is_second_hand = |border: &&Border| !border.is_from_maker;
        let doubtful = self.borders.iter().filter(is_second_hand);
        let crossed = doubtful.filter(|border| {
            let at = levels.iter().find(|at| at.level == border.level);
            at.is_some_and(|at| border.crossing(at, levels).1 > 0)
        });
        crossed.map(|border| border.level).unique().collect()
    }

    /// Sets the rates at which long words enter and leave one unit of a level.
    ///
    /// # Errors
    /// `Unknown` for a level that the machine lacks.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Level, Machine, Placement};
    /// use tensor_layout::relayout::{CostModel, Rate, Relayout};
    /// let machine: Machine = "L2B=4".parse()?;
    /// let machine = machine.with_bandwidth([(Level::L2B, 4)])?;
    /// let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build();
    /// // One L2B has all 64 elements, 16 long words; 12 of them leave it, and 4 enter each of the others.
    /// let traffic = Relayout::new(&on("((1_L2B, 64:1))")?, &on("((4_L2B, 16:1))")?)?.traffic()?;
    /// let model = CostModel::new(&machine, 16)?;
    /// assert_eq!(model.at_least(&traffic.levels)?.steps, 3);
    /// let (into, out_of) = (Rate::new(4, 1).unwrap(), Rate::new(3, 2).unwrap());
    /// let model = model.with_rates(Level::L2B, into, out_of)?.with_latency(Level::L2B, 10)?;
    /// assert_eq!(model.at_least(&traffic.levels)?.steps, 8 + 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_rates(
        mut self,
        level: Level,
        into: Rate,
        out_of: Rate,
    ) -> Result<CostModel, LayoutError> {
        let rates = self.rates_mut(level)?;
        (rates.into, rates.out_of) = (Some(into), Some(out_of));
        Ok(self)
    }

    /// Sets the number of steps that a long word takes across the border of a unit of a level, regardless of
    /// the rate.
    ///
    /// The last word that crosses an outer level then crosses those inside it.
    ///
    /// # Errors
    /// As [`with_rates`](CostModel::with_rates).
    pub fn with_latency(mut self, level: Level, steps: u64) -> Result<CostModel, LayoutError> {
        self.rates_mut(level)?.latency = steps;
        Ok(self)
    }

    /// Sets the rate at which a unit moves long words within its memories, for
    /// [`of_traffic`](CostModel::of_traffic).
    #[must_use]
    pub fn with_moves_inside(mut self, rate: Rate) -> CostModel {
        self.inside = Some(rate);
        self
    }

    /// Makes levels work one after the other: their steps add up instead of overlapping.
    #[must_use]
    pub fn in_sequence(mut self) -> CostModel {
        self.in_sequence = true;
        self
    }

    /// A model with these rates for elements of another width.
    #[must_use]
    pub fn for_elements_of(&self, element_bits: u64) -> CostModel {
        CostModel { element_bits, ..self.clone() }
    }

    /// Returns an error for units of another number than the model prices.
    pub(crate) fn check(&self, placement: &Placement) -> Result<(), LayoutError> {
        let Some(machine) = placement.machine() else { return Ok(()) };
        let other = |(level, _): (Level, u64)| {
            let model = self.rates(level).map_or(0, |rates| rates.units);
            let given = machine.units_of(level)?;
            (given != model).then(|| {
                fault!(
                    NotComparable,
                    "`{level}` has {given} units in this machine, but {model} in that of the \
                     cost model",
                    [level, given, model]
                )
                .with_help("price it with a cost model of its own")
            })
        };
        machine.levels().find_map(other).map_or(Ok(()), Err)
    }

    /// Returns whether a level has a rate.
    fn has_rate(&self, level: Level) -> bool {
        self.rates(level).is_some_and(|rates| rates.into.is_some())
    }

    /// Returns whether a level has a rate, or a latency for the words that cross levels outside it.
    pub(crate) fn takes_steps(&self, level: Level) -> bool {
        self.has_rate(level)
            || self.rates(level).is_some_and(|rates| rates.latency > 0)
            || self.borders.iter().any(|border| border.level == level)
    }

    fn rates(&self, level: Level) -> Option<&LevelRates> {
        self.levels.iter().find(|rates| rates.level == level)
    }

    fn rates_mut(&mut self, level: Level) -> Result<&mut LevelRates, LayoutError> {
        if self.unit() == CostUnit::Cycles {
            return Err(fault!(
                Unsupported,
                "this model has the rates of the machine's movements, and none of \
                 `{level}` by itself",
                [level]
            ));
        }
        let known = self.levels.iter().map(|rates| rates.level).collect_vec();
        let found = self.levels.iter_mut().find(|rates| rates.level == level);
        found.ok_or_else(|| LayoutError::not_on_paths(level, &known))
    }

    /// The number of long words that some elements fill side by side, the last one rounded up.
    pub(crate) fn words(&self, elements: u64) -> u128 {
        self.bits(elements).div_ceil(u128::from(self.word_bits))
    }

    fn bits(&self, elements: u64) -> u128 {
        u128::from(elements) * u128::from(self.element_bits)
    }

    /// A lower bound on the steps that some traffic takes, levels innermost first: as if every unit that the
    /// source uses sent the same amount and every unit that the destination uses received the same amount,
    /// both at the same time. Levels without a rate, and `Time`, take no steps.
    /// With movements, it is the greater of two costs: that of the borders of units, and that of the cheapest way from
    /// memory to memory, on which each movement carries the whole tensor.
    ///
    /// Law: at most [`of_busiest`](CostModel::of_busiest) where the senders are known and every level has a rate.
    ///
    /// # Errors
    /// `TooLarge` for more steps than fit in 64 bits.
    pub fn at_least(&self, levels: &[LevelTraffic]) -> Result<Cost, LayoutError> {
        if self.unit() == CostUnit::Steps {
            return self.of_shares(levels.iter().filter_map(|level| self.even_share(level)));
        }
        self.of_movements(levels, false)
    }

    /// The greater of what borders take and what the whole way does; whether copies of the source have the same addresses.
    fn of_movements(&self, levels: &[LevelTraffic], in_step: bool) -> Result<Cost, LayoutError> {
        let cost = self.of_borders(|border| {
            let at = levels.iter().find(|at| at.level == border.level)?;
            Some((border.crossing(at, levels), at.adds))
        })?;
        let way = self.ways.cycles(levels, in_step, |elements| self.words(elements)).unwrap_or(0);
        Ok(Cost { steps: cost.steps.max(way), ..cost })
    }

    /// The cycles of what crosses each border, of one unit and of all, and whether it adds up.
    fn of_borders(
        &self,
        crossing: impl Fn(&Border) -> Option<((u64, u64), bool)>,
    ) -> Result<Cost, LayoutError> {
        let cycles = |border| {
            let ((each, all), adds) = crossing(border)?;
            let cycles = border.cycles((self.words(each), self.words(all)), adds);
            Some(cycles.ok_or_else(too_many_steps).map(|cycles| (border, cycles)))
        };
        let costs: Vec<_> = self.borders.iter().filter_map(cycles).try_collect()?;
        let (steps, level) =
            heaviest(costs).map_or((0, None), |(steps, level)| (steps, Some(level)));
        Ok(Cost { steps, level, unit: self.unit() })
    }

    /// A lower bound on the steps that some traffic takes, including moves within units, whose level is
    /// `Addr`: at the rate that [was given](CostModel::with_moves_inside) or, with movements, at the greatest ones by
    /// which words leave such a memory and come back.
    ///
    /// With movements, it is at least [`at_least`](CostModel::at_least), which prices parts of any addresses: here the copies of
    /// a source have equal ones, so that all units send the same words at the same time.
    ///
    /// # Errors
    /// As [`at_least`](CostModel::at_least).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Level, Machine, Placement};
    /// use tensor_layout::relayout::{CostModel, Rate, Relayout};
    /// let machine: Machine = "PE=4".parse()?;
    /// let machine = machine.with_bandwidth([(Level::PE, 1)])?;
    /// let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build();
    /// let traffic = Relayout::new(&on("((4_PE, 8:4), (4:1))")?, &on("((4_PE, 8:1), (4:8))")?)?.traffic()?;
    /// let model = CostModel::new(&machine, 64)?;
    /// assert_eq!(model.of_traffic(&traffic)?.steps, 0);
    /// // Of the 32 long words of each PE all but the first and the last move, one every two steps.
    /// let model = model.with_moves_inside(Rate::new(1, 2).unwrap());
    /// assert_eq!(model.of_traffic(&traffic)?.to_string(), "60 steps of Addr");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_traffic(&self, traffic: &Traffic) -> Result<Cost, LayoutError> {
        let across = match self.unit() {
            CostUnit::Steps => self.at_least(&traffic.levels)?,
            CostUnit::Cycles => self.of_movements(&traffic.levels, true)?,
        };
        let moved =
            traffic.count(Distance::Address).saturating_add(traffic.count(Distance::Memory));
        let innermost = traffic.levels.iter().find(|level| level.level != Level::TIME);
        let units = innermost.map_or(1, |level| level.receivers.max(1));
        let words = self.words(moved.div_ceil(units));
        let at = |side: Side| {
            let level = innermost.map(|of| of.level);
            self.borders.iter().find(|b| b.side == side && Some(b.level) == level)
        };
        // No movement leads from a memory to itself: what changes its address leaves and comes back.
        let cycles = |side: Side| match at(side) {
            Some(border) => border.cycles((words, 0), false).ok_or_else(too_many_steps),
            None => Ok(0),
        };
        let steps = match self.inside {
            Some(rate) => rate.steps_for(words)?,
            None => cycles(Side::Departing)?
                .checked_add(cycles(Side::Arriving)?)
                .ok_or_else(too_many_steps)?,
        };
        let level = (steps > 0).then_some(Level::ADDR);
        self.together(across, Cost { steps, level, unit: self.unit() })
    }

    /// A lower bound on the steps that a pair takes, as [`of_traffic`](CostModel::of_traffic) of its traffic; in a cast,
    /// what stays in its unit is free, since the unit regroups its lanes by itself.
    ///
    /// # Errors
    /// As [`at_least`](CostModel::at_least).
    pub fn of_pair(&self, pair: &Relayout, traffic: &Traffic) -> Result<Cost, LayoutError> {
        if pair.is_cast() { self.at_least(&traffic.levels) } else { self.of_traffic(traffic) }
    }

    /// The steps until the busiest units have received and sent everything, levels innermost first.
    ///
    /// # Errors
    /// `Missing` for a level without a rate; as [`at_least`](CostModel::at_least).
    pub fn of_busiest(&self, entered: &[Busiest], left: &[Busiest]) -> Result<Cost, LayoutError> {
        let mut levels = entered.iter().chain(left).map(|busiest| busiest.level);
        match levels.find(|level| !self.has_rate(*level)) {
            Some(level) => Err(no_bandwidth(level)),
            None => self.of_busiest_units(entered, left),
        }
    }

    /// As [`of_busiest`](CostModel::of_busiest); a level without a rate only has its latency.
    pub(crate) fn of_busiest_units(
        &self,
        entered: &[Busiest],
        left: &[Busiest],
    ) -> Result<Cost, LayoutError> {
        let levels = entered.iter().chain(left).map(|busiest| busiest.level).unique();
        let of = |all: &[Busiest], level: Level| {
            all.iter()
                .filter(|busiest| busiest.level == level)
                .map(|b| b.elements)
                .max()
                .unwrap_or(0)
        };
        if self.unit() == CostUnit::Cycles {
            return self.of_borders(|border| match border.side {
                Side::Into => Some(((of(entered, border.level), 0), false)),
                Side::OutOf => Some(((of(left, border.level), 0), false)),
                Side::Arriving | Side::Departing => None,
            });
        }
        let share =
            |level| UnitExchange { level, into: of(entered, level), out_of: of(left, level) };
        self.of_shares(levels.map(share))
    }

    /// The even share of the units that take part; `None` for a level that the machine lacks.
    fn even_share(&self, traffic: &LevelTraffic) -> Option<UnitExchange> {
        let units = self.rates(traffic.level)?.units;
        let each = |count: u64, among: u64| count.div_ceil(among.clamp(1, units));
        Some(UnitExchange {
            level: traffic.level,
            into: each(traffic.into, traffic.receivers),
            out_of: each(traffic.out_of.unwrap_or(0), traffic.senders),
        })
    }

    /// The slowest of some levels, innermost first, or all of them one after the other.
    fn of_shares(&self, shares: impl Iterator<Item = UnitExchange>) -> Result<Cost, LayoutError> {
        let (mut cost, mut latency) = (Cost::default(), 0_u64);
        for share in shares {
            let Some(rates) = self.rates(share.level) else { continue };
            // In a sequence, each level adds its own.
            latency = if self.in_sequence { 0 } else { latency };
            latency = latency.checked_add(rates.latency).ok_or_else(too_many_steps)?;
            let steps = rates.steps(self.words(share.into), self.words(share.out_of))?;
            let steps = if steps > 0 { steps.checked_add(latency) } else { Some(0) };
            let steps = steps.ok_or_else(too_many_steps)?;
            let level = (steps > 0).then_some(share.level);
            cost = self.together(cost, Cost { steps, level, unit: CostUnit::Steps })?;
        }
        Ok(cost)
    }

    /// The slower of two, or both one after the other.
    fn together(&self, a: Cost, b: Cost) -> Result<Cost, LayoutError> {
        let slower = if b.steps > a.steps { b } else { a };
        match self.in_sequence {
            false => Ok(slower),
            true => {
                let steps = a.steps.checked_add(b.steps).ok_or_else(too_many_steps)?;
                Ok(Cost { steps, ..slower })
            }
        }
    }
}

impl LevelRates {
    /// The bandwidth of a machine in a level, the same in both directions.
    fn of(machine: &Machine, level: Level) -> Option<LevelRates> {
        let rate = machine.bandwidth(level).and_then(|words| Rate::new(words, 1));
        let units = machine.units_of(level)?;
        Some(LevelRates { level, units, into: rate, out_of: rate, latency: 0 })
    }

    /// The number of steps until these words have entered and left one unit, both at the same time.
    fn steps(&self, into: u128, out_of: u128) -> Result<u64, LayoutError> {
        let of = |rate: Option<Rate>, words| rate.map_or(Ok(0), |rate| rate.steps_for(words));
        Ok(of(self.into, into)?.max(of(self.out_of, out_of)?))
    }
}

fn no_bandwidth(level: Level) -> LayoutError {
    fault!(Missing, "the rate into the units of `{level}` is not known", [level])
        .with_help("give it under `[bandwidth]` in the machine's file, as in `{level} = 8`")
}
