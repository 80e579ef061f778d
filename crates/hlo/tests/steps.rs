//! Traffic of one step of a program: loops count once per iteration, fusions by the operations inside.

use tensor_layout_hlo::{
    CollectiveKind, HloChanges, HloCopies, HloDump, HloRuns, HloSummary, HloTallies,
};
use tensor_layout_show::pages::hlo as pages;

use crate::dumps::collectives;

fn copies(text: &str) -> HloCopies {
    let (mut dump, mut copies) = (HloDump::new(text.as_bytes()), HloCopies::default());
    while let Some(computation) = dump.next_computation().unwrap() {
        copies.add(computation).unwrap();
    }
    assert_eq!(dump.reading().lines, []);
    copies.finish().unwrap();
    copies
}

fn scattered(slice: &str, user: &str) -> String {
    format!(
        "HloModule m, is_scheduled=true, num_partitions=4\n\
         all-reduce-scatter.3 {{\n p = bf16[128,4096] parameter(0)\n q = u32[] parameter(1)\n \
         r = bf16[128,4096] all-reduce(p), channel_id=1, replica_groups={{{{0,1,2,3}}}}, use_global_device_ids=true, to_apply=sum\n \
         {user} b = bf16[128,4096] bitcast(r)\n \
         ROOT s = {slice} dynamic-slice(b, q, q), dynamic_slice_sizes={{32,4096}}\n}}\n\
         ENTRY e {{\n p = bf16[128,4096] parameter(0)\n i = u32[] partition-id()\n \
         ROOT fusion.3 = {slice} fusion(p, i), kind=kCustom, calls=%all-reduce-scatter.3\n}}\n"
    )
}

#[test]
fn a_fusion_that_keeps_a_part_of_an_all_reduce_is_a_reduce_scatter() {
    let all = collectives(&scattered("bf16[32,4096]", ""), "CHIP=4");
    let [one] = &all.entries[..] else { panic!("{:?}", all.entries) };
    assert_eq!((one.kind, one.opcode.as_str()), (CollectiveKind::ReduceScatter, "reduce-scatter"));
    assert_eq!((one.bytes, one.fusion.as_deref()), (1 << 20, Some("fusion.3")));
    // Every device sends a quarter of the bytes three times.
    assert_eq!((one.traffic.sent, one.traffic.received), (3 << 18, 3 << 20));
    // With another user, or another part, it remains the all-reduce that the text shows.
    for text in [
        scattered("bf16[32,4096]", "other = bf16[128,4096] negate(r)\n"),
        scattered("bf16[64,4096]", ""),
        scattered("bf16[32,4096]", "")
            .replace("fusion(p, i), kind=kCustom, calls=%", "call(p, i), to_apply="),
    ] {
        let all = collectives(&text, "CHIP=4");
        assert_eq!(all.entries[0].kind, CollectiveKind::AllReduce);
        assert_eq!(all.total.sent, 6 << 18);
    }
}

/// A loop of five iterations around one of three, with a gather in each and in the entry.
fn nested(inner: &str) -> String {
    let gather = "g = f32[32] all-gather(p), channel_id=1, replica_groups=[1,4]<=[4], use_global_device_ids=true, dimensions={0}";
    let counted = |n: &str| {
        format!(
            "backend_config={{\"known_trip_count\":{{\"n\":{n}}},\"known_init_step\":{{\"init\":\"0\",\"step\":\"1\"}}}}"
        )
    };
    format!(
        "HloModule m, num_partitions=4\n\
         condition {{\n p = f32[8] parameter(0)\n ROOT c = pred[] constant(true)\n}}\n\
         inner {{\n p = f32[8] parameter(0)\n {gather}\n ROOT c = f32[8] copy(p)\n}}\n\
         outer {{\n p = f32[8] parameter(0)\n {gather}\n ROOT w = f32[8] while(p), condition=condition, body=inner, {inner}\n}}\n\
         ENTRY e {{\n p = f32[8] parameter(0)\n {gather}\n ROOT w = f32[8] while(p), condition=condition, body=outer, {}\n}}\n",
        counted("\"5\""),
    )
    .replace("INNER", &counted("3"))
}

