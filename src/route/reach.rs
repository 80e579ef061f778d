//! The places to which movements can bring a digit of a tensor at all, whatever their number and order.
//!
//! ```text
//! l1bmm@m, up       from LM0            to L1BM
//!
//! wire              PE                  Addr, steps 1 to 3
//! beats             Addr, MAB, Time     Addr, steps from 4 on; Time
//! lanes             W                   W
//! ```
//!
//! A movement writes whole beats: two elements of one beat keep their distance in it, and only the place of the
//! beat is free. So elements that differ in one digit alone can come to differ in another one alone only if a
//! chain of wires and beats leads from the first to the second. A pair of layouts with a digit for which there
//! is none has no route, however long.
//!
//! Law: a pair with a route has a chain for each of its digits.

use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools;

use super::hand::Hand;
use super::hop::memory;
use super::units::{Piece, UnitDigit, unit_digits};
use crate::algebra::Layout;
use crate::error::{LayoutError, fault};
use crate::level::Level;
use crate::machine::Machine;
use crate::placement::Placement;
use crate::relayout::{Move, Relayout};

/// The steps from `first` on and below `end` of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Steps {
    level: Level,
    first: u64,
    end: u64,
}

impl Steps {
    fn of(level: Level, first: u64, size: u64) -> Steps {
        Steps { level, first, end: first.saturating_mul(size) }
    }

    fn from(level: Level, first: u64) -> Steps {
        Steps { level, first, end: u64::MAX }
    }

    fn overlaps(&self, other: &Steps) -> bool {
        self.level == other.level && self.first < other.end && other.first < self.end
    }

    /// Both as one, where one begins at the end of the other.
    fn and(self, other: Steps) -> Result<Steps, (Steps, Steps)> {
        let (first, end) = (self.first.min(other.first), self.end.max(other.end));
        let meet = self.end == other.first || other.end == self.first;
        if self.level == other.level && meet {
            Ok(Steps { first, end, ..self })
        } else {
            Err((self, other))
        }
    }

    fn is_within(&self, other: &Steps) -> bool {
        self.level == other.level && other.first <= self.first && self.end <= other.end
    }
}

/// The parts of all coordinates in all memories that movements treat as one, and the parts that they lead to.
#[derive(Debug)]
pub(super) struct Reach<'m> {
    parts: Vec<(&'m str, Steps)>,
    next: Vec<Vec<usize>>,
}

impl<'m> Reach<'m> {
    /// The parts for the movements of a machine; `None` where their beats do not divide each other.
    pub(super) fn new(machine: &'m Machine, hands: &[Hand<'m>]) -> Option<Reach<'m>> {
        let cuts = hands.iter().flat_map(|hand| &hand.units).map(|digit| (digit.level, digit.step));
        let units = unit_digits(machine, &cuts.unique().collect_vec());
        let addresses = address_cuts(hands);
        let mut parts = Vec::new();
        for (name, memory) in machine.memories() {
            let above = units.iter().filter(|digit| digit.is_above(&memory, machine));
            let above = above.map(|digit| Steps::of(digit.level, digit.step, digit.size));
            let cuts = addresses.get(name).into_iter().flatten().copied().collect_vec();
            if cuts.iter().tuple_windows().any(|(below, above)| !above.is_multiple_of(*below)) {
                return None;
            }
            let ends = cuts.iter().skip(1).copied().chain([u64::MAX]);
            let addresses = cuts.iter().zip(ends).map(|(first, end)| Steps {
                level: Level::ADDR,
                first: *first,
                end,
            });
            let always = [Level::W, Level::TIME].map(|level| Steps::from(level, 1));
            parts.extend(above.chain(addresses).chain(always).map(|steps| (name, steps)));
        }
        let next = parts.iter().map(|part| led_to(hands, part, &parts)).collect();
        Some(Reach { parts, next })
    }

    /// Checks that chains lead from each digit of a pair to its place; layouts without common digits pass.
    ///
    /// # Errors
    /// `NoRoute` with the first digit for which there is none; those of [`Relayout::new`].
    pub(super) fn check(&self, source: &Placement, target: &Placement) -> Result<(), LayoutError> {
        let Ok(account) = Relayout::new(source, target)?.account() else { return Ok(()) };
        let sides = [source, target].map(|side| Side::new(self, side));
        let fault = account.moves.iter().find_map(|digit| self.fails_for(digit, &sides));
        fault.map_or(Ok(()), Err)
    }

    fn fails_for(&self, digit: &Move, [source, target]: &[Side<'_>; 2]) -> Option<LayoutError> {
        let (from, to) = (digit.from?, digit.to?);
        if digit.size < 2 {
            return None;
        }
        let (own, wanted) = (source.parts(from, digit.size), target.parts(to, digit.size));
        let is_known = !own.is_empty() && !wanted.is_empty();
        let reached = self.closure(own);
        if !is_known || wanted.iter().any(|part| reached.contains(part)) {
            return None;
        }
        let there =
            reached.iter().map(|part| self.parts[*part]).filter(|(of, _)| *of == target.memory);
        let there = there.map(|(_, steps)| steps).coalesce(Steps::and);
        let there = there.map(described).unique().join(", ");
        let only = match there.as_str() {
            "" => format!("nowhere in {}", target.memory),
            there => format!("only to {there} of {}", target.memory),
        };
        let help = match from.0 == Level::W || to.0 == Level::W {
            true => {
                "movements carry whole words (MN-Core's matrix registers change lanes): agree in `W`"
            }
            false => "beats stay whole, however many movements follow: agree in this digit",
        };
        Some(
            fault!(
                NoRoute,
                "no movements bring a digit to its place: {digit}; from this {level} of \
                 {memory} they lead {only}",
                [
                    digit = digit.to_string(),
                    level = from.0,
                    memory = source.memory.to_owned(),
                    only
                ]
            )
            .with_help(help),
        )
    }

    /// Everything that chains lead to from these parts, themselves included.
    fn closure(&self, parts: Vec<usize>) -> BTreeSet<usize> {
        let mut reached: BTreeSet<usize> = parts.iter().copied().collect();
        let mut open = parts;
        while let Some(part) = open.pop() {
            open.extend(self.next[part].iter().filter(|next| reached.insert(**next)));
        }
        reached
    }
}

