//! Generated layouts: everything that the type can represent, small enough to enumerate every slot: digits
//! of size 1, padding, replicas, offsets, spans, marked levels; derived axes with starts, several
//! feeders, chains of them, weights with gaps and weights of 0.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use proptest::prelude::*;
use proptest::sample::select;
use tensor_layout::Level;
use tensor_layout::notation::{AxisText, Dtype, MemoryText, PadLayout, ReplicaText, SubaxisText};

use crate::slow::{Axis, Digit, Replica, Slow, To, feed, land};

/// The most slots, and the most elements x copies: each is enumerated, many times.
const MOST: u64 = 600;

pub(crate) fn levels() -> Vec<Level> {
    let custom = Level::new("Core").unwrap();
    vec![Level::ADDR, Level::PE, Level::MAB, Level::L2B, Level::W, Level::TIME, custom]
}

/// A digit as drawn: size, level, stride, an optional feed, and whether a digit of size 1 gets a huge step.
type Draw = (u64, Level, u64, Option<(usize, u64)>, bool);

fn digit() -> impl Strategy<Value = Draw> {
    let size = select(vec![1, 2, 3, 4, 5, 6, 7, 8, 16]);
    let level = prop_oneof![4 => Just(Level::ADDR), 6 => select(levels())];
    let fed = prop::option::weighted(0.6, (0_usize..3, 0_u64..8));
    (size, level, 0_u64..14, fed, prop::bool::weighted(0.2))
}

fn axes(
    axes: std::ops::RangeInclusive<usize>,
    most: usize,
) -> impl Strategy<Value = Vec<Vec<Draw>>> {
    prop::collection::vec(prop::collection::vec(digit(), 0..most), axes)
}

/// The frame around the axes: offsets, spans, marked levels, by numbers of levels.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    offsets: Vec<(Level, u64)>,
    spans: Vec<(Level, u64)>,
    marked: Vec<Level>,
}

pub(crate) fn frame() -> impl Strategy<Value = Frame> {
    let level = || select(levels());
    let some = |weight: u32, most: usize| prop_oneof![weight => Just(0), 1 => 1..=most];
    let steps = |weight| {
        some(weight, 2).prop_flat_map(move |n| prop::collection::vec((level(), 1_u64..9), n))
    };
    let marked = some(4, 2).prop_flat_map(move |n| prop::collection::vec(level(), n));
    (steps(3), steps(4), marked).prop_map(|(offsets, spans, marked)| Frame {
        offsets,
        spans,
        marked,
    })
}

/// The choices that determine the numbers of a layout.
#[derive(Clone, Debug)]
struct Choice {
    /// True if strides nest, and true if weights nest.
    nest: (bool, bool),
    order: u64,
    /// One number per axis and derived axis: where its extent is cut.
    cuts: Vec<u32>,
    starts: Vec<u64>,
}

fn choice() -> impl Strategy<Value = Choice> {
    let nest = (prop::bool::weighted(0.6), prop::bool::weighted(0.6));
    let starts = prop::collection::vec(prop_oneof![3 => Just(0_u64), 1 => 1_u64..4], 3);
    (nest, any::<u64>(), prop::collection::vec(any::<u32>(), 9), starts)
        .prop_map(|(nest, order, cuts, starts)| Choice { nest, order, cuts, starts })
}

/// Any layout, including those with collisions.
pub(crate) fn any_layout() -> impl Strategy<Value = Slow> {
    any_kept(built)
}

/// Layouts in which no two copies share a place, by the slow definition.
pub(crate) fn good_layout() -> impl Strategy<Value = Slow> {
    any_kept(|slow| built(slow).filter(Slow::is_injective))
}

fn any_kept(keep: fn(Slow) -> Option<Slow>) -> impl Strategy<Value = Slow> {
    let derived = prop_oneof![4 => Just(0_usize), 2 => Just(1), 1 => Just(2), 1 => Just(3)]
        .prop_flat_map(|n| axes(n..=n, 3));
    kept(prop_oneof![12 => axes(0..=4, 4), 1 => axes(6..=6, 3)], derived, frame(), keep)
}

/// A layout with derived axes.
pub(crate) fn derived_layout() -> impl Strategy<Value = Slow> {
    kept(axes(1..=4, 4), axes(1..=3, 3), frame(), Some)
}

/// A layout that the notation can express: no derived axes, no offsets, no spans, no marked levels.
pub(crate) fn plain_layout() -> impl Strategy<Value = Slow> {
    plain_kept(built)
}

