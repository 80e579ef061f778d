//! Accesses of NVIDIA's and AMD's GPUs against a simulation that knows phases only as lists of lanes, as they were
//! published, and serves each bank word by word, cycle by cycle.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use tensor_layout::{Layout, LayoutError, LayoutText, Level};
use tensor_layout_access::{self as access, Access, Gpu, Instruction};

/// The GPU, whether it stores, the bytes of a vector, the number of banks, and the lanes of each phase.
///
/// Sources: `src/access/gpu.rs`; the lanes are written as there.
const PHASES: &[(&str, bool, u64, u64, &str)] = &[
    ("nvidia", false, 4, 32, "0-31"),
    ("nvidia", false, 8, 32, "0-15 | 16-31"),
    ("nvidia", false, 16, 32, "0-7 | 8-15 | 16-23 | 24-31"),
    ("nvidia", true, 4, 32, "0-31"),
    ("nvidia", true, 8, 32, "0-15 | 16-31"),
    ("nvidia", true, 16, 32, "0-7 | 8-15 | 16-23 | 24-31"),
    ("gfx942", false, 4, 32, "0-31 | 32-63"),
    ("gfx942", false, 8, 32, "0-15 | 16-31 | 32-47 | 48-63"),
    (
        "gfx942",
        false,
        16,
        32,
        "0-3 20-23 | 32-35 52-55 | 4-7 16-19 | 36-39 48-51 | 8-11 28-31 | 40-43 60-63 | 12-15 24-27 | 44-47 56-59",
    ),
    ("gfx942", true, 4, 32, "0-31 | 32-63"),
    ("gfx942", true, 8, 32, "0-15 | 16-31 | 32-47 | 48-63"),
    ("gfx942", true, 16, 32, "0-7 | 8-15 | 16-23 | 24-31 | 32-39 | 40-47 | 48-55 | 56-63"),
    ("gfx950", false, 4, 64, "0-63"),
    ("gfx950", false, 8, 64, "0-31 | 32-63"),
    (
        "gfx950",
        false,
        16,
        64,
        "0-3 12-15 20-23 24-27 | 32-35 44-47 52-55 56-59 | 4-7 8-11 16-19 28-31 | 36-39 40-43 48-51 60-63",
    ),
    ("gfx950", true, 4, 32, "0-31 | 32-63"),
    ("gfx950", true, 8, 32, "0-15 | 16-31 | 32-47 | 48-63"),
    ("gfx950", true, 16, 32, "0-7 | 8-15 | 16-23 | 24-31 | 32-39 | 40-47 | 48-55 | 56-63"),
    ("gfx1100", false, 4, 32, "0-31"),
    ("gfx1100", false, 8, 32, "0-15 | 16-31"),
    ("gfx1100", false, 16, 32, "0-3 20-23 | 4-7 16-19 | 8-11 28-31 | 12-15 24-27"),
    ("gfx1201", false, 4, 32, "0-31"),
    ("gfx1201", false, 8, 32, "0-15 | 16-31"),
    ("gfx1201", false, 16, 32, "0-7 | 8-15 | 16-23 | 24-31"),
];

fn lanes_of(phase: &str) -> Vec<u64> {
    let range = |range: &str| {
        let (first, last) = range.split_once('-').unwrap();
        first.parse::<u64>().unwrap()..=last.parse().unwrap()
    };
    phase.split_whitespace().flat_map(range).collect()
}

fn instruction(gpu: &str, is_store: bool) -> Instruction {
    let gpu: Gpu = gpu.parse().unwrap();
    if is_store { Instruction::store(gpu) } else { Instruction::load(gpu) }
}

/// What a slow simulation of all bytes counts.
#[derive(Debug, PartialEq, Eq)]
struct Counted {
    vector_bytes: u64,
    requests: u64,
    wavefronts: u64,
    ideal: u64,
    lines: u64,
}

impl Counted {
    fn of(cost: &Access) -> Counted {
        Counted {
            vector_bytes: cost.vector_bytes,
            requests: cost.requests,
            wavefronts: cost.wavefronts,
            ideal: cost.ideal_wavefronts,
            lines: cost.lines,
        }
    }
}

