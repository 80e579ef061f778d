//! Compiled programs with huge numbers, short spans, and copies combined with fused axes.

use tensor_layout::algebra::Subaxis;
use tensor_layout::error::ErrorKind;
use tensor_layout::program::{Program, Run};
use tensor_layout::{Layout, LayoutText, Level, Location, Machine, Placement};

const A: Level = Level::ADDR;

fn program(text: &str) -> Program {
    Placement::of(text.parse().unwrap()).build().unwrap().program().unwrap()
}

/// Rows of 3 fused with columns of 3, in tiles of 2, followed by a second copy.
fn fused_with_copies() -> Layout {
    Layout::builder()
        .axis(3, [Subaxis::feed(3, 0, 3)])
        .axis(3, [Subaxis::feed(3, 0, 1)])
        .derived(0, 9, [Subaxis::land(5, A, 2), Subaxis::land(2, A, 1)])
        .replica(2, A, 10)
        .build()
        .unwrap()
}

#[test]
fn the_reach_of_fused_axes_counts_copies_once() {
    let placement = Placement::of(fused_with_copies()).build().unwrap();
    let program = placement.program().unwrap();
    let reach = program.reach();
    assert!(reach.end <= program.places(), "{reach:?} of {} places", program.places());
    for index in placement.layout().indexes() {
        for place in placement.locate_all(&index).unwrap() {
            assert!(reach.contains(&place.get(A).unwrap()));
        }
    }
    // A caller that cuts the image to the reach still gets all elements.
    let tensor: Vec<u8> = (1..=9).collect();
    let mut image = vec![0; usize::try_from(reach.end - reach.start).unwrap()];
    program.scatter(&tensor, reach, &mut image).unwrap();
    assert_eq!(image.iter().filter(|cell| **cell > 0).count(), 18);
}

#[test]
fn a_digit_of_one_value_may_have_any_stride() {
    const HUGE: u64 = 1 << 63;
    let text = format!("((2_W, 3:1, 1:{HUGE}), (1_PE:{HUGE}))");
    let machine: Machine = "PE=2".parse().unwrap();
    let layout: Layout = text.parse().unwrap();
    let placement = Placement::of(layout).on(&machine).element_bits(16).build().unwrap();
    let program = placement.program().unwrap();
    let mut table = [0_u32; 6];
    program.fill_packed(&mut table).unwrap();
    for (index, number) in placement.layout().indexes().zip(table) {
        let place = placement.locate(&index).unwrap();
        assert_eq!(program.location(number.into()), place);
        assert_eq!(program.place(&index).unwrap(), u64::from(number));
    }
    let copies = Layout::builder()
        .axis(4, [Subaxis::land(4, Level::PE, 1)])
        .replica(1, A, HUGE)
        .replica(1, Level::PE, HUGE)
        .build()
        .unwrap();
    let program = Placement::of(copies).build().unwrap().program().unwrap();
    let mut image = [0_u8; 4];
    program.pack(&[1, 2, 3, 4], &mut image, 0).unwrap();
    assert_eq!(image, [1, 2, 3, 4]);
    let fed = Layout::builder()
        .axis(3, [Subaxis::feed(1, 0, HUGE), Subaxis::feed(3, 0, 1)])
        .derived(0, 3, [Subaxis::land(1, Level::PE, HUGE), Subaxis::land(3, A, 2)])
        .build()
        .unwrap();
    let program = Placement::of(fed).build().unwrap().program().unwrap();
    assert_eq!(program.place(&[2]).unwrap(), 4);
}

#[test]
fn a_base_behind_a_rounded_span_keeps_every_element() {
    let layout = || {
        Layout::builder()
            .axis(3, [Subaxis::land(3, A, 1)])
            .axis(2, [Subaxis::land(2, Level::PE, 1)])
            .span(A, 4)
            .build()
            .unwrap()
    };
    let moved = layout().with_offset(A, 5).unwrap();
    for placement in [
        Placement::of(layout()).base(100).build().unwrap(),
        Placement::of(layout()).base(2).build().unwrap(),
        Placement::of(moved).build().unwrap(),
    ] {
        let program = placement.program().unwrap();
        let tensor: Vec<u16> = (1..=6).collect();
        let mut image = vec![0; usize::try_from(program.places()).unwrap()];
        program.pack(&tensor, &mut image, 0).unwrap();
        let mut inverse = vec![0_u16; image.len()];
        program.fill_inverse(&mut inverse).unwrap();
        for (index, value) in placement.layout().indexes().zip(&tensor) {
            let place = program.place(&index).unwrap();
            assert_eq!(program.location(place), placement.locate(&index).unwrap());
            let at = usize::try_from(place).unwrap();
            assert_eq!((image[at], inverse[at]), (*value, value - 1));
        }
        assert_eq!(image.iter().filter(|cell| **cell > 0).count(), tensor.len());
        let mut back = vec![0; 6];
        program.unpack(&image, &mut back).unwrap();
        assert_eq!(back, tensor);
    }
}

