//! Machines, written as a tree or as TOML.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tensor_layout::Machine;

fuzz_target!(|text: &str| {
    let read = [text.parse::<Machine>().ok(), Machine::from_toml(text).ok()];
    for machine in read.into_iter().flatten() {
        assert!(machine.levels().count() > 0);
        assert!(machine.levels().all(|(level, size)| machine.size(level) == Some(size)));
    }
});
