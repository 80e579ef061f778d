//! Law 2 for pictures: the cell of an element is at the place of the definition; a block has the coordinates
//! and the padding of its indexes, one by one; a cell of a memory shows the element that lives there; and
//! units hold the number of elements counted in them.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use itertools::Itertools;
use proptest::prelude::*;
use tensor_layout::error::ErrorKind;
use tensor_layout::program::CoordinateSpan;
use tensor_layout::{Found, LayoutError, Level, Location, Placement};
use tensor_layout_show::report::{Census, extreme_units};
use tensor_layout_show::{Cell as PictureCell, CellKind, Drawing, Label};

use crate::generate::levels;
use crate::run::{Tally, laws};
use crate::slow::{Slow, To, count};
use crate::stage::{Placed, Stage, good_placement};

laws! {
    a_cell_of_a_tensor_is_where_the_definition_puts_it: 300, 100 %, matrix(), tensor;
    a_block_takes_what_its_indexes_take: 300, 100 %, good_placement(), blocks;
    a_cell_of_a_memory_holds_what_lives_there: 200, 100 %, good_placement(), memory;
    units_hold_what_is_counted_in_them: 300, 95 %, good_placement(), census;
    any_part_that_is_asked_for_is_drawn_or_refused: 500, 50 %, (good_placement(), choices()), parts;
}

type Case = (Stage, Slow);

/// Possible inputs to a drawing: numbers and levels of any kind.
#[derive(Clone, Debug)]
struct Choices {
    /// Coordinates of units, values of axes, and the first address.
    ranges: Vec<(usize, Range<u64>)>,
    at: Vec<(usize, u64)>,
    address: u64,
    tile: u64,
    most: (u64, usize),
}

fn choices() -> impl Strategy<Value = Choices> {
    let number = || prop_oneof![6 => 0..9_u64, 1 => Just(1 << 40), 1 => Just(u64::MAX)];
    let range = (0..9_usize, (number(), number()).prop_map(|(start, end)| start..end));
    let ranges = proptest::collection::vec(range, 0..3);
    let at = proptest::collection::vec((0..9_usize, number()), 0..2);
    let most = (number(), 0..4_usize);
    (ranges, at, number(), number(), most).prop_map(|(ranges, at, address, tile, most)| Choices {
        ranges,
        at,
        address,
        tile,
        most,
    })
}

/// The longest side that is drawn cell by cell, and the greatest number of cells.
const LONGEST: u64 = 64;
const MOST: u64 = 1024;

/// A placement of at most two axes that are drawn completely.
fn matrix() -> impl Strategy<Value = Case> {
    good_placement().prop_filter("drawn in blocks", |(_, slow)| {
        let sides = sides(slow);
        let few =
            sides.iter().all(|side| *side <= LONGEST) && sides.iter().product::<u64>() <= MOST;
        slow.rank() <= 2 && slow.elements() > 0 && few
    })
}

/// The values of an axis that are drawn: every slot, or only the elements of an axis that feeds another one,
/// if the padding digits would exceed the range of that axis.
fn sides(slow: &Slow) -> Vec<u64> {
    let axes = || slow.axes.iter().chain(slow.derived.iter().map(|(_, axis)| axis));
    let holds = (0..).zip(&slow.derived).all(|(number, (start, axis))| {
        let fed = axes().flat_map(|axis| &axis.digits).map(|digit| match digit.to {
            To::Feed(to, weight) if to == number => (digit.size - 1) * weight,
            _ => 0,
        });
        // An XOR has only the bits that feed it, and always has room for them.
        slow.xors.contains(&number) || start + fed.sum::<u64>() < axis.slots()
    });
    let side = |axis: &crate::slow::Axis| {
        let feeds = axis.digits.iter().any(|digit| matches!(digit.to, To::Feed(..)));
        if feeds && !holds { axis.extent } else { axis.slots() }
    };
    slow.axes.iter().map(side).collect()
}

fn is_unit(level: Level) -> bool {
    level != Level::ADDR && level != Level::W
}

