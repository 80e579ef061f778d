//! Modules that lack a part, or whose parts contradict each other: the reader says so.

use tensor_layout_hlo::{HloCopies, HloDump, HloMemory, HloReading, HloSummary, HloTallies};
use tensor_layout_show::pages::hlo as pages;

use crate::dumps::collectives;
use crate::memory::module;

/// Everything that could not be read: the lines and the reasons with their texts.
fn unread(text: &str) -> Vec<(u64, String)> {
    let mut dump = HloDump::new(text.as_bytes());
    while dump.next_computation().unwrap().is_some() {}
    let HloReading { lines, count, .. } = dump.reading();
    assert_eq!(*count, lines.len() as u64);
    lines.iter().map(|unread| (unread.line, unread.why())).collect()
}

const ABSENT: &str = "this instruction calls a computation that is not in the text";

#[test]
fn a_callee_that_is_not_in_the_text_is_unread_at_its_first_caller() {
    let entry = |instruction: &str| {
        let text = format!("ENTRY e {{\n  a = f32[8]{{0}} parameter(0)\n  {instruction}\n}}\n");
        unread(&text)
    };
    for call in [
        "b = f32[8]{0} fusion(a), kind=kLoop, calls=%gone",
        "b = f32[8]{0} call(a), to_apply=gone",
        "b = f32[8]{0} while(a), condition=e, body=gone",
        "b = ((f32[8]{0}), f32[8]{0}) async-start(a), calls=%gone",
        "b = f32[8]{0} conditional(a, a, a), branch_computations={e, %gone}",
        "b = f32[8]{0} custom-call(a), custom_call_target=\"t\", called_computations={%gone}",
        "b = f32[8]{0} custom-call(a), custom_call_target=\"t\", to_apply=gone",
        "b = f32[8]{0} all-reduce(a), to_apply=gone",
        "b = f32[8]{0} scan(a), dimensions={0}, to_apply=gone",
    ] {
        assert_eq!(entry(call), [(3, format!("{ABSENT}: gone"))], "{call}");
        // Another caller adds nothing.
        let again = format!("{call}\n  c = f32[8]{{0}} call(a), to_apply=gone");
        assert_eq!(entry(&again).len(), 1, "{call}");
    }
    assert_eq!(entry("b = f32[8]{0} custom-call(a), called_computations={}"), []);
    // Text inside of other attributes names nothing.
    let inside = "b = f32[8]{0} negate(a), frontend_attributes={to_apply=gone}, metadata={op_name=\"calls=gone\"}";
    assert_eq!(entry(inside), []);
    let later = "ENTRY e {\n a = f32[8] parameter(0)\n b = f32[8] call(a), to_apply=f\n}\nf {\n p = f32[8] parameter(0)\n}\n";
    assert_eq!(unread(later), []);
    // A computation of another module does not count.
    let other = format!("HloModule m\n{later}HloModule n\n{}", later.split("f {").next().unwrap());
    assert_eq!(unread(&other), [(12, format!("{ABSENT}: f"))]);
}

#[test]
fn an_opcode_that_is_not_known_calls_its_computation_any_number_of_times() {
    let text = "HloModule m\nstep {\n  p = f32[8]{0} parameter(0)\n  ROOT k = f32[8]{0} copy(p)\n}\n\
                ENTRY e {\n  a = f32[8]{0} parameter(0)\n  ROOT s = f32[8]{0} scan(a), to_apply=step\n}\n";
    let (mut dump, mut copies) = (HloDump::new(text.as_bytes()), HloCopies::default());
    while let Some(computation) = dump.next_computation().unwrap() {
        copies.add(computation).unwrap();
    }
    copies.finish().unwrap();
    let copy = &copies.entries()[0];
    assert_eq!((copy.role.name(), &*copy.runs.mark()), ("called", " x ?"));
    assert_eq!(copies.in_a_step().bound(), "at least ");
}

