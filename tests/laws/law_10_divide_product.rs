//! Law 10: divisions and products rearrange the same elements.

use std::collections::BTreeSet;

use itertools::Itertools;
use proptest::prelude::*;
use tensor_layout::algebra::{Arrangement, IndexOrder, Repeat};
use tensor_layout::error::ErrorKind;
use tensor_layout::{Layout, LayoutError, Level, Location};

use crate::generate::{any_layout, plain_layout};
use crate::laws::law_07_compose::images;
use crate::pairs::{Map, with_map};
use crate::run::{Tally, laws};
use crate::slow::{Slow, To};

laws! {
    a_division_has_the_tile_and_then_all_other_elements: 700, 25 %, with_map(), divided;
    a_product_has_the_layout_at_every_place_of_the_pattern: 500, 25 %, addresses(), multiplied;
}

const ORDERS: [IndexOrder; 2] = [IndexOrder::RowMajor, IndexOrder::Colexicographic];

/// The places of all elements, with multiplicity.
fn all(slow: &Slow) -> Vec<Vec<Location>> {
    let mut all = slow.places_by_element();
    all.sort();
    all
}

fn divided((f, map): &(Slow, Map), tally: &mut Tally) -> Result<(), TestCaseError> {
    let (layout, tile) = (f.layout(), map.slow.layout());
    for order in ORDERS {
        let divided = |arrangement| layout.as_function(order).divide_axes(&tile, arrangement);
        let flat = match tally.count(divided(Arrangement::Flat)) {
            Ok(flat) => Slow::of(&flat),
            Err(error) => return judge(&layout, map, order, &error),
        };
        let images = images(&f.shape(), map, order);
        for (index, image) in map.slow.indexes().iter().zip(images) {
            let mut full = index.clone();
            full.resize(flat.rank(), 0);
            let image = image.ok_or(TestCaseError::fail("answered though outside the domain"))?;
            prop_assert_eq!(flat.places(&full), f.places(&image));
        }
        prop_assert_eq!(all(&flat), all(f));
        let logical = tally.answer(divided(Arrangement::Logical))?;
        prop_assert_eq!(all(&Slow::of(&logical)), all(f));
        let mut axes = (logical.axes().to_vec(), flat.layout().axes().to_vec());
        axes.0.sort_by_key(|axis| format!("{axis:?}"));
        axes.1.sort_by_key(|axis| format!("{axis:?}"));
        prop_assert_eq!(axes.0, axes.1, "the arrangements have different axes");
        for same in [Arrangement::Zipped, Arrangement::Tiled] {
            prop_assert_eq!(&Slow::of(&divided(same).unwrap()), &flat);
        }
    }
    Ok(())
}

/// A division fails for the reason of its complement or composition, which other laws check.
fn judge(
    layout: &Layout,
    map: &Map,
    order: IndexOrder,
    error: &LayoutError,
) -> Result<(), TestCaseError> {
    let tile = map.slow.layout();
    let space: Vec<(Level, u64)> = match map.is_linear() {
        true => vec![(Level::ADDR, layout.elements())],
        false => (0..).map(Level::axis).zip(layout.shape()).collect(),
    };
    let refused =
        tile.complement(&space).err().or(layout.as_function(order).compose_axes(&tile).err());
    prop_assert!(refused.is_some(), "{}", error);
    Ok(())
}

/// Two layouts, mostly in addresses alone.
fn addresses() -> impl Strategy<Value = (Slow, Slow)> {
    let in_addresses = |mut slow: Slow| {
        for digit in slow.axes.iter_mut().flat_map(|axis| &mut axis.digits) {
            if let To::Land(_, stride) = digit.to {
                digit.to = To::Land(Level::ADDR, stride);
            }
        }
        slow.replicas.clear();
        slow
    };
    let mostly = move || prop_oneof![9 => plain_layout().prop_map(in_addresses), 1 => any_layout()];
    (mostly(), mostly()).prop_filter("too many", |(a, b)| a.elements() * b.elements() < 3000)
}

