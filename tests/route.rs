//! Routes: the published conversions, and every route checked by moving long words hop by hop.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use tensor_layout::algebra::Replica;
use tensor_layout::error::ErrorKind;
use tensor_layout::machine::Memory;
use tensor_layout::relayout::{Cost, CostModel, Relayout};
use tensor_layout::route::{Hop, Route};
use tensor_layout::{Layout, Level, Location, Machine, Placement};

fn on(text: &str, memory: &str) -> Placement {
    let placement = Placement::of(text.parse().unwrap()).on(&Machine::mn_core_2());
    placement.memory(memory).element_bits(32).build().unwrap()
}

/// The units and the time slice of a place; 0 for levels below the memory.
type Node = [u64; 5];

const UNITS: [(Level, u64); 5] =
    [(Level::L2B, 8), (Level::L1B, 8), (Level::MAB, 16), (Level::PE, 4), (Level::TIME, 2)];

/// More addresses than any memory here uses.
const ADDRESSES: u64 = 1 << 13;

/// A number for each address of each node.
fn at(node: Node, address: u64) -> usize {
    assert!(address < ADDRESSES, "{address}");
    let node = node.iter().zip(UNITS).fold(0, |sum, (unit, (_, size))| {
        assert!(*unit < size);
        sum * size + unit
    });
    (node * ADDRESSES + address) as usize
}

fn node_at(at: usize) -> (Node, u64) {
    let (mut rest, address) = (at as u64 / ADDRESSES, at as u64 % ADDRESSES);
    let mut node = [0; 5];
    for (unit, (_, size)) in node.iter_mut().zip(UNITS).rev() {
        (*unit, rest) = (rest % size, rest / size);
    }
    (node, address)
}

/// The long words at the addresses of all nodes, by their numbers, in pages; others are 0.
struct Words(Vec<Option<Box<[u64; PAGE]>>>);

const PAGE: usize = 512;

impl Default for Words {
    fn default() -> Words {
        let nodes: u64 = UNITS.iter().map(|(_, size)| size).product();
        Words(vec![None; (nodes * ADDRESSES) as usize / PAGE])
    }
}

impl Words {
    fn get(&self, at: usize) -> u64 {
        self.0[at / PAGE].as_ref().map_or(0, |page| page[at % PAGE])
    }

    fn at(&mut self, at: usize) -> &mut u64 {
        &mut self.0[at / PAGE].get_or_insert_with(|| Box::new([0; PAGE]))[at % PAGE]
    }
}

fn number(place: &Location) -> usize {
    let node = UNITS.map(|(level, _)| place.get(level).unwrap_or(0));
    at(node, place.get(Level::ADDR).unwrap_or(0))
}

/// The offsets of the numbers of the copies of an element from that of the first.
fn copies(layout: &Layout) -> Vec<usize> {
    let step = |replica: &Replica| number(&Location::from_iter([(replica.level, replica.stride)]));
    layout.replicas().iter().fold(vec![0], |all, replica| {
        let step = step(replica);
        let moved = |from: usize| (0..replica.size as usize).map(move |copy| from + copy * step);
        all.into_iter().flat_map(moved).collect()
    })
}

/// The places of the elements, row-major: (number, lane) of the first copy; and the offsets of the copies.
fn places(placement: &Placement) -> (Vec<(usize, usize)>, Vec<usize>) {
    let layout = placement.with_copies();
    let indexes = indexes(&layout.shape());
    let first = |index: &Vec<u64>| {
        let place = layout.locate(index).unwrap();
        (number(&place), place.get(Level::W).unwrap_or(0) as usize)
    };
    let (firsts, copies) = (indexes.iter().map(first).collect::<Vec<_>>(), copies(layout));
    // They agree with the placement.
    let all: BTreeSet<usize> =
        placement.locate_all(&indexes[0]).unwrap().map(|place| number(&place)).collect();
    assert_eq!(all, copies.iter().map(|copy| firsts[0].0 + copy).collect());
    (firsts, copies)
}

/// The contents of the memories: long words of two lanes. A lane is 0 if nothing was written, 1 for unrelated
/// data, and at least 2 for an element.
struct Image {
    words: Words,
    /// The numbers of the long words that hold elements.
    held: Vec<usize>,
}