#[test]
fn a_name_that_is_not_new_is_unread_and_so_is_a_second_entry() {
    let body = "{\n  p = f32[8]{0} parameter(0)\n  ROOT r = f32[8]{0} negate(p)\n}\n";
    let computation = (1, "a computation before this one has the same name: f".to_owned());
    for call in ["", "g {\n  q = f32[8]{0} parameter(0)\n  c = f32[8]{0} call(q), to_apply=f\n}\n"]
    {
        let text = format!("f {body}{call}f {body}ENTRY e {body}");
        let lines = call.lines().count() as u64;
        assert_eq!(unread(&text), [(5 + lines, computation.1.clone())]);
    }
    let entries = format!("ENTRY e {body}HloModule n\nENTRY e {body}ENTRY g {body}");
    assert_eq!(unread(&entries), [(10, "this module has an ENTRY before this one: g".to_owned())]);
    let instruction = "an instruction before this one has the same name: a".to_owned();
    for more in [0, 20] {
        let rows: String = (0..more).map(|at| format!("  b{at} = f32[8] negate(a)\n")).collect();
        let text = format!(
            "ENTRY e {{\n{rows}  a = f32[8] parameter(0)\n  %a = f32[8] negate(a)\n  c = f32[8] negate(a)\n}}\n"
        );
        assert_eq!(unread(&text), [(more + 3, instruction.clone())]);
    }
    // Lines outside of any computation come from anywhere.
    assert_eq!(unread("a = f32[8] parameter(0)\na = f32[8] parameter(0)\n"), []);
}

#[test]
fn a_root_that_is_missing_is_noticed_by_the_shape_in_the_head() {
    let text = |head: &str, root: &str| {
        format!(
            "%f (p: f32[8,4]) -> {head} {{\n  %p = f32[8,4]{{1,0}} parameter(0)\n  \
             %n = {root} custom-call(%p)\n}}\nENTRY e {{\n  p = f32[8,4] parameter(0)\n  \
             ROOT c = {root} call(p), to_apply=f\n}}\n"
        )
    };
    for (head, root) in [
        ("f32[8,4]", "f32[8,4]{0,1:T(8,128)}"),
        ("f32[8,4]{1,0}", "f32[8,4]{0,1}"),
        ("(f32[8], /*index=1*/s32[])", "(f32[8]{0}, s32[]{:T(128)})"),
        ("((f32[8]), token[])", "((f32[8]{0:T(8)S(1)}),token[])"),
        ("f32[<=8]", "f32[8]{0}"),
    ] {
        assert_eq!(unread(&text(head, root)), []);
    }
    for (head, root) in [("f32[4]", "f32[4,1]{1,0}"), ("f32[]", "(f32[])"), ("f32[4]", "s32[4]{0}")]
    {
        let why = "the result of this computation and its root have different shapes";
        assert_eq!(unread(&text(head, root)), [(1, format!("{why}: {head}, {root} n"))]);
    }
}

#[test]
fn an_entry_whose_shapes_are_not_those_of_the_head_of_its_module_is_unread() {
    let text = |layout: &str| {
        format!(
            "HloModule m, entry_computation_layout={{{layout}}}\nf {{\n  p = f32[3] parameter(0)\n  \
             ROOT n = f32[3] negate(p)\n}}\nENTRY e {{\n  b = (s32[], bf16[2,<=4]) parameter(1)\n  \
             a = f32[8]{{0}} parameter(0)\n  ROOT r = f32[8]{{0}} negate(a)\n}}\n"
        )
    };
    let tuple = "(s32[]{:T(128)}, /*index=1*/bf16[2,4]{1,0})";
    for layout in [
        format!("(f32[8]{{0:T(1024)}}, {tuple})->f32[8]{{0}}"),
        format!("( f32[<=8],{tuple} ) -> f32[8]"),
    ] {
        assert_eq!(unread(&text(&layout)), [], "{layout}");
    }
    let open = "the brackets in the head of this module do not close: HloModule".to_owned();
    assert_eq!(unread(&text("(f32[8]")), [(1, open)]);
    let differ =
        "entry_computation_layout of this module and this instruction have different shapes";
    let number =
        "entry_computation_layout of this module has another number of parameters than this ENTRY";
    for (layout, line, why) in [
        (format!("(f32[8,1], {tuple})->f32[8]"), 8, format!("{differ}: f32[8,1], f32[8]{{0}} a")),
        (format!("(f32[8], {tuple})->bf16[8]"), 9, format!("{differ}: bf16[8], f32[8]{{0}} r")),
        (
            "(f32[8], (s32[]))->f32[8]".into(),
            7,
            format!("{differ}: (s32[]), (s32[], bf16[2,<=4]) b"),
        ),
        ("(f32[8])->f32[8]".into(), 6, format!("{number}: 1, 2")),
        (format!("(f32[8], {tuple}, pred[])->f32[8]"), 6, format!("{number}: 3, 2")),
    ] {
        assert_eq!(unread(&text(&layout)), [(line, why)], "{layout}");
    }
}

