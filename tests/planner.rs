//! Laws 5 to 11: what a planner computes with layouts, judged by enumeration.
//!
//! Each law is a function over generated cases that counts answers and refusals; short runs are
//! part of every `cargo test`, the long one prints the share of refusals.

use std::cell::RefCell;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{TestCaseError, TestCaseResult, TestRunner};
use tensor_layout::algebra::{Arrangement, Difference, IndexOrder};
use tensor_layout::{Layout, LayoutError, Level, Location, Machine, Placement};

use crate::generate::{any_layout, good_layout, levels};
use crate::slow::{Digit, Place, Slow, count, location};

/// Answers and refusals of one law, by reason.
#[derive(Debug, Default)]
struct Tally {
    answers: u64,
    refusals: BTreeMap<String, u64>,
}

impl Tally {
    /// The answer, or `None` for a refusal, which is counted under its kind.
    fn answer<T>(&mut self, result: Result<T, LayoutError>) -> Option<T> {
        match result {
            Ok(value) => {
                self.answers += 1;
                Some(value)
            }
            Err(error) => {
                let reason = format!("{error:?}");
                let kind = reason.split([' ', '{', '(']).next().unwrap_or_default().to_owned();
                *self.refusals.entry(kind).or_default() += 1;
                None
            }
        }
    }
}

type Law<T> = fn(&T, &mut Tally) -> TestCaseResult;

fn run<T: std::fmt::Debug>(cases: u32, strategy: impl Strategy<Value = T>, law: Law<T>) -> Tally {
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        max_global_rejects: u32::MAX,
        max_local_rejects: u32::MAX,
        ..ProptestConfig::default()
    };
    let tally = RefCell::new(Tally::default());
    TestRunner::new(config)
        .run(&strategy, |case| law(&case, &mut tally.borrow_mut()))
        .unwrap_or_else(|error| panic!("{error}"));
    tally.into_inner()
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

// Generated pairs.

/// Two small layouts of the same shape, often the same map.
fn pair() -> impl Strategy<Value = (Slow, Slow)> {
    let small = || {
        let digit = (select(vec![1_u64, 2, 3, 4]), select(vec![Level::ADDR, Level::PE]), 0_u64..5);
        let axes = prop::collection::vec(prop::collection::vec(digit.clone(), 0..4), 0..3);
        (axes, prop::collection::vec(digit, 0..2))
    };
    let related = (any_layout(), any::<u64>()).prop_map(|(a, how)| (a.clone(), rewritten(a, how)));
    let unrelated = (small(), small(), any::<Index>()).prop_map(|((a, ra), (b, rb), cut)| {
        let rank = a.len().min(b.len());
        let slots = |axis: &Vec<Digit>| axis.iter().map(|d| d.0).product::<u64>();
        let shape: Vec<u64> = a
            .iter()
            .zip(&b)
            .map(|(x, y)| slots(x).min(slots(y)))
            .map(
                |most| {
                    if cut.index(3) == 0 { most } else { most - cut.index(most as usize) as u64 }
                },
            )
            .collect();
        let slow = |axes: Vec<Vec<Digit>>, replicas| Slow {
            shape: shape.clone(),
            axes: axes.into_iter().take(rank).collect(),
            replicas,
        };
        (slow(a, ra), slow(b, rb))
    });
    prop_oneof![related, unrelated]
}

/// The same map written otherwise, or nearly so.
fn rewritten(mut slow: Slow, how: u64) -> Slow {
    for (at, axis) in slow.axes.iter_mut().enumerate() {
        let mut digits = Vec::new();
        for &(size, level, stride) in axis.iter() {
            let factor = 2 + (how >> at & 1);
            if size % factor == 0 && size > factor && how & 4 == 0 {
                digits.push((size / factor, level, stride * factor));
                digits.push((factor, level, stride));
            } else {
                digits.push((size, level, stride));
            }
        }
        if how & 8 == 0 && !digits.is_empty() {
            digits.insert(how as usize % digits.len(), (1, digits[0].1, 5));
        }
        *axis = digits;
    }
    if how & 0x70 == 0
        && let Some(digit) = slow.axes.iter_mut().flatten().next()
    {
        digit.2 += 1;
    }
    if how & 0x380 == 0
        && let Some(extent) = slow.shape.first_mut()
    {
        *extent = extent.saturating_sub(1);
    }
    slow
}

