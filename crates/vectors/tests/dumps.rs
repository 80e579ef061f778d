//! The output of the emulator, compared with the expectations of a file: in every form, both correct and with
//! any one change.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::emulator::{Memory, carried_out, dump, dumped, places};
use crate::laws::{Case, case};

const VERBS: [&str; 4] = ["get", "getd", "getf", "geth"];

fn compare(file: &str, result: &str) -> Result<Vec<VectorComparison>, String> {
    compare_vectors(file.as_bytes(), result.as_bytes(), &mut |_| {}).map_err(|e| e.to_string())
}

/// The number of wrong elements in all tensors; a huge number if the result is rejected.
fn wrong(file: &str, result: &str) -> u64 {
    let compared = compare(file, result);
    compared.map_or(u64::MAX, |compared| compared.iter().map(|tensor| tensor.wrong).sum())
}

/// The file with its reading lines in another form.
fn reading(verb: &str, file: &str) -> String {
    file.replace("d getd ", &format!("d {verb} "))
}

/// A file with an output, and memories that hold the expected values.
fn expected(case: &Case) -> (String, Memory) {
    let memory = carried_out(&lines(&case.writer(TensorDirection::In)));
    let out = case.writer(TensorDirection::Out);
    (format!("{}\n{}", out.header(), lines(&out)), memory)
}

#[test]
fn a_wrong_lane_of_getf_is_found() {
    let file = "# ======= Out(0): ((1:1, 2_W:1))@LM0 / Float =======\n\
                d getd $lm0n0c0b0m0p0 1 # expect=[0.0, 5.0] / Float @[0],[1] atol=0.0001\n";
    let line = "DEBUG-LM0(n0c0b0m0p0,0):(9, 5) (0x41100000, 0x40a00000) #d getf $lm0n0c0b0m0p0 1\n";
    let compared = compare(file, line).unwrap();
    let [difference] = &compared[0].differences[..] else { panic!("{compared:?}") };
    assert_eq!((difference.lane, difference.found.as_deref()), (0, Some("9.0")));
    let right = line.replace("(9, 5) (0x41100000", "(0, 5) (0x00000000");
    assert_eq!(wrong(file, &right), 0);
}

#[test]
fn a_kernel_may_print_what_it_likes() {
    let file = "# ======= Out(0): ((2:1, 2_W:1))@LM1 / Int =======\n\
                d getd $ln0n0c0b0m0p0 2 # expect=[1, 2, 3, 4] / Int @[0],[1],[2],[3]\n";
    let mut memory = Memory::new();
    emulator::set(&mut memory, "d set $ln0 2 00000001000000020000000300000004");
    let own = "DEBUG-GREG0(n0c0b0m0p0,0):(f:0, i:{{0x0,0x0},{0x0,0x3}}, v:0x3) #d get $lr0n0c0b0m0p0 1\n\
               DEBUG-OMR(n0c0b0m0p0,1):Mask{15} #d get $omr1n0c0b0m0p0 1\n\
               DEBUG-LM1(n0c0b0m0p0,0):(f:0, i:{{0x0,0x0},{0x0,0x3}}, v:0x3) #d get $ln0n0c0b0m0p0 1\n\
               DEBUG-LM1(n0c0b0m0p0,1):(1) (0x3f800000) #d getf $n1n0c0b0m0p0 1\n";
    let result = own.to_owned() + &dump(&memory, file);
    assert_eq!(wrong(file, &result), 0);
    // Earlier output of the kernel counts where nothing later does.
    assert_eq!(wrong(file, own), 4);
}