#[test]
fn a_run_of_any_length_is_found_at_once() {
    let all = u64::MAX - 1;
    for (text, length) in [
        (format!("({all}:1)"), all),
        ("((4294967296:2147483648), (2147483648:1))".into(), 1 << 63),
        ("((2:4611686018427387904, 2147483648:2147483648), (1073741824:2, 2:1))".into(), 1 << 63),
        ("(3,4294967295)/((3:4294967296), (4294967296:1))".into(), 4_294_967_295),
        ("((2_PE, 4294967296:1073741824), (1073741824:1))".into(), 1 << 62),
    ] {
        let program = program(&text);
        let first = program.runs().next().unwrap();
        assert_eq!(first, Run { element: 0, length, place: 0, step: 1 }, "{text}");
    }
    let program = program(&format!("({all}:1)"));
    let window = program.window(&[(1 << 40)..(1 << 60)]).unwrap();
    let runs: Vec<Run> = window.runs().collect();
    assert_eq!(runs, [Run { element: 0, length: (1 << 60) - (1 << 40), place: 1 << 40, step: 1 }]);
    assert_eq!(window.windows(u64::MAX).count(), 1);
    let end = program.window(&[all - 5..all]).unwrap();
    assert_eq!(end.windows(3).map(|part| part.elements()).collect::<Vec<_>>(), [3, 2]);
}

#[test]
fn packing_refuses_elements_that_share_a_place() {
    let axis = || [Subaxis::land(2, A, 1)];
    let layout = Layout::builder().axis(2, axis()).axis(2, axis()).build().unwrap();
    let placement = Placement::of(layout).shared_places().build().unwrap();
    let program = placement.program().unwrap();
    let mut image = [9_u8; 3];
    let refusal = program.pack(&[1, 2, 3, 4], &mut image, 0);
    assert!(matches!(&refusal, Err(error) if error.kind() == ErrorKind::Collision), "{refusal:?}");
    assert_eq!(image, [9; 3]);
    let window = program.window(&[0..1, 0..2]).unwrap();
    assert!(window.pack(&[1, 2], &mut image, 0).is_err());
}

#[test]
fn what_a_place_holds_is_refused_where_elements_share_it() {
    let feed = || [Subaxis::feed(2, 0, 1)];
    let land = |size| [Subaxis::land(size, A, 1)];
    // The index map of a convolution, i + k, through a derived axis and without one.
    for layout in [
        Layout::builder().axis(2, feed()).axis(2, feed()).derived(0, 4, land(4)),
        Layout::builder().axis(2, land(2)).axis(2, land(2)),
    ] {
        let placement = Placement::of(layout.build().unwrap()).shared_places().build().unwrap();
        let program = placement.program().unwrap();
        let mut table = vec![77_u8; program.places() as usize];
        let refused = program.fill_inverse(&mut table);
        assert!(
            matches!(&refused, Err(error) if error.kind() == ErrorKind::Collision),
            "{refused:?}"
        );
        let refused = program.fill_inverse_within(1..2, &mut table[1..2]);
        assert!(
            matches!(&refused, Err(error) if error.kind() == ErrorKind::Collision),
            "{refused:?}"
        );
        let refused = program.element(1);
        assert!(
            matches!(&refused, Err(error) if error.kind() == ErrorKind::Collision),
            "{refused:?}"
        );
        assert_eq!(table, vec![77; program.places() as usize]);
    }
}

