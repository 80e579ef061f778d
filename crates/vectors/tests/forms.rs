//! One tensor written in other lines: letters omitted or not, several long words, no comments, any order.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::emulator::{carried_out, dump};
use crate::laws::{Case, case};

/// A random number below a bound.
fn draw(state: &mut u64, below: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize % below.max(1)
}

/// Splits a line into several, each of which names a unit for a letter that the line omits.
fn apart(line: &VectorLine, state: &mut u64) -> Vec<VectorLine> {
    let counts = [4, 2, 8, 16, 4];
    let open: Vec<usize> = (0..5).filter(|at| line.place.units[*at].is_none()).collect();
    if line.place.memory == MemoryText::DRAM || open.is_empty() || draw(state, 3) > 0 {
        return vec![line.clone()];
    }
    let letter = open[draw(state, open.len())];
    let named = |unit| {
        let mut line = line.clone();
        line.place.units[letter] = Some(unit);
        line
    };
    (0..counts[letter]).map(named).collect()
}

/// Joins two lines if the long words of the second follow those of the first.
fn joined(first: &VectorLine, second: &VectorLine) -> Option<VectorLine> {
    let follows = first.place.units == second.place.units
        && second.place.address == first.place.address + first.count;
    // The values of a scalar fill its long word, so a comment on two words would be ambiguous.
    let fills = |line: &VectorLine| {
        line.comment.as_ref().is_some_and(|told| told.values.len() != told.indexes.len())
    };
    if fills(first) || fills(second) {
        return None;
    }
    let mut line = first.clone();
    line.count += second.count;
    line.payload.extend(&second.payload);
    line.comment = line.comment.zip(second.comment.clone()).map(|(mut all, more)| {
        // A copy of an element that the line already has is written once.
        if !more.indexes.iter().all(|index| all.indexes.contains(index)) {
            all.indexes.extend(more.indexes);
            all.values.extend(more.values);
        }
        all
    });
    follows.then_some(line)
}

/// The lines of a tensor, written in another form.
fn retold(lines: &str, keeps_comments: bool, mut state: u64) -> Vec<VectorLine> {
    let state = &mut state;
    let lines = lines.lines().map(|line| line.parse::<VectorLine>().unwrap());
    // Lines that read name one unit; splitting them would change what is read.
    let lines = lines.flat_map(|line| match line.verb {
        VectorVerb::Set => apart(&line, state),
        _ => vec![line],
    });
    let mut by_place: BTreeMap<([Option<u64>; 5], u64), VectorLine> =
        lines.map(|line| ((line.place.units, line.place.address), line)).collect();
    let mut told: Vec<VectorLine> = Vec::new();
    while let Some((_, mut line)) = by_place.pop_first() {
        if !keeps_comments && draw(state, 2) == 0 {
            line.comment = None;
        }
        match told.last_mut() {
            Some(last) if draw(state, 2) == 0 => match joined(last, &line) {
                Some(both) => *last = both,
                None => told.push(line),
            },
            _ => told.push(line),
        }
    }
    for at in (1..told.len()).rev() {
        told.swap(at, draw(state, at + 1));
    }
    told
}

fn text(header: &VectorHeader, lines: &[VectorLine]) -> String {
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    format!("{header}\n{lines}")
}

/// True if all places of a memory are set, each exactly once, and no others.
fn sets_exactly(case: &Case, lines: &[VectorLine]) -> bool {
    let wanted = carried_out(&crate::sample::lines(&case.writer(TensorDirection::In)));
    let mut set: Vec<_> = Vec::new();
    for line in lines {
        set.extend(carried_out(&line.to_string()).into_keys());
    }
    set.sort();
    set.iter().eq(wanted.keys())
}

/// True if the whole tensor fits another base: no place and no comment rules that out.
fn lies_elsewhere(case: &Case, lines: &[VectorLine]) -> bool {
    // A line moves by three addresses at most, and so does the tensor.
    (1..=3).filter_map(|by| case.moved(by)).any(|case| {
        let there = carried_out(&crate::sample::lines(&case.writer(TensorDirection::In)));
        let agrees = |line: &VectorLine| {
            carried_out(&line.to_string()).iter().all(|(at, word)| there.get(at) == Some(word))
        };
        sets_exactly(&case, lines) && lines.iter().filter(|line| line.comment.is_some()).all(agrees)
    })
}

