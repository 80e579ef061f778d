//! Law 14: the map of an XLA shape is the formula of XLA's documentation, and a layout converted from a shape
//! can be converted back to one.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestCaseResult;
use tensor_layout::notation::PadLayout;
use tensor_layout::xla::{TileDim, XlaArray, XlaDim, XlaDtype, XlaLayout, XlaShape};
use tensor_layout::{Found, Layout, Level, Location};

use crate::run::{Tally, laws};
use crate::slow::count;

laws! {
    the_lowered_map_is_the_formula_at_every_address: 1500, 100 %, any_array(), lowered;
    a_shape_is_parsed_from_what_it_prints: 1500, 100 %, written(), printed;
    a_pad_layout_of_a_shape_is_the_same_element_by_element: 600, 57 %, any_array(), as_pad_layout;
    a_shape_raised_from_a_layout_lowers_to_it: 300, 50 %, any_array(), raised;
    with_the_shape_as_a_hint_a_layout_comes_back_as_written: 300, 100 %, in_a_space(), hinted;
    an_edited_layout_with_a_hint_is_the_edited_map: 300, 60 %, edited(), edit;
}

/// The formula of the documentation, tile by tile: the linear index of physical index `e` in physical
/// dimensions `d`, and the total size.
fn formula(mut e: Vec<u64>, mut d: Vec<u64>, tiles: &[Vec<TileDim>]) -> (u64, u64) {
    for tile in tiles {
        while d.len() < tile.len() {
            d.insert(0, 1);
            e.insert(0, 0);
        }
        let from = d.len() - tile.len();
        let (mut tiled, mut t): (Vec<(u64, u64)>, Vec<u64>) = (Vec::new(), Vec::new());
        for (at, entry) in (from..).zip(tile) {
            match entry {
                TileDim::Combine => {
                    e[at + 1] += e[at] * d[at + 1];
                    d[at + 1] *= d[at];
                }
                TileDim::Size(size) => {
                    tiled.push((e[at], d[at]));
                    t.push(*size as u64);
                }
            }
        }
        e.truncate(from);
        d.truncate(from);
        let split = |f: fn(u64, u64) -> u64, v: Vec<u64>| {
            v.into_iter().zip(&t).map(|(v, t)| f(v, *t)).collect::<Vec<_>>()
        };
        let (te, td): (Vec<u64>, Vec<u64>) = tiled.into_iter().unzip();
        e.extend(split(|e, t| e / t, te.clone()));
        e.extend(split(|e, t| e % t, te));
        d.extend(split(|d, t| d.div_ceil(t).max(1), td));
        d.extend(t);
    }
    (e.iter().zip(&d).fold(0, |sum, (e, d)| sum * d + e), d.iter().product())
}

/// Address of a logical index, and the span in elements before `L`.
pub(crate) fn judge(array: &XlaArray, index: &[u64]) -> (u64, u64) {
    let layout = array.layout_or_default();
    let order: Vec<usize> = layout.minor_to_major.iter().rev().map(|d| *d as usize).collect();
    let extents = array.extents().unwrap();
    let e = order.iter().map(|axis| index[*axis]).collect();
    let d = order.iter().map(|axis| extents[*axis].max(1)).collect();
    formula(e, d, &layout.tiles)
}

