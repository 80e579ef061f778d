//! Live arrays where computations are called more than once.

use tensor_layout::error::ErrorKind;

use crate::memory::module;

/// A computation with a buffer of 4 MiB, and calls of it around one of 16 MiB.
fn called(calls: &str) -> String {
    format!(
        "HloModule m, is_scheduled=true\nt {{\n  p = f32[1024]{{0}} parameter(0)\n  \
         x = f32[1048576]{{0}} broadcast(p), dimensions={{}}\n  \
         ROOT r = f32[1024]{{0}} slice(x), slice={{[0:1024]}}\n}}\n{calls}"
    )
}

#[test]
fn a_computation_that_is_called_twice_runs_twice() {
    let text = called(
        "ENTRY e {\n  a = f32[1024]{0} parameter(0)\n  b = f32[1024]{0} call(a), to_apply=t\n  \
         big = f32[4194304]{0} broadcast(b), dimensions={}\n  d = f32[1024]{0} call(b), to_apply=t\n  \
         k = f32[1024]{0} slice(big), slice={[0:1024]}\n  ROOT s = f32[1024]{0} add(k, d)\n}\n",
    );
    let peak = &module(&text).peaks.unwrap()[0];
    // The arguments of entry and call, and the buffers of both sizes.
    assert_eq!(peak.bytes.allocated, (20 << 20) + 2 * 4096);
    assert_eq!((peak.name.as_str(), peak.computation.as_str()), ("x", "t"));
}

#[test]
fn calls_that_double_again_and_again_have_no_answer() {
    let mut text = called("");
    for level in 0..40 {
        let callee = if level == 0 { "t".to_owned() } else { format!("c{}", level - 1) };
        let head = if level == 39 { "ENTRY " } else { "" };
        text += &format!(
            "{head}c{level} {{\n  p = f32[1024]{{0}} parameter(0)\n  \
             b = f32[1024]{{0}} call(p), to_apply={callee}\n  \
             ROOT d = f32[1024]{{0}} call(b), to_apply={callee}\n}}\n"
        );
    }
    let error = module(&text).peaks.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
}