const ELSE: u64 = 1 << 32 | 1;

/// The image in which every element has its own number.
fn packed(placement: &Placement) -> Image {
    assert_eq!(placement.lanes(), Some(2));
    let (mut words, mut held) = (Words::default(), Vec::new());
    let (firsts, copies) = places(placement);
    for (element, (first, lane)) in (2..).zip(firsts) {
        for copy in &copies {
            let word = words.at(first + copy);
            if *word == 0 {
                held.push(first + copy);
                *word = ELSE;
            }
            *word += (element - 1) << (32 * lane);
        }
    }
    Image { words, held }
}

fn indexes(shape: &[u64]) -> Vec<Vec<u64>> {
    shape.iter().fold(vec![Vec::new()], |all, extent| {
        let longer = |index: &Vec<u64>, i: u64| index.iter().copied().chain([i]).collect();
        all.iter().flat_map(|index| (0..*extent).map(move |i| longer(index, i))).collect()
    })
}

/// A beat of a movement, according to its table: the number of long words in the upper and in the lower
/// memory, and the target of each long word of the upper one: units below, each with the number that are taken
/// together, and the address there. A unit is `None` if all of them get it or one is named.
type Beat = (u64, u64, fn(u64) -> ([Option<(u64, u64)>; 4], u64));

fn beat(name: &str) -> Beat {
    match name {
        "l2bmb" | "l2bm@b" | "mvp" | "mvb2" => (16, 16, |r| ([None; 4], r)),
        "mvb" => (8, 8, |r| ([None; 4], r)),
        "l2bmd" => (64, 8, |r| ([None, Some((r / 8, 1)), None, None], r % 8)),
        "l2bmb2" => (64, 16, |r| ([None, Some((r / 16, 2)), None, None], r % 16)),
        "l1bmp" => (1, 1, |r| ([None; 4], r)),
        "l1bmm" | "l1bmm@m" => (4, 1, |r| ([None, None, None, Some((r, 1))], 0)),
        "l1bmm4" | "l1bmm4@m" => {
            (32, 2, |r| ([None, None, Some((r / 8, 4)), Some((r % 4, 1))], r / 4 % 2))
        }
        "l1bmd" => (64, 1, |r| ([None, None, Some((r / 4, 1)), Some((r % 4, 1))], 0)),
        "mvd" => (128, 16, |r| ([Some((r / 16, 1)), None, None, None], r % 16)),
        // The group of the upper memory counts too: see `follows`.
        "mvb4" => (32, 64, |r| ([None; 4], r % 16)),
        other => panic!("{other} is not in the table"),
    }
}

/// True if the movement can send a long word from one place of the upper memory to one of the lower, provided
/// that each beat goes to its target.
fn follows(hop: &Hop, beat: &Beat, upper: (Node, u64), lower: (Node, u64)) -> bool {
    let movement = hop.movement.as_ref().unwrap();
    let (upper_beat, lower_beat, map) = *beat;
    let (units, address) = map(upper.1 % upper_beat);
    let right = (0..units.len()).all(|at| units[at].is_none_or(|(n, of)| lower.0[at] / of == n));
    // Within the group, the L2B or the L1B of the upper memory.
    let inside = match (movement.across, movement.upper.as_str()) {
        (true, _) => true,
        (_, "DRAM" | "PDM") => upper.0[0] / 2 == lower.0[0] / 2,
        (_, "L2BM") => upper.0[0] == lower.0[0],
        _ => upper.0[..2] == lower.0[..2],
    };
    if movement.name == "mvb4" {
        let address = 16 * (upper.0[0] / 2) + upper.1 % 16;
        return lower.0[0] % 2 == upper.1 % 32 / 16 && lower.1 % 64 == address;
    }
    right && inside && lower.1 % lower_beat == address % lower_beat
}

