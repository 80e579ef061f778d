//! Errors found in test vectors, in the output of a simulator, and in lines that cannot be read.

use super::*;

/// One line of a file, changed.
fn damaged(file: &str, line: usize, change: impl Fn(&str) -> String) -> String {
    let lines = file.lines().enumerate().map(|(at, text)| match at + 1 == line {
        true => change(text),
        false => format!("{text}\n"),
    });
    lines.collect()
}

/// The findings in a file, as (line, name).
fn found(file: &str) -> Vec<(u64, &'static str)> {
    let name = |fault: &Fault| match fault {
        Fault::Text(_) => "text",
        Fault::Layout(_) => "layout",
        Fault::Repeated { .. } => "repeated",
        Fault::Direction { .. } => "direction",
        Fault::Memory { .. } => "memory",
        Fault::Dtype { .. } => "dtype",
        Fault::Index { .. } => "index",
        Fault::Place { .. } => "place",
        Fault::Lanes { .. } => "lanes",
        Fault::Count { .. } => "count",
        Fault::Value { .. } => "value",
        Fault::Doubled { .. } => "doubled",
        Fault::Hole { .. } => "hole",
        Fault::Partial { .. } => "partial",
        Fault::Missing { .. } => "missing",
        Fault::Overlap { .. } => "overlap",
        Fault::NotChecked { .. } => "not checked",
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
            TensorDirection::In,
            0,
            "((4_L2B:2, 2:2), (2:1, 4_PE:1, 2_W:1))@LM0 / Float",
            numbers(&[8, 16]),
        ),
        writer(TensorDirection::In, 1, "((12:1, 2_W:1))@DRAM / Float", numbers(&[24])),
        writer(TensorDirection::Out, 0, "((2:1, 4_PE:1, 2_W:1))@LM0 / Float", numbers(&[16])),
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
    assert_eq!(replaced(5, "n0c0p3", "n0c0m1p3"), [(5, "partial")]);
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
    // Missing and doubled lines; their order is free.
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
    assert_eq!(moved(5, 40), []);
    assert_eq!(moved(40, 5), []);
    assert_eq!(moved(5, 6), []);
    assert_eq!(moved(65, 2), []);
    assert_eq!(moved(2, 65), []);
    // Values and comments.
    assert_eq!(replaced(5, "values=[6.0", "values=[6.5"), [(5, "value")]);
    assert_eq!(replaced(5, "[6.0, 7.0]", "[6.0]"), [(5, "count")]);
    assert_eq!(replaced(5, "/ Float", "/ Int"), [(5, "text")]);
    assert_eq!(replaced(5, "[0,6]", "[0,16]"), [(5, "index")]);
    assert_eq!(replaced(5, "d set", "d getd"), [(5, "direction")]);
    assert_eq!(
        found(&damaged(&file, 5, |text| format!("{}\n", text.split(" # ").next().unwrap()))),
        []
    );
    // Headers.
    assert_eq!(replaced(66, "In(1)", "In(0)"), [(66, "repeated")]);
    assert_eq!(replaced(66, "12:1, 2_W", "12:1, 3_W"), [(66, "layout")]);
    assert_eq!(replaced(66, "@DRAM / Float", ""), [(66, "layout")]);
}

#[test]
fn a_tensor_of_many_missing_lines_is_checked_up_to_a_bound_and_says_where() {
    let file = "# ======= In(0): ((2097152:1, 2_W:1))@DRAM / Float =======\n";
    let check = check_vectors(file.as_bytes(), &mut |_| {}).unwrap();
    let said: Vec<_> = check.findings.iter().map(|one| one.fault.to_string()).collect();
    assert_eq!(
        said,
        [
            "1048576 lines of In(0) missing before this line: [0] to [2097150]",
            "In(0) was not checked from [2097152] on: 1048576 of its lines before that are missing",
        ]
    );
}

