//! Law 17 for films: in every stage, a flyer is at the place of its element by the definition, and the parts
//! of a block have as many elements as move from one unit to another.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tensor_layout::relayout::{Distance, Relayout};
use tensor_layout::{Level, Location, Placement};
use tensor_layout_show::{Cell, Drawing, Film, Flyer, Spot};

use super::law_17_relayout::{Pair, placements};
use crate::run::{Tally, laws};
use crate::slow::{Slow, count};
use crate::stage::{Placed, Stage, good_placement};

laws! {
    flyers_are_where_the_definition_puts_their_elements: 150, 75 %, placements(), pairs;
    flyers_of_one_layout_are_where_the_definition_puts_them: 150, 75 %, good_placement(), alone;
    parts_are_as_many_elements_as_go_from_unit_to_unit: 150, 40 %, placements(), parts;
}

/// The tensor, then each layout.
type Sides<'a> = [&'a Placed];

fn pairs((stage, a, b): &Pair, tally: &mut Tally) -> Result<(), TestCaseError> {
    let (from, to) = (stage.place(a).unwrap(), stage.place(b).unwrap());
    let Ok(film) = tally.count(Drawing::new(&from).film(&[&Drawing::new(&to)])) else {
        return Ok(());
    };
    let sides = [&Placed::new(stage, a), &Placed::new(stage, b)];
    if !is_of_elements(&film) {
        return check_parts(&film, &sides, a);
    }
    check_elements(&film, &sides, a)?;
    check_crossing(&film, &from, &to)
}

fn alone((stage, slow): &(Stage, Slow), tally: &mut Tally) -> Result<(), TestCaseError> {
    let placement = stage.place(slow).unwrap();
    let Ok(film) = tally.count(Drawing::new(&placement).film(&[])) else { return Ok(()) };
    let sides = [&Placed::new(stage, slow)];
    match is_of_elements(&film) {
        true => check_elements(&film, &sides, slow),
        false => check_parts(&film, &sides, slow),
    }
}

fn parts((stage, a, b): &Pair, tally: &mut Tally) -> Result<(), TestCaseError> {
    let (from, to) = (stage.place(a).unwrap(), stage.place(b).unwrap());
    // So few blocks that most tensors are large.
    let large = |placement| Drawing::new(placement).most_blocks(2);
    let (before, after) = (large(&from), large(&to));
    let Ok(film) = tally.count(before.film(&[&after])) else { return Ok(()) };
    let _ = film.to_html();
    match is_of_elements(&film) {
        true => Ok(()),
        false => check_parts(&film, &[&Placed::new(stage, a), &Placed::new(stage, b)], a),
    }
}

fn cell<'a>(film: &'a Film, stage: usize, spot: &Spot) -> &'a Cell {
    &film.stages[stage].panels[spot.panel].cells[spot.cell]
}

fn place(cell: &Cell) -> Location {
    cell.places.iter().map(|(level, span)| (*level, span.only().unwrap())).collect()
}

/// True if memories are drawn place by place.
fn is_of_elements(film: &Film) -> bool {
    let cells = film.stages[1..].iter().flat_map(|stage| &stage.panels).flat_map(|p| &p.cells);
    cells.flat_map(|cell| &cell.places).any(|(level, _)| *level == Level::ADDR)
}

fn index(flyer: &Flyer) -> Vec<u64> {
    flyer.indexes.iter().map(|range| range.start).collect()
}

/// In every stage, the occupied spots are the places of all copies of all elements.
fn check_elements(film: &Film, sides: &Sides<'_>, slow: &Slow) -> Result<(), TestCaseError> {
    for flyer in &film.flyers {
        prop_assert_eq!(&cell(film, 0, &flyer.path[0]).indexes, &flyer.indexes);
        prop_assert!(flyer.path.len() > 1);
    }
    for (stage, placed) in (1..).zip(sides) {
        let at = |flyer: &Flyer| {
            let spot = flyer.path.get(stage)?;
            Some((index(flyer), place(cell(film, stage, spot))))
        };
        let taken: Vec<(Vec<u64>, Location)> = film.flyers.iter().filter_map(at).collect();
        let places = slow.indexes().into_iter().flat_map(|index| {
            placed.stored_places(&index).into_iter().map(move |place| (index.clone(), place))
        });
        let expected: BTreeSet<_> = places.collect();
        prop_assert_eq!(&taken.iter().cloned().collect::<BTreeSet<_>>(), &expected);
        // In the last stage, each place has one flyer.
        prop_assert!(stage < sides.len() || taken.len() == expected.len());
    }
    Ok(())
}

/// The number of flyers with edges equals the number of copies that leave their unit.
fn check_crossing(film: &Film, from: &Placement, to: &Placement) -> Result<(), TestCaseError> {
    let traffic = Relayout::new(from, to).unwrap().traffic().unwrap();
    prop_assert_eq!(&film.hops, &vec![traffic.by_distance.clone()]);
    let arrived: Vec<&Flyer> = film.flyers.iter().filter(|flyer| flyer.path.len() == 3).collect();
    if arrived.len() as u64 != traffic.elements * traffic.copies {
        return Ok(()); // Time slices that only one of the layouts distinguishes.
    }
    for (distance, count) in traffic.by_distance {
        if let Distance::Level(level) = distance {
            let crossing = arrived.iter().filter(|flyer| flyer.crosses == Some(level));
            prop_assert_eq!(crossing.count() as u64, count);
        }
    }
    Ok(())
}

/// Checks each element: a part is the set of elements that move from one unit to one other.
fn check_parts(film: &Film, sides: &Sides<'_>, slow: &Slow) -> Result<(), TestCaseError> {
    let mut units = film.stages[1].panels.iter().flat_map(|panel| &panel.cells);
    let level = units.find_map(|cell| cell.places.first()).map(|(level, _)| *level);
    let coordinate = |place: &Location| level.map(|level| place.get(level).unwrap_or(0));
    let unit =
        |flyer: &Flyer, stage: usize| coordinate(&place(cell(film, stage, &flyer.path[stage])));
    for flyer in &film.flyers {
        let sizes: Vec<u64> = flyer.indexes.iter().map(|range| range.end - range.start).collect();
        let indexes = count(&sizes).into_iter().map(|at| -> Vec<u64> {
            at.iter().zip(&flyer.indexes).map(|(at, range)| at + range.start).collect()
        });
        let real = |index: &Vec<u64>| index.iter().zip(slow.shape()).all(|(at, end)| *at < end);
        let mut elements = 0;
        for index in indexes.filter(real) {
            let last = sides.last().unwrap().stored_places(&index);
            let here = |place: &&Location| coordinate(place) == unit(flyer, sides.len());
            let first = sides[0].stored_places(&index);
            let starts = first.iter().any(|place| coordinate(place) == unit(flyer, 1));
            elements += if starts { last.iter().filter(here).count() as u64 } else { 0 };
        }
        if level.is_some() {
            prop_assert_eq!(flyer.elements, elements, "{:?}", flyer);
        }
        prop_assert_eq!(
            flyer.crosses.is_some(),
            sides.len() > 1 && unit(flyer, 1) != unit(flyer, 2),
            "{:?}",
            flyer
        );
    }
    Ok(())
}
