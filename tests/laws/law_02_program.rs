//! Law 2 for compiled tables: every number of a program is the one that the definition gives.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::{ControlFlow, Range};

use proptest::prelude::*;
use tensor_layout::program::{Cell, Program, Run};
use tensor_layout::{Found, Level, Location, Placement};

use crate::run::{Tally, laws};
use crate::slow::Slow;
use crate::stage::{Placed, Stage, good_placement};

laws! {
    compiled_tables_are_the_definition: 250, 100 %, windowed(), tables;
    inverse_tables_are_the_definition: 250, 100 %, windowed(), inverses;
    packing_moves_every_copy_and_nothing_else: 250, 100 %, windowed(), packs;
    the_table_is_all_slots_in_the_order_of_their_places: 300, 100 %, windowed(), rows;
}

/// A placement, and the cuts of a window per axis, each modulo the extent + 1.
type Case = ((Stage, Slow), Vec<(u64, u64)>);

/// A placement, and a box of the tensor, often the complete tensor.
fn windowed() -> impl Strategy<Value = Case> {
    let cuts = prop::collection::vec((any::<u64>(), any::<u64>()), 0..7);
    (good_placement(), prop_oneof![1 => Just(Vec::new()), 2 => cuts])
}

/// A placement with all derived data.
struct Compiled {
    placed: Placed,
    program: Program,
    /// The indexes within the window, their first places, and the packed numbers of all their places.
    indexes: Vec<Vec<u64>>,
    firsts: Vec<Location>,
    numbers: Vec<Vec<u64>>,
}

fn compiled(((stage, slow), cuts): &Case, tally: &mut Tally) -> Result<Compiled, TestCaseError> {
    let placed = Placed::new(stage, slow);
    let whole = tally.answer(stage.place(slow).unwrap().program())?;
    let columns: Vec<(Level, u64)> = whole.columns().collect();
    // Addresses by the footprint, the other levels by the machine.
    let size = |level: Level| match level {
        Level::ADDR => placed.spread.span(level),
        _ => placed.memories(level),
    };
    let expected: Vec<_> = placed.columns().into_iter().map(|l| (l, size(l))).collect();
    prop_assert_eq!(&columns, &expected);
    let range = |(axis, extent): (usize, u64)| -> Range<u64> {
        let Some((a, b)) = cuts.get(axis) else { return 0..extent };
        let (a, b) = (a % (extent + 1), b % (extent + 1));
        a.min(b)..a.max(b)
    };
    let ranges: Vec<_> = slow.shape().into_iter().enumerate().map(range).collect();
    let program = tally.answer(whole.window(&ranges))?;
    let inside = |index: &Vec<u64>| index.iter().zip(&ranges).all(|(at, range)| range.contains(at));
    let all = slow.indexes().into_iter().zip(placed.places_by_element());
    let (indexes, places): (Vec<_>, Vec<_>) = all.filter(|(index, _)| inside(index)).unzip();
    let numbers = |places: &Vec<Location>| -> Vec<u64> {
        places.iter().map(|place| packed(&columns, &placed.numbered(place))).collect()
    };
    let numbers = places.iter().map(numbers).collect();
    let firsts = places.into_iter().map(|mut places| places.swap_remove(0)).collect();
    Ok(Compiled { placed, program, indexes, firsts, numbers })
}

/// Checks all answers of the program of this placement, with and without a window.
pub(crate) fn check_program(stage: &Stage, slow: &Slow, cuts: &[(u64, u64)]) {
    for cuts in [&[][..], cuts] {
        let case = ((stage.clone(), slow.clone()), cuts.to_vec());
        let tally = &mut Tally::default();
        let compiled = compiled(&case, tally).unwrap_or_else(|error| panic!("{slow:?}: {error}"));
        for law in [has_tables, has_inverses, has_packs] {
            law(&compiled, tally).unwrap_or_else(|error| panic!("{slow:?}: {error}"));
        }
    }
}

/// The packed number of a place.
pub(crate) fn packed(columns: &[(Level, u64)], place: &Location) -> u64 {
    columns.iter().fold(0, |sum, (level, size)| sum * size + place.get(*level).unwrap())
}

fn tables(case: &Case, tally: &mut Tally) -> Result<(), TestCaseError> {
    has_tables(&compiled(case, tally)?, tally)
}

