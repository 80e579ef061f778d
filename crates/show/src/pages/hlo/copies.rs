//! The copies of a program.

use tensor_layout_hlo::{HloCopies, HloCopy};
use tensor_layout_words::{printable, readable_bytes};

use super::reading::unread;
use super::rows::{SHOWN, origin, place};

/// A readable page: the `top` greatest copies (20 by default), and the sum of the copies that are not
/// free.
#[must_use]
pub fn copies(of: &HloCopies, top: Option<usize>) -> String {
    let line = |read: &str, written: &str, free: &str, text: &str| {
        format!("{read:>11} {written:>11} {free:>9}  {text}\n")
    };
    let mut page = line("read", "written", "free", "instruction");
    for entry in of.entries().iter().take(top.unwrap_or(SHOWN)) {
        let [read, written] = [entry.read, entry.written].map(readable_bytes);
        page += &line(&read, &written, freedom(entry), &instruction(entry));
        page += &format!("{:13}{}\n", "", shapes(entry));
        page += &origin(13, entry.op_name.as_deref(), entry.source.as_deref());
    }
    for (read, written, text) in sums(of, top) {
        page += &line(&read, &written, "", &text);
    }
    page += &unread(of.reading());
    printable(&page).into_owned()
}

/// The name and the place of a copy, the number of times it runs, and what it changes.
pub(super) fn instruction(of: &HloCopy) -> String {
    let HloCopy { name, opcode, line, .. } = of;
    let (place, runs) = (place(of.role, &of.computation), of.runs.mark());
    let changes = match &of.changes[..] {
        [] => "nothing changes".to_owned(),
        changes => changes.join(", "),
    };
    format!("{opcode} {name}, line {line}{place}{runs}: {changes}")
}

/// The shapes of its operand and of its result.
pub(super) fn shapes(of: &HloCopy) -> String {
    format!("{} -> {}", of.from, of.to)
}

/// A word about the price of a copy: `yes` if it is free, `no`, `?`, or `in fusion`.
pub(super) fn freedom(of: &HloCopy) -> &'static str {
    match (of.role.is_in_memory(), of.is_free) {
        (false, _) => "in fusion",
        (_, Some(true)) => "yes",
        (_, Some(false)) => "no",
        (_, None) => "?",
    }
}

/// The bytes that all copies read and write that are not free, and those of one run where they differ.
pub(super) fn sums(of: &HloCopies, top: Option<usize>) -> Vec<(String, String, String)> {
    let (all, paid) = of.count();
    let shown = of.entries().len().min(top.unwrap_or(SHOWN));
    let hidden = all.saturating_sub(shown);
    let hidden = if hidden > 0 { format!("; {hidden} not shown") } else { String::new() };
    let row = |(read, written), text| (readable_bytes(read), readable_bytes(written), text);
    let mut rows = vec![row(of.moved(), format!("all that is not free: {paid} of {all}{hidden}"))];
    let step = of.in_a_step();
    // A sum beyond 64 bits is shown as more than the greatest number.
    let in_a_step = [0, 1].map(|at| step.bytes(at).unwrap_or(u64::MAX)).into();
    if in_a_step != of.moved() || !step.bound().is_empty() {
        rows.push(row(in_a_step, format!("{}in one run of the program", step.bound())));
    }
    rows
}