fn tensor((stage, slow): &Case, tally: &mut Tally) -> Result<(), TestCaseError> {
    let placed = Placed::new(stage, slow);
    let placement = stage.place(slow).unwrap();
    let picture = Drawing::new(&placement).labels(&[Label::Address]).tensor();
    let panel = &picture.panels[0];
    tally.sure();
    let used = slow.used();
    let columns = placed.columns();
    let levels: Vec<Level> =
        columns.into_iter().filter(|level| is_unit(*level) && used.contains(level)).collect();
    // With every slot as an element, padding is placed like an element.
    let mut whole = placed.spread.clone();
    for (axis, side) in whole.axes.iter_mut().zip(sides(slow)) {
        axis.extent = side;
    }
    let indexes = count(&sides(slow));
    prop_assert_eq!(panel.cells.len(), indexes.len());
    for (cell, index) in panel.cells.iter().zip(indexes) {
        let real = index.iter().zip(slow.shape()).all(|(entry, extent)| *entry < extent);
        let kind = if real { CellKind::Element } else { CellKind::Padding };
        prop_assert_eq!(cell.kind, kind);
        if !real && !slow.derived.is_empty() {
            continue;
        }
        let place = &placed.stored(&whole.places(&index)[0]);
        let path: Vec<u64> = levels.iter().map(|level| place.get(*level).unwrap()).collect();
        prop_assert_eq!(&cell.path, &path);
        let address = place.get(Level::ADDR).unwrap();
        let label = place.get(Level::W).map_or(address.to_string(), |w| format!("{address}.{w}"));
        prop_assert_eq!(&cell.label, &label);
    }
    Ok(())
}

fn blocks((stage, slow): &Case, tally: &mut Tally) -> Result<(), TestCaseError> {
    let placed = Placed::new(stage, slow);
    let placement = stage.place(slow).unwrap();
    tally.sure();
    let drawing = Drawing::new(&placement).most_blocks(2);
    let picture = drawing.tensor();
    if slow.elements() == 0 {
        return Ok(());
    }
    for panel in &picture.panels {
        for cell in &panel.cells {
            check_block(cell, &placed, slow)?;
        }
    }
    let whole: Vec<Range<u64>> = sides(slow).into_iter().map(|side| 0..side).collect();
    if drawing.is_small() {
        return Ok(());
    }
    // The first panel shows all of one leading index; each later one, the zoomed cell of the one before.
    let leading = slow.rank().saturating_sub(2);
    let mut shown: Vec<Range<u64>> = whole;
    shown[..leading].iter_mut().for_each(|range| *range = 0..1);
    for panel in &picture.panels {
        let slots: u64 = panel.cells.iter().map(|cell| cell.slots).sum();
        prop_assert_eq!(slots, shown.iter().map(|r| r.end - r.start).product::<u64>());
        let inside = |cell: &PictureCell| {
            let mut ranges = cell.indexes.iter().zip(&shown);
            ranges.all(|(part, all)| all.start <= part.start && part.end <= all.end)
        };
        prop_assert!(panel.cells.iter().all(inside));
        if let Some(zoom) = panel.zoom {
            let partly = panel.cells.iter().position(PictureCell::is_partly_padded);
            prop_assert!(partly.is_none_or(|first| first == zoom));
            shown = panel.cells[zoom].indexes.clone();
        }
    }
    Ok(())
}

/// Elements, slots and coordinates of a block, index by index.
fn check_block(cell: &PictureCell, placed: &Placed, slow: &Slow) -> Result<(), TestCaseError> {
    let sizes: Vec<u64> = cell.indexes.iter().map(|range| range.end - range.start).collect();
    prop_assert_eq!(cell.slots, sizes.iter().product::<u64>());
    let index = |at: Vec<u64>| -> Vec<u64> {
        at.iter().zip(&cell.indexes).map(|(at, range)| at + range.start).collect()
    };
    let real = |index: &Vec<u64>| index.iter().zip(slow.shape()).all(|(at, extent)| *at < extent);
    let indexes: Vec<Vec<u64>> = count(&sizes).into_iter().map(index).filter(real).collect();
    prop_assert_eq!(cell.elements, indexes.len() as u64);
    prop_assert_eq!(cell.kind == CellKind::Element, !indexes.is_empty());
    if indexes.is_empty() {
        return Ok(());
    }
    let places: Vec<Location> = indexes.iter().map(|i| placed.places(i)[0].clone()).collect();
    for level in placed.columns() {
        let taken: BTreeSet<u64> = places.iter().map(|place| place.get(level).unwrap()).collect();
        let span = cell.places.iter().find(|(of, _)| *of == level).unwrap().1;
        prop_assert!(is_true(span, &taken), "{:?}: {} of {:?}", cell.indexes, span, taken);
    }
    Ok(())
}

