//! Law 11: edits keep every element in its place, and an edit followed by its reverse is the identity.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::Index;
use tensor_layout::algebra::IndexOrder;
use tensor_layout::error::ErrorKind;
use tensor_layout::{Layout, LayoutError, Level, Location};

use crate::generate::{any_layout, levels};
use crate::laws::law_04_collision;
use crate::pairs::weights;
use crate::run::{Tally, laws};
use crate::slow::{Slow, count};

laws! {
    reshaping_there_and_back_is_the_identity: 250, 95 %, edits(), reshaped;
    permuting_and_inserting_there_and_back_is_the_identity: 300, 100 %, edits(), permuted;
    splitting_and_merging_is_the_identity: 300, 95 %, edits(), split;
    a_slice_is_the_restriction_of_the_index: 500, 100 %, edits(), sliced;
    a_tiled_layout_has_its_copies_one_span_apart: 300, 95 %, edits(), tiled;
    an_expanded_axis_is_the_innermost_coordinate_of_its_level: 300, 95 %, edits(), expanded;
    a_split_level_is_a_quotient_and_a_rest: 400, 75 %, edits(), level_split;
    padding_and_slicing_back_gives_every_element_its_place: 400, 60 %, edits(), padded;
}

pub(super) type Edits = (Slow, Index, Index, [u64; 4]);

pub(super) fn edits() -> impl Strategy<Value = Edits> {
    (any_layout(), any::<Index>(), any::<Index>(), any::<[u64; 4]>())
}

/// True if a layout is the same map as the slow one, padding included, and keeps its invariants.
fn same(layout: &Layout, slow: &Slow) -> Result<(), TestCaseError> {
    let found = Slow::of(layout);
    prop_assert!(found.same_map(slow), "{:?}", found);
    prop_assert!(layout.to_builder().build().is_ok(), "{:?} breaks the invariants", found);
    Ok(())
}

/// The places of every index are those of another index of the slow layout.
fn moved(
    layout: &Layout,
    slow: &Slow,
    old: impl Fn(&[u64]) -> Vec<u64>,
) -> Result<(), TestCaseError> {
    let found = Slow::of(layout);
    for index in found.indexes() {
        prop_assert_eq!(found.places(&index), slow.places(&old(&index)), "{:?}", index);
    }
    let (before, after) = (slow.contents(), found.contents());
    prop_assert!(after.keys().eq(before.keys()), "slots come or go");
    prop_assert!(slow.used().into_iter().all(|level| found.span(level) == slow.span(level)));
    Ok(())
}

/// The small prime factors of a number, and the remaining factor.
fn factors(mut rest: u64) -> Vec<u64> {
    let mut factors = Vec::new();
    for prime in [2, 3, 5, 7] {
        while rest > 0 && rest.is_multiple_of(prime) && factors.len() < 6 {
            factors.push(prime);
            rest /= prime;
        }
    }
    factors.push(rest);
    factors
}

fn reshaped((f, pick, _, _): &Edits, tally: &mut Tally) -> Result<(), TestCaseError> {
    let layout = f.layout();
    let mut turned = factors(f.elements());
    let turn = pick.index(turned.len());
    turned.rotate_left(turn);
    let row_major = weights(&f.shape(), IndexOrder::RowMajor);
    for shape in [vec![f.elements()], turned] {
        let reshaped = tally.answer(layout.reshape(&shape))?;
        prop_assert_eq!(reshaped.shape(), shape.clone());
        let new = weights(&shape, IndexOrder::RowMajor);
        moved(&reshaped, f, |index| {
            let number: u64 = new.iter().zip(index).map(|(weight, entry)| weight * entry).sum();
            row_major.iter().zip(f.shape()).map(|(weight, n)| number / weight % n).collect()
        })?;
        same(&tally.answer(reshaped.reshape(&f.shape()))?, f)?;
    }
    let flat = tally.answer(layout.as_function(IndexOrder::Colexicographic).flattened())?;
    let colex = weights(&f.shape(), IndexOrder::Colexicographic);
    moved(&flat, f, |index| {
        colex.iter().zip(f.shape()).map(|(weight, n)| index[0] / weight % n).collect()
    })?;
    let longer = layout.reshape(&[f.elements() + 1]);
    let refused = matches!(&longer, Err(error) if error.kind() == ErrorKind::Argument);
    prop_assert!(refused);
    Ok(())
}

