//! The route that is chosen where several movements lead to the same layout.

use itertools::Itertools;
use tensor_layout::machine::{Direction, Memory, Movement, MovementKind};
use tensor_layout::route::Route;
use tensor_layout::{Level, Machine, Placement};

/// Three memories, and movements down from each to the next at these rates.
fn machine(rates: [[u64; 2]; 2]) -> Machine {
    let memory = |owner| Memory { capacity: Some(1 << 16), owner, group: 1 };
    let machine =
        Machine::builder("m").level(Level::L2B, 2).level(Level::MAB, 2).level(Level::PE, 2);
    let machine = machine.memory("Top", memory(Level::L2B)).memory("Middle", memory(Level::MAB));
    let ends = [(("Top", "Middle"), "((2_MAB:1))"), (("Middle", "LM0"), "((2_PE:1))")];
    let movements = ends.iter().zip(rates).flat_map(|((ends, map), rates)| {
        rates.into_iter().map(move |rate| {
            let kind = MovementKind::named("distribute").unwrap();
            let mut movement =
                Movement::new(&format!("{}{rate}", ends.0), *ends, Direction::Down, kind);
            (movement.map, movement.rates) = (Some((*map).into()), (Some(rate), None));
            movement
        })
    });
    machine.memory("LM0", memory(Level::PE)).movements(movements).build().unwrap()
}

#[test]
fn the_cheapest_movements_lead_to_a_layout_on_the_way() {
    for (first, second) in [[1, 8], [8, 1]].into_iter().cartesian_product([[1, 8], [8, 1]]) {
        let machine = machine([first, second]);
        let on = |text: &str, memory: &str| {
            let placement = Placement::of(text.parse().unwrap()).on(&machine).memory(memory);
            placement.element_bits(64).build().unwrap()
        };
        let source = on("((2_L2B:1, 64:1))", "Top");
        let target = on("((2_L2B:1, 16:1, 2_PE:1, 2_MAB:1))", "LM0");
        let route = Route::new(&source, &target).unwrap();
        assert_eq!(route.names(), ["Top8", "Middle8"], "{first:?} {second:?}");
    }
}

#[test]
fn a_movement_within_one_memory_is_a_route_of_one_hop() {
    let kind = MovementKind::named("same to all").unwrap();
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
