//! A slow emulator: memories are maps, lines are executed by their words alone, and dumps have the form of
//! the public package.

use std::collections::BTreeMap;

/// Long words by memory (`lm`, `ln`, `d`), unit (group, L2B of it, L1B, MAB, PE) and address.
pub(crate) type Memory = BTreeMap<(String, [u64; 5], u64), u64>;

/// The memory, the units and the first long word that a place names; omitted letters mean all units, PEs
/// first.
pub(crate) fn places(place: &str) -> (String, Vec<[u64; 5]>, u64) {
    let rest = place.strip_prefix('$').unwrap();
    let split = rest.find(|c: char| c.is_ascii_digit()).unwrap();
    let (memory, rest) = rest.split_at(split);
    let split = rest.find(|c: char| c.is_alphabetic()).unwrap_or(rest.len());
    let address: u64 = rest[..split].parse().unwrap();
    let named = |letter: char| {
        let (_, after) = rest[split..].split_once(letter)?;
        let end = after.find(|c: char| c.is_alphabetic()).unwrap_or(after.len());
        Some(after[..end].parse::<u64>().unwrap())
    };
    let mut units = vec![Vec::new()];
    for (letter, count) in [('n', 4), ('c', 2), ('b', 8), ('m', 16), ('p', 4)] {
        let count = if memory == "d" && letter != 'n' { 1 } else { count };
        let ats: Vec<u64> = named(letter).map_or((0..count).collect(), |at| vec![at]);
        let longer = |unit: Vec<u64>| -> Vec<Vec<u64>> {
            ats.iter().map(|at| [unit.clone(), vec![*at]].concat()).collect()
        };
        units = units.into_iter().flat_map(longer).collect();
    }
    let address = if memory == "d" { address } else { address / 2 };
    let units = units.into_iter().map(|unit| unit.try_into().unwrap()).collect();
    (memory.to_owned(), units, address)
}

/// Executes a line that sets.
pub(crate) fn set(memory: &mut Memory, line: &str) {
    let words: Vec<&str> = line.split('#').next().unwrap().split_whitespace().collect();
    if words[0] == "r" {
        let unit = [words[1].parse().unwrap(), 0, 0, 0, 0];
        let address = u64::from_str_radix(words[2], 16).unwrap();
        let word = u64::from_str_radix(words[4], 16).unwrap();
        memory.insert(("d".to_owned(), unit, address), word);
        return;
    }
    let (name, units, first) = places(words[2]);
    let digits = words[4].replace('l', "");
    assert_eq!(digits.len(), 16 * words[3].parse::<usize>().unwrap());
    for unit in units {
        for at in 0..digits.len() / 16 {
            let word = u64::from_str_radix(&digits[16 * at..16 * at + 16], 16).unwrap();
            memory.insert((name.clone(), unit, first + at as u64), word);
        }
    }
}

/// Executes all lines that set.
pub(crate) fn carried_out(lines: &str) -> Memory {
    let mut memory = Memory::new();
    let lines = lines.lines().filter(|line| !line.starts_with('#') && !line.starts_with("d get"));
    lines.for_each(|line| set(&mut memory, line));
    memory
}

/// The lines that the emulator prints for `d getf PLACE COUNT`; memory that was never set reads as 0.
pub(crate) fn dumped(memory: &Memory, command: &str) -> Vec<String> {
    let command = command.split('#').next().unwrap().trim();
    let words: Vec<&str> = command.split_whitespace().collect();
    let (name, units, first) = places(words[2]);
    let count: u64 = words[3].parse().unwrap();
    let mut lines = Vec::new();
    for unit in units {
        for address in first..first + count {
            let word = memory.get(&(name.clone(), unit, address)).copied().unwrap_or(0);
            let [n, c, b, m, p] = unit;
            let at = match name.as_str() {
                "d" => format!("DRAM(n{n},{address})"),
                "lm" => format!("LM0(n{n}c{c}b{b}m{m}p{p},{})", address * 2),
                _ => format!("LM1(n{n}c{c}b{b}m{m}p{p},{})", address * 2),
            };
            lines.push(format!("DEBUG-{at}:{} #{command}", printed(words[1], word)));
        }
    }
    lines
}

/// The dump of all lines that read.
pub(crate) fn dump(memory: &Memory, lines: &str) -> String {
    let reads = lines.lines().filter(|line| line.starts_with("d get"));
    reads.flat_map(|line| dumped(memory, line)).map(|line| line + "\n").collect()
}

