//! Layouts in any text: all of them are found, wherever they are, and nothing else.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tensor_layout::notation::{Notation, PadLayout};
use tensor_layout::sharding::ShardedShape;
use tensor_layout::xla::{XlaParser, XlaShape};
use tensor_layout::{LayoutText, Machine};
use tensor_layout_hlo::HloReport;
use tensor_layout_hlo::scan::{LayoutScan, ScanPlace, ScanReport};

/// Every layout of a text with its line and name; rejected ones are marked with a `!`.
fn found(text: &str) -> Vec<(u64, String, String)> {
    let mut scan = LayoutScan::new(text.as_bytes());
    let mut found = Vec::new();
    while let Some(layout) = scan.next_layout().unwrap() {
        let mark = if layout.refusal().is_some() { "!" } else { "" };
        let text = format!("{mark}{}", layout.text());
        found.push((layout.line(), layout.name().unwrap_or_default(), text));
    }
    assert_eq!(scan.bytes(), text.len() as u64);
    found
}

fn texts(text: &str) -> Vec<String> {
    found(text).into_iter().map(|(.., text)| text).collect()
}

fn corpus(file: &'static str) -> impl Iterator<Item = &'static str> {
    let lines = file.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.filter_map(|line| line.split('\t').next())
}

/// Texts, each with the layouts that must be found in it.
fn layouts() -> Vec<(String, Vec<String>)> {
    let mut layouts = Vec::new();
    let mut add = |text: &str, parts: Vec<String>| layouts.push((text.to_owned(), parts));
    for text in corpus(include_str!("../../../tests/data/pad_layouts.txt")) {
        assert!(text.parse::<PadLayout>().is_ok());
        // A tuple of sizes is not a layout; the corpus does not contain any.
        add(text, vec![text.to_owned()]);
    }
    for text in corpus(include_str!("../../../tests/data/xla_shapes.txt"))
        .chain(corpus(include_str!("../../../tests/data/tpu_shapes.txt")))
    {
        let Ok(shape) = text.parse::<XlaShape>() else { continue };
        let members: Vec<String> = shape.arrays().iter().map(|(_, a)| a.to_string()).collect();
        if members.iter().all(|member| text.contains(member)) {
            add(text, members);
        }
    }
    for line in include_str!("../../../tests/data/shardings.txt").lines().step_by(10) {
        let [sharding, dims, ..] = line.split('|').collect::<Vec<_>>()[..] else { continue };
        let text = format!("f32[{dims}], sharding={sharding}");
        if text.parse::<ShardedShape>().is_ok() {
            add(&text, vec![text.clone()]);
        }
    }
    for text in ["((2,2),3):((24,2),8)", "(_8,(4,_2)):(_2,(_16,_1))", "(4):(1)"] {
        add(text, vec![text.to_owned()]);
    }
    for text in ["shape=(2, 3), strides=(3, 1)", "torch.Size([2, 3]), (3, 1)"] {
        add(text, vec![text.to_owned()]);
    }
    for text in [
        "GMMA::Layout_K_SW128_Atom<half_t>",
        "make_layout(make_shape(_8{}, Int<4>{}), make_stride(4, 1))",
        "tile_to_shape(GMMA::Layout_MN_SW32_Atom<float>{}, Shape<_64,_32>{})",
        "assert_size_stride(buf4, (16, 64), (64, 1))",
    ] {
        add(text, vec![text.to_owned()]);
    }
    layouts
}

/// Text around layouts: words, numbers, brackets that may or may not close, quotes, escapes.
fn noise() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "x",
        "12:30",
        "(1, 2)",
        "((2, 3), (4, 5))",
        "f(a,",
        "((",
        "))",
        "[3:7]",
        "{",
        "}",
        "\"",
        "'",
        "\\n",
        "\\\"",
        "->",
        "= ",
        "%a.1",
        "4_PE",
        "f32",
        "[8]",
        "0x1f",
        "∗",
        "//",
        "#",
        "(4_PE",
        ";",
        "B@[",
        "@LM0",
        "T(8,128)",
        "{1,0}",
        "sharding={",
        "-",
    ]);
    prop::collection::vec(words, 0..12).prop_map(|words| words.join(" "))
}

