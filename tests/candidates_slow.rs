//! The slow definition of candidates: all ways to write a layout, and the constraints taken literally.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use tensor_layout::candidates::{Candidates, Orders, Side};
use tensor_layout::notation::PadLayout;
use tensor_layout::{Layout, Level, Machine};

use crate::plain::{Digit, Plain, count};

/// The constraints, as plain data.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    machine: Vec<(Level, u64)>,
    shape: Vec<u64>,
    element_bits: Option<u64>,
    levels: Option<Vec<Level>>,
    split: Vec<Level>,
    parts: usize,
    sides: Vec<Side>,
    replicate: bool,
    alignment: u64,
    capacity: Option<u64>,
    padding: u64,
    time: Vec<u64>,
    time_axes: usize,
    orders: Orders,
    tree: bool,
    never: Vec<(usize, Level)>,
    fixed: Vec<(usize, Vec<Level>)>,
    contiguous: Option<(usize, u64)>,
}

impl Wish {
    pub(crate) fn plain(machine: &[(Level, u64)], shape: &[u64]) -> Wish {
        Wish {
            machine: machine.to_vec(),
            shape: shape.to_vec(),
            element_bits: None,
            levels: None,
            split: Vec::new(),
            parts: 1,
            sides: vec![Side::Major, Side::Minor],
            replicate: true,
            alignment: 1,
            capacity: None,
            padding: 50,
            time: vec![1],
            time_axes: 1,
            orders: Orders::All,
            tree: false,
            never: Vec::new(),
            fixed: Vec::new(),
            contiguous: None,
        }
    }

    pub(crate) fn machine(&self) -> Machine {
        let builder = Machine::builder("m");
        let levels = self.machine.iter().fold(builder, |b, (level, size)| b.level(*level, *size));
        levels.build().unwrap()
    }

    pub(crate) fn candidates(&self) -> Candidates {
        Candidates {
            without_copies_in: self.split.to_vec(),
            level_parts: self.parts,
            sides: self.sides.to_vec(),
            replicate: self.replicate,
            alignment: self.alignment,
            padding_percent: self.padding,
            time: self.time.to_vec(),
            time_axes: self.time_axes,
            orders: self.orders,
            tree_order: self.tree,
            element_bits: self.element_bits,
            levels: self.levels.clone(),
            capacity_words: self.capacity,
            never: self.never.clone(),
            fixed: self.fixed.clone(),
            contiguous: self.contiguous.into_iter().collect(),
            ..Candidates::new(&self.machine(), &self.shape)
        }
    }

    /// The levels with their sizes, including lanes.
    fn units(&self) -> Vec<(Level, u64)> {
        let lanes = self.element_bits.map(|bits| (Level::W, 64 / bits));
        self.machine.iter().copied().chain(lanes).filter(|(_, size)| *size > 1).collect()
    }
}

/// Ordered products of at most `most` sizes, by trying every list of sizes.
fn products(number: u64, most: usize) -> Vec<Vec<u64>> {
    let lists = (1..=most).flat_map(|n| count(&vec![number + 1; n]));
    lists.filter(|l| l.iter().all(|s| *s > 1) && l.iter().product::<u64>() == number).collect()
}

/// All permutations of a list.
fn orders<T: Clone>(all: &[T]) -> Vec<Vec<T>> {
    let positions = count(&vec![all.len() as u64; all.len()]);
    let is_order = |p: &Vec<u64>| p.iter().collect::<BTreeSet<_>>().len() == p.len();
    let pick = |p: Vec<u64>| p.iter().map(|at| all[*at as usize].clone()).collect();
    positions.into_iter().filter(is_order).map(pick).collect()
}