fn printed(verb: &str, word: u64) -> String {
    let lanes =
        |count: u32| (0..count).map(move |at| word << (at * (64 / count)) >> (64 - 64 / count));
    let list = |values: Vec<String>, digits: Vec<String>| {
        format!("({}) ({})", values.join(", "), digits.join(", "))
    };
    match verb {
        "getd" => {
            list(vec![six(f64::from_bits(word), f64::MIN_POSITIVE)], vec![format!("0x{word:016x}")])
        }
        "getf" => list(
            lanes(2)
                .map(|lane| {
                    six(f64::from(f32::from_bits(lane as u32)), f64::from(f32::MIN_POSITIVE))
                })
                .collect(),
            lanes(2).map(|lane| format!("0x{lane:08x}")).collect(),
        ),
        "geth" => list(
            lanes(4).map(|lane| six(half(lane), 2.0_f64.powi(-30))).collect(),
            lanes(4).map(|lane| format!("0x{lane:04x}")).collect(),
        ),
        "get" => {
            let halves: Vec<String> = lanes(4).map(|lane| format!("0x{lane:X}")).collect();
            let [a, b, c, d] = &halves[..] else { panic!() };
            let number = six(f64::from_bits(word), f64::MIN_POSITIVE);
            format!("(f:{number}, i:{{{{{a},{b}}},{{{c},{d}}}}}, v:0x{word:X})")
        }
        _ => panic!("{verb}"),
    }
}

/// 1 bit of sign, 6 of exponent, 9 of mantissa.
fn half(bits: u64) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, mantissa) = ((bits >> 9 & 63) as i32, (bits & 511) as f64);
    match exponent {
        0 => sign * mantissa * 2.0_f64.powi(-39),
        63 if mantissa == 0.0 => sign * f64::INFINITY,
        63 => f64::NAN,
        _ => sign * (1.0 + mantissa / 512.0) * 2.0_f64.powi(exponent - 31),
    }
}

/// The value in the format of C's `%g`; numbers below the least normal one are 0.
fn six(value: f64, least: f64) -> String {
    let value = if value.abs() < least { value * 0.0 } else { value };
    if !value.is_finite() {
        return if value.is_nan() { "nan".into() } else { format!("{value}") };
    }
    let text = format!("{value:.5e}");
    let (digits, exponent) = text.split_once('e').unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    if (-4..6).contains(&exponent) {
        let plain = format!("{value:.*}", (5 - exponent) as usize);
        let cut = if plain.contains('.') {
            plain.trim_end_matches('0').trim_end_matches('.')
        } else {
            &plain
        };
        return cut.to_owned();
    }
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

#[test]
fn the_slow_emulator_prints_what_the_public_one_does() {
    let mut memory = Memory::new();
    set(&mut memory, "d set $lm0n0c0b0m0 2 3E004044C2344234l3f90807C07c0803E");
    set(&mut memory, "d set $lm4n0c0b0m0p0 1 0042004200000042");
    set(&mut memory, "r 2 000000010 001 0000004280000000");
    let expect = |command: &str, lines: &[&str]| assert_eq!(dumped(&memory, command), lines);
    expect(
        "d getf $lm0n0c0b0m0p2 1",
        &[
            "DEBUG-LM0(n0c0b0m0p2,0):(0.125245, -45.0647) (0x3e004044, 0xc2344234) #d getf $lm0n0c0b0m0p2 1",
        ],
    );
    expect(
        "d geth $lm2n0c0b0m0p3 1",
        &[
            "DEBUG-LM0(n0c0b0m0p3,2):(1.78125, -0, 6.98492e-09, -0) (0x3f90, 0x807c, 0x07c0, 0x803e) #d geth $lm2n0c0b0m0p3 1",
        ],
    );
    expect(
        "d get $lm4n0c0b0m0p0 1",
        &[
            "DEBUG-LM0(n0c0b0m0p0,4):(f:2.00268e-307, i:{{0x42,0x42},{0x0,0x42}}, v:0x42004200000042) #d get $lm4n0c0b0m0p0 1",
        ],
    );
    expect(
        "d getf $d16n2 1",
        &["DEBUG-DRAM(n2,16):(0, -0) (0x00000042, 0x80000000) #d getf $d16n2 1"],
    );
    assert_eq!(dumped(&memory, "d getd $lm0n0c0b0 4").len(), 16 * 4 * 4);
}
