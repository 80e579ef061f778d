//! Test vectors of MN-Core 2: the lines, what they hold, what is found wrong in them.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::select;
use tensor_layout::image::{NpyHeader, join_lanes};
use tensor_layout::notation::{Dtype, MemoryText, PadLayout};
use tensor_layout::vectors::{
    Direction, Fault, VectorData, VectorHeader, VectorLine, VectorReader, VectorWriter,
    check_vectors, compare_vectors, npy_descr, write_vectors,
};
use tensor_layout::{Level, Machine, Placement};

use crate::plain::Plain;

/// The lines of the format that its users know.
const EXAMPLE: &str = "\
# ======= In(0): ((4_L2B:2, 64:2), (2:1, 4_PE:1, 2_W:1))@LM0 / Float =======
d set $lm0n0c0p0 1 3DCCCCCD3FC00000 # values=[0.10000000149011612, 1.5] / Float @[0,0],[0,1]
d set $lm0n0c0p1 1 C010000040533333 # values=[-2.25, 3.299999952316284] / Float @[0,2],[0,3]
";

fn header(direction: Direction, number: u64, layout: &str) -> VectorHeader {
    VectorHeader { direction, number, layout: layout.parse().unwrap() }
}

/// A `.npy` file of elements by their bits.
fn npy(descr: &str, shape: &[u64], bits: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let width: usize = descr[2..].parse().unwrap();
    let mut file = Vec::new();
    NpyHeader { descr: descr.into(), shape: shape.into() }.write(&mut file).unwrap();
    file.extend(bits.into_iter().flat_map(|bits| bits.to_le_bytes()[..width].to_vec()));
    file
}

/// A tensor whose elements have these bits.
fn data(dtype: Dtype, shape: &[u64], bits: impl IntoIterator<Item = u64>) -> VectorData {
    let descr = if dtype == Dtype::Half { "<u2" } else { npy_descr(dtype) };
    VectorData::from_npy(dtype, &mut &npy(descr, shape, bits)[..]).unwrap()
}

fn floats(shape: &[u64], values: impl IntoIterator<Item = f32>) -> VectorData {
    data(Dtype::Float, shape, values.into_iter().map(|value| value.to_bits().into()))
}

fn file(tensors: &[VectorWriter]) -> String {
    let mut out = Vec::new();
    write_vectors(tensors, &mut out, &mut |_| {}).unwrap();
    String::from_utf8(out).unwrap()
}

fn lines(tensor: &VectorWriter) -> String {
    let mut out = Vec::new();
    tensor.write_lines(&mut out, &mut |_| {}).unwrap();
    String::from_utf8(out).unwrap()
}

/// 256 x 16 numbers that begin as those of the example.
fn example_data() -> VectorData {
    let first = [0.1, 1.5, -2.25, 3.3];
    floats(&[256, 16], (0..4096).map(|at| first.get(at).copied().unwrap_or(at as f32)))
}

const EXAMPLE_LM: &str = "((4_L2B:2, 64:2), (2:1, 4_PE:1, 2_W:1))";

fn example() -> Vec<VectorWriter> {
    let writer = |direction, number, layout: &str, data| {
        VectorWriter::new(header(direction, number, layout), data).unwrap()
    };
    let vector = || floats(&[16], [1.5, 0.1].into_iter().chain((2..16).map(|at| at as f32)));
    let mut expected: Vec<f32> = vec![0.0, 1.0, -2.25, 3.3];
    expected.resize(16, 0.0);
    vec![
        writer(Direction::In, 0, &format!("{EXAMPLE_LM}@LM0 / Float"), example_data()),
        writer(Direction::In, 1, "((8:1, 2_W:1))@DRAM / Float", vector()).base(3),
        writer(Direction::Out, 0, &format!("{EXAMPLE_LM}@LM1 / Float"), example_data()),
        writer(Direction::Out, 1, "((8:1, 2_W:1))@DRAM / Float", floats(&[16], expected)),
    ]
}

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
    // L2B 2, row 1, the third long word of a row: group 1, addresses in 32-bit words.
    assert!(file.contains("\nd set $lm6n1c0p0 1 "), "row 65 of 256");
    assert_eq!(check_vectors(file.as_bytes(), &mut |_| {}).unwrap().findings, []);
}

#[test]
fn lanes_copies_and_letters_are_those_of_the_format() {
    let first = |layout: &str, dtype, shape: &[u64], bits: &[u64]| {
        let header = header(Direction::In, 0, layout);
        lines(&VectorWriter::new(header, data(dtype, shape, bits.to_vec())).unwrap())
    };
    // A lone lane in DRAM is written into every lane; in LM0 into lane 0.
    assert_eq!(
        first("((2:1, 1_W:1))@DRAM / Int", Dtype::Int, &[2], &[7, 9]),
        "r 0 000000000 001 0000000700000007 # values=[7] / Int @[0]\n\
         r 0 000000001 001 0000000900000009 # values=[9] / Int @[1]\n"
    );
    assert_eq!(
        first("((1:1, 1_W:1))@LM0 / Int", Dtype::Int, &[1], &[7]),
        "d set $lm0 1 0000000700000000 # values=[7] / Int @[0]\n"
    );
    // Without `W` every lane is a copy, and the value is said once.
    assert_eq!(
        first("((1:1))@LM0 / Int", Dtype::Int, &[1], &[7]),
        "d set $lm0 1 0000000700000007 # values=[7] / Int @[0]\n"
    );
    // Sized copies have lines of their own; padding is 0 and said nowhere.
    assert_eq!(
        first("(1)/((2_W:1); B@[2_PE:2])@LM1 / Int", Dtype::Int, &[1], &[7]),
        "d set $ln0p0 1 0000000700000000 # values=[7] / Int @[0]\n\
         d set $ln0p2 1 0000000700000000 # values=[7] / Int @[0]\n"
    );
    // Lanes by a major axis: a long word stands where its first element does.
    assert_eq!(
        first("((2_W:1), (2:1))@LM0 / Int", Dtype::Int, &[2, 2], &[1, 2, 3, 4]),
        "d set $lm0 1 0000000100000003 # values=[1, 3] / Int @[0,0],[1,0]\n\
         d set $lm2 1 0000000200000004 # values=[2, 4] / Int @[0,1],[1,1]\n"
    );
}

