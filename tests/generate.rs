//! Generated layouts: nested strides and free ones, padding, replicas, rank 0 to 4.

use proptest::prelude::*;
use proptest::sample::select;
use tensor_layout::Level;
use tensor_layout::notation::{AxisText, Dtype, MemoryText, PadLayout, ReplicaText, SubaxisText};

use crate::slow::{Digit, Slow};

/// The most slots of a generated layout: each is enumerated, many times.
const MOST_SLOTS: u64 = 600;

pub(crate) fn levels() -> Vec<Level> {
    let custom = Level::new("Core").unwrap();
    vec![Level::ADDR, Level::PE, Level::MAB, Level::L2B, Level::W, Level::TIME, custom]
}

fn digit() -> impl Strategy<Value = Digit> {
    let size = select(vec![1, 2, 3, 4, 5, 6, 7, 8, 16]);
    let level = prop_oneof![4 => Just(Level::ADDR), 6 => select(levels())];
    (size, level, 0_u64..14)
}

/// Any layout, colliding ones among them.
pub(crate) fn any_layout() -> impl Strategy<Value = Slow> {
    let axes = prop::collection::vec(prop::collection::vec(digit(), 0..4), 0..=4);
    let replicas = prop_oneof![3 => Just(0_usize), 1 => 1_usize..3]
        .prop_flat_map(|n| prop::collection::vec(digit(), n));
    let kind = (any::<bool>(), any::<u64>(), prop::collection::vec(any::<u32>(), 4));
    (axes, replicas, kind).prop_map(|(mut axes, mut replicas, (nest, order, cuts))| {
        bound(&mut axes, &mut replicas);
        if nest {
            nest_strides(&mut axes, &mut replicas, order);
        }
        let shape = axes.iter().zip(cuts).map(|(axis, cut)| extent(axis, cut)).collect();
        Slow { shape, axes, replicas }
    })
}

/// Layouts in which no two copies share a place, by the slow definition.
pub(crate) fn good_layout() -> impl Strategy<Value = Slow> {
    any_layout().prop_filter("collides", Slow::is_injective)
}

/// Shrinks sizes to 1 until the slots can be enumerated.
fn bound(axes: &mut [Vec<Digit>], replicas: &mut [Digit]) {
    let mut slots = 1;
    for digit in axes.iter_mut().flatten().chain(replicas) {
        if slots * digit.0 > MOST_SLOTS {
            digit.0 = 1;
        }
        slots *= digit.0;
    }
}

/// Replaces strides so that those of each level nest, in an order drawn by `order`, with gaps.
fn nest_strides(axes: &mut [Vec<Digit>], replicas: &mut [Digit], order: u64) {
    let mut digits: Vec<&mut Digit> = axes.iter_mut().flatten().chain(replicas).collect();
    let turn = if digits.is_empty() { 0 } else { order as usize % digits.len() };
    digits.rotate_left(turn);
    if order & 64 != 0 {
        digits.reverse();
    }
    let mut next = std::collections::BTreeMap::new();
    for (at, (size, level, stride)) in digits.into_iter().enumerate() {
        let free = next.entry(*level).or_insert(1);
        *stride = *free + u64::from(order >> (at % 60) & 7 == 0);
        *free = *stride * *size;
    }
}

/// Mostly the whole axis or a little less, at times any extent down to 0.
fn extent(axis: &[Digit], cut: u32) -> u64 {
    let slots: u64 = axis.iter().map(|digit| digit.0).product();
    match cut % 4 {
        0 | 1 => slots,
        2 => slots - u64::from(cut / 4 % 3).min(slots - 1),
        _ => u64::from(cut / 4) % (slots + 1),
    }
}

/// Any syntax tree that the grammar knows, sensible or not.
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
        let tree = PadLayout::new(shape, axes, broadcast);
        match suffix {
            Some((memory, dtype)) => tree.with_memory(memory, dtype),
            None => tree,
        }
    })
}