/// A layout in one of the memories.
struct Side<'a> {
    reach: &'a Reach<'a>,
    memory: &'a str,
    carries: bool,
}

impl<'a> Side<'a> {
    fn new(reach: &'a Reach<'a>, placement: &'a Placement) -> Side<'a> {
        Side { reach, memory: memory(placement), carries: carries(placement.with_copies()) }
    }

    /// The parts in which elements may differ that differ in this digit.
    fn parts(&self, (level, step): (Level, u64), size: u64) -> Vec<usize> {
        let of_level =
            |(memory, steps): &(&str, Steps)| *memory == self.memory && steps.level == level;
        let parts = self.reach.parts.iter().positions(of_level);
        let mut parts = parts.map(|part| (part, self.reach.parts[part].1)).collect_vec();
        // An address below this part is the same for all values of the digit.
        let divides = |(_, steps): &(usize, Steps)| step.is_multiple_of(steps.first);
        let first = parts.iter().filter(|part| divides(part)).map(|(_, steps)| steps.first).max();
        let end = if self.carries { u64::MAX } else { step.saturating_mul(size) };
        parts.retain(|(_, steps)| Some(steps.first) >= first && steps.first < end);
        parts.into_iter().map(|(part, _)| part).collect()
    }
}

/// Returns whether the sum of some digits of a coordinate may carry into a higher one.
fn carries(layout: &Layout) -> bool {
    let landed = layout.subaxes().filter_map(|digit| Some((digit.landed()?, digit.size)));
    let digits = landed.filter(|((_, step), size)| *step > 0 && *size > 1);
    let mut digits = digits.map(|((level, step), size)| (level, step, size)).collect_vec();
    digits.sort_unstable_by_key(|(level, step, _)| (*level, *step));
    let clashes = |(minor, major): (&(Level, u64, u64), &(Level, u64, u64))| {
        minor.0 == major.0 && !major.1.is_multiple_of(minor.1.saturating_mul(minor.2))
    };
    !layout.derived_axes().is_empty() || digits.iter().tuple_windows().any(clashes)
}

/// The steps at which movements cut the addresses of each memory.
type AddressCuts<'m> = BTreeMap<&'m str, BTreeSet<u64>>;

fn address_cuts<'m>(hands: &[Hand<'m>]) -> AddressCuts<'m> {
    let mut cuts = AddressCuts::new();
    for hand in hands {
        let (from, to) = hand.memories();
        let sources = hand.wires.iter().map(|wire| (wire.from, wire.size));
        let targets = hand.wires.iter().map(|wire| (wire.to, wire.size));
        cuts.entry(from).or_default().extend([1, hand.beat.0].into_iter().chain(ends(sources)));
        cuts.entry(to).or_default().extend([1, hand.beat.1].into_iter().chain(ends(targets)));
    }
    // A cut on one side of a wire cuts the other one, too.
    loop {
        let known: usize = cuts.values().map(BTreeSet::len).sum();
        for (memory, at) in hands.iter().flat_map(|hand| carried_cuts(hand, &cuts)).collect_vec() {
            cuts.entry(memory).or_default().insert(at);
        }
        if cuts.values().map(BTreeSet::len).sum::<usize>() == known {
            return cuts;
        }
    }
}