/// The byte address of each register of each lane.
type Held = BTreeMap<u64, BTreeMap<u64, u64>>;

fn held(memory: &Layout, holders: &Layout, bytes: u64) -> Held {
    let mut held = Held::new();
    for index in holders.indexes() {
        let at = memory.locate(&index).unwrap().get(Level::ADDR).unwrap() * bytes;
        for place in holders.locate_all(&index).unwrap() {
            let lane = place.get(Level::LANE).unwrap_or(0);
            held.entry(lane).or_default().insert(place.get(Level::ADDR).unwrap_or(0), at);
        }
    }
    held
}

/// The widest vectors of up to 16 bytes in which all registers of all lanes can be moved.
fn vector_bytes(held: &Held, bytes: u64) -> u64 {
    let registers = held.values().flat_map(BTreeMap::keys).max().unwrap() + 1;
    let fits = |width: &u64| {
        let count = width / bytes;
        let moves = |lane: &BTreeMap<u64, u64>, first: u64| {
            let at = |register: u64| lane.get(&register).copied();
            match at(first) {
                None => (first..first + count).all(|register| at(register).is_none()),
                Some(start) => {
                    start % width == 0
                        && (0..count).all(|step| at(first + step) == Some(start + step * bytes))
                }
            }
        };
        registers % count == 0
            && held
                .values()
                .all(|lane| (0..registers).step_by(count as usize).all(|first| moves(lane, first)))
    };
    [16, 8, 4, 2, 1].into_iter().filter(|width| *width >= bytes).find(fits).unwrap()
}

/// The cycles until each bank has served each word that a lane of the phase wants: one word per cycle, to all lanes.
fn cycles(addresses: &[u64], width: u64, banks: u64) -> u64 {
    let mut wanted: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for byte in addresses.iter().flat_map(|at| *at..at + width) {
        wanted.entry(byte / 4 % banks).or_default().insert(byte / 4);
    }
    let mut cycles = 0;
    while !wanted.is_empty() {
        wanted.values_mut().for_each(|words| _ = words.pop_first());
        wanted.retain(|_, words| !words.is_empty());
        cycles += 1;
    }
    cycles
}

fn simulated(held: &Held, bytes: u64, gpu: &str, is_store: bool) -> Counted {
    let width = vector_bytes(held, bytes);
    let is_row = |row: &&(&str, bool, u64, u64, &str)| {
        row.0 == gpu && row.1 == is_store && row.2 == width.max(4)
    };
    let (.., banks, phases) = *PHASES.iter().find(is_row).unwrap();
    let phases: Vec<Vec<u64>> = phases.split('|').map(lanes_of).collect();
    let registers: BTreeSet<u64> = held
        .values()
        .flat_map(BTreeMap::keys)
        .copied()
        .filter(|r| r % (width / bytes) == 0)
        .collect();
    let mut counted =
        Counted { vector_bytes: width, requests: 0, wavefronts: 0, ideal: 0, lines: 0 };
    for register in registers {
        let at = |lane: u64| held.get(&lane)?.get(&register).copied();
        let mut lines = BTreeSet::new();
        for phase in &phases {
            let addresses: Vec<u64> = phase.iter().copied().filter_map(at).collect();
            counted.wavefronts += cycles(&addresses, width, banks);
            counted.ideal += u64::from(!addresses.is_empty());
            lines.extend(addresses.iter().flat_map(|at| *at..at + width).map(|byte| byte / 128));
        }
        counted.requests += 1;
        counted.lines += lines.len() as u64;
    }
    counted
}

