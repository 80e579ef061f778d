//! The options, checked, as the rules of a space.

use std::ops::RangeInclusive;
use std::sync::Arc;

use itertools::Itertools;

use super::candidate::Setting;
use super::options::{Candidates, Orders, Side};
use crate::algebra::Subaxis;
use crate::error::{LayoutError, Site, fault};
use crate::level::Level;
use crate::machine::Memory;
use crate::placement::check_known;

/// The most units of a level that is cut into pieces: divisors are found by trial.
const MOST_UNITS_CUT: u64 = 1 << 12;

/// The rules that a walk follows.
#[derive(Clone, Debug)]
pub(super) struct Space {
    pub(super) setting: Arc<Setting>,
    pub(super) axes: Vec<AxisRule>,
    pub(super) levels: Vec<LevelRule>,
    pub(super) major: bool,
    pub(super) minor: bool,
    /// The axes that are cut into slices with their digits, the outermost in time first; none for no slices.
    pub(super) times: Vec<Vec<(usize, Subaxis)>>,
    pub(super) alignment: u64,
    /// The most words of a unit, the base not counted.
    pub(super) capacity: u64,
    pub(super) padding_percent: u64,
    pub(super) elements: u128,
    pub(super) orders: Orders,
    pub(super) tree_order: bool,
    /// The units of the memory, or the leaves, that a level left out does not cut down.
    pub(super) units: u64,
}

/// The constraints on an axis.
#[derive(Clone, Debug)]
pub(super) struct AxisRule {
    pub(super) extent: u64,
    /// The last words that stay together, 1 where none have to.
    pub(super) block: u64,
    never: Vec<Level>,
    fixed: Option<Vec<Level>>,
}

/// The ways to cut a level, and the constraints on its pieces.
#[derive(Clone, Debug)]
pub(super) struct LevelRule {
    pub(super) level: Level,
    pub(super) units: u64,
    /// The number that one step of the innermost piece adds to the coordinate.
    pub(super) stride: u64,
    /// The sizes of the pieces, outermost first.
    pub(super) cuts: Vec<Vec<u64>>,
    /// True if pieces may split axes at all.
    pub(super) splits: bool,
    /// True if every piece must split an axis.
    pub(super) must_split: bool,
    /// True if a piece that splits no axis holds copies; else only unit 0 is used.
    pub(super) copies: bool,
}

impl AxisRule {
    /// Returns whether a level may have pieces here.
    pub(super) fn allows(&self, level: Level) -> bool {
        let fixed = self.fixed.as_ref().is_none_or(|fixed| fixed.contains(&level));
        self.extent > 1 && fixed && !self.never.contains(&level)
    }

    /// Returns whether a level must have a piece here.
    pub(super) fn wants(&self, level: Level) -> bool {
        self.fixed.as_ref().is_some_and(|fixed| fixed.contains(&level))
    }
}

fn refused<T>(option: &'static str, fault: LayoutError) -> Result<T, LayoutError> {
    Err(fault.of_task(format!("invalid value for `{option}`")))
}

fn outside(given: u64, range: RangeInclusive<u64>) -> LayoutError {
    let (least, most) = range.into_inner();
    fault!(Argument, "got {given}, expected {least} to {most}", [given, least, most])
}

fn empty() -> LayoutError {
    fault!(Argument, "the list is empty; it needs at least one entry")
}

fn zero() -> LayoutError {
    fault!(Argument, "0 (it must be at least 1)")
}

impl Space {
    pub(super) fn new(options: &Candidates) -> Result<Space, LayoutError> {
        check_numbers(options)?;
        let lanes = lanes(options)?;
        let Candidates { machine, memory, element_bits, base, .. } = options.clone();
        let setting = Arc::new(Setting { machine, memory, element_bits, base });
        let memory = setting.memory.as_deref();
        let memory = memory.map(|name| setting.machine.memory(name)).transpose()?;
        let known = KnownLevels { options, lanes };
        let levels = known.rules(memory)?;
        let capacity = memory.and_then(|memory| memory.capacity).unwrap_or(u64::MAX);
        let capacity = match capacity.checked_sub(base) {
            Some(0) | None => {
                return refused("base", fault!(Argument, "it leaves the memory without addresses"));
            }
            Some(capacity) => capacity,
        };
        let elements = options.shape.iter().map(|extent| u128::from(*extent));
        let units = levels.iter().filter(|rule| rule.level.is_unit() && rule.copies);
        Ok(Space {
            setting,
            axes: axes(options, &known)?,
            major: options.sides.contains(&Side::Major),
            minor: options.sides.contains(&Side::Minor),
            times: times(options),
            alignment: options.alignment,
            capacity: capacity.min(options.capacity_words.unwrap_or(u64::MAX)),
            padding_percent: options.padding_percent,
            elements: elements.fold(1, u128::saturating_mul),
            orders: options.orders,
            tree_order: options.tree_order,
            units: units.map(|rule| rule.units).product(),
            levels: levels.into_iter().filter(|rule| rule.units > 1).collect(),
        })
    }