#[test]
fn sums_over_a_run_and_peaks_are_lower_bounds_if_a_part_that_writes_memory_is_missing() {
    let bounds = |call: &str| {
        let text = format!(
            "HloModule m, is_scheduled=true, num_partitions=4\nENTRY e {{\n a = f32[8]{{0}} parameter(0)\n {call}\n}}\n"
        );
        let (mut dump, mut copies) = (HloDump::new(text.as_bytes()), HloCopies::default());
        let mut memory = HloMemory::default();
        while let Some(computation) = dump.next_computation().unwrap() {
            copies.add(computation).unwrap();
            memory.add(computation).unwrap();
        }
        copies.finish().unwrap();
        memory.finish().unwrap();
        let peak = pages::memory(&memory, None).contains("HBM: at least ");
        assert_eq!(memory.modules()[0].is_at_least, peak);
        let collectives = collectives(&text, "CHIP=4");
        (copies.in_a_step().bound(), collectives.in_a_step.bound(), peak)
    };
    let all = ("at least ", "at least ", true);
    assert_eq!(bounds("b = f32[8]{0} call(a), to_apply=gone"), all);
    assert_eq!(bounds("b = f32[8]{0} fusion(a), calls=gone"), ("at least ", "at least ", false));
    assert_eq!(bounds("b = f32[8]{0} add(a, a\n c = f32[8]{0} negate(a)"), all);
    // A shape without a size moves nothing that would be listed.
    assert_eq!(bounds("b = f32[?]{0} negate(a)"), ("", "", true));
    assert_eq!(bounds("b = f32[] reduce(a, a), dimensions={0}, to_apply=gone"), ("", "", false));
    assert_eq!(bounds("b = f32[8]{0} negate(a)"), ("", "", false));
}

#[test]
fn a_place_that_several_readers_list_counts_once_beyond_those_that_are_kept_too() {
    let parameters: String =
        (0..1500).map(|n| format!(" p{n} = f32[8]{{0,0}} parameter({n})\n")).collect();
    let root = "ROOT r = f32[8]{0} negate(p0), sharding={replicated}";
    let text = format!("HloModule m\nENTRY e {{\n{parameters} {root}\n}}\n");
    let mut dump = HloDump::new(text.as_bytes());
    let (mut summary, mut tallies) = (HloSummary::default(), HloTallies::default());
    while let Some(computation) = dump.next_computation().unwrap() {
        summary.add(computation).unwrap();
        tallies.add(computation).unwrap();
    }
    summary.finish();
    tallies.finish().unwrap();
    for reading in [summary.reading(), tallies.reading()] {
        assert_eq!((reading.count, reading.lines.len()), (1500, 1000));
        assert_eq!(reading.and(reading), *reading);
    }
}