#[test]
fn loops_of_known_length_multiply_and_those_of_unknown_length_are_named() {
    let runs = |text: &str| {
        let all = collectives(text, "CHIP=4");
        let mut entries: Vec<_> = all.entries.iter().map(|of| (of.line, of.runs.known())).collect();
        entries.sort_unstable();
        (entries, all.total.sent / (3 * 32), all.in_a_step.bound())
    };
    let rows = |inner| vec![(8, inner), (13, Some(5)), (18, Some(1))];
    assert_eq!(runs(&nested("INNER")), (rows(Some(15)), 15 + 5 + 1, ""));
    assert_eq!(runs(&nested("backend_config={}")), (rows(None), 5 + 5 + 1, "at least "));
    // In the form of older dumps: inside a string.
    let quoted = r#"backend_config="{\"known_trip_count\":{\"n\":\"3\"}}""#;
    assert_eq!(runs(&nested(quoted)).0, rows(Some(15)));
    let copies = copies(&nested("INNER"));
    assert_eq!((copies.moved(), copies.in_a_step().bytes(1).unwrap()), ((32, 32), 15 * 32));
}

#[test]
fn marks_say_what_is_known_about_the_number_of_runs() {
    let runs = |times, is_unknown, is_branch| HloRuns { times, is_unknown, is_branch }.mark();
    assert_eq!([runs(1, false, false), runs(48, false, false)], ["", " x48"]);
    assert_eq!([runs(1, true, false), runs(48, true, true)], [" x ?", " x48 x ?"]);
    assert_eq!([runs(1, false, true), runs(48, false, true)], [" x1 at most", " x48 at most"]);
    // The greatest number stands for all greater ones: how often a branch runs at most is not known then.
    assert_eq!(
        [runs(u64::MAX, false, false), runs(u64::MAX, false, true)],
        [" x2^64 or more", " x ?"]
    );
}

/// Of two branches, one receives more in all and the other sends more into hosts.
#[test]
fn every_sum_counts_the_branch_that_adds_most_to_it() {
    let text = "HloModule m, num_partitions=4\n\
        sum {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT z = f32[] add(x, y)\n}\n\
        inner {\n p = f32[1024] parameter(0)\n ROOT r = f32[1024] all-reduce(p), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=sum\n}\n\
        outer {\n p = f32[1024] parameter(0)\n ROOT q = f32[1024] collective-permute(p), channel_id=2, source_target_pairs={{0,2}}\n}\n\
        ENTRY e {\n i = s32[] parameter(0)\n a = f32[1024] parameter(1)\n ROOT c = f32[1024] conditional(i, a, a), branch_computations={inner, outer}\n}\n";
    for text in [text.to_owned(), text.replace("{inner, outer}", "{outer, inner}")] {
        let all = collectives(&text, "HOST=2,CHIP=2");
        let into: Vec<u64> = all.total.into.iter().map(|(_, bytes)| *bytes).collect();
        // Both rings of two devices move 4096 bytes in each direction; one hop crosses into another host.
        assert_eq!((all.total.received, all.total.sent), (4 * 4096, 4096));
        assert_eq!(into, [4096, 4 * 4096]);
        assert_eq!(all.in_a_step.bound(), "at most ");
    }
}