fn same_map(a: &Slow, b: &Slow) -> bool {
    a.shape == b.shape && a.used() == b.used() && holding(a) == holding(b)
}

/// What lives at every place: all indexes that share it, none for padding.
fn holding(slow: &Slow) -> BTreeMap<Place, BTreeSet<Vec<u64>>> {
    let mut holding: BTreeMap<Place, BTreeSet<Vec<u64>>> = BTreeMap::new();
    for index in slow.slot_indexes() {
        for place in slow.places(&index) {
            let held = holding.entry(place).or_default();
            if slow.is_real(&index) {
                held.insert(index.clone());
            }
        }
    }
    holding
}

fn places(slow: &Slow, index: &[u64]) -> BTreeSet<Place> {
    slow.places(index).into_iter().collect()
}

fn cut_to(place: &Place, used: &BTreeSet<Level>) -> Place {
    place.iter().filter(|(level, _)| used.contains(level)).map(|(l, c)| (*l, *c)).collect()
}

fn law_05_canonical((a, b): &(Slow, Slow), tally: &mut Tally) -> TestCaseResult {
    let (x, y) = (a.layout(), b.layout());
    let Some(canonical) = tally.answer(x.canonical()) else { return Ok(()) };
    let other = y.canonical().unwrap();
    prop_assert_eq!(canonical == other, same_map(a, b), "{:?} {:?}", canonical, other);
    if canonical == other {
        prop_assert_eq!(hash(&canonical), hash(&other));
    }
    let text = x.to_pad_layout().unwrap();
    let simplified = x.simplified().unwrap();
    prop_assert_eq!(simplified.canonical().unwrap(), canonical, "{}", text);
    Ok(())
}

fn law_06_equality((a, b): &(Slow, Slow), tally: &mut Tally) -> TestCaseResult {
    let (x, y) = (a.layout(), b.layout());
    let same_shape = a.shape == b.shape;
    let real = |found: &tensor_layout::Found| format!("{found:?}");
    if let Some(answer) = tally.answer(x.same_map(&y)) {
        prop_assert_eq!(answer.is_none(), same_map(a, b), "{:?}", answer);
        match answer {
            Some(Difference::Place { place, first, second }) => {
                prop_assert_ne!(real(&first), real(&second));
                prop_assert_eq!(x.element(&place).unwrap(), first);
                prop_assert_eq!(y.element(&place).unwrap(), second);
            }
            Some(difference) => check_witness(a, b, &difference, |p, q| p != q)?,
            None => {}
        }
    }
    let each = |agree: &dyn Fn(&BTreeSet<Place>, &BTreeSet<Place>) -> bool| {
        same_shape && a.indexes().iter().all(|index| agree(&places(a, index), &places(b, index)))
    };
    if let Some(answer) = tally.answer(x.same_up_to_padding(&y)) {
        prop_assert_eq!(answer.is_none(), each(&|p, q| p == q), "{:?}", answer);
        if let Some(difference) = answer {
            check_witness(a, b, &difference, |p, q| p != q)?;
        }
    }
    if let Some(answer) = tally.answer(x.serves(&y)) {
        let used = a.used();
        let contains = |p: &BTreeSet<Place>, q: &BTreeSet<Place>| {
            used.is_subset(&b.used()) && q.iter().all(|place| p.contains(&cut_to(place, &used)))
        };
        prop_assert_eq!(answer.is_none(), each(&contains), "{:?}", answer);
        if let Some(difference) = answer {
            check_witness(a, b, &difference, |p, q| !contains(p, q))?;
        }
    }
    Ok(())
}