fn has_tables(compiled: &Compiled, tally: &mut Tally) -> Result<(), TestCaseError> {
    let Compiled { program, indexes, firsts, numbers, .. } = compiled;
    prop_assert_eq!(program.elements(), indexes.len() as u64);
    let expected: Vec<u64> = numbers.iter().map(|places| places[0]).collect();
    let mut table = vec![0_u64; expected.len()];
    tally.answer(program.fill_packed(&mut table))?;
    prop_assert_eq!(&table, &expected);
    is_narrow::<u16>(program, &expected, 1 << 16)?;
    is_narrow::<i16>(program, &expected, 1 << 15)?;
    for ((index, place), number) in indexes.iter().zip(firsts).zip(&expected) {
        prop_assert_eq!(tally.answer(program.place(index))?, *number);
        prop_assert_eq!(&program.location(*number), place);
    }
    for (level, size) in program.columns() {
        let mut column = vec![0_u64; expected.len()];
        tally.answer(program.fill_column(level, &mut column))?;
        for (number, place) in column.iter().zip(firsts) {
            prop_assert_eq!(Some(*number), place.get(level));
            prop_assert!(*number / program.units_per_memory(level) < size);
        }
    }
    check_locator(program, indexes, firsts, tally)?;
    check_reach(program, numbers)?;
    check_runs(program, &expected)
}

/// The coordinates of many elements, in any order, are those of each.
fn check_locator(
    program: &Program,
    indexes: &[Vec<u64>],
    firsts: &[Location],
    tally: &mut Tally,
) -> Result<(), TestCaseError> {
    let rank = program.ranges().len();
    let entries = |axis: usize| indexes.iter().rev().map(|index| index[axis]).collect();
    let axes: Vec<Vec<u64>> = (0..rank).map(entries).collect();
    let axes: Vec<&[u64]> = axes.iter().map(Vec::as_slice).collect();
    let levels: Vec<Level> = program.columns().map(|(level, _)| level).collect();
    // Tables, and the functions in their place.
    for points in [u64::MAX, 2] {
        let mut columns = vec![vec![7; indexes.len()]; levels.len()];
        let mut cells: Vec<&mut [u64]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
        tally.answer(program.locator(points).locate(&axes, &mut cells))?;
        for (level, column) in levels.iter().zip(columns) {
            let expected = firsts.iter().rev().map(|place| place.get(*level).unwrap());
            prop_assert_eq!(column, expected.collect::<Vec<_>>(), "{}", level);
        }
    }
    Ok(())
}

/// A table of a narrower type has the same numbers, and is refused only if they do not fit.
fn is_narrow<T: Cell + Default + TryInto<u64>>(
    program: &Program,
    expected: &[u64],
    most: u64,
) -> Result<(), TestCaseError> {
    let mut narrow = vec![T::default(); expected.len()];
    if program.fill_packed(&mut narrow).is_err() {
        prop_assert!(program.places() > most);
        return Ok(());
    }
    let numbers: Vec<u64> = narrow.into_iter().filter_map(|cell| cell.try_into().ok()).collect();
    prop_assert_eq!(&numbers[..], expected);
    Ok(())
}

/// The reach contains all copies of the window, and is within the places.
fn check_reach(program: &Program, numbers: &[Vec<u64>]) -> Result<(), TestCaseError> {
    let reach = program.reach();
    prop_assert!(reach.end <= program.places(), "{:?} of {}", reach, program.places());
    prop_assert!(numbers.iter().flatten().all(|number| reach.contains(number)), "{:?}", reach);
    Ok(())
}

/// Every element occurs once, in its place, and no run could be extended.
fn check_runs(program: &Program, expected: &[u64]) -> Result<(), TestCaseError> {
    let runs: Vec<Run> = program.runs().collect();
    let inside = |level: Level| level == Level::ADDR || level == Level::W;
    let unit: u64 = program.columns().filter(|(l, _)| inside(*l)).map(|(_, size)| size).product();
    let mut places = Vec::new();
    for run in &runs {
        prop_assert_eq!(run.element, places.len() as u64);
        places.extend((0..run.length).map(|n| run.place + n * run.step));
        prop_assert_eq!(run.place / unit, places.last().unwrap() / unit);
    }
    prop_assert_eq!(&places, expected);
    for pair in runs.windows(2) {
        let last = pair[0].place + (pair[0].length - 1) * pair[0].step;
        let goes_on = pair[1].place > last
            && pair[1].place / unit == last / unit
            && (pair[0].length == 1 || pair[1].place - last == pair[0].step)
            && (pair[1].length == 1 || pair[1].place - last == pair[1].step);
        prop_assert!(!goes_on, "{:?}", pair);
    }
    Ok(())
}

