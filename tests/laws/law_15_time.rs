//! Law 15: a layout with `Time` is a family of layouts, one per time slice.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use proptest::prelude::*;
use tensor_layout::{Level, Location, Placement};

use crate::generate::good_layout;
use crate::run::{Tally, laws};
use crate::slow::Slow;

laws! {
    the_slices_are_disjoint_and_together_hold_every_copy_once: 300, 100 %, timed(), slices;
}

fn timed() -> impl Strategy<Value = Slow> {
    good_layout().prop_filter("no time", |slow| slow.used().contains(&Level::TIME))
}

fn slices(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let placement = Placement::of(slow.layout()).build().unwrap();
    let mut seen: BTreeSet<Location> = BTreeSet::new();
    let mut rows = 0;
    for time in 0..slow.extent(Level::TIME) {
        let at = [(Level::TIME, time)].into_iter().collect();
        let table = tally.answer(placement.table().at(&at))?;
        let mut slice = Vec::new();
        let _ = tally.answer(table.for_each(|row| {
            slice.push((row.place.to_vec(), row.index.unwrap().to_vec()));
            ControlFlow::<()>::Continue(())
        }))?;
        for (place, index) in slice {
            let place: Location = placement.columns().iter().copied().zip(place).collect();
            prop_assert_eq!(place.get(Level::TIME), Some(time));
            prop_assert!(slow.places(&index).contains(&place));
            prop_assert!(seen.insert(place), "in two slices");
            rows += 1;
        }
    }
    prop_assert_eq!(rows, slow.elements() * slow.copies());
    Ok(())
}
