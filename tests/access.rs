//! Memory accesses of GPU threads, against values counted by hand and a byte-by-byte simulation.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tensor_layout::error::ErrorKind;
use tensor_layout::notation::CuteLayout;
use tensor_layout::{Layout, LayoutError, LayoutText, Level};
use tensor_layout_access::{
    self as access, Access, AddressChange, ChangedAccess, Gpu, Instruction,
};

use crate::run::properties;

/// An access of NVIDIA.
fn access(memory: &Layout, holders: &Layout, bits: u64) -> Result<Access, LayoutError> {
    access::access(memory, holders, bits, Instruction::default())
}

fn swizzles(
    memory: &Layout,
    holders: &Layout,
    bits: u64,
) -> Result<Vec<ChangedAccess>, LayoutError> {
    access::swizzles(memory, &[(holders, Instruction::default())], bits)
}

fn paddings(
    memory: &Layout,
    holders: &Layout,
    bits: u64,
) -> Result<Vec<ChangedAccess>, LayoutError> {
    access::paddings(memory, &[(holders, Instruction::default())], bits)
}

fn cute(text: &str) -> Layout {
    LayoutText::parse(text).unwrap().lower().unwrap()
}

fn held(text: &str) -> Layout {
    text.parse().unwrap()
}

#[test]
fn words_of_one_bank_are_served_one_after_the_other() {
    for (memory, holders, bits, wavefronts, ideal) in [
        ("32:32", "((32_LANE))", 32, 32, 1), // a column of 32 floats
        ("32:33", "((32_LANE))", 32, 1, 1),  // padded by one
        ("32:1", "((32_LANE))", 32, 1, 1),
        ("32:0", "((32_LANE))", 32, 1, 1), // all lanes access one word
        ("32:2", "((32_LANE))", 32, 2, 1),
        ("32:1", "((32_LANE))", 16, 1, 1),
        ("32:64", "((32_LANE))", 16, 32, 1),
        ("(32,2):(2,1)", "((32_LANE), (2:1))", 32, 2, 2),
        ("(32,4):(4,1)", "((32_LANE), (4:1))", 32, 4, 4),
        ("(32,2):(4,1)", "((32_LANE), (2:1))", 32, 4, 2),
        // ldmatrix: 8 rows of one column of vectors, then a complete warp.
        ("(8,8):(64,1)", "((8_LANE), (8:1))", 16, 8, 1),
        ("S<3,3,3> o 0 o (8,8):(64,1)", "((8_LANE), (8:1))", 16, 1, 1),
        ("S<3,4,3> o 0 o (8,8):(64,1)", "((8_LANE), (8:1))", 16, 2, 1), // of bytes, wrongly taken for elements
        ("(8,32):(64,1)", "((8_LANE:1), (4_LANE:8, 8:1))", 16, 32, 4),
        ("S<3,3,3> o 0 o (8,32):(64,1)", "((8_LANE:1), (4_LANE:8, 8:1))", 16, 4, 4),
        ("(4,64):(64,1)", "((4_LANE:8), (8_LANE:1, 8:1))", 16, 4, 4),
        ("(16,8):(8,1)", "((16_LANE:2), (8:1))", 16, 4, 4), // every quarter-warp has idle lanes
    ] {
        let cost = access(&cute(memory), &held(holders), bits).unwrap();
        assert_eq!((cost.wavefronts, cost.ideal_wavefronts), (wavefronts, ideal), "{memory}");
    }
}

#[test]
fn a_warp_moves_the_sectors_that_its_bytes_are_in() {
    // One request of warp 0 of 128 x 64 halves, row-major.
    for (memory, holders, sectors, lines, used) in [
        ("(8,16):(64,1)", "((8_LANE:4), (4_LANE:1, 4:1))", 8, 8, 256),
        ("(2,64):(64,1)", "((2_LANE:16), (16_LANE:1, 4:1))", 8, 2, 256),
        ("(4,64):(64,1)", "((4_LANE:8), (8_LANE:1, 8:1))", 16, 4, 512),
        ("(32,1):(64,1)", "((32_LANE:1), (1:1))", 32, 32, 64),
        ("(1,32):(64,1)", "((1:1), (32_LANE:1))", 2, 1, 64),
    ] {
        let cost = access(&cute(memory), &held(holders), 16).unwrap();
        assert_eq!(
            (cost.sectors, cost.lines, cost.distinct_bytes),
            (sectors, lines, used),
            "{memory}"
        );
        assert_eq!(cost.requests, 1);
    }
}