fn check_witness(
    a: &Slow,
    b: &Slow,
    difference: &Difference,
    differs: impl Fn(&BTreeSet<Place>, &BTreeSet<Place>) -> bool,
) -> TestCaseResult {
    match difference {
        Difference::Shapes(first, second) => prop_assert!(first != second && *first == a.shape),
        Difference::Element { index, first, second } => {
            let (p, q) = (places(a, index), places(b, index));
            prop_assert!(differs(&p, &q), "{:?}", index);
            prop_assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), p.len().min(64));
            let all: BTreeSet<Location> = q.iter().map(location).collect();
            prop_assert!(second.iter().all(|place| all.contains(place)));
        }
        other => prop_assert!(matches!(other, Difference::Levels(..)) && a.used() != b.used()),
    }
    Ok(())
}

/// A layout and a map into its axes, which may leave them.
fn with_map() -> impl Strategy<Value = (Slow, Slow, bool)> {
    let digit = (select(vec![1_u64, 2, 3, 4, 6]), any::<Index>(), any::<Index>());
    let axes = prop::collection::vec(prop::collection::vec(digit, 0..3), 0..3);
    (any_layout(), axes, any::<bool>(), any::<Index>()).prop_map(|(f, axes, linear, cut)| {
        let elements: u64 = f.shape.iter().product();
        let mut room: BTreeMap<Level, u64> =
            (0..).map(Level::axis).zip(f.shape.iter().copied()).collect();
        room.insert(Level::ADDR, elements);
        let mut place = |(size, level, stride): (u64, Index, Index)| {
            let level = match linear || f.shape.is_empty() {
                true => Level::ADDR,
                false => Level::axis(level.index(f.shape.len())),
            };
            // Mostly inside what is left of the axis, at times beyond.
            let left = room.get_mut(&level).unwrap();
            let most = left.saturating_sub(1) / (size - 1).max(1);
            let stride = stride.index(most as usize + 1) as u64 + u64::from(cut.index(40) == 0);
            *left = left.saturating_sub((size - 1) * stride);
            (size, level, stride)
        };
        let axes: Vec<Vec<Digit>> =
            axes.into_iter().map(|axis| axis.into_iter().map(&mut place).collect()).collect();
        let slots = axes.iter().map(|axis: &Vec<Digit>| axis.iter().map(|d| d.0).product::<u64>());
        let shape =
            slots.map(|slots| slots - cut.index(2).min(slots as usize - 1) as u64).collect();
        (f, Slow { shape, axes, replicas: Vec::new() }, linear)
    })
}

fn weights(shape: &[u64], order: IndexOrder) -> Vec<u64> {
    let mut weights = vec![1; shape.len()];
    let ranks: Vec<usize> = match order {
        IndexOrder::RowMajor => (0..shape.len()).rev().collect(),
        IndexOrder::Colexicographic => (0..shape.len()).collect(),
    };
    let mut weight = 1;
    for axis in ranks {
        weights[axis] = weight;
        weight *= shape[axis].max(1);
    }
    weights
}

/// The index that a place names: by axes, or by its linear index.
fn index_at(shape: &[u64], place: &Place, linear: bool, order: IndexOrder) -> Option<Vec<u64>> {
    let index: Vec<u64> = if linear || shape.is_empty() {
        let number = place[&Level::ADDR];
        if number >= shape.iter().product() {
            return None;
        }
        weights(shape, order).iter().zip(shape).map(|(w, extent)| number / w % extent).collect()
    } else {
        (0..shape.len()).map(|axis| place.get(&Level::axis(axis)).copied().unwrap_or(0)).collect()
    };
    index.iter().zip(shape).all(|(entry, extent)| entry < extent).then_some(index)
}