/// The results of `keep` on plain layouts.
pub(crate) fn plain_kept<T: Clone + Debug>(
    keep: fn(Slow) -> Option<T>,
) -> impl Strategy<Value = T> {
    let none = Frame { offsets: Vec::new(), spans: Vec::new(), marked: Vec::new() };
    kept(axes(0..=4, 4), Just(Vec::new()), Just(none), keep)
}

pub(crate) fn layouts(
    axes: impl Strategy<Value = Vec<Vec<Draw>>>,
    derived: impl Strategy<Value = Vec<Vec<Draw>>>,
    frame: impl Strategy<Value = Frame>,
) -> impl Strategy<Value = Slow> {
    kept(axes, derived, frame, built)
}

/// A layout that `build` accepts. Sound layouts that it rejects are counted only by law 0.
pub(crate) fn built(slow: Slow) -> Option<Slow> {
    is_built(&slow).then_some(slow)
}

pub(crate) fn is_built(slow: &Slow) -> bool {
    slow.build().is_ok()
}

/// The results of `keep` on layouts that satisfy the invariants, by the slow definition. A filter on top
/// would regenerate the complete layout each time.
fn kept<T: Clone + Debug>(
    axes: impl Strategy<Value = Vec<Vec<Draw>>>,
    derived: impl Strategy<Value = Vec<Vec<Draw>>>,
    frame: impl Strategy<Value = Frame>,
    keep: fn(Slow) -> Option<T>,
) -> impl Strategy<Value = T> {
    let replicas = prop_oneof![3 => Just(0_usize), 1 => 1_usize..3]
        .prop_flat_map(|n| prop::collection::vec(digit(), n));
    (axes, derived, replicas, frame, choice()).prop_filter_map(
        "refused",
        move |(axes, derived, replicas, frame, choice)| {
            let mut slow = drawn(&axes, &derived, &replicas);
            bound(&mut slow);
            if choice.nest.0 {
                nest_strides(&mut slow, choice.order);
            }
            if choice.nest.1 {
                nest_weights(&mut slow, choice.order);
            }
            swizzle(&mut slow, &choice);
            hold(&mut slow, &choice);
            surround(&mut slow, &frame);
            keep(slow)
        },
    )
}

fn drawn(axes: &[Vec<Draw>], derived: &[Vec<Draw>], replicas: &[Draw]) -> Slow {
    const HUGE: [u64; 4] = [1 << 63, u64::MAX, (1 << 63) - 1, (1 << 62) + 1];
    let huge = |size: u64, number: u64, huge: bool| match size == 1 && huge {
        true => HUGE[number as usize % HUGE.len()],
        false => number,
    };
    let digits = |node: usize, draws: &[Draw]| -> Vec<Digit> {
        let first = (node + 1).saturating_sub(axes.len());
        let digit = |&(size, level, stride, fed, far): &Draw| match fed {
            Some((pick, weight)) if first < derived.len() => {
                feed(size, first + pick % (derived.len() - first), huge(size, weight, far))
            }
            _ => land(size, level, huge(size, stride, far)),
        };
        draws.iter().map(digit).collect()
    };
    let nodes = axes.iter().chain(derived).enumerate();
    let mut nodes = nodes.map(|(node, draws)| Axis::new(0, digits(node, draws)));
    let replica = |&(size, level, stride, _, far): &Draw| (size, level, huge(size, stride, far));
    Slow {
        axes: nodes.by_ref().take(axes.len()).collect(),
        derived: nodes.map(|axis| (0, axis)).collect(),
        replicas: replicas.iter().map(replica).collect(),
        ..Slow::default()
    }
}

pub(crate) fn all_digits(slow: &mut Slow) -> impl Iterator<Item = &mut Digit> {
    let derived = slow.derived.iter_mut().map(|(_, axis)| axis);
    slow.axes.iter_mut().chain(derived).flat_map(|axis| &mut axis.digits)
}

/// Shrinks sizes to 1 until slots, and elements x copies, can be enumerated.
fn bound(slow: &mut Slow) {
    let (mut slots, mut elements) = (1, 1);
    for (size, ..) in &mut slow.replicas {
        if slots * *size > MOST / 8 {
            *size = 1;
        }
        slots *= *size;
        elements *= *size;
    }
    for digit in slow.axes.iter_mut().flat_map(|axis| &mut axis.digits) {
        let lands = if matches!(digit.to, To::Land(..)) { digit.size } else { 1 };
        if slots * lands > MOST || elements * digit.size > MOST {
            digit.size = 1;
            continue;
        }
        (slots, elements) = (slots * lands, elements * digit.size);
    }
    for digit in slow.derived.iter_mut().flat_map(|(_, axis)| &mut axis.digits) {
        let lands = if matches!(digit.to, To::Land(..)) { digit.size } else { 1 };
        if slots * lands > MOST {
            digit.size = 1;
            continue;
        }
        slots *= lands;
    }
}