#[test]
fn a_table_has_every_element_that_shares_a_place_or_is_refused() {
    let rows = |layout: tensor_layout::algebra::LayoutBuilder| {
        let placement = Placement::of(layout.build().unwrap()).shared_places().build().unwrap();
        let mut rows = Vec::new();
        let walked = placement.table().for_each(|row| {
            rows.push((row.place.to_vec(), row.index.map(<[u64]>::to_vec)));
            std::ops::ControlFlow::<()>::Continue(())
        });
        walked.map(|_| rows)
    };
    let land = |size| [Subaxis::land(size, A, 1)];
    let shared = rows(Layout::builder().axis(2, land(2)).axis(2, land(2))).unwrap();
    let expected = [(0, [0, 0]), (1, [0, 1]), (1, [1, 0]), (2, [1, 1])];
    assert_eq!(shared, expected.map(|(at, index)| (vec![at], Some(index.to_vec()))));
    let feed = || [Subaxis::feed(2, 0, 1)];
    let fused = Layout::builder().axis(2, feed()).axis(2, feed()).derived(0, 4, land(4));
    assert!(matches!(&rows(fused), Err(error) if error.kind() == ErrorKind::Collision));
}

#[test]
fn fused_axes_that_take_turns_keep_every_element() {
    for (rows, columns) in (1..=20).flat_map(|rows| (1..=9).map(move |columns| (rows, columns))) {
        for tiles in ["T(*,4,2)", "T(*,6,2)(3,1)", "T(*,*,4)", "T(*,3)(2,1)(2,1)"] {
            let text = format!("u8[{rows},3,{columns}]{{1,2,0:{tiles}}}");
            let layout = LayoutText::parse(&text).unwrap().lower().unwrap();
            let program = Placement::of(layout.clone()).build().unwrap().program().unwrap();
            let slots = usize::try_from(program.elements()).unwrap();
            let mut table = vec![0_u32; slots];
            program.fill_packed(&mut table).unwrap();
            let place = |index: Vec<u64>| program.place(&index).unwrap().try_into().unwrap();
            let places: Vec<u32> = layout.indexes().map(place).collect();
            assert_eq!(table, places, "{rows}, {columns}, {tiles}");
            let tensor: Vec<u32> = (1..).take(slots).collect();
            let mut image = vec![0; usize::try_from(program.places()).unwrap()];
            program.pack(&tensor, &mut image, 0).unwrap();
            for (place, element) in places.iter().zip(&tensor) {
                assert_eq!(image[usize::try_from(*place).unwrap()], *element);
            }
            assert_eq!(image.iter().filter(|cell| **cell > 0).count(), slots);
            let mut inverse = vec![0_u32; image.len()];
            program.fill_inverse(&mut inverse).unwrap();
            for (element, cell) in inverse.into_iter().zip(image) {
                assert!(if cell > 0 { element == cell - 1 } else { element >= u32::MAX - 1 });
            }
        }
    }
}

#[test]
fn parts_of_places_that_nothing_reaches_are_holes() {
    let layout = Layout::builder()
        .axis(2, [Subaxis::land(2, A, 3)])
        .axis(2, [Subaxis::land(2, Level::PE, 1)])
        .offset(A, 4)
        .offset(Level::PE, 1)
        .build()
        .unwrap();
    let machine: Machine = "PE=5".parse().unwrap();
    let program = Placement::of(layout).on(&machine).build().unwrap().program().unwrap();
    let mut unit = [0_u8; 8];
    for (pe, expected) in [(0, [255; 8]), (2, [255, 255, 255, 255, 1, 255, 255, 3])] {
        let at: Location = [(Level::PE, pe)].into_iter().collect();
        program.fill_inverse_at(&at, &mut unit).unwrap();
        assert_eq!(unit, expected, "PE {pe}");
    }
}

/// Packed cell by cell, by the place of every element.
fn moves_every_element<T: Copy + PartialEq + std::fmt::Debug>(text: &str, of: impl Fn(u64) -> T) {
    let layout = LayoutText::parse(text).unwrap().lower().unwrap();
    let placement = Placement::of(layout).build().unwrap();
    let program = placement.program().unwrap();
    let tensor: Vec<T> = (0..program.elements()).map(|n| of(n * 0x9e37_79b9)).collect();
    let fill = of(u64::MAX);
    let mut expected = vec![fill; usize::try_from(program.places()).unwrap()];
    for (index, value) in placement.layout().indexes().zip(&tensor) {
        for place in placement.locate_all(&index).unwrap() {
            let at = |(level, _): (Level, u64)| place.get(level).unwrap_or(0);
            let number = program.columns().fold(0, |sum, column| sum * column.1 + at(column));
            expected[usize::try_from(number).unwrap()] = *value;
        }
    }
    let mut image = vec![of(1); expected.len()];
    program.pack(&tensor, &mut image, fill).unwrap();
    assert!(image == expected, "{text}");
    let mut back = vec![of(2); tensor.len()];
    program.unpack(&image, &mut back).unwrap();
    assert!(back == tensor, "{text}");
}

