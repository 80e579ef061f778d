//! The token-based reader: it reads what XLA reads, and reports everything in a text that it cannot read.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tensor_layout_hlo::{Collectives, HloDump, HloRole, HloSummary};

/// A kernel as TPU dumps have it: braces over three lines, the last beginning with two that close.
const KERNEL: &str = r#"HloModule jit_step, is_scheduled=true, num_partitions=4

fused_computation.1 {
  p.1 = bf16[256,128]{1,0:T(8,128)(2,1)} parameter(0)
  ROOT n.1 = bf16[256,128]{1,0:T(8,128)(2,1)} negate(p.1)
}

ENTRY main.7 {
  a = bf16[256,128]{1,0:T(8,128)(2,1)} parameter(0), sharding={devices=[4,1]<=[4]}
  ag.1 = bf16[1024,128]{1,0:T(8,128)(2,1)} all-gather(a), channel_id=1, replica_groups=[1,4]<=[4], dimensions={0}, use_global_device_ids=true
  k.1 = bf16[1024,128]{1,0:T(8,128)(2,1)} custom-call(ag.1), custom_call_target="tpu_custom_call", frontend_attributes={kernel_metadata={
"xprof_metadata":"{\"q\": 1}"
}}, metadata={op_name="jit(step)/pallas_call" source_file="f.py" source_line=7}, backend_config={
  "custom_call_config": {"body": "TUzvUg}{", "needs": [1, {"a": "}"}]}
}
  ag.2 = bf16[1024,128]{1,0:T(8,128)(2,1)} all-gather(a), channel_id=2, replica_groups=[1,4]<=[4], dimensions={0}, use_global_device_ids=true
  f.1 = bf16[256,128]{1,0:T(8,128)(2,1)} fusion(a), kind=kLoop, calls=fused_computation.1
  ROOT t.1 = (bf16[1024,128]{1,0:T(8,128)(2,1)}, /*index=1*/bf16[256,128]{1,0:T(8,128)(2,1)}) tuple(k.1, f.1)
}
"#;

/// The names of the instructions that the reader returns, and the dump with its reports.
fn read(text: &str) -> (Vec<String>, HloDump<&[u8]>) {
    let mut dump = HloDump::new(text.as_bytes());
    let mut names = Vec::new();
    while let Some(computation) = dump.next_computation().unwrap() {
        names.extend(computation.instructions().map(|of| of.name().to_owned()));
    }
    (names, dump)
}

fn collectives(text: &str) -> Collectives {
    let machine = "CHIP=4".parse().unwrap();
    let (mut dump, mut all) = (HloDump::new(text.as_bytes()), Collectives::default());
    while let Some(computation) = dump.next_computation().unwrap() {
        all.add(computation, Some(&machine)).unwrap();
    }
    all.finish().unwrap()
}

#[test]
fn braces_of_a_kernel_close_by_nesting_and_every_collective_behind_it_is_read() {
    let (names, dump) = read(KERNEL);
    assert_eq!(names, ["p.1", "n.1", "a", "ag.1", "k.1", "ag.2", "f.1", "t.1"]);
    assert_eq!((&*dump.reading().lines, dump.reading().cut.as_deref()), (&[][..], None));
    assert_eq!(collectives(KERNEL).entries.len(), 2);
}

#[test]
fn an_instruction_over_many_lines_is_the_one_on_a_line() {
    let plain = "HloModule m, num_partitions=4\nENTRY e {\n  a = f32[8]{0} parameter(0)\n  \
                 ROOT g = f32[32]{0} all-gather(a), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true\n}\n";
    let wrapped =
        plain.replace(", ", ",\r\n      ").replace(" = ", "\n   = ").replace("{\n", "\n{\n");
    for text in [plain.to_owned(), wrapped, plain.replace('\n', " ")] {
        let (names, dump) = read(&text);
        assert_eq!(
            (names, &*dump.reading().lines),
            (vec!["a".to_owned(), "g".to_owned()], &[][..])
        );
        assert_eq!(dump.module().partitions(), 4);
        assert_eq!(collectives(&text).entries[0].bytes, 128);
    }
}