fn law_07_compose((f, g, linear): &(Slow, Slow, bool), tally: &mut Tally) -> TestCaseResult {
    for order in [IndexOrder::RowMajor, IndexOrder::Colexicographic] {
        let (outer, map) = (f.layout(), g.layout());
        // A map without digits names no axis and so is linear.
        let linear = *linear || !g.used().iter().any(|level| *level != Level::ADDR);
        let images: Vec<Option<Vec<u64>>> = g
            .indexes()
            .iter()
            .map(|index| index_at(&f.shape, &g.places(index)[0], linear, order))
            .collect();
        let inside = images.iter().all(Option::is_some);
        let Some(composed) = tally.answer(outer.compose_in(order, &map)) else {
            // Without elements on either side there is nothing to be outside of.
            prop_assert!(!inside || images.is_empty(), "refused though inside the domain");
            continue;
        };
        for (index, image) in g.indexes().iter().zip(images) {
            let expected: BTreeSet<Location> =
                f.places(&image.unwrap()).iter().map(location).collect();
            prop_assert_eq!(composed.locate_all(index).unwrap().collect::<BTreeSet<_>>(), expected);
        }
        prop_assert_eq!(composed.used_levels(), outer.used_levels());
        if !linear {
            let identity = identity(&f.shape);
            prop_assert_eq!(outer.compose(&identity).unwrap().same_map(&outer).unwrap(), None);
        }
    }
    Ok(())
}

fn identity(shape: &[u64]) -> Layout {
    let axes = shape.iter().enumerate();
    let builder = axes.fold(Layout::builder(), |builder, (axis, extent)| {
        builder.axis(
            *extent,
            [tensor_layout::algebra::Subaxis::land((*extent).max(1), Level::axis(axis), 1)],
        )
    });
    builder.build().unwrap()
}

fn law_08_inverse(f: &Slow, tally: &mut Tally) -> TestCaseResult {
    let layout = f.layout();
    let used = layout.used_levels().to_vec();
    let as_index = |place: &Place| used.iter().map(|level| place[level]).collect::<Vec<u64>>();
    let shape_of = |place: &Location| {
        (0..f.shape.len()).map(|axis| place.get(Level::axis(axis)).unwrap()).collect::<Vec<u64>>()
    };
    if let Some(left) = tally.answer(layout.left_inverse()) {
        prop_assert_eq!(left.rank(), used.len());
        for index in f.indexes() {
            let back = left.locate(&as_index(&f.places(&index)[0])).unwrap();
            prop_assert_eq!(shape_of(&back), index.clone());
            let colex = weights(&f.shape, IndexOrder::Colexicographic);
            let linear = left.linearised(IndexOrder::Colexicographic, &f.shape).unwrap();
            let number: u64 = colex.iter().zip(&index).map(|(w, i)| w * i).sum();
            let at = linear.locate(&as_index(&f.places(&index)[0])).unwrap();
            prop_assert_eq!(at.get(Level::ADDR), Some(number));
        }
    }
    if let Some(right) = tally.answer(layout.right_inverse()) {
        for index in f.indexes() {
            let place = f.places(&index)[0].clone();
            let back = shape_of(&right.locate(&as_index(&place)).unwrap());
            prop_assert_eq!(&f.places(&back)[0], &place);
        }
    }
    Ok(())
}

/// A layout in addresses and one derived level, and a space that is often large enough.
fn with_space() -> impl Strategy<Value = (Slow, Vec<(Level, u64)>)> {
    (good_layout(), any::<[u64; 7]>()).prop_map(|(slow, more)| {
        let layout = slow.layout();
        let space = slow.used().into_iter().zip(more).map(|(level, more)| {
            let top = layout.axes().iter().flat_map(|axis| &axis.subaxes).filter_map(|s| {
                match s.target {
                    tensor_layout::algebra::Target::Land { level: of, stride } if of == level => {
                        Some(stride * s.size)
                    }
                    _ => None,
                }
            });
            let filled = top.max().unwrap_or(1).max(1);
            (level, filled * (1 + more % 3) + u64::from(more % 7 == 0))
        });
        (slow.clone(), space.collect())
    })
}

