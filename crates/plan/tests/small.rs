//! MN-Core 2 with two units of each level, four L2Bs in two groups, and movements with beats to match.

use tensor_layout::machine::{Direction, Memory, Movement, MovementKind};
use tensor_layout::{Level, Machine};

pub(crate) fn small_machine() -> Machine {
    with_words(512)
}

/// The machine with some long words in a PE.
pub(crate) fn with_words(words: u64) -> Machine {
    with_capacities(1 << 20, words)
}

/// The machine with some long words in each DRAM and in a PE.
pub(crate) fn with_capacities(dram: u64, words: u64) -> Machine {
    use {Direction::*, MovementKind::*};
    let hangs = |owner, group, capacity| Memory { capacity: Some(capacity), owner, group };
    let machine = Machine::builder("small").level(Level::L2B, 4).level(Level::L1B, 2);
    let machine = machine.level(Level::MAB, 2).level(Level::PE, 2);
    let machine = machine.memory("DRAM", hangs(Level::L2B, 2, dram));
    let machine = machine.memory("L2BM", hangs(Level::L2B, 1, 1 << 14));
    let machine = machine.memory("L1BM", hangs(Level::L1B, 1, 1 << 13));
    let host =
        |name, way, kind, map: &str| Movement::new(name, ("DRAM", "L2BM"), way, kind).with_map(map);
    let up =
        |name, way, kind, map: &str| Movement::new(name, ("L2BM", "L1BM"), way, kind).with_map(map);
    let low =
        |name, way, kind, map: &str| Movement::new(name, ("L1BM", "LM0"), way, kind).with_map(map);
    let l2bmb =
        Movement { names_one: true, ..up("l2bmb", Down, SameToAll, "((4:1); B@[2_L1B:1])") };
    let movements = [
        host("mvp", Both, PickOne, "((4:1))").with_rates(4, 4),
        host("mvb2", Down, SameToAll, "((4:1); B@[2_L2B:1])").with_rates(4, 4),
        host("mvd", Both, Distribute, "((4_L2B:1, 4:1))").with_rates(8, 4),
        l2bmb.with_rates(4, 4),
        up("l2bmd", Both, Distribute, "((2_L1B:1, 2:1))").with_rates(4, 2),
        up("l2bm@b", Up, PickOne, "((4:1))").with_rates(4, 4),
        low("l1bmp", Down, SameToAll, "((1:1); B@[2_MAB:1,2_PE:1])").with_rates(1, 1),
        low("l1bmm", Down, Distribute, "((2_PE:1); B@[2_MAB:1])").with_rates(2, 1),
        low("l1bmm@m", Up, PickOne, "((2_PE:1))").with_rates(2, 1),
        low("l1bmd", Both, Distribute, "((2_MAB:1, 2_PE:1))").with_rates(4, 1),
    ];
    machine.memory("LM0", hangs(Level::PE, 1, words)).movements(movements).build().unwrap()
}