/// The steps at which digits of addresses begin and end.
fn ends(places: impl Iterator<Item = ((Level, u64), u64)>) -> impl Iterator<Item = u64> {
    let addresses = places.filter(|((level, _), _)| *level == Level::ADDR);
    addresses.flat_map(|((_, step), size)| [step, step.saturating_mul(size)])
}

/// The cuts of the addresses of either memory, carried along the wires to those of the other.
fn carried_cuts<'m>(hand: &Hand<'m>, cuts: &AddressCuts<'m>) -> Vec<(&'m str, u64)> {
    let (from, to) = hand.memories();
    let along = |memory: &str, (own, other): (u64, u64), size: u64| {
        let inside = cuts[memory].range(own..own.saturating_mul(size));
        let whole = inside.filter(|cut| cut.is_multiple_of(own));
        whole.map(|cut| cut / own * other).collect_vec()
    };
    let is_address = |wire: &&Piece| (wire.from.0, wire.to.0) == (Level::ADDR, Level::ADDR);
    let carried = |wire: &Piece| {
        let (step, image) = (wire.from.1, wire.to.1);
        let there = along(from, (step, image), wire.size).into_iter().map(|at| (to, at));
        there
            .chain(along(to, (image, step), wire.size).into_iter().map(|at| (from, at)))
            .collect_vec()
    };
    hand.wires.iter().filter(is_address).flat_map(carried).collect()
}

/// The parts that one movement leads to from a part.
fn led_to(
    hands: &[Hand<'_>],
    (memory, part): &(&str, Steps),
    parts: &[(&str, Steps)],
) -> Vec<usize> {
    let hands = hands.iter().filter(|hand| hand.memories().0 == *memory);
    let led = hands.flat_map(|hand| {
        let images = images(hand, part);
        parts.iter().positions(move |(memory, steps)| {
            *memory == hand.memories().1 && images.iter().any(|image| image.overlaps(steps))
        })
    });
    led.unique().collect()
}

/// The steps to which a movement brings those of a part.
fn images(hand: &Hand<'_>, part: &Steps) -> Vec<Steps> {
    let unit = |digit: &UnitDigit| Steps::of(digit.level, digit.step, digit.size);
    let is_unit = |digits: &[UnitDigit]| digits.iter().any(|digit| part.is_within(&unit(digit)));
    let is_beat = match part.level {
        Level::ADDR => part.first >= hand.beat.0,
        level => level == Level::TIME || is_unit(&hand.named.0),
    };
    let mut images = Vec::new();
    if is_beat {
        images.extend([Steps::from(Level::ADDR, hand.beat.1), Steps::from(Level::TIME, 1)]);
        images.extend(hand.named.1.iter().map(unit));
    }
    if part.level == Level::W || is_unit(&hand.own) {
        images.push(*part);
    }
    for Piece { size, from: (level, step), to } in &hand.wires {
        if part.is_within(&Steps::of(*level, *step, *size)) {
            let at = |steps: u64| to.1.saturating_mul(steps / step);
            images.push(Steps { level: to.0, first: at(part.first), end: at(part.end) });
        }
    }
    images
}

fn described(Steps { level, first, end }: Steps) -> String {
    match (level, first, end) {
        (level, 1, u64::MAX) => level.to_string(),
        (level, first, u64::MAX) => format!("{level} x {first} and more"),
        (Level::ADDR, first, end) => format!("{level} x {first} to {}", end / 2),
        (level, 1, _) => level.to_string(),
        (level, first, _) => format!("{level} x {first}"),
    }
}