#[test]
fn whole_modules_in_one_line_and_several_in_one_text_are_read() {
    let text = "noise {a: 1} HloModule one, is_scheduled=true e { p = f32[2] parameter(0) ROOT r = f32[2] add(p, p) } \
                HloModule two ENTRY e { ROOT c = f32[2,2] constant({ { 1, 2 }, { 3, 4 } }) }, execution_thread=\"main\" tail";
    let mut dump = HloDump::new(text.as_bytes());
    let mut seen = Vec::new();
    while let Some(of) = dump.next_computation().unwrap() {
        let root = of.root().map(|root| root.name()).unwrap_or_default();
        seen.push((of.module().name().to_owned(), of.name().to_owned(), of.len(), root.to_owned()));
    }
    let row = |module: &str, name: &str, count, root: &str| {
        (module.to_owned(), name.to_owned(), count, root.to_owned())
    };
    assert_eq!(seen, [row("one", "e", 2, "r"), row("two", "e", 1, "c")]);
    assert_eq!(dump.reading().lines, []);
}

#[test]
fn tables_count_before_and_behind_the_computations() {
    let module = "HloModule m\n";
    let tables = "FileNames\n1 \"a.py\"\n\nFunctionNames\n1 \"f\"\n\nFileLocations\n\
                  1 {file_name_id=1 function_name_id=1 line=7 end_line=7}\n\nStackFrames\n1 {file_location_id=1 parent_frame_id=1}\n\n";
    let body = "ENTRY e {\n  a = f32[8]{0} parameter(0)\n  ROOT b = f32[8]{0} copy(a), metadata={op_name=\"x\", stack_frame_id=1}\n}\n";
    for text in [[module, tables, body].concat(), [module, body, tables].concat()] {
        let (mut dump, mut summary) = (HloDump::new(text.as_bytes()), HloSummary::new(None));
        while let Some(computation) = dump.next_computation().unwrap() {
            summary.add(computation).unwrap();
        }
        summary.finish();
        assert_eq!(summary.rows().next().unwrap().source, Some("a.py:7"), "{text}");
        assert_eq!(dump.reading().count, 0);
    }
}

#[test]
fn a_dump_that_is_cut_off_says_so_and_lists_no_values_inside_fusions() {
    let cut = &KERNEL[..KERNEL.find("  f.1").unwrap()];
    let (_, dump) = read(cut);
    assert_eq!(dump.reading().cut.as_deref(), Some("the text ends inside main.7, line 16"));
    let before = &KERNEL[..KERNEL.find("ENTRY").unwrap()];
    let (_, dump) = read(before);
    let why = "no ENTRY: the dump is cut off after fused_computation.1, line 3";
    assert_eq!(
        (dump.reading().cut.as_deref(), dump.reading().count, dump.reading().hidden),
        (Some(why), 1, 0)
    );
    for text in [cut, before, &KERNEL[..KERNEL.find("  ROOT n.1").unwrap()]] {
        let (mut dump, mut summary) = (HloDump::new(text.as_bytes()), HloSummary::new(None));
        while let Some(computation) = dump.next_computation().unwrap() {
            summary.add(computation).unwrap();
        }
        summary.finish();
        assert!(summary.rows().all(|row| row.role == HloRole::Entry), "{text}");
    }
}