/// The space, sentence by sentence: every list of digits on every side of every axis is written down first,
/// and checked afterwards.
pub(crate) fn brute_force(wish: &Wish) -> BTreeMap<String, Plain> {
    let rank = wish.shape.len();
    // The position of each piece of each level: a side of an axis, or (rank, _) for copies.
    let mut places: Vec<Vec<(Digit, usize, usize)>> = vec![Vec::new()];
    for (level, units) in wish.units() {
        let mut more = Vec::new();
        for cut in products(units, wish.parts) {
            for put in count(&vec![2 * rank as u64 + 1; cut.len()]) {
                let mut stride = units;
                let pieces: Vec<_> = cut
                    .iter()
                    .zip(put)
                    .map(|(size, put)| {
                        stride /= size;
                        ((*size, level, stride), put as usize / 2, put as usize % 2)
                    })
                    .collect();
                let copies = |piece: &(Digit, usize, usize)| piece.1 == rank;
                let doubled = pieces.windows(2).any(|pair| copies(&pair[0]) && copies(&pair[1]));
                let must = wish.split.contains(&level)
                    || (!wish.replicate && wish.levels.as_ref().is_none_or(|l| l.contains(&level)));
                let lone = pieces.iter().all(copies);
                let allowed = wish.levels.as_ref().is_none_or(|l| l.contains(&level)) || lone;
                if doubled || (must && pieces.iter().any(copies)) || !allowed {
                    continue;
                }
                let keep = |p: &(Digit, usize, usize)| !(lone && copies(p));
                let pieces: Vec<_> = pieces.into_iter().filter(keep).collect();
                more.extend(places.iter().map(|before| [&before[..], &pieces].concat()));
            }
        }
        places = more;
    }
    let mut found = BTreeMap::new();
    for placed in places {
        for time in times(wish) {
            lists(wish, &placed, &time, &mut found);
        }
    }
    found
}

/// The digits of time, each with its axis: all sizes on all axes, in all orders of time.
fn times(wish: &Wish) -> Vec<Vec<(usize, Digit)>> {
    let rank = wish.shape.len() as u64;
    let mut all = Vec::new();
    for cut in wish.time.iter().flat_map(|slices| match slices {
        1 => vec![vec![]],
        _ => products(*slices, wish.time_axes),
    }) {
        for axes in count(&vec![rank; cut.len()]) {
            if axes.iter().collect::<BTreeSet<_>>().len() < axes.len() {
                continue;
            }
            let mut stride = cut.iter().product::<u64>();
            let digits = axes.iter().zip(&cut).map(|(axis, size)| {
                stride /= size;
                (*axis as usize, (*size, Level::TIME, stride))
            });
            all.push(digits.collect());
        }
    }
    all
}

/// Every order of the digits on every side, and every order of the address.
fn lists(
    wish: &Wish,
    placed: &[(Digit, usize, usize)],
    time: &[(usize, Digit)],
    found: &mut BTreeMap<String, Plain>,
) {
    let rank = wish.shape.len();
    let of = |axis: usize, side: usize| -> Vec<Digit> {
        placed.iter().filter(|p| p.1 == axis && p.2 == side).map(|p| p.0).collect()
    };
    let copies = [of(rank, 0), of(rank, 1)].concat();
    let mut sides: Vec<Vec<Vec<Digit>>> = vec![Vec::new()];
    for list in (0..2 * rank).map(|list| orders(&of(list / 2, list % 2))) {
        let longer = |head: &Vec<Vec<Digit>>| -> Vec<Vec<Vec<Digit>>> {
            list.iter().map(|one| [&head[..], std::slice::from_ref(one)].concat()).collect()
        };
        sides = sides.iter().flat_map(longer).collect();
    }
    for sides in sides {
        for order in orders(&(0..rank).collect::<Vec<_>>()) {
            if let Some(slow) = written(wish, &sides, time, &order, &copies) {
                let text = PadLayout::of(&slow.layout()).unwrap().to_string();
                found.insert(text, slow);
            }
        }
    }
}

