//! Bitcasts and layouts in bytes, checked bit by bit: every bit of an array by the formula of XLA's
//! documentation, and names by trying every permutation.

use std::collections::BTreeMap;

use itertools::Itertools;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use tensor_layout::error::Fact;
use tensor_layout::xla::{Bitcast, BitcastName, TileDim, XlaArray, XlaDim, XlaDtype, XlaLayout};
use tensor_layout::xla::{XlaShape, bitcast_map};
use tensor_layout::{Found, Level, Location};

use crate::laws::judge_xla;
use crate::run::run;
use crate::slow::count;

fn array(text: &str) -> XlaArray {
    text.parse::<XlaShape>().unwrap().as_array().unwrap().clone()
}

fn bitcast(first: &str, second: &str) -> Bitcast {
    bitcast_map(&array(first), &array(second)).unwrap()
}

/// Indexes in the second array, paired with those in the first.
type Pairs = Vec<(Vec<u64>, Vec<u64>)>;

/// The bits of an array: for each, the element and the bit number within it.
fn bits(array: &XlaArray) -> BTreeMap<u64, (Vec<u64>, u64)> {
    let width = array.element_bits();
    let elements = count(&array.extents().unwrap());
    let of = |index: Vec<u64>| {
        let at = judge_xla(array, &index).0 * width;
        (0..width).map(move |bit| (at + bit, (index.clone(), bit)))
    };
    elements.into_iter().flat_map(of).collect()
}

/// The index in the first array of every index in the second, both extended by the part if the widths differ;
/// or the bytes that hold elements of only one array.
fn map_by_bits(a: &XlaArray, b: &XlaArray) -> Result<Pairs, Vec<u64>> {
    let (first, second) = (bits(a), bits(b));
    let alone = |x: &BTreeMap<u64, _>, y: &BTreeMap<u64, _>| {
        x.keys().filter(|at| !y.contains_key(at)).map(|at| at / 8).collect_vec()
    };
    let apart = [alone(&first, &second), alone(&second, &first)].concat();
    if !apart.is_empty() {
        return Err(apart);
    }
    let (width, other) = (a.element_bits(), b.element_bits());
    let part = num_integer::gcd(width, other);
    let index = |(index, bit): &(Vec<u64>, u64)| match width == other {
        true => index.clone(),
        false => [&index[..], &[bit / part]].concat(),
    };
    let pairs = second.iter().filter(|(_, (_, bit))| bit % part == 0);
    Ok(pairs.map(|(at, of)| (index(of), index(&first[at]))).sorted().collect())
}

/// The extents of the indexes of an array, extended by the part.
fn shape_in_parts(array: &XlaArray, other: &XlaArray) -> Vec<u64> {
    let (width, second) = (array.element_bits(), other.element_bits());
    let parts = (width != second).then(|| width / num_integer::gcd(width, second));
    array.extents().unwrap().into_iter().chain(parts).collect()
}

/// The names that fit, from the narrowest: by definition, over every permutation.
fn names(pairs: &[(Vec<u64>, Vec<u64>)], a: &[u64], b: &[u64]) -> Vec<BitcastName> {
    // Pairs are sorted by the second index: row-major.
    let from = pairs.iter().map(|(_, from)| from.clone()).collect_vec();
    let permuted = |order: &Vec<usize>| order.iter().map(|axis| a[*axis]).collect_vec();
    let walk = |order: &Vec<usize>| {
        let indexes = count(&permuted(order)).into_iter();
        let back = |index: Vec<u64>| {
            let mut old = vec![0; index.len()];
            order.iter().zip(index).for_each(|(axis, entry)| old[*axis] = entry);
            old
        };
        indexes.map(back).collect_vec()
    };
    let orders = (0..a.len()).permutations(a.len()).filter(|order| walk(order) == from);
    let orders = orders.collect_vec();
    let all = [
        (BitcastName::Identity, pairs.iter().all(|(to, from)| to == from) && a == b),
        (BitcastName::Reshape, count(a) == from),
        (BitcastName::Transpose, orders.iter().any(|order| permuted(order) == b)),
        (BitcastName::ReshapeOfTranspose, !orders.is_empty()),
        (BitcastName::Bytes, true),
    ];
    all.into_iter().filter(|(_, fits)| *fits).map(|(name, _)| name).collect()
}

