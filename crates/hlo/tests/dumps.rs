//! Compiler dumps: the shapes that are found, counted and rejected.

use tensor_layout::Machine;
use tensor_layout_hlo::{CollectiveKind, Collectives, HloDump, HloReport};
use tensor_layout_show::pages::hlo as pages;

fn scan(text: &str) -> HloReport {
    HloReport::scan(text.as_bytes(), |_| {}).unwrap()
}

fn counts(text: &str) -> Vec<(String, u64)> {
    let report = scan(text);
    let mut counts: Vec<_> =
        report.entries().iter().map(|e| (e.shape.to_owned(), e.count)).collect();
    counts.sort();
    counts
}

#[test]
fn shapes_count_once_wherever_they_stand() {
    let line = "  %fusion.3 = (bf16[32,32]{1,0:T(8,128)(2,1)S(1)}, /*index=1*/f32[]) \
                fusion(bf16[32,32]{1,0:T(8,128)(2,1)S(1)} %f32, s32[2]{0} %x), slice={[0:5]}, \
                devices=[2,1], metadata={op_name=\"f32[9]{0} \\\" f32[8]\"} pred[] {\n";
    assert_eq!(
        counts(line),
        [
            ("bf16[32,32]{1,0:T(8,128)(2,1)S(1)}".to_owned(), 2),
            ("f32[]".to_owned(), 1),
            ("pred[]".to_owned(), 1),
            ("s32[2]{0}".to_owned(), 1),
        ]
    );
    assert_eq!(scan(line).reading().count, 0);
}

#[test]
fn a_computation_body_is_not_a_layout() {
    assert_eq!(
        counts("ENTRY %main (p: f32[2]) -> f32[3] {\n{0}"),
        [("f32[2]".into(), 1), ("f32[3]".into(), 1)]
    );
    assert_eq!(counts("s32[4]{x}"), [("s32[4]".into(), 1)]);
}

#[test]
fn lines_that_cannot_be_read_are_counted_and_kept() {
    let report =
        scan("f32[2]{0}\nbf16[4,8]{1,0,T(2,4)} f32[3]{1}\nF32[2]\nf32[2\n\nf32[x]\nf32[?]");
    let lines: Vec<u64> = report.reading().lines.iter().map(|line| line.line).collect();
    assert_eq!((lines, report.reading().count, report.lines()), (vec![2, 3, 4, 6, 7], 5, 7));
    assert_eq!(report.reading().lines[0].text, "bf16[4,8]{1,0,T(2,4)}");
}

#[test]
fn totals_multiply_by_the_count_and_the_worst_comes_first() {
    let report = scan("s32[4]{0:T(128)} s32[4]{0:T(128)} s32[2,1]{1,0:T(8,128)} f32[100]");
    let order: Vec<&str> = report.entries().iter().map(|entry| entry.shape).collect();
    assert_eq!(order, ["s32[2,1]{1,0:T(8,128)}", "s32[4]{0:T(128)}", "f32[100]"]);
    let totals = report.totals().unwrap();
    assert_eq!((totals.shapes, totals.count), (3, 4));
    assert_eq!(totals.unpadded_bytes, 2 * 16 + 8 + 400);
    assert_eq!(totals.allocated_bytes, 2 * 512 + 4096 + 400);
}

#[test]
fn more_distinct_shapes_than_are_told_apart_are_counted_and_not_ranked() {
    const RANKED: u64 = 1 << 18;
    let shapes = (1..=RANKED + 2).map(|extent| format!("u8[{extent}]\n"));
    let report = scan(&(shapes.collect::<String>() + "u8[3]"));
    let totals = report.totals().unwrap();
    assert_eq!((totals.shapes, totals.count, report.unranked()), (RANKED, RANKED + 3, 2));
    assert_eq!(totals.unpadded_bytes, (RANKED + 2) * (RANKED + 3) / 2 + 3);
    let page = pages::shapes(&report, Some(1)).unwrap();
    assert!(page.contains("2 occurrences of further shapes not ranked: only the first 262144"));
    assert_eq!(scan("u8[3] u8[4]").unranked(), 0);
}

#[test]
fn bytes_that_are_not_text_and_endless_lines_are_read() {
    let mut dump = vec![0xff, b'\n'];
    dump.extend(b"%a = f32[2]{0} add(f32[2]{0} %x), ".repeat(100_000));
    let report = HloReport::scan(&dump[..], |_| {}).unwrap();
    assert_eq!(
        (report.entries()[0].count, report.reading().count, report.lines()),
        (200_000, 0, 2)
    );
    assert!(scan("").entries().is_empty());
}

