//! Laws 2 and 3 for compiled tables: every number is that of the definition.

use proptest::prelude::*;
use tensor_layout::{LayoutError, Level, Location, Machine, Placement, Program, Run, XlaShape};

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
    check_pack(placement, &program, &expected)?;
    check_inverse(placement, &program, &indexes)
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
    numbers: &[u64],
) -> Result<(), TestCaseError> {
    prop_assume!(program.places() < 200_000);
    let tensor: Vec<i64> = (0..numbers.len() as i64).collect();
    let mut image = vec![0; usize::try_from(program.places()).unwrap()];
    program.pack(&tensor, &mut image, -1).unwrap();
    let mut expected = vec![-1; image.len()];
    for (index, value) in placement.layout().indexes().zip(&tensor) {
        for place in placement.locate_all(&index).unwrap() {
            expected[packed(program, &place) as usize] = *value;
        }
    }
    prop_assert_eq!(&image, &expected);
    let mut back = vec![0; tensor.len()];
    program.unpack(&image, &mut back).unwrap();
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
    let table = placement.table().with_padding(true);
    let _ = table.for_each(|row| {
        let place: Location =
            table.columns().iter().copied().zip(row.place.iter().copied()).collect();
        let cell = &mut expected[packed(program, &place) as usize];
        match row.index {
            Some(index) => {
                let number = indexes.binary_search_by(|probe| probe[..].cmp(index)).unwrap();
                *cell = u32::try_from(number).unwrap();
            }
            None if *cell == u32::MAX => *cell = u32::MAX - 1,
            None => {}
        }
        std::ops::ControlFlow::<()>::Continue(())
    });
    let mut inverse = vec![0_u32; expected.len()];
    program.fill_inverse(&mut inverse).unwrap();
    prop_assert_eq!(inverse, expected);
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
        check(&Placement::of(layout).build().unwrap()).unwrap();
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