/// The contents of each packed number within the window: the number of an element.
fn held(compiled: &Compiled) -> BTreeMap<u64, Found<u64>> {
    let columns: Vec<(Level, u64)> = compiled.program.columns().collect();
    let mut held = BTreeMap::new();
    for (place, indexes) in compiled.placed.contents() {
        let found = match indexes.first() {
            None => Found::Padding,
            // An element outside the window is a hole.
            Some(index) => {
                let number = compiled.indexes.binary_search(index);
                number.map_or(Found::Hole, |number| Found::Element(number as u64))
            }
        };
        held.insert(packed(&columns, &compiled.placed.numbered(&place)), found);
    }
    held
}

const FEW: u64 = 6000;

fn inverses(case: &Case, tally: &mut Tally) -> Result<(), TestCaseError> {
    has_inverses(&compiled(case, tally)?, tally)
}

fn has_inverses(compiled: &Compiled, tally: &mut Tally) -> Result<(), TestCaseError> {
    let program = &compiled.program;
    let held = held(compiled);
    for (place, expected) in &held {
        prop_assert_eq!(tally.answer(program.element(*place))?, *expected, "{}", place);
    }
    prop_assert_eq!(program.element(program.places()).unwrap(), Found::Outside);
    if program.places() > FEW {
        return Ok(());
    }
    let found = |place: u64| held.get(&place).copied().unwrap_or(Found::Hole);
    for place in 0..program.places() {
        prop_assert_eq!(tally.answer(program.element(place))?, found(place), "{}", place);
    }
    let cell = |found: Found<u64>| match found {
        Found::Element(number) => u32::try_from(number).unwrap(),
        Found::Padding => u32::MAX - 1,
        Found::Hole | Found::Outside => u32::MAX,
    };
    let whole: Vec<u32> = (0..program.places()).map(|place| cell(found(place))).collect();
    let mut table = vec![0_u32; whole.len()];
    tally.answer(program.fill_inverse(&mut table))?;
    prop_assert_eq!(&table, &whole);
    let mut signed = vec![0_i32; whole.len()];
    tally.answer(program.fill_inverse(&mut signed))?;
    let of_sign = |cell: &u32| match *cell {
        u32::MAX => i32::MAX,
        u32::PADDING => i32::PADDING,
        number => i32::try_from(number).unwrap(),
    };
    prop_assert_eq!(signed, whole.iter().map(of_sign).collect::<Vec<_>>());
    // The table of a part equals that part of the whole table, for any range of places and any fixed levels.
    let (places, third) = (whole.len(), whole.len() / 3);
    for range in [0..third, third..places - third / 2, places - third / 2..places] {
        let mut part = vec![0_u32; range.len()];
        let places = range.start as u64..range.end as u64;
        tally.answer(program.fill_inverse_within(places, &mut part))?;
        prop_assert_eq!(&part, &whole[range]);
    }
    let columns: Vec<(Level, u64)> = program.columns().collect();
    for (fixed, seed) in [(1, 0), (2, 5), (5, 3), (6, 1), (u32::MAX, 7_u64)] {
        let chosen = columns.iter().enumerate().filter(|(at, _)| fixed >> at & 1 == 1);
        let unit = |level: Level, at: u64| (level, at * program.units_per_memory(level));
        let at: Location = chosen.map(|(_, (level, size))| unit(*level, seed % size)).collect();
        let inside = |place: &u64| {
            let location = program.location(*place);
            at.iter().all(|(level, at)| location.get(level) == Some(at))
        };
        let part = (0..program.places()).filter(inside).map(|place| whole[place as usize]);
        let expected: Vec<u32> = part.collect();
        let mut part = vec![0_u32; expected.len()];
        prop_assert_eq!(tally.answer(program.places_at(&at))?, expected.len() as u64);
        tally.answer(program.fill_inverse_at(&at, &mut part))?;
        prop_assert_eq!(part, expected);
    }
    Ok(())
}