    /// Returns whether `slots` slots hold too much padding.
    pub(super) fn is_too_padded(&self, slots: u128) -> bool {
        let pads = slots.saturating_sub(self.elements);
        pads.saturating_mul(100) > slots.saturating_mul(u128::from(self.padding_percent))
    }
}

/// Options that are checked without the machine.
fn check_numbers(options: &Candidates) -> Result<(), LayoutError> {
    let faults: [(_, fn() -> LayoutError, _); 8] = [
        ("sides", empty, options.sides.is_empty()),
        ("levels", empty, options.levels.as_ref().is_some_and(Vec::is_empty)),
        ("time", empty, options.time.is_empty()),
        ("time", zero, options.time.contains(&0)),
        ("alignment", zero, options.alignment == 0),
        ("capacity_words", zero, options.capacity_words == Some(0)),
        ("level_parts", zero, options.level_parts == 0),
        ("time_axes", zero, options.time_axes == 0),
    ];
    if let Some((option, fault, _)) = faults.into_iter().find(|(_, _, is_fault)| *is_fault) {
        return refused(option, fault());
    }
    let longest = options.time.iter().copied().max().unwrap_or(1);
    if options.time_axes > 1 && longest > MOST_UNITS_CUT {
        let fault = outside(longest, 1..=MOST_UNITS_CUT);
        return refused("time", fault);
    }
    if options.padding_percent > 100 {
        let fault = outside(options.padding_percent, 0..=100);
        return refused("padding_percent", fault);
    }
    match &options.contiguous[..] {
        [(_, 0)] => refused("contiguous", zero()),
        [(a, _), (b, _), ..] => refused(
            "contiguous",
            fault!(Argument, "axis {a} and axis {b} cannot both be innermost", [a = *a, b = *b]),
        ),
        _ => Ok(()),
    }
}

/// The lanes of a long word, 1 where the width of an element is not given.
fn lanes(options: &Candidates) -> Result<u64, LayoutError> {
    let Some(bits) = options.element_bits else { return Ok(1) };
    let most = options.machine.word_bits();
    match most.checked_div(bits) {
        None | Some(0) => refused("element_bits", outside(bits, 1..=most)),
        Some(lanes) => Ok(lanes),
    }
}

/// The slices as choices: none, then each number over each axis, then over several.
fn times(options: &Candidates) -> Vec<Vec<(usize, Subaxis)>> {
    let allowed = |axis: usize| !options.never.contains(&(axis, Level::TIME));
    let axes = options.shape.iter().enumerate().filter(|(_, extent)| **extent > 1);
    let axes: Vec<usize> = axes.map(|(axis, _)| axis).filter(|axis| allowed(*axis)).collect();
    let slices = options.time.iter().copied().sorted_unstable().dedup();
    let cut = |slices: u64| match slices {
        1 => vec![vec![]],
        _ => cuts(slices, options.time_axes.min(axes.len())),
    };
    let over_axes = |sizes: Vec<u64>| {
        let all = axes.iter().copied().permutations(sizes.len());
        all.map(move |axes| sliced(&axes, &sizes)).collect_vec()
    };
    slices.flat_map(cut).flat_map(over_axes).collect()
}

/// The digits of time, outermost first, each with its axis.
fn sliced(axes: &[usize], sizes: &[u64]) -> Vec<(usize, Subaxis)> {
    let mut stride = 1;
    let digits = axes.iter().zip(sizes).rev().map(|(axis, size)| {
        let digit = Subaxis::land(*size, Level::TIME, stride);
        stride *= size;
        (*axis, digit)
    });
    let mut digits = digits.collect_vec();
    digits.reverse();
    digits
}

fn axes(options: &Candidates, known: &KnownLevels<'_>) -> Result<Vec<AxisRule>, LayoutError> {
    let rule =
        |extent: &u64| AxisRule { extent: *extent, block: 1, never: Vec::new(), fixed: None };
    let mut rules: Vec<AxisRule> = options.shape.iter().map(rule).collect();
    for (axis, level) in &options.never {
        if *level != Level::TIME {
            known.check("never", *level)?;
        }
        rule_of(&mut rules, "never", *axis)?.never.push(*level);
    }
    for (axis, levels) in &options.fixed {
        levels.iter().try_for_each(|level| known.check("fixed", *level))?;
        if rule_of(&mut rules, "fixed", *axis)?.fixed.replace(levels.clone()).is_some() {
            return refused(
                "fixed",
                fault!(Argument, "axis {axis} is fixed twice", [axis = *axis]),
            );
        }
    }
    for (axis, run) in &options.contiguous {
        rule_of(&mut rules, "contiguous", *axis)?.block = *run;
    }
    Ok(rules)
}

fn rule_of<'r>(
    rules: &'r mut [AxisRule],
    option: &'static str,
    axis: usize,
) -> Result<&'r mut AxisRule, LayoutError> {
    let rank = rules.len();
    match rules.get_mut(axis) {
        Some(rule) => Ok(rule),
        None => refused(
            option,
            fault!(
                Argument,
                "axis {axis} does not exist: the tensor has rank {rank}",
                [axis, rank]
            ),
        ),
    }
}