fn permuted((f, pick, _, _): &Edits, tally: &mut Tally) -> Result<(), TestCaseError> {
    let (layout, rank) = (f.layout(), f.rank());
    let at = pick.index(rank + 1);
    let inserted = tally.answer(layout.insert_axis(at))?;
    moved(&inserted, f, |index| [&index[..at], &index[at + 1..]].concat())?;
    same(&tally.answer(inserted.drop_axis(at))?, f)?;
    prop_assert!(layout.insert_axis(rank + 1).is_err() && layout.drop_axis(rank).is_err());
    for axis in 0..rank {
        prop_assert_eq!(layout.drop_axis(axis).is_ok(), f.shape()[axis] == 1);
    }
    let mut order: Vec<usize> = (0..rank).collect();
    order.rotate_left(at % rank.max(1));
    if rank > 1 {
        order.swap(0, at % rank);
    }
    let mut back = vec![0; rank];
    order.iter().enumerate().for_each(|(to, from)| back[*from] = to);
    let permuted = tally.answer(layout.permute(&order))?;
    moved(&permuted, f, |index| back.iter().map(|to| index[*to]).collect())?;
    same(&tally.answer(permuted.permute(&back))?, f)
}

fn split((f, pick, other, _): &Edits, tally: &mut Tally) -> Result<(), TestCaseError> {
    let (layout, shape) = (f.layout(), f.shape());
    if shape.is_empty() {
        return Ok(());
    }
    let axis = pick.index(shape.len());
    let divisors: Vec<u64> = (1..=shape[axis]).filter(|d| shape[axis] % d == 0).collect();
    let inner = divisors.get(other.index(divisors.len().max(1))).copied().unwrap_or(0);
    let outer = shape[axis].checked_div(inner).unwrap_or(3);
    let split = tally.answer(layout.split_axis(axis, &[outer, inner]))?;
    moved(&split, f, |index| {
        let value = index[axis] * inner + index[axis + 1];
        [&index[..axis], &[value], &index[axis + 2..]].concat()
    })?;
    same(&tally.answer(split.merge_axes(axis, 2))?, f)?;
    let merged = tally.answer(layout.merge_axes(axis, shape.len() - axis))?;
    let back = weights(&shape[axis..], IndexOrder::RowMajor);
    moved(&merged, f, |index| {
        let entries = back.iter().zip(&shape[axis..]).map(|(w, n)| index[axis] / w % n);
        index[..axis].iter().copied().chain(entries).collect()
    })
}

fn sliced((f, pick, _, numbers): &Edits, tally: &mut Tally) -> Result<(), TestCaseError> {
    let (layout, shape) = (f.layout(), f.shape());
    if shape.is_empty() {
        return Ok(());
    }
    let axis = pick.index(shape.len());
    let (start, stop, step) = (numbers[0] % 12, numbers[1] % 20, 1 + numbers[2] % 5);
    let slice = tally.answer(layout.slice(axis, start, stop, step))?;
    let kept: Vec<u64> = (start..stop.min(shape[axis])).step_by(step as usize).collect();
    prop_assert_eq!(slice.axes()[axis].extent, kept.len() as u64);
    prop_assert!(layout.slice(axis, start, stop, 0).is_err());
    moved(&slice, f, |index| {
        let mut old = index.to_vec();
        old[axis] = kept[index[axis] as usize];
        old
    })?;
    prop_assert!(slice.to_builder().build().is_ok());
    Ok(())
}

fn tiled((f, pick, other, numbers): &Edits, tally: &mut Tally) -> Result<(), TestCaseError> {
    let (layout, shape) = (f.layout(), f.shape());
    if shape.is_empty() {
        return Ok(());
    }
    let (axis, level) = (pick.index(shape.len()), levels()[other.index(7)]);
    let times = 1 + numbers[0] % 3;
    let tiled = Slow::of(&tally.answer(layout.tile(axis, times, level))?);
    let far = f.span(level) - f.offset(level);
    for index in f.indexes() {
        for copy in 0..times {
            let mut longer = index.clone();
            longer[axis] += copy * shape[axis];
            let expected = f.places(&index).into_iter().map(|mut place| {
                place.set(level, place.get(level).unwrap_or(0) + copy * far);
                place
            });
            prop_assert_eq!(tiled.places(&longer), expected.collect::<Vec<Location>>());
        }
    }
    prop_assert_eq!(tiled.shape()[axis], shape[axis] * times);
    Ok(())
}

fn expanded((f, pick, other, numbers): &Edits, tally: &mut Tally) -> Result<(), TestCaseError> {
    let layout = f.layout();
    let (unit, level) = (pick.index(f.rank() + 1), levels()[other.index(7)]);
    let size = 1 + numbers[0] % 4;
    let inserted = layout.insert_axis(unit).unwrap();
    let expanded = Slow::of(&tally.answer(inserted.expand(unit, size, level))?);
    for index in f.indexes() {
        for k in 0..size {
            let mut longer = index.clone();
            longer.insert(unit, k);
            let expected = f.places(&index).into_iter().map(|mut place| {
                place.set(level, place.get(level).unwrap_or(0) * size + k);
                place
            });
            prop_assert_eq!(expanded.places(&longer), expected.collect::<Vec<Location>>());
        }
    }
    Ok(())
}

