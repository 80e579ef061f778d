//! A movement read for one direction: which digit of a place becomes which.
//!
//! ```text
//! l1bmm, down       from L1BM               to LM0
//!
//! own               L2B, L1B                the same
//! wires             Addr % 4                PE
//! beats             Addr / 4                Addr
//! spread                                    MAB, all of them
//! ```
//!
//! *Named* digits number units of which a movement takes one at a time. All nodes above work in step: they
//! move the same beats.

use super::units::{Piece, UnitDigit, unit_digits};
use crate::algebra::{Axis, Layout, Subaxis, Target};
use crate::error::{LayoutError, fault};
use crate::level::Level;
use crate::machine::{Direction, Machine, Memory, Movement, MovementKind};

/// A movement in one direction.
#[derive(Clone, Debug)]
pub(super) struct Hand<'m> {
    pub(super) movement: &'m Movement,
    pub(super) up: bool,
    /// True if it may move data from one node of the upper memory to another.
    pub(super) across: bool,
    pub(super) kind: MovementKind,
    /// The digits of a beat.
    pub(super) wires: Vec<Piece>,
    /// The number of long words that a beat takes in the source, and in the target.
    pub(super) beat: (u64, u64),
    /// The long words of one issue at a lower memory.
    pub(super) issue_at_lower: u64,
    pub(super) own: Vec<UnitDigit>,
    pub(super) spread: Vec<UnitDigit>,
    pub(super) named: (Vec<UnitDigit>, Vec<UnitDigit>),
    /// All unit digits of the machine, as the movement cuts them.
    pub(super) units: Vec<UnitDigit>,
}

impl<'m> Hand<'m> {
    /// The names of the memories, source first.
    pub(super) fn memories(&self) -> (&'m str, &'m str) {
        let Movement { upper, lower, .. } = self.movement;
        if self.up { (lower, upper) } else { (upper, lower) }
    }