#[test]
fn a_module_that_ends_with_what_is_called_has_lost_its_entry() {
    let text = "HloModule m\n\nsum {\n  a = f32[] parameter(0)\n  ROOT b = f32[] add(a, a)\n}\n\n\
                step {\n  c = f32[8]{0} parameter(0)\n  ROOT d = f32[8]{0} all-reduce(c), to_apply=add.1\n}\n\n\
                add.1 {\n  e = f32[] parameter(0)\n  ROOT f = f32[] add(e, e)\n}\n\nENTRY main (x: f32[8]";
    let (_, dump) = read(text);
    assert_eq!(
        dump.reading().cut.as_deref(),
        Some("no ENTRY: the dump is cut off after add.1, line 13")
    );
    // Without the keyword, the last computation is the entry if it is the only one without a caller.
    let called = "called {\n  g = f32[] parameter(0)\n}\n\nlast {\n  h = f32[] parameter(0)\n  i = f32[] call(h), to_apply=called\n}\n";
    let (_, dump) = read(called);
    assert_eq!((dump.reading().cut.as_deref(), dump.reading().count), (None, 0));
    let taken = "no ENTRY: last, line 5, is taken for it";
    assert_eq!(dump.reading().taken_for_entry.as_deref(), Some(taken));
    assert_eq!(dump.reading().summary().as_deref(), Some(taken));
    let two = &text[..text.find("add.1 {").unwrap()];
    let (_, dump) = read(two);
    assert_eq!(
        dump.reading().cut.as_deref(),
        Some("no ENTRY: the dump is cut off after step, line 8")
    );
    let mut summary = HloSummary::new(None);
    let mut dump = HloDump::new(two.as_bytes());
    while let Some(computation) = dump.next_computation().unwrap() {
        summary.add(computation).unwrap();
    }
    summary.finish();
    assert!(summary.rows().all(|row| row.role != HloRole::Entry));
}

#[test]
fn instructions_without_a_computation_are_read_as_they_stand() {
    let text = "dump.txt:12:  %copy.4 = f32[8,128]{1,0} copy(f32[8,128]{0,1} %fusion.2), metadata={op_name=\"a\"}\n--\n\
                dump.txt:90:  ROOT %add.1 = f32[8]{0} add(%x, %y)\n";
    let mut dump = HloDump::new(text.as_bytes());
    let loose = dump.next_computation().unwrap().unwrap();
    assert!(loose.is_loose() && loose.name().is_empty());
    let names: Vec<&str> = loose.instructions().map(|of| of.name()).collect();
    assert_eq!(names, ["copy.4", "add.1"]);
    let operand = loose.instruction(0).unwrap().operands().next().unwrap();
    assert_eq!(operand.shape_text(), Some("f32[8,128]{0,1}"));
    assert!(dump.next_computation().unwrap().is_none());
    assert_eq!(dump.reading().lines, []);
}

#[test]
fn an_instruction_without_a_shape_is_handed_out_and_said() {
    let (names, dump) = read("ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = add(a, a)\n}\n");
    assert_eq!((names.len(), dump.reading().count, dump.reading().hidden), (2, 1, 0));
}

#[test]
fn every_broken_instruction_is_unread_at_its_line() {
    let text = "HloModule a\nENTRY e {\n  x = f32[2]{0} constant({1,2})\n  junk here\n  v = f32[bad] foo()\n  \
                w = f32[2 foo()\n  u = (f32[2], foo()\n  ROOT z = f32[2]{0} add(x, x)\n}\n";
    let (names, dump) = read(text);
    let lines: Vec<_> = dump.reading().lines.iter().map(|of| (of.line, of.hidden)).collect();
    assert_eq!(names, ["x", "z"]);
    assert_eq!(lines, [(4, 0), (5, 1), (6, 1), (7, 1)]);
}

#[test]
fn an_instruction_without_an_equals_sign_is_known_to_be_missing() {
    let entry = |line: &str| format!("ENTRY e {{\n  a = f32[2] parameter(0)\n  {line}\n}}\n");
    for (line, hidden, words) in [
        ("b f32[2] add(a, a)", 1, "1 instruction is known to be missing"),
        (
            "b f32[2] add(a, a)\n  %c: neg(a)\n  c f32[2]",
            2,
            "2 instructions are known to be missing",
        ),
        ("(see the log)", 0, "no instruction is known to be missing"),
    ] {
        let text = entry(line);
        let (names, dump) = read(&text);
        assert_eq!((names.len(), dump.reading().hidden), (1, hidden), "{line}");
        let said = dump.reading().summary().unwrap();
        assert_eq!(said, format!("1 place could not be read, first line 3; {words}"));
    }
}

