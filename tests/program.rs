//! Laws 2 and 3 for compiled tables: every number is that of the definition.

use proptest::prelude::*;
use tensor_layout::image::{join_lanes, split_lanes};
use tensor_layout::program::{Program, Run};
use tensor_layout::xla::XlaShape;
use tensor_layout::{Found, LayoutError, Level, Location, Machine, Placement};

use crate::generate::{good_layout, levels};
use crate::slow::Slow;

/// The packed number of a place, by the columns of the program.
fn packed(program: &Program, place: &Location) -> u64 {
    program.columns().fold(0, |sum, (level, size)| sum * size + place.get(level).unwrap_or(0))
}

fn check(placement: &Placement) -> Result<(), TestCaseError> {
    let program = placement.program().unwrap();
    let elements = usize::try_from(program.elements()).unwrap();
    let indexes: Vec<Vec<u64>> = placement.layout().indexes().collect();
    let places: Vec<Location> = indexes.iter().map(|i| placement.locate(i).unwrap()).collect();
    let expected: Vec<u64> = places.iter().map(|place| packed(&program, place)).collect();
    let mut table = vec![0_u64; elements];
    program.fill_packed(&mut table).unwrap();
    prop_assert_eq!(&table, &expected);
    let mut narrow = vec![0_u32; elements];
    program.fill_packed(&mut narrow).unwrap();
    prop_assert!(narrow.iter().zip(&expected).all(|(a, b)| u64::from(*a) == *b));
    for (index, number) in indexes.iter().zip(&expected) {
        prop_assert_eq!(program.place(index).unwrap(), *number);
    }
    for (level, _) in program.columns() {
        let mut column = vec![0_u16; elements];
        program.fill_column(level, &mut column).unwrap();
        for (number, place) in column.iter().zip(&places) {
            prop_assert_eq!(u64::from(*number), place.get(level).unwrap_or(0));
        }
    }
    check_runs(&program, &expected)?;
    check_pack(placement, &program, &indexes, &expected)?;
    check_inverse(placement, &program, &indexes)?;
    check_units(placement)
}

/// The rows of a box are those of the whole table.
fn check_window(placement: &Placement, cuts: &[(u64, u64)]) -> Result<(), TestCaseError> {
    let program = placement.program().unwrap();
    let ranges: Vec<_> = placement
        .layout()
        .shape()
        .into_iter()
        .zip(cuts)
        .map(|(extent, (a, b))| {
            let (a, b) = (a % (extent + 1), b % (extent + 1));
            a.min(b)..a.max(b)
        })
        .collect();
    let window = program.window(&ranges).unwrap();
    let inside: Vec<Vec<u64>> = placement
        .layout()
        .indexes()
        .filter(|index| index.iter().zip(&ranges).all(|(entry, range)| range.contains(entry)))
        .collect();
    let expected: Vec<u64> = inside.iter().map(|index| program.place(index).unwrap()).collect();
    let mut table = vec![0_u64; inside.len()];
    window.fill_packed(&mut table).unwrap();
    prop_assert_eq!(&table, &expected);
    check_runs(&window, &expected)?;
    let reach = window.reach();
    for index in &inside {
        for place in placement.locate_all(index).unwrap() {
            prop_assert!(reach.contains(&packed(&program, &place)));
        }
    }
    check_pack(placement, &window, &inside, &expected)?;
    check_inverse(placement, &window, &inside)
}

/// The compiled unit table answers as the definition does.
fn check_units(placement: &Placement) -> Result<(), TestCaseError> {
    for index in placement.layout().indexes().step_by(13).take(4) {
        let mut unit = placement.locate(&index).unwrap();
        for slot in placement.unit(&unit).unwrap().take(2000) {
            let slot = slot.unwrap();
            unit.set(Level::ADDR, slot.address);
            unit.set(Level::W, slot.lane);
            prop_assert_eq!(slot.found, placement.element(&unit).unwrap());
        }
    }
    Ok(())
}

fn packed_of(program: &Program, place: u64) -> u64 {
    packed(program, &program.location(place))
}

