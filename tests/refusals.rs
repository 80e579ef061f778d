//! Complete messages: the output that a person sees for each kind of bad text.
//!
//! `data/refusals.txt` holds blocks of a text and its message. `UPDATE_REFUSALS=1` rewrites the messages;
//! review them before committing.

use std::fmt::Write as _;

use tensor_layout::notation::PadLayout;
use tensor_layout::{Machine, Placement};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/refusals.txt");

/// A text, followed after `  on ` by the machine and the memory that it is placed on.
fn refusal(case: &str) -> String {
    let (text, machine) = case.split_once("  on ").unwrap_or((case, ""));
    let text = text.replace("\\n", "\n");
    let tree: PadLayout = match text.parse() {
        Ok(tree) => tree,
        Err(error) => return error.to_string(),
    };
    let layout = match tree.lower() {
        Ok(layout) => layout,
        Err(error) => return error.to_string(),
    };
    let machine: Machine = machine.parse().expect("a machine, or a text that is refused");
    if let Err(error) = tree.lower_on(&machine) {
        return error.to_string();
    }
    let mut builder = Placement::of(layout).on(&machine);
    if let Some(memory) = tree.memory {
        builder = builder.memory(memory.name());
    }
    if let Some(dtype) = tree.dtype {
        builder = builder.element_bits(dtype.bits());
    }
    tree.refuse(builder.build().expect_err("refused")).to_string()
}

#[test]
fn every_refusal_has_the_message_on_file() {
    let file = std::fs::read_to_string(FILE).unwrap();
    let mut written = String::new();
    let mut cases = 0;
    for block in file.split("\n\n").map(str::trim_end).filter(|block| !block.is_empty()) {
        let case = block.lines().next().unwrap().trim_start_matches("### ");
        writeln!(written, "### {case}\n{}\n", refusal(case)).unwrap();
        cases += 1;
    }
    if std::env::var_os("UPDATE_REFUSALS").is_some() {
        std::fs::write(FILE, &written).unwrap();
    }
    assert_eq!(written.trim_end(), file.trim_end());
    assert!(cases >= 40, "{cases} cases");
}
