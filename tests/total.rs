//! Law 16: nothing panics, wraps or hangs, for any text or size.

use std::collections::BTreeSet;

use itertools::Itertools;
use tensor_layout::algebra::{Arrangement, IndexOrder};
use tensor_layout::error::ErrorKind;
use tensor_layout::machine::Memory;
use tensor_layout::notation::{CuteLayout, PadLayout};
use tensor_layout::{Found, Layout, Level, Location, Machine, Placement};
use tensor_layout_show::report::{Census, Report, ShapeReport};

fn refused(text: &str) -> String {
    let error = match text.parse::<PadLayout>() {
        Err(error) => error,
        Ok(tree) => tree.lower().expect_err("refused"),
    };
    let message = error.to_string();
    assert!(message.len() < 4096, "a message of {} bytes", message.len());
    assert!(message.lines().all(|line| line.chars().count() < 1200));
    message
}

#[test]
fn megabytes_of_brackets_blanks_and_digits_are_refused() {
    let million = 1 << 20;
    refused(&"(".repeat(million));
    refused(&")".repeat(million));
    refused(&format!("({}", " ".repeat(million)));
    refused(&format!("(({}:1))", "9".repeat(million)));
    refused(&format!("((2_{}:1))", "L".repeat(million)));
    refused(&format!("({})x", "(2:1),".repeat(million / 6)));
    refused(&"(1,".repeat(million / 3));
    refused(&format!("((2:1){}", ",".repeat(million)));
}

#[test]
fn nul_and_other_letters_are_refused_and_shown_printable() {
    let message = refused("((2:1\0))");
    assert_eq!(
        message,
        "\
expected `)` or `,`
 --> 1:6
  | ((2:1?))
  |      ^"
    );
    refused("((2:１))");
    refused("（(2:1))");
    refused("((2_ＰＥ:1))");
    refused("((2:1))\u{feff}");
}

#[test]
fn numbers_beyond_64_bits_are_refused() {
    assert!(refused("((18446744073709551616:1))").contains("does not fit in 64 bits"));
    assert!(refused("((4294967296:1, 4294967296:1))").contains("product of the sizes of axis 0"));
    assert!(refused("((4294967296:1), (4294967296:4294967296))").contains("number of elements"));
    assert!(refused("((3:9223372036854775808))").contains("coordinate of axis 0, subaxis 0"));
    assert!(refused("(1)/((4294967296:1, 4_PE, 4294967295:0))").contains("product of the sizes"));
}

#[test]
fn a_layout_of_2_to_the_60_elements_answers_at_once() {
    let text = "((1048576_L2B:1, 1048576:1048576), (1048576:1))";
    let placement = Placement::of(text.parse().unwrap()).build().unwrap();
    let report = Report::of(&placement).unwrap();
    assert_eq!((report.elements, report.pads), (1 << 60, 0));
    let index = [(1 << 40) - 3, 77];
    let place = placement.locate(&index).unwrap();
    assert_eq!(placement.element(&place).unwrap(), Found::Element(index.to_vec()));
}

#[test]
fn extents_up_to_2_to_the_63_and_primes_are_exact() {
    let layout: Layout = "((9223372036854775808:1))".parse().unwrap();
    assert_eq!(layout.elements(), 1 << 63);
    assert_eq!(layout.locate(&[(1 << 63) - 1]).unwrap().get(Level::ADDR), Some((1 << 63) - 1));
    let prime: Layout = "((4294967291_PE:1, 3:4294967291))".parse().unwrap();
    assert_eq!(
        prime.locate(&[12_884_901_872]).unwrap().to_string(),
        "PE=4294967290,Addr=8589934582"
    );
}

#[test]
fn zero_extents_have_no_elements_and_unit_axes_one() {
    let empty: Layout = "(0,7)/((3:7, 4_PE), (7:1))".parse().unwrap();
    assert_eq!((empty.elements(), empty.pads().unwrap()), (0, 84));
    let zero = Location::from_iter([(Level::PE, 0), (Level::ADDR, 0)]);
    assert_eq!(empty.element(&zero).unwrap(), Found::Padding);
    let unit: Layout = "((), (), ())".parse().unwrap();
    assert_eq!(unit.locate(&[0, 0, 0]).unwrap().to_string(), "Addr=0");
    let scalar: Layout = "()".parse().unwrap();
    assert_eq!(scalar.element(&Location::default()).unwrap(), Found::Element(vec![]));
}

