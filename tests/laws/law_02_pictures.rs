//! Law 2 for pictures: a cell of an element is where the definition puts it, a cell of a memory
//! holds what lives there.

use proptest::prelude::*;
use tensor_layout::picture::{CellKind, Drawing};
use tensor_layout::{Found, Level, Location};

use crate::run::{Tally, laws};
use crate::slow::{Slow, To, count};
use crate::stage::{Placed, Stage, good_placement};

laws! {
    a_cell_of_a_tensor_is_where_the_definition_puts_it: 300, 100 %, matrix(), tensor;
    a_cell_of_a_memory_holds_what_lives_there: 200, 100 %, good_placement(), memory;
}

type Case = (Stage, Slow);

/// The longest side that is drawn cell by cell, and the most cells.
const LONGEST: u64 = 64;
const MOST: u64 = 1024;

/// A placement of at most two axes that are drawn as a whole.
fn matrix() -> impl Strategy<Value = Case> {
    good_placement().prop_filter("drawn in blocks", |(_, slow)| {
        let sides = sides(slow);
        let few =
            sides.iter().all(|side| *side <= LONGEST) && sides.iter().product::<u64>() <= MOST;
        slow.rank() <= 2 && slow.elements() > 0 && few
    })
}

/// The rows and columns: every slot, or the elements of an axis that feeds another.
fn sides(slow: &Slow) -> Vec<u64> {
    let side = |axis: &crate::slow::Axis| {
        let feeds = axis.digits.iter().any(|digit| matches!(digit.to, To::Feed(..)));
        if feeds { axis.extent } else { axis.slots() }
    };
    slow.axes.iter().map(side).collect()
}

fn is_unit(level: Level) -> bool {
    level != Level::ADDR && level != Level::W
}

fn tensor((stage, slow): &Case, tally: &mut Tally) -> Result<(), TestCaseError> {
    let placed = Placed::new(stage, slow);
    let placement = stage.place(slow).unwrap();
    let picture = Drawing::new(&placement).tensor();
    let panel = &picture.panels[0];
    tally.sure();
    let used = slow.used();
    let columns = placed.columns();
    let levels: Vec<Level> =
        columns.into_iter().filter(|level| is_unit(*level) && used.contains(level)).collect();
    // With every slot as an element the place of padding is that of an element.
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
        let place = &whole.places(&index)[0];
        let path: Vec<u64> = levels.iter().map(|level| place.get(*level).unwrap()).collect();
        prop_assert_eq!(&cell.path, &path);
        let address = place.get(Level::ADDR).unwrap();
        let label = place.get(Level::W).map_or(address.to_string(), |w| format!("{address}.{w}"));
        prop_assert_eq!(&cell.label, &label);
    }
    Ok(())
}

fn memory((stage, slow): &Case, tally: &mut Tally) -> Result<(), TestCaseError> {
    const UNITS: usize = 16;
    const ADDRESSES: u64 = 64;
    const LANES: u64 = 8;
    let placed = Placed::new(stage, slow);
    let placement = stage.place(slow).unwrap();
    let contents = placed.contents();
    let levels: Vec<Level> = placed.columns().into_iter().filter(|l| is_unit(*l)).collect();
    let sizes: Vec<u64> = levels.iter().map(|level| placed.size(*level)).collect();
    prop_assume!(sizes.iter().product::<u64>() < 10_000);
    let picture = tally.answer(Drawing::new(&placement).memory())?;
    let panel = &picture.panels[0];
    let lanes = placed.spread.extent(Level::W).min(LANES);
    let words = placed.spread.span(Level::ADDR).min(ADDRESSES / lanes);
    let mut cells = panel.cells.iter().filter(|cell| cell.kind != CellKind::Blank);
    for unit in count(&sizes).into_iter().take(UNITS) {
        for number in 0..words * lanes {
            let mut place: Location = levels.iter().copied().zip(unit.iter().copied()).collect();
            place.set(Level::ADDR, number / lanes);
            if placed.columns().contains(&Level::W) {
                place.set(Level::W, number % lanes);
            }
            let cell = cells.next().ok_or(TestCaseError::fail("too few cells"))?;
            let (kind, label) = match placed.found(&contents, &place) {
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
