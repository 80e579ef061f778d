//! XLA shapes: the formula of the documentation written out, pinned numbers, the corpus.

use itertools::Itertools;
use proptest::prelude::*;
use tensor_layout::error::ParseErrorKind;
use tensor_layout::notation::{Notation, PadLayout};
use tensor_layout::xla::{XlaArray, XlaDtype, XlaParser, XlaShape, XlaSizes};
use tensor_layout::{Layout, LayoutText, Level};
use tensor_layout_show::report::ShapeReport;

use crate::laws::any_array;
use crate::run::properties;

const CORPUS: &str = include_str!("data/xla_shapes.txt");

fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    CORPUS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
}

fn shape(text: &str) -> XlaShape {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn array(text: &str) -> XlaArray {
    shape(text).arrays()[0].1.clone()
}

fn address(text: &str, index: &[u64]) -> u64 {
    shape(text).lower().unwrap().locate(index).unwrap().get(Level::ADDR).unwrap()
}

fn sizes(text: &str) -> XlaSizes {
    shape(text).sizes().unwrap()
}

properties! {
    #![proptest_config(ProptestConfig {
        cases: 300, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn printing_what_was_parsed_is_a_fixed_point(array in any_array()) {
        let text = array.to_string();
        let parsed: XlaShape = text.parse().unwrap();
        prop_assert_eq!(parsed.to_string(), text);
    }

    #[test]
    fn mutated_corpus_strings_never_panic(
        entry in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(),
        cut in 0_usize..4, junk in "[-0-9a-zA-Z(){}\\[\\],:*#<=? ]{0,4}", lenient in any::<bool>()
    ) {
        let (text, _) = entry.get(&entries().collect::<Vec<_>>()).to_owned();
        let start = at.index(text.len() + 1);
        let end = (start + cut).min(text.len());
        let mutated = format!("{}{}{}", &text[..start], junk, &text[end..]);
        let parser = if lenient { XlaParser::lenient() } else { XlaParser::strict() };
        let error = match parser.parse(&mutated) {
            Err(error) => Some(error),
            Ok(shape) => {
                // `u32[]{:S(0)}` is printed without its empty layout.
                let again: XlaShape = shape.to_string().parse().unwrap();
                prop_assert_eq!(again.canonical(), shape.canonical());
                shape.sizes().and_then(|_| ShapeReport::of(&shape).map(|_| ())).err()
            }
        };
        if let Some(error) = error {
            let span = error.span();
            prop_assert!(span.start <= span.end && span.end <= error.text().len());
            prop_assert!(error.to_string().len() < 4096);
        }
    }
}

/// The shapes of TPU dumps, one per line.
fn dumped() -> impl Iterator<Item = XlaArray> {
    let text = include_str!("data/tpu_shapes.txt");
    text.lines().filter(|line| !line.starts_with('#')).map(array)
}

#[test]
fn shapes_of_dumps_come_back_as_written() {
    let (mut all, mut same) = (0, 0);
    for written in dumped() {
        let layout = written.lower().unwrap();
        assert_eq!(written.laid_out_as(&layout).unwrap(), written);
        // The memory space is not part of the layout.
        let mut bare = written.clone();
        bare.layout.as_mut().unwrap().memory_space = 0;
        let back = XlaArray::of(&layout, written.dtype).unwrap();
        all += 1;
        same += u32::from(back == bare);
        if back != bare {
            println!("{bare} came back as {back}");
        }
    }
    assert!(all >= 90, "{all} shapes");
    assert!(same * 100 >= all * 95, "{same} of {all}");
}

#[test]
fn a_shape_whose_tiles_combine_uneven_digits_comes_back_with_itself_as_the_hint() {
    let shape: XlaShape = "f32[4,4,1,4]{1,0,2,3:T(*,3)(3,3,*,5)(*,5,1)}".parse().unwrap();
    let hint = shape.as_array().unwrap();
    assert_eq!(&hint.laid_out_as(&shape.lower().unwrap()).unwrap(), hint);
}

#[test]
fn every_corpus_string_prints_canonically_or_is_refused_for_its_reason() {
    let mut refused = 0;
    for (text, note) in entries() {
        let illegal =
            ["rejects it", "must fail", "upper case"].iter().any(|mark| note.contains(mark));
        match text.parse::<XlaShape>() {
            Ok(shape) => {
                assert!(!illegal, "{text}: {note}");
                shape.validate().unwrap_or_else(|error| panic!("{error}"));
                let dense = text.replace(' ', "");
                assert_eq!(shape.to_string(), dense.replace("S(0)", "").replace(":}", "}"));
                assert_eq!(
                    shape.canonical().to_string().parse::<XlaShape>().unwrap(),
                    shape.canonical()
                );
                shape.sizes().unwrap_or_else(|error| panic!("{error}"));
            }
            Err(_) => {
                assert!(illegal, "{text}: {note}");
                refused += 1;
            }
        }
    }
    assert_eq!((entries().count(), refused), (110, 7));
}

#[test]
fn lenient_parsing_takes_what_documentation_prints() {
    let lenient = |text: &str| XlaParser::lenient().parse(text).map(|shape| shape.to_string());
    assert_eq!(lenient("F32[3,5]{1,0:T(2,2)}").unwrap(), "f32[3,5]{1,0:T(2,2)}");
    assert_eq!(lenient("BF16[4,8]{1,0:(2,4)(2,1)}").unwrap(), "bf16[4,8]{1,0:T(2,4)(2,1)}");
    assert_eq!(lenient("f32[2]{0:S(1)E(16)T(4)}").unwrap(), "f32[2]{0:T(4)E(16)S(1)}");
    assert_eq!(lenient("f32[2,3,8]{2,1,0:T(2,∗,4)}").unwrap(), "f32[2,3,8]{2,1,0:T(2,*,4)}");
    assert!(lenient("f32[2]{0:S(1)S(1)}").is_err());
    assert!(lenient("bf16[4,8]{1,0,T(2,4)(2,1)}").is_err());
}

#[test]
fn attributes_out_of_order_are_refused_by_the_strict_parser() {
    let strict = |text: &str| XlaParser::strict().parse(text).map_err(|error| error.to_string());
    let ordered =
        ["D(D)", "T(4)", "L(2)", "#(u32)", "*(u32)", "E(16)", "S(1)", "SC(0:1)", "P(u8[])", "M(8)"];
    for [first, second] in ordered.iter().array_combinations() {
        let forward = strict(&format!("f32[2]{{0:{first}{second}}}"));
        let backward = strict(&format!("f32[2]{{0:{second}{first}}}")).unwrap_err();
        let is_physical = |text: &str| text.starts_with("Layout has physical shape");
        match [first, second].iter().any(|attribute| attribute.starts_with('P')) {
            true => assert!(is_physical(&forward.unwrap_err())),
            false => assert!(forward.is_ok(), "{first}{second}"),
        }
        match second.starts_with('P') {
            true => assert!(is_physical(&backward)),
            false => assert!(backward.contains("out of order"), "{second}{first}: {backward}"),
        }
    }
}

#[test]
fn the_printer_emits_xla_text() {
    for (text, printed) in [
        ("f32[2]{0:}", "f32[2]{0}"),
        ("f32[]{:}", "f32[]"),
        ("f32[2]{0:L(1)E(0)S(0)M(-3)}", "f32[2]{0}"),
        ("f32[]{:L(1)M(0)}", "f32[]"),
        ("f32[2]{0:D(D)}", "f32[2]{0}"),
        ("f32[ <= 5, ?]{1, 0 /* order */}", "f32[<=5,?]{1,0}"),
        ("s4[5,2]{1,0:E(8)}", "s4[5,2]{1,0:E(8)}"),
        (
            "f32[1,2,3,4]{3,2,1,0:T(42,123)(4,5)L(100)E(42)}",
            "f32[1,2,3,4]{3,2,1,0:T(42,123)(4,5)L(100)E(42)}",
        ),
        ("f32[5,6]{0,1:SC(0:3)(1:0,4)}", "f32[5,6]{0,1:SC(0:3)(1:0,4)}"),
        ("f32[5,6]{0,1:M(123)}", "f32[5,6]{0,1:M(123)}"),
        ("f32[1,1,1,1]{3,2,1,0:#(u32)}", "f32[1,1,1,1]{3,2,1,0:#(u32)}"),
        ("b( f32[3]{0} )", "b(f32[3]{0})"),
        ("( )", "()"),
        ("(token[], opaque[])", "(token[], opaque[])"),
        ("f32[007]{0} // seven", "f32[7]{0}"),
        (
            "(f32[1]{0}, f32[2]{0}, f32[3]{0}, f32[4]{0}, f32[5]{0}, f32[6]{0})",
            "(f32[1]{0}, f32[2]{0}, f32[3]{0}, f32[4]{0}, f32[5]{0}, /*index=5*/f32[6]{0})",
        ),
    ] {
        assert_eq!(shape(text).to_string(), printed);
        assert_eq!(shape(printed), shape(text));
    }
    assert_eq!(shape("(f32[2,3], s32[])").canonical().to_string(), "(f32[2,3]{1,0}, s32[])");
}

#[test]
fn what_xla_lets_through_or_dies_of_is_refused() {
    for text in [
        "f32[2]{}",
        "f32[]{}",
        "f32[2]{0:T}",
        "f32[2]{0:T(8}",
        "f32[2]{0:#(s32)",
        "f32[2]{0:T(8,)}",
        "f32[-1]",
        "f32[<=-9223372036854775808]",
        "f32[<=?]",
        "f32[< =2]",
        "f32[2]{0:S(1)E(4)}",
        "f32[2]{0:T(8)T(8)}",
        "f32[18446744073709551615]",
        "f32[2x3]",
        "f32[1.]",
        "f32[1e3]",
        "f32[+1]",
        "token[]{0}",
        "opaque[2]",
        "token[2]",
        "b(b(f32[]))",
        "b((f32[]))",
        "(f32[],)",
        "i32[2]",
        "f128[2]",
        "tuple",
        "F32[2]",
        "f32[2]{0:P(f32[2])}",
        "f32[2]{0:Q(1)}",
        "f32[2]{0}x",
        "f32[2]/*",
        "f32 [2]]",
    ] {
        assert!(text.parse::<XlaShape>().is_err(), "{text}");
    }
    for text in ["f32[2]{0:L(0)}", "f32[2]{0:L(-3)}", "f32[2]{0:T(-1)}", "f32[2,2]{1,0:T(2,*)}"] {
        assert!(shape(text).validate().is_err(), "{text}");
    }
}

#[test]
fn validation_speaks_xla() {
    for (text, message) in [
        ("f32[2,2]{0}", "Dimensions size is 2, but minor to major size is 1."),
        ("f32[8]{:T(2, 2)}", "Dimensions size is 1, but minor to major size is 0."),
        ("f32[2]{1}", "layout minor_to_major field has out-of-bounds value: {1}; shape: f32[2]"),
        (
            "f32[2,2]{-1,0}",
            "layout minor_to_major field has out-of-bounds value: {-1, 0}; shape: f32[2,2]",
        ),
        (
            "f32[2,2]{0,0}",
            "layout minor_to_major field has duplicate values: {0, 0}; shape: f32[2,2]",
        ),
        ("f32[2,2]{1,0:T()}", "layout has invalid tiles: f32[2,2]"),
        (
            "f32[2,2]{1,0:T(0)}",
            "layout has invalid tiles: tile dimension 0 must be positive or kCombineDimension: f32[2,2]",
        ),
        ("f32[2]{0:E(-4)}", "layout element_size_in_bits field is negative: -4"),
        (
            "f32[2]{0:#(u32)}",
            "layout has a index_primitive_type, but is not a sparse array: f32[2]{0:#(u32)}",
        ),
        (
            "f32[2]{0:*(u32)}",
            "layout has a pointer_primitive_type, but is not a sparse array: f32[2]{0:*(u32)}",
        ),
        (
            "f32[2,2]{1,0:SC(5:1)}",
            "split config has out-of-bounds physical dimension: 5; shape: f32[2,2]",
        ),
        (
            "f32[2,2]{1,0:SC(0:1)(0:1)}",
            "split config has duplicate physical dimension: 0; shape: f32[2,2]",
        ),
        (
            "f32[9]{0:SC(0:3,2)}",
            "split config split indices must be strictly increasing and positive: {3, 2}; shape: f32[9]",
        ),
        (
            "f32[9]{0:SC(0:0)}",
            "split config split indices must be strictly increasing and positive: {0}; shape: f32[9]",
        ),
        (
            "f32[2]{0:SC(0:7)}",
            "split config split index is out of bounds: 7 (dim size 2); shape: f32[2]",
        ),
        (
            "f32[4611686018427387904,4]",
            "Shape Error: Dimensions overflow. Shape(f32): f32[4611686018427387904,4]",
        ),
        ("f32[2305843009213693952]", "Shape f32[2305843009213693952] size may overflow int64_t."),
    ] {
        let error = text.parse::<XlaShape>().and_then(|shape| shape.validate()).unwrap_err();
        assert_eq!(error.kind(), &ParseErrorKind::Invalid(message.into()));
    }
    let error = shape("f32[2,2]{1,0:T(8)T(0)}".replace(")T", ")").as_str()).validate().unwrap_err();
    assert_eq!(
        error.to_string(),
        "\
layout has invalid tiles: tile dimension 0 must be positive or kCombineDimension: f32[2,2]
 --> 1:17
  | f32[2,2]{1,0:T(8)(0)}
  |                  ^^^"
            .replace("1:17", "1:18")
    );
}

#[test]
fn nesting_and_megabytes_are_bounded() {
    let tuple =
        format!("{}f32[]{}", "(".repeat(XlaParser::MAX_DEPTH), ")".repeat(XlaParser::MAX_DEPTH));
    assert!(tuple.parse::<XlaShape>().is_ok());
    let deep = "(".repeat(1 << 20);
    assert!(matches!(deep.parse::<XlaShape>().unwrap_err().kind(), ParseErrorKind::TooDeep(256)));
    for text in ["f32[1,", "f32[2]{0:T(1,", "/*", "9", "f32[2]{0:T(8)", "a"] {
        let hostile = text.repeat((1 << 20) / text.len());
        let error = hostile.parse::<XlaShape>().unwrap_err();
        assert!(error.to_string().len() < 4096);
    }
    let long = format!("f32[2]{{0:T({})}}", vec!["1"; 10_000].join(","));
    assert_eq!(shape(&long).lower().unwrap().locate(&[1]).unwrap().get(Level::ADDR), Some(1));
    let many = format!("f32[2]{{0:T{}}}", "(2)".repeat(3000));
    assert!(shape(&many).lower().is_ok());
}

#[test]
fn figure_2_and_the_index_facts_of_xla() {
    let rows: Vec<Vec<u64>> = (0..4)
        .map(|i| (0..8).map(|j| address("bf16[4,8]{1,0:T(2,4)(2,1)}", &[i, j])).collect())
        .collect();
    assert_eq!(rows[0], [0, 2, 4, 6, 8, 10, 12, 14]);
    assert_eq!(rows[1], [1, 3, 5, 7, 9, 11, 13, 15]);
    assert_eq!(rows[2], [16, 18, 20, 22, 24, 26, 28, 30]);
    for (text, index, expected) in [
        ("f32[3,5]{1,0:T(2,2)}", &[2, 3][..], 17),
        ("bf16[2048]{0:T(1024)(128)(2,1)}", &[0], 0),
        ("bf16[2048]{0:T(1024)(128)(2,1)}", &[1], 2),
        ("bf16[2048]{0:T(1024)(128)(2,1)}", &[128], 1),
        ("bf16[2,8,128]{2,1,0:T(8,128)(2,1)}", &[0, 2, 0], 256),
        ("f32[8,4]{1,0:T(2,2)}", &[3, 1], 11),
        ("f32[8,4]{1,0}", &[3, 1], 13),
        ("u32[]{:T(128)}", &[], 0),
        ("f32[3]{0:T(8,128)}", &[2], 2),
        ("f32[8]{0:T(2,2)}", &[5], 9),
        ("f32[100]{0}", &[42], 42),
        ("f32[10,20]{0,1}", &[9, 19], 199),
        ("f32[10,20]{0,1}", &[3, 5], 53),
        ("f32[10,20]{1,0}", &[3, 5], 65),
        ("f32[10,20,30]{2,1,0}", &[3, 5, 7], 1957),
        ("f32[10,20,30]{2,1,0}", &[8, 15, 27], 5277),
        ("f32[10,20,30]{1,2,0}", &[3, 5, 7], 1945),
        ("f32[10,20,30]{1,2,0}", &[8, 15, 27], 5355),
        ("f32[10,20,30,40]{3,2,1,0}", &[3, 5, 7, 9], 78289),
        ("f32[10,20,30,40]{3,2,1,0}", &[8, 15, 27, 33], 211_113),
    ] {
        assert_eq!(address(text, index), expected, "{text} {index:?}");
    }
}

#[test]
fn combined_dimensions_follow_the_documentation() {
    let combined = "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}";
    let tiled = "bf16[2,3,1004]{2,1,0:T(2,*,128)}";
    let twice = "bf16[8,2,3,1004]{3,2,1,0:T(2,*,*,128)}";
    let nested = "bf16[5,6,700]{2,1,0:T(2,*,128)(2,1)}";
    for (text, index, expected) in [
        (combined, &[0, 0, 0, 0, 3][..], 6),
        (combined, &[0, 0, 1, 0, 0], 3),
        (combined, &[0, 0, 0, 1, 0], 19),
        (combined, &[0, 1, 0, 0, 0], 888),
        (combined, &[1, 0, 0, 0, 0], 6216),
        (combined, &[1, 6, 7, 10, 9], 12430),
        (tiled, &[1, 0, 0], 128),
        (tiled, &[0, 1, 0], 1900),
        (tiled, &[0, 2, 1003], 5955),
        (twice, &[1, 0, 0, 0], 128),
        (twice, &[0, 1, 0, 0], 5956),
        (twice, &[7, 1, 2, 1003], 49031),
        (nested, &[1, 0, 0], 1),
        (nested, &[0, 1, 0], 1400),
        (nested, &[2, 0, 0], 8448),
        (nested, &[4, 5, 699], 25294),
    ] {
        assert_eq!(address(text, index), expected, "{text} {index:?}");
    }
    for (text, span) in [(combined, 12432), (tiled, 6144), (twice, 49152), (nested, 25344)] {
        assert_eq!(shape(text).lower().unwrap().span(Level::ADDR), span, "{text}");
    }
}

#[test]
fn allocations_are_those_of_error_reports() {
    const MIB: u64 = 1 << 20;
    for (text, allocated, unpadded) in [
        ("s32[2048,1,128,128,4]{4,3,2,0,1:T(8,128)}", 16384 * MIB, 512 * MIB),
        ("bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}", 4096 * MIB, 1024 * MIB),
        ("s32[8388608,8,4]{2,1,0:T(8,128)}", 32768 * MIB, 1024 * MIB),
        ("pred[64,512,2048]{2,1,0:T(8,128)E(32)}", 256 * MIB, 64 * MIB),
        ("u32[12582912,1]{1,0:T(8,128)}", 6144 * MIB, 48 * MIB),
        ("f32[29184,2,2560]{2,1,0:T(2,128)}", 570 * MIB, 570 * MIB),
        ("f32[29184,1,2560]{2,1,0:T(2,128)}", 570 * MIB, 285 * MIB),
        ("f32[1024,245,64]{1,2,0:T(8,128)}", 64 * MIB, 64_225_280),
        ("bf16[512,16,3072]{2,1,0:T(8,128)(2,1)}", 48 * MIB, 48 * MIB),
        ("bf16[16,1280,40]{2,1,0:T(8,128)(2,1)}", 5_242_880, 1_638_400),
        ("bf16[16,1280,40]{1,2,0:T(8,128)(2,1)}", 1_638_400, 1_638_400),
        ("u8[327680,327680]{1,0:T(8,128)(4,1)}", 107_374_182_400, 107_374_182_400),
        ("f32[129,1024]{0,1:T(8,128)}", 1_048_576, 528_384),
        ("f32[129,1024]{1,0:T(8,128)}", 557_056, 528_384),
    ] {
        let sizes = sizes(text);
        assert_eq!((sizes.allocated_bytes, sizes.unpadded_bytes), (allocated, unpadded), "{text}");
    }
}

#[test]
fn sizes_are_those_of_xla_tests() {
    let four = |text: &str| {
        let XlaSizes { unpadded_bytes, allocated_bytes, span_bytes, data_bytes } = sizes(text);
        [unpadded_bytes, allocated_bytes, span_bytes, data_bytes]
    };
    assert_eq!(four("s4[64,128]{1,0:E(4)}"), [4096; 4]);
    assert_eq!(four("s4[9216,6144]{1,0:T(64,128)(8,1)E(4)}"), [28_311_552; 4]);
    assert_eq!(four("s4[0,6144]{1,0:E(4)}"), [0; 4]);
    assert_eq!(four("f32[0,5]{1,0:T(8,128)}"), [0; 4]);
    assert_eq!(four("f32[]"), [4; 4]);
    assert_eq!(four("f32[10,20]"), [800; 4]);
    assert_eq!(four("f64[10,20]"), [1600; 4]);
    assert_eq!(four("c64[10,20]"), [1600; 4]);
    assert_eq!(four("f32[<=10,20]"), [800; 4]);
    assert_eq!(four("(s32[], s32[])"), [8; 4]);
    assert_eq!(four("bf16[3,5]{1,0:T(3,128)(2,1)}"), [30, 768, 1024, 522]);
    // Rank 1: ArrayDataSize ignores the tile, the index map does not.
    assert_eq!(four("f32[8]{0:T(2,2)}"), [32, 64, 64, 32]);
    // L and SC count only with a tile.
    assert_eq!(sizes("f32[5]{0:L(8)}").allocated_bytes, 20);
    assert_eq!(sizes("f32[5]{0:T(4)L(32)}").allocated_bytes, 128);
    // The longest pieces: 150 x 90 x 70 in physical order.
    let split = "f32[150,200,100]{0,1,2:T(1)SC(0:30)(1:40,130)}";
    assert_eq!(sizes(split).allocated_bytes, 945_000 * 4);
    assert_eq!(
        shape("f32[?,5]").sizes().unwrap_err().kind().to_string(),
        "dimension 0 is unbounded, so the places of its elements are not fixed"
    );
    assert_eq!(array("s4[2,4]{1,0:E(4)}").bit_offset(3), 12);
}

#[test]
fn padding_is_counted_in_elements_however_narrow() {
    let padding = |text: &str| {
        ShapeReport::of(&shape(text)).unwrap().members[0].report().unwrap().padding_elements
    };
    assert_eq!(padding("f32[10,7]{1,0:T(8,128)}"), 16 * 128 - 70);
    assert_eq!(padding("s4[127]{0:T(128)E(4)}"), 1);
    assert_eq!(padding("s4[9223372036854775807]{0:T(128)E(4)}"), 1);
    // Half a byte of the allocation is not a slot, and a wide `E` adds bits, not elements.
    assert_eq!(padding("s4[3]{0:E(4)}"), 0);
    assert_eq!(padding("pred[4]{0:E(32)}"), 0);
}

#[test]
fn tiles_that_change_nothing_are_canonically_nothing() {
    let same = |tiled: &str, plain: &str| {
        let canonical = |text: &str| shape(text).lower().unwrap().canonical().unwrap();
        canonical(tiled) == canonical(plain)
    };
    assert!(same("f32[24,128]{1,0:T(8,128)}", "f32[24,128]{1,0}"));
    assert!(same("f32[4,256]{1,0:T(1,128)}", "f32[4,256]{1,0}"));
    assert!(!same("f32[2,3,4]{2,1,0:T(8,128)}", "f32[2,3,4]{2,1,0}"));
}

#[test]
fn raising_keeps_the_map_and_says_what_it_cannot_say() {
    let raised = |text: &str| PadLayout::of(&shape(text).lower().unwrap()).map(|t| t.to_string());
    assert_eq!(raised("f32[3,5]{1,0:T(2,2)}").unwrap(), "(3,5)/((2:12, 2:2), (3:4, 2:1))");
    assert_eq!(raised("f32[3]{0:T(8,128)}").unwrap(), "(3)/((8:128, 128:1))");
    assert_eq!(
        raised("f32[6,5]{1,0:T(3,128)(2,1)}").unwrap_err().to_string(),
        "a PadLayout cannot express this layout: axis 0 is padded inside a tile: a digit of size 3 is split into 2 x 2"
    );
    assert_eq!(
        raised("f32[3,5]{1,0:T(*,4)}").unwrap_err().to_string(),
        "a PadLayout cannot express this layout: it can express the elements, but only 15 of the 16 slots"
    );
    let map = |text: &str| PadLayout::map_of(&shape(text).lower().unwrap()).unwrap();
    let (text, lost) = map("u32[]{:T(128)}");
    assert_eq!(
        (text.to_string().as_str(), lost.as_deref()),
        ("()", Some("padding is omitted (1 of 128 slots is kept)"))
    );
    let (text, lost) = map("f32[2,3]{1,0:T(*,8)}");
    assert_eq!((text.to_string().as_str(), lost.is_some()), ("((2:3), (3:1))", true));
}

#[test]
fn layouts_that_xla_cannot_say_are_refused_with_the_reason() {
    let f32 = XlaDtype::from_name("f32").unwrap();
    let refused = |text: &str| {
        let layout: Layout = text.parse().unwrap();
        XlaArray::of(&layout, f32).unwrap_err().to_string()
    };
    assert!(refused("((4_PE, 2:1))").ends_with("this layout uses `PE`"));
    assert!(
        refused("((4:1); B@[2:4])".replace("2:4", "2_Addr:4").as_str())
            .ends_with("it cannot express copies, but this layout copies along `Addr`")
    );
    assert!(refused("((4:3))").ends_with("the layout fills only 4 of 10 addresses"));
    assert!(refused("((2:1, 2:2))").ends_with("gives this map"));
    for (dtype, text, shape) in [
        ("f32", "((3:5), (5:1))", "f32[3,5]{1,0}"),
        ("f32", "((24:128), (128:1))", "f32[24,128]{1,0:T(8,128)}"),
        ("f64", "((24:128), (128:1))", "f64[24,128]{1,0}"),
        ("f32", "((4096:1))", "f32[4096]{0:T(1024)}"),
    ] {
        let layout: Layout = text.parse().unwrap();
        let dtype = XlaDtype::from_name(dtype).unwrap();
        assert_eq!(XlaArray::of(&layout, dtype).unwrap().to_string(), shape);
    }
}

#[test]
fn a_text_is_recognised_by_its_first_letter_or_digit() {
    for (text, notation) in [
        ("f32[2]", Notation::Xla),
        ("(f32[2])", Notation::Xla),
        ("b(f32[2])", Notation::Xla),
        ("((), f32[2])", Notation::Xla),
        ("()", Notation::PadLayout),
        ("((), (2:1))", Notation::PadLayout),
        ("(; B@[PE])", Notation::PadLayout),
        ("((2_PE:1))", Notation::PadLayout),
    ] {
        assert_eq!(Notation::of(text), notation, "{text}");
        assert!(LayoutText::parse(text).is_ok(), "{text}");
    }
}

#[test]
fn advice_lists_what_dumps_show_first_and_each_group_by_size() {
    let advice = array("bf16[16,1280,40]{2,1,0:T(8,128)(2,1)}").advice().unwrap();
    let keys: Vec<_> = advice.iter().map(|a| (!a.is_seen, a.allocated_bytes)).collect();
    assert!(keys.is_sorted() && keys[0].0 != keys[keys.len() - 1].0);
    let of = |text: &str| {
        let found = advice.iter().find(|advice| advice.array.to_string() == text);
        found.map(|advice| advice.allocated_bytes)
    };
    assert_eq!(of("bf16[16,1280,40]{2,1,0:T(8,128)(2,1)}"), Some(5_242_880));
    assert_eq!(of("bf16[16,1280,40]{1,2,0:T(8,128)(2,1)}"), Some(1_638_400));
    for text in ["f32[]", "s8[5]{0}", "s4[3,4]{1,0:E(4)}", "pred[1,2,3]", "f64[2,2]", "f32[0]"] {
        let array = array(text);
        let advice = array.advice().unwrap();
        let own = XlaArray::new(array.dtype, array.dims.clone(), Some(array.layout_or_default()));
        assert_eq!(advice.iter().filter(|advice| advice.array == own).count(), 1, "{text}");
    }
}

#[test]
fn every_shape_of_a_tpu_dump_is_marked_as_seen() {
    let shapes = include_str!("data/tpu_shapes.txt").lines().filter(|line| !line.starts_with('#'));
    for text in shapes {
        let array = array(text);
        let advice = array.advice().unwrap();
        let own = advice.iter().find(|advice| advice.array == array);
        assert!(own.is_some_and(|advice| advice.is_seen), "{text}");
    }
    // No compiler uses these tiles for this type, or for so many rows.
    for text in ["f32[129,1024]{1,0:T(1,128)}", "f32[8,128]{1,0:T(8,128)(2,1)}", "f64[8,128]{1,0}"]
    {
        let array = array(text);
        let advice = array.advice().unwrap();
        assert!(advice.iter().any(|advice| advice.array == array && !advice.is_seen), "{text}");
    }
}

#[test]
fn a_narrow_dimension_takes_up_whole_tiles_on_a_tpu() {
    let shape: XlaShape = "f32[256,512,128,2]{3,2,1,0}".parse().unwrap();
    let tiled = shape.as_array().unwrap().tiled_for_tpu().unwrap();
    assert_eq!(tiled.to_string(), "f32[256,512,128,2]{3,2,1,0:T(8,128)}");
    // Without tiles, it takes 128 MiB.
    assert_eq!(tiled.sizes().unwrap().allocated_bytes, 8 << 30);
}