#[test]
fn ten_thousand_subaxes_are_placed() {
    let units = vec!["1:1"; 10_000].join(", ");
    let layout: Layout = format!("((2_PE, {units}), (3:1))").parse().unwrap();
    assert_eq!(layout.locate(&[1, 2]).unwrap().to_string(), "PE=1,Addr=2");
    let levels: Vec<String> = (0..10_000).map(|level| format!("1_X{level}")).collect();
    let layout: Layout = format!("(({}, 3:1))", levels.join(", ")).parse().unwrap();
    let place = layout.locate(&[2]).unwrap();
    assert_eq!(layout.element(&place).unwrap(), Found::Element(vec![2]));
    let axes = format!("({})", vec!["1:1"; 10_000].join(", "));
    assert_eq!(axes.parse::<Layout>().unwrap().rank(), 10_000);
    let overlapping: Layout = "(1)/((2:0))".parse().unwrap();
    assert_eq!(overlapping.pads().unwrap(), 1);
}

#[test]
fn counts_beyond_64_bits_are_too_large() {
    let layout: Layout = "((2:9223372036854775808))".parse().unwrap();
    let complement = layout.complement(&[(Level::ADDR, u64::MAX)]);
    assert!(
        matches!(&complement, Err(error) if error.kind() == ErrorKind::TooLarge),
        "{complement:?}"
    );
    let units = "((2_A:1099511627776), (2_B:1099511627776))".parse().unwrap();
    let placement = Placement::of(units).build().unwrap();
    let census = Census::of(&placement, &Location::default());
    assert!(matches!(&census, Err(error) if error.kind() == ErrorKind::TooLarge), "{census:?}");
}

#[test]
fn strides_too_tangled_to_decide_are_not_decided() {
    // 26 strides whose 3^26 differences are too sparse to cancel and too many to try.
    let mut state = 1_u64;
    let strides = (0..26).map(|_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 12
    });
    let axes: Vec<String> = strides.map(|stride| format!("2:{stride}")).collect();
    let message = refused(&format!("({})", axes.join(", ")));
    assert!(
        message.starts_with("not decided: checking whether two elements share a place"),
        "{message}"
    );
}

#[test]
fn placements_are_in_an_order_in_which_equal_ones_alone_are_equal() {
    let plain = || Machine::builder("m").level(Level::L2B, 2).level(Level::PE, 4);
    let lm = Memory { capacity: None, owner: Level::PE, group: 1 };
    let dram = Memory { capacity: Some(64), owner: Level::L2B, group: 2 };
    let machines = [
        plain().build().unwrap(),
        Machine::builder("n").level(Level::L2B, 2).level(Level::PE, 4).build().unwrap(),
        Machine::builder("m").level(Level::L2B, 2).level(Level::PE, 8).build().unwrap(),
        plain().memory("LM", lm).build().unwrap(),
        plain().memory("LM", dram).build().unwrap(),
        plain().build().unwrap().with_bandwidth([(Level::PE, 1), (Level::L2B, 2)]).unwrap(),
        plain().build().unwrap().with_bandwidth([(Level::L2B, 2), (Level::PE, 1)]).unwrap(),
    ];
    let mut placements = Vec::new();
    for text in ["((2_L2B, 4:1))", "((2_L2B, 4:2))"] {
        let of = || Placement::of(text.parse().unwrap());
        placements.extend(machines.iter().map(|machine| of().on(machine).build().unwrap()));
        placements.push(of().build().unwrap());
        placements.push(of().element_bits(16).build().unwrap());
        placements.push(of().on(&machines[3]).memory("LM").build().unwrap());
    }
    for (a, b) in placements.iter().cartesian_product(&placements) {
        assert_eq!(a.cmp(b).is_eq(), a == b, "{a:?} {b:?}");
        assert_eq!(a.cmp(b), b.cmp(a).reverse());
    }
    // The order of the rates does not matter: one duplicate of each layout drops out.
    assert_eq!(placements.iter().collect::<BTreeSet<_>>().len(), placements.len() - 2);
    assert!(machines[0] < machines[1], "the name comes first");
}

