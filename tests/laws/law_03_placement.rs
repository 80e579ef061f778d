//! Law 3 on machines: a placement is built if it fits, and finds the contents of its memories.

use proptest::prelude::*;
use tensor_layout::Level;
use tensor_layout::error::ErrorKind;

use crate::generate::any_layout;
use crate::run::{Tally, laws};
use crate::slow::Slow;
use crate::stage::{Placed, Stage, StageDraw, good_placement, judge, stage};

laws! {
    a_placement_is_built_if_and_only_if_no_copies_come_together: 500, 40 %, staged(), built;
    a_placement_finds_what_its_memories_hold: 300, 100 %, good_placement(), found;
    a_layout_that_is_larger_than_the_machine_is_refused: 300, 100 %, staged(), too_large;
}

fn staged() -> impl Strategy<Value = (Slow, StageDraw)> {
    (any_layout(), stage())
}

fn built((slow, draw): &(Slow, StageDraw), tally: &mut Tally) -> Result<(), TestCaseError> {
    let mut slow = slow.clone();
    let Some(stage) = Stage::of(draw, &mut [&mut slow]) else { return Ok(()) };
    let placed = Placed::new(&stage, &slow);
    match tally.count(stage.place(&slow)) {
        Err(error) => judge(&placed, &error),
        Ok(placement) => {
            prop_assert!(placed.is_injective());
            prop_assert_eq!(placement.columns(), placed.columns());
            for index in slow.indexes().iter().take(1) {
                prop_assert_eq!(placement.copies(), placed.places(index).len() as u64);
            }
            let needed = if slow.elements() == 0 { 0 } else { placed.layout.span(Level::ADDR) };
            prop_assert_eq!(placement.footprint_words(), needed);
            Ok(())
        }
    }
}

fn found((stage, slow): &(Stage, Slow), tally: &mut Tally) -> Result<(), TestCaseError> {
    let placed = Placed::new(stage, slow);
    let placement = stage.place(slow).unwrap();
    let contents = placed.contents();
    for index in slow.indexes() {
        let mut all: Vec<_> = tally.answer(placement.locate_all(&index))?.collect();
        prop_assert_eq!(&placement.locate(&index).unwrap(), &all[0]);
        prop_assert_eq!(&all[0], &placed.places(&index)[0]);
        let mut expected = placed.places(&index);
        all.sort();
        expected.sort();
        prop_assert_eq!(all, expected);
    }
    for (level, _) in placement.machine().unwrap().levels() {
        let mut replicas = placed.spread.replicas.iter();
        // Copies in the units of a group coincide in its memory.
        if stage.memory.is_none_or(|(owner, group, _)| owner != level || group == 1) {
            let replicas = replicas.any(|replica| replica.1 == level);
            prop_assert_eq!(placement.replicated().contains(&level), replicas);
        }
    }
    for place in placed.all_places().unwrap_or_default() {
        let expected = placed.found(&contents, &place);
        prop_assert_eq!(tally.answer(placement.element(&place))?, expected, "{}", place);
    }
    for level in placed.columns() {
        let mut place = placement.locate(&vec![0; slow.rank()]).unwrap_or_default();
        if place.iter().count() == placed.columns().len() {
            place.set(level, placed.size(level));
            prop_assert_eq!(placement.element(&place).unwrap(), placed.found(&contents, &place));
        }
    }
    Ok(())
}

fn too_large((slow, draw): &(Slow, StageDraw), tally: &mut Tally) -> Result<(), TestCaseError> {
    let mut slow = slow.clone();
    let Some(stage) = Stage::of(draw, &mut [&mut slow]) else { return Ok(()) };
    if stage.place(&slow).is_err() {
        return Ok(());
    }
    let layout = Placed::new(&stage, &slow).layout;
    for level in layout.used() {
        let Some(size) = stage.size(level) else { continue };
        // Padding must fit as well.
        let longer = slow.moved(level, size - (layout.span(level) - 1));
        match stage.place(&longer) {
            Err(error) if error.kind() == ErrorKind::Limit => {
                let of = error.number("size").or_else(|| error.number("capacity"));
                prop_assert_eq!((of, error.number("reach")), (Some(size), Some(size)));
            }
            other => prop_assert!(false, "{:?}", other.err()),
        }
        tally.sure();
    }
    Ok(())
}