#[test]
fn tensors_that_overlap_or_leave_the_memory_are_found() {
    let writer = |number, layout: &str, base| {
        let header = header(TensorDirection::In, number, layout);
        let shape = header.layout.lower().unwrap().shape();
        let count = shape.iter().product();
        VectorWriter::new(header, data(Dtype::Long, &shape, 0..count)).unwrap().base(base)
    };
    // Such a file cannot be written in one piece, so its tensors are written one by one.
    let file = |tensors: &[VectorWriter]| -> String {
        let one = |tensor: &VectorWriter| format!("{}\n{}", tensor.header(), lines(tensor));
        tensors.iter().map(one).collect()
    };
    // Every PE writes addresses 0 to 3; PE 2 alone writes 3 to 5.
    let (all, one) = ("((4:1))@LM0 / Long", "((1_PE:1, 3:1))@LM0 / Long");
    assert_eq!(found(&file(&[writer(0, all, 0), writer(1, one, 4)])), []);
    assert_eq!(found(&file(&[writer(0, all, 0), writer(1, one, 3)])), [(7, "overlap")]);
    assert_eq!(found(&file(&[writer(0, one, 3), writer(1, all, 0)])), [(9, "overlap")]);
    // Different units, memories and groups do not overlap.
    let (zero, rest) = ("((1_PE:1, 3:1))@LM0 / Long", "((1_PE:1, 3:1))@LM1 / Long");
    assert_eq!(found(&file(&[writer(0, zero, 0), writer(1, rest, 0)])), []);
    let (even, odd) = ("((2_PE:1, 3:1))@LM0 / Long", "((1_MAB:1, 3:1))@LM0 / Long");
    assert_eq!(found(&file(&[writer(0, even, 0), writer(1, odd, 2)])), [(9, "overlap")]);
    let dram = "((4_L2B:2, 3:1))@DRAM / Long";
    assert_eq!(found(&file(&[writer(0, dram, 0), writer(1, dram, 3)])), []);
    assert_eq!(found(&file(&[writer(0, dram, 0), writer(1, dram, 2)])), [(15, "overlap")]);
    // A result may occupy the place of an input.
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
    assert_eq!(found(&moved), [(1, "layout"), (5, "text")]);
}

#[test]
fn a_file_of_a_person_is_read() {
    // Blank lines, no `Output`, blanks in the header, `rtol`, a kernel with its own comments.
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
    let result =
        "DEBUG-LM1(n0c0b0m0p0,0):(1.40445e+306) (0x7f8000003751b717) #d getd $ln0n0c0b0m0p0 1\n";
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
    assert!(read(&format!("{header}d set $lm0p4 1 0")).contains("from 0 to 3, so 4 is not one"));
    assert!(
        read(&format!("{header}d set $lm0p1 1 0000000000000000 # values=[1, 2] / Int @[0],[1]"))
            .contains("no element of In(0) is set at `$lm0p1`")
    );
    assert!(
        read("d set $lm0 1 0000000000000000 # values=[0] / Long @[0]")
            .contains("before the header")
    );
    let time = read("# ======= In(0): ((2_Time:1, 2_W:1))@LM0 / Int =======");
    assert!(
        time.contains("a test vector cannot express this layout: it takes 2 steps of `Time`"),
        "{time}"
    );
    assert!(read("# ======= In(0): ((2_W:1) =======").starts_with("line 1: expected"));
    // A line of the maximal length, and bytes that are not text.
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
    // A list of a different length; places that were not read.
    let short = compare(&words[..7].concat()).unwrap_err().to_string();
    assert_eq!(short, "the result has 7 long words, but the lines of the file read 8");
    let one = compare("d getd $lm0n0c0b0m0p0 1 000000003F800000\n").unwrap();
    assert_eq!((one[0].wrong, &one[0].differences[0].found), (14, &None));
}

#[test]
fn a_comment_has_one_list_of_values() {
    let line = "d getd $lm0n0c0b0m0p0 1 # expect=[1.0] / Float @[0] expect=[2.0] / Float @[1]";
    let why = line.parse::<tensor_layout_vectors::VectorLine>().unwrap_err().to_string();
    assert!(why.contains("expected one list of values"), "{why}");
}