#[test]
fn the_l2bs_of_a_group_share_its_memory() {
    let writer = |layout: &str, shape: &[u64]| {
        let count = shape.iter().product::<u64>();
        let header = header(Direction::In, 0, layout);
        VectorWriter::new(header, data(Dtype::Int, shape, 0..count))
    };
    let refused = writer("((2_L2B:1), (2_W:1))@DRAM / Int", &[2, 2]).unwrap_err();
    assert!(refused.to_string().contains("share the place"), "{refused}");
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
fn halves_have_six_bits_of_exponent() {
    let header = header(Direction::In, 0, "((4_W:1))@LM0 / Half");
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
    // float16 of NumPy holds values, and u2 the bits.
    let file = npy("<f2", &[4], [0x3e00, 0xc000, 0x7bff, 0x2e66]);
    let line = write(VectorData::from_npy(Dtype::Half, &mut &file[..]).unwrap());
    assert!(line.contains(" 3F00C0005E003733 "), "{line}");
    assert_eq!(write(data(Dtype::Half, &[4], [0x3f00, 0xc000, 0x5e00, 0x3733])), line);
    let file = npy("<f4", &[1], [u64::from(1e10_f32.to_bits())]);
    let refused = VectorData::from_npy(Dtype::Half, &mut &file[..]).unwrap_err().to_string();
    assert!(refused.contains("is 10000000000.0, but the greatest Half"), "{refused}");
}

/// One line of a file, changed.
fn damaged(file: &str, line: usize, change: impl Fn(&str) -> String) -> String {
    let lines = file.lines().enumerate().map(|(at, text)| match at + 1 == line {
        true => change(text),
        false => format!("{text}\n"),
    });
    lines.collect()
}

/// What is found in a file, as lines and names.
fn found(file: &str) -> Vec<(u64, &'static str)> {
    let name = |fault: &Fault| match fault {
        Fault::Text(_) => "text",
        Fault::Layout(_) => "layout",
        Fault::Repeated { .. } => "repeated",
        Fault::Direction { .. } => "direction",
        Fault::Memory { .. } => "memory",
        Fault::NoComment => "no comment",
        Fault::Dtype { .. } => "dtype",
        Fault::Index { .. } => "index",
        Fault::Place { .. } => "place",
        Fault::Lanes { .. } => "lanes",
        Fault::Count { .. } => "count",
        Fault::Value { .. } => "value",
        Fault::Doubled { .. } => "doubled",
        Fault::Order { .. } => "order",
        Fault::Missing { .. } => "missing",
        Fault::Overlap { .. } => "overlap",
        _ => "other",
    };
    let check = check_vectors(file.as_bytes(), &mut |_| {}).unwrap();
    check.findings.iter().map(|finding| (finding.line, name(&finding.fault))).collect()
}

/// The example with fewer rows, and a DRAM tensor of 12 long words.
fn small() -> String {
    let writer = |direction, number, layout: &str, data| {
        VectorWriter::new(header(direction, number, layout), data).unwrap()
    };
    let numbers = |shape: &[u64]| floats(shape, (0..shape.iter().product()).map(|at| at as f32));
    file(&[
        writer(
            Direction::In,
            0,
            "((4_L2B:2, 2:2), (2:1, 4_PE:1, 2_W:1))@LM0 / Float",
            numbers(&[8, 16]),
        ),
        writer(Direction::In, 1, "((12:1, 2_W:1))@DRAM / Float", numbers(&[24])),
        writer(Direction::Out, 0, "((2:1, 4_PE:1, 2_W:1))@LM0 / Float", numbers(&[16])),
    ])
}

#[test]
fn damage_is_found_at_its_line() {
    let file = small();
    assert_eq!(found(&file), []);
    let at = |line: usize| file.lines().nth(line - 1).unwrap();
    let replaced = |line: usize, from: &str, to: &str| {
        assert!(at(line).contains(from), "{}", at(line));
        found(&damaged(&file, line, |text| format!("{}\n", text.replace(from, to))))
    };
    // Swapped lanes: in the long word, and in the comment.
    assert_eq!(replaced(5, "40C0000040E00000", "40E0000040C00000"), [(5, "value")]);
    assert_eq!(replaced(5, "@[0,6],[0,7]", "@[0,7],[0,6]"), [(5, "lanes"), (5, "value")]);
    // Wrong letters: another unit, one too many, one too few, another memory.
    assert_eq!(replaced(5, "p3", "p2"), [(5, "place")]);
    assert_eq!(replaced(5, "n0c0p3", "n0c0m1p3"), [(5, "place")]);
    assert_eq!(replaced(5, "n0c0p3", "p3"), [(5, "place")]);
    assert_eq!(replaced(5, "$lm", "$ln"), [(5, "memory")]);
    assert_eq!(replaced(5, "p3 1", "q3 1"), [(5, "text")]);
    assert_eq!(replaced(6, "$lm2", "$lm4"), [(6, "place")]);
    assert_eq!(replaced(6, "$lm2", "$lm3"), [(6, "text")]);
    // A decimal address in `r`: the eleventh long word.
    assert_eq!(
        at(77),
        "r 0 00000000A 001 41A0000041A80000 # values=[20.0, 21.0] / Float @[20],[21]"
    );
    let decimal =
        damaged(&file, 77, |text| format!("{}\n", text.replace("00000000A", "000000010")));
    let check = check_vectors(decimal.as_bytes(), &mut |_| {}).unwrap();
    assert_eq!((check.count, check.findings[0].line), (1, 77));
    assert_eq!(
        check.findings[0].fault.to_string(),
        "[20] lives at `$d10n0`, not at `$d16n0`; addresses of `r` are hexadecimal: 00000000A"
    );
    // Missing, doubled and misplaced lines.
    assert_eq!(found(&damaged(&file, 5, |_| String::new())), [(5, "missing")]);
    assert_eq!(found(&damaged(&file, 2, |_| String::new())), [(2, "missing")]);
    assert_eq!(found(&damaged(&file, 65, |_| String::new())), [(65, "missing")]);
    assert_eq!(found(&damaged(&file, 5, |text| format!("{text}\n{text}\n"))), [(6, "doubled")]);
    let moved = |from: usize, to: usize| {
        let mut lines: Vec<&str> = file.lines().collect();
        let line = lines.remove(from - 1);
        lines.insert(to - 1, line);
        found(&lines.join("\n"))
    };
    assert_eq!(moved(5, 40), [(40, "order")]);
    assert_eq!(moved(40, 5), [(5, "order")]);
    assert_eq!(moved(5, 6), [(5, "order")]);
    assert_eq!(moved(65, 2), [(2, "order")]);
    assert_eq!(moved(2, 65), [(65, "order")]);
    // Values and comments.
    assert_eq!(replaced(5, "values=[6.0", "values=[6.5"), [(5, "value")]);
    assert_eq!(replaced(5, "[6.0, 7.0]", "[6.0]"), [(5, "count")]);
    assert_eq!(replaced(5, "/ Float", "/ Int"), [(5, "text")]);
    assert_eq!(replaced(5, "[0,6]", "[0,16]"), [(5, "index")]);
    assert_eq!(replaced(5, "d set", "d getd"), [(5, "direction")]);
    assert_eq!(
        found(&damaged(&file, 5, |text| format!("{}\n", text.split(" # ").next().unwrap()))),
        [(5, "no comment")]
    );
    // Headers.
    assert_eq!(replaced(66, "In(1)", "In(0)"), [(66, "repeated")]);
    assert_eq!(replaced(66, "12:1, 2_W", "12:1, 3_W"), [(66, "layout")]);
    assert_eq!(replaced(66, "@DRAM / Float", ""), [(66, "layout")]);
}

#[test]
fn tensors_that_overlap_or_leave_the_memory_are_found() {
    let writer = |number, layout: &str, base| {
        let header = header(Direction::In, number, layout);
        let shape = header.layout.lower().unwrap().shape();
        let count = shape.iter().product();
        VectorWriter::new(header, data(Dtype::Long, &shape, 0..count)).unwrap().base(base)
    };
    // Every PE writes addresses 0 to 3; PE 2 alone 3 to 5.
    let (all, one) = ("((4:1))@LM0 / Long", "((1_PE:1, 3:1))@LM0 / Long");
    assert_eq!(found(&file(&[writer(0, all, 0), writer(1, one, 4)])), []);
    assert_eq!(found(&file(&[writer(0, all, 0), writer(1, one, 3)])), [(7, "overlap")]);
    assert_eq!(found(&file(&[writer(0, one, 3), writer(1, all, 0)])), [(9, "overlap")]);
    // Different units, memories and groups do not meet.
    let (zero, rest) = ("((1_PE:1, 3:1))@LM0 / Long", "((1_PE:1, 3:1))@LM1 / Long");
    assert_eq!(found(&file(&[writer(0, zero, 0), writer(1, rest, 0)])), []);
    let (even, odd) = ("((2_PE:1, 3:1))@LM0 / Long", "((1_MAB:1, 3:1))@LM0 / Long");
    assert_eq!(found(&file(&[writer(0, even, 0), writer(1, odd, 2)])), [(9, "overlap")]);
    let dram = "((4_L2B:2, 3:1))@DRAM / Long";
    assert_eq!(found(&file(&[writer(0, dram, 0), writer(1, dram, 3)])), []);
    assert_eq!(found(&file(&[writer(0, dram, 0), writer(1, dram, 2)])), [(15, "overlap")]);
    // A result may stand where an input stood.
    let mut out = file(&[writer(0, all, 0)]);
    out.push_str("# ======= Out(0): ((1:1))@LM0 / Long =======\n");
    out.push_str("d getd $lm0n0c0b0m0p0 1 # expect=[0] / Long @[0]\n");
    assert_eq!(found(&out), []);
    // The last long word of an LM is 2047.
    assert_eq!(found(&file(&[writer(0, all, 2044)])), []);
    let beyond = writer(0, all, 2045).write_lines(&mut Vec::new(), &mut |_| {}).unwrap_err();
    assert!(beyond.to_string().contains("holds 2048 long words"), "{beyond}");
    let file = file(&[writer(0, all, 2044)]);
    let moved = file.replace("$lm4094", "$lm4096").replace("$lm4092", "$lm4094");
    let moved = moved.replace("$lm4090", "$lm4092").replace("$lm4088", "$lm4090");
    assert_eq!(found(&moved), [(1, "layout")]);
}

#[test]
fn a_file_of_a_person_is_read() {
    // Blank lines, no `Output`, blanks in the header, `rtol`, a kernel with comments of its own.
    let file = "\
# ======= In(0):  (( 8:1,2_W:1))@LM0 / Int =======
d set $lm0 1 000000260000001c # values=[38, 28] / Int @[0],[1]

# ======= YOUR VSM WILL BE INSERTED HERE =======
# ======= my kernel =======
lpassa $lm0v $ln0v
# ======= Out(0): ((1:1, 2_W:1))@LM1 / Float =======
d getd $ln0n0c0b0m0p0 1 # expect=[inf, 1e-05] / Float @[0],[1] atol=0 rtol=0.5
";
    let mut reader = VectorReader::new(file.as_bytes());
    let mut next = || reader.next_tensor(&mut |_| {}).unwrap();
    let input = next().unwrap();
    assert_eq!((input.data.bits(0), input.data.bits(1), input.unset_count()), (38, 28, 14));
    assert_eq!(input.unset().collect::<Vec<_>>(), (2..16).collect::<Vec<_>>());
    let output = next().unwrap();
    assert_eq!(output.data.bits(0), u64::from(f32::INFINITY.to_bits()));
    assert_eq!(output.data.bits(1), u64::from(1e-5_f32.to_bits()));
    assert!(next().is_none());
    let result = "DEBUG-LM1(n0c0b0m0p0,0):(0) (0x7f8000003751b717) #d getd $ln0n0c0b0m0p0 1\n";
    let compared = compare_vectors(file.as_bytes(), result.as_bytes(), &mut |_| {}).unwrap();
    assert_eq!((compared.len(), compared[0].compared, compared[0].wrong), (1, 2, 0));
}

#[test]
fn what_cannot_be_read_is_refused_at_its_line() {
    let read = |file: &str| {
        VectorReader::new(file.as_bytes()).next_tensor(&mut |_| {}).unwrap_err().to_string()
    };
    let header = "# ======= In(0): ((1_PE:1, 2_W:1))@LM0 / Int =======\n";
    assert_eq!(
        read(&format!("{header}d set $lm0p0 1 123 # values=[1, 2] / Int @[0],[1]")),
        "line 2: expected 16 hexadecimal digits\n --> 1:16\n  \
         | d set $lm0p0 1 123 # values=[1, 2] / Int @[0],[1]\n  \
         |                ^^^"
    );
    assert!(read(&format!("{header}d set $lm1p0 1 0")).contains("is not that of a long word"));
    assert!(
        read(&format!("{header}d set $lm0p4 1 0")).contains("has 4 units `p`, so 4 is not one")
    );
    assert!(
        read(&format!("{header}d set $lm0p1 1 0000000000000000 # values=[1, 2] / Int @[0],[1]"))
            .contains("no element of In(0) is set at `$lm0p1`")
    );
    assert!(read("d set $lm0 1 0000000000000000").contains("before the header"));
    let time = read("# ======= In(0): ((2_Time:1, 2_W:1))@LM0 / Int =======");
    assert!(
        time.contains("a test vector cannot express this layout: it goes over `Time`"),
        "{time}"
    );
    assert!(read("# ======= In(0): ((2_W:1) =======").starts_with("line 1: expected"));
    // As long as the longest line, and bytes that are no text.
    assert!(
        read(&format!("{header}{}", "x".repeat(3 << 20))).contains("longer than 1048576 bytes")
    );
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend([0xff, b'\n']);
    let refused = VectorReader::new(&bytes[..]).next_tensor(&mut |_| {}).unwrap_err();
    assert!(refused.to_string().starts_with("line 2: the text is not UTF-8"), "{refused}");
}

#[test]
fn wrong_elements_are_told_by_place() {
    let file = small();
    let words: Vec<String> = (0..8_u32)
        .map(|word| {
            let lane = |value: u32| u64::from((value as f32 + 0.00005).to_bits());
            // The second long word of PE 1 has its lanes swapped.
            let (a, b) = if word == 5 { (11, 10) } else { (2 * word, 2 * word + 1) };
            format!("{:016x}\n", lane(a) << 32 | lane(b))
        })
        .collect();
    let compare = |result: &str| compare_vectors(file.as_bytes(), result.as_bytes(), &mut |_| {});
    let compared = compare(&words.concat()).unwrap();
    let [out] = &compared[..] else { panic!("{compared:?}") };
    assert_eq!((out.compared, out.wrong, out.differences.len()), (16, 2, 2));
    let first = &out.differences[0];
    assert_eq!((&first.index[..], first.lane, first.line), (&[10][..], 0, 87));
    assert_eq!((first.place.to_string().as_str(), &first.expected[..]), ("$lm2n0c0b0m0p1", "10.0"));
    assert_eq!(first.found.as_deref(), Some("11.000049591064453"));
    assert_eq!(
        out.units.iter().map(|(unit, count)| (unit[4], *count)).collect::<Vec<_>>(),
        [(Some(1), 2)]
    );
    let picture = out.picture();
    let wrong: Vec<usize> =
        (0..16).filter(|at| picture.panels[0].cells[*at].label == "1").collect();
    assert_eq!(wrong, [10, 11]);
    assert_eq!(picture.title, "Out(0): 2 of 16 wrong");
    // A list of another length; places that were not read.
    let short = compare(&words[..7].concat()).unwrap_err().to_string();
    assert_eq!(short, "the result has 7 long words, but the file has 8 lines that read");
    let one = compare("d getd $lm0n0c0b0m0p0 1 000000003F800000\n").unwrap();
    assert_eq!((one[0].wrong, &one[0].differences[0].found), (14, &None));
}

/// A layout for MN-Core 2, with its memory, dtype and base.
#[derive(Clone, Debug)]
struct Case {
    layout: PadLayout,
    memory: MemoryText,
    dtype: Dtype,
    base: u64,
    seed: u64,
}

/// What a level of a memory has room for, and the step of its coordinate that tells units apart.
fn room(memory: MemoryText, dtype: Dtype) -> Vec<(Level, u64, u64)> {
    let lanes = (Level::W, 64 / dtype.bits(), 1);
    match memory {
        MemoryText::DRAM => vec![(Level::ADDR, 60, 1), (Level::L2B, 4, 2), lanes],
        _ => vec![
            (Level::ADDR, 24, 1),
            (Level::L2B, 8, 1),
            (Level::L1B, 8, 1),
            (Level::MAB, 16, 1),
            (Level::PE, 4, 1),
            lanes,
        ],
    }
}

/// Layouts of any rank up to 6: digits of all levels in any order, padding, holes, sized copies.
fn case() -> impl Strategy<Value = Case> {
    let memory = select(vec![MemoryText::LM0, MemoryText::LM1, MemoryText::DRAM]);
    let digit = || (1_u64..=4, any::<usize>(), any::<u64>());
    let axes = prop::collection::vec(prop::collection::vec(digit(), 0..4), 0..=6);
    let copies = prop::collection::vec(digit(), 0..2);
    let kind = (any::<bool>(), 0_u64..40, any::<u64>(), prop::collection::vec(0_u64..9, 6));
    (memory, select(Dtype::ALL.to_vec()), axes, copies, kind).prop_filter_map(
        "not injective",
        |(memory, dtype, axes, copies, (loose, base, seed, cuts))| {
            let mut room = room(memory, dtype);
            let mut used: BTreeMap<Level, u64> = BTreeMap::new();
            let levels = room.len();
            let mut digit = |(size, level, gap): (u64, usize, u64)| {
                let (level, free, step) = &mut room[level % levels];
                let size = size.min(*free);
                *free /= size;
                let next = used.entry(*level).or_insert(*step);
                // Free strides where elements may collide, or nested ones with holes between.
                let hole = if gap % 4 == 0 && *free > 1 { 2 } else { 1 };
                let stride = if loose { *step * (1 + gap % 6) } else { *next * hole };
                *free /= hole;
                *next = *next * hole * size;
                (size, *level, stride)
            };
            let mut axes: Vec<Vec<_>> =
                axes.into_iter().map(|axis| axis.into_iter().map(&mut digit).collect()).collect();
            if axes.iter().flatten().map(|(size, ..)| size).product::<u64>() > 400 {
                axes.truncate(2);
            }
            let replicas = copies.into_iter().map(&mut digit).collect();
            let slots = |axis: &Vec<(u64, Level, u64)>| axis.iter().map(|d| d.0).product::<u64>();
            let cut = |(axis, cut): (&Vec<_>, &u64)| slots(axis) - cut.min(&(slots(axis) - 1)) / 3;
            let shape = axes.iter().zip(&cuts).map(cut).collect();
            let slow = Plain { shape, axes, replicas };
            let tree = slow.is_injective().then(|| slow.layout().to_pad_layout().ok())??;
            let layout = tree.with_memory(memory, Some(dtype));
            let case = Case { layout, memory, dtype, base, seed };
            case.placement().map(|_| case)
        },
    )
}

impl Case {
    /// On the machine, if it has room.
    fn placement(&self) -> Option<Placement> {
        Placement::of(self.layout.lower().ok()?)
            .on(&Machine::mn_core_2())
            .memory(self.memory.name())
            .element_bits(self.dtype.bits())
            .base(self.base)
            .build()
            .ok()
    }

    /// The bits of an element, any that its type has but NaN.
    fn bits(&self, element: u64) -> u64 {
        let bits = (element + 1).wrapping_mul(self.seed | 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = bits >> (64 - self.dtype.bits());
        match self.dtype {
            Dtype::Float => bits & 0xbfff_ffff,
            Dtype::Double => bits & 0xbfff_ffff_ffff_ffff,
            Dtype::Half => bits & 0xbfff,
            _ => bits,
        }
    }

    fn data(&self) -> VectorData {
        let shape = self.layout.lower().unwrap().shape();
        let count = shape.iter().product();
        data(self.dtype, &shape, (0..count).map(|element| self.bits(element)))
    }

    fn writer(&self, direction: Direction) -> VectorWriter {
        let header = VectorHeader { direction, number: 0, layout: self.layout.clone() };
        VectorWriter::new(header, self.data()).unwrap().base(self.base)
    }

    /// What the memories hold, by `pack`: long words that hold an element.
    fn packed(&self) -> Memory {
        let placement = self.placement().unwrap();
        let program = placement.program().unwrap();
        let layout = placement.layout();
        let lanes = 64 / self.dtype.bits();
        let lone = self.memory == MemoryText::DRAM
            && layout.used_levels().contains(&Level::W)
            && layout.extent(Level::W) == 1;
        let elements: Vec<u64> = (0..program.elements()).collect();
        let mut image = vec![u64::MAX; usize::try_from(program.places()).unwrap()];
        program.pack(&elements, &mut image, u64::MAX).unwrap();
        let mut memory = Memory::new();
        for (at, cells) in image.chunks(lanes as usize).enumerate() {
            if cells.iter().all(|cell| *cell == u64::MAX) {
                continue;
            }
            let bits = |cell: &u64| if *cell == u64::MAX { 0 } else { self.bits(*cell) };
            let cells: Vec<u64> =
                (0..cells.len()).map(|lane| bits(&cells[if lone { 0 } else { lane }])).collect();
            let place = program.location(at as u64 * lanes);
            let level = |level| place.get(level).unwrap_or(0);
            let (group, half) = (level(Level::L2B) / 2, level(Level::L2B) % 2);
            let unit = match self.memory {
                MemoryText::DRAM => [group, 0, 0, 0, 0],
                _ => [group, half, level(Level::L1B), level(Level::MAB), level(Level::PE)],
            };
            *memory.entry((unit, level(Level::ADDR))).or_default() |= joined(lanes, &cells);
        }
        memory
    }
}

/// Lanes side by side, by the library.
fn joined(lanes: u64, cells: &[u64]) -> u64 {
    let mut word = [0];
    match lanes {
        1 => join_lanes(cells, &mut word),
        2 => join_lanes(&cells.iter().map(|cell| *cell as u32).collect::<Vec<_>>(), &mut word),
        4 => join_lanes(&cells.iter().map(|cell| *cell as u16).collect::<Vec<_>>(), &mut word),
        _ => join_lanes(&cells.iter().map(|cell| *cell as u8).collect::<Vec<_>>(), &mut word),
    }
    .unwrap();
    word[0]
}

/// Long words by unit (group, L2B of it, L1B, MAB, PE) and address.
type Memory = BTreeMap<([u64; 5], u64), u64>;

/// The places that a line names, by nothing but its letters: those left out are all units.
fn places(place: &str) -> Vec<([u64; 5], u64)> {
    let place = place.trim_start_matches(['$', 'l']);
    let (memory, rest) = place.split_at(1);
    let split = rest.find(|c: char| c.is_alphabetic()).unwrap_or(rest.len());
    let address: u64 = rest[..split].parse().unwrap();
    let mut units = vec![Vec::new()];
    for (letter, count) in [('n', 4), ('c', 2), ('b', 8), ('m', 16), ('p', 4)] {
        let at = rest[split..].split_once(letter).map(|(_, after)| {
            let end = after.find(|c: char| c.is_alphabetic()).unwrap_or(after.len());
            after[..end].parse::<u64>().unwrap()
        });
        let count = if memory == "d" && letter != 'n' { 1 } else { count };
        let ats: Vec<u64> = at.map_or((0..count).collect(), |at| vec![at]);
        let longer = |unit: Vec<u64>| -> Vec<Vec<u64>> {
            ats.iter().map(|at| [unit.clone(), vec![*at]].concat()).collect()
        };
        units = units.into_iter().flat_map(longer).collect();
    }
    let address = if memory == "d" { address } else { address / 2 };
    units.into_iter().map(|unit| (unit.try_into().unwrap(), address)).collect()
}

/// Carries lines out on an empty memory.
fn carried_out(lines: &str) -> Memory {
    let mut memory = Memory::new();
    for line in lines.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (places, payload) = match words[0] {
            "r" => {
                let address = u64::from_str_radix(words[2], 16).unwrap();
                (vec![([words[1].parse().unwrap(), 0, 0, 0, 0], address)], words[4])
            }
            _ => (places(words[2]), words[4]),
        };
        let word = u64::from_str_radix(payload, 16).unwrap();
        memory.extend(places.into_iter().map(|place| (place, word)));
    }
    memory
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 150, failure_persistence: None, max_global_rejects: 1 << 20, ..ProptestConfig::default()
    })]

    #[test]
    fn law_02_lines_hold_what_pack_holds(case in case()) {
        let lines = lines(&case.writer(Direction::In));
        prop_assert_eq!(carried_out(&lines), case.packed());
        // Every long word is written once, by the order of its first element.
        let place = |line: &str| line.split(" # ").next().unwrap().rsplit_once(' ').unwrap().0.to_owned();
        let places: BTreeSet<String> = lines.lines().map(place).collect();
        prop_assert_eq!(places.len(), lines.lines().count());
        let first = |line: &str| -> Vec<u64> {
            line.parse::<VectorLine>().unwrap().comment.unwrap().indexes.into_iter().min().unwrap()
        };
        let order: Vec<Vec<u64>> = lines.lines().map(first).collect();
        prop_assert!(order.is_sorted());
    }

    #[test]
    fn write_read_write_is_the_identity(case in case()) {
        let written = file(&[case.writer(Direction::In), case.writer(Direction::Out)]);
        let mut reader = VectorReader::new(written.as_bytes());
        let mut again = Vec::new();
        while let Some(read) = reader.next_tensor(&mut |_| {}).unwrap() {
            prop_assert_eq!((read.unset_count(), read.unset().count()), (0, 0));
            prop_assert_eq!(&read.data, &case.data());
            let elements = read.data.shape().iter().product::<u64>();
            prop_assert_eq!(read.base, if elements == 0 { 0 } else { case.base });
            again.push(VectorWriter::new(read.header, read.data).unwrap().base(read.base));
        }
        prop_assert_eq!(&file(&again), &written);
        let check = check_vectors(written.as_bytes(), &mut |_| {}).unwrap();
        prop_assert_eq!((check.findings, check.tensors), (vec![], 2));
        for line in written.lines().filter(|line| !line.starts_with('#')) {
            prop_assert_eq!(line.parse::<VectorLine>().unwrap().to_string(), line);
        }
    }

    #[test]
    fn a_simulator_that_keeps_its_memory_gives_what_is_expected(case in case(), flip in any::<u64>()) {
        let (set, read) = (lines(&case.writer(Direction::In)), lines(&case.writer(Direction::Out)));
        let mut memory = carried_out(&set);
        let header = case.writer(Direction::Out).header().to_string();
        let expected = format!("{header}\n{read}");
        let result = |memory: &Memory| -> String {
            let word = |line: &str| {
                let place = line.split(' ').nth(2).unwrap();
                let [place] = places(place)[..] else { panic!("{line} names several units") };
                format!("{:016x}\n", memory[&place])
            };
            read.lines().map(word).collect()
        };
        let compare = |result: &str| {
            compare_vectors(expected.as_bytes(), result.as_bytes(), &mut |_| {}).unwrap().remove(0)
        };
        let same = compare(&result(&memory));
        prop_assert_eq!((same.wrong, same.compared >= case.data().shape().iter().product()), (0, true));
        // Another long word that is read is found, at its place.
        let read_places: Vec<_> =
            read.lines().map(|line| places(line.split(' ').nth(2).unwrap())[0]).collect();
        if read_places.is_empty() {
            return Ok(());
        }
        let at = read_places[usize::try_from(flip % read_places.len() as u64).unwrap()];
        // The sign or the top bit of every lane: no value is within the tolerance of that.
        let top = joined(64 / case.dtype.bits(), &vec![1 << (case.dtype.bits() - 1); 8][..(64 / case.dtype.bits()) as usize]);
        let word = memory.get_mut(&at).unwrap();
        *word ^= top;
        let wrong = compare(&result(&memory));
        let is_float = matches!(case.dtype, Dtype::Float | Dtype::Double | Dtype::Half);
        prop_assert!(is_float || wrong.wrong > 0);
        for difference in &wrong.differences {
            prop_assert_eq!(places(&difference.place.to_string()), vec![at]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn law_16_no_file_panics(edits in prop::collection::vec((any::<usize>(), 0..4_u8, any::<usize>()), 1..6)) {
        const TEXT: &[u8] = b"0123456789abcdef#=@[](),:_/$ nmpdr\n\xff-";
        let mut file = short().into_bytes();
        for (at, what, with) in edits {
            let (at, with) = (at % file.len(), TEXT[with % TEXT.len()]);
            match what {
                0 => file[at] = with,
                1 => file.insert(at, with),
                2 => drop(file.remove(at)),
                _ => drop(file.drain(at..(at + 30).min(file.len()))),
            }
        }
        let check = check_vectors(&file[..], &mut |_| {}).unwrap();
        for finding in &check.findings {
            prop_assert!(finding.line >= 1 && !finding.fault.to_string().is_empty());
        }
        let mut reader = VectorReader::new(&file[..]);
        while let Ok(Some(tensor)) = reader.next_tensor(&mut |_| {}) {
            prop_assert!(tensor.unset().count() as u64 == tensor.unset_count());
        }
        let _ = compare_vectors(&file[..], &file[..], &mut |_| {});
        for line in String::from_utf8_lossy(&file).lines() {
            let errors = [line.parse::<VectorLine>().err(), line.parse::<VectorHeader>().err()];
            for error in errors.into_iter().flatten() {
                let span = error.span();
                prop_assert!(span.start <= span.end && span.end <= error.text().len());
            }
        }
    }
}

/// A file of a few lines.
fn short() -> String {
    let writer = |direction, layout: &str, shape: &[u64]| {
        let count = shape.iter().product::<u64>();
        let values = floats(shape, (0..count).map(|at| at as f32 / 3.0));
        VectorWriter::new(header(direction, 0, layout), values).unwrap()
    };
    file(&[
        writer(Direction::In, "(7)/((2:1, 2_PE:1, 2_W:1); B@[2_MAB:1])@LM0 / Float", &[7]),
        writer(Direction::Out, "((2_L2B:2), (2:1, 2_W:1))@DRAM / Float", &[2, 4]),
    ])
}

#[test]
fn addresses_beyond_every_memory_are_refused() {
    let line = "d getd $d18446744073709551615n0 1 # expect=[1] / Int @[0]";
    let refused = line.parse::<VectorLine>().unwrap_err().to_string();
    assert!(refused.contains("is beyond every memory"), "{refused}");
}

#[cfg(feature = "cli")]
mod command {
    use std::fs;

    use super::{EXAMPLE, EXAMPLE_LM, example, file, npy};
    use crate::cli::{refused, run, stdout};

    const SMALL: &str = "((1:1), (4_PE:1, 2_W:1))";

    fn bits(values: &[f32]) -> Vec<u64> {
        values.iter().map(|value| value.to_bits().into()).collect()
    }

    /// A directory with the arrays of the guide, and paths in it.
    fn arrays() -> (tempfile::TempDir, impl Fn(&str) -> String) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().to_path_buf();
        let path = move |name: &str| root.join(name).display().to_string();
        let a = [0.1, 1.5, -2.25, 3.3, 4.0, 5.0, 6.0, 7.0];
        fs::write(path("a.npy"), npy("<f4", &[1, 8], bits(&a))).unwrap();
        let expected = a.map(|value| value + 1.0);
        fs::write(path("expected.npy"), npy("<f4", &[1, 8], bits(&expected))).unwrap();
        (dir, path)
    }

    #[test]
    fn a_whole_file_is_written_from_arrays() {
        let (_dir, path) = arrays();
        let mut values: Vec<f32> = (0..4096).map(|at| at as f32).collect();
        values[..4].copy_from_slice(&[0.1, 1.5, -2.25, 3.3]);
        fs::write(path("lm.npy"), npy("<f4", &[256, 16], bits(&values))).unwrap();
        let mut vector: Vec<f32> = (0..16).map(|at| at as f32).collect();
        vector[..2].copy_from_slice(&[1.5, 0.1]);
        fs::write(path("dram.npy"), npy("<f4", &[16], bits(&vector))).unwrap();
        let mut expected = vec![0.0; 16];
        expected[1..4].copy_from_slice(&[1.0, -2.25, 3.3]);
        fs::write(path("out.npy"), npy("<f4", &[16], bits(&expected))).unwrap();
        let (lm0, lm1) = (format!("{EXAMPLE_LM}@LM0 / Float"), format!("{EXAMPLE_LM}@LM1 / Float"));
        let dram = "((8:1, 2_W:1))@DRAM / Float";
        let written = stdout(&[
            "vectors",
            "write",
            "--out",
            &lm1,
            &path("lm.npy"),
            "--in",
            &lm0,
            &path("lm.npy"),
            "--in",
            dram,
            &path("dram.npy"),
            "--base",
            "3",
            "--out",
            dram,
            &path("out.npy"),
        ]);
        assert_eq!(written, file(&example()));
        let one = stdout(&["vectors", "write", "--lines", "--in", &lm0, &path("lm.npy")]);
        assert!(one.starts_with(EXAMPLE.split_once('\n').unwrap().1));
        assert_eq!(one.lines().count(), 2048);
    }

    #[test]
    fn the_day_of_the_guide_goes_as_it_says() {
        let (_dir, path) = arrays();
        let (lm0, lm1) = (format!("{SMALL}@LM0 / Float"), format!("{SMALL}@LM1 / Float"));
        let vsm = path("add.vsm");
        stdout(&[
            "vectors",
            "write",
            "--in",
            &lm0,
            &path("a.npy"),
            "--out",
            &lm1,
            &path("expected.npy"),
            "--base",
            "16",
            "-o",
            &vsm,
        ]);
        let guide = fs::read_to_string("docs/vectors.md").unwrap();
        let head: Vec<String> =
            fs::read_to_string(&vsm).unwrap().lines().take(3).map(String::from).collect();
        assert!(guide.contains(&head.join("\n")), "{head:?}");
        assert_eq!(stdout(&["vectors", "check", &vsm]), "ok: 2 tensors, 8 lines\n");
        // PE 1 gives back its input.
        let words =
            ["3F8CCCCD40200000", "C010000040533333", "40A0000040C00000", "40E0000041000000"];
        fs::write(path("dump.txt"), words.join("\n")).unwrap();
        let svg = path("wrong.svg");
        let output = run(&["vectors", "compare", &vsm, &path("dump.txt"), "--picture", &svg]);
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(guide.contains(said.trim_end()), "{said}");
        let json =
            crate::cli::run(&["vectors", "compare", &vsm, &path("dump.txt"), "--json"]).stdout;
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(
            (&json[0]["wrong"], &json[0]["differences"][1]["place"]),
            (&2.into(), &"$ln32n0c0b0m0p1".into())
        );
        let json = stdout(&["vectors", "check", &vsm, "--json"]);
        assert_eq!(json, "{\"tensors\":2,\"lines\":8,\"count\":0,\"findings\":[]}\n");
        assert!(fs::read_to_string(&svg).unwrap().contains("2 of 8 wrong"));
        fs::write(path("dump.txt"), words.join("\n").replace(words[1], "BFA000004089999A"))
            .unwrap();
        assert_eq!(
            stdout(&["vectors", "compare", &vsm, &path("dump.txt")]),
            "Out(0): same, 8 elements\n"
        );
        let out = path("arrays");
        let read = stdout(&["vectors", "read", &vsm, "-o", &out]);
        assert!(guide.contains(read.trim_end()), "{read}");
        assert_eq!(fs::read(path("arrays/In0.npy")).unwrap(), fs::read(path("a.npy")).unwrap());
        assert_eq!(
            fs::read(path("arrays/Out0.npy")).unwrap(),
            fs::read(path("expected.npy")).unwrap()
        );
        // The same file by hand, with two slips and a line left out.
        let text = fs::read_to_string(&vsm).unwrap();
        let text = text.replace("lm0p1", "lm0p2").replace("values=[4.0", "values=[4.5");
        let text: String = text
            .lines()
            .filter(|line| !line.contains("p3 1 40C"))
            .fold(String::new(), |t, l| t + l + "\n");
        fs::write(&vsm, text).unwrap();
        let output = run(&["vectors", "check", &vsm]);
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8(output.stdout).unwrap().replace(&format!("{vsm}:"), "");
        assert_eq!(
            said,
            "3: [0,2] lives at `$lm0p1`, not at `$lm0p2`\n\
             4: lane 0 holds 4.0 (40800000), but the comment says 4.5 for [0,4]\n\
             5: 1 line of In(0) missing before this line: [0,6]\n\
             3 found: 2 tensors, 7 lines\n"
        );
        let read = stdout(&["vectors", "read", &vsm, "-o", &out]);
        assert!(read.contains("\n  not set: 4 elements: [0,2], [0,3], [0,6], [0,7]\n"), "{read}");
    }

    #[test]
    fn bad_input_is_refused_and_writes_nothing() {
        let (_dir, path) = arrays();
        let write = |layout: &str, name: &str, more: &[&str]| {
            let (array, out) = (path(name), path("never.vsm"));
            let args = [&["vectors", "write", "--in", layout, &array, "-o", &out], more].concat();
            let refusal = refused(&args);
            assert!(!fs::exists(&out).unwrap());
            refusal
        };
        assert!(write(&format!("{SMALL}@LM0"), "a.npy", &[]).contains("names no memory and dtype"));
        let doubles = write(&format!("{SMALL}@LM0 / Double"), "a.npy", &[]);
        assert!(
            doubles.contains("the array has entries `<f4`, but Double takes `<f8`"),
            "{doubles}"
        );
        let shape = write("((8_PE:1))@LM0 / Float", "a.npy", &[]);
        assert!(shape.contains("level `PE`"), "{shape}");
        let shape = write("((4:1, 2_W:1))@LM0 / Float", "a.npy", &[]);
        assert!(
            shape.contains("the array has the shape [1, 8], but the layout has [8]"),
            "{shape}"
        );
        let beyond = write(&format!("{SMALL}@LM0 / Float"), "a.npy", &["--base", "2048"]);
        assert!(beyond.contains("memory `LM0` holds 2048 long words"), "{beyond}");
        assert!(write(&format!("{SMALL}@LM0 / Float"), "a.npy", &["--atol=-1"]).contains("--atol"));
        let early = refused(&[
            "vectors",
            "write",
            "--base",
            "1",
            "--in",
            &format!("{SMALL}@LM0 / Float"),
            &path("a.npy"),
        ]);
        assert!(early.contains("--base: it follows"), "{early}");
        assert!(refused(&["vectors", "write"]).contains("no tensors"));
        fs::write(
            path("bad.vsm"),
            "# ======= In(0): ((1:1))@LM0 / Long =======\nd set $lm0 1 zz\n",
        )
        .unwrap();
        let bad = refused(&["vectors", "read", &path("bad.vsm"), "-o", &path("never")]);
        assert!(bad.contains("bad.vsm:2: expected 16 hexadecimal digits"), "{bad}");
        assert!(!fs::exists(path("never")).unwrap());
        assert!(refused(&["vectors", "compare", "-", "-"]).contains("not both"));
    }
}
