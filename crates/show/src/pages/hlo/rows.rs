//! Parts that several pages have.

use std::fmt::Display;

use itertools::Itertools;
use tensor_layout_hlo::HloRole;
use tensor_layout_words::in_one_line;

/// The number of rows on a page by default.
pub(super) const SHOWN: usize = 20;

/// Three byte counts, right-aligned, and text.
pub(super) fn row(cells: [impl Display; 3], text: &str) -> String {
    let [a, b, c] = cells;
    format!("{a:>11} {b:>11} {c:>11}  {text}\n")
}

/// Returns the second line of an instruction: its operation and its source line in the program.
pub(super) fn origin(indent: usize, op_name: Option<&str>, source: Option<&str>) -> String {
    let parts = op_name.into_iter().chain(source).join(", ");
    if parts.is_empty() { parts } else { format!("{:indent$}{}\n", "", in_one_line(&parts)) }
}

/// Returns ` in COMPUTATION` for an instruction; empty in the entry, and outside of computations.
pub(super) fn place(role: HloRole, computation: &str) -> String {
    match role {
        HloRole::Entry => String::new(),
        _ if computation.is_empty() => String::new(),
        _ => format!(" in {computation}"),
    }
}

/// Returns the note that shapes are those of one device; empty if no module is partitioned.
pub(super) fn partitioned(devices: Option<u64>) -> String {
    devices.map_or(String::new(), |devices| {
        format!("shapes are those of one device: the module is partitioned over {devices}\n")
    })
}