fn entries(place: &Location, rank: usize) -> Vec<u64> {
    (0..rank).map(|axis| place.get(Level::axis(axis)).unwrap()).collect()
}

/// The questions so far, in the order of `Outcome`.
#[derive(Debug, Default)]
struct Tally {
    refused: u32,
    named: BTreeMap<String, u32>,
    padded: u32,
}

fn check(a: &XlaArray, b: &XlaArray, tally: &mut Tally) -> Result<(), TestCaseError> {
    let expected = map_by_bits(a, b);
    let found = bitcast_map(a, b);
    let pairs = match (&expected, found.as_ref().map_err(tensor_layout::ParseError::cause)) {
        (Err(apart), Err(Some(fault))) => {
            let held = |array| match fault.fact(array) {
                Some(Fact::Found(found)) => found,
                other => panic!("{fault}: {other:?}"),
            };
            let byte = &fault.number("byte").unwrap();
            let (first, second) = (held("first"), held("second"));
            prop_assert!(apart.contains(byte), "{}", fault);
            let is_element = |found: &Found| matches!(found, Found::Element(_));
            prop_assert!(is_element(first) != is_element(second), "{}", fault);
            for (found, array) in [(first, a), (second, b)] {
                if let Found::Element(index) = found {
                    let begin = judge_xla(array, index).0 * array.element_bits();
                    let bytes = begin / 8..(begin + array.element_bits()).div_ceil(8);
                    prop_assert!(bytes.contains(byte), "{}", fault);
                }
            }
            tally.refused += 1;
            return Ok(());
        }
        (Ok(pairs), Ok(_)) => pairs,
        other => return Err(TestCaseError::fail(format!("{other:?}"))),
    };
    let (shape, other) = (shape_in_parts(a, b), shape_in_parts(b, a));
    let bitcast = found.unwrap();
    for (to, from) in pairs {
        prop_assert_eq!(&entries(&bitcast.map().locate(to).unwrap(), shape.len()), from);
    }
    let fitting = names(pairs, &shape, &other);
    for name in BitcastName::ALL {
        prop_assert_eq!(bitcast.is(name), fitting.contains(&name), "{:?} {:?}", name, &fitting);
        check_witness(&bitcast, name, pairs, (&shape, &other))?;
    }
    let has_parts = a.element_bits() != b.element_bits();
    let named = match has_parts {
        true => Some(BitcastName::Bytes),
        false => fitting.first().copied().filter(|name| *name != BitcastName::Bytes),
    };
    prop_assert_eq!(bitcast.name(), named);
    if let (Some(dimensions), true) =
        (bitcast.dimensions(), fitting.contains(&BitcastName::Transpose))
    {
        for (to, from) in pairs {
            let kept = dimensions.iter().zip(to).all(|(axis, entry)| from[*axis] == *entry);
            prop_assert!(kept, "{:?}", dimensions);
        }
    }
    let text = named.map_or("none".into(), |name| name.to_string());
    *tally.named.entry(text).or_default() += 1;
    tally.padded += u32::from(a.sizes().unwrap().span_bytes > a.sizes().unwrap().unpadded_bytes);
    Ok(())
}

fn check_witness(
    bitcast: &Bitcast,
    name: BitcastName,
    pairs: &[(Vec<u64>, Vec<u64>)],
    (shape, other): (&[u64], &[u64]),
) -> Result<(), TestCaseError> {
    let moved = bitcast.first_moved(name).unwrap();
    prop_assert_eq!(moved.is_none(), bitcast.is(name) || pairs.is_empty());
    let Some(moved) = moved else { return Ok(()) };
    let (_, from) = pairs.iter().find(|(to, _)| *to == moved.index).unwrap();
    prop_assert_eq!(&moved.from, from);
    prop_assert!(moved.wanted.as_ref() != Some(from));
    // The first element that moves, if the name defines the position of every element.
    let wanted: Option<Vec<Vec<u64>>> = match name {
        BitcastName::Identity if shape == other => Some(count(other)),
        BitcastName::Reshape => Some(count(shape)),
        _ => None,
    };
    if let Some(wanted) = wanted {
        let first = pairs.iter().zip(&wanted).find(|((_, from), wanted)| from != *wanted).unwrap();
        prop_assert_eq!((&moved.index, moved.wanted.as_ref()), (&first.0.0, Some(first.1)));
    }
    Ok(())
}