/// One layout, if it satisfies every rule. `order` names the axes, outermost first.
fn written(
    wish: &Wish,
    sides: &[Vec<Digit>],
    time: &[(usize, Digit)],
    order: &[usize],
    copies: &[Digit],
) -> Option<Plain> {
    let rank = wish.shape.len();
    let block = |axis| wish.contiguous.filter(|(of, _)| *of == axis).map_or(1, |(_, run)| run);
    let time = |axis| time.iter().filter(move |(of, _)| *of == axis).map(|(_, digit)| *digit);
    let slices = |axis| time(axis).map(|digit| digit.0).product::<u64>();
    let split = |axis: usize| -> u64 {
        sides[2 * axis].iter().chain(&sides[2 * axis + 1]).map(|d| d.0).product::<u64>()
            * slices(axis)
    };
    let least = |axis: usize, step: u64| -> u64 {
        (1..).map(|n| n * step).find(|words| words * split(axis) >= wish.shape[axis]).unwrap()
    };
    let mut words: Vec<u64> = (0..rank).map(|axis| least(axis, block(axis))).collect();
    let moving: Vec<usize> = order.iter().copied().filter(|axis| words[*axis] > 1).collect();
    let mut row_major = moving.clone();
    row_major.sort_by_key(|axis| (block(*axis) > 1, *axis));
    if wish.orders == Orders::RowMajor && moving != row_major {
        return None;
    }
    if let Some(last) = moving.last() {
        let step = (1..).find(|n| n % block(*last) == 0 && n % wish.alignment == 0).unwrap();
        words[*last] = least(*last, step);
        if moving.iter().any(|axis| block(*axis) > 1 && axis != last) {
            return None;
        }
    }
    let mut stride = 1;
    let mut strides = vec![1; rank];
    for axis in moving.iter().rev() {
        strides[*axis] = stride;
        stride *= words[*axis];
    }
    let mut axes = Vec::new();
    for axis in 0..rank {
        let (major, minor) = (&sides[2 * axis], &sides[2 * axis + 1]);
        let inner = if minor.is_empty() { words[axis] } else { block(axis) };
        let outer = words[axis] / inner;
        let mut digits: Vec<Digit> = time(axis).collect();
        digits.extend(major);
        digits.push((outer, Level::ADDR, strides[axis] * inner));
        digits.extend(minor);
        digits.push((inner, Level::ADDR, strides[axis]));
        digits.retain(|digit| digit.0 > 1);
        axes.push(digits);
        let sides_differ = words[axis] / block(axis) > 1;
        if !sides_differ && !minor.is_empty() && wish.sides.contains(&Side::Major) {
            return None;
        }
    }
    let slow = Plain { shape: wish.shape.clone(), axes, replicas: copies.to_vec() };
    let legal = is_legal(wish, &slow, sides, stride);
    legal.then_some(slow)
}

fn is_legal(wish: &Wish, slow: &Plain, sides: &[Vec<Digit>], footprint: u64) -> bool {
    let rank = wish.shape.len();
    let allowed = |side: Side, at: usize| {
        wish.sides.contains(&side) || (0..rank).all(|axis| sides[2 * axis + at].is_empty())
    };
    let names = |axis: usize| -> BTreeSet<Level> {
        sides[2 * axis].iter().chain(&sides[2 * axis + 1]).map(|d| d.1).collect()
    };
    // In the order of the machine and, within a level, of its pieces.
    let units = wish.units();
    let number = |digit: &Digit| units.iter().position(|(level, _)| *level == digit.1);
    let never = |axis: usize, level: Level| {
        !names(axis).contains(&level) && !slow.axes[axis].iter().any(|digit| digit.1 == level)
    };
    let in_tree_order = |list: &Vec<Digit>| {
        list.windows(2).all(|p| (number(&p[0]), p[1].2) < (number(&p[1]), p[0].2))
    };
    let merges = |pair: &[Digit]| pair[0].1 == pair[1].1 && pair[0].2 == pair[1].0 * pair[1].2;
    // A digit must take at least two values; a time digit must take all of them, so that no slice is empty.
    let moves = |axis: usize| {
        let digits = &slow.axes[axis];
        (0..digits.len()).all(|at| {
            let below: u64 = digits[at + 1..].iter().map(|d| d.0).product();
            let values = (0..wish.shape[axis]).map(|i| i / below % digits[at].0);
            let values = values.collect::<BTreeSet<_>>().len() as u64;
            values >= if digits[at].1 == Level::TIME { digits[at].0 } else { 2 }
        })
    };
    let slots: u64 = slow.axes.iter().flatten().map(|digit| digit.0).product();
    let elements: u64 = wish.shape.iter().product();
    allowed(Side::Major, 0)
        && allowed(Side::Minor, 1)
        && (!wish.tree || sides.iter().all(in_tree_order))
        && (0..rank).all(|axis| wish.shape[axis] > 1 || slow.axes[axis].is_empty())
        && (0..rank).all(moves)
        && !slow.axes.iter().any(|axis| axis.windows(2).any(merges))
        && (slots - elements) * 100 <= slots * wish.padding
        && wish.capacity.is_none_or(|capacity| footprint <= capacity)
        && wish.never.iter().all(|(axis, level)| never(*axis, *level))
        && wish.fixed.iter().all(|(axis, levels)| names(*axis) == levels.iter().copied().collect())
}

