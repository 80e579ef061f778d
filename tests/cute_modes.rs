//! Layouts as functions of the linear index, with CuTe's modes: random layouts, checked only by values.

use std::collections::HashSet;

use itertools::Itertools;
use tensor_layout::algebra::Arrangement::{Flat, Logical, Tiled, Zipped};
use tensor_layout::algebra::IndexOrder::Colexicographic;
use tensor_layout::notation::CuteLayout;
use tensor_layout::{Layout, Level};

use crate::cute_judge::*;

/// The addresses of all elements; the first axis is the fastest.
fn addresses(layout: &Layout) -> Vec<u64> {
    let shape = layout.shape();
    let address = |mut number: u64| {
        let digit = |extent: &u64| {
            let digit = number % extent;
            number /= extent;
            digit
        };
        let index = shape.iter().map(digit).collect_vec();
        layout.locate(&index).unwrap().get(Level::ADDR).unwrap_or(0)
    };
    (0..shape.iter().product()).map(address).collect()
}

/// Returns whether every combination of digits is an element.
fn are_all_slots(layout: &Layout) -> bool {
    layout.derived_axes().is_empty() && layout.axes().iter().all(|axis| axis.extent == axis.slots())
}

fn line(extent: u64) -> Modes {
    vec![vec![(extent, 1)]]
}

#[test]
fn a_function_of_modes_is_composed_as_functions_are() {
    let mut random = Random(20_261_124);
    for _ in 0..2_000 {
        let (outer, inner) = pair(&mut random);
        let composed = lower(&outer).as_function(Colexicographic).compose(&lower(&inner)).unwrap();
        let name = format!("{} o {}", text(&outer), text(&inner));
        assert_eq!(addresses(&composed), composed_values(&outer, &inner), "{name}");
    }
}

#[test]
fn a_product_is_the_tile_again_at_each_step_of_the_pattern() {
    let mut random = Random(31);
    let (mut answered, mut tight) = (0, 0);
    for _ in 0..4_000 {
        let (tile, pattern) = pair(&mut random);
        if size(&tile) * size(&pattern) > 2_000 {
            continue;
        }
        let layout = lower(&tile);
        let multiply = |how| layout.as_function(Colexicographic).product(&lower(&pattern), how);
        let Ok(product) = multiply(Logical) else { continue };
        answered += 1;
        let name = format!("{} times {}", text(&tile), text(&pattern));
        let (all, own, steps) = (addresses(&product), values(&tile), values(&pattern));
        // No place is reserved for copies that do not exist.
        if are_all_slots(&product) {
            assert_eq!(product.extent(Level::ADDR), all.iter().max().unwrap() + 1, "{name}");
            tight += 1;
        }
        let copies = all.chunks(own.len()).collect_vec();
        assert_eq!(copies.len(), steps.len(), "{name}");
        for (copy, step) in copies.iter().zip(&steps) {
            let moved = own.iter().map(|address| copy[0] + address).collect_vec();
            assert_eq!(*copy, moved, "{name}");
            // Equal steps of the pattern are equal copies.
            assert_eq!(copy[0] == copies[0][0], *step == steps[0], "{name}");
        }
        if own.iter().all_unique() && steps.iter().all_unique() {
            assert!(all.iter().all_unique(), "{name}");
        }
        for how in [Zipped, Tiled, Flat] {
            assert_eq!(addresses(&multiply(how).unwrap()), all, "{name}: {how:?}");
        }
    }
    assert!(answered > 1_000 && tight > 800, "{answered}, {tight} of them of all slots");
}