/// 32 lanes, each with its own rows, in a matrix of 128 x 64 halves.
///
/// A lane whose registers are adjacent in memory accesses 16 bytes of a 32-byte sector together. One half at
/// a time, as the encoding describes the registers of a thread, would use 2 of them; lanes with separated
/// registers do so too.
#[test]
fn a_column_of_lanes_uses_as_much_of_a_sector_as_its_registers_hold_in_a_row() {
    let memory = cute("(128,64):(64,1)");
    for (warps, vector_bytes, requests) in [("[4, 1]", 16, 32), ("[1, 4]", 2, 256)] {
        let text = format!(
            "tensor<128x64xf16, #ttg.blocked<{{sizePerThread = [1, 1], threadsPerWarp = [32, 1], \
             warpsPerCTA = {warps}, order = [0, 1]}}>>"
        );
        let cost = access(&memory, &cute(&text), 16).unwrap();
        assert_eq!((cost.vector_bytes, cost.requests), (vector_bytes, requests), "{warps}");
        assert_eq!((cost.sectors, cost.lines), (32 * requests, 32 * requests));
        assert_eq!(cost.distinct_bytes, 128 * 64 * 2);
        assert_eq!(cost.efficiency(), vector_bytes as f64 / 32.0);
    }
    // Byte by byte, one warp: 32 rows of 64 halves in vectors of 8, and one by one.
    let (rows, holders) = (cute("(32,64):(64,1)"), held("((32_LANE), (64:1))"));
    let moved = |vector| simulated(&rows, &holders, 2, vector).1;
    assert_eq!((moved(8), moved(1)), (8 * 32, 64 * 32));
    assert_eq!(access(&rows, &holders, 16).unwrap().sectors, moved(8));
}

#[test]
fn the_swizzle_of_cutlass_is_found() {
    let (memory, holders) =
        (cute("(64,64):(64,1)"), held("((8:8, 8_LANE:1), (2:512, 4_LANE:8, 8:1))"));
    let best = swizzles(&memory, &holders, 16).unwrap();
    let names: Vec<String> = best.iter().filter_map(|b| Some(b.change?.to_string())).collect();
    assert!(names.contains(&"S<3,3,3>".to_owned()), "{names:?}");
    assert!(best.iter().all(|best| best.accesses[0].conflicts() == 0));
    // Without conflicts there is no search.
    let alone = swizzles(&cute("32:1"), &held("((32_LANE))"), 32).unwrap();
    assert_eq!((alone.len(), alone[0].change), (1, None));
}

#[test]
fn the_padding_that_takes_least_memory_comes_first() {
    let (memory, holders) = (cute("(8,32):(64,1)"), held("((8_LANE:1), (4_LANE:8, 8:1))"));
    let best = paddings(&memory, &holders, 16).unwrap();
    assert_eq!(best[0].change.unwrap().to_string(), "[64:+8]");
    assert_eq!(CuteLayout::of(&best[0].memory).unwrap().to_string(), "(8,32):(72,1)");
    for best in &best {
        // The predicted access is that of the new memory, which places elements as the padding says.
        assert_eq!(access(&best.memory, &holders, 16).unwrap(), best.accesses[0]);
        assert_eq!(best.accesses[0].conflicts(), 0);
        let Some(AddressChange::Padding { every, by }) = best.change else { panic!() };
        for index in memory.indexes() {
            let at = |layout: &Layout| layout.locate(&index).unwrap().get(Level::ADDR).unwrap();
            assert_eq!(at(&best.memory), at(&memory) + at(&memory) / every * by);
        }
    }
    // The extent is that of the elements, in the order of that number: with odd pitches and padding too.
    for (memory, holders, bits) in [
        ("(8,32):(64,1)", "((8_LANE:1), (4_LANE:8, 8:1))", 16),
        ("8:34", "((8_LANE))", 32),
        ("16:12", "((16_LANE))", 32),
        ("(8,5):(1,8)", "((8:1), (5_LANE:1))", 32),
        ("(5,7):(32,1)", "((5_LANE:1), (7:1))", 16),
        ("(32,33):(40,1)", "((32_LANE:1), (33:1))", 32),
        ("(2,31)/((2:64), (32:1))", "((2_LANE:1, 1:31), (31:1, 1_LANE:2))", 64),
    ] {
        let best = paddings(&cute(memory), &held(holders), bits).unwrap();
        let last = |of: &Layout| {
            let places = of.indexes().map(|index| of.locate(&index).unwrap().get(Level::ADDR));
            places.max().flatten().unwrap() + 1
        };
        let ends: Vec<_> = best.iter().map(|best| (last(&best.memory), best.extent)).collect();
        assert!(ends.iter().all(|(last, extent)| last == extent), "{memory}: {ends:?}");
        assert!(ends.is_sorted(), "{memory}: {ends:?}");
    }
    // A column of words: the usual padding of one word after each row.
    let best = paddings(&cute("32:32"), &held("((32_LANE))"), 32).unwrap();
    assert_eq!(CuteLayout::of(&best[0].memory).unwrap().to_string(), "32:33");
}