const DUMPS: [&str; 4] = [
    include_str!("data/before.txt"),
    include_str!("data/reshard.txt"),
    include_str!("data/scan.txt"),
    include_str!("data/sharded.txt"),
];

/// The instructions as the stream reports them, one line each.
fn listing(text: &str) -> Vec<String> {
    let mut dump = HloDump::new(text.as_bytes());
    let mut lines = Vec::new();
    while let Some(computation) = dump.next_computation().unwrap() {
        for i in computation.instructions() {
            let operands: Vec<&str> = i.operands().map(|operand| operand.name()).collect();
            let root = if i.is_root() { "ROOT " } else { "" };
            lines.push(format!(
                "{} {root}{} = {} {}({}), {}",
                i.line(),
                i.name(),
                i.shape_text(),
                i.opcode(),
                operands.join(" "),
                i.attributes().as_str()
            ));
            assert!(i.shape().is_ok(), "{i:?}");
        }
    }
    assert_eq!(dump.reading().lines, []);
    assert_eq!(dump.bytes(), text.len() as u64);
    lines
}

/// The listing by the words of each line; in the dumps here, every instruction fits on a line.
fn slow_listing(text: &str) -> Vec<String> {
    let instruction = |(line, text): (usize, &str)| {
        let (name, rest) = text.strip_prefix("  ")?.split_once(" = ")?;
        let shape = match rest.strip_prefix('(') {
            Some(tuple) => &rest[..tuple.find(") ")? + 2],
            None => rest.split(' ').next()?,
        };
        let (opcode, rest) = rest[shape.len() + 1..].split_once('(')?;
        let literal = matches!(opcode, "constant" | "parameter" | "iota");
        let (operands, rest) = rest.split_once(')')?;
        let operands = operands.split(", ").filter(|o| !literal && !o.is_empty());
        let operands: Vec<&str> =
            operands.map(|o| o.rsplit(['/', '%']).next().unwrap_or(o)).collect();
        let (line, name) = (line + 1, name.replace('%', ""));
        let rest = rest.strip_prefix(", ").unwrap_or(rest);
        Some(format!("{line} {name} = {shape} {opcode}({}), {rest}", operands.join(" ")))
    };
    text.lines().enumerate().filter_map(instruction).collect()
}

#[test]
fn the_stream_reads_every_instruction_of_real_dumps() {
    let mut count = 0;
    for text in DUMPS {
        let listing = listing(text);
        count += listing.len();
        assert_eq!(listing, slow_listing(text));
    }
    assert_eq!(count, 343);
}

#[test]
fn every_operand_is_found_in_its_computation_and_stands_before_it() {
    for text in DUMPS {
        let mut dump = HloDump::new(text.as_bytes());
        while let Some(computation) = dump.next_computation().unwrap() {
            for i in computation.instructions() {
                for operand in i.operands() {
                    let found = operand.instruction().unwrap();
                    assert_eq!(found.name(), operand.name());
                    assert!(found.index() < i.index());
                    assert_eq!(computation.find(operand.name()).unwrap().index(), found.index());
                }
            }
        }
    }
}

#[test]
fn shapes_of_instructions_are_among_those_of_the_report() {
    for text in DUMPS {
        let report = scan(text);
        let shapes: Vec<&str> = report.entries().iter().map(|entry| entry.shape).collect();
        let mut dump = HloDump::new(text.as_bytes());
        while let Some(computation) = dump.next_computation().unwrap() {
            for i in computation.instructions().filter(|i| !i.shape_text().starts_with('(')) {
                assert!(shapes.contains(&i.shape_text()), "{i:?}");
            }
        }
    }
}

#[test]
fn source_lines_come_from_the_tables_of_the_module() {
    let mut dump = HloDump::new(DUMPS[1].as_bytes());
    let mut sources = Vec::new();
    while let Some(computation) = dump.next_computation().unwrap() {
        assert!(computation.module().is_per_device());
        assert_eq!(computation.module().partitions(), 8);
        if computation.is_entry() {
            let param = computation.instruction(0).unwrap();
            assert_eq!(param.parameter(), Some(0));
            assert_eq!(param.attribute("sharding"), Some("{devices=[2,4]<=[8]}"));
            assert_eq!(computation.root().unwrap().opcode(), "fusion");
        }
        sources.extend(computation.instructions().filter_map(|i| {
            let source = i.source()?.to_string();
            i.opcode()
                .starts_with("all-to-all")
                .then(|| (i.op_name().unwrap().into_owned(), source))
        }));
    }
    let named = |op: &str| (format!("jit(reshards)/{op}"), "prog.py:28".to_owned());
    assert_eq!(sources, [named("sharding_constraint"), named("mul")]);
}

