//! The route that is chosen where several movements lead to the same layout.

use std::collections::BTreeSet;

use itertools::Itertools;
use tensor_layout::machine::{Direction, Memory, Movement, MovementKind};
use tensor_layout::route::Route;
use tensor_layout::{LayoutText, Level, Machine, Placement};

use crate::route_pairs::Draw;

/// Three memories, and movements down from each to the next at these rates.
fn machine(rates: [[u64; 2]; 2]) -> Machine {
    machine_with(rates, &[])
}

/// As [`machine`], with movements from the first memory to the last, by their maps and rates.
fn machine_with(rates: [[u64; 2]; 2], direct: &[(&str, Option<u64>)]) -> Machine {
    let memory = |owner| Memory { capacity: Some(1 << 16), owner, group: 1 };
    let machine =
        Machine::builder("m").level(Level::L2B, 2).level(Level::MAB, 2).level(Level::PE, 2);
    let machine = machine.memory("Top", memory(Level::L2B)).memory("Middle", memory(Level::MAB));
    let ends = [(("Top", "Middle"), "((2_MAB:1))"), (("Middle", "LM0"), "((2_PE:1))")];
    let movements = ends.iter().zip(rates).flat_map(|((ends, map), rates)| {
        rates.into_iter().map(move |rate| {
            let kind = MovementKind::Distribute;
            let mut movement =
                Movement::new(&format!("{}{rate}", ends.0), *ends, Direction::Down, kind);
            (movement.map, movement.rates) = (Some((*map).into()), (Some(rate), None));
            movement
        })
    });
    let direct = direct.iter().map(|(map, rate)| {
        let kind = MovementKind::Distribute;
        let mut movement = Movement::new("Direct", ("Top", "LM0"), Direction::Down, kind);
        (movement.map, movement.rates) = (Some((*map).into()), (*rate, None));
        movement
    });
    let movements = movements.chain(direct).collect_vec();
    machine.memory("LM0", memory(Level::PE)).movements(movements).build().unwrap()
}

/// The names and cycles of the route of 128 long words down such a machine.
fn down(machine: &Machine) -> (Vec<String>, (u64, bool)) {
    let on = |text: &str, memory: &str| {
        let placement = Placement::of(text.parse().unwrap()).on(machine).memory(memory);
        placement.element_bits(64).build().unwrap()
    };
    let source = on("((2_L2B:1, 64:1))", "Top");
    let target = on("((2_L2B:1, 16:1, 2_PE:1, 2_MAB:1))", "LM0");
    let route = Route::new(&source, &target).unwrap();
    (route.names().into_iter().map(str::to_owned).collect(), route.cycles())
}

#[test]
fn the_cheapest_movements_lead_to_a_layout_on_the_way() {
    for (first, second) in [[1, 8], [8, 1]].into_iter().cartesian_product([[1, 8], [8, 1]]) {
        let (names, _) = down(&machine([first, second]));
        assert_eq!(names, ["Top8", "Middle8"], "{first:?} {second:?}");
    }
}

/// The map of both movements of [`machine`] at once, and one that leads elsewhere.
const BOTH: &str = "((2_PE:1, 2_MAB:1))";
const ELSEWHERE: &str = "((2_MAB:1, 2_PE:1))";

#[test]
fn two_movements_are_the_route_where_one_takes_more_cycles() {
    for (rate, names, cycles) in
        [(4, vec!["Top8", "Middle8"], 12), (6, vec!["Direct"], 11), (64, vec!["Direct"], 1)]
    {
        let found = down(&machine_with([[1, 8], [1, 8]], &[(BOTH, Some(rate))]));
        assert_eq!(found, (names.into_iter().map(str::to_owned).collect(), (cycles, true)));
    }
}

#[test]
fn a_movement_without_a_rate_is_compared_at_the_least_between_its_memories() {
    let with = |known: &[u64]| {
        let others = known.iter().map(|rate| (ELSEWHERE, Some(*rate)));
        down(&machine_with([[1, 8], [1, 8]], &others.chain([(BOTH, None)]).collect_vec()))
    };
    // 16 cycles at the least rate, 1 at the greatest; the other way takes 12.
    assert_eq!(with(&[4, 64]), (vec!["Top8".into(), "Middle8".into()], (12, true)));
    assert_eq!(with(&[64]), (vec!["Direct".into()], (1, false)));
}

#[test]
fn a_movement_within_one_memory_is_a_route_of_one_hop() {
    let kind = MovementKind::SameToAll;
    let mut within = Movement::new("m", ("L", "L"), Direction::Both, kind);
    within.map = Some("((1:1))".into());
    let machine = Machine::builder("m").level(Level::PE, 4);
    let memory = Memory { capacity: Some(16), owner: Level::PE, group: 1 };
    let machine = machine.memory("L", memory).movements(vec![within]).build().unwrap();
    let on =
        |text: &str| Placement::of(text.parse().unwrap()).on(&machine).memory("L").build().unwrap();
    let (source, target) = (on("((4:1))"), on("((2:1, 2:2))"));
    assert_eq!(Route::by("m", &source, &target).unwrap().hops().len(), 1);
    assert_eq!(Route::new(&source, &target).unwrap().hops().len(), 1);
}

