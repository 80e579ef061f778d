//! Digits that no movements bring to their places, against every way to move a small tensor on a small machine.

use std::collections::BTreeMap;

use itertools::Itertools;
use tensor_layout::error::ErrorKind;
use tensor_layout::machine::{Direction, Memory, Movement, MovementKind};
use tensor_layout::relayout::{CostModel, Relayout};
use tensor_layout::route::Route;
use tensor_layout::{Level, Machine, Placement};

/// MN-Core's L2BM, L1BM and LM with two units of each level, and its movements with beats of 2 and 4.
fn small_machine() -> Machine {
    use {Direction::*, MovementKind::*};
    let hangs = |owner| Memory { capacity: None, owner, group: 1 };
    let machine = Machine::builder("small").level(Level::L2B, 1).level(Level::L1B, 2);
    let machine = machine.level(Level::MAB, 2).level(Level::PE, 2);
    let machine = machine.memory("L2BM", hangs(Level::L2B)).memory("L1BM", hangs(Level::L1B));
    let up =
        |name, way, kind, map: &str| Movement::new(name, ("L2BM", "L1BM"), way, kind).with_map(map);
    let low =
        |name, way, kind, map: &str| Movement::new(name, ("L1BM", "LM0"), way, kind).with_map(map);
    let l2bmb =
        Movement { names_one: true, ..up("l2bmb", Down, SameToAll, "((4:1); B@[2_L1B:1])") };
    let movements = [
        l2bmb.with_rates(4, 4),
        up("l2bmd", Both, Distribute, "((2_L1B:1, 2:1))").with_rates(4, 2),
        up("l2bm@b", Up, PickOne, "((4:1))").with_rates(4, 4),
        low("l1bmp", Down, SameToAll, "((1:1); B@[2_MAB:1,2_PE:1])").with_rates(1, 1),
        low("l1bmm", Down, Distribute, "((2_PE:1); B@[2_MAB:1])").with_rates(2, 1),
        low("l1bmm@m", Up, PickOne, "((2_PE:1))").with_rates(2, 1),
        low("l1bmd", Both, Distribute, "((2_MAB:1, 2_PE:1))").with_rates(4, 1),
    ];
    machine.memory("LM0", hangs(Level::PE)).movements(movements).build().unwrap()
}

/// The role of a level of the small machine in a layout: a digit of two, one unit, or copies in both.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Digit,
    One,
    Copies,
}

/// Every layout of eight long words whose three digits land in the units that are digits, or at dense addresses.
fn layouts(machine: &Machine, memory: &str, roles: &[(Level, Role)]) -> Vec<Placement> {
    let levels =
        |role: Role| roles.iter().filter(move |(_, of)| *of == role).map(|(level, _)| level);
    let copies = levels(Role::Copies).map(|level| format!("2_{level}:1")).join(",");
    let copies = if copies.is_empty() { copies } else { format!("; B@[{copies}]") };
    let ones = levels(Role::One).map(|level| format!(", 1_{level}")).collect::<String>();
    let units = levels(Role::Digit).map(|level| format!("2_{level}:1")).collect_vec();
    let addresses = (0..3 - units.len()).map(|bit| format!("2:{}", 1 << bit));
    let digits = units.iter().cloned().chain(addresses).permutations(3);
    let placed = |digits: Vec<String>| {
        let text = format!("(({}{ones}){copies})", digits.join(", "));
        let placement = Placement::of(text.parse().unwrap()).on(machine).memory(memory);
        placement.element_bits(64).build().unwrap()
    };
    digits.map(placed).collect()
}

/// The layouts of all memories, with one or several units of each level.
fn all_layouts(machine: &Machine) -> Vec<Placement> {
    use Role::*;
    let below = [vec![Digit, One], vec![Digit, Copies], vec![Digit, One, Copies]];
    let levels = [Level::L1B, Level::MAB, Level::PE];
    let of = |memory: &'static str, depth: usize| {
        let roles =
            below[..depth].iter().map(|roles| roles.iter().copied()).multi_cartesian_product();
        let named = move |roles: Vec<Role>| levels.into_iter().zip(roles).collect_vec();
        roles.flat_map(move |roles| layouts(machine, memory, &named(roles))).collect_vec()
    };
    [layouts(machine, "L2BM", &[]), of("L1BM", 1), of("LM0", 3)].concat()
}

/// The fewest cycles between any two of some placements by chains of single movements; `None` without one.
struct Ways {
    least: Vec<Vec<Option<u64>>>,
}