#[test]
fn attributes_of_a_module_that_cannot_be_read_are_unread() {
    let text = "HloModule m, num_partitions=many, is_scheduled=true, entry_computation_layout={(f32[8]{0})-f32[8]{0}}\n\
        ENTRY e {\n  ROOT a = f32[8]{0} parameter(0)\n}\n";
    let mut dump = HloDump::new(text.as_bytes());
    let mut memory = tensor_layout_hlo::HloMemory::new(None);
    memory.add(dump.next_computation().unwrap().unwrap()).unwrap();
    memory.finish().unwrap();
    let why = |reading: &tensor_layout_hlo::HloReading| reading.lines[0].why();
    let many = "num_partitions of this module is not a number, and counts as 1: many";
    assert_eq!((dump.reading().count, &*why(dump.reading())), (1, many));
    let layout = "entry_computation_layout of this module cannot be read: {(f32[8]{0})-f32[8]{0}}";
    assert_eq!((memory.reading().count, &*why(memory.reading())), (1, layout));
}

#[test]
fn comments_next_to_words_are_blanks() {
    let text = "HloModule m/*a*/, is_scheduled=true/*b*/, num_partitions=4/*c*/, buffer_donor={ (0/*d*/, {}) } // e\n\
        f {\n  p = f32[8]{0} parameter(/*f*/0/*g*/)\n  ROOT n = f32[8]{0} negate(p/*h*/) // i\n}\n\
        ENTRY e/*j*/ {\n  a/*k*/ = f32[8]{0}/*l*/ parameter(0), sharding={devices=[4]/*m*/<=[4]}/*n*/\n  \
        t = (f32[8]{0}, /*index=1*/f32[8]{0}) tuple(a/*o*/, /*index=1*/ /*p*/a)\n  \
        g = f32[8]{0} get-tuple-element(t/*q*/), index=/*r*/1/*s*/\n  \
        u = f32[8]{0} fusion(/*t*/f32[8]{0} /*u*/g/*v*/), kind=kLoop, calls=f/*w*/, metadata={op_name=\"/*x*/\"/*y*/}\n  \
        ROOT r = f32[32]{0} all-gather(u), channel_id=/*z*/1, use_global_device_ids=true/*1*/, \
        replica_groups={{0,1/*2*/,2,3}/*3*/}, dimensions={0/*4*/}/*5*/\n}\n";
    let (names, dump) = read(text);
    assert_eq!(dump.reading().lines, []);
    assert_eq!(names, ["p", "n", "a", "t", "g", "u", "r"]);
    assert_eq!((dump.module().name(), dump.module().partitions()), ("m", 4));
    assert!(dump.module().is_scheduled());
    let mut dump = HloDump::new(text.as_bytes());
    let parameter = dump.next_computation().unwrap().unwrap().instruction(0).unwrap().parameter();
    assert_eq!(parameter, Some(0));
    let entry = dump.next_computation().unwrap().unwrap();
    let of = |name: &str| entry.find(name).unwrap();
    assert!(entry.instructions().all(|of| of.operands().all(|on| on.instruction().is_some())));
    assert_eq!(of("a").attribute("sharding").unwrap().replace(' ', ""), "{devices=[4]<=[4]}");
    assert_eq!((of("g").attribute("index"), of("u").attribute("calls")), (Some("1"), Some("f")));
    assert_eq!(of("u").op_name().as_deref(), Some("/*x*/"));
    assert!(of("t").arguments().contains("/*index=1*/"));
    let all = collectives(text);
    assert_eq!((all.entries.len(), &all.reading.lines[..]), (1, &[][..]));
    let mut memory = tensor_layout_hlo::HloMemory::new(None);
    let mut dump = HloDump::new(text.as_bytes());
    while let Some(computation) = dump.next_computation().unwrap() {
        memory.add(computation).unwrap();
    }
    memory.finish().unwrap();
    assert_eq!(memory.reading().lines, []);
    let mut summary = HloSummary::new(None);
    let mut dump = HloDump::new(text.as_bytes());
    while let Some(computation) = dump.next_computation().unwrap() {
        summary.add(computation).unwrap();
    }
    summary.finish();
    assert_eq!(summary.computations()[0].role, HloRole::Fused);
}