#[test]
fn tiles_of_every_side_and_width_hold_their_elements() {
    for text in [
        "((67:1), (53:67))",
        "((64:1), (48:64))",
        "((33:2, 2:1), (40:66))",
        "((300:1), (65:300))",
        "((130:1), (33:130))",
        "((5_L2B, 3:48), (5_MAB, 48:1, 5_PE))",
        "(37,50)/((8:8, 5_L1B), (2_MAB, 8:1, 4_PE))",
        "((7:1, 5_PE), (6:7), (5:42), (4:210), (3:840))",
        "((64:16, 2_PE), (16:1, 3_MAB); B@[2_L2B:1])",
        "bf16[61,137]{1,0:T(8,32)(2,1)}",
        "bf16[64,80]{0,1:T(8,16)(2,1)}",
        "s8[50,70]{1,0:T(8,16)(4,1)}",
        "f32[6,10,20]{1,2,0:T(*,8,16)}",
        "f32[30,5,10]{2,1,0:T(*,16)}",
        "bf16[9,13,29]{2,1,0:T(5,16)(3,1)}",
        "((8:4, 9:64), (4:1, 2:32))",
        "((12:8, 3:96), (2:4, 4:1))",
        "((40:3, 7:120), (3:1))",
        "((6_L2B, 12:8), (3_MAB, 8:1, 4_PE))",
        "((6_L2B, 36:16), (3_MAB, 16:1, 8_PE))",
        "((6_L2B, 20:24), (24:1, 2_PE))",
        "((4:1, 3_PE, 9:4), (17:36))",
        "((200:1, 8_PE))",
        "((200:1, 4_PE))",
        "((4_PE, 200:1))",
        "((301:1, 2_PE))",
        // Two or three lanes beside a hole.
        "((2:1), (16:5))",
        "((2:1), (37:3))",
        "((3:1), (49:4))",
    ] {
        moves_every_element(text, |n| n.to_le_bytes()[3]);
        moves_every_element(text, |n| n as u16);
        moves_every_element(text, |n| n as u32);
        moves_every_element(text, |n| n);
        moves_every_element(text, |n| f32::from_bits(n as u32 & 0x007f_ffff));
        moves_every_element(text, |n| n as i64);
        // Cell types that vectors do not support, of every length.
        moves_every_element(text, |n| Some(n as u8));
        moves_every_element(text, |n| [n as u8, 1, 2]);
        moves_every_element(text, |n| (n as u16, n as u8));
        moves_every_element(text, |n| Some(n as u32));
        moves_every_element(text, |n| (n, n as u8));
        moves_every_element(text, |_| ());
    }
}

/// Images of more than 512 KiB, which are filled part by part: of tiles that pad, rows that are fused, columns, and an end without elements.
#[test]
fn a_large_image_has_every_element_in_its_place_and_the_rest_filled() {
    for text in [
        "f32[100,30,70]{1,2,0:T(*,8,128)}",
        "bf16[33,65,129]{2,1,0:T(5,128)(3,1)}",
        "f32[500,300]{0,1:T(8,128)}",
        "(100,1000)/((256:1000), (1000:1))",
    ] {
        let layout = LayoutText::parse(text).unwrap().lower().unwrap();
        let placement = Placement::of(layout).build().unwrap();
        let program = placement.program().unwrap();
        let count = |number: u64| usize::try_from(number).unwrap();
        let mut expected = vec![None; count(program.places())];
        for (element, index) in (0_u32..).zip(placement.layout().indexes()) {
            for place in placement.locate_all(&index).unwrap() {
                expected[count(place.get(A).unwrap())] = Some(element);
            }
        }
        let tensor: Vec<Option<u32>> =
            (0..u32::try_from(program.elements()).unwrap()).map(Some).collect();
        let mut image = vec![Some(u32::MAX); expected.len()];
        program.pack(&tensor, &mut image, None).unwrap();
        assert!(image == expected, "{text}");
        let plain = |cells: &[Option<u32>]| -> Vec<u32> {
            cells.iter().map(|cell| cell.unwrap_or(7)).collect()
        };
        let mut numbers = vec![0; expected.len()];
        program.pack(&plain(&tensor), &mut numbers, 7).unwrap();
        assert!(numbers == plain(&expected), "{text}");
    }
}