#[test]
fn a_fusion_that_only_copies_or_transposes_is_a_copy() {
    let text = "HloModule m, is_scheduled=true\n\
        wrapped_transpose_computation {\n p = f32[128,256]{1,0} parameter(0)\n ROOT t = f32[256,128]{1,0} transpose(p), dimensions={1,0}\n}\n\
        mixed {\n p = f32[128,256]{1,0} parameter(0)\n q = f32[128,256]{0,1} copy(p)\n ROOT c = bf16[128,256]{0,1} convert(q)\n}\n\
        both {\n p = f32[64]{0} parameter(0)\n q = f32[64]{0} parameter(1)\n c = f32[64]{0} copy(p)\n ROOT t = (f32[64]{0}, f32[64]{0}) tuple(c, q)\n}\n\
        other {\n p = f32[64]{0} parameter(0)\n c = f32[64]{0} copy(p)\n ROOT n = f32[64]{0} negate(c)\n}\n\
        ENTRY e {\n a = f32[128,256]{1,0} parameter(0)\n v = f32[64]{0} parameter(1)\n \
        wrapped_transpose = f32[256,128]{1,0} fusion(a), kind=kLoop, calls=wrapped_transpose_computation\n \
        m = bf16[128,256]{0,1} fusion(a), kind=kLoop, calls=%mixed\n \
        b = (f32[64]{0}, f32[64]{0}) fusion(v, v), kind=kLoop, calls=both\n \
        ROOT o = f32[64]{0} fusion(v), kind=kLoop, calls=other\n}\n";
    let copies = copies(text);
    let paid: Vec<_> = copies.entries().iter().filter(|copy| copy.is_paid()).collect();
    let rows: Vec<_> =
        paid.iter().map(|of| (of.opcode.as_str(), of.name.as_str(), of.read, of.written)).collect();
    assert_eq!(
        rows,
        [
            ("fusion", "wrapped_transpose", 1 << 17, 1 << 17),
            ("copy and convert", "m", 1 << 17, 1 << 16),
            ("fusion", "b", 256, 256),
        ]
    );
    assert_eq!(paid[0].changes, ["shape [128,256] -> [256,128]"]);
    assert_eq!(copies.moved(), ((1 << 18) + 256, (1 << 17) + (1 << 16) + 256));
}

#[test]
fn a_page_of_copies_shows_a_sum_beyond_64_bits_as_more_than_the_greatest_number() {
    let turns = "backend_config={\"known_trip_count\":{\"n\":\"10000000000000000000\"}}";
    let all = copies(&nested(turns));
    assert!(all.in_a_step().bytes(0).is_err());
    let row = "> 15.99 EiB > 15.99 EiB            in one run of the program";
    assert!(pages::copies(&all, None).contains(row), "{}", pages::copies(&all, None));
}

#[test]
fn asynchronous_copies_and_slices_cost_their_destination() {
    let text = "HloModule m, is_scheduled=true\nENTRY e {\n a = f32[1024]{0:T(1024)} parameter(0)\n \
        s = (f32[1024]{0:T(1024)S(1)}, f32[1024]{0:T(1024)}, u32[]{:S(2)}) copy-start(a), cross_program_prefetch_index=0\n \
        d = f32[1024]{0:T(1024)S(1)} copy-done(s)\n \
        t = ((f32[1024]{0:T(1024)}), f32[256]{0:T(256)S(1)}, s32[]{:S(2)}) slice-start(a), slice={[0:256]}\n \
        ROOT u = f32[256]{0:T(256)S(1)} slice-done(t)\n}\n";
    let copies = copies(text);
    let rows: Vec<_> =
        copies.entries().iter().map(|of| (of.name.as_str(), of.read, of.written)).collect();
    assert_eq!(rows, [("s", 4096, 4096), ("t", 1024, 1024)]);
    assert_eq!(copies.entries()[0].changes, ["memory space 0 -> 1: a prefetch"]);
    let (mut dump, mut summary) = (HloDump::new(text.as_bytes()), HloSummary::new(None));
    while let Some(computation) = dump.next_computation().unwrap() {
        summary.add(computation).unwrap();
    }
    summary.finish();
    let rows: Vec<_> = summary.rows().map(|row| (row.name, row.sizes.allocated_bytes)).collect();
    assert_eq!(rows, [("s", 4096), ("t", 1024)]);
}