/// Every element once, in its place, and no run could go on.
fn check_runs(program: &Program, packed: &[u64]) -> Result<(), TestCaseError> {
    let runs: Vec<Run> = program.runs().collect();
    let unit: u64 = program
        .columns()
        .filter(|(level, _)| *level == Level::ADDR || *level == Level::W)
        .map(|(_, size)| size)
        .product();
    let mut places = Vec::new();
    for run in &runs {
        prop_assert_eq!(run.element, places.len() as u64);
        places.extend((0..run.length).map(|n| run.place + n * run.step));
        prop_assert_eq!(run.place / unit, places.last().unwrap() / unit);
        prop_assert_eq!(packed_of(program, run.place), run.place);
    }
    prop_assert_eq!(&places, packed);
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

/// What is packed holds every copy and nothing else, and comes back.
fn check_pack(
    placement: &Placement,
    program: &Program,
    indexes: &[Vec<u64>],
    numbers: &[u64],
) -> Result<(), TestCaseError> {
    prop_assume!(program.places() < 200_000);
    let tensor: Vec<i64> = (0..numbers.len() as i64).collect();
    let mut image = vec![0; usize::try_from(program.places()).unwrap()];
    program.pack(&tensor, &mut image, -1).unwrap();
    let mut expected = vec![-1; image.len()];
    for (index, value) in indexes.iter().zip(&tensor) {
        for place in placement.locate_all(index).unwrap() {
            expected[packed(program, &place) as usize] = *value;
        }
    }
    prop_assert_eq!(&image, &expected);
    let mut back = vec![0; tensor.len()];
    program.unpack(&image, &mut back).unwrap();
    prop_assert_eq!(&back, &tensor);
    // Part by part, in both directions.
    let third = program.places().div_ceil(3).max(1);
    let mut parts = vec![-1; image.len()];
    back.fill(0);
    for (part, from) in parts.chunks_mut(third as usize).zip((0..).step_by(third as usize)) {
        let places = from..from + part.len() as u64;
        program.scatter(&tensor, places.clone(), part).unwrap();
        program.gather(part, places, &mut back).unwrap();
    }
    prop_assert_eq!(&parts, &expected);
    prop_assert_eq!(back, tensor);
    Ok(())
}

fn check_inverse(
    placement: &Placement,
    program: &Program,
    indexes: &[Vec<u64>],
) -> Result<(), TestCaseError> {
    prop_assume!(program.places() < 200_000);
    let mut expected = vec![u32::MAX; usize::try_from(program.places()).unwrap()];
    let mut elements = vec![false; expected.len()];
    let table = placement.table().with_padding(true);
    let _ = table.for_each(|row| {
        let place: Location =
            table.columns().iter().copied().zip(row.place.iter().copied()).collect();
        let place = packed(program, &place) as usize;
        match row.index {
            Some(index) => {
                // An element outside of the window is a hole.
                let number = indexes.binary_search_by(|probe| probe[..].cmp(index));
                expected[place] = number.map_or(u32::MAX, |number| u32::try_from(number).unwrap());
                elements[place] = true;
            }
            None if !elements[place] => expected[place] = u32::MAX - 1,
            None => {}
        }
        std::ops::ControlFlow::<()>::Continue(())
    });
    let mut inverse = vec![0_u32; expected.len()];
    program.fill_inverse(&mut inverse).unwrap();
    prop_assert_eq!(&inverse, &expected);
    for (place, cell) in (0..).zip(&expected) {
        let held = match *cell {
            u32::MAX => Found::Hole,
            cell if cell == u32::MAX - 1 => Found::Padding,
            number => Found::Element(number.into()),
        };
        prop_assert_eq!(program.element(place).unwrap(), held);
    }
    prop_assert_eq!(program.element(program.places()).unwrap(), Found::Outside);
    check_parts(program, &expected)
}

/// The table of a part is the part of the table, whatever levels are fixed.
fn check_parts(program: &Program, whole: &[u32]) -> Result<(), TestCaseError> {
    if whole.len() > 5000 {
        return Ok(());
    }
    let columns: Vec<(Level, u64)> = program.columns().collect();
    for (fixed, seed) in [(1, 0), (2, 5), (5, 3), (6, 1), (u32::MAX, 7_u64)] {
        let chosen = columns.iter().enumerate().filter(|(at, _)| fixed >> at & 1 == 1);
        let at: Location = chosen.map(|(_, (level, size))| (*level, seed % size)).collect();
        let inside = |place: &u64| {
            let location = program.location(*place);
            at.iter().all(|(level, at)| location.get(level) == Some(at))
        };
        let expected: Vec<u32> =
            (0..program.places()).filter(inside).map(|place| whole[place as usize]).collect();
        let mut part = vec![0_u32; expected.len()];
        prop_assert_eq!(program.places_at(&at).unwrap(), expected.len() as u64);
        program.fill_inverse_at(&at, &mut part).unwrap();
        prop_assert_eq!(part, expected);
    }
    Ok(())
}

fn on_machine(slow: &Slow, more: u64) -> Placement {
    let mut machine = Machine::builder("test");
    for level in levels().into_iter().filter(|level| level.is_unit()) {
        machine = machine.level(level, slow.layout().extent(level) + more);
    }
    Placement::of(slow.layout()).on(&machine.build().unwrap()).base(more).build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 800, failure_persistence: None, max_global_rejects: 1 << 20, ..ProptestConfig::default()
    })]

    #[test]
    fn law_02_compiled_tables_are_the_definition(slow in good_layout()) {
        check(&Placement::of(slow.layout()).build().unwrap())?;
    }

    #[test]
    fn law_02_compiled_tables_are_the_definition_on_machines(slow in good_layout(), more in 0_u64..2) {
        check(&on_machine(&slow, more))?;
    }

    #[test]
    fn law_02_windows_are_parts_of_the_whole(
        slow in good_layout(), cuts in prop::collection::vec((any::<u64>(), any::<u64>()), 4)
    ) {
        check_window(&on_machine(&slow, 1), &cuts)?;
    }

    #[test]
    fn lanes_are_joined_and_split_lane_0_most_significant(words in prop::collection::vec(any::<u64>(), 0..9)) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        let mut joined = vec![0; words.len()];
        join_lanes(&bytes, &mut joined).unwrap();
        prop_assert_eq!(&joined, &words);
        let mut halves = vec![0_u16; words.len() * 4];
        split_lanes(&words, &mut halves).unwrap();
        let expected: Vec<u16> =
            bytes.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
        prop_assert_eq!(&halves, &expected);
        join_lanes(&halves, &mut joined).unwrap();
        prop_assert_eq!(&joined, &words);
        let mut doubles = vec![0.0_f64; words.len()];
        split_lanes(&words, &mut doubles).unwrap();
        prop_assert!(doubles.iter().zip(&words).all(|(a, b)| a.to_bits() == *b));
    }
}