fn law_09_complement((f, space): &(Slow, Vec<(Level, u64)>), tally: &mut Tally) -> TestCaseResult {
    let Some(rest) = tally.answer(f.layout().complement(space)) else { return Ok(()) };
    let size: u64 = space.iter().map(|(_, n)| n).product();
    prop_assume!(size < 30_000);
    let mut covered = BTreeSet::new();
    let offsets: Vec<Location> = rest.indexes().map(|index| rest.locate(&index).unwrap()).collect();
    prop_assert_eq!(&offsets[0], &f.used().iter().map(|level| (*level, 0)).collect::<Location>());
    for place in f.indexes().iter().flat_map(|index| f.places(index)) {
        for offset in &offsets {
            let sum: Vec<u64> = space
                .iter()
                .map(|(level, _)| place[level] + offset.get(*level).unwrap_or(0))
                .collect();
            prop_assert!(sum.iter().zip(space).all(|(at, (_, n))| at < n));
            prop_assert!(covered.insert(sum), "covered twice");
        }
    }
    prop_assert_eq!(covered.len() as u64, size);
    for axis in rest.axes() {
        let strides: Vec<u64> = axis
            .subaxes
            .iter()
            .rev()
            .map(|s| match s.target {
                tensor_layout::algebra::Target::Land { stride, .. } => stride,
                tensor_layout::algebra::Target::Feed { .. } => 0,
            })
            .collect();
        prop_assert!(strides.is_sorted());
    }
    Ok(())
}

fn law_10_divide_product((f, g, linear): &(Slow, Slow, bool), tally: &mut Tally) -> TestCaseResult {
    let (layout, tile) = (f.layout(), g.layout());
    let order = IndexOrder::Colexicographic;
    let divided = |arrangement| layout.divide(order, &tile, arrangement);
    if let Some(flat) = tally.answer(divided(Arrangement::Flat)) {
        // The tile axes are the layout after the tile; all elements are there, in their places.
        let linear = *linear || !g.used().iter().any(|level| *level != Level::ADDR);
        for index in g.indexes() {
            let image = index_at(&f.shape, &g.places(&index)[0], linear, order).unwrap();
            let mut full = index.clone();
            full.resize(flat.rank(), 0);
            prop_assert_eq!(flat.locate(&full).unwrap(), location(&f.places(&image)[0]));
        }
        let all = |layout: &Layout| {
            let mut all: Vec<Location> =
                layout.indexes().map(|i| layout.locate(&i).unwrap()).collect();
            all.sort();
            all
        };
        prop_assert_eq!(all(&flat), all(&layout));
        let logical = divided(Arrangement::Logical).unwrap();
        prop_assert_eq!(all(&logical), all(&layout));
        prop_assert_eq!(flat, divided(Arrangement::Zipped).unwrap());
    }
    let linear_only = |slow: &Slow| slow.used().len() == 1 && slow.replicas.is_empty();
    if linear_only(f) && linear_only(g) {
        let product = layout.product(&tile, Arrangement::Flat);
        if let Some(product) = tally.answer(product) {
            let unit = vec![0; g.shape.len()];
            let mut seen = BTreeSet::new();
            for index in f.indexes() {
                let at = |pattern: &[u64]| product.locate(&[&index[..], pattern].concat()).unwrap();
                if !g.indexes().is_empty() {
                    prop_assert_eq!(at(&unit), location(&f.places(&index)[0]));
                }
                for pattern in g.indexes() {
                    let new = seen.insert(at(&pattern));
                    prop_assert!(new || !f.is_injective() || !g.is_injective());
                }
            }
        }
    }
    Ok(())
}

