//! Law 3: `element` inverts `locate`; for every other place it returns padding, hole or outside.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index;
use tensor_layout::error::ErrorKind;
use tensor_layout::{Found, Layout, Level, Location};

use crate::generate::any_layout;
use crate::run::{Tally, laws};
use crate::slow::{Slow, count};

laws! {
    an_element_is_found_at_its_places_and_nowhere_else: 600, 100 %, probed(), found;
}

fn probed() -> impl Strategy<Value = (Slow, Vec<Index>)> {
    (any_layout(), prop::collection::vec(any::<Index>(), 40))
}

fn found((slow, probes): &(Slow, Vec<Index>), tally: &mut Tally) -> Result<(), TestCaseError> {
    let layout = slow.layout();
    let contents = slow.contents();
    let levels: Vec<Level> = slow.used().into_iter().collect();
    for place in contents.keys() {
        let answer = tally.answer(layout.element(place))?;
        prop_assert!(slow.found(&contents, place).contains(&answer), "{} has {:?}", place, answer);
    }
    // Every place of the spans if they are few, otherwise some of them, and some just outside.
    let spans: Vec<u64> = levels.iter().map(|level| slow.span(*level)).collect();
    let few = spans.iter().try_fold(1_u64, |all, span| all.checked_mul(*span));
    let places: BTreeSet<Vec<u64>> = match few.is_some_and(|all| all < 1000) {
        true => count(&spans).into_iter().collect(),
        false => probes.chunks(levels.len()).map(|probe| near(&spans, probe)).collect(),
    };
    for place in places.into_iter().filter(|place| place.len() == levels.len()) {
        let place: Location = levels.iter().copied().zip(place).collect();
        let answer = tally.answer(layout.element(&place))?;
        prop_assert!(slow.found(&contents, &place).contains(&answer), "{} has {:?}", place, answer);
    }
    for level in levels {
        prop_assert_eq!(layout.span(level), slow.span(level));
        let mut place: Location = slow.used().into_iter().map(|level| (level, 0)).collect();
        place.set(level, slow.span(level));
        prop_assert_eq!(layout.element(&place).unwrap(), Found::Outside);
    }
    Ok(())
}

fn near(spans: &[u64], probe: &[Index]) -> Vec<u64> {
    spans.iter().zip(probe).map(|(span, at)| at.index(*span as usize + 1) as u64).collect()
}

#[test]
fn only_an_address_that_is_always_0_may_be_left_out_of_a_place() {
    let at = |level, coordinate| -> Location { [(level, coordinate)].into_iter().collect() };
    let found = |axes: &str, place: Location| {
        let found = axes.parse::<Layout>().unwrap().element(&place);
        found.map_err(|error| (error.kind(), error.level("level")))
    };
    let missing = |level| Err((ErrorKind::Missing, Some(level)));
    assert_eq!(found("((4_PE, 1:1))", at(Level::PE, 2)), Ok(Found::Element(vec![2])));
    assert_eq!(found("((4_PE, 2:1))", at(Level::PE, 2)), missing(Level::ADDR));
    assert_eq!(found("((1_PE, 4:1))", at(Level::ADDR, 2)), missing(Level::PE));
    assert_eq!(found("((2_PE, 4:1))", at(Level::ADDR, 2)), missing(Level::PE));
}