#[test]
fn a_place_without_p_reads_four_pes() {
    let header = "# ======= Out(0): ((2:1, 4_PE:1, 2_W:1))@LM1 / Int =======\n";
    let elements: Vec<u64> = (0..4).flat_map(|pe| [0, 1, 8, 9].map(|at| at + 2 * pe)).collect();
    let list = |of: &dyn Fn(&u64) -> String| elements.iter().map(of).collect::<Vec<_>>();
    let line = format!(
        "d getd $ln0n0c0b0m0 2 # expect=[{}] / Int @{}\n",
        list(&|at| (at + 1).to_string()).join(", "),
        list(&|at| format!("[{at}]")).join(","),
    );
    let file = format!("{header}{line}");
    assert_eq!(check_vectors(file.as_bytes(), &mut |_| {}).unwrap().findings, []);
    let set = VectorWriter::new(
        sample::header(TensorDirection::In, 0, "((2:1, 4_PE:1, 2_W:1))@LM1 / Int"),
        data(Dtype::Int, &[16], 1..17),
    );
    let memory = carried_out(&lines(&set.unwrap()));
    for verb in VERBS {
        let result = dump(&memory, &reading(verb, &file));
        assert_eq!(result.lines().count(), 8);
        assert_eq!(wrong(&file, &result), 0);
        assert_eq!(wrong(&reading(verb, &file), &result), 0);
    }
    // As a list: all long words of one PE, then those of the next.
    let list: String = (0..4)
        .flat_map(|pe| [0, 1].map(|address| memory[&("ln".to_owned(), [0, 0, 0, 0, pe], address)]))
        .map(|word| format!("{word:016x}\n"))
        .collect();
    assert_eq!(wrong(&file, &list), 0);
    assert!(compare(&file, &list[17..]).unwrap_err().contains("has 7 long words"));
}

#[test]
fn lines_that_expect_nothing_are_not_compared() {
    let file = "# ======= Out(0): ((2:1, 2_W:1))@LM1 / Int =======\n\
                d getd $ln0n0c0b0m0p0 1 # expect=[1, 2] / Int @[0],[1]\n\
                d getd $ln2n0c0b0m0p0 1\n";
    let compared = compare(file, "0000000100000002\n0000000700000007\n").unwrap();
    assert_eq!((compared[0].compared, compared[0].wrong, compared[0].untested), (2, 0, 2));
}

/// A file with a tensor of every form, and the memories after the run.
fn of_every_form() -> (String, Memory) {
    let outs = [
        ("((2:1, 2_PE:1, 2_W:1))@LM0 / Float", Dtype::Float, "getf"),
        ("((3:2, 4_W:1))@LM1 / Half", Dtype::Half, "geth"),
        ("((2_L2B:3, 2:1))@LM1 / Double", Dtype::Double, "getd"),
        ("((2_L2B:2, 2:1, 2_W:1))@DRAM / Int", Dtype::Int, "get"),
        ("((2:1, 2_W:1))@DRAM / Float", Dtype::Float, "getd"),
    ];
    let (mut file, mut memory) = (String::new(), Memory::new());
    for ((number, base), (layout, dtype, verb)) in
        [0, 40, 100, 7, 500].into_iter().enumerate().zip(outs)
    {
        let values = [1.5, -2.25, 0.1, 1e10, 3.0, 0.0, 1234.5, -0.007, 65536.0, 7.0, 1.0, 2.0];
        let header = |direction| sample::header(direction, number as u64, layout);
        let shape = header(TensorDirection::In).layout.lower().unwrap().shape();
        let count = shape.iter().product::<u64>() as usize;
        let bits = |value: &f64| match dtype {
            Dtype::Float => u64::from((*value as f32).to_bits()),
            Dtype::Double => value.to_bits(),
            Dtype::Half => (value.abs() * 100.0) as u64 % 20000 + 9000,
            _ => (*value as i32 as u32).into(),
        };
        let data = data(dtype, &shape, values[..count].iter().map(bits));
        let write = |direction| {
            let writer = VectorWriter::new(header(direction), data.clone()).unwrap();
            writer.base(base).atol(0.0)
        };
        memory.extend(carried_out(&lines(&write(TensorDirection::In))));
        let out = write(TensorDirection::Out);
        file += &format!("{}\n{}", out.header(), reading(verb, &lines(&out)));
    }
    // Two long words of each of four PEs.
    file += "# ======= Out(9): ((2:1, 4_PE:1, 2_W:1))@LM0 / UInt =======\n\
             d getf $lm4000n0c0b0m0 2 # expect=[1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4] / UInt \
             @[0],[1],[8],[9],[2],[3],[10],[11],[4],[5],[12],[13],[6],[7],[14],[15]\n";
    emulator::set(&mut memory, "d set $lm4000 2 00000001000000020000000300000004");
    (file, memory)
}