#[test]
fn the_last_computation_is_taken_for_the_entry_where_nothing_contradicts_it_and_said() {
    const SUM: &str = "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n";
    let read = |text: &str| {
        let (mut dump, mut memory) = (HloDump::new(text.as_bytes()), HloMemory::default());
        while let Some(computation) = dump.next_computation().unwrap() {
            memory.add(computation).unwrap();
        }
        memory.finish().unwrap();
        let HloReading { cut, taken_for_entry, count, .. } = dump.reading().clone();
        let entry = memory.modules()[0].entry.clone();
        (cut, taken_for_entry, count, entry)
    };
    let some = |text: &str| Some(text.to_owned());
    let module = |layout: &str| format!("HloModule m, entry_computation_layout={{{layout}}}\n");
    let taken = some("no ENTRY: sum, line 2, is taken for it");
    for head in ["HloModule m\n".to_owned(), module("(f32[], f32[])->f32[]")] {
        assert_eq!(read(&(head + SUM)), (None, taken.clone(), 0, some("sum")));
    }
    let cut = some("no ENTRY: the dump is cut off after sum, line 2");
    for layout in ["(f32[1024]{0})->f32[]", "(f32[], f32[])->f32[2]{0}", "(f32[], s32[])->f32[]"] {
        assert_eq!(read(&(module(layout) + SUM)), (cut.clone(), None, 1, None), "{layout}");
    }
    // The word that begins the entry is there, its head is not whole.
    let lost = format!("HloModule m\n{SUM}\nENTRY main (x: f");
    assert_eq!(read(&lost).0, cut);
    let open = SUM.trim_end().strip_suffix('}').unwrap();
    let why = some("the text ends inside sum, line 5: no ENTRY, the dump is cut off");
    assert_eq!(read(&format!("HloModule m\n{open}")), (why, None, 1, None));
    let whole = format!("HloModule m\n{SUM}ENTRY {SUM}");
    assert_eq!(read(&whole.replace("ENTRY sum", "ENTRY e")), (None, None, 0, some("e")));
}

#[test]
fn an_operand_may_be_a_member_of_a_tuple() {
    let text = "HloModule m, is_scheduled=true, num_partitions=2\nENTRY e {\n  a = f32[8]{0} parameter(0)\n  \
                t = (f32[8]{0}, /*index=1*/f32[4]{0}) custom-call(a), custom_call_target=\"x\"\n  \
                b = f32[8]{0} all-gather(%t#1), channel_id=1, replica_groups={{0,1}}, dimensions={0}\n  \
                ROOT c = f32[8]{0} negate(%t#0)\n}\n";
    let (mut dump, mut memory) = (HloDump::new(text.as_bytes()), HloMemory::default());
    let entry = dump.next_computation().unwrap().unwrap();
    let operand = entry.instructions().nth(2).unwrap().operands().next().unwrap();
    assert_eq!((operand.name(), operand.element()), ("t", Some(1)));
    assert_eq!(operand.shape_text(), Some("f32[4]{0}"));
    memory.add(entry).unwrap();
    memory.finish().unwrap();
    // The end of the life of a member is not known.
    assert!(memory.modules()[0].is_at_least);
    assert!(dump.reading().is_complete(), "{:?}", dump.reading());
}

#[test]
fn the_head_of_a_module_that_does_not_close_is_unread() {
    let text = "HloModule m, is_scheduled=true, entry_computation_layout={(f32[])->f32[]\n\nENTRY e {\n  a = f32[] parameter(0)\n}\n";
    let mut dump = HloDump::new(text.as_bytes());
    while dump.next_computation().unwrap().is_some() {}
    let unread = &dump.reading().lines[0];
    assert_eq!(
        (unread.line, &*unread.reason),
        (1, "the brackets in the head of this module do not close")
    );
}

#[test]
fn a_module_that_is_not_scheduled_may_have_the_arrays_of_all_devices() {
    let devices = |head: &str| {
        let body = "ENTRY e {\n  ROOT a = f32[1024]{0} parameter(0)\n}\n";
        module(&format!("HloModule m{head}\n\n{body}")).may_be_partitioned_over
    };
    assert_eq!(devices(", num_partitions=8"), Some(8));
    assert_eq!(devices(", is_scheduled=true, num_partitions=8"), None);
    assert_eq!(devices(""), None);
}