#[test]
fn long_axes_are_cut_into_vectors_without_a_seam() {
    for text in [
        "((3_PE, 1000:1, 7:1000), (5:7000))",
        "(20011)/((3_PE, 6673:2, 1:1))",
        "(4999, 3)/((5000:3), (3:1))",
        "((2:6000, 3:1000, 1000:1))",
        "(2999)/((50:61, 60:1))",
        "((6007:1))",
        "((2:1, 3:2, 4:6, 500:24))",
    ] {
        let placement = Placement::of(text.parse().unwrap()).build().unwrap();
        check(&placement).unwrap();
        check_window(&placement, &[(3, 17_001), (1, 4), (2, 3)]).unwrap();
        check_window(&placement, &[(997, 4_003), (0, 3), (2, 3)]).unwrap();
    }
}

#[test]
fn xla_shapes_are_compiled_too() {
    for text in [
        "f32[3,5]{1,0:T(2,2)}",
        "bf16[6,5]{1,0:T(3,4)(2,1)}",
        "f32[2,3,5]{0,2,1:T(2,*,4)}",
        "f32[]{:T(16)}",
        "f32[0,3]{1,0}",
        "f32[130,33]{1,0:T(8,16)L(1024)}",
    ] {
        let layout = text.parse::<XlaShape>().unwrap().lower().unwrap();
        let placement = Placement::of(layout).build().unwrap();
        check(&placement).unwrap();
        check_window(&placement, &[(1, 5), (2, 4), (0, 4)]).unwrap();
    }
}

#[cfg(feature = "rayon")]
#[test]
fn all_cores_fill_the_same_tables() {
    for text in ["((3_PE, 1000:1, 7:1000), (5:7000))", "(1, 300001)/((1:1), (4_PE, 100000:1))"] {
        let placement = Placement::of(text.parse().unwrap()).build().unwrap();
        let program = placement.program().unwrap();
        let length = usize::try_from(program.elements()).unwrap();
        let (mut one, mut all) = (vec![0_u32; length], vec![1_u32; length]);
        program.fill_packed(&mut one).unwrap();
        program.par_fill_packed(&mut all).unwrap();
        assert_eq!(one, all);
        program.par_fill_column(Level::PE, &mut all).unwrap();
        program.fill_column(Level::PE, &mut one).unwrap();
        assert_eq!(one, all);
        let image: Vec<u64> = (0..program.places()).collect();
        let (mut one, mut all) = (vec![0; length], vec![1; length]);
        program.unpack(&image, &mut one).unwrap();
        program.par_unpack(&image, &mut all).unwrap();
        assert_eq!(one, all);
        assert!(program.par_fill_packed(&mut [0_u32; 3]).is_err());
    }
}

#[test]
fn buffers_of_the_wrong_length_or_width_are_refused() {
    let placement = Placement::of("((4_PE, 100:1))".parse().unwrap()).build().unwrap();
    let program = placement.program().unwrap();
    let refusal = program.fill_packed(&mut [0_u32; 399]).unwrap_err();
    assert_eq!(refusal.to_string(), "the table has 400 entries, but the buffer has 399");
    let narrow = program.fill_packed(&mut [0_u8; 400]).unwrap_err();
    assert_eq!(narrow, LayoutError::CellTooNarrow { reach: 399, bits: 8 });
    assert!(program.fill_column(Level::PE, &mut [0_u8; 400]).is_ok());
    assert!(matches!(
        program.fill_inverse(&mut [0_u8; 400]),
        Err(LayoutError::CellTooNarrow { .. })
    ));
    assert!(program.place(&[400]).is_err());
    let columns: Vec<(Level, u64)> = program.columns().collect();
    assert_eq!(columns, [(Level::PE, 4), (Level::ADDR, 100)]);
}
