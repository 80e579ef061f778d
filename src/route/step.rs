//! A single movement: whether it leads from one layout to another, and the layouts it needs and gives.
//!
//! ```text
//! L1BM ((4_L2B:2, 8_L1B:1, 8:4), (4:1))  ->  LM0 ((4_L2B:2, 8_L1B:1, 8:1), (4_PE:1))      by l1bmm
//!
//! needed       L1BM address 4 a + p, each p below 4, to address a of PE p
//! the beat     address p of L1BM to PE p of every MAB
//! beats        address 4 a of L1BM to address a
//! ```
//!
//! The digits that both layouts have in common determine the place of each beat; within a beat the movement
//! decides. So the map that is needed is written down, the source is composed with it, and the result
//! has to serve the target.

use super::carry::{carried, in_radix, zero_based};
use super::hand::Hand;
use super::units::Piece;
use crate::algebra::{Layout, LayoutBuilder, StepsEvenly, goes_on};
use crate::level::Level;
use crate::placement::Placement;
use crate::relayout::Relayout;

/// The map by which a movement leads from `source` to a layout that serves `target`; `None` if it does not.
///
/// Law: the source composed with the map serves the target; the map places each beat as the movement does.
pub(super) fn made(hand: &Hand, source: &Placement, target: &Placement) -> Option<Layout> {
    let digits = needed(hand, source, target)?;
    let (from, to) = (source.with_copies(), target.with_copies());
    let mut map = map_of(hand, from, &digits)?;
    for copies in new_copies(hand, from, to) {
        map = map.replica(copies.size, copies.to.0, copies.to.1);
    }
    for (level, at) in named_offsets(hand, to) {
        map = map.offset(level, at);
    }
    let map = map.build().ok()?;
    let (from, to) = (zero_based(from), zero_based(to));
    let after = carried(&from, &map).ok()?;
    let serves = after.check_injective().is_ok() && after.serves(&to).ok()?.is_none();
    serves.then_some(map)
}

/// The digits of beats, named units and time slices, from source to target; `None` if none are in common.
fn needed(hand: &Hand, source: &Placement, target: &Placement) -> Option<Vec<Piece>> {
    let digits = merged(in_common(source, target)?);
    let cut = digits.into_iter().flat_map(|digit| digit.cut_at(&hand.units));
    cut.map(|digit| in_beats(hand, digit)).collect::<Option<Vec<_>>>().map(|all| all.concat())
}

/// The digits of elements, from source to target; `None` if none are in common.
pub(super) fn in_common(source: &Placement, target: &Placement) -> Option<Vec<Piece>> {
    let account = Relayout::new(source, target).ok()?.account().ok()?;
    let digits = account.moves.iter().filter(|digit| digit.size > 1);
    digits.map(|of| Some(Piece { size: of.size, from: of.from?, to: of.to? })).collect()
}

/// Digits of an address that continue each other, as one.
fn merged(mut digits: Vec<Piece>) -> Vec<Piece> {
    digits.sort_unstable_by_key(|digit| (digit.from.0, digit.from.1));
    digits.dedup_by(|major, minor| minor.takes_major(major));
    digits
}

impl StepsEvenly for Piece {
    /// Addresses between the steps of the minor digit count as steps too.
    fn with_minor(&self, minor: &Piece) -> Option<Piece> {
        let is_address = |piece: &Piece| (piece.from.0, piece.to.0) == (Level::ADDR, Level::ADDR);
        let ratio = self.from.1.checked_div(minor.from.1)?;
        let even =
            goes_on(ratio, minor.from.1, self.from.1) && goes_on(ratio, minor.to.1, self.to.1);
        let joins = is_address(minor) && is_address(self) && even && ratio >= minor.size;
        joins.then(|| Some(Piece { size: self.size.checked_mul(ratio)?, ..*minor }))?
    }
}

/// The part of a digit that counts beats, named units or time slices; empty for digits within a beat or a node, and
/// `None` for digits that the movement cannot move.
fn in_beats(hand: &Hand, digit: Piece) -> Option<Vec<Piece>> {
    let (from, to) = hand.beat;
    let lands = |piece: &Piece| match piece.to {
        (Level::ADDR, step) => step.is_multiple_of(to),
        (Level::TIME, _) => true,
        place => hand.named.1.iter().any(|digit| digit.covers(place)),
    };
    let counted = match digit.from {
        (Level::ADDR, step) if step.checked_mul(digit.size)? <= from => return Some(Vec::new()),
        (Level::ADDR, step) if step < from => {
            let within = from.is_multiple_of(step).then_some(from / step)?;
            let size = digit.size.div_ceil(within);
            let to = (digit.to.0, digit.to.1.checked_mul(within)?);
            Piece { size, from: (Level::ADDR, from), to }
        }
        (Level::ADDR, step) => step.is_multiple_of(from).then_some(digit)?,
        (Level::TIME, _) => digit,
        place if hand.named.0.iter().any(|unit| unit.covers(place)) => digit,
        _ => return Some(Vec::new()),
    };
    lands(&counted).then(|| vec![counted])
}

/// The map with these digits of beats, named units and time slices, without copies.
pub(super) fn map_of(hand: &Hand, from: &Layout, digits: &[Piece]) -> Option<LayoutBuilder> {
    let mut map = Layout::builder();
    for level in from.used_levels().iter().copied() {
        let mut written: Vec<Piece> =
            hand.wires.iter().chain(digits).filter(|d| d.from.0 == level).copied().collect();
        match level.is_unit() {
            true => {
                let own = hand.own.iter().filter(|digit| digit.level == level);
                written.extend(own.map(|digit| Piece::unmoved(digit.size, (level, digit.step))));
            }
            false if level == Level::W => {
                written.push(Piece::unmoved(from.span(level), (level, 1)));
            }
            false => {}
        }
        map = map.with_axis(in_radix(from.span(level).max(hand.span(level)), written)?);
    }
    for digit in &hand.spread {
        map = map.replica(digit.size, digit.level, digit.step);
    }
    let to = hand.own.iter().chain(&hand.spread).chain(&hand.named.1).map(|digit| digit.level);
    Some(to.chain(hand.wires.iter().map(|wire| wire.to.0)).fold(map, LayoutBuilder::used))
}

/// Copies of the target that the movement makes by being issued again.
fn new_copies(hand: &Hand, from: &Layout, to: &Layout) -> Vec<Piece> {
    let all = to.replicas().iter().filter(|copies| copies.is_apart());
    let cut = all.flat_map(|copies| {
        Piece::unmoved(copies.size, (copies.level, copies.stride)).cut_at(&hand.units)
    });
    let had = |piece: &Piece| {
        let (level, stride) = piece.to;
        from.replicas().iter().any(|r| (r.size, r.level, r.stride) == (piece.size, level, stride))
    };
    let made = |piece: &Piece| match piece.to {
        (Level::ADDR, step) => step.is_multiple_of(hand.beat.1) && !had(piece),
        place => hand.named.1.iter().any(|digit| digit.covers(place)),
    };
    cut.filter(made).collect()
}

/// The first of the named units of the target, per level, where that is not 0.
fn named_offsets(hand: &Hand, to: &Layout) -> Vec<(Level, u64)> {
    let at = |digit: &super::units::UnitDigit| {
        let at = to.offset(digit.level) / digit.step % digit.size;
        (digit.level, at * digit.step)
    };
    hand.named.1.iter().map(at).filter(|(_, at)| *at > 0).collect()
}