/// Moves the contents of a memory by the map of a hop, beat by beat; data next to the elements of a beat
/// moves with them. Panics if the movement cannot do that.
fn moved(hop: &Hop, before: &Words) -> Words {
    let map = hop.map.as_ref().unwrap();
    let copies = copies(map);
    let levels = hop.source.with_copies().used_levels().to_vec();
    let (from, to) = (hop.reads().0, hop.writes().0);
    let name = &hop.movement.as_ref().unwrap().name;
    let table = beat(name);
    let goes_up = memory(&hop.source) == hop.movement.as_ref().unwrap().lower;
    let (source_beat, target_beat) = if goes_up { (table.1, table.0) } else { (table.0, table.1) };
    let (mut after, mut written) = (Words::default(), Words::default());
    let mut sent = HashSet::new();
    for (node, address) in packed(&hop.source).held.into_iter().map(node_at) {
        let beat = (address - from) / source_beat;
        if !sent.insert(at(node, beat)) {
            continue;
        }
        // Two beats with one target overwrite each other, unless they are copies, only one of which is sent.
        let from_beat = 1 + at(in_step(goes_up, name, node), beat) as u64;
        for address in beat * source_beat..(beat + 1) * source_beat {
            let coordinate = |level: &Level| match *level {
                Level::ADDR => address,
                Level::W => 0,
                level => node[UNITS.iter().position(|(of, _)| *of == level).unwrap()],
            };
            let index: Vec<u64> = levels.iter().map(coordinate).collect();
            let word = before.get(at(node, from + address)).max(ELSE);
            let first = number(&map.locate(&index).unwrap());
            for there in copies.iter().map(|copy| node_at(first + copy)) {
                let ends = ((node, address), there);
                let (upper, lower) = if goes_up { (ends.1, ends.0) } else { ends };
                assert!(follows(hop, &table, upper, lower), "{name}: {upper:?} {lower:?}");
                let beat_there = written.at(at(there.0, there.1 / target_beat));
                if *beat_there == 0 {
                    *beat_there = from_beat;
                }
                let to = at(there.0, there.1 + to);
                assert!(*beat_there == from_beat || after.get(to) == word, "{name}: {there:?}");
                *after.at(to) = word;
            }
        }
    }
    after
}

/// The units that send together: those that an upward movement puts side by side count as one.
fn in_step(goes_up: bool, name: &str, node: Node) -> Node {
    let mut node = node;
    let together: &[usize] = match (goes_up, name) {
        (true, "l2bmd") => &[1],
        (true, "l1bmd") => &[2, 3],
        (true, "l1bmm@m" | "l1bmm4@m") => &[3],
        (true, "mvd") | (false, "mvb4") => &[0],
        _ => &[],
    };
    together.iter().for_each(|at| node[*at] = 0);
    if name == "l1bmm4@m" {
        node[2] %= 4;
    }
    node
}

pub(crate) fn memory(placement: &Placement) -> &str {
    placement.memory().unwrap().0
}

/// Every element is in every place of the target.
pub(crate) fn judge(route: &Route, source: &Placement, target: &Placement) {
    let arrived = route.hops().iter().fold(packed(source).words, |held, hop| moved(hop, &held));
    let Image { words, held } = packed(target);
    for at in held {
        for lane in [0, 32] {
            let [wanted, found] =
                [words.get(at), arrived.get(at)].map(|word| word >> lane & 0xffff_ffff);
            assert!(
                wanted < 2 || wanted == found,
                "{:?} {:?} lane {lane}",
                route.names(),
                node_at(at)
            );
        }
    }
}

/// Each published conversion, the names of its movements, and the number of issues of each; an issue between
/// L2BM and LM takes 4 cycles. Source: the table of known conversions.
const PUBLISHED: [(&str, &str, &str); 6] = [
    (
        "((4_L2B:2, 64:8), (8:1, 2_W:1))",
        "((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1))",
        "mvp 2, l2bmd 1, l1bmm 1",
    ),
    (
        "((4_L2B:2, 64:8), (8:1, 2_W:1))",
        "((8_L2B:1, 32:2), (2:1, 4_PE:1, 2_W:1))",
        "mvp 2, l2bmb 8, l1bmm 16",
    ),
    (
        "((4_L2B:2, 64:8), (8:1, 2_W:1))",
        "((4_L2B:2, 64:2), (2:1, 4_PE:1, 2_W:1))",
        "mvb2 1, l2bmb 8, l1bmm 16",
    ),
    ("((4_L2B:2, 32:1, 2_W:1))", "((4_L2B:2, 32:1, 2_W:1))", "mvb2 1, l2bmb 1, l1bmp 8"),
    (
        "((4_L2B:2, 4:8), (8:1, 2_W:1))",
        "((16:2), (2:1, 4_PE:1, 2_W:1))",
        "mvp 4, mvb 1, l2bmb 4, l1bmm 4",
    ),
    (
        "((4_L2B:2, 4:512), (512:1, 2_W:1))",
        "((16:1), (8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1))",
        "mvp 4, mvb 1, l2bmd 32, l1bmd 4",
    ),
];

