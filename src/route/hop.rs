//! A hop: one movement between two layouts, and its traffic.

use super::hand::Hand;
use super::usual::words;
use crate::algebra::Layout;
use crate::error::LayoutError;
use crate::level::Level;
use crate::machine::{Movement, MovementKind};
use crate::placement::Placement;
use crate::relayout::{Distance, Relayout};
use crate::text::PadLayout;

/// One hop of a route.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hop {
    /// The movement; `None` on a machine without movements.
    pub movement: Option<Movement>,
    /// The effect on the units below, in this direction.
    pub kind: Option<MovementKind>,
    /// The placement of the tensor before the hop.
    pub source: Placement,
    /// The placement of the tensor after the hop.
    pub target: Placement,
    /// The map of places: an axis per level that the source uses, in the order of [`Level`], into the
    /// levels of the target. Addresses count from the first one of either side.
    pub map: Option<Layout>,
    /// The number of long words that pass through the upper memory, summed over the units that are named one
    /// after another. Only long words with elements count; padding counts too where strides overlap and there
    /// are more than 2^16 places.
    pub upper_words: u64,
    /// The most long words that pass any lower memory.
    pub lower_words: u64,
    /// The least number of cycles at the rates of the movement, where a rate is known.
    pub cycles: Option<u64>,
    /// The [`cycles`](Hop::cycles) or, where no rate is known, those at the greatest rate of the movements between the
    /// same memories; 0 without one.
    pub at_least: u64,
    /// As [`cycles`](Hop::cycles) or, where no rate is known, at the least one of the movements between the same
    /// memories: routes are compared by it, so that a known rate takes precedence over the hope of a better one.
    pub(super) compared: u64,
}

impl Hop {
    pub(super) fn new(
        hand: &Hand,
        map: Layout,
        source: &Placement,
        target: &Placement,
    ) -> Result<Hop, LayoutError> {
        let (upper, lower) = words(hand, source.with_copies(), target.with_copies())?;
        let known = hand.movement.rates;
        let [most, least] = source.machine().map_or([known; 2], |machine| {
            [machine.rates_at_most(hand.movement), machine.rates_at_least(hand.movement)]
        });
        let cycles = |rates| least_cycles(hand, rates, (source, target), (upper, lower));
        Ok(Hop {
            movement: Some(hand.movement.clone()),
            kind: Some(hand.kind),
            source: source.clone(),
            target: target.clone(),
            map: Some(map),
            upper_words: upper,
            lower_words: lower,
            cycles: cycles(known)?,
            at_least: cycles(most)?.unwrap_or(0),
            compared: cycles(least)?.unwrap_or(0),
        })
    }

    /// A hop on a machine whose movements are not known.
    pub(super) fn unknown(source: &Placement, target: &Placement) -> Result<Hop, LayoutError> {
        let words = |placement: &Placement| {
            let taken = placement.with_copies().taken_in(Level::ADDR);
            taken.map(|(number, _)| number)
        };
        let (upper, lower) = match count_of_memories(source) <= count_of_memories(target) {
            true => (source, target),
            false => (target, source),
        };
        Ok(Hop {
            movement: None,
            kind: None,
            source: source.clone(),
            target: target.clone(),
            map: None,
            upper_words: words(upper)?,
            lower_words: words(lower)?,
            cycles: None,
            at_least: 0,
            compared: 0,
        })
    }

    /// The map as text.
    #[must_use]
    pub fn map_text(&self) -> Option<String> {
        self.map.as_ref().map(text)
    }

    /// Returns whether the rates are the maker's.
    #[must_use]
    pub fn is_from_maker(&self) -> bool {
        self.movement.as_ref().is_some_and(|movement| movement.from_maker)
    }

    /// The addresses that the movement reads, from the first to one past the last.
    #[must_use]
    pub fn reads(&self) -> (u64, u64) {
        addresses(&self.source)
    }

    /// The addresses that the movement writes, from the first to one past the last.
    #[must_use]
    pub fn writes(&self) -> (u64, u64) {
        addresses(&self.target)
    }