    /// Reads the map of a movement on a machine, for the way from the upper memory to the lower one.
    fn down(
        machine: &Machine,
        movement: &'m Movement,
        map: &Layout,
        across: bool,
    ) -> Result<Hand<'m>, String> {
        let memory = |name| machine.memory(name).map_err(|error| error.to_string());
        let (upper, lower) = (memory(&movement.upper)?, memory(&movement.lower)?);
        let units = unit_digits(machine, &steps(map));
        let wires = wires(map, &upper)?.into_iter().flat_map(|wire| wire.cut_at(&units));
        let wires: Vec<Piece> = wires.filter(|wire| wire.size > 1).collect();
        let copies = map
            .replicas()
            .iter()
            .flat_map(|copy| Piece::unmoved(copy.size, (copy.level, copy.stride)).cut_at(&units));
        let spread = taken(copies.map(|copy| (copy.to, copy.size)), &units)?;
        let is_unit = |(place, _): &((Level, u64), u64)| place.0.is_unit();
        let to = taken(wires.iter().map(|w| (w.to, w.size)).filter(is_unit), &units)?;
        let from = taken(wires.iter().map(|w| (w.from, w.size)).filter(is_unit), &units)?;
        let lands = [&spread[..], &to].concat();
        if let Some(digit) = lands.iter().find(|digit| !digit.is_above(&lower, machine)) {
            let (level, name) = (digit.level, &movement.lower);
            return Err(format!("{level} is below {name}, so that {name} is in no unit of it"));
        }
        // The digits above a memory that neither the wires nor copies take.
        let free = |memory: &Memory, taken: &[UnitDigit]| -> Vec<UnitDigit> {
            let above = units.iter().filter(|digit| digit.is_above(memory, machine));
            above.filter(|digit| !taken.contains(digit)).copied().collect()
        };
        let (upper, mut lower) = (free(&upper, &from), free(&lower, &lands));
        let stays = |digit: &UnitDigit| !across && lower.contains(digit);
        let (own, upper): (Vec<UnitDigit>, Vec<UnitDigit>) = upper.into_iter().partition(stays);
        lower.retain(|digit| !own.contains(digit));
        let beat = (map.axes().last().map_or(1, Axis::slots), map.extent(Level::ADDR));
        let (kind, named) = (movement.kind.going(false), (upper, lower));
        let issue_at_lower = movement.issue_at_lower(map);
        Ok(Hand {
            movement,
            up: false,
            across,
            kind,
            wires,
            beat,
            issue_at_lower,
            own,
            spread,
            named,
            units,
        })
    }

    /// The movement to just one of the units that would all receive the same data; that unit is named.
    fn to_one(&self) -> Hand<'m> {
        let mut one = Hand { kind: MovementKind::PickOne, ..self.clone() };
        one.named.1.append(&mut one.spread);
        one
    }

    /// The movement in the opposite direction, from one of the units that all receive the same data on the
    /// way down.
    fn upward(&self) -> Hand<'m> {
        Hand { up: true, kind: self.movement.kind.going(true), ..self.to_one().mirrored() }
    }

    /// The hand from target to source, without copies: it gives the layout that a wanted one needs.
    pub(super) fn mirrored(&self) -> Hand<'m> {
        let turned = |wire: &Piece| Piece { from: wire.to, to: wire.from, ..*wire };
        Hand {
            wires: self.wires.iter().map(turned).collect(),
            beat: (self.beat.1, self.beat.0),
            spread: Vec::new(),
            named: (self.named.1.clone(), self.named.0.clone()),
            ..self.clone()
        }
    }

    /// The addresses of the target alone, after those of the units that are named.
    pub(super) fn addresses_alone(&self) -> Hand<'m> {
        let named = (self.named.1.clone(), Vec::new());
        Hand { wires: Vec::new(), beat: (1, 1), spread: Vec::new(), named, ..self.clone() }
    }

    /// The numbers of memories that a beat takes from, and of those that it brings different words to.
    pub(super) fn memories_of_a_beat(&self) -> (u64, u64) {
        let apart = |place: fn(&Piece) -> (Level, u64)| {
            let units = self.wires.iter().filter(|wire| place(wire).0.is_unit());
            units.map(|wire| wire.size).fold(1, u64::saturating_mul)
        };
        (apart(|wire| wire.from), apart(|wire| wire.to))
    }

    /// The greatest size x step of the digits of units in a level; 1 without digits.
    pub(super) fn span(&self, level: Level) -> u64 {
        let digits = self.units.iter().filter(|digit| digit.level == level);
        digits.map(|digit| digit.size * digit.step).max().unwrap_or(1)
    }
}

/// Every way to use the movements of a machine whose maps are known.
pub(super) fn hands(machine: &Machine) -> Result<Vec<Hand<'_>>, LayoutError> {
    let mut hands = Vec::new();
    for movement in machine.movements() {
        let map = match &movement.map {
            Some(map) if movement.kind != MovementKind::Reduce => map,
            _ => continue,
        };
        let fault = |why: String| {
            fault!(
                Invalid,
                "the map of movement `{movement}` does not fit the machine: {why}",
                [movement = movement.name.clone(), why]
            )
        };
        let layout: Layout =
            map.parse().map_err(|error| fault(crate::words::cut(&format!("{error}"), 200)))?;
        let down = |across| Hand::down(machine, movement, &layout, across).map_err(&fault);
        let inside = down(false)?;
        // A movement between nodes also works inside all of them at the same time.
        let between = if movement.across { Some(down(true)?) } else { None };
        let is_other = |between: &Hand<'_>| between.own != inside.own;
        match between {
            Some(between) if is_other(&between) => hands.extend(in_directions([inside, between])),
            Some(between) => hands.extend(in_directions([between])),
            None => hands.extend(in_directions([inside])),
        }
    }
    Ok(hands)
}

