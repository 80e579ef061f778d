//! What moving costs: elements as bytes, long words and steps of a machine.

use std::fmt;

use itertools::Itertools;

use super::refuse::fit;
use super::share::Busiest;
use super::traffic::{LevelTraffic, Traffic};
use crate::error::{LayoutError, RelayoutFault};
use crate::level::Level;
use crate::machine::Machine;
use crate::words::counted;

impl Traffic {
    /// What crosses the border of the units of a level.
    #[must_use]
    pub fn level(&self, level: Level) -> Option<&LevelTraffic> {
        self.levels.iter().find(|found| found.level == level)
    }

    /// The number of destination copies that are not in place.
    #[must_use]
    pub fn moved(&self) -> u128 {
        let moved = self.by_distance.iter().filter(|(of, _)| *of != super::Distance::InPlace);
        moved.map(|(_, count)| u128::from(*count)).sum()
    }
}

/// What it takes to move elements over a machine, in long words per step into or out of one unit.
///
/// The rates are the machine's [bandwidth](Machine::bandwidth), which its maker or you give: the
/// presets have none.
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
    /// Every level, and every group at which a memory hangs: all its units, and the rate of one of them.
    levels: Vec<(Level, u64, Option<u64>)>,
    element_bits: u64,
    word_bits: u64,
}

/// How long something takes, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cost {
    /// The number of steps.
    pub steps: u64,
    /// The level that takes them; `None` if nothing moves.
    pub level: Option<Level>,
}

impl fmt::Display for Cost {
    /// `896 steps of L2B`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&counted(self.steps, "step"))?;
        self.level.map_or(Ok(()), |level| write!(f, " of {level}"))
    }
}

impl CostModel {
    /// The rates of a machine, for elements of a width.
    ///
    /// # Errors
    /// [`Relayout`](LayoutError::Relayout) where the machine lacks the bandwidth of every level.
    pub fn new(machine: &Machine, element_bits: u64) -> Result<CostModel, LayoutError> {
        let groups = machine.memories().map(|(_, memory)| memory.node());
        let nodes = machine.levels().map(|(level, _)| level).chain(groups).unique();
        let nodes = nodes.filter_map(|of| Some((of, machine.units_of(of)?, machine.bandwidth(of))));
        let levels: Vec<_> = nodes.collect();
        match levels.iter().find(|_| levels.iter().all(|(.., rate)| rate.is_none())) {
            Some((level, ..)) => Err(no_bandwidth(*level)),
            None => Ok(CostModel { levels, element_bits, word_bits: machine.word_bits() }),
        }
    }

    /// The levels that have a rate.
    pub(super) fn levels(&self) -> impl Iterator<Item = Level> + '_ {
        self.levels.iter().filter(|(.., rate)| rate.is_some()).map(|(level, ..)| *level)
    }

    /// The bytes of some elements, the last one rounded up.
    #[must_use]
    pub fn bytes(&self, elements: u64) -> u128 {
        self.bits(elements).div_ceil(8)
    }

    /// The long words of some elements side by side, the last one rounded up.
    #[must_use]
    pub fn words(&self, elements: u64) -> u128 {
        self.bits(elements).div_ceil(u128::from(self.word_bits))
    }

    fn bits(&self, elements: u64) -> u128 {
        u128::from(elements) * u128::from(self.element_bits)
    }

    /// The steps that some traffic takes at least: as if every unit had the same share, and all
    /// levels worked at the same time, both ways. Levels without a rate, and `Time`, take none.
    ///
    /// # Errors
    /// [`TooLarge`](LayoutError::TooLarge) for more steps than 64 bits count.
    pub fn at_least(&self, levels: &[LevelTraffic]) -> Result<Cost, LayoutError> {
        let crosses = |level: &LevelTraffic| level.into.max(level.out_of.unwrap_or(0));
        self.of_all(levels.iter().map(|level| (level.level, crosses(level))))
    }

    /// The steps for elements that enter, or leave, the units of some levels.
    ///
    /// # Errors
    /// As [`at_least`](CostModel::at_least).
    pub fn of_all(
        &self,
        into: impl IntoIterator<Item = (Level, u64)>,
    ) -> Result<Cost, LayoutError> {
        let shares = into.into_iter().filter_map(|(level, into)| {
            let (_, units, rate) = self.levels.iter().find(|(of, ..)| *of == level)?;
            Some((level, into.div_ceil(*units), (*rate)?))
        });
        slowest(shares.map(|(level, into, rate)| (level, self.words(into), rate)))
    }

    /// The steps until the busiest units are done.
    ///
    /// # Errors
    /// [`Relayout`](LayoutError::Relayout) for a level without a rate; as
    /// [`at_least`](CostModel::at_least).
    pub fn of_busiest(&self, busiest: &[Busiest]) -> Result<Cost, LayoutError> {
        let with_rate = |busiest: &Busiest| {
            let level = busiest.level;
            let found = self.levels.iter().find(|(of, ..)| *of == level);
            let rate = found.and_then(|(.., rate)| *rate).ok_or_else(|| no_bandwidth(level))?;
            Ok((level, self.words(busiest.into), rate))
        };
        let all: Vec<_> = busiest.iter().map(with_rate).collect::<Result<_, LayoutError>>()?;
        slowest(all)
    }
}

fn no_bandwidth(level: Level) -> LayoutError {
    LayoutError::Relayout(RelayoutFault::NoBandwidth { level })
}

/// The slowest of some levels with their long words and rates.
fn slowest(levels: impl IntoIterator<Item = (Level, u128, u64)>) -> Result<Cost, LayoutError> {
    let mut cost = Cost::default();
    for (level, words, rate) in levels {
        let steps = fit(words.div_ceil(u128::from(rate.max(1))))?;
        if steps > cost.steps {
            cost = Cost { steps, level: Some(level) };
        }
    }
    Ok(cost)
}
