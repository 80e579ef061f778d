//! Values that share a buffer: results with operands that end there, and values with a result before its time.

use crate::memory::peaks;

/// The peak in KiB of an entry after the insides of fusions.
fn kib(insides: &str, body: &str) -> u64 {
    let text = format!("HloModule m, is_scheduled=true\n{insides}\nENTRY e {{\n{body}}}\n");
    peaks(&text)[&0] / 1024
}

#[test]
fn a_result_takes_the_buffer_of_an_operand_that_ends_there() {
    // The insides of fusions: every use of the first parameter is elementwise, one of the second is not.
    let inside = "relu {\n  p = f32[1024]{0} parameter(0)\n  q = f32[1024]{0} parameter(1)\n  \
        v = f32[1024]{0} reverse(q), dimensions={0}\n  x = f32[1024]{0} maximum(p, v)\n  \
        ROOT m = f32[1024]{0} add(x, q)\n}\n\
        more {\n  p = f32[8,128]{1,0} parameter(0)\n  q = f32[8,8]{1,0} parameter(1)\n  \
        r = f32[8,128]{1,0} parameter(2)\n  d = f32[8,128]{1,0} dot(q, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  \
        ROOT m = f32[8,128]{1,0} add(d, r)\n}\n";
    for (r, peak) in [
        ("f32[1024]{0} fusion(t, a), kind=kLoop, calls=relu", 8),
        ("f32[1024]{0} fusion(t, a), kind=kInput, calls=relu", 8),
        ("f32[1024]{0} fusion(t, a), kind=kCustom, calls=relu", 8),
        ("f32[1024]{0} negate(t)", 8),
        ("f32[1024]{0} add(a, t)", 8),
        ("f32[1024]{0} clamp(a, t, a)", 8),
        ("f32[1024]{0} sort(t), dimensions={0}, to_apply=relu", 8),
        ("f32[8,128]{1,0} fusion(a2, w, t2), kind=kOutput, calls=more", 8),
        ("f32[8,128]{1,0} fusion(t2, w, a2), kind=kOutput, calls=more", 12),
        ("f32[8,128]{1,0} fusion(a2, w, t2), kind=kCustom, calls=more", 8),
        ("f32[1024]{0} fusion(a, t), kind=kLoop, calls=relu", 12),
        ("f32[1024]{0} copy(t)", 12),
        ("f32[1024]{0} reverse(t), dimensions={0}", 12),
        ("f32[1024]{0} sort(t, t), dimensions={0}, to_apply=relu", 12),
        // Another type, layout or memory space.
        ("s32[1024]{0} convert(t)", 12),
        ("f32[1024]{0:T(256)} negate(t)", 12),
    ] {
        let shape = if r.contains("t2") { "f32[8,128]{1,0}" } else { "f32[1024]{0}" };
        let names = if r.contains("t2") { ["a2", "t2"] } else { ["a", "t"] };
        let [a, t] = names;
        let body = format!(
            "  {a} = {shape} parameter(0)\n  w = f32[8,8]{{1,0}} parameter(1)\n  \
             {t} = {shape} custom-call({a}), custom_call_target=\"x\"\n  r = {r}\n  \
             ROOT d = f32[1] custom-call(r), custom_call_target=\"x\"\n"
        );
        assert_eq!(kib(inside, &body), peak, "{r}");
    }
}

#[test]
fn one_operand_is_taken_once_and_not_before_its_last_use() {
    let two = "two {\n  p = f32[1024]{0} parameter(0)\n  s = f32[1024]{0} sine(p)\n  c = f32[1024]{0} cosine(p)\n  \
        ROOT t = (f32[1024]{0}, f32[1024]{0}) tuple(s, c)\n}\n";
    let body = |kind: &str| {
        format!(
            "  a = f32[1] parameter(0)\n  t = f32[1024]{{0}} broadcast(a), dimensions={{}}\n  \
             f = (f32[1024]{{0}}, f32[1024]{{0}}) fusion(t), kind={kind}, calls=two\n  \
             x = f32[1024]{{0}} get-tuple-element(f), index=0\n  y = f32[1024]{{0}} get-tuple-element(f), index=1\n  \
             ROOT r = f32[1] custom-call(x, y), custom_call_target=\"x\"\n"
        )
    };
    assert_eq!((kib(two, &body("kLoop")), kib(two, &body("kCustom"))), (8, 12));
    let later = "  a = f32[1] parameter(0)\n  t = f32[1024]{0} broadcast(a), dimensions={}\n  \
        n = f32[1024]{0} negate(t)\n  ROOT r = f32[1] custom-call(n, t), custom_call_target=\"x\"\n";
    assert_eq!(kib("", later), 8);
}

#[test]
fn the_buffer_of_a_result_is_filled_where_it_is_not_live() {
    // The state of a loop is a result; a temporary of the body ends where the next state begins.
    let body = |next: &str| {
        format!(
            "cond {{\n  q = (f32[1024]{{0}}) parameter(0)\n  ROOT c = pred[] custom-call(q), custom_call_target=\"x\"\n}}\n\
             body {{\n  p = (f32[1024]{{0}}) parameter(0)\n  g = f32[1024]{{0}} get-tuple-element(p), index=0\n  \
             k = f32[1024]{{0}} copy(g)\n  t = f32[1024]{{0}} custom-call(k), custom_call_target=\"x\"\n  \
             n = f32[1024]{{0}} {next}\n  ROOT o = (f32[1024]{{0}}) tuple(n)\n}}\n"
        )
    };
    let entry = "  a = f32[1024]{0} parameter(0)\n  k0 = f32[1024]{0} copy(a)\n  i = (f32[1024]{0}) tuple(k0)\n  \
        ROOT w = (f32[1024]{0}) while(i), condition=cond, body=body\n";
    assert_eq!(kib(&body("add(t, k)"), entry), 12);
    assert_eq!(kib(&body("custom-call(t, k), custom_call_target=\"x\""), entry), 16);
    // The donated parameter ends at `t`, which fits into its buffer before the result.
    let donated = |t: &str| {
        let text = format!(
            "HloModule m, is_scheduled=true, input_output_alias={{ {{}}: (0, {{}}, may-alias) }}\nENTRY e {{\n  \
             a = f32[1024]{{0}} parameter(0)\n  t = f32[1024]{{0}} {t}(a)\n  \
             u = f32[4] custom-call(t), custom_call_target=\"x\"\n  \
             ROOT r = f32[1024]{{0}} custom-call(u), custom_call_target=\"x\"\n}}\n"
        );
        peaks(&text)[&0]
    };
    assert_eq!((donated("negate"), donated("copy")), (4096 + 16, 2 * 4096));
}
