//! Every law of `docs/algebra.md`, including chains of edits, on layouts drawn from a seed of the fuzzer and
//! checked against the slow definition, using the files of the tests.
//!
//! The first byte selects the law, and the next 32 are the seed: an endless search over seeds.
#![no_main]
#![allow(unused, missing_docs)]

#[path = "../../tests/generate.rs"]
mod generate;
#[path = "../../tests/laws/mod.rs"]
mod laws;
#[path = "../../tests/pairs.rs"]
mod pairs;
#[path = "../../tests/run.rs"]
mod run;
#[path = "../../tests/slow.rs"]
mod slow;
#[path = "../../tests/stage.rs"]
mod stage;

use libfuzzer_sys::fuzz_target;

thread_local! {
    static LAWS: Vec<run::Law> = laws::all();
}

fuzz_target!(|bytes: &[u8]| {
    let Some((pick, bytes)) = bytes.split_first() else { return };
    LAWS.with(|laws| laws[usize::from(*pick) % laws.len()].on_bytes(bytes));
});
