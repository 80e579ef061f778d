//! The layouts that a movement gives and needs, beat after beat in the order of addresses.
//!
//! ```text
//! l1bmd, from LM0    ((16_MAB:1, 4_PE:1, 8:1))
//! gives in L1BM      ((64:1, 8:64))               64 a + 4 m + p, and so what it needs the other way
//! ```
//!
//! Beats may go anywhere. The usual order is the one that keeps them in order, and parts of units that are
//! named one at a time follow each other. [`made`](super::step::made) checks the result.

use super::carry::{carried, zero_based};
use super::hand::Hand;
use super::step::map_of;
use super::units::{Piece, UnitDigit};
use crate::algebra::Layout;
use crate::error::LayoutError;
use crate::level::Level;

/// The layout that the movement gives in its target.
pub(super) fn given(hand: &Hand, layout: &Layout) -> Option<Layout> {
    in_usual_order(hand, layout, false)
}

/// The layout that the movement needs in its source.
pub(super) fn wanted(hand: &Hand, layout: &Layout) -> Option<Layout> {
    in_usual_order(&hand.mirrored(), layout, false)
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
    if hand.up {
        let mut once = source.to_builder();
        once.replicas.retain(|copies| copies.level != Level::ADDR);
        let upper = addresses(in_usual_order(&hand.addresses_alone(), target, true))?;
        return Ok((upper, addresses(once.build().ok())?));
    }
    let upper = addresses(in_usual_order(&hand.mirrored(), target, true))?;
    Ok((upper, addresses(Some(target.clone()))?))
}

/// The layout after the movement, with beats in the order of the addresses, then the named units in which
/// elements, or with `copies_too` also copies, differ.
fn in_usual_order(hand: &Hand, layout: &Layout, copies_too: bool) -> Option<Layout> {
    let layout = zero_based(layout).ok()?;
    let (from, to) = hand.beat;
    let beats = layout.span(Level::ADDR).div_ceil(from);
    let mut digits = vec![Piece { size: beats, from: (Level::ADDR, from), to: (Level::ADDR, to) }];
    let mut reach = beats.checked_mul(to)?;
    for digit in hand.named.0.iter().filter(|digit| lies_apart(&layout, digit, copies_too)) {
        let from = (digit.level, digit.step);
        digits.push(Piece { size: digit.size, from, to: (Level::ADDR, reach) });
        reach = reach.checked_mul(digit.size)?;
    }
    carried(&layout, &map_of(hand, &layout, &digits)?.build().ok()?).ok()
}

/// Returns whether elements, or copies if `copies_too`, differ in a digit of the units.
fn lies_apart(layout: &Layout, digit: &UnitDigit, copies_too: bool) -> bool {
    let within = |size: u64, level: Level, step: u64| {
        let top = digit.step.saturating_mul(digit.size);
        level == digit.level && size > 1 && step < top && step.saturating_mul(size) > digit.step
    };
    let landed = layout.nodes().flat_map(|axis| &axis.subaxes);
    let mut landed = landed.filter_map(|subaxis| {
        subaxis
            .landed()
            .filter(|(_, stride)| *stride > 0)
            .map(|(level, stride)| (subaxis.size, level, stride))
    });
    let mut copies = layout.replicas().iter().filter(|r| copies_too && r.stride > 0);
    landed.any(|(size, level, step)| within(size, level, step))
        || copies.any(|r| within(r.size, r.level, r.stride))
}
