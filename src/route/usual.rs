//! The layouts that a movement gives and needs, beat after beat in the order of addresses.
//!
//! ```text
//! l1bmd, from LM0    ((16_MAB:1, 4_PE:1, 8:1))
//! gives in L1BM      ((64:1, 8:64))               64 a + 4 m + p, and so what it needs the other way
//! ```
//!
//! Beats may go anywhere. The usual order is the one that keeps them in order, and parts of units that are
//! named one at a time follow each other. The other one brings them to named units, as the end of a route has them. [`made`](super::step::made) checks the result.

use itertools::Itertools;

use super::carry::{carried, in_radix, zero_based};
use super::hand::Hand;
use super::step::{in_common, map_of};
use super::units::{Piece, UnitDigit};
use crate::algebra::{Landing, Layout};
use crate::error::{LayoutError, Site};
use crate::level::Level;
use crate::placement::Placement;

/// The layout that the movement gives in its target.
pub(super) fn given(hand: &Hand, layout: &Layout) -> Option<Layout> {
    in_usual_order(hand, layout, false)
}

/// The layout that the movement needs in its source.
pub(super) fn wanted(hand: &Hand, layout: &Layout) -> Option<Layout> {
    in_usual_order(&hand.mirrored(), layout, false)
}

/// The layout after the movement that brings digits into the units that it names, where `end` has them, and keeps
/// the order of all others; `None` if it names none of these units.
pub(super) fn towards(hand: &Hand, from: &Placement, end: &Placement) -> Option<Layout> {
    let cut = in_common(from, end)?;
    let beat = UnitDigit { level: Level::ADDR, step: hand.beat.0, size: 1 };
    let cuts = [&hand.units[..], &[beat]].concat();
    let cut = cut.into_iter().flat_map(|digit| digit.cut_at(&cuts));
    let counted = |digit: &Piece| match digit.from {
        (Level::ADDR, step) => step >= hand.beat.0,
        (Level::TIME, _) => true,
        place => hand.named.0.iter().any(|unit| unit.covers(place)),
    };
    let mut beats = cut.filter(counted).collect_vec();
    let is_named = |digit: &Piece| {
        digit.to.0 == Level::TIME || hand.named.1.iter().any(|unit| unit.covers(digit.to))
    };
    if !beats.iter().any(is_named) {
        return None;
    }
    beats.sort_unstable_by_key(|digit| (digit.from.0 != Level::ADDR, digit.from.1));
    let mut reach = hand.beat.1;
    for digit in &mut beats {
        if !is_named(digit) {
            digit.to = (Level::ADDR, reach);
            reach = reach.checked_mul(digit.size)?;
        }
    }
    let layout = zero_based(from.with_copies());
    carried(&layout, &map_of(hand, &layout, &beats)?.build().ok()?).ok()
}

/// The numbers of long words that pass through the upper and the lower memories to produce `target`: the sum
/// at the upper memory, and that of the busiest unit at the lower ones. A long word counts if it holds an
/// element in any node, because all nodes work in step.
pub(super) fn words(
    hand: &Hand,
    source: &Layout,
    target: &Layout,
) -> Result<(u64, u64), LayoutError> {
    let too_large = || LayoutError::too_large(crate::error::Site::Layout, "the long words");
    let addresses = |layout: Option<Layout>| {
        let taken = layout.ok_or_else(too_large)?.taken_in(Level::ADDR);
        taken.map(|(number, _)| number)
    };
    if target.elements() == 0 {
        return Ok((0, 0));
    }
    let one_by_one = |side: &Layout| slices_in_sequence(hand, side).ok_or_else(too_large);
    let (source, target) = &(one_by_one(source)?, one_by_one(target)?);
    if hand.up {
        let once = source.clone().with_replicas_where(|copies| copies.level != Level::ADDR);
        let upper = addresses(in_usual_order(&hand.addresses_alone(), target, true))?;
        return Ok((upper, addresses(Some(once))?));
    }
    let upper = addresses(in_usual_order(&hand.mirrored(), target, true))?;
    Ok((upper, addresses(Some(target.clone()))?))
}

/// The layout after the movement, with beats in the order of the addresses, then the named units in which
/// elements, or with `copies_too` also copies, differ.
fn in_usual_order(hand: &Hand, layout: &Layout, copies_too: bool) -> Option<Layout> {
    let layout = zero_based(layout);
    let (from, to) = hand.beat;
    let beats = layout.span(Level::ADDR).div_ceil(from);
    let mut digits = vec![Piece { size: beats, from: (Level::ADDR, from), to: (Level::ADDR, to) }];
    let mut reach = beats.checked_mul(to)?;
    if layout.used_levels().contains(&Level::TIME) {
        digits.push(Piece::unmoved(layout.span(Level::TIME), (Level::TIME, 1)));
    }
    for digit in hand.named.0.iter().filter(|digit| lies_apart(&layout, digit, copies_too)) {
        let from = (digit.level, digit.step);
        digits.push(Piece { size: digit.size, from, to: (Level::ADDR, reach) });
        reach = reach.checked_mul(digit.size)?;
    }
    carried(&layout, &map_of(hand, &layout, &digits)?.build().ok()?).ok()
}

/// The layout with its time slices one after another in addresses: all words that pass in time.
pub(super) fn slices_in_sequence(hand: &Hand, layout: &Layout) -> Option<Layout> {
    if !layout.used_levels().contains(&Level::TIME) {
        return Some(layout.clone());
    }
    let layout = zero_based(layout);
    let span = layout.span(Level::ADDR).checked_next_multiple_of(hand.beat.0.max(hand.beat.1))?;
    let mut map = Layout::builder();
    for level in layout.used_levels().iter().copied() {
        let (size, to) = match level {
            Level::TIME => (layout.span(level), (Level::ADDR, span)),
            level => (layout.span(level), (level, 1)),
        };
        map = map.with_axis(in_radix(size, vec![Piece { size, from: (level, 1), to }])?);
    }
    carried(&layout, &map.build().ok()?).ok()
}

/// Returns whether elements, or copies if `copies_too`, differ in a digit of the units.
fn lies_apart(layout: &Layout, digit: &UnitDigit, copies_too: bool) -> bool {
    let within = |size: u64, level: Level, step: u64| {
        let top = digit.step.saturating_mul(digit.size);
        level == digit.level && size > 1 && step < top && step.saturating_mul(size) > digit.step
    };
    let counts = |of: &Landing| copies_too || !matches!(of.site, Site::Replica(_));
    let mut landings = layout.landings().filter(|of| of.stride > 0 && counts(of));
    landings.any(|of| within(of.size, of.level, of.stride))
}
