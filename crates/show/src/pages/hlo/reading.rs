//! The places of a dump that could not be read.

use tensor_layout_hlo::HloReading;
use tensor_layout_words::{counted, printable};

/// The greatest number of unread places on a page.
const FEW: usize = 10;

/// A readable page: the first places that could not be read, with reasons; empty if there are none.
#[must_use]
pub fn reading(of: &HloReading) -> String {
    printable(&unread(of)).into_owned()
}

/// That [page](reading) as a part of another one, which is made printable as a whole.
pub(super) fn unread(of: &HloReading) -> String {
    if of.is_complete() {
        return String::new();
    }
    let lines = of.lines.iter().take(FEW);
    let lines = lines.map(|line| format!("  line {}: {}\n", line.line, line.why()));
    format!("\n{} could not be read\n{}", counted(of.count, "place"), lines.collect::<String>())
}