fn packs(case: &Case, tally: &mut Tally) -> Result<(), TestCaseError> {
    has_packs(&compiled(case, tally)?, tally)
}

fn has_packs(compiled: &Compiled, tally: &mut Tally) -> Result<(), TestCaseError> {
    if compiled.program.places() > 8 * FEW {
        return Ok(());
    }
    packs_cells(compiled, tally, |n| n as u8)?;
    packs_cells(compiled, tally, |n| n as u16)?;
    packs_cells(compiled, tally, |n| n as f32)?;
    packs_cells(compiled, tally, |n| n as i64)?;
    packs_cells(compiled, tally, |n| (n, n as u8))
}

fn packs_cells<T: Copy + PartialEq + Debug>(
    Compiled { program, indexes, numbers, .. }: &Compiled,
    tally: &mut Tally,
    cell: impl Fn(u64) -> T,
) -> Result<(), TestCaseError> {
    // Distinct in every type: as f32, the two greatest numbers would be equal.
    let [fill, unread] = [u64::MAX, 7].map(&cell);
    let tensor: Vec<T> = (0..indexes.len() as u64).map(&cell).collect();
    let mut image = vec![unread; program.places() as usize];
    tally.answer(program.pack(&tensor, &mut image, fill))?;
    let mut expected = vec![fill; image.len()];
    for (value, places) in tensor.iter().zip(numbers) {
        for place in places {
            expected[*place as usize] = *value;
        }
    }
    prop_assert_eq!(&image, &expected);
    let mut back = vec![unread; tensor.len()];
    tally.answer(program.unpack(&image, &mut back))?;
    prop_assert_eq!(&back, &tensor);
    // Part by part, in both directions.
    let third = program.places().div_ceil(3).max(1);
    let mut parts = vec![fill; image.len()];
    back.fill(unread);
    for (part, from) in parts.chunks_mut(third as usize).zip((0..).step_by(third as usize)) {
        let places = from..from + part.len() as u64;
        tally.answer(program.scatter(&tensor, places.clone(), part))?;
        tally.answer(program.gather(part, places, &mut back))?;
    }
    prop_assert_eq!(&parts, &expected);
    prop_assert_eq!(back, tensor);
    Ok(())
}

type Row = (Vec<u64>, bool, Vec<u64>);

fn rows(case: &Case, tally: &mut Tally) -> Result<(), TestCaseError> {
    let ((stage, slow), cuts) = case;
    let placed = Placed::new(stage, slow);
    let placement = stage.place(slow).unwrap();
    // A subtree, chosen by the cuts.
    let mut at = Location::default();
    for (level, (pick, coordinate)) in placed.columns().into_iter().zip(cuts) {
        if pick % 3 == 0 {
            at.set(level, coordinate % placed.size(level));
        }
    }
    let asked = at.clone();
    let at = placed.stored(&at);
    // The number of padding slots of a group at one place is unspecified.
    for padding in [false, true].into_iter().filter(|padding| !padding || placed.is_alone()) {
        let all = placed.rows(padding);
        prop_assert_eq!(&listed(&placement, padding, &Location::default(), tally)?, &all);
        let columns = placed.columns();
        let inside = |row: &Row| {
            let mut fixed = columns.iter().zip(&row.0);
            fixed.all(|(level, c)| at.get(*level).is_none_or(|at| at == *c))
        };
        let expected: Vec<Row> = all.into_iter().filter(inside).collect();
        prop_assert_eq!(&listed(&placement, padding, &asked, tally)?, &expected);
    }
    Ok(())
}

fn listed(
    placement: &Placement,
    padding: bool,
    at: &Location,
    tally: &mut Tally,
) -> Result<Vec<Row>, TestCaseError> {
    let mut rows = Vec::new();
    let table = tally.answer(placement.table().at(at))?.with_padding(padding);
    let _ = tally.answer(table.for_each(|row| {
        let index = row.index.map(<[u64]>::to_vec);
        rows.push((row.place.to_vec(), index.is_none(), index.unwrap_or_default()));
        ControlFlow::<()>::Continue(())
    }))?;
    Ok(rows)
}
