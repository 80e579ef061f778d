//! A thousand shapes in the form of TPU dumps, converted to a layout and back.
//!
//! The shapes of `data/tpu_shapes.txt` are real. The others are generated: dimensions, orders and types are
//! drawn from the real ones; the tiling is determined by the type and the two most minor dimensions, by the
//! rules of the dumps, which are restated here.

use std::collections::BTreeSet;

use itertools::Itertools;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};
use tensor_layout::xla::{XlaArray, XlaShape};

const REAL: &str = include_str!("data/tpu_shapes.txt");

fn array(text: &str) -> XlaArray {
    text.parse::<XlaShape>().unwrap().as_array().unwrap().clone()
}

fn real() -> Vec<XlaArray> {
    REAL.lines().filter(|line| !line.starts_with('#')).map(array).collect()
}

/// The number of elements of a type that share a 32-bit word, and the tile that packs them.
fn packing(dtype: &str) -> (u64, String) {
    let packed = match dtype {
        "f32" | "s32" | "u32" => 1,
        "bf16" | "f16" | "s16" | "u16" => 2,
        "s4" | "u4" => 8,
        _ => 4,
    };
    (packed, if packed == 1 { String::new() } else { format!("({packed},1)") })
}

/// The tiling of a type, given the extents from the most minor dimension on.
///
/// Rank 2 and more: as many rows of 128 as the second dimension needs, a power of two, at most 8
/// and at least a word of them. Rank 1: 128, 256, 512 or 1024, whichever holds it, at least a word
/// of lanes. Scalars: a word of lanes.
fn tiling(dtype: &str, minor: &[u64]) -> String {
    let (packed, pairs) = packing(dtype);
    match minor {
        [] => format!("T({})", 128 * packed),
        [extent] => {
            let lanes = extent.next_power_of_two().clamp(128 * packed.min(8), 1024);
            let pairs = if packed == 1 { String::new() } else { format!("(128){pairs}") };
            format!("T({lanes}){pairs}")
        }
        [_, second, ..] => {
            let rows = second.next_power_of_two().clamp(packed, 8);
            format!("T({rows},128){pairs}")
        }
    }
}

/// A shape with the tiling of its type.
fn shape(dtype: &str, dims: &[u64], order: &[i64], space: u64) -> String {
    let minor = order.iter().map(|axis| dims[*axis as usize]).collect_vec();
    let width = if packing(dtype).0 == 8 { "E(4)" } else { "" };
    let space = if space == 0 { String::new() } else { format!("S({space})") };
    let (dims, order) = (dims.iter().join(","), order.iter().join(","));
    format!("{dtype}[{dims}]{{{order}:{}{width}{space}}}", tiling(dtype, &minor))
}

#[test]
fn the_tilings_written_here_are_those_of_dumps() {
    let like = |array: &XlaArray| {
        let layout = array.layout_or_default();
        let space = layout.memory_space.unsigned_abs();
        shape(array.dtype.name(), &array.extents().unwrap(), &layout.minor_to_major, space)
    };
    let other = real().iter().filter(|array| like(array) != array.to_string()).count();
    assert!(other <= 3, "{other} real shapes have other tilings");
}

/// The real shapes, plus generated ones up to a thousand.
fn thousand() -> Vec<(bool, String)> {
    let real = real();
    let written: BTreeSet<String> = real.iter().map(ToString::to_string).collect();
    let mut all = real.iter().map(|array| (true, array.to_string())).collect_vec();
    let extents = real.iter().flat_map(|array| array.extents().unwrap()).collect_vec();
    // Ranks and orders are as frequent as in the real shapes.
    let orders = real.iter().map(|array| array.layout_or_default().minor_to_major).collect_vec();
    let types = ["f32", "bf16", "s32", "pred", "u32", "s8", "u8", "f16", "s4"];
    let mut random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut below = |limit: usize| random.random_range(0..limit);
    let mut seen = written;
    while all.len() < 1000 {
        let order = &orders[below(orders.len())];
        let dims = order.iter().map(|_| extents[below(extents.len())]).collect_vec();
        let elements = dims.iter().try_fold(1_u64, |n, size| n.checked_mul(*size));
        let space = u64::from(below(4) == 0);
        // Shapes that do not fit in the memory of a machine do not occur in dumps.
        if elements.is_none_or(|n| n > 1 << 36) {
            continue;
        }
        let text = shape(types[below(types.len())], &dims, order, space);
        if seen.insert(text.clone()) {
            all.push((false, text));
        }
    }
    all
}

#[test]
fn a_thousand_shapes_of_dumps_come_back_as_written() {
    let all = thousand();
    let count = |of_real: bool| all.iter().filter(|(real, _)| *real == of_real).count();
    assert_eq!((count(true), count(false)), (96, 904));
    let mut same = [0, 0];
    for (is_real, text) in &all {
        let written = array(text);
        let layout = written.lower().unwrap();
        assert_eq!(written.laid_out_as(&layout).unwrap().to_string(), *text);
        let back = XlaArray::of(&layout, written.dtype).unwrap();
        assert_eq!(back.lower().unwrap().same_map(&layout).unwrap(), None, "{text}: {back}");
        // The memory space is not part of the layout.
        let mut bare = written.clone();
        bare.layout.as_mut().unwrap().memory_space = 0;
        match back == bare {
            true => same[usize::from(*is_real)] += 1,
            false => println!("{bare} came back as {back}"),
        }
    }
    println!("as written without a hint: {} of 904 generated, {} of 96 real", same[0], same[1]);
    assert!((same[0] + same[1]) * 100 >= 1000 * 95 && same[1] * 100 >= 96 * 95, "{same:?}");
}