impl Ways {
    fn of(machine: &Machine, all: &[Placement]) -> Ways {
        let ends = |movement: &Movement| {
            let (upper, lower) = (movement.upper.clone(), movement.lower.clone());
            [(upper.clone(), lower.clone()), (lower, upper)]
        };
        let mut least = vec![vec![None; all.len()]; all.len()];
        let memory = |at: usize| all[at].memory().unwrap().0;
        for (from, to) in (0..all.len()).cartesian_product(0..all.len()) {
            let between = |movement: &&Movement| {
                ends(movement).iter().any(|(a, b)| (&a[..], &b[..]) == (memory(from), memory(to)))
            };
            let names = machine.movements().iter().filter(between).map(|movement| &movement.name);
            let cycles = names
                .unique()
                .filter_map(|name| Some(Route::by(name, &all[from], &all[to]).ok()?.cycles().0));
            least[from][to] = cycles.min();
            let (own, other) = (all[from].with_copies(), all[to].with_copies());
            if memory(from) == memory(to) && own.serves(other).unwrap().is_none() {
                least[from][to] = Some(0);
            }
        }
        for (via, from) in (0..all.len()).cartesian_product(0..all.len()) {
            let Some(first) = least[from][via] else { continue };
            let on: Vec<Option<u64>> = least[via].clone();
            for (known, second) in least[from].iter_mut().zip(on) {
                let sum = second.map(|second| first + second);
                *known = [*known, sum].into_iter().flatten().min();
            }
        }
        Ways { least }
    }
}

#[test]
fn no_way_to_move_a_small_tensor_beats_the_bound_or_reaches_what_is_called_out_of_reach() {
    let machine = small_machine();
    let model = CostModel::new(&machine, 64).unwrap();
    let all = all_layouts(&machine);
    let ways = Ways::of(&machine, &all);
    let mut found: BTreeMap<(&str, bool), u64> = BTreeMap::new();
    // The least cycles of each pair by its bound.
    let mut ratios: Vec<f64> = Vec::new();
    for (from, to) in (0..all.len()).cartesian_product(0..all.len()) {
        let (source, target, least) = (&all[from], &all[to], ways.least[from][to]);
        let texts = || {
            [source, target].map(|side| (Route::text(side), side.memory().unwrap().0.to_owned()))
        };
        if let Some(least) = least {
            let traffic = Relayout::new(source, target).unwrap().traffic().unwrap();
            let cost = model.of_traffic(&traffic).unwrap();
            assert!(cost.steps <= least, "{:?}: {cost}, but {least} cycles do", texts());
            ratios.push(if cost.steps == least { 1.0 } else { least as f64 / cost.steps as f64 });
        }
        if !(from * all.len() + to).is_multiple_of(89) {
            continue;
        }
        let outcome = match Route::new(source, target) {
            Ok(route) => {
                assert!(least.is_none_or(|least| least <= route.cycles().0), "{:?}", texts());
                let cheapest = least.is_none_or(|least| least == route.cycles().0);
                if cheapest { "cheapest" } else { "dearer than another" }
            }
            Err(fault) if fault.fact("digit").is_some() => {
                assert!(least.is_none(), "{:?}: {fault}, but {least:?} cycles do", texts());
                "out of reach"
            }
            Err(_) => "refused",
        };
        *found.entry((outcome, least.is_some())).or_default() += 1;
    }
    ratios.sort_unstable_by(f64::total_cmp);
    let [quarter, median, three] = [1, 2, 3].map(|at| ratios[(ratios.len() - 1) * at / 4]);
    println!(
        "{found:?}; least cycles by bound of {} pairs: quartiles {quarter:.2}, {median:.2}, {three:.2}",
        ratios.len()
    );
    let missed = found.get(&("refused", true)).copied().unwrap_or(0);
    assert!(missed * 100 < found.values().sum(), "{found:?}");
    assert!(!found.contains_key(&("dearer than another", true)), "{found:?}");
    assert!(found[&("cheapest", true)] > 15 && found[&("out of reach", false)] > 20, "{found:?}");
}

/// The switches of plans that a prototype of a planner made: most change lanes.
const SWITCHES: &str = include_str!("data/plan_switches.txt");

#[test]
fn most_switches_of_a_plan_without_lanes_are_out_of_reach_and_the_rest_have_routes() {
    let machine = Machine::mn_core_2();
    let mut outcomes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in SWITCHES.lines().filter(|line| !line.starts_with('#')) {
        let [memory, source, target] = line.split(" | ").collect_array().unwrap();
        let on = |text: &str, memory: &str| {
            let placement = Placement::of(text.parse().unwrap()).on(&machine);
            placement.memory(memory).element_bits(16).build()
        };
        let outcome = match (on(source, memory), on(target, "LM0")) {
            (Ok(source), Ok(target)) => match Route::new(&source, &target) {
                Ok(_) => "route",
                Err(error) if error.kind() == ErrorKind::Shape => "a gather",
                Err(error) if error.fact("digit").is_some() => {
                    match error.help().is_some_and(|help| help.contains("agree in `W`")) {
                        true => "lanes change",
                        false => "out of reach",
                    }
                }
                Err(_) => "refused",
            },
            _ => "larger than the memory",
        };
        outcomes.entry(outcome).or_default().push(line);
    }
    let counts = outcomes.iter().map(|(outcome, lines)| (*outcome, lines.len())).collect_vec();
    println!("{counts:?}");
    let count = |outcome: &str| outcomes.get(outcome).map_or(0, Vec::len);
    assert!(count("refused") <= 2, "{:?}", outcomes.get("refused"));
    assert!(count("route") >= 5 && count("larger than the memory") == 3, "{counts:?}");
}