/// Replaces the strides of each level by nested ones, in an order drawn by `order`, with gaps.
fn nest_strides(slow: &mut Slow, order: u64) {
    let mut replicas: Vec<Replica> = slow.replicas.clone();
    let mut terms: Vec<(u64, Level, &mut u64)> = Vec::new();
    for digit in all_digits(slow) {
        if let To::Land(level, stride) = &mut digit.to {
            terms.push((digit.size, *level, stride));
        }
    }
    terms.extend(replicas.iter_mut().map(|(size, level, stride)| (*size, *level, stride)));
    nest(terms.into_iter(), order);
    slow.replicas = replicas;
}

/// Replaces the weights of each derived axis by nested ones.
fn nest_weights(slow: &mut Slow, order: u64) {
    let terms = all_digits(slow).filter_map(|digit| match &mut digit.to {
        To::Feed(derived, weight) => Some((digit.size, *derived, weight)),
        To::Land(..) => None,
    });
    nest(terms.collect::<Vec<_>>().into_iter(), order >> 17);
}

/// Replaces steps by nested ones; huge steps of digits of size 1 remain unchanged.
fn nest<'a, K: Ord>(terms: impl Iterator<Item = (u64, K, &'a mut u64)>, order: u64) {
    let mut terms: Vec<_> = terms.filter(|(_, _, step)| **step < 1 << 32).collect();
    let turn = if terms.is_empty() { 0 } else { order as usize % terms.len() };
    terms.rotate_left(turn);
    if order & 64 != 0 {
        terms.reverse();
    }
    let mut next = BTreeMap::new();
    for (at, (size, key, step)) in terms.into_iter().enumerate() {
        let free = next.entry(key).or_insert(1);
        *step = *free + u64::from(order >> (at % 60) & 7 == 0);
        *free = *step * size;
    }
}

fn flips(xors: &BTreeSet<usize>, digit: &Digit) -> bool {
    matches!(digit.to, To::Feed(derived, _) if xors.contains(&derived))
}

/// Turns some derived axes into XORs: powers of two, and weights that flip bits which they write.
fn swizzle(slow: &mut Slow, choice: &Choice) {
    let drawn = |derived: &usize| choice.cuts[6 + derived].is_multiple_of(4);
    let numbers = 0..slow.derived.len();
    let fits = |slow: &Slow, derived: usize| {
        let feeding = slow.axes.iter().chain(slow.derived.iter().map(|(_, axis)| axis));
        let bits = feeding.flat_map(|axis| &axis.digits).map(|digit| match digit.to {
            To::Feed(to, _) if to == derived => digit.size.ilog2(),
            _ => 0,
        });
        bits.sum::<u32>() <= 64
    };
    slow.xors = numbers.filter(drawn).filter(|derived| fits(slow, *derived)).collect();
    for derived in slow.xors.clone() {
        let floor = |size: u64| 1 << size.ilog2();
        slow.derived[derived].1.digits.iter_mut().for_each(|digit| digit.size = floor(digit.size));
        let slots = slow.derived[derived].1.slots();
        for digit in all_digits(slow) {
            if let To::Feed(to, weight) = &mut digit.to
                && *to == derived
            {
                digit.size = floor(digit.size);
                if digit.size > 1 {
                    *weight %= (slots / (digit.size / 2)).max(1);
                }
            }
        }
        let axis = &mut slow.derived[derived];
        (axis.0, axis.1.extent) = (choice.starts[derived] % slots, slots);
    }
}

