//! Dumps that are cut off or lack a line: no instruction that is left in the text is lost silently.

use std::collections::BTreeSet;

use tensor_layout_hlo::{HloComputation, HloDump, HloInstruction, HloReading};

/// Names that are unique in the text, with attributes over several lines and strings with brackets.
const PALLAS: &str = "HloModule jit_step, is_scheduled=true, num_partitions=8, input_output_alias={ {}: (0, {}, may-alias) }\n\nFileNames\n1 \"f{.py\"\n\n\
    %fused (p0: f32[8]) -> f32[8] {\n  %p0 = f32[8]{0} parameter(0)\n  ROOT %r0 = f32[8]{0} negate(%p0), metadata={op_name=\"a}b{\"}\n}\n\n\
    %body (p1: (f32[8], s32[])) -> (f32[8], s32[]) {\n  %p1 = (f32[8]{0}, /*index=1*/s32[]) parameter(0)\n  %g1 = f32[8]{0} get-tuple-element(%p1), index=0\n  \
    %k1 = f32[8]{0} custom-call(%g1), custom_call_target=\"tpu_custom_call\", frontend_attributes={kernel_metadata={\n\"xprof_metadata\":\"{\\\"q\\\": 1}\"\n}}, backend_config={\n\"n\": {\"m\": \"}\"}\n}\n  \
    %s1 = s32[] get-tuple-element(%p1), index=1\n  ROOT %t1 = (f32[8]{0}, s32[]) tuple(%k1, %s1)\n}\n\n\
    ENTRY %main (a: f32[8]) -> f32[8] {\n  %a = f32[8]{0} parameter(0), sharding={devices=[8]<=[8]}\n  %c = f32[8]{0} constant({1, 2, 3, 4,\n    5, 6, 7, 8})\n  \
    %f = f32[8]{0} fusion(%a), kind=kLoop, calls=%fused\n  %g = f32[64]{0} all-gather(%f), channel_id=1,\n    replica_groups={{0,1,2,3,4,5,6,7}},\n    dimensions={0}\n  \
    ROOT %z = f32[8]{0} add(%f, %c)\n}\n";

/// Names of the instructions that the reader returns, and the reading report.
fn read(text: &str) -> (Vec<String>, HloReading) {
    let mut dump = HloDump::new(text.as_bytes());
    let mut names = Vec::new();
    while let Some(computation) = dump.next_computation().unwrap() {
        names.extend(computation.instructions().map(|of| of.name().to_owned()));
    }
    (names, dump.reading().clone())
}

/// All parts of a computation, as they are written.
fn parts(of: HloComputation<'_>) -> String {
    let instruction = |of: HloInstruction<'_>| {
        let operands = of.operands().map(|operand| {
            let found = operand.instruction().map(|of| of.index());
            (operand.name(), operand.element(), operand.shape_text(), found)
        });
        let operands = operands.collect::<Vec<_>>();
        let parts = (of.line(), of.is_root(), of.arguments(), of.attributes(), of.source());
        format!("{of:?} {parts:?} {operands:?}\n")
    };
    let marks = (of.name(), of.line(), of.is_entry(), of.is_loose(), of.is_cut());
    let head = format!("{} {marks:?}\n", of.module().name());
    of.instructions().map(instruction).fold(head, |all, part| all + &part)
}

/// What is read ahead on another thread is what is read here.
fn check_ahead(text: &str) {
    let mut here = HloDump::new(text.as_bytes());
    let mut all = Vec::new();
    while let Some(computation) = here.next_computation().unwrap() {
        all.push(parts(computation));
    }
    let mut ahead = Vec::new();
    let reading = HloDump::new(text.as_bytes()).read_ahead(|computation, _| {
        ahead.push(parts(computation));
        Ok::<(), ()>(())
    });
    assert_eq!((ahead, reading.unwrap().unwrap()), (all, here.reading().clone()), "{text}");
}

/// The names at the beginnings of lines of the text: `%name = ` or `ROOT %name = `.
fn left(text: &str) -> BTreeSet<&str> {
    let name = |line: &'_ str| -> Option<(usize, usize)> {
        let start = line.trim_start();
        let name = start.strip_prefix("ROOT ").unwrap_or(start).strip_prefix('%')?;
        let (name, rest) = name.split_once(" = ")?;
        // A shape, an opcode and an open bracket; anything less is no longer an instruction.
        let is_whole = rest.contains('(') && !name.contains(' ');
        is_whole.then(|| (line.find(name).unwrap(), name.len()))
    };
    text.lines().filter_map(|line| name(line).map(|(at, length)| &line[at..at + length])).collect()
}

/// Nothing is lost: a missing instruction is counted as hidden, or the text ends inside it.
fn check(text: &str, what: &str) {
    let (names, reading) = read(text);
    let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let missing: Vec<_> = left(text).into_iter().filter(|name| !names.contains(name)).collect();
    assert!(missing.len() as u64 <= reading.hidden, "{what}: {missing:?} {reading:?}\n{text}");
    assert!(reading.hidden == 0 || !reading.is_complete(), "{what}");
}

fn cut_everywhere(text: &str, step: usize) {
    for end in (0..text.len()).step_by(step) {
        check(&text[..end], &format!("cut at byte {end}"));
        let (_, reading) = read(&text[..end]);
        // A text may end after a complete computation; a cut inside one is reported first.
        let part = text[..end].trim_end();
        let opened = part.rfind(" {\n").filter(|_| !part.ends_with("\n}"));
        let is_open = opened.is_some_and(|at| !part[at..].contains("\n}\n\n"));
        assert!(!is_open || reading.cut.is_some(), "cut at byte {end}: {reading:?}");
    }
}

fn without_each_line(text: &str) {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for at in 0..lines.len() {
        let rest: String = lines[..at].iter().chain(&lines[at + 1..]).copied().collect();
        check(&rest, &format!("without line {}", at + 1));
    }
}

#[test]
fn a_cut_at_any_byte_loses_nothing_in_silence() {
    assert_eq!((left(PALLAS).len(), read(PALLAS).0.len()), (12, 12));
    cut_everywhere(PALLAS, 1);
    cut_everywhere(include_str!("data/scan.txt"), 5);
    cut_everywhere(include_str!("data/sharded.txt"), 5);
}

#[test]
fn a_dump_that_is_read_ahead_has_the_same_computations_in_the_same_order() {
    for end in (0..PALLAS.len()).step_by(7) {
        check_ahead(&PALLAS[..end]);
    }
    let texts = [PALLAS, include_str!("data/scan.txt"), include_str!("data/sharded.txt")];
    let all = texts.map(|text| text.replace('\n', " // comment\n")).concat();
    texts.into_iter().for_each(check_ahead);
    // Several batches, whose computations begin anywhere in the text that is held.
    check_ahead(&[&texts.concat(), &all, "%loose = f32[2]{0} add(%a, %b)\n"].concat().repeat(20));
}

#[test]
fn the_first_error_of_a_reader_ends_the_reading_ahead() {
    let text = PALLAS.repeat(2000);
    let mut seen = 0;
    let reading = HloDump::new(text.as_bytes()).read_ahead(|_, _| {
        seen += 1;
        Err("enough")
    });
    assert_eq!((reading.unwrap().unwrap_err(), seen), ("enough", 1));
}

#[test]
fn a_line_that_is_missing_takes_no_other_with_it_in_silence() {
    without_each_line(PALLAS);
    for text in [
        include_str!("data/scan.txt"),
        include_str!("data/sharded.txt"),
        include_str!("data/mlp.txt"),
    ] {
        without_each_line(text);
    }
}
