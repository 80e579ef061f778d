//! Test vectors of MN-Core 2: the lines, their contents, and the errors found in them.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests fail by panic")]
#![allow(clippy::as_conversions, reason = "small numbers")]
#![allow(missing_docs, reason = "the names of tests are statements")]

// The slow definition and the generated layouts come from the library.
#[path = "../../../tests/generate.rs"]
#[allow(dead_code, reason = "the laws of the library draw more")]
mod generate;
#[path = "../../../tests/plain.rs"]
#[allow(dead_code, unused_imports, reason = "the laws of the library ask more")]
mod plain;
#[path = "../../../tests/slow.rs"]
#[allow(dead_code, reason = "the laws of the library ask more")]
mod slow;

mod dumps;
mod emulator;
mod forms;
mod found;
mod laws;
mod sample;

use tensor_layout::notation::{Dtype, MemoryText, PadLayout};
use tensor_layout::{Level, Machine, Placement};
use tensor_layout_vectors::{
    Fault, TensorDirection, VectorComparison, VectorData, VectorError, VectorHeader, VectorLine,
    VectorReader, VectorVerb, VectorWriter, check_vectors, compare_vectors,
};

use crate::plain::Plain;
use crate::sample::*;

#[test]
fn the_lines_of_the_format_come_from_arrays_byte_for_byte() {
    let file = file(&example());
    assert!(file.starts_with(EXAMPLE), "{file:.400}");
    let line = |number: usize| file.lines().nth(number).unwrap();
    assert_eq!(file.lines().count(), 4 + 2 + 2 * 2048 + 2 * 8);
    assert_eq!(line(2049), "# ======= In(1): ((8:1, 2_W:1))@DRAM / Float =======");
    assert_eq!(
        line(2050),
        "r 0 000000003 001 3FC000003DCCCCCD # values=[1.5, 0.10000000149011612] / Float @[0],[1]"
    );
    assert_eq!(
        line(2057),
        "r 0 00000000A 001 4160000041700000 # values=[14.0, 15.0] / Float @[14],[15]"
    );
    let tail = [
        "# ======= YOUR VSM WILL BE INSERTED HERE =======",
        "# ======= Output =======",
        "# ======= Out(0): ((4_L2B:2, 64:2), (2:1, 4_PE:1, 2_W:1))@LM1 / Float =======",
        "d getd $ln0n0c0b0m0p0 1 # expect=[0.10000000149011612, 1.5] / Float @[0,0],[0,1] atol=0.0001",
    ];
    assert_eq!(file.lines().skip(2058).take(4).collect::<Vec<_>>(), tail);
    assert_eq!(line(2061 + 2048), "# ======= Out(1): ((8:1, 2_W:1))@DRAM / Float =======");
    assert_eq!(
        line(2061 + 2050),
        "d getd $d1n0 1 # expect=[-2.25, 3.299999952316284] / Float @[2],[3] atol=0.0001"
    );
    // L2B 2, row 1, the third long word of a row: group 1; addresses count 32-bit words.
    assert!(file.contains("\nd set $lm6n1c0p0 1 "), "row 65 of 256");
    assert_eq!(check_vectors(file.as_bytes(), &mut |_| {}).unwrap().findings, []);
}

#[test]
fn lanes_copies_and_letters_are_those_of_the_format() {
    let first = |layout: &str, dtype, shape: &[u64], bits: &[u64]| {
        let header = header(TensorDirection::In, 0, layout);
        lines(&VectorWriter::new(header, data(dtype, shape, bits.to_vec())).unwrap())
    };
    // In DRAM, a lone lane is written to every lane; in LM0, to lane 0.
    assert_eq!(
        first("((2:1, 1_W:1))@DRAM / Int", Dtype::Int, &[2], &[7, 9]),
        "r 0 000000000 001 0000000700000007 # values=[7] / Int @[0]\n\
         r 0 000000001 001 0000000900000009 # values=[9] / Int @[1]\n"
    );
    assert_eq!(
        first("((1:1, 1_W:1))@LM0 / Int", Dtype::Int, &[1], &[7]),
        "d set $lm0 1 0000000700000000 # values=[7] / Int @[0]\n"
    );
    // Without `W`, every lane is a copy, and the value is written once.
    assert_eq!(
        first("((1:1))@LM0 / Int", Dtype::Int, &[1], &[7]),
        "d set $lm0 1 0000000700000007 # values=[7] / Int @[0]\n"
    );
    // Sized copies have their own lines; padding is 0 and is not mentioned.
    assert_eq!(
        first("(1)/((2_W:1); B@[2_PE:2])@LM1 / Int", Dtype::Int, &[1], &[7]),
        "d set $ln0p0 1 0000000700000000 # values=[7] / Int @[0]\n\
         d set $ln0p2 1 0000000700000000 # values=[7] / Int @[0]\n"
    );
    // Lanes along a major axis: a long word is written in the order of its first element.
    assert_eq!(
        first("((2_W:1), (2:1))@LM0 / Int", Dtype::Int, &[2, 2], &[1, 2, 3, 4]),
        "d set $lm0 1 0000000100000003 # values=[1, 3] / Int @[0,0],[1,0]\n\
         d set $lm2 1 0000000200000004 # values=[2, 4] / Int @[0,1],[1,1]\n"
    );
}