/// Gives every axis an extent, and every derived axis room for what is fed to it.
fn hold(slow: &mut Slow, choice: &Choice) {
    let mut cuts = choice.cuts.iter().copied().cycle();
    for axis in &mut slow.axes {
        axis.extent = extent(axis, cuts.next().unwrap());
    }
    for derived in
        (0..slow.derived.len()).filter(|derived| !slow.xors.contains(derived)).collect::<Vec<_>>()
    {
        slow.derived[derived].0 = choice.starts[derived];
        let mut needed = needed(slow, derived);
        if !has_room(slow, derived, needed) {
            no_feed(slow, derived);
            needed = self::needed(slow, derived);
        }
        let axis = &mut slow.derived[derived].1;
        let missing = needed.div_ceil(axis.slots());
        if missing > 1 {
            // The existing first digit grows, or another one is inserted before it.
            match axis.digits.first_mut() {
                Some(first) if first.size == 1 && !flips(&slow.xors, first) => first.size = missing,
                _ => axis.digits.insert(0, land(missing, Level::ADDR, 40)),
            }
            if let Some(Digit { to: To::Land(_, stride), .. }) = axis.digits.first_mut() {
                *stride = (*stride).min(1 << 20);
            }
            if let Some(Digit { to: To::Feed(_, weight), .. }) = axis.digits.first_mut() {
                *weight = (*weight).min(1 << 10);
            }
        }
        let slots = axis.slots();
        axis.extent = match cuts.next().unwrap() {
            cut if cut % 3 == 0 => slots,
            cut if cut % 3 == 1 => needed,
            cut => needed + u64::from(cut / 3) % (slots - needed + 1),
        };
    }
}

/// The least extent of a derived axis that holds every value fed to it.
fn needed(slow: &Slow, derived: usize) -> u64 {
    slow.greatest(derived).map_or(0, |greatest| greatest + 1)
}

/// True if the digits of a derived axis could grow to this extent.
fn has_room(slow: &Slow, derived: usize, needed: u64) -> bool {
    let missing = needed.div_ceil(slow.derived[derived].1.slots()).max(1);
    slow.slots() * missing <= 2 * MOST
}

pub(crate) fn no_feed(slow: &mut Slow, derived: usize) {
    slow.derived[derived].0 = 0;
    for digit in all_digits(slow) {
        if let To::Feed(to, weight) = &mut digit.to
            && *to == derived
        {
            *weight = 0;
        }
    }
}

/// Usually the whole axis or a little less, sometimes any extent down to 0.
fn extent(axis: &Axis, cut: u32) -> u64 {
    let slots = axis.slots();
    match cut % 8 {
        0..=3 => slots,
        4..=6 => slots - u64::from(cut / 8 % 3).min(slots - 1),
        _ => u64::from(cut / 8) % (slots + 1),
    }
}

/// Adds offsets, spans beyond the extents, and marked levels.
fn surround(slow: &mut Slow, frame: &Frame) {
    slow.offsets = frame.offsets.iter().copied().collect();
    slow.marked = frame.marked.iter().copied().collect::<BTreeSet<_>>();
    // A level with an offset counts as used.
    slow.marked.extend(frame.offsets.iter().chain(&frame.spans).map(|(level, _)| *level));
    let spans = frame.spans.iter().map(|(level, more)| (*level, slow.extent(*level) + more));
    slow.spans = spans.collect();
}

/// Any syntax tree that the grammar can produce, sensible or not.
pub(crate) fn any_tree() -> impl Strategy<Value = PadLayout> {
    let level = || select(levels());
    let subaxis = || {
        (any::<u64>(), prop::option::of(level()), prop::option::of(any::<u64>()))
            .prop_map(|(size, level, stride)| SubaxisText::new(size, level, stride))
    };
    let axis = prop_oneof![
        prop::collection::vec(subaxis(), 0..4).prop_map(AxisText::new),
        subaxis().prop_map(AxisText::bare),
    ];
    let replica = prop_oneof![
        level().prop_map(ReplicaText::Bare),
        (any::<u64>(), level(), prop::option::of(any::<u64>()))
            .prop_map(|(size, level, stride)| ReplicaText::Sized { size, level, stride }),
    ];
    let memory = select(vec![MemoryText::LM0, MemoryText::LM1, MemoryText::DRAM]);
    let suffix = prop::option::of((memory, prop::option::of(select(Dtype::ALL.to_vec()))));
    let shape = prop::option::of(prop::collection::vec(any::<u64>(), 0..4));
    let axes = prop::collection::vec(axis, 0..4);
    let broadcast = prop::collection::vec(replica, 0..3);
    (shape, axes, broadcast, suffix).prop_map(|(shape, axes, broadcast, suffix)| {
        let mut tree = PadLayout::new(shape, axes, broadcast);
        tree.memory = suffix.map(|(memory, _)| memory);
        tree.dtype = suffix.and_then(|(_, dtype)| dtype);
        tree
    })
}
