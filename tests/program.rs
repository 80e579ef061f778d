//! Compiled tables: long vectors, shapes of XLA, all cores, refusals. Law 2 tests generated ones.

use proptest::prelude::*;
use tensor_layout::image::{join_lanes, split_lanes};
use tensor_layout::xla::XlaShape;
use tensor_layout::{LayoutError, Level, Placement};

use crate::laws::check_program;
use crate::run::{Law, Tally};
use crate::slow::Slow;
use crate::stage::Stage;

#[test]
fn lanes_are_joined_and_split_lane_0_most_significant() {
    let words = prop::collection::vec(any::<u64>(), 0..9);
    let file = concat!("tests/laws/failures/", "lanes.txt");
    Law::new([file!(), "lanes", file], (300, 100), words, lanes).check();
}

fn lanes(words: &Vec<u64>, tally: &mut Tally) -> Result<(), TestCaseError> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let mut joined = vec![0; words.len()];
    join_lanes(&bytes, &mut joined).unwrap();
    prop_assert_eq!(&joined, words);
    let mut halves = vec![0_u16; words.len() * 4];
    split_lanes(words, &mut halves).unwrap();
    let expected: Vec<u16> =
        bytes.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
    prop_assert_eq!(&halves, &expected);
    join_lanes(&halves, &mut joined).unwrap();
    prop_assert_eq!(&joined, words);
    let mut doubles = vec![0.0_f64; words.len()];
    split_lanes(words, &mut doubles).unwrap();
    prop_assert!(doubles.iter().zip(words).all(|(a, b)| a.to_bits() == *b));
    tally.sure();
    Ok(())
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
        let slow = Slow::of(&text.parse().unwrap());
        check_program(&Stage::none(), &slow, &[(3, 17_001), (1, 4), (2, 3)]);
        check_program(&Stage::none(), &slow, &[(997, 4_003), (0, 3), (2, 3)]);
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
        check_program(&Stage::none(), &Slow::of(&layout), &[(1, 5), (2, 4), (0, 4)]);
    }
}

#[test]
fn buffers_of_the_wrong_length_or_width_are_refused() {
    let placement = Placement::of("((4_PE, 100:1))".parse().unwrap()).build().unwrap();
    let program = placement.program().unwrap();
    let refusal = program.fill_packed(&mut [0_u32; 399]).unwrap_err();
    assert_eq!(refusal.to_string(), "the table has 400 entries, but the buffer has 399");
    let narrow = program.fill_packed(&mut [0_u8; 400]).unwrap_err();
    let message = "the table holds numbers up to 399, which do not fit in 8 bits";
    assert_eq!(narrow.to_string(), message);
    assert!(program.fill_column(Level::PE, &mut [0_u8; 400]).is_ok());
    assert!(program.fill_inverse(&mut [0_u8; 400]).unwrap_err().to_string().ends_with("in 8 bits"));
    assert!(program.place(&[400]).is_err());
    let columns: Vec<(Level, u64)> = program.columns().collect();
    assert_eq!(columns, [(Level::PE, 4), (Level::ADDR, 100)]);
}

#[test]
fn many_elements_need_a_slice_for_each_axis_and_coordinate_and_indexes_of_the_tensor() {
    let placement = Placement::of("((4_PE, 3:8), (8:1))".parse().unwrap()).build().unwrap();
    let program = placement.program().unwrap();
    let locator = program.locator(2);
    let (mut units, mut addresses, mut short) = ([0; 2], [0; 2], [0; 1]);
    let indexes: [&[u64]; 2] = [&[5, 11], &[1, 7]];
    let failed = |result: Result<(), LayoutError>| result.unwrap_err().to_string();
    assert_eq!(
        failed(locator.locate(&indexes, &mut [&mut units])),
        "places have 2 coordinates, but there are slices for 1"
    );
    assert!(locator.locate(&indexes[..1], &mut [&mut units, &mut addresses]).is_err());
    assert!(locator.locate(&indexes, &mut [&mut units, &mut short]).is_err());
    let beyond: [&[u64]; 2] = [&[5, 11], &[8, 9]];
    let error = failed(locator.locate(&beyond, &mut [&mut units, &mut addresses]));
    assert!(error.contains("8 is out of range for axis 1"), "{error}");
}
