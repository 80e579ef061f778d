//! Law 11 for parts: a restriction holds exactly the elements with the given coordinates.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tensor_layout::error::ErrorKind;
use tensor_layout::{LayoutError, Level, Location};

use crate::laws::law_11_edits::{Edits, edits};
use crate::run::{Tally, laws};
use crate::slow::Slow;

laws! {
    a_restriction_holds_the_elements_with_the_coordinates: 900, 53 %, edits(), restricted;
    a_projection_keeps_the_coordinates_of_one_level: 400, 100 %, edits(), projected;
}

fn chosen((f, _, other, numbers): &Edits) -> (Level, u64) {
    let used: Vec<Level> = f.used().into_iter().collect();
    let level = used[other.index(used.len())];
    (level, numbers[1] % f.extent(level))
}

fn restricted(edits: &Edits, tally: &mut Tally) -> Result<(), TestCaseError> {
    let f = &edits.0;
    let (level, coordinate) = chosen(edits);
    let at: Location = [(level, coordinate)].into_iter().collect();
    let holds = |place: &Location| place.get(level) == Some(coordinate);
    let part = match tally.count(f.layout().restrict(&at)) {
        Ok(part) => part,
        Err(error) => return judge(f, level, coordinate, &error),
    };
    let (layout, indexes) = (Slow::of(&part.layout), Slow::of(&part.indexes));
    let mut seen = BTreeSet::new();
    for index in layout.indexes() {
        let whole = indexes.places(&index).remove(0);
        let whole: Vec<u64> =
            (0..f.rank()).map(|axis| whole.get(Level::axis(axis)).unwrap()).collect();
        // The level is gone; `Addr` is always there, at 0.
        let cut = |place: Location| -> Location {
            let rest = place.iter().filter(|(of, _)| *of != level);
            rest.chain((level == Level::ADDR).then_some((level, 0))).collect()
        };
        let held: BTreeSet<Location> =
            f.places(&whole).into_iter().filter(holds).map(cut).collect();
        prop_assert_eq!(layout.place_set(&index), held);
        prop_assert!(seen.insert(whole));
    }
    let there = f.indexes().into_iter().filter(|index| f.places(index).iter().any(holds));
    prop_assert_eq!(seen, there.collect::<BTreeSet<_>>());
    Ok(())
}

/// A restriction fails if its elements are not a box of digits: not a product of sets of entries, or digits
/// that produce the coordinate in several ways, or in none.
fn judge(
    f: &Slow,
    level: Level,
    coordinate: u64,
    error: &LayoutError,
) -> Result<(), TestCaseError> {
    let simple = Slow::of(&f.layout().simplified());
    let solutions = simple.settings_at(level, coordinate);
    match (error.kind(), error.number("coordinate")) {
        (ErrorKind::OutOfRange, _) => prop_assert_eq!(solutions, 0, "{}", error),
        (ErrorKind::CannotRestrict, Some(_)) => prop_assert!(solutions > 1, "{}", error),
        (ErrorKind::CannotRestrict, None) => prop_assert!(!simple.derived.is_empty(), "{}", error),
        _ => return Err(TestCaseError::fail(error.to_string())),
    }
    Ok(())
}

fn projected(edits: &Edits, tally: &mut Tally) -> Result<(), TestCaseError> {
    let f = &edits.0;
    let (level, _) = chosen(edits);
    let projected = f.layout().project(level);
    tally.sure();
    let projected = Slow::of(&projected);
    prop_assert_eq!(projected.used(), [level, Level::ADDR].into_iter().collect());
    prop_assert_eq!(projected.span(level), f.span(level));
    for index in f.indexes() {
        let expected: BTreeSet<_> = f.places(&index).iter().map(|place| place.get(level)).collect();
        let found: BTreeSet<_> =
            projected.places(&index).iter().map(|place| place.get(level)).collect();
        prop_assert_eq!(found, expected);
    }
    Ok(())
}