fn is_true(span: CoordinateSpan, taken: &BTreeSet<u64>) -> bool {
    let (first, last) = (*taken.first().unwrap(), *taken.last().unwrap());
    let ends = (span.first, span.last) == (first, last);
    match span.step {
        Some(0) => ends && first == last,
        Some(step) => ends && taken.iter().copied().eq((first..=last).step_by(step as usize)),
        None if span.is_exact => ends && (taken.len() as u64) < last - first + 1,
        None => span.first <= first && last <= span.last,
    }
}

/// Sums of the contents of all units, and the fullest and emptiest units.
fn census((stage, slow): &Case, tally: &mut Tally) -> Result<(), TestCaseError> {
    let placed = Placed::new(stage, slow);
    let placement = stage.place(slow).unwrap();
    let levels: Vec<Level> = placed.columns().into_iter().filter(|l| is_unit(*l)).collect();
    let sizes: Vec<u64> = levels.iter().map(|level| placed.size(*level)).collect();
    prop_assume!(sizes.iter().product::<u64>() < 500);
    let elements = placed.places_by_element().into_iter().flatten();
    let unit = |place: Location| -> Location {
        levels.iter().map(|level| (*level, place.get(*level).unwrap_or(0))).collect()
    };
    let (elements, pads) =
        (elements.map(unit).counts(), placed.pads().into_iter().map(unit).counts());
    let number =
        |of: &HashMap<Location, usize>, unit: &Location| of.get(unit).map_or(0, |n| *n as u64);
    let units = count(&sizes).into_iter().map(|unit| levels.iter().copied().zip(unit).collect());
    let units = units.filter(|unit| placed.is_named(unit)).collect_vec();
    // Slots shared by several elements count once for each of them.
    let counts_pads = placed.layout.derived.is_empty() && placed.is_alone();
    for at in &units {
        let Some(found) = asked(Census::of(&placement, at), tally)? else { return Ok(()) };
        prop_assert_eq!(found.elements, number(&elements, at), "{}", at);
        if counts_pads {
            prop_assert_eq!(found.padding, number(&pads, at), "{}", at);
        }
    }
    let whole = Census::of(&placement, &Location::default()).unwrap();
    let all = |of: &HashMap<Location, usize>| of.values().sum::<usize>() as u64;
    prop_assert_eq!(whole.elements, all(&elements));
    if counts_pads {
        prop_assert_eq!(whole.padding, all(&pads));
    }
    let counts = units.into_iter().map(|unit| (number(&elements, &unit), unit)).collect_vec();
    extremes(&placement, &counts)
}

/// Parts with arbitrary, even invalid, ranges.
fn parts(
    ((stage, slow), choices): &(Case, Choices),
    tally: &mut Tally,
) -> Result<(), TestCaseError> {
    let Choices { ranges, at, address, tile, most } = choices.clone();
    let placement = stage.place(slow).unwrap();
    let all = levels();
    let level = |at: usize| all[at % all.len()];
    let at: Location = at.into_iter().map(|(of, at)| (level(of), at)).collect();
    let drawing = Drawing::new(&placement).most_blocks(most.0).most_panels(most.1);
    let mut drawing = drawing.addresses(address).at(at.clone()).by(level(most.1));
    drawing = drawing.tiles(vec![(tile, "T".into())]);
    let mut units: Vec<(Level, Range<u64>)> = Vec::new();
    for (of, range) in ranges {
        units.retain(|(other, _)| *other != level(of));
        units.push((level(of), range.clone()));
        drawing = drawing.units(level(of), range.clone());
        let sliced = drawing.clone().slice(of, range.clone());
        prop_assert!(sliced.is_err() || !range.is_empty());
        let zoomed = drawing.clone().zoom(of, range.start);
        drawing = sliced.or(zoomed).unwrap_or(drawing);
    }
    let _ = drawing.tensor().to_svg();
    let Ok(picture) = tally.count(drawing.memory()) else { return Ok(()) };
    let _ = picture.to_svg();
    for cell in picture.panels.iter().flat_map(|panel| &panel.cells) {
        for (level, range) in &units {
            let span = cell.places.iter().find(|(of, _)| of == level && is_unit(*of));
            // A chosen coordinate takes precedence over a range.
            let span = span.filter(|_| at.get(*level).is_none());
            let Some((_, span)) = span else { continue };
            let last = placement.coordinates(*level).saturating_sub(1);
            // Groups are shown completely.
            let step = placement.units_per_memory(*level);
            let start = range.start - range.start % step;
            let end = range.end.checked_next_multiple_of(step).unwrap_or(u64::MAX);
            prop_assert!(start.min(last - last % step) <= span.first);
            prop_assert!(span.last < end || span.last < range.start.min(last) + step);
        }
    }
    Ok(())
}