fn findings(file: &str) -> Vec<String> {
    let check = check_vectors(file.as_bytes(), &mut |_| {}).unwrap();
    check.findings.iter().map(|f| format!("{}: {}", f.line, f.fault)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 120, failure_persistence: None, max_global_rejects: 1 << 20, ..ProptestConfig::default()
    })]

    #[test]
    fn what_sets_exactly_the_right_places_is_ok(case in case(), seed in any::<u64>()) {
        let writer = case.writer(TensorDirection::In);
        let lines = retold(&crate::sample::lines(&writer), false, seed);
        prop_assert!(sets_exactly(&case, &lines));
        let file = text(writer.header(), &lines);
        prop_assert_eq!(findings(&file), Vec::<String>::new(), "{}", file);
        let read = VectorReader::new(file.as_bytes()).next_tensor(&mut |_| {}).unwrap().unwrap();
        prop_assert_eq!((&read.data, read.unset_count()), (&case.data(), 0));
        // One line missing, one repeated, one in another place, one with another long word.
        if lines.is_empty() {
            return Ok(());
        }
        let at = (seed % lines.len() as u64) as usize;
        let less = [&lines[..at], &lines[at + 1..]].concat();
        let twice = [&lines[..], &lines[at..=at]].concat();
        let mut moved = lines.clone();
        let place = &mut moved[at].place;
        match place.units[4] {
            Some(pe) => place.units[4] = Some((pe + 1) % 4),
            None => place.address += 1 + seed % 3,
        }
        for changed in [less, twice, moved] {
            let file = text(writer.header(), &changed);
            prop_assert!(!sets_exactly(&case, &changed));
            prop_assert!(!findings(&file).is_empty() || lies_elsewhere(&case, &changed), "{}", file);
        }
        let mut other = lines.clone();
        if other[at].comment.is_some() {
            other[at].payload[0] ^= 1 << (seed % (64 / case.dtype.bits()) * case.dtype.bits());
            let file = text(writer.header(), &other);
            prop_assert!(!findings(&file).is_empty(), "{}", file);
        }
    }

    #[test]
    fn what_reads_all_long_words_is_compared(case in case(), seed in any::<u64>()) {
        let memory = carried_out(&crate::sample::lines(&case.writer(TensorDirection::In)));
        let writer = case.writer(TensorDirection::Out);
        let lines = retold(&crate::sample::lines(&writer), true, seed);
        let file = text(writer.header(), &lines);
        prop_assert_eq!(findings(&file), Vec::<String>::new(), "{}", file);
        let result = dump(&memory, &file);
        let compared = compare_vectors(file.as_bytes(), result.as_bytes(), &mut |_| {}).unwrap();
        prop_assert_eq!((compared[0].wrong, compared[0].untested), (0, 0), "{}\n{}", file, result);
    }
}

#[test]
fn groups_may_be_listed_one_by_one() {
    let writer = VectorWriter::new(
        header(TensorDirection::In, 0, "((8:1, 4_PE:1, 2_W:1))@LM0 / Float"),
        floats(&[64], (0..64).map(|at| at as f32)),
    );
    let whole = file(&[writer.unwrap()]);
    let groups = |line: &str| -> Vec<String> {
        let named = |group| line.replacen('p', &format!("n{group}p"), 1);
        if line.starts_with('#') { vec![line.into()] } else { (0..4).map(named).collect() }
    };
    let apart: Vec<String> = whole.lines().flat_map(groups).collect();
    assert_eq!(findings(&apart.join("\n")), [""; 0]);
    // All of `n0`, then all of `n1`, ..
    let mut sorted = apart.clone();
    sorted.sort_by_key(|line| line.split_once("n").map(|(_, group)| group[..1].to_owned()));
    assert_eq!(findings(&sorted.join("\n")), [""; 0]);
    let without: Vec<String> = apart.iter().filter(|line| !line.contains("n2p")).cloned().collect();
    assert_eq!(
        findings(&without.join("\n")),
        [
            "4: In(0) is set in 768 of its 1024 units: [0] to [62] in `$lm0p0`, where letters that are \
          left out mean all units"
        ]
    );
    let one = [&apart[..6], &apart[7..]].concat();
    assert!(findings(&one.join("\n"))[0].contains("768 of its 1024 units: [2] in `$lm0p1`"));
    let again = [&apart[..6], &apart[5..]].concat();
    assert!(findings(&again.join("\n"))[0].contains("already has `$lm0n0p1` of In(0)"));
}

#[test]
fn copies_of_an_element_are_the_same() {
    let file = "# ======= In(0): ((2_W:1))@LM0 / Int =======\n\
                d set $lm0n0 1 0000000100000002\n\
                d set $lm0n1 1 0000000100000002\n\
                d set $lm0n2 1 0000000100000003\n\
                d set $lm0n3 1 0000000100000002\n";
    assert_eq!(findings(file), ["4: [1] is 3 here, but 2 where it was set before"]);
    assert_eq!(
        findings("# ======= In(0): ((1:1))@LM0 / Int =======\nd set $lm0 1 0000000100000002\n"),
        ["2: [0] is 2 here, but 1 where it was set before"]
    );
    let sized = "# ======= In(0): (2)/((2_W:1); B@[2_PE:1])@LM0 / Int =======\n\
                 d set $lm0p0 1 0000000100000002\nd set $lm0p1 1 0000000100000004\n";
    assert_eq!(findings(sized), ["3: [1] is 4 here, but 2 where it was set before"]);
}