/// An array of a type, with the order and the tiles of a layout.
fn array_of(dtype: &str, dims: &[u64], order: Vec<i64>, tiles: Vec<Vec<TileDim>>) -> XlaArray {
    let (dtype, bits) = match dtype.split_once(':') {
        Some((name, bits)) => (name, bits.parse().unwrap()),
        None => (dtype, 0),
    };
    let layout =
        XlaLayout { minor_to_major: order, tiles, element_bits: bits, ..XlaLayout::default() };
    let dims = dims.iter().map(|size| XlaDim::Static(*size)).collect();
    XlaArray::new(XlaDtype::from_name(dtype).unwrap(), dims, Some(layout))
}

const DTYPES: [&str; 8] = ["f32", "s32", "bf16", "u8", "s4:4", "u2:2", "f6e3m2fn:6", "pred"];

/// The way in which the second array is derived from the first.
#[derive(Clone, Debug)]
enum Turn {
    /// Permutes the dimensions, both logically and in the minor-to-major order.
    Transpose(u64),
    /// Gives the same elements other dimensions, without tiles.
    Regroup(u64),
    /// Inserts a dimension of size 1.
    Unit(usize),
    /// Splits or joins the widths of the most minor dimension.
    Width(usize),
    /// Permutes the order in memory.
    Order(u64),
    /// Anything else.
    Other(Vec<u64>, u64, usize),
}

fn any_turn() -> impl Strategy<Value = Turn> {
    prop_oneof![
        any::<u64>().prop_map(Turn::Transpose),
        any::<u64>().prop_map(Turn::Regroup),
        any::<usize>().prop_map(Turn::Unit),
        (0..DTYPES.len()).prop_map(Turn::Width),
        any::<u64>().prop_map(Turn::Order),
        (prop::collection::vec(1_u64..8, 0..4), any::<u64>(), 0..DTYPES.len())
            .prop_map(|(dims, order, dtype)| Turn::Other(dims, order, dtype)),
    ]
}

/// The `number`-th permutation of `count` things.
fn permutation(count: usize, mut number: u64) -> Vec<usize> {
    let mut left = (0..count).collect_vec();
    let mut order = Vec::new();
    while !left.is_empty() {
        order.push(left.remove((number % left.len() as u64) as usize));
        number /= 7;
    }
    order
}

fn regrouped(mut elements: u64, mut choice: u64) -> Vec<u64> {
    let mut dims = Vec::new();
    while elements > 1 && dims.len() < 4 {
        let divisors = (1..=elements).filter(|d| elements.is_multiple_of(*d)).collect_vec();
        let size = divisors[(choice % divisors.len() as u64) as usize];
        choice /= 5;
        dims.push(size);
        elements /= size;
    }
    if elements > 1 {
        dims.push(elements);
    }
    dims
}