#[test]
fn a_product_by_modes_adds_the_copies_of_each_mode() {
    let mut random = Random(41);
    let mut answered = 0;
    for _ in 0..2_000 {
        let tile = modes(&mut random, 4, &[0, 1, 2, 4, 8, 16]);
        let patterns: Vec<Option<Modes>> = (0..random.below(1 + tile.len() as u64))
            .map(|_| (random.below(3) > 0).then(|| modes(&mut random, 3, &[0, 1, 2, 4])))
            .collect();
        let layout = lower(&tile);
        let function = layout.as_function(Colexicographic);
        let lowered = patterns.iter().map(|p| p.as_ref().map(lower)).collect_vec();
        let name = format!("{} times {:?}", text(&tile), patterns);
        let alone = |k: usize, pattern: &Layout| {
            let mode = lower(&vec![tile[k].clone()]);
            mode.as_function(Colexicographic).product(pattern, Logical)
        };
        let Ok(product) = function.product_modes(&lowered, Logical) else {
            let mut given = lowered.iter().enumerate();
            let refused =
                given.any(|(k, mode)| mode.as_ref().is_some_and(|mode| alone(k, mode).is_err()));
            assert!(refused, "{name} is refused, but no mode alone is");
            continue;
        };
        // The addresses of each mode, and of its copies by the product of that mode alone.
        let own = tile.iter().map(|mode| values(&vec![mode.clone()])).collect_vec();
        let copies = own.iter().enumerate().map(|(k, own)| match lowered.get(k) {
            Some(Some(pattern)) => {
                let alone = addresses(&alone(k, pattern).unwrap());
                alone.into_iter().step_by(own.len()).collect_vec()
            }
            _ => vec![0],
        });
        let copies = copies.collect_vec();
        if own.iter().chain(&copies).map(Vec::len).product::<usize>() > 2_000 {
            continue;
        }
        answered += 1;
        // Sums of one address from each list; the first list is the fastest.
        let sums = |lists: Vec<&Vec<u64>>| {
            lists.iter().rev().fold(vec![0], |sums, list| {
                sums.iter().flat_map(|sum| list.iter().map(move |own| own + sum)).collect_vec()
            })
        };
        let beside = own.iter().zip(&copies).flat_map(|(own, copies)| [own, copies]).collect_vec();
        assert_eq!(addresses(&product), sums(beside), "{name}");
        if are_all_slots(&product) {
            let highest = addresses(&product).into_iter().max().unwrap();
            assert_eq!(product.extent(Level::ADDR), highest + 1, "{name}");
        }
        let sizes = own.iter().zip(&copies).map(|(own, copies)| (own.len() * copies.len()) as u64);
        assert_eq!(product.shape(), sizes.collect_vec(), "{name}");
        // Tiles first; a mode without a pattern belongs to the rest.
        let given = |k: usize| lowered.get(k).is_some_and(Option::is_some);
        let (tiles, rest): (Vec<usize>, Vec<usize>) = (0..own.len()).partition(|k| given(*k));
        let moved = (0..own.len()).map(|k| if rest.contains(&k) { &own[k] } else { &copies[k] });
        let order = tiles.iter().map(|k| &own[*k]).chain(moved).collect_vec();
        for (how, rank) in [(Zipped, 2), (Tiled, 1 + own.len()), (Flat, lowered.len() + own.len())]
        {
            let product = function.product_modes(&lowered, how).unwrap();
            assert_eq!(addresses(&product), sums(order.clone()), "{name}: {how:?}");
            assert_eq!(product.rank(), rank, "{name}: {how:?}");
        }
    }
    assert!(answered > 500, "{answered}");
}

#[test]
fn a_division_numbers_the_same_elements_tile_by_tile() {
    let mut random = Random(37);
    let (mut answered, mut ragged) = (0, 0);
    for _ in 0..4_000 {
        let (outer, tile) = pair(&mut random);
        let n = size(&outer);
        if n * size(&tile) > 20_000 {
            continue;
        }
        let divide = |modes: &Modes, how| {
            lower(modes).as_function(Colexicographic).divide(&lower(&tile), how)
        };
        let (Ok(divided), Ok(numbers)) = (divide(&outer, Logical), divide(&line(n), Logical))
        else {
            continue;
        };
        answered += 1;
        let name = format!("{} by {}", text(&outer), text(&tile));
        let (all, numbers, own) = (addresses(&divided), addresses(&numbers), values(&tile));
        assert_eq!(all.len(), numbers.len(), "{name}");
        let leaves = outer.concat();
        for (address, number) in all.iter().zip(&numbers).filter(|(_, number)| **number < n) {
            assert_eq!(*address, value(&leaves, *number), "{name}: {number}");
        }
        for chunk in numbers.chunks(own.len()) {
            let moved = own.iter().map(|number| chunk[0] + number).collect_vec();
            assert_eq!(chunk, moved, "{name}");
        }
        if own.iter().all_unique() {
            assert!(numbers.iter().all_unique(), "{name}");
            let numbered: HashSet<u64> = numbers.iter().copied().collect();
            assert!((0..n).all(|number| numbered.contains(&number)), "{name}");
        }
        ragged += u32::from(numbers.len() as u64 > n);
        for how in [Zipped, Tiled, Flat] {
            assert_eq!(addresses(&divide(&outer, how).unwrap()), all, "{name}: {how:?}");
        }
    }
    assert!(answered > 1_000 && ragged > 100, "{answered} {ragged}");
}

#[test]
fn a_tiler_has_at_most_one_layout_per_mode() {
    let layout = lower(&vec![vec![(4, 1)], vec![(6, 4)]]);
    let function = layout.as_function(Colexicographic);
    let tile = |extent| Some(lower(&line(extent)));
    for how in [Logical, Zipped, Tiled, Flat] {
        let three = [tile(2), None, tile(3)];
        let expected = "cannot edit the layout: the tiler has 3 modes, but the layout has rank 2";
        for refused in [function.divide_modes(&three, how), function.product_modes(&three, how)] {
            assert_eq!(refused.unwrap_err().to_string(), expected, "{how:?}");
        }
        // Without a layout nothing is divided, and a tensor without axes has no mode to divide.
        let point = Layout::builder().build().unwrap();
        for (function, addresses_of) in
            [(function, addresses(&layout)), (point.as_function(Colexicographic), vec![0])]
        {
            for whole in [function.divide_modes(&[], how), function.product_modes(&[], how)] {
                assert_eq!(addresses(&whole.unwrap()), addresses_of, "{how:?}");
            }
        }
    }
    let halves = function.divide_modes(&[None, tile(3)], Logical).unwrap();
    assert_eq!(CuteLayout::of(&halves).unwrap().to_string(), "(4,(3,2)):(1,(4,12))");
}
