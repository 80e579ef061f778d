//! Law 6: every grade of equality agrees with enumeration, and every "no" has a witness.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tensor_layout::algebra::Difference;
use tensor_layout::{Level, Location};

use crate::generate::good_layout;
use crate::pairs::pair;
use crate::run::{Tally, laws};
use crate::slow::{Axis, Slow, cut_to, land};

laws! {
    layouts_are_the_same_map_if_every_place_answers_alike: 900, 100 %, pair(), same_map;
    layouts_are_the_same_up_to_padding_if_every_element_has_the_same_places:
        700, 100 %, pair(), same_up_to_padding;
    a_layout_serves_another_if_its_places_contain_those_of_the_other: 700, 100 %, pair(), serves;
    a_layout_serves_its_leading_slices: 300, 95 %, (good_layout(), 0_u64..3), leading_slices;
}

type Places = BTreeSet<Location>;

fn same_map((a, b): &(Slow, Slow), tally: &mut Tally) -> Result<(), TestCaseError> {
    let (x, y) = (a.layout(), b.layout());
    let answer = tally.answer(x.same_map(&y))?;
    prop_assert_eq!(answer.is_none(), a.same_map(b), "{:?}", answer);
    match answer {
        Some(Difference::Place { place, first, second }) => {
            prop_assert_ne!(&first, &second);
            prop_assert!(a.found(&a.contents(), &place).contains(&first), "{} {:?}", place, first);
            prop_assert!(
                b.found(&b.contents(), &place).contains(&second),
                "{} {:?}",
                place,
                second
            );
        }
        Some(difference) => witness(a, b, &difference, |p, q| p != q)?,
        None => {}
    }
    Ok(())
}

/// True if `agree` holds for the two place sets of every index.
fn each(a: &Slow, b: &Slow, agree: impl Fn(&Places, &Places) -> bool) -> bool {
    let agrees = |index: &Vec<u64>| agree(&a.place_set(index), &b.place_set(index));
    a.shape() == b.shape() && a.indexes().iter().all(agrees)
}

fn same_up_to_padding((a, b): &(Slow, Slow), tally: &mut Tally) -> Result<(), TestCaseError> {
    let answer = tally.answer(a.layout().same_up_to_padding(&b.layout()))?;
    prop_assert_eq!(answer.is_none(), each(a, b, |p, q| p == q), "{:?}", answer);
    answer.map_or(Ok(()), |difference| witness(a, b, &difference, |p, q| p != q))
}

fn serves((a, b): &(Slow, Slow), tally: &mut Tally) -> Result<(), TestCaseError> {
    let used = a.used();
    // A level that `a` does not use holds a copy on every unit; one that only `a` uses demands more.
    let contains = |p: &Places, q: &Places| {
        used.is_subset(&b.used()) && q.iter().all(|place| p.contains(&cut_to(place, &used)))
    };
    let answer = tally.answer(a.layout().serves(&b.layout()))?;
    prop_assert_eq!(answer.is_none(), each(a, b, contains), "{:?}", answer);
    answer.map_or(Ok(()), |difference| witness(a, b, &difference, |p, q| !contains(p, q)))
}

/// Copies in every other L1B, written as a leading axis.
fn leading_slices((slow, at): &(Slow, u64), tally: &mut Tally) -> Result<(), TestCaseError> {
    let mut copied = slow.clone();
    copied.axes.insert(0, Axis::new(3, [land(3, Level::L1B, 2)]));
    let layout = copied.layout();
    let slice = tally.answer(layout.slice(0, *at, at + 1, 1).and_then(|one| one.drop_axis(0)))?;
    prop_assert_eq!(tally.answer(layout.serves(&slice))?, None);
    let between = slice.with_offset(Level::L1B, 1).unwrap();
    let answer = tally.answer(layout.serves(&between))?;
    prop_assert_eq!(answer.is_some(), slow.elements() > 0, "{:?}", answer);
    Ok(())
}

/// The two sides of a difference are the places in each layout, and they differ.
fn witness(
    a: &Slow,
    b: &Slow,
    difference: &Difference,
    differs: impl Fn(&Places, &Places) -> bool,
) -> Result<(), TestCaseError> {
    const SHOWN: u64 = 64;
    match difference {
        Difference::Shapes(first, second) => {
            prop_assert!(first != second);
            prop_assert_eq!((first, second), (&a.shape(), &b.shape()));
        }
        Difference::Element { index, first, second } => {
            let (p, q) = (a.place_set(index), b.place_set(index));
            prop_assert!(differs(&p, &q), "{:?}", index);
            for (slow, shown, all) in [(a, first, p), (b, second, q)] {
                let few: Places = shown.iter().cloned().collect();
                prop_assert!(few.is_subset(&all) && shown.len() as u64 == slow.copies().min(SHOWN));
                prop_assert!(slow.copies() > SHOWN || few == all);
            }
        }
        Difference::Levels(first, second) => {
            prop_assert_ne!(first, second);
            prop_assert!(a.used().iter().eq(first) && b.used().iter().eq(second));
        }
        other @ Difference::Place { .. } => prop_assert!(false, "{:?}", other),
    }
    Ok(())
}