#[test]
fn machines_that_contradict_themselves_are_refused() {
    let refused = |text: &str| text.parse::<Machine>().expect_err("refused").kind().to_string();
    assert_eq!(refused("L2B=0"), "invalid machine: level `L2B` has size 0");
    assert_eq!(
        refused("Time=4"),
        "invalid machine: `Time` does not name hardware, so a machine cannot have it"
    );
    assert_eq!(refused("PE=4,PE=4"), "this level was given already");
    let huge = "A=4294967296,B=4294967296,C=2";
    assert_eq!(refused(huge), "invalid machine: the number of its units does not fit in 64 bits");
    assert_eq!(
        Machine::builder("none").build().unwrap_err().to_string(),
        "invalid machine: it lacks levels; name at least one, as in `PE=4`"
    );
}

#[test]
fn operations_on_hostile_layouts_answer_or_refuse() {
    let huge = u64::MAX;
    let texts = [
        "()".to_owned(),
        "(0)/((4:1))".to_owned(),
        "((2:0))".replace("2:0", "1:0"),
        format!("(({huge}:1))"),
        "((9223372036854775808:1))".to_owned(),
        "((2:9223372036854775807))".to_owned(),
        "((4_PE:1, 3:1), (2_L2B:1); B@[2_MAB:1])".to_owned(),
    ];
    for text in texts {
        let layout: Layout = text.parse().unwrap();
        let maps =
            ["((1_i0:0))", "((2_i0:1))", "(1:0)", "((18446744073709551615:1))", "((0_i9:1))"];
        let maps = maps.iter().filter_map(|map| map.parse::<Layout>().ok());
        for map in maps {
            let composed = layout.compose(&map);
            let _ = composed.map(|composed| {
                (PadLayout::map_of(&composed), composed.canonical(), CuteLayout::of(&composed))
            });
            let _ = layout
                .as_function(IndexOrder::Colexicographic)
                .divide_axes(&map, Arrangement::Logical);
            let _ = layout.product(&map, Arrangement::Logical);
            let _ = (layout.same_map(&map), layout.serves(&map), map.same_up_to_padding(&layout));
        }
        for number in [0, 1, 2, 3, huge - 1, huge] {
            let axis = usize::try_from(number).unwrap();
            let _ = (layout.insert_axis(axis), layout.drop_axis(axis), layout.merge_axes(0, axis));
            let _ = (
                layout.reshape(&[number]),
                layout.split_axis(0, &[number, 1]),
                layout.pad_to(&[number]),
            );
            let _ = (layout.tile(0, number, Level::PE), layout.expand(0, number, Level::ADDR));
            let _ = (layout.slice(0, number, huge, 1), layout.slice(0, 0, number, number));
            let _ = layout.complement(&[(Level::ADDR, number), (Level::PE, number)]);
            let _ = layout.restrict(&Location::from_iter([(Level::PE, number)]));
            let sliced = layout.slice(0, 0, 1, 1).and_then(|slice| PadLayout::map_of(&slice));
            assert!(sliced.is_ok() || layout.rank() == 0);
        }
        let _ = (layout.left_inverse(), layout.right_inverse(), layout.with_minimal_padding());
        let _ = (
            layout.project(Level::ADDR),
            layout.as_function(IndexOrder::Colexicographic).flattened(),
        );
    }
}

#[test]
fn shapes_of_many_dimensions_and_bases_at_the_end_of_64_bits_are_bounded() {
    let wide = format!("f32[{}]", vec!["1"; 20_000].join(","));
    let report = ShapeReport::of(&wide.parse().unwrap()).unwrap();
    assert_eq!(report.sizes.allocated_bytes, 4);
    let layout: Layout = "((4:1))".parse().unwrap();
    for base in [u64::MAX - 3, u64::MAX] {
        assert!(Placement::of(layout.clone()).base(base).build().is_err());
    }
    let last = Placement::of(layout).base(u64::MAX - 4).build().unwrap();
    assert!(Report::of(&last).is_ok());
}