#[test]
fn where_no_movements_are_known_what_is_there_does_not_move() {
    let memory = Memory { capacity: Some(64), owner: Level::PE, group: 1 };
    let machine = Machine::builder("m").level(Level::PE, 4).memory("L", memory).build().unwrap();
    let on =
        |text: &str| Placement::of(text.parse().unwrap()).on(&machine).memory("L").build().unwrap();
    let hops = |from: &str, to: &str| Route::new(&on(from), &on(to)).unwrap().hops().len();
    assert_eq!(hops("((64:1))", "((8:8, 8:1))"), 0);
    assert_eq!(hops("((64:1))", "((8:1, 8:8))"), 1);
}

/// The addresses that elements have.
fn taken(placement: &Placement) -> BTreeSet<u64> {
    let layout = placement.with_copies();
    let places = layout.indexes().flat_map(|index| layout.locate_all(&index).unwrap());
    places.map(|place| place.get(Level::ADDR).unwrap_or(0)).collect()
}

#[test]
fn words_and_addresses_of_a_hop_are_those_of_elements_and_not_of_padding() {
    let hangs = |owner| Memory { capacity: None, owner, group: 1 };
    let machine = Machine::builder("m").level(Level::L2B, 1).level(Level::PE, 4);
    let machine = machine.memory("LM0", hangs(Level::PE)).memory("DRAM", hangs(Level::L2B));
    let machine = machine.build().unwrap();
    let on = |text: &str, memory: &str| {
        Placement::of(text.parse().unwrap()).on(&machine).memory(memory).build().unwrap()
    };
    let (mut draw, mut padded, mut derived, mut copied) = (Draw(38), 0, 0, 0);
    for round in 0..400 {
        let (mut texts, mut extents) = (Vec::new(), Vec::new());
        for _ in 0..1 + draw.below(3) {
            let sizes: Vec<usize> = (0..1 + draw.below(3)).map(|_| 2 + draw.below(3)).collect();
            let digit = |size: &usize| match draw.below(6) {
                0 => format!("{size}_PE:1"),
                at if round % 2 == 0 => format!("{size}:{}", [1, 4, 16, 64, 256][at - 1]),
                at => format!("{size}:{}", at * at),
            };
            texts.push(format!("({})", sizes.iter().map(digit).collect::<Vec<_>>().join(", ")));
            extents.push((1 + draw.below(sizes.iter().product())).to_string());
        }
        let copies = ["", "; B@[2_Addr:512]", "; B@[3_Addr:5]"][draw.below(3)];
        let mut text = format!("({})/({}{copies})", extents.join(","), texts.join(", "));
        // Two axes that feed a derived one.
        if let [rows, columns] = &extents[..]
            && round % 3 == 0
        {
            let tile = ["(*,4)", "(*,3)(2,1)", "(*,5)"][draw.below(3)];
            text = format!("f32[{rows},{columns}]{{1,0:T{tile}}}");
        }
        // Copies that meet are refused.
        let Ok(layout) = LayoutText::parse(&text).unwrap().lower() else { continue };
        let Ok(lm0) = Placement::of(layout).on(&machine).memory("LM0").build() else { continue };
        let shape = extents.join(",");
        let dram = ["64:1", "64:64", "64:4096"][..extents.len()].join("), (");
        let dram = on(&format!("({shape})/(({dram}))"), "DRAM");
        let Ok(route) = Route::new(&dram, &lm0) else { continue };
        let [hop] = route.hops() else { panic!("{route:?}") };
        let [from, to] = [&dram, &lm0].map(taken);
        let found = (hop.upper_words, hop.lower_words, hop.reads().1, hop.writes().1);
        let ends = [&from, &to].map(|taken| taken.last().unwrap() + 1);
        let [upper, lower] = [&from, &to].map(|taken| u64::try_from(taken.len()).unwrap());
        assert_eq!(found, (upper, lower, ends[0], ends[1]), "{text}");
        padded += usize::from(lm0.layout().used_in(Level::ADDR).unwrap() > lower);
        derived += usize::from(!lm0.layout().derived_axes().is_empty());
        copied += usize::from(lm0.layout().copies() > 1);
    }
    assert!(padded > 50, "{padded} of these layouts have padding at addresses of its own");
    assert!(derived > 20, "{derived} of these layouts have derived axes");
    assert!(copied > 20, "{copied} of these layouts have copies");
}