/// A layout embedded in a text, with its line and its name there.
fn embedded() -> impl Strategy<Value = (String, Vec<String>, u64, &'static str)> {
    let frames = prop::sample::select(vec![
        ("| key={} |", "key"),
        ("{\"key\": \"{}\"}", "key"),
        ("key: '{}'", "key"),
        ("# == In(0): {} ==", "In(0)"),
        ("  ROOT %key.1 = (u8[7]) custom(), text={} |", "key.1"),
    ]);
    let lines = || prop::collection::vec(noise(), 0..6);
    (prop::sample::select(layouts()), frames, lines(), lines(), noise()).prop_map(
        |((text, parts), (frame, name), before, after, tail)| {
            let line = before.len() as u64 + 1;
            let middle = frame.replace("{}", &text) + " " + &tail;
            let all = before.into_iter().chain([middle]).chain(after);
            (all.collect::<Vec<_>>().join("\n"), parts, line, name)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_layout_of_the_corpus_is_found_in_any_noise_with_its_line_and_name(
        (text, parts, line, name) in embedded()
    ) {
        let found: BTreeSet<(u64, String, String)> = found(&text).into_iter()
            .map(|(line, name, text)| (line, name, text.trim_start_matches('!').to_owned())).collect();
        for part in parts {
            prop_assert!(found.contains(&(line, name.to_owned(), part.clone())), "{part} in {text}: {found:?}");
        }
    }

    #[test]
    fn what_is_found_is_in_the_text_and_reads_as_the_notation_that_is_told(
        (text, ..) in embedded()
    ) {
        let report = ScanReport::read(text.as_bytes(), XlaParser::strict(), |_| {}).unwrap();
        for row in report.rows() {
            let read = LayoutText::parse_as(row.notation, XlaParser::strict(), row.text);
            prop_assert!(read.is_ok_and(|read| read.notation() == row.notation));
            // Line breaks and some escapes count as blanks in the result.
            let dense = |text: &str| text.replace(char::is_whitespace, "");
            if row.notation != Notation::Sharded && !text.contains('\\') {
                prop_assert!(dense(&text).contains(&dense(row.text)), "{} in {text}", row.text);
            }
        }
    }
}

#[test]
fn the_layouts_of_long_texts_are_those_of_their_parts() {
    // Longer than the window, without a line break, and with one every few bytes.
    for (gap, lines) in [(" x", 0), ("\n", 1)] {
        let part =
            format!("{{\"w\": \"((4_PE, 3:8), (8:1))\"}} f32[3,5]{{1,0}}{}", gap.repeat(700));
        let found = found(&part.repeat(2000));
        assert_eq!(found.len(), 4000);
        for (number, pair) in found.chunks(2).enumerate() {
            let line = 1 + number as u64 * 700 * lines;
            assert_eq!(pair[0], (line, "w".to_owned(), "((4_PE, 3:8), (8:1))".to_owned()));
            assert_eq!((pair[1].0, &*pair[1].2), (line, "f32[3,5]{1,0}"));
        }
    }
}

#[test]
fn text_that_is_not_a_layout_is_left() {
    let log = "12:30 (12:30) ((2, 3), (4, 5)) x(1:3, 2:4) {(4, 8): (1, 2)} Map<K, V>[3] f32x4[2] 4:1 () \
               torch.Size([2, 3]) pred(x) %s32[0] a/b (see 4_PE)\n";
    assert_eq!(texts(log), Vec::<String>::new());
}

#[test]
fn a_layout_may_be_broken_over_lines_and_later_lines_keep_their_numbers() {
    let yaml = "layouts:\n  - '((16_L2B, 8_L1B, 8:8),\n    (16_MAB, 8:1, 4_PE))'\n  - ((4:1))\nlast: (2):(1)\n";
    assert_eq!(
        found(yaml),
        [
            (2, "layouts".into(), "((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))".into()),
            (4, "layouts".into(), "((4:1))".into()),
            (5, "last".into(), "(2):(1)".into()),
        ]
    );
    // Sixteen lines at most.
    let broken = |lines: usize| format!("((4_PE,{}3:1))", "\n".repeat(lines - 1));
    assert_eq!(texts(&broken(16)), ["((4_PE, 3:1))"]);
    assert_eq!(texts(&broken(17)), [""; 0]);
}

#[test]
fn escapes_of_quoted_strings_are_undone() {
    let json =
        r#"{"a": "(10,7)\/((3:7, 4_PE), (7:1))", "hlo": "e {\n  x = f32[\u003c=8] p(0)\n}"}"#;
    let expected = ["(10,7)/((3:7, 4_PE), (7:1))", "f32[<=8]"];
    let found = found(json);
    assert_eq!(found.iter().map(|(.., text)| &**text).collect::<Vec<_>>(), expected);
    assert_eq!((found[0].1.as_str(), found[1].1.as_str()), ("a", "x"));
    // Names of axes are as the string means them, without blanks.
    for plain in [
        r#"f32[8], sharding={mesh["x"=2], [{"x"}]}"#,
        r#"f32[8], sharding=#sdy.sharding<mesh<["x"=2]>, [{"x"}]>"#,
        "f32[8], sharding=P('x'), mesh={'x': 2}",
    ] {
        let escaped = plain.replace('"', "\\\"");
        let twice = escaped.replace('\\', "\\\\\\");
        for text in [plain, &escaped, &twice] {
            let json = format!("\n{{\"key\": \"{text}\"}}\nf32[3]");
            let wanted = [(2, "key", plain), (3, "", "f32[3]")];
            let wanted = wanted.map(|(line, name, text)| (line, name.into(), text.into()));
            assert_eq!(self::found(&json), wanted, "{json}");
        }
    }
}

#[test]
fn a_sharding_belongs_to_the_result_of_its_instruction_unless_shapes_are_those_of_a_device() {
    let line = "  %p = f32[10,7]{1,0} f(u8[3]{0} %a), sharding={devices=[2,4]<=[8]}\n";
    assert_eq!(texts(line), ["f32[10,7]{1,0}, sharding={devices=[2,4]<=[8]}", "u8[3]{0}"]);
    let tuple =
        "t = (f32[4]{0}, s32[6]{0}) tuple(a, b), sharding={{devices=[2]<=[2]},{replicated}}\n";
    assert_eq!(
        texts(tuple),
        ["f32[4]{0}, sharding={devices=[2]<=[2]}", "s32[6]{0}, sharding={replicated}"]
    );
    let whole = "HloModule m, num_partitions=8\n";
    assert_eq!(texts(&format!("{whole}{line}")).len(), 2);
    assert!(texts(&format!("{whole}{line}"))[0].contains("sharding="));
    let device = "HloModule m, is_scheduled=true, num_partitions=8\n";
    assert_eq!(
        texts(&format!("{device}{line}{tuple}")).concat(),
        "f32[10,7]{1,0}u8[3]{0}f32[4]{0}s32[6]{0}"
    );
    // The head is longer than the window.
    let long = format!(
        "HloModule m, is_scheduled=true, x={{{}}}, num_partitions=8\n",
        "1,".repeat(400_000)
    );
    assert_eq!(texts(&format!("{long}{line}"))[0], "f32[10,7]{1,0}");
    assert_eq!(
        texts("f32[8,4], sharding=P('x', None), mesh=x=2,y=4"),
        ["f32[8,4], sharding=P('x', None), mesh=x=2,y=4"]
    );
}

#[test]
fn nearly_layouts_are_refused_with_the_reason() {
    let log = "a ((4-PE, 3:8), (8:1))\nbf16[4,8]{1,0,T(2,4)} f32[3\nSw<3,4,3> o (8,64):(64,1)\n";
    let report = ScanReport::read(log.as_bytes(), XlaParser::strict(), |_| {}).unwrap();
    assert_eq!(report.rows().count(), 1); // the swizzle
    let unread: Vec<(u64, &str, &str)> =
        report.unread().map(|u| (u.line, u.text, u.reason)).collect();
    assert_eq!(
        unread,
        [
            (1, "((4-PE, 3:8), (8:1))", "expected `_` between a size and its level"),
            (2, "bf16[4,8]{1,0,T(2,4)}", "expected an integer"),
            (2, "f32[3", "this shape is not closed"),
        ]
    );
}

#[test]
fn facts_are_those_of_the_layout() {
    let log = "((8_L2B, 4608:1))@LM0 / Half\n(10,7)/((3:7, 4_PE), (7:1))\n\
               s32[2048,1,128,128,4]{4,3,2,0,1:T(8,128)}\nf32[10,7], sharding={devices=[2,4]<=[8]}\n((3_Foo:1, 4:1))\n";
    let report = ScanReport::read(log.as_bytes(), XlaParser::strict(), |_| {}).unwrap();
    let machine = Machine::mn_core_2();
    let place =
        ScanPlace { machine: Some(&machine), memory: Some("LM1"), dtype: "Float".parse().ok() };
    let facts: Vec<_> = report.rows().map(|row| row.facts(place).unwrap()).collect();
    assert_eq!((facts[0].unpadded_bytes, facts[0].fits[0].name.as_str()), (Some(72 << 10), "LM0"));
    assert!(!facts[0].fits[0].fits());
    assert_eq!((facts[1].unpadded_bytes, facts[1].allocated_bytes), (Some(280), Some(336)));
    assert_eq!((facts[1].padding, facts[1].fits[0].name.as_str()), ((14, 84), "LM1"));
    assert_eq!(
        (facts[2].unpadded_bytes, facts[2].allocated_bytes),
        (Some(512 << 20), Some(16 << 30))
    );
    let better = facts[2].better.as_ref().unwrap();
    assert!(better.is_seen && better.allocated_bytes == 512 << 20);
    assert_eq!((&facts[3].shape[..], facts[3].allocated_bytes), (&[10, 7][..], Some(40)));
    assert!(facts[4].misplaced.as_ref().unwrap().contains("`Foo`"));
}

#[test]
fn no_bytes_make_the_scan_panic_or_slow() {
    let mut state = 7_u64;
    let mut draw = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(state >> 33).unwrap() % below
    };
    const BYTES: &[u8] = b"(((())):,_/4 8PEf32[]{}\"\\nu003c@LM0 = sharding={;B\n\xff";
    for _ in 0..300 {
        let text: Vec<u8> = (0..draw(600)).map(|_| BYTES[draw(BYTES.len())]).collect();
        let mut scan = LayoutScan::new(&text[..]);
        while scan.next_layout().unwrap().is_some() {}
    }
    for unit in [
        "(",
        "((4_PE",
        "(1,",
        "[",
        "f32[",
        "\\",
        "(1)/",
        "sharding={{",
        "= (f32[2], ",
        "f32[4], sharding={\" ",
        "f32[4], sharding=[",
        "f32[4], sharding=<@m, [{\"x\"} ",
    ] {
        let text = unit.repeat((1 << 20) / unit.len());
        let mut scan = LayoutScan::new(text.as_bytes());
        while scan.next_layout().unwrap().is_some() {}
    }
}

#[test]
fn strides_have_their_attributes_in_any_order_and_blanks_or_none() {
    for text in [
        "shape=(2, 3), strides=(12, 4), itemsize=4, offset=8",
        "shape=(2, 3), strides=(12, 4), offset=8, itemsize=4",
        "shape=[2, 3], strides=[3, 1]",
        "shape = (2, 3), strides = (3, 1)",
    ] {
        assert_eq!(texts(&format!("x {text}, y")), [text]);
    }
}

#[test]
fn a_sharding_is_found_however_it_is_written_and_one_that_does_not_fit_is_unread() {
    let wanted = "f32[8,8], sharding={replicated}";
    for text in [
        "f32[8,8],sharding={replicated}",
        "f32[8,8],  sharding={replicated}",
        "f32[8,8],\n    sharding={replicated}",
        "a = f32[8,8] p(0),  sharding={replicated}",
        "a = f32[8,8] p(0),sharding={replicated}, metadata={}",
    ] {
        assert_eq!(texts(text), [wanted], "{text}");
    }
    let shardy = r#"f32[8,8], sharding=#sdy.sharding<mesh<["x"=2]>, [{"x"}, {}]>"#;
    assert_eq!(texts(&format!("{shardy}, metadata={{}}\n")), [shardy]);
    for text in [
        "f32[8], sharding={devices=[2]<=[2]",
        "f32[8], sharding=replicated",
        "a = f32[8] p(0), sharding=",
        "t = (f32[8], f32[x]) t(a), sharding={{replicated}, {replicated}}",
        "shape=(2, 3), strides=(3, 1, 2)",
        "shape=(2, 3), strides=(3, 1), strides=(1, 2)",
        "shape=(2, 3), strides=(-3, 1)",
    ] {
        assert!(texts(text)[0].starts_with('!'), "{text}: {:?}", texts(text));
    }
    for text in [
        r#"f32[8,8], sharding=[{"x"}, {}], mesh=x=2"#,
        "f32[8,8], sharding=P('x', None), mesh=x=2",
        "f32[8,8], sharding=P('x', None),mesh=x=2",
        "f32[8,8], sharding=P('x', None), mesh={'x': 2}",
        r#"f32[8,8], sharding=[{"x"}, {}], replicated={"y"}, mesh=x=2,y=2"#,
        r#"f32[8,8], sharding=[{"x"}, {}], mesh=<["x"=2]>"#,
        r#"f32[8,8], sharding=[{"x"}, {}], mesh=mesh<["x"=2]>"#,
        "f32[8,8], sharding=P('x', None), mesh=mesh['x'=2], device_ids=(1,0)",
    ] {
        assert_eq!(texts(text), [text]);
    }
    assert_eq!(texts("f32[8,8] , sharding={replicated}"), [wanted]);
    assert_eq!(texts("f32[8,8]\t, sharding={replicated}"), [wanted]);
    let tuple =
        "t = (f32[2], f32[3]) t(), sharding={{replicated}, {replicated}, {replicated}}\nu8[9]";
    let unread = "!(f32[2], f32[3]), sharding={{replicated}, {replicated}, {replicated}}";
    assert_eq!(texts(tuple), [unread, "u8[9]"]);
}

#[test]
fn a_sharding_belongs_to_its_own_instruction_where_several_are_on_a_line() {
    let plain = "a = f32[4]{0} p()";
    let sharded = "b = f32[8]{0} q(x), metadata={n=\"c = f32[2]\"}, sharding={devices=[2]<=[2]}";
    let wanted = ["f32[4]{0}", "f32[8]{0}, sharding={devices=[2]<=[2]}", "f32[2]"];
    for line in [
        format!("[\"{plain}\", \"{sharded}\"]"),
        format!("{{{plain}}}, {sharded}"),
        format!("{plain}; {sharded}"),
        format!("{plain}, {sharded}"),
    ] {
        assert_eq!(texts(&line), wanted, "{line}");
    }
    let within = "a = f32[4] call(b = f32[8] x), y=\"c = f32[2]\", sharding={replicated}";
    assert_eq!(texts(within), ["f32[4], sharding={replicated}", "f32[8]", "f32[2]"]);
    let tuples = "a = (f32[4], u8[3]) p(), b = (f32[8]) q(), sharding={{replicated}}";
    assert_eq!(texts(tuples), ["f32[4]", "u8[3]", "f32[8], sharding={replicated}"]);
}

#[test]
fn brackets_of_programs_are_left_and_bytes_outside_utf_8_are_unread() {
    assert_eq!(texts("u8[i] = 0; f32[n] x;"), Vec::<String>::new());
    assert_eq!(texts("f32[-1], f32[8,N]"), ["!f32[-1]", "!f32[8,N]"]);
    let text = &b"t = (f32[8]) t(\"\xff\"), sharding={{devices=[2]<=[2]}}"[..];
    let mut scan = LayoutScan::new(text);
    assert_eq!(scan.next_layout().unwrap().unwrap().text(), "f32[8], sharding={devices=[2]<=[2]}");
    let mut scan = LayoutScan::new(&b"f32[8]{0:T(\xff)} u8[4]"[..]);
    assert!(scan.next_layout().unwrap().unwrap().refusal().is_some());
    assert_eq!(scan.next_layout().unwrap().unwrap().text(), "u8[4]");
}

#[test]
fn a_line_of_many_tuples_without_arrays_takes_no_stack() {
    let line = " = (token[]), sharding={replicated}".repeat(5_000) + "\nf32[8]";
    assert_eq!(texts(&line), ["f32[8]"]);
}

#[test]
fn a_shape_at_the_end_of_the_first_mebibyte_of_a_line_is_whole() {
    let found = |filler: &str, shape: &str| {
        let line = format!("{}{shape}{filler}", filler.repeat((1 << 20) - 8));
        let report = HloReport::scan(line.as_bytes(), |_| ()).unwrap();
        let shapes: Vec<_> = report.entries().iter().map(|entry| entry.shape.to_owned()).collect();
        (shapes, report.reading().count)
    };
    let shape = "bf16[8,128]{0,1:T(8,128)(2,1)}";
    assert_eq!(found(" ", shape), (vec![shape.to_owned()], 0));
    assert_eq!(found(";", shape), (vec![shape.to_owned()], 0));
    assert_eq!(found(",", shape), (vec![shape.to_owned()], 0));
}

#[test]
fn a_layout_is_found_with_all_that_it_is_a_part_of_or_not_at_all() {
    let memref =
        "!cute.memref<f16, smem, align<1024>, S<3,4,3>, \"((128,16),1,4,6):((64,1),0,16,8192)\">";
    assert_eq!(
        LayoutText::parse(memref)
            .unwrap()
            .lower()
            .unwrap()
            .locate(&[1, 0, 0, 0])
            .unwrap()
            .to_string(),
        "Addr=72"
    );
    for (text, expected) in [
        (memref, memref),
        ("x: SW_3_4_3 o 0 o (8, 64):(64, 1)", "SW_3_4_3 o 0 o (8, 64):(64, 1)"),
        ("x: S<3,4,3> o 0 o\n   (8,64):(64,1)", "S<3,4,3> o 0 o (8,64):(64,1)"),
        ("{\"x\": \"S<3,4,3> o 0 o\\n(8,64):(64,1)\"}", "S<3,4,3> o 0 o (8,64):(64,1)"),
        ("S<3,4,3> o 0 o ((8,64):(64,1))", "S<3,4,3> o 0 o ((8,64):(64,1))"),
        ("Swizzle(3,4,3) o 0 o (8,64):(64,1)", "Swizzle(3,4,3) o 0 o (8,64):(64,1)"),
        (
            "cute::Swizzle<3,4,3> o _0 o (_8,_64):(_64,_1)",
            "cute::Swizzle<3,4,3> o _0 o (_8,_64):(_64,_1)",
        ),
        ("(4,8):(8,1) o 0 o (8,4):(4,1)", "(4,8):(8,1) o 0 o (8,4):(4,1)"),
        (
            "t = tensor<ptr<f16, smem, align<1024>, S<2,4,3>> o (8,64):(64,1)>",
            "tensor<ptr<f16, smem, align<1024>, S<2,4,3>> o (8,64):(64,1)>",
        ),
        // Without a swizzle, the type of the pointer adds nothing.
        ("tensor<ptr<f32, gmem> o (8,64):(64,1)>", "(8,64):(64,1)"),
        ("!cute.memref<f16, rmem, align<32>, \"(8,64):(64,1)\">", "(8,64):(64,1)"),
        ("raw_ptr(0x7ffe: f32, rmem, align<32>) o (4,3):(1,4), data=", "(4,3):(1,4)"),
        // What is not read as a whole is not read.
        ("(8,64):(64,1) o foo", "!(8,64):(64,1) o foo"),
        ("foo(bar) o 0 o (8,64):(64,1)", "!foo(bar) o 0 o (8,64):(64,1)"),
        (
            "!cute.memref<f16, smem, align<128>, S<3,4,3>, \"(8,64):(64,1)\">",
            "!!cute.memref<f16, smem, align<128>, S<3,4,3>, \"(8,64):(64,1)\">",
        ),
    ] {
        assert_eq!(texts(text), [expected], "{text}");
    }
}

#[test]
fn types_of_triton_have_the_encodings_of_their_module() {
    let blocked = |threads: &str| {
        format!(
            "#ttg.blocked<{{sizePerThread = [1, 4], threadsPerWarp = {threads}, warpsPerCTA = [4, 1], order = [1, 0]}}>"
        )
    };
    let (rows, columns) = (blocked("[8, 4]"), blocked("[4, 8]"));
    let module = format!(
        "#b = {rows}\n#auto = #gluon.auto_encoding\n#csr = #sparse_tensor.encoding<{{map = (d0) -> (d0)}}>\n\
         module {{\n  %0 = f %a : tensor<64x64x!tt.ptr<f16>, #b> -> tensor<64xf16, #ttg.slice<{{dim = 1, parent = #b}}>>\n\
         %1 = g : tensor<64x64xf32, #auto>, tensor<8xf32, #csr>, tensor<4xf32>, tensor<3x3xf16, #c>\n\
         %2 = h : tensor<64x64x!tt.ptr<f16>, #b>\n}}\n#b = {columns}\n%3 = f : tensor<64x64x!tt.ptr<f16>, #b>\n"
    );
    let of = |encoding: &str| format!("tensor<64x64x!tt.ptr<f16>, {encoding}>");
    assert_eq!(
        texts(&module),
        [
            of(&rows),
            format!("tensor<64xf16, #ttg.slice<{{dim = 1, parent = {rows}}}>>"),
            "!tensor<64x64xf32, #auto>".into(),
            "!tensor<3x3xf16, #c>".into(),
            of(&rows),
            of(&columns),
        ]
    );
    // Aliases that name themselves end.
    let around = format!("#a = {}\n#a{} = #a\ntensor<4xf32, #a>\n", "#a".repeat(500), "1");
    assert_eq!(texts(&around), Vec::<String>::new());
    let text = format!("#b = {rows}\n%0 = tensor<64x64xf16, #b>");
    let report = ScanReport::read(text.as_bytes(), XlaParser::strict(), |_| {}).unwrap();
    let facts = report.rows().next().unwrap().facts(ScanPlace::default()).unwrap();
    assert_eq!((facts.shape, facts.unpadded_bytes), (vec![64, 64], Some(8192)));
}

#[test]
fn tensors_of_stablehlo_have_the_layout_and_the_sharding_of_their_attributes() {
    let text = "func.func @main(%a: tensor<129x1024xf32> {jax.x = \"}\", mhlo.layout_mode = \"{0,1:T(8,128)}\"}, \
                %b: tensor<8xf32>, %c: tensor<64x128xi4> {mhlo.layout_mode = \"{1,0}\"}, \
                %d: tensor<8x4xf32> {mhlo.sharding = \"{devices=[2,1]<=[2]}\"}) -> (tensor<8xf32> {mhlo.layout_mode = \"default\"})";
    assert_eq!(
        texts(text),
        [
            "f32[129,1024]{0,1:T(8,128)}",
            "s4[64,128]{1,0:E(4)}",
            "f32[8,4], sharding={devices=[2,1]<=[2]}"
        ]
    );
    let text = "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\nfunc.func public @main(%arg0: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, \
                %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{}]>}) -> (tensor<8xf32>)";
    assert_eq!(
        texts(text),
        [
            "f32[64,32], sharding=#sdy.sharding<mesh<[\"x\"=2, \"y\"=4]>, [{\"x\"}, {}]>",
            "!tensor<8xf32>",
        ]
    );
}

#[test]
fn memrefs_with_a_layout_are_found() {
    let text = "%0 = memref.subview %a : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: 9>>, memref<4x8xf32, affine_map<(d0, d1) -> (d1, d0)>, 1>\n\
                %1 = tpu.x : memref<16x256xf32, #tpu.tiled<(8,128),[2,1]>, #tpu.memory_space<vmem>>, memref<4x?xf32, strided<[?, 1]>>\n";
    assert_eq!(
        texts(text),
        [
            "memref<4x4xf32, strided<[8, 1], offset: 9>>",
            "memref<4x8xf32, affine_map<(d0, d1) -> (d1, d0)>, 1>",
            "memref<16x256xf32, #tpu.tiled<(8,128),[2,1]>, #tpu.memory_space<vmem>>",
            "!memref<4x?xf32, strided<[?, 1]>>",
        ]
    );
}

#[test]
fn the_shape_beside_a_layout_is_its_shape() {
    let layout = "((75_Time:4, 8_L2B:1, 16_MAB:1, 4:1, 4:4), (4_Time:1, 24:16, 4_W:1, 4_PE:1))";
    let of = |shape: &str| {
        let text = format!(
            "[{{\n  \"layout\": \"{layout}\",\n  \"op\": \"Gather\",\n  \"shape\": {shape}\n}}]\n"
        );
        let report = ScanReport::read(text.as_bytes(), XlaParser::strict(), |_| {}).unwrap();
        let row = report.rows().next().unwrap();
        row.facts(ScanPlace::default())
            .map(|facts| facts.shape)
            .map_err(|error| error.kind().to_string())
    };
    assert_eq!(of("[\n 151936,\n 1536\n]"), Ok(vec![151_936, 1536]));
    assert_eq!(of("[7]"), Err("the shape has rank 1, but the layout has rank 2".into()));
    assert_eq!(
        of("[999999, 1536]"),
        Err("axis 0 has extent 999999, but the product of its sizes is 153600".into())
    );
    assert_eq!(
        texts("{\"shape\": [8], \"layout\": \"(7)/((4_PE, 2:1))\"}"),
        ["!(8)/(7)/((4_PE, 2:1))"]
    );
}