type Edits = (Slow, Index, Index, [u64; 4]);

fn edits() -> impl Strategy<Value = Edits> {
    (any_layout(), any::<Index>(), any::<Index>(), any::<[u64; 4]>())
}

fn same(a: &Layout, b: &Layout) -> Result<(), TestCaseError> {
    match a.same_map(b) {
        Ok(None) => Ok(()),
        other => Err(TestCaseError::fail(format!("{other:?}"))),
    }
}

fn law_11_reshape((f, pick, other, numbers): &Edits, tally: &mut Tally) -> TestCaseResult {
    let layout = f.layout();
    let rank = f.shape.len();
    let at = |layout: &Layout, index: &[u64]| layout.locate(index).unwrap();
    // Insert and drop.
    let inserted = layout.insert_axis(pick.index(rank + 1)).unwrap();
    same(&inserted.drop_axis(pick.index(rank + 1)).unwrap(), &layout)?;
    // Reshape there and back, to all factors and to one axis.
    let total: u64 = f.shape.iter().product();
    let mut factors = Vec::new();
    let mut rest = total;
    for prime in [2, 3, 5, 7] {
        while rest > 0 && rest.is_multiple_of(prime) && factors.len() < 6 {
            factors.push(prime);
            rest /= prime;
        }
    }
    factors.push(rest);
    let turn = pick.index(factors.len());
    factors.rotate_left(turn);
    for shape in [vec![total], factors] {
        let reshaped = tally.answer(layout.reshape(&shape)).unwrap();
        for (n, index) in count(&shape).into_iter().enumerate().take(500) {
            let from = weights(&f.shape, IndexOrder::RowMajor);
            let old: Vec<u64> = from.iter().zip(&f.shape).map(|(w, e)| n as u64 / w % e).collect();
            prop_assert_eq!(at(&reshaped, &index), location(&f.places(&old)[0]));
        }
        same(&reshaped.reshape(&f.shape).unwrap(), &layout)?;
    }
    if rank == 0 {
        return Ok(());
    }
    let axis = pick.index(rank);
    // Permute and permute back.
    let mut order: Vec<usize> = (0..rank).collect();
    order.rotate_left(axis);
    let mut back = vec![0; rank];
    order.iter().enumerate().for_each(|(to, from)| back[*from] = to);
    let permuted = layout.permute(&order).unwrap();
    same(&permuted.permute(&back).unwrap(), &layout)?;
    for index in f.indexes().into_iter().take(200) {
        let moved: Vec<u64> = order.iter().map(|axis| index[*axis]).collect();
        prop_assert_eq!(at(&permuted, &moved), location(&f.places(&index)[0]));
    }
    // Split and merge.
    let divisors: Vec<u64> = (1..=f.shape[axis]).filter(|d| f.shape[axis] % d == 0).collect();
    if !divisors.is_empty() {
        let inner = divisors[other.index(divisors.len())];
        let split = tally.answer(layout.split_axis(axis, &[f.shape[axis] / inner, inner])).unwrap();
        same(&split.merge_axes(axis, 2).unwrap(), &layout)?;
    }
    // A slice is the restriction.
    let (start, stop, step) = (numbers[0] % 12, numbers[1] % 20, 1 + numbers[2] % 5);
    let slice = tally.answer(layout.slice(axis, start, stop, step)).unwrap();
    let kept: Vec<u64> = (start..stop.min(f.shape[axis])).step_by(step as usize).collect();
    prop_assert_eq!(slice.axes()[axis].extent, kept.len() as u64);
    for index in slice.indexes().take(300) {
        let mut old = index.clone();
        old[axis] = kept[index[axis] as usize];
        let expected: Vec<Location> = f.places(&old).iter().map(location).collect();
        prop_assert_eq!(slice.locate_all(&index).unwrap().collect::<Vec<_>>(), expected);
    }
    // Tiling moves copies by the extent.
    let level = levels()[other.index(7)];
    let tiled = tally.answer(layout.tile(axis, 3, level)).unwrap();
    for index in f.indexes().into_iter().take(100) {
        for copy in 0..3 {
            let mut longer = index.clone();
            longer[axis] += copy * f.shape[axis];
            let mut place = f.places(&index)[0].clone();
            *place.entry(level).or_insert(0) += copy * layout.extent(level);
            prop_assert_eq!(at(&tiled, &longer), location(&place));
        }
    }
    // Padding to a larger shape and slicing back changes no element.
    let mut larger = f.shape.clone();
    larger[axis] += numbers[3] % 5;
    if let Some(padded) = tally.answer(layout.pad_to(&larger)) {
        prop_assert_eq!(padded.shape(), larger);
        let back = padded.slice(axis, 0, f.shape[axis], 1).unwrap();
        prop_assert_eq!(back.same_up_to_padding(&layout).unwrap(), None);
    }
    let trimmed = layout.with_minimal_padding().unwrap();
    prop_assert_eq!(trimmed.same_up_to_padding(&layout).unwrap(), None);
    prop_assert!(trimmed.slots() <= layout.slots());
    check_minimal(f, &trimmed)
}