/// The hands but for those of memories with a twin: one of the same nodes with the same movements. What passes
/// through one of the two may as well pass through the other, unless the route begins or ends there.
pub(super) fn without_twins<'m>(
    machine: &Machine,
    hands: &[Hand<'m>],
    ends: [&str; 2],
) -> Vec<Hand<'m>> {
    let spare = |name: &str| {
        let twin = |(at, other): (usize, &str)| {
            let stays = ends.contains(&other) || machine.memories().take(at).all(|m| m.0 != name);
            other != name && stays && are_twins(machine, [name, other])
        };
        !ends.contains(&name) && machine.memories().map(|m| m.0).enumerate().any(twin)
    };
    let spare: Vec<&str> = machine.memories().map(|m| m.0).filter(|name| spare(name)).collect();
    let kept = |hand: &&Hand<'_>| {
        let (from, to) = hand.memories();
        !spare.contains(&from) && !spare.contains(&to)
    };
    hands.iter().filter(kept).cloned().collect()
}

fn are_twins(machine: &Machine, names: [&str; 2]) -> bool {
    let [one, other] = names.map(|name| machine.memory(name).ok());
    let movements = |name: &str| {
        let mut of: Vec<Movement> = machine.movements().to_vec();
        of.retain(|movement| movement.upper == name || movement.lower == name);
        for end in of.iter_mut().flat_map(|movement| [&mut movement.upper, &mut movement.lower]) {
            if end == name {
                end.clear();
            }
        }
        of.sort_unstable();
        of
    };
    one == other && movements(names[0]) == movements(names[1])
}

/// Hands that go down, in the directions of their movement.
fn in_directions<'m>(down: impl IntoIterator<Item = Hand<'m>>) -> impl Iterator<Item = Hand<'m>> {
    down.into_iter().flat_map(|down| {
        let Movement { direction, names_one, .. } = down.movement;
        let goes = |other: Direction| *direction != other;
        let to_one = (goes(Direction::Up) && *names_one).then(|| down.to_one());
        let up = goes(Direction::Down).then(|| down.upward());
        goes(Direction::Up).then_some(down).into_iter().chain(to_one).chain(up)
    })
}

/// The steps at which a map cuts the coordinates of units.
fn steps(map: &Layout) -> Vec<(Level, u64)> {
    map.landings().filter(|of| of.level.is_unit()).map(|of| (of.level, of.stride)).collect()
}

/// The digits of a map, each from the upper place to the lower one.
fn wires(map: &Layout, upper: &Memory) -> Result<Vec<Piece>, String> {
    if !map.derived_axes().is_empty() || !(1..=2).contains(&map.rank()) {
        return Err("it needs one axis of long words, and at most one of memories before it".into());
    }
    let mut wires = Vec::new();
    for (at, axis) in map.axes().iter().enumerate() {
        if axis.extent != axis.slots() {
            return Err(format!("axis {at} is padded, and a beat has no padding"));
        }
        let (level, unit) = match at + 1 == map.rank() {
            true => (Level::ADDR, 1),
            false => (upper.owner, upper.group),
        };
        let mut weight = unit;
        for Subaxis { size, target } in axis.subaxes.iter().rev() {
            let Target::Land { level: to, stride } = *target else { continue };
            if to == Level::W {
                return Err("lanes stay: a map lands in units and addresses".into());
            }
            wires.push(Piece { size: *size, from: (level, weight), to: (to, stride) });
            weight *= size;
        }
    }
    Ok(wires)
}

/// The unit digits of the machine that these digits are; each must be a whole one.
fn taken(
    digits: impl Iterator<Item = ((Level, u64), u64)>,
    units: &[UnitDigit],
) -> Result<Vec<UnitDigit>, String> {
    let whole = |((level, step), size): ((Level, u64), u64)| {
        let found = units.iter().find(|d| (d.level, d.step) == (level, step) && d.size == size);
        found.copied().ok_or_else(|| {
            let known = units.iter().find(|d| (d.level, d.step) == (level, step));
            let of = known.map_or(0, |digit| digit.size);
            format!("it has {size} of {level} at a stride of {step}, and the machine has {of}")
        })
    };
    digits.filter(|(_, size)| *size > 1).map(whole).collect()
}