/// Whether two lanes of a phase store to the same word in some request.
fn stores_a_word_twice(held: &Held, bytes: u64, gpu: &str) -> bool {
    let width = vector_bytes(held, bytes);
    let is_row =
        |row: &&(&str, bool, u64, u64, &str)| row.0 == gpu && row.1 && row.2 == width.max(4);
    let (.., phases) = *PHASES.iter().find(is_row).unwrap();
    let phases: Vec<Vec<u64>> = phases.split('|').map(lanes_of).collect();
    let registers: BTreeSet<u64> = held.values().flat_map(BTreeMap::keys).copied().collect();
    registers.iter().filter(|register| *register % (width / bytes) == 0).any(|register| {
        phases.iter().any(|phase| {
            let words: Vec<u64> =
                phase.iter().filter_map(|lane| Some(held.get(lane)?.get(register)? / 4)).collect();
            words.iter().collect::<BTreeSet<_>>().len() < words.len()
        })
    })
}

/// A memory and its holders in text, the bytes of an element, and a row of the phases.
type Drawn = (String, String, u64, usize);

/// Lanes in two digits, in either order, and registers; each with a stride in memory, which may be swizzled.
fn drawn() -> impl Strategy<Value = Drawn> {
    let digits = prop_oneof![
        4 => prop::sample::select(vec![(4, 8), (8, 8), (16, 4), (2, 32), (32, 2), (16, 2), (32, 1), (64, 1)]),
        1 => (1_u64..8, 1_u64..8),
    ];
    let vectors = prop::sample::select(vec![1_u64, 1, 2, 4, 4, 8, 3]);
    let strides = (0_u64..80, 0_u64..80, prop_oneof![3 => Just(1_u64), 1 => 0_u64..70]);
    let aligned = prop::sample::select(vec![1_u64, 1, 2, 4, 8]);
    let swizzle = prop::option::of((1_u32..6, 0_u32..5, 0_u32..3));
    (digits, vectors, strides, aligned, swizzle, any::<bool>(), 0_u32..4, 0..PHASES.len()).prop_map(
        |((a, b), registers, (x, y, step), aligned, swizzle, is_swapped, log, row)| {
            let (x, y) = (x * aligned, y * aligned);
            let plain = format!("({a},{b},{registers}):({x},{y},{step})");
            let memory = match swizzle {
                Some((bits, base, more)) => {
                    format!("S<{bits},{base},{}> o 0 o {plain}", bits + more)
                }
                None => plain,
            };
            let (first, second) = if is_swapped { (1, a) } else { (b, 1) };
            let holders = format!("(({a}_LANE:{first}), ({b}_LANE:{second}), ({registers}:1))");
            (memory, holders, 1 << log, row)
        },
    )
}

fn layouts((memory, holders, ..): &Drawn) -> (Layout, Layout) {
    (LayoutText::parse(memory).unwrap().lower().unwrap(), holders.parse().unwrap())
}

fn run(cases: u32, law: impl Fn(Drawn) -> Result<(), TestCaseError>) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    crate::run::run(&mut TestRunner::new_with_rng(config, rng), drawn(), law).unwrap();
}

#[test]
fn the_cycles_of_every_gpu_are_those_of_a_simulation_of_its_banks() {
    let (answered, conflicts) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    run(10_000, |drawn| {
        let (memory, holders) = layouts(&drawn);
        let (gpu, is_store, ..) = PHASES[drawn.3];
        let bytes = drawn.2;
        let cost = access::access(&memory, &holders, 8 * bytes, instruction(gpu, is_store));
        if holders.extent(Level::LANE) > instruction(gpu, is_store).gpu.lanes() {
            let said = cost.unwrap_err().to_string();
            prop_assert!(said.contains(&format!("but a warp of {gpu} has 32")), "{}", said);
            return Ok(());
        }
        let held = held(&memory, &holders, bytes);
        if is_store && gpu != "nvidia" && stores_a_word_twice(&held, bytes, gpu) {
            let said = cost.unwrap_err().to_string();
            prop_assert!(said.starts_with("two lanes store to the 4 bytes at "), "{}", said);
            return Ok(());
        }
        let simulated = simulated(&held, bytes, gpu, is_store);
        answered.set(answered.get() + 1);
        conflicts.set(conflicts.get() + u32::from(simulated.wavefronts > simulated.ideal));
        prop_assert_eq!(Counted::of(&cost.unwrap()), simulated, "{} {:?}", gpu, drawn);
        Ok(())
    });
    assert!(answered.get() > 6_000 && conflicts.get() > 3_000, "{answered:?} {conflicts:?}");
}

