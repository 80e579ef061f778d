//! Law 12: slots are the product of the sizes of all landing digits; pads are the slots without an element.

use std::collections::BTreeSet;

use itertools::Itertools;
use proptest::prelude::*;
use tensor_layout::{Location, Placement};
use tensor_layout_show::report::Report;

use crate::generate::{any_layout, good_layout};
use crate::run::{Tally, laws};
use crate::slow::{Slow, To};

laws! {
    slots_and_pads_are_those_of_enumeration: 600, 100 %, any_layout(), counted;
    extents_and_used_coordinates_are_those_of_the_slots: 400, 100 %, any_layout(), extents;
    minimal_padding_keeps_the_elements_and_no_digit_can_be_smaller:
        400, 100 %, any_layout(), minimal;
    the_elements_of_units_are_those_of_enumeration: 200, 95 %, any_layout(), held;
    the_report_counts_what_enumeration_counts: 300, 95 %, good_layout(), reported;
}

fn counted(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let layout = slow.layout();
    prop_assert_eq!(layout.slots(), slow.slots());
    prop_assert_eq!(layout.elements(), slow.indexes().len() as u64);
    prop_assert_eq!(layout.copies(), slow.copies());
    let pads = tally.answer(layout.pads())?;
    prop_assert_eq!(pads, slow.pads());
    Ok(())
}

fn extents(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let layout = slow.layout();
    for level in slow.used() {
        let greatest = slow.contents().keys().map(|place| place.get(level).unwrap()).max();
        prop_assert_eq!(Some(layout.extent(level)), greatest.map(|greatest| greatest + 1));
        prop_assert_eq!(tally.answer(layout.used_in(level))?, slow.used_in(level));
    }
    Ok(())
}

fn minimal(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let trimmed = Slow::of(&tally.answer(slow.layout().with_minimal_padding())?);
    prop_assert_eq!(trimmed.shape(), slow.shape());
    prop_assert_eq!(trimmed.places_by_element(), slow.places_by_element());
    prop_assert!(trimmed.slots() <= slow.slots());
    let elements = slow.indexes();
    let digits: Vec<Vec<u64>> = elements.iter().map(|i| trimmed.digits(i).unwrap()).collect();
    let all = trimmed.axes.iter().flat_map(|axis| &axis.digits);
    for (at, digit) in all.enumerate().filter(|_| !elements.is_empty()) {
        if let To::Land(level, _) = digit.to
            && !level.is_unit()
        {
            let taken = digits.iter().map(|digits| digits[at]).max();
            prop_assert_eq!(taken, Some(digit.size - 1), "{:?}", digit);
        }
    }
    Ok(())
}

/// Units of the first few levels, and one that no element reaches.
fn held(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let layout = slow.layout();
    let places = slow.places_by_element().concat();
    for few in 0..=layout.used_levels().len() {
        let levels = &layout.used_levels()[..few];
        let unit = |place: &Location| -> Location {
            place.iter().filter(|(level, _)| levels.contains(level)).collect()
        };
        for (at, held) in places.iter().map(unit).counts().into_iter().sorted().take(8) {
            let Ok(found) = tally.count(layout.elements_at(&at)) else { continue };
            prop_assert_eq!(found, held as u64, "{}", at);
        }
        if let Some(last) = levels.last() {
            for beyond in [slow.extent(*last), u64::MAX] {
                let at = Location::from_iter([(*last, beyond)]);
                prop_assert_eq!(layout.elements_at(&at), Ok(0));
            }
        }
    }
    Ok(())
}

fn reported(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let placement = Placement::of(slow.layout()).build().unwrap();
    let report = tally.answer(Report::of(&placement))?;
    prop_assert_eq!((report.elements, report.copies), (slow.elements(), slow.copies()));
    let of_one_copy = |count: u64| count / slow.copies();
    prop_assert_eq!(report.slots, of_one_copy(slow.slots()));
    prop_assert_eq!(report.pads, of_one_copy(slow.pads()));
    let elements: BTreeSet<Location> = slow.places_by_element().into_iter().flatten().collect();
    let pads: BTreeSet<Location> = slow.pads_by_slot().into_iter().collect();
    let shared = pads.intersection(&elements).count() as u64;
    prop_assert_eq!(report.pads_on_elements, Some(shared));
    prop_assert!(report.shared.is_empty());
    for level in &report.levels {
        prop_assert_eq!(level.extent, slow.extent(level.level));
        prop_assert_eq!(level.used, Some(slow.used_in(level.level)));
        prop_assert_eq!(level.holes, Some(level.extent - slow.used_in(level.level)));
    }
    Ok(())
}