fn level_split((f, pick, other, numbers): &Edits, tally: &mut Tally) -> Result<(), TestCaseError> {
    let any = |at: usize| levels()[at % levels().len()];
    let (level, outer) = (any(pick.index(7)), any(other.index(7)));
    let (factor, inner) = (numbers[0] % 9, any(numbers[1] as usize % 7));
    let split = match tally.count(f.layout().split_level(level, factor, outer, inner)) {
        Ok(split) => split,
        Err(error) => return judge_split(f, level, factor, &error),
    };
    prop_assert!(split.to_builder().build().is_ok(), "{:?} breaks the invariants", split);
    let split = Slow::of(&split);
    for index in f.indexes() {
        let expected = f.places(&index).into_iter().map(|place| {
            let at = place.get(level).filter(|_| f.used().contains(&level));
            let mut all: BTreeMap<Level, u64> = place.iter().collect();
            if let Some(at) = at {
                all.remove(&level);
                *all.entry(outer).or_default() += at / factor;
                *all.entry(inner).or_default() += at % factor;
                all.entry(Level::ADDR).or_default();
            }
            all.into_iter().collect()
        });
        prop_assert_eq!(split.places(&index), expected.collect::<Vec<Location>>());
    }
    Ok(())
}

/// Fails for 0, and if the stride of some copies is not a multiple of the group and a carry is possible.
fn judge_split(f: &Slow, of: Level, by: u64, error: &LayoutError) -> Result<(), TestCaseError> {
    prop_assert_eq!(error.level("level"), Some(of), "{}", error);
    match error.kind() {
        ErrorKind::Argument => prop_assert_eq!(by, 0),
        ErrorKind::Uneven => {
            prop_assert_eq!(error.number("factor"), Some(by));
            let copies = f.replicas.iter().filter(|replica| replica.1 == of);
            let uneven = |copies: &&(u64, Level, u64)| copies.0 > 1 && !copies.2.is_multiple_of(by);
            prop_assert!(copies.filter(uneven).count() > 0 && f.extent(of) > by);
        }
        _ => prop_assert!(false, "{}", error),
    }
    Ok(())
}

fn padded((f, pick, _, numbers): &Edits, tally: &mut Tally) -> Result<(), TestCaseError> {
    let (layout, mut shape) = (f.layout(), f.shape());
    if shape.is_empty() {
        return Ok(());
    }
    let axis = pick.index(shape.len());
    shape[axis] += numbers[3] % 5;
    let padded = match tally.count(layout.pad_to(&shape)) {
        Ok(padded) => padded,
        Err(error) => return judge_padding(f, &shape, &error),
    };
    prop_assert_eq!(padded.shape(), shape);
    let slow = Slow::of(&padded);
    if f.is_injective() {
        prop_assert!(slow.is_injective());
    } else {
        in_blocks(f, axis, &slow)?;
    }
    for index in f.indexes() {
        prop_assert_eq!(slow.places(&index), f.places(&index));
    }
    let back = tally.answer(padded.slice(axis, 0, f.shape()[axis], 1))?;
    let back = Slow::of(&back);
    prop_assert!(f.indexes().iter().all(|index| back.places(index) == f.places(index)));
    Ok(())
}

/// New elements share places in the same way as the old ones, in blocks after them.
fn in_blocks(f: &Slow, axis: usize, padded: &Slow) -> Result<(), TestCaseError> {
    let (extent, far) = (f.shape()[axis], f.span(Level::ADDR) - f.offset(Level::ADDR));
    for index in padded.indexes() {
        let (mut old, block) = (index.clone(), index[axis] / extent);
        old[axis] %= extent;
        let expected = f.places(&old).into_iter().map(|mut place| {
            let at = place.get(Level::ADDR).unwrap_or(0);
            place.set(Level::ADDR, at + block * far);
            place
        });
        prop_assert_eq!(padded.places(&index), expected.collect::<Vec<Location>>());
    }
    Ok(())
}

/// Padding fails if a new element would overlap another one, in the layout as it is or because a slot of
/// padding that becomes an element overlaps one.
fn judge_padding(f: &Slow, shape: &[u64], error: &LayoutError) -> Result<(), TestCaseError> {
    prop_assert!(f.is_injective(), "{}", error);
    let mut larger = f.clone();
    for (axis, extent) in larger.axes.iter_mut().zip(shape) {
        axis.extent = (*extent).min(axis.slots());
    }
    let Some((first, second, place)) = law_04_collision::shared(error) else {
        return Err(TestCaseError::fail(error.to_string()));
    };
    if law_04_collision::is_of_copies(error) {
        return Ok(());
    }
    prop_assert_ne!(first, second);
    // If all of the padding already existed, this is the same as enlarging the extent.
    if larger.shape() == shape && larger.build().is_ok() {
        return law_04_collision::judge(&larger, error);
    }
    let is_new = |index: &[u64]| count(shape).iter().any(|of| of == index);
    prop_assert!(is_new(first) && is_new(second), "{}", place);
    Ok(())
}