#[test]
fn no_swizzle_takes_fewer_cycles_than_the_best_and_each_takes_what_is_said() {
    run(60, |drawn| {
        let (memory, holders) = layouts(&drawn);
        let (gpu, is_store, ..) = PHASES[drawn.3];
        let bits = 8 * drawn.2;
        let of =
            |memory: &Layout| access::access(memory, &holders, bits, instruction(gpu, is_store));
        let Ok(plain) = of(&memory) else { return Ok(()) };
        let accesses = [(&holders, instruction(gpu, is_store))];
        for search in [access::swizzles, access::paddings] {
            let best = search(&memory, &accesses, bits).unwrap();
            for best in &best {
                prop_assert!(best.wavefronts() <= plain.wavefronts);
                prop_assert_eq!(&of(&best.memory).unwrap(), &best.accesses[0]);
            }
        }
        let best = access::swizzles(&memory, &accesses, bits).unwrap();
        let keeps = |cost: &Access| cost.vector_bytes == plain.vector_bytes;
        for (bits, base, shift) in
            (1..6).flat_map(|b| (0..6).flat_map(move |m| (b..8).map(move |s| (b, m, s))))
        {
            let swizzle = format!("S<{bits},{base},{shift}>");
            let text = match drawn.0.starts_with('S') {
                true => continue,
                false => format!("{swizzle} o 0 o {}", drawn.0),
            };
            let other = of(&LayoutText::parse(&text).unwrap().lower().unwrap());
            let other = other.ok().filter(keeps).map(|other| other.wavefronts);
            prop_assert!(
                other.is_none_or(|other| other >= best[0].wavefronts()),
                "{} {:?}",
                text,
                drawn
            );
        }
        Ok(())
    });
}

/// Wave of 64 lanes, each with 8 halves of a row of an MFMA operand: 16 rows of 32 halves, 64 halves apart.
#[test]
fn the_operand_of_an_mfma_conflicts_where_its_phases_do() {
    let rows = LayoutText::parse("(16,32):(64,1)").unwrap().lower().unwrap();
    let operand: Layout = "((16_LANE:1), (4_LANE:16, 8:1))".parse().unwrap();
    let of = |memory: &Layout, gpu, is_store| {
        let cost = access::access(memory, &operand, 16, instruction(gpu, is_store)).unwrap();
        (cost.wavefronts, cost.ideal_wavefronts)
    };
    // 128 bytes apart: rows begin in the same bank of 32, and in every second row of 64.
    assert_eq!(of(&rows, "gfx942", false), (32, 8));
    assert_eq!(of(&rows, "gfx950", false), (16, 4));
    assert_eq!(of(&rows, "gfx942", true), (64, 8));
    for (gpu, swizzle) in [("gfx942", "S<3,3,3>"), ("gfx950", "S<3,3,3>")] {
        let memory =
            LayoutText::parse(&format!("{swizzle} o 0 o (16,32):(64,1)")).unwrap().lower().unwrap();
        let (wavefronts, ideal) = of(&memory, gpu, false);
        assert_eq!(wavefronts, ideal, "{gpu}");
    }
}

#[test]
fn what_was_never_measured_is_refused_by_name() {
    let row = LayoutText::parse("32:1").unwrap().lower().unwrap();
    let column: Layout = "((32_LANE))".parse().unwrap();
    let refused = |result: Result<Access, LayoutError>| result.unwrap_err().to_string();
    assert_eq!(
        refused(access::access(&row, &column, 32, Instruction::store(Gpu::Gfx1100))),
        "there is no public measurement of the stores of gfx1100 to shared memory, only of loads"
    );
    // Each of 64 bytes has a lane, so that four lanes share a word.
    assert_eq!(
        refused(access::access(&row, &column, 8, Instruction::store(Gpu::Gfx942))),
        "two lanes store to the 4 bytes at 0 together, and how gfx942 serves that is not public"
    );
    let unknown = "gfx90a".parse::<Gpu>().unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "there is no public measurement of the shared memory of `gfx90a`"
    );
}
