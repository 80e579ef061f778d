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
        let HloCopy { name, opcode, line: number, from, to, changes, .. } = entry;
        let place = place(entry.role, &entry.computation);
        let changes = match &changes[..] {
            [] => "nothing changes".to_owned(),
            changes => changes.join(", "),
        };
        let free = match (entry.role.is_in_memory(), entry.is_free) {
            (false, _) => "in fusion",
            (_, Some(true)) => "yes",
            (_, Some(false)) => "no",
            (_, None) => "?",
        };
        let [read, written] = [entry.read, entry.written].map(readable_bytes);
        let runs = entry.runs.mark();
        let text = format!("{opcode} {name}, line {number}{place}{runs}: {changes}");
        page += &line(&read, &written, free, &text);
        page += &format!("{:13}{from} -> {to}\n", "");
        page += &origin(13, entry.op_name.as_deref(), entry.source.as_deref());
    }
    let [read, written] = [of.moved().0, of.moved().1].map(readable_bytes);
    let (all, paid) = of.count();
    let shown = of.entries().len().min(top.unwrap_or(SHOWN));
    let hidden = all.saturating_sub(shown);
    let hidden = if hidden > 0 { format!("; {hidden} not shown") } else { String::new() };
    page += &line(&read, &written, "", &format!("all that is not free: {paid} of {all}{hidden}"));
    let step = of.in_a_step();
    // A sum beyond 64 bits is shown as more than the greatest number.
    let [read, written] = [0, 1].map(|at| step.bytes(at).unwrap_or(u64::MAX));
    if (read, written) != of.moved() || !step.bound().is_empty() {
        let text = format!("{}in one run of the program", step.bound());
        page += &line(&readable_bytes(read), &readable_bytes(written), "", &text);
    }
    page += &unread(of.reading());
    printable(&page).into_owned()
}