#[test]
fn published_conversions_are_routes_no_dearer_than_their_movements() {
    for (from, to, published) in PUBLISHED {
        let (source, target) = (on(from, "DRAM"), on(to, "LM0"));
        let route = Route::new(&source, &target).unwrap();
        let issues: BTreeMap<&str, u64> = published
            .split(", ")
            .map(|part| part.split_once(' ').unwrap())
            .map(|(name, issues)| (name, issues.parse().unwrap()))
            .collect();
        // To collect the words of all groups first may be cheaper than to move them between groups.
        assert!((0..=1).contains(&(route.hops().len() - issues.len())), "{from} -> {to}");
        for hop in route.hops().iter().filter(|hop| hop.is_from_maker()) {
            // Only the maker's own figures are binding.
            let name = &hop.movement.as_ref().unwrap().name[..];
            assert!(hop.cycles.is_none_or(|cycles| cycles <= 4 * issues[name]), "{name}: {hop:?}");
        }
        judge(&route, &source, &target);
    }
}

/// Returns whether all layouts of a route have the addresses that words are moved at here.
fn is_small(route: &Route) -> bool {
    let targets = route.hops().iter().map(|hop| &hop.target);
    [route.source()].into_iter().chain(targets).all(|side| side.footprint_words() <= ADDRESSES)
}

#[test]
fn layouts_that_lead_to_a_tensor_are_listed_cheapest_first_and_none_published_is_cheaper() {
    let mut listed = 0;
    for (from, to, _) in PUBLISHED {
        let (source, target) = (on(from, "DRAM"), on(to, "LM0"));
        let published = Route::new(&source, &target).unwrap().cycles().0;
        let routes = Route::from_memory("DRAM", &target).unwrap();
        assert!(routes.is_sorted_by_key(|route| route.cycles().0), "{to}");
        assert!(routes[0].cycles().0 <= published, "{to}");
        for route in routes.iter().filter(|route| is_small(route)).take(2) {
            assert_eq!(memory(route.source()), "DRAM");
            judge(route, route.source(), &target);
            listed += 1;
        }
        let back = Route::into_memory(&target, "DRAM").unwrap();
        assert!(back.is_sorted_by_key(|route| route.cycles().0), "{to}");
        for route in back.iter().filter(|route| is_small(route)).take(2) {
            let last = &route.hops().last().unwrap().target;
            assert_eq!(memory(last), "DRAM");
            judge(route, &target, last);
            listed += 1;
        }
    }
    assert!(listed > 15, "{listed}");
    let target = on(PUBLISHED[0].1, "LM0");
    let refused = Route::from_memory("SRAM", &target).unwrap_err().to_string();
    assert!(refused.starts_with("`SRAM` is not a memory of the machine `mn-core-2`"), "{refused}");
}

/// The cost by the rates of movements.
pub(crate) fn cost_of(source: &Placement, target: &Placement) -> Cost {
    let traffic = Relayout::new(source, target).unwrap().traffic().unwrap();
    let bits = source.element_bits().unwrap();
    CostModel::new(&Machine::mn_core_2(), bits).unwrap().of_traffic(&traffic).unwrap()
}