fn turned(a: &XlaArray, turn: &Turn) -> XlaArray {
    let layout = a.layout_or_default();
    let (dims, order) = (a.extents().unwrap(), layout.minor_to_major.clone());
    let mut b = a.clone();
    let set = |b: &mut XlaArray, dims: &[u64], order: Vec<i64>, tiles| {
        b.dims = dims.iter().map(|size| XlaDim::Static(*size)).collect();
        b.layout = Some(XlaLayout { minor_to_major: order, tiles, ..layout.clone() });
    };
    match turn {
        Turn::Transpose(number) => {
            let moved = permutation(dims.len(), *number);
            let new = moved.iter().map(|axis| dims[*axis]).collect_vec();
            let at = |old: &i64| moved.iter().position(|axis| *axis as i64 == *old).unwrap() as i64;
            set(&mut b, &new, order.iter().map(at).collect(), layout.tiles.clone());
        }
        Turn::Regroup(number) => {
            let new = regrouped(dims.iter().product(), *number);
            let order = permutation(new.len(), number / 13).into_iter().map(|axis| axis as i64);
            set(&mut b, &new, order.collect(), Vec::new());
        }
        Turn::Unit(at) => {
            let (at, mut new) = (at % (dims.len() + 1), dims.clone());
            new.insert(at, 1);
            let shifted = order.iter().map(|axis| axis + i64::from(*axis >= at as i64));
            // The most major dimension, so that tiles apply to the same dimensions.
            set(&mut b, &new, shifted.chain([at as i64]).collect(), layout.tiles.clone());
        }
        Turn::Width(dtype) => {
            let width = a.element_bits();
            b = array_of(DTYPES[*dtype], &dims, order.clone(), Vec::new());
            let other = b.element_bits();
            let mut new = dims.clone();
            match order.first().map(|minor| *minor as usize) {
                Some(minor) if (dims[minor] * width).is_multiple_of(other) => {
                    new[minor] = dims[minor] * width / other;
                }
                _ => return b,
            }
            b.dims = new.iter().map(|size| XlaDim::Static(*size)).collect();
        }
        Turn::Order(number) => {
            let order = permutation(dims.len(), *number).into_iter().map(|axis| axis as i64);
            set(&mut b, &dims, order.collect(), layout.tiles.clone());
        }
        Turn::Other(dims, number, dtype) => {
            let order = permutation(dims.len(), *number).into_iter().map(|axis| axis as i64);
            b = array_of(DTYPES[*dtype], dims, order.collect(), layout.tiles.clone());
        }
    }
    b
}

fn any_first() -> impl Strategy<Value = XlaArray> {
    let entry = prop_oneof![
        8 => (1_i64..5).prop_map(TileDim::Size),
        1 => Just(TileDim::Combine),
    ];
    let tile = prop::collection::vec(entry, 1..4).prop_map(|mut tile| {
        if let Some(last) = tile.last_mut().filter(|last| **last == TileDim::Combine) {
            *last = TileDim::Size(2);
        }
        tile
    });
    let tiles = prop_oneof![Just(Vec::new()), prop::collection::vec(tile, 0..=3)];
    let dim = prop_oneof![1 => Just(0_u64), 40 => 1_u64..8];
    let dims = prop::collection::vec(dim, 0..=4);
    (dims, any::<u64>(), tiles, 0..DTYPES.len()).prop_map(|(dims, number, tiles, dtype)| {
        let order = permutation(dims.len(), number).into_iter().map(|axis| axis as i64);
        array_of(DTYPES[dtype], &dims, order.collect(), tiles)
    })
}

#[test]
fn a_bitcast_is_what_every_bit_says() {
    let cases = std::env::var("LAW_CASES").map_or(1, |scale| scale.parse().unwrap()) * 3000;
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let tally = std::cell::RefCell::new(Tally::default());
    let law = |(a, turn): (XlaArray, Turn)| {
        let b = turned(&a, &turn);
        let size = |array: &XlaArray| array.extents().unwrap().iter().product::<u64>();
        if size(&a).max(size(&b)) > 400 {
            return Err(TestCaseError::reject("large"));
        }
        check(&a, &b, &mut tally.borrow_mut())
            .map_err(|error| TestCaseError::fail(format!("{a} as {b}: {error}")))
    };
    run(&mut TestRunner::new_with_rng(config, rng), (any_first(), any_turn()), law).unwrap();
    let tally = tally.into_inner();
    println!("{tally:?}");
    // Every answer occurs often enough that none can be missing.
    assert!(tally.refused >= cases / 10 && tally.padded >= cases / 20, "{tally:?}");
    for name in BitcastName::ALL.iter().map(ToString::to_string).chain(["none".into()]) {
        assert!(tally.named.get(&name).is_some_and(|n| *n >= cases / 100), "{name}: {tally:?}");
    }
}