pub(crate) fn any_array() -> impl Strategy<Value = XlaArray> {
    let entry = prop_oneof![
        6 => (1_i64..6).prop_map(TileDim::Size),
        1 => Just(TileDim::Combine),
    ];
    let tile = prop::collection::vec(entry, 1..5).prop_map(|mut tile| {
        if let Some(last) = tile.last_mut().filter(|last| **last == TileDim::Combine) {
            *last = TileDim::Size(3);
        }
        tile
    });
    let dim = prop_oneof![1 => Just(0_u64), 20 => 1_u64..9];
    let parts = (
        prop::collection::vec(dim, 0..=5),
        prop::collection::vec(tile, 0..=3),
        prop::option::weighted(0.2, 1_i64..20),
        any::<prop::sample::Index>(),
    );
    parts
        .prop_map(|(dims, tiles, tail_padding, pick)| {
            let mut order: Vec<i64> = (0..dims.len() as i64).collect();
            for at in (1..order.len()).rev() {
                order.swap(at, pick.index(at + 7) % (at + 1));
            }
            let dims = dims.into_iter().map(XlaDim::Static).collect();
            let layout =
                XlaLayout { minor_to_major: order, tiles, tail_padding, ..XlaLayout::default() };
            XlaArray::new(XlaDtype::from_name("f32").unwrap(), dims, Some(layout))
        })
        .prop_filter("too large to enumerate", |array| {
            let elements: u64 = array.extents().unwrap().iter().product();
            let zeros = vec![0; array.dims.len()];
            elements < 3000 && judge(array, &zeros).1 < 20_000
        })
}

/// The contents of every address of the span.
fn contents(layout: &Layout, span: u64) -> Vec<Found> {
    let at = |address| Location::from_iter([(Level::ADDR, address)]);
    (0..span).map(|address| layout.element(&at(address)).unwrap()).collect()
}

fn lowered(array: &XlaArray, tally: &mut Tally) -> Result<(), TestCaseError> {
    let layout = array.lower().unwrap();
    tally.sure();
    let mut expected = BTreeMap::new();
    for index in count(&array.extents().unwrap()) {
        let (address, _) = judge(array, &index);
        prop_assert_eq!(layout.locate(&index).unwrap().get(Level::ADDR), Some(address));
        prop_assert!(expected.insert(address, index).is_none());
    }
    let unrounded = judge(array, &vec![0; array.dims.len()]).1;
    let tail = array.layout_or_default().tail_padding.unwrap_or(1) as u64;
    let span = unrounded.next_multiple_of(tail);
    prop_assert_eq!(layout.span(Level::ADDR), span);
    for (address, found) in (0..).zip(contents(&layout, span)) {
        match expected.get(&address) {
            Some(index) => prop_assert_eq!(found, Found::Element(index.clone())),
            None if address < unrounded => prop_assert_eq!(found, Found::Padding),
            None => prop_assert_eq!(found, Found::Hole),
        }
    }
    prop_assert!(layout.collision().unwrap().is_none());
    prop_assert_eq!(layout.slots(), unrounded);
    Ok(())
}

/// A shape as people may write it, including attributes with values that XLA does not print.
fn written() -> impl Strategy<Value = (String,)> {
    let number = || prop::option::of(-2_i64..4);
    (any_array(), [number(), number(), number(), number()]).prop_map(|(array, numbers)| {
        let layout = array.layout_or_default();
        let list = |numbers: &[String]| numbers.join(",");
        let order: Vec<String> = layout.minor_to_major.iter().map(ToString::to_string).collect();
        let tile = |tile: &Vec<TileDim>| {
            format!("({})", list(&tile.iter().map(ToString::to_string).collect::<Vec<_>>()))
        };
        let tiles: String = layout.tiles.iter().map(tile).collect();
        let mark = if tiles.is_empty() { "" } else { "T" };
        let attributes = ["L", "E", "S", "M"].iter().zip(numbers);
        let attributes =
            attributes.filter_map(|(mark, number)| Some(format!("{mark}({})", number?)));
        let attributes: String = attributes.collect();
        let shape = XlaArray::new(array.dtype, array.dims.clone(), None);
        (format!("{shape}{{{}:{mark}{tiles}{attributes}}}", list(&order)),)
    })
}

fn printed((text,): &(String,), tally: &mut Tally) -> TestCaseResult {
    let shape: XlaShape = text.parse().unwrap();
    tally.sure();
    let printed = shape.to_string();
    let again: XlaShape = printed.parse().unwrap();
    prop_assert_eq!(&again, &shape);
    prop_assert_eq!(again.to_string(), printed);
    Ok(())
}