fn extremes(placement: &Placement, counts: &[(u64, Location)]) -> Result<(), TestCaseError> {
    let (most, least) = extreme_units(placement, &Location::default()).unwrap().unwrap();
    let fullest = counts.iter().map(|(count, _)| *count).max().unwrap();
    let emptiest = counts.iter().map(|(count, _)| *count).min().unwrap();
    let first = |wanted| counts.iter().find(|(count, _)| *count == wanted).unwrap().1.clone();
    prop_assert_eq!((most.elements, most.unit), (fullest, first(fullest)));
    prop_assert_eq!((least.elements, least.unit), (emptiest, first(emptiest)));
    Ok(())
}

/// The answer, or `None` if the budget is exceeded, which is counted.
fn asked<T>(answer: Result<T, LayoutError>, tally: &mut Tally) -> Result<Option<T>, TestCaseError> {
    match tally.count(answer) {
        Err(error) if error.kind() == ErrorKind::NotDecided => Ok(None),
        Ok(answer) => Ok(Some(answer)),
        Err(error) => Err(TestCaseError::fail(error.to_string())),
    }
}

fn memory((stage, slow): &Case, tally: &mut Tally) -> Result<(), TestCaseError> {
    const UNITS: u64 = 16;
    const ADDRESSES: u64 = 64;
    const LANES: u64 = 8;
    let placed = Placed::new(stage, slow);
    let placement = stage.place(slow).unwrap();
    let contents = placed.contents();
    let levels: Vec<Level> = placed.columns().into_iter().filter(|l| is_unit(*l)).collect();
    let sizes: Vec<u64> = levels.iter().map(|level| placed.size(*level)).collect();
    prop_assume!(sizes.iter().product::<u64>() < 10_000);
    let picture = tally.answer(Drawing::new(&placement).memory())?;
    // With many units, a panel of counts comes first; then one memory is drawn, named by its cells.
    let panel = picture.panels.last().unwrap();
    let all_lanes = placed.spread.extent(Level::W);
    let lanes = all_lanes.min(LANES);
    let words = placed.spread.span(Level::ADDR).min(ADDRESSES / lanes);
    let drawn = || panel.cells.iter().filter(|cell| cell.kind != CellKind::Blank);
    let mut cells = drawn();
    let mut units = count(&sizes);
    units.retain(|unit| {
        placed.is_named(&levels.iter().copied().zip(unit.iter().copied()).collect())
    });
    let number = units.len() as u64;
    let places = placed.spread.span(Level::ADDR) * all_lanes;
    if number > UNITS || (number > 1 && places > ADDRESSES) {
        let at = |level: Level| {
            move |cell: &PictureCell| {
                cell.places.iter().find(|(of, _)| *of == level).unwrap().1.only().unwrap()
            }
        };
        let first = drawn().next().unwrap();
        units = vec![levels.iter().map(|level| at(*level)(first)).collect()];
    }
    for unit in units {
        for number in 0..words * lanes {
            let mut place: Location = levels.iter().copied().zip(unit.iter().copied()).collect();
            place.set(Level::ADDR, number / lanes);
            if placed.columns().contains(&Level::W) {
                place.set(Level::W, number % lanes);
            }
            let cell = cells.next().ok_or(TestCaseError::fail("too few cells"))?;
            let (kind, label) = match placed.found(&contents, &place) {
                Found::Element(index) if index.is_empty() => (CellKind::Element, "()".into()),
                Found::Element(index) => {
                    let label: Vec<String> = index.iter().map(u64::to_string).collect();
                    (CellKind::Element, label.join(","))
                }
                Found::Padding => (CellKind::Padding, String::new()),
                Found::Hole | Found::Outside => (CellKind::Hole, String::new()),
            };
            prop_assert_eq!((cell.kind, &cell.label), (kind, &label), "{}", place);
        }
    }
    prop_assert_eq!(cells.count(), 0);
    Ok(())
}