#[test]
fn a_tensor_that_one_movement_brings_costs_its_cycles() {
    let words = "((8_L2B, 8_L1B, 4096:1))@L1BM";
    for (source, target, names, cycles) in [
        // Each PE its own words, each PE of all MABs the same, all PEs the same.
        (words, "((8_L2B, 8_L1B, 64:1, 16_MAB, 4_PE))@LM0", ["l1bmd"], 64),
        (words, "((8_L2B, 8_L1B, 1024:1, 4_PE); B@[16_MAB:1])@LM0", ["l1bmm"], 512),
        (
            "((8_L2B, 8_L1B, 1024:1))@L1BM",
            "((8_L2B, 8_L1B, 1024:1); B@[16_MAB:1,4_PE:1])@LM0",
            ["l1bmp"],
            512,
        ),
        // Up again: from all PEs, and from one MAB.
        ("((8_L2B, 8_L1B, 64:1, 16_MAB, 4_PE))@LM0", words, ["l1bmd"], 64),
        ("((8_L2B, 8_L1B, 1024:1, 4_PE, 1_MAB))@LM0", words, ["l1bmm@m"], 512),
        ("((8_L2B, 4096:1))@L2BM", "((8_L2B, 64:8, 8_L1B, 8:1))@L1BM", ["l2bmd"], 64),
        // To all L1Bs, the same: 16 a cycle, which is what an L1BM takes.
        ("((8_L2B, 4096:1))@L2BM", "((8_L2B, 4096:1); B@[8_L1B:1])@L1BM", ["l2bmb"], 256),
        // One of two L2Bs at a time, at 16 a cycle; a movement without a figure is taken for as fast as any down, 16.
        ("((4_L2B:2, 4096:1))@DRAM", "((4_L2B:2, 4096:1))@L2BM", ["mvp"], 256),
    ] {
        let [from, to] = [source, target].map(|text| {
            let (layout, memory) = text.rsplit_once('@').unwrap();
            let placement = Placement::of(layout.parse().unwrap()).on(&Machine::mn_core_2());
            placement.memory(memory).element_bits(64).build().unwrap()
        });
        let route = Route::new(&from, &to).unwrap();
        assert_eq!((route.names(), route.cycles()), (names.to_vec(), (cycles, true)), "{target}");
        assert_eq!(cost_of(&from, &to).steps, cycles, "{target}");
    }
}

#[test]
fn a_hop_that_no_movement_makes_is_named_with_what_is_needed() {
    let (source, target) = (on("((4:1, 8:4, 2_W:1))", "L2BM"), on("((4:8, 8:1, 2_W:1))", "L1BM"));
    let refused = Route::by("l2bmb", &source, &target).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NoRoute);
    let needed = refused.fact("needed").unwrap().to_string().parse::<tensor_layout::Layout>();
    assert!(needed.is_ok(), "{refused}");
    assert!(
        refused.to_string().starts_with("no movement makes hop 1, L2BM to L1BM: `l2bmb` gives "),
        "{refused}"
    );
}

#[test]
fn movements_between_other_memories_are_refused_in_words() {
    let (dram, local) = (on("((64:1, 2_W:1))", "DRAM"), on("((64:1, 2_W:1))", "LM0"));
    let refused = |name: &str| Route::by(name, &dram, &local).unwrap_err().to_string();
    assert_eq!(
        refused("l1bmp"),
        "`l1bmp` moves from L1BM to LM0 and from L1BM to LM1, and the layouts are in DRAM and LM0"
    );
    assert_eq!(
        refused("l1bmr"),
        "movement `l1bmr` cannot be used: it adds up what the units have, so that another tensor arrives"
    );
    assert!(
        refused("lbmp").starts_with("`lbmp` is not a movement of this machine, which has mvp, ")
    );
}

#[test]
fn the_wrong_group_is_not_reached() {
    let (source, target) = (on("((1_L2B:1, 64:1, 2_W:1))", "DRAM"), "((64:1, 2_W:1))");
    let in_group = |l2b: u64| {
        let layout: tensor_layout::Layout = target.parse().unwrap();
        let placement = Placement::of(layout.with_offset(Level::L2B, l2b).unwrap());
        placement.on(&Machine::mn_core_2()).memory("L2BM").element_bits(32).build().unwrap()
    };
    assert_eq!(Route::by("mvp", &source, &in_group(1)).unwrap().names(), ["mvp"]);
    let refused = Route::by("mvp", &source, &in_group(2)).unwrap_err();
    assert_eq!(refused.number("hop"), Some(1), "{refused}");
    judge(&Route::new(&source, &in_group(2)).unwrap(), &source, &in_group(2));
}

