//! What careful readers found in what is said of dumps, each in its shortest form.

use tensor_layout::hlo::{HloCopies, HloDump, HloRole, HloSummary};

fn summary(text: &str) -> HloSummary {
    let (mut dump, mut summary) = (HloDump::new(text.as_bytes()), HloSummary::new(None));
    while let Some(computation) = dump.next_computation().unwrap() {
        summary.add(computation).unwrap();
    }
    assert_eq!(dump.unread_lines(), []);
    summary.finish();
    summary
}

/// Bytes that the instructions of an entry write in memory, and those of what it calls.
fn written(entry: &str) -> (u64, u64) {
    let text = format!("ENTRY e {{\n  a = f32[1024]{{0}} parameter(0)\n  {entry}\n}}\n");
    let summary = summary(&text);
    let of = |role| summary.written(role).unwrap().unpadded;
    (of(HloRole::Entry), of(HloRole::Called))
}

#[test]
fn operands_in_the_tuple_of_a_start_are_not_written() {
    for (entry, bytes) in [
        (
            "s = ((f32[1024]{0}), f32[128]{0:S(1)}, s32[1]{0}) slice-start(a), slice={[0:128]}\n  \
             d = f32[128]{0:S(1)} slice-done(s)",
            512,
        ),
        (
            "s = ((f32[1024]{0}), f32[256]{0}) reduce-scatter-start(a), replica_groups={{0,1,2,3}}",
            1024,
        ),
        ("s = ((f32[1024]{0}), (f32[4]{0}, f32[2]{0})) custom-call-start(a)", 24),
        ("s = ((f32[1024]{0}, f32[8]{0}), f32[8]{0}, u32[]) ragged-all-to-all-start(a, a)", 32),
        ("s = (((f32[1024]{0})), f32[8]{0}, u32[]) custom-call-start(a)", 32),
        ("s = ((), f32[8]{0}, u32[]) custom-call-start()", 32),
        ("s = ((f32[1024]{0}), (f32[8]{0}, u32[], token[]), s32[]) recv-start(a)", 36),
        // An all-reduce-start has no operands in its tuple.
        ("s = (f32[1024]{0}, f32[1024]{0}) all-reduce-start(a, a)", 8192),
    ] {
        assert_eq!(written(entry), (bytes, 0), "{entry}");
    }
}

#[test]
fn what_a_start_calls_has_the_role_that_the_whole_gives_it() {
    let inner = "{\n  p = f32[1024]{0} parameter(0)\n  ROOT n = f32[1024]{0} negate(p)\n}\n";
    let text = format!(
        "f {inner}g {inner}h {inner}sum {inner}ENTRY e {{\n  a = f32[1024]{{0}} parameter(0)\n  \
         s = ((f32[1024]{{0}}), f32[1024]{{0}}, u32[]) fusion-start(a), kind=kLoop, calls=f\n  \
         d = f32[1024]{{0}} fusion-done(s)\n  \
         t = ((f32[1024]{{0}}), f32[1024]{{0}}, u32[]) call-start(a), to_apply=g\n  \
         u = ((f32[1024]{{0}}), f32[1024]{{0}}, u32[]) async-start(a), calls=h\n  \
         v = f32[1024]{{0}} async-done(u), calls=h\n  \
         w = ((f32[1024]{{0}}), f32[256]{{0}}) reduce-scatter-start(a), to_apply=sum\n}}\n"
    );
    let summary = summary(&text);
    let roles: Vec<(&str, &str, u64)> = summary
        .computations()
        .iter()
        .map(|totals| (&*totals.name, totals.role.name(), totals.written.unpadded))
        .collect();
    // A fusion writes its result itself; what `call-start` and `async-start` write is in `g` and `h`.
    assert_eq!(
        roles,
        [
            ("f", "fused", 4096),
            ("g", "called", 4096),
            ("h", "called", 4096),
            ("sum", "applied", 4096),
            ("e", "entry", 4096 + 1024),
        ]
    );
}

#[test]
fn a_send_names_its_operand_and_writes_nothing() {
    let text = "t = token[] after-all()\n  s = (f32[1024]{0}, u32[], token[]) send(a, t), channel_id=1\n  \
                d = token[] send-done(s), channel_id=1";
    assert_eq!(written(text), (0, 0));
    let received = "t = token[] after-all()\n  r = (f32[8]{0}, u32[], token[]) recv(t), channel_id=1\n  \
                    d = (f32[8]{0}, token[]) recv-done(r), channel_id=1";
    assert_eq!(written(received), (36, 0));
}

#[test]
fn an_instruction_may_have_a_buffer_as_its_result() {
    let text = "ENTRY e {
  a = f32[8]{0} parameter(0)
  b = b(f32[8]{0}) custom-call(a), custom_call_target=\"CreateBuffer\"
  c = (b(f32[8]{0}), f32[2]{0}) custom-call(b)
  ROOT d = f32[8]{0} custom-call(b), custom_call_target=\"Unpin\"
}
";
    let summary = summary(text);
    let rows: Vec<(&str, u64)> =
        summary.rows().map(|row| (row.shape, row.sizes.unpadded_bytes)).collect();
    assert_eq!(rows, [("(b(f32[8]{0}), f32[2]{0})", 40), ("b(f32[8]{0})", 32), ("f32[8]{0}", 32)]);
}

#[test]
fn a_reshape_is_free_only_if_width_prefix_and_splits_stay() {
    let change = |from: &str, to: &str| {
        let text = format!("ENTRY e {{\n  a = {from} parameter(0)\n  b = {to} reshape(a)\n}}\n");
        let (mut dump, mut copies) = (HloDump::new(text.as_bytes()), HloCopies::default());
        while let Some(computation) = dump.next_computation().unwrap() {
            copies.add(computation).unwrap();
        }
        copies.finish().unwrap();
        let entry = &copies.entries()[0];
        (entry.is_free, entry.read, entry.written, entry.changes.last().unwrap().clone())
    };
    let paid = |changed: &str, read, written| (Some(false), read, written, changed.to_owned());
    assert_eq!(change("s4[64]{0:E(4)}", "s4[8,8]{1,0}"), paid("element bits 4 -> 8", 32, 64));
    assert_eq!(change("s8[64]{0:E(8)}", "s8[8,8]{1,0}").0, Some(true));
    assert_eq!(change("s8[64]{0}", "s8[8,8]{1,0:M(16)}"), paid("prefix bytes 0 -> 16", 64, 64));
    let split = change("s8[64]{0}", "s8[8,8]{1,0:SC(0:4)}");
    assert_eq!(split, paid("splits none -> SC(0:4)", 64, 64));
    // Arrays that are split alike are not compared.
    assert_eq!(change("s8[8,8]{1,0:SC(0:4)}", "s8[8,8,1]{2,1,0:SC(0:4)}").0, None);
    let padded = change("s8[64]{0:T(64)}", "s8[64,1]{0,1:T(1,64)L(128)}");
    assert_eq!(padded.3, "tail padding 1 -> 128");
}