#[test]
fn attributes_end_at_commas_outside_of_quotes_brackets_and_meshes() {
    let text = "e {\n a = (f32[2]{0}, /*index=1*/s32[]) custom-call(), slice={[0:1], [2:3]}, \
                replica_groups=mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)) {'a'}, is_stable=true, \
                config=\"x, \\\"y}\", metadata={op_name=\"p(\\\"q, r\\\")/s\" source_line=3 source_file=\"f.py\"}\n}";
    let mut dump = HloDump::new(text.as_bytes());
    let computation = dump.next_computation().unwrap().unwrap();
    let a = computation.instruction(0).unwrap();
    let attributes: Vec<(&str, &str)> = a.attributes().iter().collect();
    let groups = "mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)) {'a'}";
    assert_eq!(
        attributes[..4],
        [
            ("slice", "{[0:1], [2:3]}"),
            ("replica_groups", groups),
            ("is_stable", "true"),
            ("config", "\"x, \\\"y}\""),
        ]
    );
    assert_eq!(a.op_name().as_deref(), Some("p(\"q, r\")/s"));
    assert_eq!(a.source().unwrap().to_string(), "f.py:3");
    assert_eq!(a.shape().unwrap().arrays().len(), 2);
}

#[test]
fn a_word_without_a_value_hides_no_entry_of_metadata() {
    for metadata in
        ["flag, op_name=\"x/y\"", "flag op_name=\"x/y\"", "a=b, flag op_name=\"x/y\" flag"]
    {
        let text = format!("e {{\n a = f32[2]{{0}} parameter(0), metadata={{{metadata}}}\n}}");
        let mut dump = HloDump::new(text.as_bytes());
        let computation = dump.next_computation().unwrap().unwrap();
        let op_name = computation.instruction(0).unwrap().op_name();
        assert_eq!(op_name.as_deref(), Some("x/y"), "{metadata}");
    }
}

#[test]
fn an_instruction_may_span_lines_and_a_broken_one_ends_with_its_computation() {
    let text = "HloModule a\nf {\n  c = f32[2,2]{1,0} constant({\n    { 1, 2 },\n    { 3, 4 }\n  })\n  \
                what is this\n  d = f32[2,2]{1,0} add(c, gone)\n  e = f32[] add(c, (\n}\n\
                HloModule b\nENTRY g {\n  ROOT x = token[] after-all()\n";
    let mut dump = HloDump::new(text.as_bytes());
    let f = dump.next_computation().unwrap().unwrap();
    let names: Vec<(&str, u64)> = f.instructions().map(|i| (i.name(), i.line())).collect();
    assert_eq!((f.module().name(), names), ("a", vec![("c", 3), ("d", 8)]));
    assert!(f.instruction(1).unwrap().operand(1).is_none());
    let g = dump.next_computation().unwrap().unwrap();
    assert_eq!((g.module().name(), g.name(), g.is_entry(), g.len()), ("b", "g", true, 1));
    assert!(dump.next_computation().unwrap().is_none());
    let unread: Vec<(u64, &str)> =
        dump.reading().lines.iter().map(|line| (line.line, line.text.as_str())).collect();
    assert_eq!((unread.len(), dump.reading().count, dump.reading().hidden), (4, 4, 1));
    assert_eq!([unread[0].0, unread[1].0, unread[2].0], [7, 9, 8]);
    assert_eq!((unread[2].1, unread[3].1), ("gone", "g"));
    assert_eq!(dump.reading().cut.as_deref(), Some("the text ends inside g, line 13"));
}

#[test]
fn no_text_makes_the_stream_panic() {
    for text in DUMPS {
        for cut in (0..text.len()).step_by(97) {
            let (head, tail) = text.split_at(cut);
            for text in [head.to_owned(), tail.to_owned(), format!("{tail}{head}")] {
                let mut dump = HloDump::new(text.as_bytes());
                while let Some(computation) = dump.next_computation().unwrap() {
                    for i in computation.instructions() {
                        let _ = (i.op_name(), i.source(), i.shape(), i.operands().len());
                        assert!(i.attributes().iter().count() < 100);
                    }
                }
            }
        }
    }
}