/// The levels that options may name.
struct KnownLevels<'a> {
    options: &'a Candidates,
    lanes: u64,
}

impl KnownLevels<'_> {
    fn check(&self, option: &'static str, level: Level) -> Result<(), LayoutError> {
        let Candidates { machine, element_bits, .. } = self.options;
        match level {
            Level::W if element_bits.is_none() => refused(
                "element_bits",
                fault!(Argument, "give it before you name `W`: it says how many lanes a word has"),
            ),
            Level::W => Ok(()),
            _ if level.is_unit() => Ok(check_known(Some(machine), level, Site::Layout)?),
            _ => refused(
                option,
                fault!(
                    Argument,
                    "`{level}` does not consist of units, so no axis can be split over it",
                    [level]
                ),
            ),
        }
    }

    /// One rule per level of the memory, lanes last.
    fn rules(&self, memory: Option<Memory>) -> Result<Vec<LevelRule>, LayoutError> {
        let Candidates { machine, levels, without_copies_in: split, .. } = self.options;
        levels.iter().flatten().try_for_each(|level| self.check("levels", *level))?;
        split.iter().try_for_each(|level| self.check("split", *level))?;
        let leaf = machine.levels().last().map(|(level, _)| level);
        let owner = memory.map(|memory| memory.owner);
        let group = memory.map_or(1, |memory| memory.group);
        let at_leaves = owner.is_none_or(|owner| Some(owner) == leaf) && group == 1;
        let last = owner.and_then(|owner| machine.depth(owner)).unwrap_or(usize::MAX);
        let mut rules = Vec::new();
        for (level, size) in machine.levels().take(last.saturating_add(1)) {
            let stride = if Some(level) == owner { group } else { 1 };
            rules.push(self.rule(level, size.div_ceil(stride), stride, at_leaves));
        }
        rules.push(self.rule(Level::W, self.lanes, 1, true));
        let large =
            rules.iter().find(|rule| rule.units > MOST_UNITS_CUT && self.options.level_parts > 1);
        if let Some(LevelRule { level, units, .. }) = large {
            let fault = fault!(
                Argument,
                "`{level}` has {units} units, too many to be cut into parts; the limit is {most}",
                [level = *level, units = *units, most = MOST_UNITS_CUT]
            );
            return refused("level_parts", fault);
        }
        for rule in &mut rules {
            let parts = if rule.splits { self.options.level_parts } else { 1 };
            rule.cuts = cuts(rule.units, parts);
        }
        let fixed = self.options.fixed.iter().flat_map(|(_, levels)| levels);
        let fixed = fixed.filter(|level| level.is_unit());
        let named = split.iter().map(|level| ("split", level));
        let mut named = named.chain(fixed.map(|level| ("fixed", level)));
        match named.find(|(_, level)| !rules.iter().any(|rule| rule.level == **level)) {
            Some((option, level)) => {
                refused(option, fault!(Argument, "`{level}` is below the memory", [level = *level]))
            }
            None => Ok(rules),
        }
    }

    fn rule(&self, level: Level, units: u64, stride: u64, copies: bool) -> LevelRule {
        let Candidates { levels, without_copies_in: split, replicate, .. } = self.options;
        let splits = levels.as_ref().is_none_or(|levels| levels.contains(&level));
        let must_split = split.contains(&level) || (splits && !replicate);
        LevelRule { level, units, stride, cuts: Vec::new(), splits, must_split, copies }
    }
}

/// The ways to write a number as a product of at most `most` sizes of at least 2, in order; the
/// number itself first.
fn cuts(units: u64, most: usize) -> Vec<Vec<u64>> {
    let mut all = vec![vec![units]];
    if most > 1 {
        for head in divisors(units) {
            let tails = cuts(units / head, most - 1);
            all.extend(tails.into_iter().map(|tail| [&[head][..], &tail].concat()));
        }
    }
    all
}

/// The divisors between 1 and the number, both exclusive.
fn divisors(number: u64) -> Vec<u64> {
    let low = (2..).take_while(|d| d * d <= number).filter(|d| number.is_multiple_of(*d));
    let low: Vec<u64> = low.collect();
    let high = low.iter().rev().map(|d| number / d).filter(|d| d * d > number);
    low.iter().copied().chain(high).collect()
}

#[cfg(test)]
mod tests {
    use super::cuts;

    #[test]
    fn cuts_are_ordered_products() {
        assert_eq!(cuts(12, 1), [[12]]);
        assert_eq!(cuts(12, 2), [vec![12], vec![2, 6], vec![3, 4], vec![4, 3], vec![6, 2]]);
        assert!(cuts(12, 3).contains(&vec![2, 3, 2]));
        assert_eq!(cuts(16, 9).len(), 8);
        assert_eq!(cuts(7, 3), [[7]]);
    }
}