    /// The least number of parts in which the tensor has to pass, given the target memory's capacity.
    #[must_use]
    pub fn parts(&self) -> u64 {
        let capacity = self.target.memory().and_then(|(_, memory)| memory.capacity);
        let words = self.target.footprint_words();
        capacity.filter(|words| *words > 0).map_or(1, |capacity| words.div_ceil(capacity).max(1))
    }
}

/// The least number of cycles for some long words at the upper memory and at a lower one, at the rates of a
/// movement; `None` without a rate.
///
/// Long words pass at one rate within a node, and at another between nodes; every issue moves whole units.
fn least_cycles(
    hand: &Hand,
    rates: (Option<u64>, Option<u64>),
    (source, target): (&Placement, &Placement),
    (upper, lower): (u64, u64),
) -> Result<Option<u64>, LayoutError> {
    let Movement { issue, across_rate, .. } = hand.movement;
    let between = match across_rate.filter(|_| hand.across) {
        Some(_) => between_nodes(source, target, upper)?,
        None => 0,
    };
    let most = words_of_an_issue(hand, source, target)?;
    let at = |words: u64, rate: Option<u64>| {
        let whole = words.div_ceil(*issue).max(words.div_ceil(most)).saturating_mul(*issue);
        rate.map(|rate| whole.div_ceil(rate))
    };
    let inside = at(upper - between, rates.0);
    let across = at(between, across_rate.or(rates.0)).unwrap_or(0);
    let upper = inside.map(|inside| inside.saturating_add(across));
    let issue = if lower > 0 { hand.issue_at_lower } else { 0 };
    Ok(upper.max(rates.1.map(|rate| lower.max(issue).div_ceil(rate))))
}

/// The most long words at an upper memory that one issue can move: those that the memories of a beat have on either
/// side.
fn words_of_an_issue(
    hand: &Hand,
    source: &Placement,
    target: &Placement,
) -> Result<u64, LayoutError> {
    let words = |side: &Placement| side.with_copies().taken_in(Level::ADDR).map(|taken| taken.0);
    let (source, target) = (words(source)?, words(target)?);
    let (from, to) = hand.memories_of_a_beat();
    let here = source.saturating_mul(from);
    let there = target.saturating_mul(to);
    let upper = if hand.up { to } else { from };
    Ok(here.min(there).div_ceil(upper).max(1))
}

/// The share of some long words at the upper memory that moves from one of its nodes to another, rounded up.
fn between_nodes(source: &Placement, target: &Placement, words: u64) -> Result<u64, LayoutError> {
    let pair = Relayout::new(source, target)?;
    let traffic = pair.traffic()?;
    let nodes = [source, target].into_iter().filter_map(|side| Some(side.memory()?.1.node()));
    let depth = |node: Level| pair.levels().iter().position(|level| *level == node);
    let depth = nodes.filter_map(depth).min().map_or(0, |depth| depth + 1);
    let outer = pair.levels().iter().take(depth).map(|level| Distance::Level(*level));
    let moved: u128 = outer.map(|distance| u128::from(traffic.count(distance))).sum();
    let all = u128::from(traffic.elements) * u128::from(traffic.copies);
    Ok(u64::try_from((u128::from(words) * moved).div_ceil(all.max(1))).unwrap_or(words))
}

/// The number of memories of a kind in the whole machine: those nearer to the root are fewer.
fn count_of_memories(placement: &Placement) -> Option<u64> {
    placement.machine()?.units_of(placement.memory()?.1.node())
}

fn addresses(placement: &Placement) -> (u64, u64) {
    let layout = placement.with_copies();
    let end =
        layout.taken_in(Level::ADDR).map_or_else(|_| layout.span(Level::ADDR), |taken| taken.1);
    (layout.offset(Level::ADDR), end)
}

/// The name of the memory of a placement; empty without one, which is an error before a search.
pub(super) fn memory(placement: &Placement) -> &str {
    placement.memory().map_or("", |(name, _)| name)
}

/// A layout as text, or a remark that there is none.
pub(super) fn text(layout: &Layout) -> String {
    match PadLayout::map_of(layout) {
        Ok((text, _)) => text.to_string(),
        Err(_) => "a layout that a PadLayout cannot express".into(),
    }
}
