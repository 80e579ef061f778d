//! Layouts on machines: what fits, what lies beyond, and when two placements are equal.

use std::collections::HashSet;

use tensor_layout::algebra::Subaxis;
use tensor_layout::machine::Memory;
use tensor_layout::{Found, Layout, Level, Machine, Placement};

#[test]
fn a_placement_is_a_value() {
    let on = |text: &str, machine: &str, base: u64| {
        let layout = text.parse().unwrap();
        Placement::of(layout).on(&machine.parse().unwrap()).base(base).build().unwrap()
    };
    let all = [
        on("((4_PE, 3:1))", "PE=4", 0),
        on("((4_PE, 3:1))", "PE=4", 0),
        on("((4_PE, 3:1))", "PE=4", 1),
        on("((4_PE, 3:1))", "PE=8", 0),
        on("((12:1))", "PE=4", 0),
        on("((12:1))", "MAB=2,PE=4", 0),
        on("((12:1))", "PE=4,MAB=2", 0),
    ];
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len() - 1);
}

#[test]
fn a_span_has_to_fit_as_padding_has() {
    let memory = |words| {
        let memory = Memory { capacity: Some(words), owner: Level::PE, group: 1 };
        Machine::builder("test").level(Level::PE, 4).memory("M", memory).build().unwrap()
    };
    let layout: Layout = "((4_PE, 3:8))".parse().unwrap();
    let spanned = |level, span| layout.to_builder().span(level, span).build().unwrap();
    let place = |layout: Layout, words| Placement::of(layout).on(&memory(words)).memory("M");
    let refused = place(spanned(Level::ADDR, 23), 19).build().unwrap_err();
    assert_eq!(
        refused.to_string(),
        "memory `M` holds 19 long words, but the layout reaches address 22"
    );
    let refused = place(spanned(Level::PE, 5), 19).build().unwrap_err();
    assert_eq!((refused.number("size"), refused.number("reach")), (Some(4), Some(4)));
    // A layout that fits: the placement and its program agree.
    let placement = place(spanned(Level::ADDR, 23), 23).build().unwrap();
    assert_eq!(placement.footprint_words(), 23);
    let found = |address: u64| {
        let place = [(Level::PE, 0), (Level::ADDR, address)].into_iter().collect();
        (placement.element(&place).unwrap(), placement.program().unwrap().element(address))
    };
    assert_eq!(found(22), (Found::Hole, Ok(Found::Hole)));
    assert_eq!(found(23).0, Found::Outside);
}

#[test]
fn an_oversized_placement_finds_what_lies_beyond_the_machine() {
    let layout: Layout = "((8_PE, 3:8))".parse().unwrap();
    let placement = Placement::of(layout).on(&"PE=4".parse().unwrap()).oversized().build();
    let placement = placement.unwrap();
    let program = placement.program().unwrap();
    for number in 0..24 {
        let place = placement.locate(&[number]).unwrap();
        assert_eq!(placement.element(&place), Ok(Found::Element(vec![number])));
        let packed = program.place(&[number]).unwrap();
        assert_eq!(program.element(packed), Ok(Found::Element(number)));
        assert_eq!(program.location(packed), place);
    }
    let last = placement.table().at(&"PE=7".parse().unwrap());
    assert!(last.is_ok() && placement.table().at(&"PE=8".parse().unwrap()).is_err());
}

#[test]
fn whether_elements_share_places_does_not_depend_on_what_was_allowed() {
    let allowed = |text: &str| Placement::of(text.parse().unwrap()).shared_places().build();
    let apart = allowed("((4_PE, 3:1))").unwrap();
    assert_eq!(apart.element(&"PE=1,Addr=2".parse().unwrap()), Ok(Found::Element(vec![5])));
    let layout = Layout::builder().axis(4, [Subaxis::land(4, Level::ADDR, 0)]);
    let layout = layout.build().unwrap();
    let shared = Placement::of(layout.clone()).shared_places().build().unwrap();
    let refusal = shared.element(&"Addr=0".parse().unwrap()).unwrap_err();
    assert_eq!(Placement::of(layout).build().unwrap_err(), refusal);
}