/// No digit outside units can be smaller: its greatest value is taken by a real element.
fn check_minimal(f: &Slow, trimmed: &Layout) -> TestCaseResult {
    prop_assume!(f.shape.iter().all(|extent| *extent > 0));
    for axis in trimmed.axes() {
        let sizes: Vec<u64> = axis.subaxes.iter().map(|s| s.size).collect();
        for (at, subaxis) in axis.subaxes.iter().enumerate() {
            let tensor_layout::algebra::Target::Land { level, .. } = subaxis.target else {
                continue;
            };
            let below: u64 = sizes[at + 1..].iter().product();
            let taken = (0..axis.extent).map(|value| value / below % subaxis.size).max();
            prop_assert!(level.is_unit() || taken == Some(subaxis.size - 1));
        }
    }
    Ok(())
}

/// Expanding, restricting and projecting.
fn law_11_parts((f, pick, other, numbers): &Edits, tally: &mut Tally) -> TestCaseResult {
    let layout = f.layout();
    let rank = f.shape.len();
    let unit = pick.index(rank + 1);
    let (level, size) = (levels()[other.index(7)], 1 + numbers[0] % 4);
    let expanded = layout.insert_axis(unit).unwrap().expand(unit, size, level);
    if let Some(expanded) = tally.answer(expanded) {
        for index in f.indexes().into_iter().take(100) {
            for k in 0..size {
                let mut longer = index.clone();
                longer.insert(unit, k);
                let mut place = f.places(&index)[0].clone();
                let old = place.get(&level).copied().unwrap_or(0);
                place.insert(level, old * size + k);
                prop_assert_eq!(expanded.locate(&longer).unwrap(), location(&place));
            }
        }
    }
    let used: Vec<Level> = f.used().into_iter().collect();
    let level = used[other.index(used.len())];
    let coordinate = numbers[1] % layout.extent(level);
    let at = [(level, coordinate)].into_iter().collect();
    if let Some(part) = tally.answer(layout.restrict(&at)) {
        let mut seen = BTreeSet::new();
        for index in part.layout.indexes() {
            let whole = part.indexes.locate(&index).unwrap();
            let whole: Vec<u64> =
                (0..rank).map(|axis| whole.get(Level::axis(axis)).unwrap()).collect();
            let held = f.places(&whole).into_iter().filter(|place| place[&level] == coordinate);
            let rest: BTreeSet<Location> = held
                .map(|mut place| {
                    if level != Level::ADDR {
                        place.remove(&level);
                    } else {
                        place.insert(level, 0);
                    }
                    location(&place)
                })
                .collect();
            prop_assert_eq!(part.layout.locate_all(&index).unwrap().collect::<BTreeSet<_>>(), rest);
            prop_assert!(seen.insert(whole));
        }
        let there =
            |index: &Vec<u64>| f.places(index).iter().any(|place| place[&level] == coordinate);
        prop_assert_eq!(seen.len(), f.indexes().iter().filter(|index| there(index)).count());
    }
    let projected = layout.project(level);
    for index in f.indexes().into_iter().take(50) {
        let expected = f.places(&index)[0][&level];
        prop_assert_eq!(projected.locate(&index).unwrap().get(level), Some(expected));
    }
    Ok(())
}