pub(crate) fn wishes() -> impl Strategy<Value = Wish> {
    let [pe, l2b, core] = [Level::PE, Level::L2B, Level::new("Core").unwrap()];
    let size = || select(vec![2_u64, 2, 3, 4]);
    let machine = prop_oneof![
        size().prop_map(move |a| vec![(pe, a)]),
        (size(), size()).prop_map(move |(a, b)| vec![(pe, a), (l2b, b)]),
        Just(vec![(l2b, 2), (core, 1), (pe, 2)]),
    ];
    let shape = prop::collection::vec(select(vec![1_u64, 2, 3, 4, 5, 6, 8, 9]), 0..=3);
    let kind = (select(vec![1_usize, 1, 2, 3]), any::<bool>(), select(vec![1_u64, 1, 2, 3]));
    let sides = select(vec![
        vec![Side::Major, Side::Minor],
        vec![Side::Major, Side::Minor],
        vec![Side::Minor],
        vec![Side::Major],
    ]);
    let amounts = (select(vec![None, Some(2), Some(6)]), select(vec![0_u64, 20, 50, 80]));
    let time = (subsequence(vec![1_u64, 2, 3, 4], 1..=3), select(vec![1_usize, 1, 2, 3]));
    let more = (0..7_usize, 0..3_usize, select(vec![pe, l2b]), 0..4_usize, any::<bool>());
    (machine, shape, kind, sides, amounts, time, more).prop_map(
        |(
            machine,
            shape,
            (parts, replicate, alignment),
            sides,
            (capacity, padding),
            time,
            more,
        )| {
            let (kind, axis, level, order, lanes) = more;
            let level =
                if machine.iter().any(|(of, _)| *of == level) { level } else { machine[0].0 };
            let mut wish = Wish::plain(&machine, &shape);
            (wish.parts, wish.replicate, wish.alignment) = (parts, replicate, alignment);
            (wish.sides, wish.capacity, wish.padding) = (sides, capacity, padding);
            (wish.time, wish.time_axes) = time;
            wish.orders = if order & 1 == 1 { Orders::RowMajor } else { Orders::All };
            wish.tree = order & 2 == 2;
            wish.element_bits = (lanes && machine.len() == 1).then_some(32);
            if axis < shape.len() {
                match kind {
                    0 => wish.never = vec![(axis, level)],
                    1 => wish.fixed = vec![(axis, vec![level])],
                    2 => wish.contiguous = Some((axis, 2)),
                    3 => wish.split = vec![level],
                    4 => wish.levels = Some(vec![level]),
                    5 => wish.never = vec![(axis, Level::TIME)],
                    _ => {}
                }
            }
            wish
        },
    )
}

/// Every place of every element: identical for two layouts that are the same candidate.
pub(crate) fn map_of(layout: &Layout) -> Vec<BTreeSet<String>> {
    let places = |index: Vec<u64>| {
        layout.locate_all(&index).unwrap().map(|place| place.to_string()).collect()
    };
    layout.indexes().map(places).collect()
}