fn as_pad_layout(array: &XlaArray, tally: &mut Tally) -> Result<(), TestCaseError> {
    let layout = array.lower().unwrap();
    if let Ok(text) = tally.count(PadLayout::of(&layout)) {
        let back: Layout = text.to_string().parse().unwrap();
        let span = layout.span(Level::ADDR);
        prop_assert_eq!(back.span(Level::ADDR), span);
        prop_assert_eq!(contents(&back, span), contents(&layout, span));
    }
    if let Ok((text, lost)) = PadLayout::map_of(&layout) {
        let back: Layout = text.to_string().parse().unwrap();
        for index in layout.indexes() {
            prop_assert_eq!(back.locate(&index), layout.locate(&index));
        }
        let span = layout.span(Level::ADDR).max(back.span(Level::ADDR));
        let is_same = back.span(Level::ADDR) == layout.span(Level::ADDR)
            && contents(&back, span) == contents(&layout, span);
        prop_assert_eq!(lost.is_none(), is_same, "{}: {:?}", text, lost);
    }
    Ok(())
}

/// At most one tile, without `*`, and not longer than the shape: such a text is always found.
fn is_plain(array: &XlaArray) -> bool {
    let tiles = array.layout_or_default().tiles;
    let sizes = |tile: &Vec<TileDim>| tile.iter().all(|entry| *entry != TileDim::Combine);
    let fits = |tile: &Vec<TileDim>| sizes(tile) && tile.len() <= array.dims.len();
    tiles.len() < 2 && tiles.iter().all(fits)
}

fn raised(array: &XlaArray, tally: &mut Tally) -> Result<(), TestCaseError> {
    let layout = array.lower().unwrap();
    match tally.count(XlaArray::of(&layout, array.dtype)) {
        Ok(back) => {
            let back: XlaShape = back.to_string().parse().unwrap();
            let back = back.lower().unwrap();
            let span = layout.span(Level::ADDR);
            prop_assert_eq!(back.span(Level::ADDR), span);
            prop_assert_eq!(contents(&back, span), contents(&layout, span));
        }
        Err(error) => {
            prop_assert!(layout.elements() == 0 || !is_plain(array), "{}: {}", array, error);
        }
    }
    Ok(())
}

fn in_a_space() -> impl Strategy<Value = XlaArray> {
    (any_array(), 0_i64..3).prop_map(|(mut array, space)| {
        array.layout.iter_mut().for_each(|layout| layout.memory_space = space);
        array
    })
}

fn hinted(array: &XlaArray, tally: &mut Tally) -> Result<(), TestCaseError> {
    let layout = array.lower().unwrap();
    prop_assert_eq!(&tally.answer(array.laid_out_as(&layout))?, array);
    Ok(())
}

fn edited() -> impl Strategy<Value = (XlaArray, Index, u64)> {
    (any_array(), any::<Index>(), 0_u64..3)
}

fn edit((array, turn, cut): &(XlaArray, Index, u64), tally: &mut Tally) -> TestCaseResult {
    let layout = array.lower().unwrap();
    let mut order: Vec<usize> = (0..layout.rank()).collect();
    order.rotate_left(turn.index(layout.rank().max(1)));
    let permuted = layout.permute(&order).unwrap();
    match tally.count(array.laid_out_as(&permuted)) {
        Ok(back) => {
            let (back, span) = (back.lower().unwrap(), permuted.span(Level::ADDR));
            prop_assert_eq!(contents(&back, span), contents(&permuted, span));
        }
        Err(error) => {
            prop_assert!(layout.elements() == 0 || !is_plain(array), "{}: {}", array, error);
        }
    }
    let Some(extent) = layout.shape().first().copied() else { return Ok(()) };
    let sliced = layout.slice(0, 0, extent.saturating_sub(*cut), 1).unwrap();
    if let Ok(back) = array.laid_out_as(&sliced) {
        let back = back.lower().unwrap();
        for index in sliced.indexes() {
            prop_assert_eq!(back.locate(&index), sliced.locate(&index));
        }
    }
    Ok(())
}