#[test]
fn shapes_that_do_not_close_are_read_once() {
    let cut = "  %fusion.1 = (f32[64,64]{1,0}, f32[64,64]{1,0}, f32[64,64]{\n".repeat(2000);
    let text = format!("HloModule a\n\nENTRY e {{\n{cut}}}\n");
    let (_, dump) = read(&text);
    assert_eq!((dump.reading().count, dump.reading().hidden), (2000, 2000));
    let (names, _) = read(&format!("f(x): {}", "a = (".repeat(20_000)));
    assert!(names.is_empty());
    let (names, _) = read(&"f(a: \\\"x\n".repeat(20_000));
    assert!(names.is_empty());
}

/// The names before ` = shape opcode(` at the beginnings of lines.
fn written(text: &str) -> BTreeSet<&str> {
    let name = |line| {
        let (name, rest): (&str, &str) = str::trim_start(line).split_once(" = ")?;
        let is_whole = rest
            .split_once('(')
            .is_some_and(|(head, _)| head.contains("] ") || head.contains("} "));
        let is_tuple = rest.starts_with('(') && rest.contains(") ");
        let name = name.rsplit(' ').next()?;
        (is_whole || is_tuple).then_some(name.trim_start_matches('%'))
    };
    text.lines().filter_map(name).collect()
}

/// Every instruction of the text is returned, or counted as hidden.
fn check_nothing_is_lost(text: &str) -> Result<(), TestCaseError> {
    let (names, dump) = read(text);
    let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let missing = written(text).iter().filter(|name| !names.contains(*name)).count();
    prop_assert!(
        missing as u64 <= dump.reading().hidden,
        "{missing} lost, {:?}\n{text}",
        dump.reading().lines
    );
    Ok(())
}

#[test]
fn no_instruction_is_lost_without_a_word_where_a_text_is_cut_at_any_byte() {
    for text in [KERNEL, include_str!("data/reshard.txt")] {
        let entry = text.find("ENTRY").unwrap();
        let open = entry + text[entry..].find(" {\n").unwrap() + 3;
        let close = text.rfind('}').unwrap();
        for cut in 0..=text.len() {
            check_nothing_is_lost(&text[..cut]).unwrap();
            if (open..=close).contains(&cut) {
                let (_, dump) = read(&text[..cut]);
                assert!(
                    dump.reading()
                        .cut
                        .as_deref()
                        .is_some_and(|cut| cut.contains("ends inside main")),
                    "{:?}",
                    &text[..cut]
                );
            }
        }
    }
}

#[test]
fn no_instruction_is_lost_without_a_word_where_a_line_is_missing_or_twice() {
    for text in [KERNEL, include_str!("data/reshard.txt"), include_str!("data/scan.txt")] {
        let lines: Vec<&str> = text.lines().collect();
        for at in 0..lines.len() {
            let without = [&lines[..at], &lines[at + 1..]].concat().join("\n");
            check_nothing_is_lost(&without).unwrap();
            let twice = [&lines[..at], &lines[at..=at], &lines[at..]].concat().join("\n");
            check_nothing_is_lost(&twice).unwrap();
        }
    }
}

#[test]
fn no_instruction_is_lost_without_a_word_where_a_byte_is_missing() {
    for at in 0..KERNEL.len() {
        let text = [&KERNEL[..at], &KERNEL[at + 1..]].concat();
        check_nothing_is_lost(&text).unwrap();
    }
}

/// With work in proportion to the square of their number, this would take minutes.
#[test]
fn many_layouts_that_do_not_close_cost_little_each() {
    let row = "x = f32[1]{1 ".repeat(100_000);
    for text in [row.clone(), row.replace(' ', "\n"), format!("ENTRY e {{\n{row}\n}}\n")] {
        assert_eq!(read(&text).0, [""; 0]);
    }
    // The braces of a physical shape are in those of the layout.
    let (names, dump) = read("x = f32[2]{0:P(f32[4]{0:T(2)})} copy(x)\n");
    assert_eq!((&*names, dump.reading().count), (&["x".to_owned()][..], 0));
}