pub(crate) fn collectives(text: &str, machine: &str) -> Collectives {
    let machine: Machine = machine.parse().unwrap();
    let (mut dump, mut all) = (HloDump::new(text.as_bytes()), Collectives::default());
    while let Some(computation) = dump.next_computation().unwrap() {
        all.add(computation, Some(&machine)).unwrap();
    }
    all.finish().unwrap()
}

#[test]
fn collectives_of_a_real_dump_are_those_of_its_reshardings() {
    let all = collectives(DUMPS[1], "HOST=2,CHIP=4");
    assert_eq!((all.entries.len(), all.reading.count), (5, 0));
    let elements = |name: &str| {
        let entry = all.entries.iter().find(|entry| entry.name == name).unwrap();
        let into: Vec<u64> = entry.traffic.into.iter().map(|(_, bytes)| bytes / 4).collect();
        (entry.traffic.received / 4, into)
    };
    // P(x,y) -> P(y,x) is an all-to-all in pairs, then half of the shards permuted.
    assert_eq!(elements("all-to-all.2"), (128, vec![0, 128]));
    assert_eq!(elements("collective-permute"), (128, vec![128, 128]));
    // P((x,y),-) -> P((y,x),-): six of eight shards.
    assert_eq!(elements("collective-permute.2"), (192, vec![128, 192]));
    let sum = |level: usize| all.entries.iter().map(|e| e.traffic.into[level].1).sum::<u64>();
    assert_eq!(all.total.into.iter().map(|(_, b)| *b).collect::<Vec<_>>(), [sum(0), sum(1)]);
}

#[test]
fn collectives_that_cannot_be_counted_are_told() {
    let text = "HloModule m, replica_count=4\ne {\n  a = f32[4]{0} parameter(0)\n  \
                b = f32[2]{0} reduce-scatter(a), replica_groups={{0,1},{2}}\n  \
                c = f32[4]{0} all-reduce(a)\n  \
                d = (f32[4]{0}, f32[16]{0}) all-gather-start(a), replica_groups={{0,1,2,3}}\n  \
                f = f32[16]{0} all-gather-done(d)\n  \
                h = f32[4]{0} collective-broadcast(a), replica_groups=[2,2]<=[4]\n}";
    let all = collectives(text, "HOST=2,CHIP=2");
    assert_eq!(all.reading.lines.iter().map(|unread| unread.line).collect::<Vec<_>>(), [4, 5]);
    let counted: Vec<(&str, u64, u64)> =
        all.entries.iter().map(|e| (e.name.as_str(), e.bytes, e.traffic.received)).collect();
    assert_eq!(counted, [("d", 64, 4 * 48), ("h", 16, 2 * 16)]);
    assert!(CollectiveKind::AllGather < CollectiveKind::Broadcast);
}

#[test]
fn a_broken_root_is_one_place() {
    let text = "ENTRY e {\n  a = f32[8]{0} parameter(0)\n  ROOT c = f32[8]{0} add(a, a\n}\n";
    let mut dump = HloDump::new(text.as_bytes());
    while dump.next_computation().unwrap().is_some() {}
    assert_eq!((dump.reading().count, dump.reading().hidden), (1, 1), "{:?}", dump.reading());
}

#[test]
fn a_line_of_any_length_has_the_shapes_of_its_parts() {
    const PIECE: usize = 1 << 20;
    let shapes = "b=%f32[7],c=(bf16[3,5]{1,0:T(8,128)(2,1)},s8[2]),q=\"\\\"f32[9]\\\\\",d=f8e4m3fn[16,1024]{0,1}";
    let count = |text: &str| {
        let report = scan(text);
        assert_eq!((report.reading().count, report.lines()), (0, 1));
        let entries = report.entries().into_iter();
        entries.map(|entry| (entry.shape.to_owned(), entry.count)).collect::<Vec<_>>()
    };
    let whole = count(shapes);
    assert_eq!(whole.len(), 3);
    for before in 0..shapes.len() + 40 {
        let fill = ["x", " ", "%"][before % 3];
        let long = fill.repeat(PIECE - before) + ";" + shapes;
        assert_eq!(count(&long), whole, "{before} {fill:?}");
    }
    // Blanks inside a shape are part of it.
    let blank = "f32[ 2 , 3 ]{ 1,0 }";
    for before in 0..blank.len() + 4 {
        let long = " ".repeat(PIECE - before) + blank;
        assert_eq!(count(&long), [(blank.to_owned(), 1)], "{before}");
    }
    let endless = format!("a=f32[2] b=f32[3]{{0:{} c=f32[4]", "T".repeat(3 * PIECE));
    assert_eq!(scan(&endless).reading().count, 1);
}