#[test]
fn lines_of_copies_decide_on_the_base_however_late() {
    // 16 lines that also fit a base of 0, and the last copy, which only fits the base of 2.
    let line =
        |place: String| format!("d set $lm{place} 1 3F8000003F800000 # values=[1.0] / Float @[]\n");
    let first: String = (0..16).map(|unit| line(format!("8m{unit}"))).collect();
    let rest: String = ["4", "12", "16"].map(|at| line(at.to_owned())).concat();
    let file = format!("# ======= In(0): (; B@[4_Addr:2])@LM0 / Float =======\n{first}{rest}");
    assert_eq!(findings(&file), [""; 0]);
    let other = file.replace("$lm4 ", "$lm6 ");
    assert_eq!(findings(&other), ["18: [] lives at `$lm4`, not at `$lm6`"]);
}

#[test]
fn a_scalar_fills_its_long_word() {
    for (dtype, lanes, words) in [
        (Dtype::Float, "2.5, 2.5", "4020000040200000"),
        (Dtype::Half, "2.5, 2.5, 2.5, 2.5", "4080408040804080"),
    ] {
        let layout = format!("((1_W:1))@DRAM / {dtype}");
        let value = if dtype == Dtype::Half { 0x4080 } else { 0x4020_0000 };
        let writer = |direction| {
            VectorWriter::new(header(direction, 0, &layout), data(dtype, &[1], [value])).unwrap()
        };
        assert_eq!(
            crate::sample::lines(&writer(TensorDirection::In)),
            format!("r 0 000000000 001 {words} # values=[2.5] / {dtype} @[0]\n")
        );
        let out = crate::sample::lines(&writer(TensorDirection::Out));
        assert_eq!(out, format!("d getd $d0n0 1 # expect=[{lanes}] / {dtype} @[0] atol=0.0001\n"));
        let mut whole = file(&[writer(TensorDirection::In), writer(TensorDirection::Out)]);
        assert_eq!(findings(&whole), [""; 0]);
        // Both ways of writing it, for inputs and outputs.
        whole = whole.replace("values=[2.5]", &format!("values=[{lanes}]"));
        assert_eq!(findings(&whole), [""; 0]);
        let once = whole.replace(&format!("expect=[{lanes}]"), "expect=[2.5]");
        assert_eq!(findings(&once), [""; 0]);
        for file in [&whole, &once] {
            let wrong = |word: &str| {
                let found = compare_vectors(file.as_bytes(), word.as_bytes(), &mut |_| {}).unwrap();
                (found[0].compared, found[0].wrong, found[0].differences.first().map(|at| at.lane))
            };
            assert_eq!(wrong(words), (1, 0, None));
            let last = 64 / dtype.bits() - 1;
            let flip = if dtype == Dtype::Half { 0x100 } else { 0x1_0000 };
            let other = format!("{:016x}", u64::from_str_radix(words, 16).unwrap() ^ flip);
            assert_eq!(wrong(&other), (1, 1, Some(last)));
        }
    }
    assert_eq!(
        findings(
            "# ======= Out(0): ((1_W:1))@DRAM / Int =======\nd getd $d0n0 1 # expect=[1, 2, 3] / Int @[0]\n"
        ),
        ["2: the comment has 3 values, but 1 index"]
    );
}

#[test]
fn a_lane_without_an_element_is_0() {
    let header = "# ======= In(0): ((3_W:1))@LM0 / Half =======\n";
    let line = |word: &str| {
        format!("{header}d set $lm0 1 {word} # values=[1.0, 1.0, 1.0] / Half @[0],[1],[2]\n")
    };
    assert_eq!(findings(&line("3E003E003E000000")), [""; 0]);
    assert_eq!(
        findings(&line("3E003E003E003F00")),
        ["2: lane 3 of `$lm0` holds no element of In(0), but 3F00 instead of 0"]
    );
    let bare = line("3E003E003E000001").replace(" # values", "#").replace("# ======", "\n# ======");
    let bare = bare.split("#=").next().unwrap();
    assert!(findings(bare)[0].contains("lane 3 of"), "{bare}");
}