/// Axis k of the repeated layout has the digits of axis k of both, in the requested order.
fn repeated(tile: &Layout, pattern: &Layout, product: &Layout) -> Result<(), TestCaseError> {
    let entry = |index: &[u64], axis: usize| index.get(axis).copied().unwrap_or(0);
    let extent = |layout: &Layout, axis: usize| layout.shape().get(axis).copied().unwrap_or(1);
    for (order, repeat) in [
        (IndexOrder::Colexicographic, Repeat::Blocks),
        (IndexOrder::Colexicographic, Repeat::Interleaved),
        (IndexOrder::RowMajor, Repeat::Blocks),
        (IndexOrder::RowMajor, Repeat::Interleaved),
    ] {
        let Ok(repeated) = tile.as_function(order).repeated(pattern, repeat) else { continue };
        for (inside, copy) in
            tile.indexes().flat_map(|x| pattern.indexes().map(move |y| (x.clone(), y)))
        {
            let whole = |axis| {
                let (inside, copy) = (entry(&inside, axis), entry(&copy, axis));
                match repeat {
                    Repeat::Blocks => copy * extent(tile, axis) + inside,
                    Repeat::Interleaved => inside * extent(pattern, axis) + copy,
                }
            };
            let whole: Vec<u64> = (0..repeated.rank()).map(whole).collect();
            let places = repeated.locate_all(&whole).map(Vec::from_iter);
            let expected = product.locate_all(&[&inside[..], &copy].concat()).map(Vec::from_iter);
            prop_assert_eq!(places, expected, "{:?} {:?}", order, repeat);
        }
    }
    Ok(())
}

fn multiplied((f, g): &(Slow, Slow), tally: &mut Tally) -> Result<(), TestCaseError> {
    let (layout, pattern) = (f.layout(), g.layout());
    let product = match tally.count(layout.product(&pattern, Arrangement::Flat)) {
        Ok(product) => {
            repeated(&layout, &pattern, &product)?;
            Slow::of(&product)
        }
        Err(error) if error.kind() == ErrorKind::Argument && error.number("copies").is_none() => {
            let level = error.level("level").unwrap();
            let used = f.used().into_iter().chain(g.used());
            let copies = [f, g].iter().any(|slow| !slow.replicas.is_empty());
            prop_assert!(copies || used.into_iter().any(|of| of == level && of != Level::ADDR));
            return Ok(());
        }
        Err(error) if error.kind() == ErrorKind::Argument => {
            let copies = error.number("copies").unwrap();
            prop_assert!(g.replicas.iter().any(|(size, ..)| *size == copies && copies > 1));
            return Ok(());
        }
        Err(error) if error.kind() == ErrorKind::CannotComplement => {
            // It lacks a complement in every space that it could fill; the law of complements checks that.
            return Ok(());
        }
        Err(error) if error.kind() == ErrorKind::OutsideDomain => return Ok(()),
        Err(error) => return Err(TestCaseError::fail(error.to_string())),
    };
    prop_assert_eq!(product.shape(), [f.shape(), g.shape()].concat());
    let firsts = |slow: &Slow| -> Vec<u64> {
        let places = slow.places_by_element();
        places.iter().map(|places| places[0].get(Level::ADDR).unwrap()).collect()
    };
    let (own, all) = (firsts(f), firsts(&product));
    let patterns = g.elements() as usize;
    let at = |index: usize, pattern: usize| all[index * patterns + pattern];
    let (mut seen, mut overlap) = (BTreeSet::new(), None);
    for (index, pattern) in (0..own.len()).cartesian_product(0..patterns) {
        if pattern == 0 {
            // At the origin of the pattern, the layout is unchanged, wherever it begins.
            prop_assert_eq!(at(index, 0) + own[0], own[index] + at(0, 0));
        }
        // Every copy is the layout, shifted.
        let moved = at(0, pattern) + at(index, 0);
        prop_assert_eq!(at(index, pattern) + at(0, 0), moved);
        let new = seen.insert(at(index, pattern));
        let mut may_overlap =
            || *overlap.get_or_insert_with(|| !f.is_injective() || !g.is_injective());
        prop_assert!(new || may_overlap(), "copies overlap");
    }
    Ok(())
}