#[test]
fn no_padding_leads_beyond_64_bits() {
    let (memory, column) = (cute("32:36028797018963968"), held("((32_LANE))"));
    for best in paddings(&memory, &column, 8).unwrap() {
        let Some(AddressChange::Padding { every, by }) = best.change else { continue };
        let last = 31 * (1_u128 << 55);
        assert!(last + last / u128::from(every) * u128::from(by) < 1 << 64, "{best:?}");
    }
}

#[test]
fn what_is_no_access_is_refused_in_numbers() {
    let column = held("((32_LANE))");
    let refused = |memory: &str, holders: &Layout, bits| {
        let memory = LayoutText::parse(memory).unwrap().lower().unwrap();
        access(&memory, holders, bits).unwrap_err()
    };
    for (error, message) in [
        (
            refused("((32_PE))", &column, 32),
            "the memory layout names level `PE`; an access reads one memory, whose only level is `Addr`",
        ),
        (
            refused("64:1", &held("((64_LANE))"), 32),
            "level `LANE` has 64 lanes, but a warp of nvidia has 32",
        ),
        (refused("32:1", &column, 4), "an element must have 8, 16, 32, 64 or 128 bits, not 4"),
        (
            refused("16:1", &column, 32),
            "the memory layout has the shape [16], but the holders have [32], which is neither that nor an even part of it",
        ),
    ] {
        assert_eq!(error.to_string(), message);
    }
    let far = refused("32:576460752303423488", &column, 128);
    assert_eq!(far.kind(), ErrorKind::TooLarge, "{far}");
    let large = held("((32_LANE:1, 65536:1))");
    let many = refused("2097152:1", &large, 32);
    assert_eq!(many.kind(), ErrorKind::Limit, "{many}");
}

/// A tile of 64 x 64 halves, which 128 threads store 16 bytes each, row by row, and `ldmatrix` loads.
#[test]
fn the_swizzle_for_a_copy_and_a_fragment_is_best_for_both() {
    let memory = cute("(64,64):(64,1)");
    let stores = held("((4:16, 4_WARP:4, 4_LANE:8), (8_LANE:1, 8:1))");
    let loads = cute("SM75_U32x4_LDSM_N:S");
    let load = access(&memory, &loads, 16).unwrap();
    assert_eq!((load.repeats.clone(), load.requests, load.ideal_wavefronts), (vec![2, 8], 16, 64));
    assert_eq!(load.wavefronts, 16 * 32);
    let both = [(&stores, Instruction::store(Gpu::Nvidia)), (&loads, Instruction::default())];
    let best = access::swizzles(&memory, &both, 16).unwrap();
    let costs = |found: &ChangedAccess| -> Vec<u64> {
        found.accesses.iter().map(|cost| cost.wavefronts).collect()
    };
    assert!(best.iter().all(|best| costs(best) == [64, 64] && best.wavefronts() == 128));
    let names: Vec<String> = best.iter().filter_map(|b| Some(b.change?.to_string())).collect();
    assert_eq!(names, ["S<3,3,3>"]);
    // A swizzle that suits loads alone may cost stores something: columns of single halves.
    let columns = held("((2:64, 32_LANE:1), (64:1))");
    let both = [(&columns, Instruction::store(Gpu::Nvidia)), (&loads, Instruction::default())];
    for best in access::swizzles(&memory, &both, 16).unwrap() {
        let apart = |holders, own| access::access(&best.memory, holders, 16, own).unwrap();
        assert_eq!(best.accesses, both.map(|(holders, own)| apart(holders, own)));
    }
}