#[test]
fn several_long_words_and_bare_lines_are_read_as_the_emulator_reads_them() {
    let file = "\
lpassa $lm0v $ln0v # a kernel, above the first header
d get $omr1n0c0b0m0p0 1
d set $lr0 1 0000000000000000
# ======= In(0): ((4:1, 2_W:1))@LM0 / Int =======
d set $lm0 4 0000000000000001l00000002000000030000000400000005l0000000600000007
";
    let refused =
        VectorReader::new(file.as_bytes()).next_tensor(&mut |_| {}).unwrap_err().to_string();
    assert!(
        refused.contains("either every long word has an `l` in front, or none has"),
        "{refused}"
    );
    for payload in [
        "0000000000000001000000020000000300000004000000050000000600000007",
        "l0000000000000001l0000000200000003l0000000400000005l0000000600000007",
    ] {
        let file = file.lines().take(4).map(|line| format!("{line}\n")).collect::<String>()
            + &format!("d set $lm2 4 {payload} # by hand\n");
        assert_eq!(findings(&file), [""; 0]);
        let read = VectorReader::new(file.as_bytes()).next_tensor(&mut |_| {}).unwrap().unwrap();
        assert_eq!((read.base, read.unset_count()), (1, 0));
        assert_eq!(read.data, data(Dtype::Int, &[8], 0..8));
    }
    assert_eq!(findings("lpassa $lm0v $ln0v\n").len(), 1);
    assert_eq!(
        findings("d set $lm0 1 0000000000000000 # values=[0] / Long @[0]\n"),
        ["1: this line comes before any header"]
    );
}

#[test]
fn slips_are_refused_in_words_that_name_the_range() {
    for (line, words) in [
        ("d set $lm0n4 1 0", "`n` numbers the groups from 0 to 3, so 4 is not one"),
        ("d set $lm0c2 1 0", "`c` numbers the L2Bs of a group from 0 to 1, so 2 is not one"),
        ("d set $lm0b8 1 0", "`b` numbers the L1Bs of an L2B from 0 to 7, so 8 is not one"),
        ("d set $lm0m16 1 0", "`m` numbers the MABs of an L1B from 0 to 15, so 16 is not one"),
        ("d set $lm0p4 1 0", "`p` numbers the PEs of a MAB from 0 to 3, so 4 is not one"),
        ("r 4 000000000 001 0", "`n` numbers the groups from 0 to 3, so 4 is not one"),
        ("d set $lm3 1 0", "long words of LM0 have the even addresses 0 to 4094"),
        ("d getd $ln4096 1", "long words of LM1 have the even addresses 0 to 4094"),
        ("d getd $ln4094 2", "2 long words from `$ln4094` on lead beyond the end of LM1"),
        ("d getd $d536870912n0 1", "long words of DRAM have the addresses 0 to 536870911"),
        ("r 0 020000000 001 0", "addresses of `r` go from 000000000 to 01FFFFFFF"),
        ("d getd $d0n0c1 1", "units of DRAM have the letter `n` only"),
        ("d getd $lm0 0", "a line sets or reads 1 long word or more"),
        ("d getx $lm0 1", "`getx` is not a known command"),
        ("r 0 000000000 002 0", "expected `001`: one long word"),
        (
            "d getd $lm0 1 # expect=[1.0] / Float @[0] atol=inf",
            "expected a finite tolerance of 0 or more",
        ),
        (
            "d getd $lm0 1 # expect=[1.0] / Float @[0] rtol=nan",
            "expected a finite tolerance of 0 or more",
        ),
    ] {
        let refused = line.parse::<VectorLine>().unwrap_err().to_string();
        assert!(refused.contains(words), "{line}: {refused}");
    }
}

#[test]
fn what_cannot_be_written_writes_nothing() {
    let writer = |number, base| {
        let layout = header(TensorDirection::In, number, "((4:1, 2_W:1))@LM0 / Int");
        VectorWriter::new(layout, data(Dtype::Int, &[8], 0..8)).unwrap().base(base)
    };
    let write = |tensors: &[VectorWriter]| {
        let mut out = Vec::new();
        let error =
            tensor_layout_vectors::write_vectors(tensors, &mut out, &mut |_| {}).unwrap_err();
        assert!(out.is_empty());
        error
    };
    let both = write(&[writer(0, 0), writer(1, 0)]);
    assert_eq!(both.to_string(), "`$lm0` of In(1) also belongs to In(0)");
    assert!(matches!(write(&[writer(0, 0), writer(1, 3)]), VectorError::Overlap { .. }));
    assert!(matches!(write(&[writer(0, 0), writer(1, 2048)]), VectorError::Header(_)));
    let infinite = writer(1, 8).atol(f64::INFINITY);
    assert!(matches!(write(&[writer(0, 0), infinite]), VectorError::Tolerance { .. }));
    assert!(!file(&[writer(0, 0), writer(1, 4)]).is_empty());
}