fn law_06_copyable((a, b): &(Slow, Slow), tally: &mut Tally) -> TestCaseResult {
    let (x, y) = (a.layout(), b.layout());
    let mut machine = Machine::builder("test");
    for level in levels().into_iter().filter(|level| level.is_unit()) {
        machine = machine.level(level, x.extent(level).max(y.extent(level)));
    }
    let machine = machine.build().unwrap();
    let place = |layout: Layout| Placement::of(layout).on(&machine).build();
    let (Ok(x), Ok(y)) = (place(x), place(y)) else { return Ok(()) };
    if let Some(answer) = tally.answer(x.copyable(&y)) {
        let bytes = |placement: &Placement, index: &[u64]| {
            placement.locate_all(index).unwrap().collect::<BTreeSet<_>>()
        };
        let expected = a.shape == b.shape
            && a.indexes().iter().all(|index| bytes(&x, index) == bytes(&y, index));
        prop_assert_eq!(answer.is_none(), expected);
    }
    Ok(())
}

#[test]
fn law_05_equal_maps_have_equal_canonical_forms_and_hashes() {
    run(3000, pair(), law_05_canonical);
}

#[test]
fn law_06_every_grade_of_equality_is_enumeration_with_a_witness() {
    run(3000, pair(), law_06_equality);
    run(1000, pair(), law_06_copyable);
}

#[test]
fn law_07_composition_is_application_one_after_the_other() {
    run(2500, with_map(), law_07_compose);
}

#[test]
fn law_08_inverses_invert() {
    run(2000, good_layout(), law_08_inverse);
    run(1000, any_layout(), law_08_inverse);
}

#[test]
fn law_09_layout_times_complement_covers_the_space_once() {
    run(2000, with_space(), law_09_complement);
}

#[test]
fn law_10_divisions_and_products_rearrange_the_same_elements() {
    run(1500, with_map(), law_10_divide_product);
}

#[test]
fn law_11_edits_keep_every_element_in_its_place() {
    run(700, edits(), law_11_reshape);
    run(1500, edits(), law_11_parts);
}

/// The long run: `cargo test --release -- --ignored --nocapture long_run`.
#[test]
#[ignore = "minutes: 100 000 cases of every law"]
fn long_run_of_the_laws_of_the_algebra() {
    const CASES: u32 = 100_000;
    let report = |law: &str, tally: Tally| {
        let refused: u64 = tally.refusals.values().sum();
        let share = 100.0 * refused as f64 / (refused + tally.answers).max(1) as f64;
        println!(
            "{law}: {} answers, {refused} refusals ({share:.1} %) {:?}",
            tally.answers, tally.refusals
        );
    };
    report("canonical", run(CASES, pair(), law_05_canonical));
    report("equality", run(CASES, pair(), law_06_equality));
    report("copyable", run(CASES, pair(), law_06_copyable));
    report("compose", run(CASES, with_map(), law_07_compose));
    report("inverse", run(CASES, any_layout(), law_08_inverse));
    report("complement", run(CASES, with_space(), law_09_complement));
    report("divide, product", run(CASES, with_map(), law_10_divide_product));
    report("edits", run(CASES, edits(), law_11_reshape));
    report("parts", run(CASES, edits(), law_11_parts));
}