#[test]
fn every_digit_of_a_dump_counts() {
    let (file, memory) = of_every_form();
    assert_eq!(check_vectors(file.as_bytes(), &mut |_| {}).unwrap().findings, []);
    let dump = dump(&memory, &file);
    assert_eq!(wrong(&file, &dump), 0, "{dump}");
    let mut changed = 0;
    for at in 0..dump.len() {
        let digit = dump.as_bytes()[at];
        let others: &[u8] = match digit {
            b'0'..=b'9' => b"0123456789",
            b'a'..=b'f' | b'A'..=b'F' if is_hexadecimal(&dump, at) => b"0123456789abcdef",
            _ => continue,
        };
        for other in others.iter().filter(|other| !digit.eq_ignore_ascii_case(other)) {
            let result = format!("{}{}{}", &dump[..at], char::from(*other), &dump[at + 1..]);
            assert!(wrong(&file, &result) > 0, "byte {at}:\n{result}");
            changed += 1;
        }
    }
    assert!(changed > 9_000, "{changed}");
    // Without a line, and with a line twice but another one not.
    let dumped: Vec<&str> = dump.lines().collect();
    for at in 0..dumped.len() {
        let without = [&dumped[..at], &dumped[at + 1..]].concat().join("\n");
        assert!(wrong(&file, &without) > 0, "{}", dumped[at]);
        let again = without + "\n" + dumped[(at + 1) % dumped.len()];
        assert!(wrong(&file, &again) > 0, "{}", dumped[at]);
    }
}

/// True if the letter is one of the digits after `0x`.
fn is_hexadecimal(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches(|c: char| c.is_ascii_hexdigit());
    before.ends_with('x')
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60, failure_persistence: None, max_global_rejects: 1 << 20, ..ProptestConfig::default()
    })]

    #[test]
    fn dumps_of_every_form_say_the_same(case in case(), verb in select(&VERBS[..]), flip in any::<u64>()) {
        let (file, mut memory) = expected(&case);
        let result = dump(&memory, &reading(verb, &file));
        let compared = compare(&file, &result).unwrap().remove(0);
        prop_assert_eq!((compared.wrong, compared.untested), (0, 0));
        // Commands of other forms, including those that read several long words, read the same memories.
        let all = memory.keys().map(|(name, [n, c, b, m, p], address)| match name.as_str() {
            "d" => dumped(&memory, &format!("d {verb} $d{address}n{n} 2")),
            _ => dumped(&memory, &format!("d {verb} ${name}{}n{n}c{c}b{b}m{m}p{p} 2", 2 * address)),
        });
        let all = all.take(5000).flatten().map(|line| line + "\n").collect::<String>();
        if memory.len() <= 5000 {
            prop_assert_eq!(compare(&file, &all).unwrap()[0].wrong, 0);
        }
        // Flips the sign of every lane of one of the long words that are read.
        let read: Vec<&str> = file.lines().skip(1).map(|line| line.split(' ').nth(2).unwrap()).collect();
        if read.is_empty() {
            return Ok(());
        }
        let (name, units, address) = places(read[(flip % read.len() as u64) as usize]);
        let lanes = 64 / case.dtype.bits();
        let sign = (0..lanes).fold(0, |word: u64, _| word.checked_shl(case.dtype.bits() as u32).unwrap_or(0) | 1 << (case.dtype.bits() - 1));
        *memory.get_mut(&(name, units[0], address)).unwrap() ^= sign;
        let result = dump(&memory, &reading(verb, &file));
        let compared = compare(&file, &result).unwrap().remove(0);
        let is_float = matches!(case.dtype, Dtype::Float | Dtype::Double | Dtype::Half);
        prop_assert!(is_float || compared.wrong > 0);
        for difference in &compared.differences {
            let (_, found, at) = places(&difference.place.to_string());
            prop_assert_eq!((found[0], at), (units[0], address));
        }
    }
}