#[test]
fn the_l2bs_of_a_group_have_its_memory_together() {
    let writer = |layout: &str, shape: &[u64]| {
        let count = shape.iter().product::<u64>();
        let header = header(TensorDirection::In, 0, layout);
        VectorWriter::new(header, data(Dtype::Int, shape, 0..count))
    };
    let refused = writer("((2_L2B:1), (2_W:1))@DRAM / Int", &[2, 2]).unwrap_err();
    assert!(refused.to_string().contains("are both stored at"), "{refused}");
    // L2B 0 and 3: groups 0 and 1.
    let written = writer("((2_L2B:3), (2_W:1))@DRAM / Int", &[2, 2]).unwrap();
    assert_eq!(
        lines(&written),
        "r 0 000000000 001 0000000000000001 # values=[0, 1] / Int @[0,0],[0,1]\n\
         r 1 000000000 001 0000000200000003 # values=[2, 3] / Int @[1,0],[1,1]\n"
    );
    let again = VectorReader::new(format!("{}\n{}", written.header(), lines(&written)).as_bytes())
        .next_tensor(&mut |_| {})
        .unwrap()
        .unwrap();
    assert_eq!(again.data, data(Dtype::Int, &[2, 2], 0..4));
}

#[test]
fn copies_in_the_memories_of_groups_are_written_once_in_every_group() {
    let longs = |count: u64| data(Dtype::Long, &[count], 0..count);
    for (layout, count, wanted) in [
        ("((2_L2B:4, 4:1); B@[2_L2B:2])@DRAM / Long", 8, 16),
        ("((4:1); B@[2_L2B:1])@DRAM / Long", 4, 4),
    ] {
        let written =
            VectorWriter::new(header(TensorDirection::In, 0, layout), longs(count)).unwrap();
        let text = lines(&written);
        // `r`, the group, the address.
        let place = |line: &str| line.split(' ').take(3).map(str::to_owned).collect::<Vec<_>>();
        let places: Vec<Vec<String>> = text.lines().map(place).collect();
        assert_eq!(places.len(), wanted, "{text}");
        let apart: std::collections::HashSet<&Vec<String>> = places.iter().collect();
        assert_eq!(apart.len(), wanted, "{text}");
    }
}

#[test]
fn halves_have_six_bits_of_exponent() {
    let header = header(TensorDirection::In, 0, "((4_W:1))@LM0 / Half");
    let write = |data| lines(&VectorWriter::new(header.clone(), data).unwrap());
    // 1.5, -2, 65536 (beyond float16), and 0.1 rounded to 9 bits of mantissa.
    let values = [1.5_f32, -2.0, 65536.0, 0.1].map(|value| u64::from(value.to_bits()));
    let file = npy("<f4", &[4], values);
    let line = write(VectorData::from_npy(Dtype::Half, &mut &file[..]).unwrap());
    assert_eq!(
        line,
        "d set $lm0 1 3F00C0005E003733 # values=[1.5, -2.0, 65536.0, 0.0999755859375] / Half \
         @[0],[1],[2],[3]\n"
    );
    // A float16 array of NumPy holds values, and a u2 array holds the bits.
    let file = npy("<f2", &[4], [0x3e00, 0xc000, 0x7bff, 0x2e66]);
    let line = write(VectorData::from_npy(Dtype::Half, &mut &file[..]).unwrap());
    assert!(line.contains(" 3F00C0005E003733 "), "{line}");
    assert_eq!(write(data(Dtype::Half, &[4], [0x3f00, 0xc000, 0x5e00, 0x3733])), line);
    let file = npy("<f4", &[1], [u64::from(1e10_f32.to_bits())]);
    let refused = VectorData::from_npy(Dtype::Half, &mut &file[..]).unwrap_err().to_string();
    assert!(refused.contains("is 10000000000.0, but the greatest Half"), "{refused}");
}