#[test]
fn an_update_in_place_writes_the_update_alone() {
    let written = |base: &str| {
        let text = format!(
            "HloModule m, is_scheduled=true\n\
            fused {{\n p = f32[1024]{{0}} parameter(0)\n u = f32[8]{{0}} parameter(1)\n i = s32[] parameter(2)\n \
            b = f32[1024]{{0}} bitcast(p)\n n = f32[1024]{{0}} negate(p)\n ROOT d = f32[1024]{{0}} dynamic-update-slice({base}, u, i)\n}}\n\
            ENTRY e {{\n a = f32[1024]{{0}} parameter(0)\n u = f32[8]{{0}} parameter(1)\n i = s32[] parameter(2)\n \
            d = f32[1024]{{0}} dynamic-update-slice(a, u, i)\n ROOT f = f32[1024]{{0}} fusion(d, u, i), kind=kLoop, calls=fused\n}}\n"
        );
        let (mut dump, mut summary) = (HloDump::new(text.as_bytes()), HloSummary::new(None));
        while let Some(computation) = dump.next_computation().unwrap() {
            summary.add(computation).unwrap();
        }
        summary.finish();
        let mut bytes: Vec<u64> = summary.rows().map(|row| row.sizes.allocated_bytes).collect();
        bytes.sort_unstable();
        bytes
    };
    assert_eq!(written("p"), [32, 32]);
    assert_eq!(written("b"), [32, 32]);
    // A fusion that creates the array itself writes all of it.
    assert_eq!(written("n"), [32, 4096]);
}

#[test]
fn a_fusion_with_several_results_writes_the_updates_of_those_in_place() {
    let written = |root: &str| {
        let count = root.split(',').count();
        let tuple = format!("({})", vec!["f32[1024]{0}"; count].join(", "));
        let text = format!(
            "HloModule m\nfused {{\n p = f32[1024]{{0}} parameter(0)\n q = f32[1024]{{0}} parameter(1)\n \
             u = f32[8]{{0}} parameter(2)\n i = s32[] parameter(3)\n n = f32[1024]{{0}} negate(p)\n \
             d = f32[1024]{{0}} dynamic-update-slice(p, u, i)\n b = f32[1024]{{0}} bitcast(d)\n \
             e = f32[1024]{{0}} dynamic-update-slice(q, u, i)\n f = f32[1024]{{0}} dynamic-update-slice(p, u, i)\n \
             g = f32[1024]{{0}} dynamic-update-slice(n, u, i)\n ROOT t = {tuple} tuple({root})\n}}\n\
             ENTRY e {{\n a = f32[1024]{{0}} parameter(0)\n c = f32[1024]{{0}} parameter(1)\n \
             u = f32[8]{{0}} parameter(2)\n i = s32[] parameter(3)\n \
             ROOT f = {tuple} fusion(a, c, u, i), kind=kLoop, calls=fused\n}}\n"
        );
        let (mut dump, mut summary) = (HloDump::new(text.as_bytes()), HloSummary::new(None));
        while let Some(computation) = dump.next_computation().unwrap() {
            summary.add(computation).unwrap();
        }
        summary.finish();
        let row = summary.rows().next().unwrap();
        (row.sizes.allocated_bytes, row.shape.to_owned())
    };
    assert_eq!(written("d, e"), (2 * 32, "(f32[8]{0}, f32[8]{0})".into()));
    assert_eq!(written("b"), (32, "(f32[8]{0})".into()));
    // One that is made from new values is written whole, and so are updates of one parameter.
    assert_eq!(written("n, e").0, 4096 + 32);
    assert_eq!(written("g, e").0, 4096 + 32);
    assert_eq!(written("d, e, f").0, 2 * 4096 + 32);
    assert_eq!(written("b, d").0, 2 * 4096);
    assert_eq!(written("n, g").0, 2 * 4096);
}

/// Three loops, of 2^21 turns each, around a copy of 4 MiB: read and written 2^86 bytes.
#[test]
fn sums_beyond_64_bits_are_refused() {
    let turns = r#"backend_config={"known_trip_count":{"n":"2097152"}}"#;
    let nest = |name: &str, body: &str| {
        format!(
            "{name} {{\n  p.{name} = f32[1048576] parameter(0)\n  ROOT w.{name} = f32[1048576] \
             while(p.{name}), condition=c, body={body}, {turns}\n}}\n\n"
        )
    };
    let text = format!(
        "HloModule m\n\nb {{\n  q = f32[1048576]{{0}} parameter(0)\n  ROOT k = f32[1048576]{{0}} copy(q)\n}}\n\n\
         c {{\n  r = f32[1048576] parameter(0)\n  ROOT t = pred[] constant(true)\n}}\n\n{}{}ENTRY {}",
        nest("inner", "b"),
        nest("outer", "inner"),
        nest("e", "outer"),
    );
    let mut tallies = HloTallies::default();
    let mut dump = HloDump::new(text.as_bytes());
    while let Some(computation) = dump.next_computation().unwrap() {
        tallies.add(computation).unwrap();
    }
    let refused = tallies.finish().unwrap_err().to_string();
    assert_eq!(refused, "the total size in bytes does not fit in 64 bits");
}