#[test]
fn a_route_through_named_layouts_is_each_route_in_turn() {
    let source = on("((4_L2B:2, 64:8), (8:1, 2_W:1))", "DRAM");
    let between = on("((8_L2B:1, 32:8), (8:1, 2_W:1); B@[8_L1B:1])", "L1BM");
    let target = on("((8_L2B:1, 32:2), (2:1, 4_PE:1, 2_W:1))", "LM1");
    let route = Route::through([&source, &between, &target]).unwrap();
    assert_eq!(route.names(), ["mvp", "l2bmb", "l1bmm"]);
    assert_eq!(route.hops()[1].target, between);
    assert_eq!(route.cycles(), (80, true));
    judge(&route, &source, &target);
}

#[test]
fn elements_that_do_not_fill_a_long_word_take_the_movements_of_those_that_do() {
    let names = |bits: u64| {
        let on = |text: &str, memory: &str| {
            let placement = Placement::of(text.parse().unwrap()).on(&Machine::mn_core_2());
            placement.memory(memory).element_bits(bits).build().unwrap()
        };
        let source = on("((4_L2B:2, 64:8), (8:1))", "DRAM");
        let target = on("((8_L2B:1, 32:2), (2:1, 4_PE:1))", "LM1");
        let route = Route::new(&source, &target).unwrap();
        route.names().iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()
    };
    assert!(names(64).len() > 1);
    assert_eq!(names(24), names(64));
}

#[test]
fn a_sum_without_all_rates_is_a_lower_bound() {
    let (source, target) =
        (on("((64:1, 2_W:1))", "PDM"), on("((64:1, 2_W:1); B@[2_L2B:1])", "L2BM"));
    let route = Route::by("mvb2", &source, &target).unwrap();
    // 64 long words, at the 16 a cycle of the fastest movement into one L2BM.
    assert_eq!((route.hops()[0].cycles, route.cycles()), (None, (4, false)));
}

#[test]
fn a_hop_without_movements_counts_elements_at_the_memory_nearer_to_the_root() {
    let hangs = |owner| Memory { capacity: Some(64), owner, group: 1 };
    let machine = Machine::builder("m").level(Level::L2B, 2).level(Level::PE, 2);
    let machine = machine.memory("LM0", hangs(Level::PE)).memory("DRAM", hangs(Level::L2B));
    let machine = machine.build().unwrap();
    let on = |text: &str, memory: &str| {
        Placement::of(text.parse().unwrap()).on(&machine).memory(memory).build().unwrap()
    };
    // Eight elements in a DRAM, four in each of two LM0s, both with padding.
    let dram = on("(8)/((16:1))", "DRAM");
    let lm0 = on("(8)/((2_PE:1, 8:1))", "LM0");
    for (source, target) in [(&dram, &lm0), (&lm0, &dram)] {
        let route = Route::new(source, target).unwrap();
        let [hop] = route.hops() else { panic!("{route:?}") };
        assert_eq!((hop.upper_words, hop.lower_words), (8, 8));
    }
    let split = on("((2_PE:1, 4:1))", "LM0");
    let to_dram = Route::new(&split, &dram).unwrap();
    let hop = &to_dram.hops()[0];
    assert_eq!((hop.upper_words, hop.lower_words), (8, 4));
    assert_eq!(
        Route::by("mvp", &split, &dram).unwrap_err().to_string(),
        "`mvp` is not a movement of this machine, which is described without movements"
    );
    let empty = (on("(0)/((16:1))", "DRAM"), on("(0)/((2_PE:1, 8:1))", "LM0"));
    let nothing = Route::new(&empty.0, &empty.1).unwrap();
    let hop = &nothing.hops()[0];
    assert_eq!((hop.upper_words, hop.lower_words), (0, 0));
}

#[test]
fn the_hop_that_reorders_may_be_any_of_the_route() {
    let source = on("((8:4, 4:1, 1_L2B:1))", "L2BM");
    let target = on("((2:1, 4:2, 4_PE:1, 1_MAB:1); B@[8_L1B:1,8_L2B:1])", "LM0");
    judge(&Route::new(&source, &target).unwrap(), &source, &target);
}