/// Holders of a part are those of the whole with the repeats as further registers, the last axis fastest.
#[test]
fn holders_of_a_part_are_repeated_over_the_memory() {
    for (memory, part, whole) in [
        ("(64,64):(64,1)", "((32_LANE:1), (8:1))", "((2:64, 32_LANE:1), (8:8, 8:1))"),
        (
            "S<3,3,3> o 0 o (16,24):(24,1)",
            "((8_LANE:4), (4_LANE:1, 2:1))",
            "((2:6, 8_LANE:4), (3:2, 4_LANE:1, 2:1))",
        ),
        ("(8,6):(6,1)", "((8_LANE:1), (3_LANE:8))", "((8_LANE:1), (2:1, 3_LANE:8))"),
    ] {
        let of = |holders: &str| access(&cute(memory), &held(holders), 16).unwrap();
        let (mut part, whole) = (of(part), of(whole));
        assert_ne!(part.repeats, [1, 1]);
        part.repeats = vec![1, 1];
        assert_eq!(part, whole, "{memory}");
    }
    let odd = access(&cute("(64,64):(64,1)"), &held("((32_LANE:1), (3:1))"), 16).unwrap_err();
    assert_eq!(odd.kind(), ErrorKind::Shape);
}

/// The wavefronts and sectors of a byte-by-byte simulation, in accesses of `vector` registers.
fn simulated(memory: &Layout, holders: &Layout, bytes: u64, vector: u64) -> (u64, u64) {
    let lane = Level::new("LANE").unwrap();
    let mut taken: BTreeMap<u64, BTreeMap<u64, u64>> = BTreeMap::new();
    for index in holders.indexes() {
        let place = holders.locate(&index).unwrap();
        let at = memory.locate(&index).unwrap().get(Level::ADDR).unwrap();
        let register = place.get(Level::ADDR).unwrap();
        if register.is_multiple_of(vector) {
            let lane = place.get(lane).unwrap_or(0);
            taken.entry(register / vector).or_default().insert(lane, at * bytes);
        }
    }
    let (mut wavefronts, mut sectors) = (0, 0);
    let width = vector * bytes;
    let group = if width <= 4 { 32 } else { 128 / width };
    for lanes in taken.values() {
        for first in (0..32).step_by(group as usize) {
            let mut banks: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
            for (_, at) in lanes.range(first..first + group) {
                for byte in *at..at + width {
                    banks.entry(byte / 4 % 32).or_default().insert(byte / 4);
                }
            }
            wavefronts += banks.values().map(|words| words.len() as u64).max().unwrap_or(0);
        }
        let bytes = lanes.values().flat_map(|at| *at..at + width);
        sectors += bytes.map(|byte| byte / 32).collect::<BTreeSet<u64>>().len() as u64;
    }
    (wavefronts, sectors)
}

properties! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn wavefronts_and_sectors_are_those_of_a_simulation(
        rows in 1_u64..33, columns in 1_u64..9, row in 0_u64..80, column in 1_u64..5, log in 0_u32..5,
        swizzle in prop::option::of((1_u32..4, 0_u32..4)),
    ) {
        let (bits, plain) = (8_u64 << log, format!("({rows},{columns}):({row},{column})"));
        let text = match swizzle {
            Some((bits, base)) => format!("S<{bits},{base},{bits}> o 0 o {plain}"),
            None => plain,
        };
        let (memory, holders) = (cute(&text), held(&format!("(({rows}_LANE:1), ({columns}:1))")));
        let cost = access(&memory, &holders, bits).unwrap();
        let vector = cost.vector_bytes * 8 / bits;
        let simulated = simulated(&memory, &holders, bits / 8, vector);
        prop_assert_eq!((cost.wavefronts, cost.sectors), simulated, "{}", text);
        prop_assert!(cost.vector_bytes <= 16 && columns % vector == 0);
    }
}

/// A swizzle that undoes a part of the memory's own allows vectors of 8 bytes, where the memory has 4.
#[test]
fn the_cost_of_a_change_is_that_of_the_changed_memory() {
    let memory = cute("S<1,0,3> o 0 o (8,4):(8,1)");
    let holders = held("((8_LANE:1), (4:1))");
    let best = swizzles(&memory, &holders, 32).unwrap();
    let names: Vec<String> = best.iter().filter_map(|b| Some(b.change?.to_string())).collect();
    assert_eq!(names, ["S<3,0,3>"]);
    let again = access(&best[0].memory, &holders, 32).unwrap();
    assert_eq!((&best[0].accesses[0], best[0].wavefronts()), (&again, 2));
}