/// One loop, whose length only the second dump has.
#[test]
fn a_comparison_says_which_sums_are_bounds() {
    let module = |turns: &str| {
        format!(
            "HloModule m, num_partitions=2\n\nb {{\n  q = f32[8]{{0}} parameter(0)\n  ROOT k = f32[8]{{0}} copy(q)\n}}\n\n\
             c {{\n  r = f32[8] parameter(0)\n  ROOT t = pred[] constant(true)\n}}\n\n\
             ENTRY e {{\n  p = f32[8] parameter(0)\n  ROOT w = f32[8] while(p), condition=c, body=b{turns}\n}}\n"
        )
    };
    let tallies = |text: String| {
        let (mut dump, mut tallies) = (HloDump::new(text.as_bytes()), HloTallies::default());
        while let Some(computation) = dump.next_computation().unwrap() {
            tallies.add(computation).unwrap();
        }
        tallies.finish().unwrap();
        tallies
    };
    let known = r#", backend_config={"known_trip_count":{"n":"3"}}"#;
    let changes = HloChanges::of(&tallies(module("")), &tallies(module(known)));
    let copied = changes.sums.iter().find(|sum| sum.name.contains("copies")).unwrap();
    assert_eq!((copied.bytes, copied.bounds), ([Some(64), Some(192)], [Some("at least"), None]));
    let said = "read and written by copies, a run (before: at least)\n";
    assert!(pages::changes(&changes, None).contains(said), "{}", pages::changes(&changes, None));
}

#[test]
fn two_dumps_are_matched_by_operation_and_opcode_not_by_name() {
    let tallies = |text: &str| {
        let (mut dump, mut tallies) = (HloDump::new(text.as_bytes()), HloTallies::default());
        while let Some(computation) = dump.next_computation().unwrap() {
            tallies.add(computation).unwrap();
        }
        tallies.finish().unwrap();
        tallies
    };
    let text = "HloModule m, is_scheduled=true, num_partitions=4\n\nENTRY e {\n  a = f32[32] parameter(0)\n  \
        b = f32[32] sine(a), metadata={op_name=\"f/sin\"}\n  c = f32[32]{0} copy(b), metadata={op_name=\"f/sin\"}\n  \
        ROOT d = f32[128] all-gather(c), channel_id=1, replica_groups=[1,4]<=[4], use_global_device_ids=true, dimensions={0}, metadata={op_name=\"f/dot\"}\n}\n";
    let before = tallies(text);
    let renamed = text.replace("b = ", "b.77 = ").replace("copy(b)", "copy(b.77)");
    assert_eq!(HloChanges::of(&before, &tallies(&renamed)).rows, []);
    let changed = text
        .replace("c = f32[32]{0} copy(b)", "c = f32[32]{0} tanh(b)")
        .replace("f32[128]", "f32[256]");
    let changes = HloChanges::of(&before, &tallies(&changed));
    let rows: Vec<_> = changes
        .rows
        .iter()
        .map(|row| {
            (row.kind.name(), row.verb(), row.opcode.as_str(), row.before.bytes, row.after.bytes)
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("buffer", "grew", "all-gather", 512, 1024),
            ("collective", "grew", "all-gather", 384, 768),
            ("copy", "went", "copy", 256, 0),
            ("buffer", "went", "copy", 128, 0),
            ("buffer", "came", "tanh", 0, 128),
        ]
    );
    assert_eq!(changes.same, 1);
    let peak = changes.sums.iter().find(|sum| sum.name == "live at the peak, HBM").unwrap();
    // The parameter lives to the end; the copy and the result are live beside it.
    assert_eq!(peak.bytes, [Some(128 + 128 + 512), Some(128 + 128 + 1024)]);
}