#[test]
fn a_layout_in_bytes_is_where_every_bit_is() {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let config =
        ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() };
    let law = |a: XlaArray| {
        let width = a.element_bits();
        let in_bytes = a.lower().unwrap().in_bytes(width).unwrap();
        for (at, (index, bit)) in bits(&a).into_iter().take(5000) {
            let whole = width.is_multiple_of(8);
            let part = if whole { bit / 8 } else { bit };
            let place = in_bytes.locate(&[&index[..], &[part]].concat()).unwrap();
            prop_assert_eq!(place.get(Level::ADDR), Some(at / 8));
            let in_byte = place.get(Level::new("Bit").unwrap());
            prop_assert_eq!(in_byte, (!whole).then_some(at % 8));
        }
        Ok(())
    };
    run(&mut TestRunner::new_with_rng(config, rng), any_first(), law).unwrap();
}

#[test]
fn arrays_of_different_types_are_compared_in_bytes() {
    let in_bytes = |text: &str| {
        let array = array(text);
        array.lower().unwrap().in_bytes(array.element_bits()).unwrap()
    };
    let (words, halves) = (in_bytes("u32[4,3]"), in_bytes("bf16[4,3,2]"));
    let flat = |layout: tensor_layout::Layout| layout.reshape(&[48]).unwrap();
    assert_eq!(flat(words).same_up_to_padding(&flat(halves)).unwrap(), None);
}

#[test]
fn bitcasts_of_compilers_have_their_names() {
    let tiled = "bf16[1,128,128,512]{3,2,1,0:T(8,128)(2,1)}";
    let bytes = bitcast(tiled, "s8[16777216]{0:T(1024)(128)(4,1)}");
    assert_eq!(bytes.name(), Some(BitcastName::Bytes));
    assert!(!bytes.is(BitcastName::Reshape));
    let map = bytes.map();
    // Rows of 128 bytes: byte 0 of a row of elements, byte 1 of it, then those of the next row.
    let at = |index: u64| entries(&map.locate(&[index, 0]).unwrap(), 5);
    assert_eq!([at(0), at(1)], [[0, 0, 0, 0, 0], [0, 0, 0, 1, 0]]);
    assert_eq!([at(128), at(256)], [[0, 0, 0, 0, 1], [0, 0, 1, 0, 0]]);
    for (first, second, says) in [
        (tiled, "f16[128,128,512]{2,1,0:T(8,128)(2,1)}", "reshape"),
        (
            "f32[1000,300,50]{2,1,0:T(8,128)}",
            "f32[300,1000,50]{2,0,1:T(8,128)}",
            "transpose, dimensions={1,0,2}",
        ),
        ("f32[2,3,4]{2,1,0}", "f32[12,2]{0,1}", "reshape of a transpose, dimensions={1,2,0}"),
        ("f32[8,128]{1,0:T(8,128)}", "s32[8,128]{1,0}", "identity"),
        ("f32[8,256]{1,0:T(8,128)}", "s32[8,256]{1,0}", "none of the named maps"),
        ("u32[4]", "bf16[4,2]", "bytes, in row-major order"),
        ("f32[0,3]", "f32[7,0,2]", "reshape"),
    ] {
        assert_eq!(bitcast(first, second).to_string(), says, "{first} as {second}");
    }
}

#[test]
fn what_cannot_be_a_bitcast_says_which_byte() {
    for (first, second, says) in [
        (
            "f32[3,128]{1,0:T(8,128)}",
            "f32[4,128]{1,0:T(8,128)}",
            "byte 1536 holds padding in the first array and element (3, 0) in the second",
        ),
        (
            "s4[7]{0:E(4)}",
            "s8[4]",
            "byte 3 holds nothing (it is beyond the end) in the first array and element (3) in the second",
        ),
        (
            "f32[4]{0:M(8)}",
            "f32[4]",
            "the data begins 8 bytes into the first and 0 bytes into the second",
        ),
        (
            "f32[4]{0:SC(0:2)}",
            "f32[4]",
            "an array with `SC` is cut into pieces, so its bytes do not follow each other",
        ),
    ] {
        let error = bitcast_map(&array(first), &array(second)).unwrap_err();
        assert_eq!(error.kind().to_string(), format!("this is not a bitcast: {says}"));
    }
}
